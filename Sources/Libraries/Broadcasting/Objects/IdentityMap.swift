/// Positions by identity: a hash table for keys that nobody chooses.
///
/// An identity is an address, so one multiplication spreads it well enough; the hashing of
/// `Dictionary`, which withstands chosen keys, would cost more than all the rest of a lookup.
///
/// - Complexity: O(1) for everything but ``update(_:)`` and ``filter(_:)``, amortised.
struct IdentityMap: Sendable {
    /// A key and its position; free where the key is zero, which no object's address is.
    private struct Slot {
        var key: UInt = 0
        var position = 0
    }

    /// A power of two of them, half of them free at least: a search ends at the first free one.
    private var slots: [Slot] = []

    /// How many identities there are.
    private(set) var count = 0

    /// The position of an identity; nil takes it out.
    subscript(identity: ObjectIdentifier) -> Int? {
        get {
            guard count > 0 else { return nil }
            let slot = slots[place(of: UInt(bitPattern: identity))]
            return slot.key == 0 ? nil : slot.position
        }
        set {
            let key = UInt(bitPattern: identity)
            guard let newValue else { return remove(key) }
            if 2 * (count + 1) > slots.count { grow() }
            let place = place(of: key)
            if slots[place].key == 0 { count += 1 }
            slots[place] = Slot(key: key, position: newValue)
        }
    }

    /// Changes every position.
    ///
    /// - Complexity: O(identities).
    mutating func update(_ body: (Int) -> Int) {
        for place in slots.indices where slots[place].key != 0 {
            slots[place].position = body(slots[place].position)
        }
    }

    /// Takes out the identities whose positions are not wanted.
    ///
    /// - Complexity: O(identities).
    mutating func filter(_ isWanted: (Int) -> Bool) {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count)
        count = 0
        for slot in old where slot.key != 0 && isWanted(slot.position) {
            slots[place(of: slot.key)] = slot
            count += 1
        }
    }

    /// The place of the slot of a key, or of the free slot where it belongs.
    private func place(of key: UInt) -> Int {
        var place = home(of: key)
        while slots[place].key != 0, slots[place].key != key {
            place = (place &+ 1) & (slots.count &- 1)
        }
        return place
    }

    /// The place where the search for a key begins: the upper bits of its product with 2^64 ÷ φ
    /// (Knuth, The Art of Computer Programming 3, section 6.4).
    private func home(of key: UInt) -> Int {
        Int((key &* 0x9E37_79B9_7F4A_7C15) &>> 32) & (slots.count &- 1)
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: max(4, 2 * old.count))
        for slot in old where slot.key != 0 { slots[place(of: slot.key)] = slot }
    }

    /// Frees a slot, and moves keys into it that a search would no longer find behind it.
    private mutating func remove(_ key: UInt) {
        guard count > 0 else { return }
        var free = place(of: key)
        guard slots[free].key != 0 else { return }
        count -= 1
        let mask = slots.count - 1
        var next = (free + 1) & mask
        while slots[next].key != 0 {
            let distance = (next - home(of: slots[next].key)) & mask
            if distance >= (next - free) & mask {
                slots[free] = slots[next]
                free = next
            }
            next = (next + 1) & mask
        }
        slots[free] = Slot()
    }
}
