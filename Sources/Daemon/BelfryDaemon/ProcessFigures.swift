internal import Glibc
internal import Telemetry

/// The kernel's figures of this process, under the names that Prometheus' own clients use.
struct ProcessFigures: Sendable {
    /// When the process began, in microseconds of Unix time.
    private let startMicroseconds: Int

    /// Figures of the calling process.
    init() {
        let sinceBoot = Self.microseconds(of: CLOCK_BOOTTIME) - Self.startSinceBoot
        startMicroseconds = Self.microseconds(of: CLOCK_REALTIME) - sinceBoot
    }

    func write(to page: inout PrometheusText) {
        page.family(
            "process_start_time_seconds", .gauge, "When the process began, in Unix time.")
        page.sample(microseconds: startMicroseconds)
        page.family(
            "process_cpu_seconds_total", .counter, "Time that its threads ran on processors.")
        page.sample(microseconds: Self.processorMicroseconds)
        let pages = Self.words(of: "/proc/self/statm").compactMap { Int($0) }
        if pages.count > 1 {
            let bytes = Int(getpagesize())
            page.gauge(
                "process_virtual_memory_bytes", "Addresses that it has taken.", pages[0] * bytes)
            page.gauge(
                "process_resident_memory_bytes", "Memory that it occupies.", pages[1] * bytes)
        }
        if let count = Self.openDescriptors {
            page.gauge("process_open_fds", "Files and sockets that it has open.", count)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(7), &limit) == 0 {
            page.gauge(
                "process_max_fds", "How many it may have open.", Int(clamping: limit.rlim_cur))
        }
    }

    /// How long after the boot it began, in microseconds (proc(5): field 22 of stat, in ticks). Its
    /// name, field 2, may hold blanks and parentheses.
    private static var startSinceBoot: Int {
        let words = text(of: "/proc/self/stat").split(separator: ")").last?.split(separator: " ")
        guard let words, words.count > 19, let ticks = Int(words[19]) else { return 0 }
        return ticks * (1_000_000 / max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    private static var processorMicroseconds: Int { microseconds(of: CLOCK_PROCESS_CPUTIME_ID) }

    /// The kernel counts them as the size of their folder since Linux 6.2; before that, looking
    /// through thousands of them would hold up the loop that answers.
    private static var openDescriptors: Int? {
        var status = stat()
        guard stat("/proc/self/fd", &status) == 0, status.st_size > 0 else { return nil }
        return Int(status.st_size)
    }

    private static func microseconds(of clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1_000
    }

    private static func words(of path: String) -> [Substring] {
        text(of: path).split(separator: " ")
    }

    /// The beginning of a file of the kernel's, which never waits; empty where it is hidden.
    private static func text(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
    }
}
