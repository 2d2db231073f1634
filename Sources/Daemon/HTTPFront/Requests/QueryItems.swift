/// The parameters of a query, decoded, in order, repeated ones included.
///
/// A name without `=` has the empty value; pieces without any byte (`a=1&&b=2`) are skipped.
public struct QueryItems: Sendable, RandomAccessCollection {
    /// One parameter.
    public struct Item: Sendable, Equatable {
        /// The decoded name.
        public let name: String
        /// The decoded value.
        public let value: String
    }

    private var items: [Item] = []
    /// Most queries have no more items than these.
    private static let usualCount = 4

    /// No parameters.
    public init() {}

    /// The position of the first parameter.
    public var startIndex: Int { 0 }

    /// The position behind the last parameter.
    public var endIndex: Int { items.count }

    /// The parameter at a position.
    public subscript(position: Int) -> Item { items[position] }

    /// The value of the first parameter of this name, or nil without one.
    public func first(_ name: String) -> String? {
        items.first { $0.name == name }?.value
    }

    /// Reads `raw[range]`, the part of a target behind its `?`.
    init(decoding raw: UnsafeRawBufferPointer, _ range: Range<Int>) throws(TargetError) {
        if !range.isEmpty { items.reserveCapacity(Self.usualCount) }
        var start = range.lowerBound
        while start < range.upperBound {
            var (end, equals) = (start, -1)
            while end < range.upperBound, raw[end] != UInt8(ascii: "&") {
                if equals < 0, raw[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            if end > start {
                guard items.count < HTTPFrontLimits.queryItemsMax else {
                    throw TargetError(
                        detail: "The query has more than \(HTTPFrontLimits.queryItemsMax) "
                            + "parameters.")
                }
                let nameEnd = equals < 0 ? end : equals
                let valueRange = (equals < 0 ? end : equals + 1)..<end
                items.append(
                    Item(
                        name: try PercentDecoding.query(raw, start..<nameEnd),
                        value: try PercentDecoding.query(raw, valueRange)))
            }
            start = end + 1
        }
    }
}
