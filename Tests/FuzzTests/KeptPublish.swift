@testable import HTTPFront

extension HeadPattern {
    /// The parts of a whole request, found as a loop finds them: by its hash, then by its bytes.
    func known(_ input: UnsafeRawBufferPointer) throws(Broken) -> Parts? {
        guard let parts = parts(of: input), parts.missingBytes == 0 else { return nil }
        try agree(HeadHash(of: input)?.value, hash, "the hash of what is known")
        return parts
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
