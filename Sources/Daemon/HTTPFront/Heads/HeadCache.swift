/// The heads that a loop knows: those that its parser has read last.
///
/// A table of fixed size: sets of a few heads, the last used first. Another head takes the place of
/// the last of its set, and a lookup compares no more heads than a set has, whatever clients send.
/// All are forgotten once the rules that they were judged by are others.
struct HeadCache {
    private var heads = [KnownHead?](repeating: nil, count: HTTPFrontLimits.knownHeadsMax)
    /// Tells the rules that the heads were judged by from earlier and later ones.
    private var rulesNumber: UInt64 = 0
    /// The hash of the head that was found last.
    private var lastHash: UInt32 = 0
    /// Where in the input of the head that was found last lies what differs.
    private(set) var parts = HeadPattern.Parts.nowhere

    /// The head that all of `input` is a request of, but perhaps for some of its body, which leaves
    /// ``parts``; nil where none is known to mean the same at this port, by these rules.
    ///
    /// - Parameter guess: The hash of the head that its connection sent last: most send it again, and
    ///   then the input needs none. With 0, of a new connection, it is that of the head found last.
    /// - Complexity: O(bytes of the head).
    mutating func find(
        _ input: UnsafeRawBufferPointer, at port: UInt16?, under rulesNumber: UInt64,
        guess: UInt32
    ) -> KnownHead? {
        forget(unless: rulesNumber)
        let guess = guess == 0 ? lastHash : guess
        if let known = find(input, hash: guess, at: port) { return known }
        guard let hash = HeadHash(of: input)?.value, hash != guess else { return nil }
        return find(input, hash: hash, at: port)
    }

    private mutating func find(
        _ input: UnsafeRawBufferPointer, hash: UInt32, at port: UInt16?
    ) -> KnownHead? {
        for place in places(of: hash) {
            guard let head = heads[place] else { return nil }
            guard head.hash == hash, head.port == port, let parts = head.pattern.parts(of: input)
            else { continue }
            moveToFront(place)
            lastHash = hash
            self.parts = parts
            return head
        }
        return nil
    }

    /// Keeps a head that was judged by these rules.
    mutating func keep(_ head: KnownHead, under rulesNumber: UInt64) {
        forget(unless: rulesNumber)
        let places = places(of: head.hash)
        let place =
            places.first { place in
                heads[place].map { $0.port == head.port && $0.pattern.isSame(as: head.pattern) }
                    ?? true
            } ?? places.last!
        heads[place] = head
        moveToFront(place)
    }

    private mutating func forget(unless rulesNumber: UInt64) {
        guard rulesNumber != self.rulesNumber else { return }
        self.rulesNumber = rulesNumber
        for place in heads.indices { heads[place] = nil }
    }

    /// The set of heads with this hash.
    private func places(of hash: UInt32) -> Range<Int> {
        let sets = heads.count / Self.headsOfSet
        let start = Int(hash % UInt32(sets)) * Self.headsOfSet
        return start..<start + Self.headsOfSet
    }

    private mutating func moveToFront(_ place: Int) {
        var place = place
        while place % Self.headsOfSet > 0 {
            heads.swapAt(place, place - 1)
            place -= 1
        }
    }

    /// Heads that differ in digits alone, such as versions of one client, have one hash.
    static let headsOfSet = 8
}
