import Access
import HTTPFront
import Telemetry
import Topics

@testable import BusAPI

/// A subscription that nothing comes of.
final class QuietListener: HTTPSubscription {
    var reader: LogReader
    var place: SubscriptionTable.Place?
    let form = DeliveryForm.raw
    var origin: SocketOrigin? { nil }
    var caller: Caller { .unknown }
    var account: CallerAccount?
    var accessNumber: UInt32 = 0

    init(_ selector: Selector, _ bus: EventBus) {
        reader = LogReader(
            selector, .all, from: LoopLog(of: bus, within: TurnBudget()),
            MemoryBudget(bytesMax: 1 << 20))
    }

    func advance(_ news: LogNews?) {}
    func topicRemoved(at place: EventID) {}
    func fetched(_ read: Result<LogRead, BusError>, _ made: MadeAnswer?) {}
    func deny(_ refusal: Refusal) {}
    func reauthorize() {}
    func drain() {}
}
