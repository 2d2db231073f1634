import TestSupport
import Testing
import Topics

@testable import Work

/// When a host says that leases of several hosts have passed.
@Suite struct LeaseWatchTests {
    private static func lease(_ number: UInt64) -> GroupRequest.PassedLease {
        GroupRequest.PassedLease(LeaseToken(high: 0, low: number), until: 1)
    }

    /// A day of short jobs under long leases has millions of them.
    @Test func leasesThatAreOverAreForgottenBeforeTheirTime() {
        var watch = LeaseWatch()
        let table = JobTable(leasesPass: false)
        for number in 1...100_000 as ClosedRange<UInt64> {
            watch.add(Self.lease(number), at: 1_000_000_000, in: table)
        }
        #expect(watch.count <= Limits.staleEntriesMax + 1)
        #expect(watch.takePassed(by: 2_000_000_000, in: table).isEmpty)
    }
}
