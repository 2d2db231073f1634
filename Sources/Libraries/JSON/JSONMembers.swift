/// The members of one object that are texts, numbers and truths; all others are passed over.
public struct JSONMembers {
    /// Those that are strings.
    public private(set) var texts: [String: String] = [:]
    /// Those that are whole numbers from 0 on.
    public private(set) var numbers: [String: Int] = [:]
    /// Those that are true or false.
    public private(set) var truths: [String: Bool] = [:]

    /// Reads the object; nil where it is none.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = JSONReader(bytes)
        let isObject = reader.object { name, reader in
            guard let value = reader.value(), let first = value.first else { return false }
            let name = String(decoding: name, as: UTF8.self)
            var inside = JSONReader(value)
            switch first {
            case UInt8(ascii: "\""):
                texts[name] = inside.string()
                return texts[name] != nil
            case UInt8(ascii: "t"), UInt8(ascii: "f"):
                truths[name] = inside.truth()
                return truths[name] != nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                numbers[name] = inside.number()
                return numbers[name] != nil
            default: return true
            }
        }
        guard isObject else { return nil }
    }
}
