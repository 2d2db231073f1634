internal import Digests

/// JSON text made directly into a byte array, without an intermediate tree.
///
/// Keeps the contract of JSON bodies: no white space between tokens, and U+007F, U+0085, U+2028 and
/// U+2029 escaped beside the characters of RFC 8259 section 7. So the text is safe inside a line, a
/// script or a terminal. The writer puts commas; the caller nests objects and arrays.
///
/// - Complexity: O(bytes written).
public struct JSONWriter {
    /// The text so far.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer of a text of about so many bytes.
    public init(reserving capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// A writer of one value behind the bytes that `bytes` holds already.
    public init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Begins an object: members come next.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Ends an object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Begins an array: its elements come next.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Ends an array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a member's name, which must need no escaping; its value comes next.
    public mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's name that is known only now; its value comes next.
    public mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a string.
    public mutating func string(_ text: String) {
        separate()
        JSONText.append(text, to: &bytes)
        needsComma = true
    }

    /// Writes bytes that are known to be valid UTF-8 as a string.
    public mutating func string(validUTF8 text: UnsafeRawBufferPointer) {
        separate()
        JSONText.append(text, to: &bytes)
        needsComma = true
    }

    /// Writes a whole number.
    public mutating func integer(_ value: Int) {
        separate()
        bytes.append(decimal: value)
        needsComma = true
    }

    /// Writes an integer as a string, as the contract does with ids.
    public mutating func quotedInteger(_ value: UInt64) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(decimal: value)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes `true` or `false`.
    public mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }
    /// Writes `null`.
    public mutating func null() { literal("null") }

    /// Writes bytes as a string of base64 (RFC 4648 section 4, padded).
    public mutating func base64(_ data: UnsafeRawBufferPointer) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Base64.encode(data, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes `text` as a value if it is one valid JSON text as ``JSONReader`` defines it.
    public mutating func value(ifJSON text: UnsafeRawBufferPointer) -> Bool {
        let before = bytes.count
        separate()
        guard JSONText.compact(text, into: &bytes) else {
            bytes.removeSubrange(before...)
            return false
        }
        needsComma = true
        return true
    }

    /// Writes an object that is already complete, and more members behind its own, of which it has
    /// some.
    public mutating func object(
        continuing object: UnsafeRawBufferPointer, _ members: (inout JSONWriter) -> Void
    ) {
        assert(object.count > 2, "an object with members is continued")
        encoded(UnsafeRawBufferPointer(rebasing: object.dropLast()))
        members(&self)
        endObject()
    }

    /// Writes a member whose value is a string, or null.
    public mutating func member(_ name: StaticString, _ value: String?) {
        self.name(name)
        optional(value) { $0.string($1) }
    }

    /// Writes a member whose value is an integer, or null.
    public mutating func member(_ name: StaticString, _ value: Int?) {
        self.name(name)
        optional(value) { $0.integer($1) }
    }

    /// Writes a member whose value is a truth.
    public mutating func member(_ name: StaticString, _ value: Bool) {
        self.name(name)
        boolean(value)
    }

    /// Writes a member whose value is an array; `element` writes each element of it.
    public mutating func member<Element>(
        _ name: StaticString, _ elements: some Sequence<Element>,
        _ element: (inout JSONWriter, Element) -> Void
    ) {
        self.name(name)
        beginArray()
        for each in elements { element(&self, each) }
        endArray()
    }

    /// Writes an object with the members that `members` writes.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        beginObject()
        members(&self)
        endObject()
    }

    /// The text of an object with the members that `members` writes.
    public static func object(_ members: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        json.object(members)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// Writes a value, or null.
    public mutating func optional<Value>(
        _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        if let value { write(&self, value) } else { null() }
    }

    /// Writes the text that `write` appends, which is one complete JSON value.
    public mutating func value(_ write: (inout [UInt8]) -> Void) {
        separate()
        write(&bytes)
        needsComma = true
    }

    /// Appends text that is already one complete JSON value.
    public mutating func encoded(_ value: UnsafeRawBufferPointer) {
        separate()
        bytes.append(contentsOf: value)
        needsComma = true
    }

    /// The text as it is, given away.
    public consuming func taken() -> [UInt8] { bytes }

    /// Ends the text with the line feed that JSON bodies end in.
    public consuming func finished() -> [UInt8] {
        bytes.append(UInt8(ascii: "\n"))
        return bytes
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func literal(_ text: StaticString) {
        separate()
        bytes.append(text)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
}
