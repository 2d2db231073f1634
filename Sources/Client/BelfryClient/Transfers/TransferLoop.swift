internal import CCurl
internal import CLinux
internal import Protection
internal import Telemetry

/// Does transfers, all of them on the one thread that runs it.
final class TransferLoop: ThreadWork {
    private let inbox: TransferInbox
    private var active: [UnsafeMutableRawPointer: ActiveTransfer] = [:]
    private var handles: [ObjectIdentifier: UnsafeMutableRawPointer] = [:]
    private var delayed: [(due: UInt64, transfer: Transfer)] = []
    private var isStopping = false
    /// Whether there may be a connection whose other end was not checked.
    private var hasStrangers = false

    init(_ inbox: TransferInbox) { self.inbox = inbox }

    func run() {
        clinux_name_thread(TransferThread.name)
        while true {
            for command in inbox.take() { obey(command) }
            if isStopping { return giveUpAll() }
            startDue()
            inbox.multi.perform()
            while let (easy, code) = inbox.multi.nextEnded() {
                guard let ended = active[easy] else { continue }
                finish(ended, ended.end(code))
            }
            inbox.multi.wait(milliseconds: sleepMilliseconds)
        }
    }

    private func obey(_ command: TransferInbox.Command) {
        switch command {
        case .start(let transfer, let delay):
            let due = delay > 0 ? MonotonicClock.milliseconds() + UInt64(delay) : 0
            delayed.append((due, transfer))
        case .cancel(let transfer):
            if let easy = handles[ObjectIdentifier(transfer)], let found = active[easy] {
                finish(found, found.endOfCancelled)
            } else if let index = delayed.firstIndex(where: { $0.transfer === transfer }) {
                delayed.remove(at: index)
                transfer.receiver.end(.cancelled)
            }
        case .resume(let transfer):
            if let easy = handles[ObjectIdentifier(transfer)] { active[easy]?.easy.resume() }
        case .stop: isStopping = true
        }
    }

    private func startDue() {
        guard !delayed.isEmpty else { return }
        let now = MonotonicClock.milliseconds()
        let due = delayed.filter { $0.due <= now }
        delayed.removeAll { $0.due <= now }
        for (_, transfer) in due {
            // Where the cancellation came first, nobody will say it again.
            if transfer.isCancelled.value {
                transfer.receiver.end(.cancelled)
                continue
            }
            let started = ActiveTransfer(
                transfer, isAlone: transfer.isForKnown && hasStrangers)
            hasStrangers = hasStrangers || !transfer.isForKnown
            active[started.easy.pointer] = started
            handles[ObjectIdentifier(transfer)] = started.easy.pointer
            inbox.multi.add(started.easy)
        }
    }

    private func finish(_ ended: ActiveTransfer, _ end: TransferEnd) {
        inbox.multi.remove(ended.easy)
        active[ended.easy.pointer] = nil
        handles[ObjectIdentifier(ended.transfer)] = nil
        ended.transfer.receiver.end(end)
    }

    private func giveUpAll() {
        for one in active.values { finish(one, one.endOfCancelled) }
        for (_, transfer) in delayed { transfer.receiver.end(.cancelled) }
        delayed = []
    }

    /// How long nothing is due that libcurl does not know of.
    private var sleepMilliseconds: Int {
        guard let next = delayed.map(\.due).min() else { return Limits.idleMillisecondsMax }
        let now = MonotonicClock.milliseconds()
        return next > now ? min(Int(next - now), Limits.idleMillisecondsMax) : 0
    }
}
