/// Requests to one group that no turn has taken yet, in their order.
///
/// - Complexity: O(1) for each request, amortised. Taken requests are freed once they are as many
///   as those left.
struct RequestQueue {
    private var requests: [WorkRequest] = []
    /// How many requests were taken from the front.
    private var start = 0

    var isEmpty: Bool { start == requests.count }

    /// The number of the first request.
    var first: RequestNumber? { isEmpty ? nil : requests[start].number }

    mutating func append(_ request: WorkRequest) { requests.append(request) }

    /// Takes the first request alone if it has to be; else those before the next such one, at most
    /// so many.
    mutating func take(countMax: Int) -> [WorkRequest] {
        let rest = requests[start...].prefix(countMax)
        var end = rest.firstIndex { $0.isAlone } ?? rest.endIndex
        if end == start, end < rest.endIndex { end += 1 }
        return take(through: end)
    }

    /// Takes all.
    mutating func takeAll() -> [WorkRequest] { take(through: requests.count) }

    private mutating func take(through end: Int) -> [WorkRequest] {
        let taken = Array(requests[start..<end])
        start = end
        if start >= requests.count - start {
            requests.removeFirst(start)
            start = 0
            if requests.isEmpty, requests.capacity > Limits.requestsMax * 4 { requests = [] }
        }
        return taken
    }
}
