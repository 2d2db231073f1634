internal import Foundation

/// Random numbers that can be had again: SplitMix64 (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, OOPSLA 2014).
///
/// One seed serves a whole run of the tests. It is drawn anew for each run, unless the
/// environment gives it as `BELFRY_SEED`; each generator prints how to have its numbers again.
///
/// ```swift
/// var random = SeededRandom(for: "merging")
/// let lengths = (0..<100).map { _ in Int.random(in: 0...255, using: &random) }
/// ```
///
/// Not for use from two threads at once; give each thread its own.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed of this run: what `BELFRY_SEED` says, else a random one.
    ///
    /// The process stops with a sentence if `BELFRY_SEED` is not a number from 0 to 2^64 - 1.
    public static let runSeed: UInt64 = {
        guard let text = ProcessInfo.processInfo.environment["BELFRY_SEED"] else {
            return .random(in: 0 ... .max)
        }
        guard let seed = UInt64(text) else {
            fatalError("BELFRY_SEED has to be a number from 0 to 2^64 - 1, not \(text)")
        }
        return seed
    }()

    private var state: UInt64

    /// The numbers of exactly this seed.
    public init(seed: UInt64) {
        state = seed
    }

    /// Numbers of this run's seed, of their own for each purpose, whatever else draws and in
    /// whatever order.
    public init(for purpose: String) {
        self.init(seed: Self.seed(for: purpose, in: Self.runSeed))
        print("random numbers for \(purpose): BELFRY_SEED=\(Self.runSeed)")
    }

    /// The next number, any of 2^64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Mixes the purpose into the seed by FNV-1a: Swift's own hash differs from run to run.
    private static func seed(for purpose: String, in runSeed: UInt64) -> UInt64 {
        purpose.utf8.reduce(runSeed ^ 0xCBF2_9CE4_8422_2325) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
    }
}
