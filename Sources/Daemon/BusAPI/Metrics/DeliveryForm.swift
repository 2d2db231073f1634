/// The forms that events are delivered in, as figures and the access log name them.
enum DeliveryForm: String, CaseIterable {
    case raw, json, ndjson, sse, websocket

    /// Its place in tables by form.
    var index: Int {
        switch self {
        case .raw: 0
        case .json: 1
        case .ndjson: 2
        case .sse: 3
        case .websocket: 4
        }
    }
}
