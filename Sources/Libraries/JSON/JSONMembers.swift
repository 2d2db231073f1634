/// The members of one object that are texts, numbers, truths and objects; lists are passed over.
public struct JSONMembers {
    /// Those that are strings.
    public private(set) var texts: [String: String] = [:]
    /// Those that are whole numbers from 0 on.
    public private(set) var numbers: [String: Int] = [:]
    /// Those that are true or false.
    public private(set) var truths: [String: Bool] = [:]

    /// Those that are objects themselves.
    public private(set) var objects: [String: JSONMembers] = [:]

    /// Reads the object; nil where it is none.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = JSONReader(bytes)
        self.init(&reader)
    }

    /// Reads the object that comes next; nil where it is none.
    public init?(_ reader: inout JSONReader) {
        let isObject = reader.object { name, reader in
            let name = String(decoding: name, as: UTF8.self)
            switch reader.next {
            case UInt8(ascii: "\""):
                texts[name] = reader.string()
                return texts[name] != nil
            case UInt8(ascii: "t"), UInt8(ascii: "f"):
                truths[name] = reader.truth()
                return truths[name] != nil
            case .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
                // A fraction and an exponent are passed over.
                var number = reader.value().map { JSONReader($0) }
                numbers[name] = number?.number()
                return numbers[name] != nil
            case UInt8(ascii: "{"):
                objects[name] = JSONMembers(&reader)
                return objects[name] != nil
            default: return reader.value() != nil
            }
        }
        guard isObject else { return nil }
    }
}
