internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// Some routes of ``Route/all`` on one loop.
protocol Routes {
    var loop: BusLoop { get }
}

// What most of them need of the loop.
extension Routes {
    var service: BusService { loop.service }
    var bus: EventBus { loop.service.bus }
    var work: WorkGroups { loop.service.groups }
    var gate: AccessGate { loop.gate }
    var budget: TurnBudget { loop.budget }
    var configuration: BusAPIConfiguration { loop.configuration }
}
