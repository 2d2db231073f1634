internal import Glibc

/// A request's line and headers that libmicrohttpd has read, with their meaning. They are enough to
/// read others like it without libmicrohttpd, on any connection of the loop.
///
/// Heads like it differ in the target alone, in the length of the body, and in the values of
/// headers that nobody but the handler looks at. A known head says nothing of the peer but the port
/// that the request came in at, by which Host is judged.
final class KnownHead {
    /// Its meaning, as the rules have judged it.
    let meaning: RequestHead
    /// The facts about it, and about others like it, that an answer needs.
    let context: ResponseContext
    /// Our port that it was sent to; nil for a unix socket. Another port has other hosts.
    let port: UInt16?
    /// The hash of all like it.
    let hash: UInt32

    private let bytes: [UInt8]
    private let ranges: HeadRanges

    /// The head that was read; nil where others like it have to be parsed each time.
    init?(_ head: UnsafeRawBufferPointer, of meaning: RequestHead, at port: UInt16?) {
        guard head.count <= HTTPFrontLimits.keptHeadBytesMax,
            let ranges = HeadRanges(head, of: meaning), let hash = HeadHash(of: head)?.value
        else { return nil }
        meaning.keepNote()
        self.meaning = meaning
        self.ranges = ranges
        self.hash = hash
        context = meaning.responseContext
        bytes = Array(head)
        self.port = port
    }

    /// A request like it.
    struct Match {
        /// The place of its target in the input.
        var target = 0..<0
        /// Whether its target is that of the known head.
        var isSameTarget = false
        /// Bytes of its line and headers.
        var headBytes = 0
        /// Bytes of the body that it announces.
        var bodyBytes = 0
        /// Its headers, if they differ from those of the known head; else nil.
        var headers: HeaderFields?

        static let none = Match()
    }

    /// Whether both know the same requests.
    func isSame(as other: KnownHead) -> Bool {
        // A text beyond ASCII is known as it is alone: a head that has one also knows heads without,
        // which do not know it.
        port == other.port && knows(other) && other.knows(self)
    }

    private func knows(_ other: KnownHead) -> Bool {
        var match = Match.none
        return other.bytes.withUnsafeBytes { self.match($0, &match) }
    }

    /// The length of the body, as a request like it announces it.
    func bodyLength(_ match: Match) -> RequestHead.BodyLength {
        ranges.length == nil ? .none : .counted(UInt64(match.bodyBytes))
    }

    /// Whether `input` begins with a head like this one, and how.
    ///
    /// - Complexity: O(bytes of the head).
    func match(_ input: UnsafeRawBufferPointer, _ match: inout Match) -> Bool {
        bytes.withUnsafeBytes { model in
            guard let target = target(in: input, model) else { return false }
            match.target = target
            match.isSameTarget =
                target.count == ranges.target.count
                && isEqual(input, at: target.lowerBound, model, ranges.target)
            return same(input, model, &match) || other(input, model, &match)
        }
    }

    private func isEqual(
        _ input: UnsafeRawBufferPointer, at start: Int, _ model: UnsafeRawBufferPointer,
        _ range: Range<Int>
    ) -> Bool {
        start + range.count <= input.count
            && memcmp(
                input.baseAddress! + start, model.baseAddress! + range.lowerBound, range.count)
                == 0
    }

    /// The place of the target, behind the same method. Nil if the method differs, the target does
    /// not end, or it has bytes that no target may have.
    private func target(
        in input: UnsafeRawBufferPointer, _ model: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        let place = ranges.target
        guard isEqual(input, at: 0, model, 0..<place.lowerBound) else { return nil }
        // Most requests have the same target.
        if isEqual(input, at: place.lowerBound, model, place.lowerBound..<place.upperBound + 1) {
            return place
        }
        var end = place.lowerBound
        let most = min(input.count, HTTPFrontLimits.keptHeadBytesMax)
        while end < most, input[end] != 0x20 {
            guard input[end] > 0x20, input[end] < 0x7F else { return nil }
            end += 1
        }
        return end < most && end > place.lowerBound ? place.lowerBound..<end : nil
    }

