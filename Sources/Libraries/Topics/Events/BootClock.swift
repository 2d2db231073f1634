internal import Glibc

/// The time since the machine was booted, and the identifier of that boot. It measures spans that
/// go on over a restart of the process.
///
/// Nobody sets this clock, and it goes on while the machine sleeps.
package struct BootClock: Sendable {
    /// The identifier of the boot. It is empty where the kernel gives none; then no two boots count
    /// as the same.
    package let boot: String
    /// Microseconds since the boot. Called from any thread; must not block.
    package let now: @Sendable () -> Int64

    /// A clock as given.
    package init(boot: String, now: @escaping @Sendable () -> Int64) {
        self.boot = boot
        self.now = now
    }

    /// The clock of the machine, `CLOCK_BOOTTIME`, and its boot, which is read once.
    package static let system = BootClock(boot: systemBoot) {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    private static var systemBoot: String {
        guard let stream = fopen("/proc/sys/kernel/random/boot_id", "re") else { return "" }
        defer { fclose(stream) }
        var line = [UInt8](repeating: 0, count: 64)
        let count = fread(&line, 1, line.count, stream)
        return String(decoding: line.prefix(count).prefix { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    }
}
