import TestSupport
import Testing

/// Who waits for something else costs next to nothing.
///
/// The short form has 1,000 subscribers of all forms, the long one, with `BELFRY_LONG=1`, 10,000.
/// The daemon is the one built beside the tests, without optimisation, unless `BELFRY_DAEMON` names
/// another.
@Suite(.serialized, .blocking, .withoutSanitizer) struct LongIdleTests {
    private static let count = RandomRun.isLong ? 10_000 : 1_000
    /// Among a thousand, what the allocator keeps in reserve counts for up to a fifth of each: the
    /// more of them come in at once, as on a busy machine, the more.
    private static let bytesMax = RandomRun.isLong ? 2_048 : 2_560

    init() throws {
        try #require(FileLimit.raise() > Self.count + 1_000, "the hard limit of open files")
    }

    /// What each form costs alone, and all of them together; what the process needs for any
    /// subscriber at all is spent before.
    @Test(arguments: SubscriberForm.inUse.map { [$0] } + [SubscriberForm.inUse])
    func anIdleSubscriberTakesLessThanTwoKilobytes(forms: [SubscriberForm]) throws {
        let daemon = try RunningDaemon(configuration: IdleCrowd.configuration)
        var first = IdleCrowd(of: forms)
        try first.join(200, at: daemon)
        try first.leave(daemon)
        var crowd = IdleCrowd(of: forms)
        let before = daemon.residentBytes
        try crowd.join(Self.count, at: daemon)
        let each = (daemon.residentBytes - before) / Self.count
        let names = forms.count == 1 ? "\(forms[0])" : "all forms"
        print("| resident bytes of one of \(Self.count) idle subscribers, \(names) | \(each) |")
        #expect(each < Self.bytesMax, "\(names)")
        // None of them was counted without being there.
        try crowd.wake(daemon)
    }

    /// Two daemons in turn, one with subscribers and one without: what a publish costs the
    /// processor is at most a little more. Looking at each subscriber would cost many times as much.
    @Test func publishingToAnotherTopicCostsTheSameAsWithoutSubscribers() throws {
        let busy = try RunningDaemon(configuration: IdleCrowd.configuration)
        let empty = try RunningDaemon(configuration: IdleCrowd.configuration)
        var crowd = IdleCrowd()
        try crowd.join(Self.count, at: busy)
        let clients = try [empty, busy].map { ($0, try $0.connect()) }
        var least = [UInt64.max, .max]
        // Few at a time: where others take the processor in between, its caches are theirs, and a publish costs
        // half as much again. Some of so many rounds are undisturbed.
        let (rounds, count) = (200, 5)
        for _ in 0..<rounds {
            for (index, (daemon, client)) in clients.enumerated() {
                let before = daemon.processorNanoseconds
                for _ in 0..<count { try client.publish("x", to: "elsewhere") }
                let each = (daemon.processorNanoseconds - before) / UInt64(count)
                least[index] = min(least[index], each)
            }
        }
        print(
            "| processor nanoseconds of a publish, alone | \(least[0]) |\n"
                + "| processor nanoseconds of a publish, beside \(Self.count) | \(least[1]) |"
        )
        #expect(Double(least[1]) < 1.5 * Double(least[0]), "\(least)")
        try crowd.wake(busy)
    }
}
