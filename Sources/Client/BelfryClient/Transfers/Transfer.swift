internal import Protection
internal import Topics

/// One request, and the receiver of its answer.
final class Transfer: Sendable {
    /// The verbs of HTTP that the bus knows.
    enum Method: String {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"

        /// Whether a second request of the same kind may do a second thing.
        var changes: Bool { self == .post || self == .put || self == .delete }
    }

    let method: Method
    let address: BusAddress
    let path: String
    let headers: [String]
    let body: Payload?
    /// How long it may take, in milliseconds; nil for a stream, which does not end.
    let millisecondsMax: Int?
    /// The file of the authorities that sign certificates; nil for those that the system trusts.
    let authorities: String?
    /// Whether it has a token, which the program at the other end gets only if its user is known.
    let isForKnown: Bool
    let receiver: any TransferReceiver
    /// Set before the loop is told, which may not have begun it yet.
    let isCancelled = Protected(false)

    init(
        _ method: Method, _ path: String, at address: BusAddress, headers: [String],
        body: Payload? = nil, millisecondsMax: Int? = Limits.requestMillisecondsMax,
        authorities: String? = nil, isForKnown: Bool = false, to receiver: any TransferReceiver
    ) {
        self.method = method
        self.path = path
        self.address = address
        self.headers = headers
        self.body = body
        self.millisecondsMax = millisecondsMax
        self.authorities = authorities
        self.isForKnown = isForKnown
        self.receiver = receiver
    }
}

/// Takes an answer as it comes. Called on the loop's thread, in this order: head, bytes, end.
protocol TransferReceiver: Sendable {
    /// The status and the headers are there.
    func begin(_ head: AnswerHead)
    /// Some bytes of the body, valid during the call.
    func take(_ bytes: UnsafeRawBufferPointer) -> Intake
    /// Nothing more comes; called once.
    func end(_ end: TransferEnd)
}

/// The answer of a receiver to some bytes.
enum Intake {
    /// It has them.
    case taken
    /// It has no room: they are to come again once the transfer is resumed.
    case noRoom
    /// It wants no more of this answer.
    case tooMuch
}

/// How a transfer ended.
enum TransferEnd: Equatable {
    /// The answer is whole.
    case complete
    /// It was given up.
    case cancelled
    /// The program at the other end is not one that gets a token, and got nothing; the sentence says why.
    case untrusted(String)
    /// The certificate of the other end is not trusted, which got nothing; the sentence says why.
    case uncertified(String)
    /// It broke; the sentence says how. Where `mayHaveArrived`, the bus may have done it.
    case broken(String, mayHaveArrived: Bool)
}

/// Status and headers of an answer.
struct AnswerHead: Sendable {
    let status: Int
    private let fields: [String: String]

    init(status: Int, fields: [String: String]) {
        self.status = status
        self.fields = fields
    }

    /// The value of a header, whose name is given in lower case; the last one where it is repeated.
    subscript(name: String) -> String? { fields[name] }

    /// The headers whose names begin with a text in lower case: the rest of each name, and its value.
    func fields(beginningWith prefix: String) -> [(name: String, value: String)] {
        fields.compactMap { name, value in
            name.hasPrefix(prefix) ? (String(name.dropFirst(prefix.count)), value) : nil
        }
    }
}
