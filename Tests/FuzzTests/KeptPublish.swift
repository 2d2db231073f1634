@testable import HTTPFront

extension HeadPattern {
    /// The parts of a whole request, found as a loop finds them: by its hash, then by its bytes.
    func known(_ input: UnsafeRawBufferPointer) throws(Broken) -> Parts? {
        guard let parts = parts(of: input), parts.missingBytes == 0 else { return nil }
        try agree(HeadHash(of: input)?.value, hash, "the hash of what is known")
        return parts
    }

    /// `input` with the traceparent of this pattern in place of its own, if all before and behind it is
    /// as long as here but for the value.
    func withOwnTrace(_ input: [UInt8], bodyBytes: Int = 0) -> [UInt8] {
        let trace = places.trace
        let isBehindValue = trace.lowerBound >= places.value.upperBound
        let shift = isBehindValue ? input.count - bodyBytes - places.bytes.count : 0
        let place = trace.lowerBound + shift..<trace.upperBound + shift
        let letters = Array("0123456789abcdefABCDEF-".utf8)
        guard !trace.isEmpty, place.lowerBound >= 0, place.upperBound <= input.count,
            input[place].allSatisfy(letters.contains)
        else { return input }
        return Array(input[..<place.lowerBound]) + places.bytes[trace] + input[place.upperBound...]
    }
}

/// A publish that was parsed and may come again, and what an input says comes of it.
struct KeptPublish {
    let request: RequestLines
    let head: RequestHead
    /// The body it was parsed with.
    let body: [UInt8]
    let pattern: HeadPattern
    /// What stands in the input behind the request.
    let rest: [UInt8]

    /// Of a target, then headers, one a line, then a NUL and the rest; nil where there is none.
    ///
    /// - Parameter name: Where in the target a name stands that may differ.
    init?(_ input: UnsafeRawBufferPointer, name: (RequestTarget) -> Range<Int>? = { _ in nil }) {
        let halves = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        request = RequestLines(
            method: "POST",
            lines: UnsafeRawBufferPointer(rebasing: halves[0]).parts(20).map(Array.init))
        rest = halves.count > 1 ? Array(halves[1]) : []
        guard let head = request.head, case .counted(let declared) = head.bodyLength,
            declared <= 64
        else { return nil }
        self.head = head
        body = [UInt8](repeating: 0x78, count: Int(declared))
        let request = request
        let pattern = (request.bytes + body).withUnsafeBytes { seen in
            HeadPattern(
                SeenInput(seen), headBytes: request.bytes.count, head: head, valueAt: .length,
                name: name(head.target))
        }
        guard let pattern else { return nil }
        self.pattern = pattern
    }
}
