/// The heads that a loop knows: those that libmicrohttpd has read last.
///
/// A table of fixed size, in sets of a few heads each, the last used first. Another head takes the
/// place of the last of its set. A lookup compares no more heads than a set has, for any number of
/// heads that clients send. All are forgotten once the rules that they were judged by have changed.
struct HeadCache {
    private var heads = [KnownHead?](repeating: nil, count: HTTPFrontLimits.knownHeadsMax)
    /// The number of the rules that the heads were judged by; earlier and later rules have others.
    private var rulesNumber: UInt32 = 0
    /// The hash of the head that was found last.
    private var lastHash: UInt32 = 0
    /// How the input matches the head that was found last.
    private(set) var match = KnownHead.Match.none

    /// Finds the known head that is like the one that `input` begins with, at this port and by
    /// these rules. Details are left in ``match``. Nil if none is known.
    ///
    /// - Parameter guess: The hash of the head that its connection sent last. Most connections send
    ///   one like it again, and then the hash of the input is not needed. With 0, of a new
    ///   connection, the guess is the hash of the head found last.
    /// - Complexity: O(bytes of the head).
    mutating func find(
        _ input: UnsafeRawBufferPointer, at port: UInt16?, under rulesNumber: UInt32, guess: UInt32
    ) -> KnownHead? {
        forget(unless: rulesNumber)
        let guess = guess == 0 ? lastHash : guess
        if let found = find(input, hash: guess, at: port) { return found }
        guard let hash = HeadHash(of: input)?.value, hash != guess else { return nil }
        return find(input, hash: hash, at: port)
    }

    private mutating func find(
        _ input: UnsafeRawBufferPointer, hash: UInt32, at port: UInt16?
    ) -> KnownHead? {
        for place in places(of: hash) {
            guard let head = heads[place] else { return nil }
            guard head.hash == hash, head.port == port, head.match(input, &match) else { continue }
            moveToFront(place)
            lastHash = hash
            return head
        }
        return nil
    }

    /// Keeps a head that was judged by these rules.
    mutating func keep(_ head: KnownHead, under rulesNumber: UInt32) {
        forget(unless: rulesNumber)
        let places = places(of: head.hash)
        let place =
            places.first { place in heads[place].map { $0.isSame(as: head) } ?? true }
            ?? places.last!
        heads[place] = head
        moveToFront(place)
    }

    private mutating func forget(unless rulesNumber: UInt32) {
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

    /// Heads of one set. Those that differ in Host alone, or in other values that are compared,
    /// have one hash.
    static let headsOfSet = 8
}