    /// Whether nothing differs behind the target but the length of the body.
    private func same(
        _ input: UnsafeRawBufferPointer, _ model: UnsafeRawBufferPointer, _ match: inout Match
    ) -> Bool {
        let (rest, begin) = (ranges.target.upperBound..<model.count, match.target.upperBound)
        guard let length = ranges.length else {
            guard isEqual(input, at: begin, model, rest) else { return false }
            (match.headBytes, match.bodyBytes, match.headers) = (begin + rest.count, 0, nil)
            return true
        }
        let before = rest.lowerBound..<length.value.lowerBound
        let start = begin + before.count
        guard isEqual(input, at: begin, model, before),
            let (end, bodyBytes) = Self.number(in: input, from: start)
        else { return false }
        let behind = length.value.upperBound..<rest.upperBound
        guard isEqual(input, at: end, model, behind) else { return false }
        (match.headBytes, match.bodyBytes, match.headers) = (end + behind.count, bodyBytes, nil)
        return true
    }

    /// Whether only headers' values that may differ do so, beside the target and the length of the
    /// body.
    private func other(
        _ input: UnsafeRawBufferPointer, _ model: UnsafeRawBufferPointer, _ match: inout Match
    ) -> Bool {
        let firstLine = ranges.fields.first?.name.lowerBound ?? model.count - 2
        let version = ranges.target.upperBound..<firstLine
        guard isEqual(input, at: match.target.upperBound, model, version) else { return false }
        var start = match.target.upperBound + version.count
        var headers = meaning.headers
        var (index, bodyBytes) = (0, 0)
        for field in ranges.fields {
            guard isEqual(input, at: start, model, field.name) else { return false }
            let value = start + field.name.count
            let end: Int
            switch field.kind {
            case .fixed:
                guard isEqual(input, at: value, model, field.value) else { return false }
                end = value + field.value.count
            case .length:
                guard let number = Self.number(in: input, from: value) else { return false }
                (end, bodyBytes) = number
            case .free:
                guard let text = Self.text(in: input, from: value) else { return false }
                end = text
            }
            guard end + 1 < input.count, input[end] == 0x0D, input[end + 1] == 0x0A else {
                return false
            }
            start = end + 2
            // The length of the body is not kept among them.
            guard field.kind != .length else { continue }
            guard start <= 2 * HTTPFrontLimits.keptHeadBytesMax else { return false }
            if end - value != field.value.count || !isEqual(input, at: value, model, field.value) {
                headers.replaceValue(
                    at: index, with: UnsafeRawBufferPointer(rebasing: input[value..<end]))
            }
            index += 1
        }
        guard start <= 2 * HTTPFrontLimits.keptHeadBytesMax,
            isEqual(input, at: start, model, model.count - 2..<model.count)
        else { return false }
        (match.headBytes, match.bodyBytes, match.headers) = (start + 2, bodyBytes, headers)
        return true
    }

    /// The number in `input` from `start` on, and the place where it ends. Nil if there is none
    /// that may be a length.
    private static func number(
        in input: UnsafeRawBufferPointer, from start: Int
    ) -> (end: Int, value: Int)? {
        var (end, value) = (start, 0)
        while end < input.count, let digit = input[end].decimalValue {
            // 2^53, below which JSON's readers count exactly, has 16 digits.
            guard end - start < 15 else { return nil }
            value = value * 10 + Int(digit)
            end += 1
        }
        return end > start ? (end, value) : nil
    }

    /// The place where a header's value ends that begins at `start` in `input`. Nil if it is empty,
    /// or has bytes beyond ASCII or blanks at an end.
    private static func text(in input: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var end = start
        let most = min(input.count, start + HTTPFrontLimits.keptHeadBytesMax)
        while end < most, input[end] != 0x0D {
            guard input[end] >= 0x20, input[end] < 0x7F else { return nil }
            end += 1
        }
        guard end < most, end > start, input[start] != 0x20, input[end - 1] != 0x20 else {
            return nil
        }
        return end
    }
}
