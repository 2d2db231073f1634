internal import Access
internal import HTTPFront
internal import Topics
internal import Work

/// Some routes of ``Route/all`` on one loop.
protocol Routes {
    var loop: BusLoop { get }
}

// The parts of the loop that most routes need.
extension Routes {
    var service: BusService { loop.service }
    var bus: EventBus { loop.service.bus }
    var work: WorkGroups { loop.service.groups }
    var gate: AccessGate { loop.gate }
    var budget: TurnBudget { loop.budget }
    var configuration: BusAPIConfiguration { loop.configuration }
}
