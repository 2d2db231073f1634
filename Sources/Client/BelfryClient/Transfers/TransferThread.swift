internal import Protection

/// The one thread that does all transfers of a client; it ends when this object does.
///
/// Safe from any thread. Receivers are called on its thread, under no lock.
final class TransferThread: Sendable {
    /// The name of the thread, as `top -H` shows it.
    static let name = "belfry-client"

    private let inbox = TransferInbox()

    /// - Throws: where the system gives no thread.
    init() throws(Errno) {
        try OwnedThread(running: TransferLoop(inbox)).detach()
    }

    deinit { inbox.post(.stop) }

    /// Begins a transfer after so many milliseconds.
    func start(_ transfer: Transfer, afterMilliseconds delay: Int = 0) {
        inbox.post(.start(transfer, afterMilliseconds: delay))
    }

    /// Gives a transfer up, begun or not; its receiver is told its end. Nothing where it has ended.
    func cancel(_ transfer: Transfer) {
        transfer.isCancelled.value = true
        inbox.post(.cancel(transfer))
    }

    /// Lets a transfer go on whose receiver had no room.
    func resume(_ transfer: Transfer) { inbox.post(.resume(transfer)) }
}

/// The commands of other threads to the thread of a loop.
final class TransferInbox: Sendable {
    enum Command {
        case start(Transfer, afterMilliseconds: Int)
        case cancel(Transfer)
        case resume(Transfer)
        case stop
    }

    let multi = MultiHandle()
    private let commands = Protected<[Command]>([])

    func post(_ command: Command) {
        let isFirst = commands.write { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { multi.wake() }
    }

    func take() -> [Command] {
        commands.write { commands in
            var taken: [Command] = []
            swap(&taken, &commands)
            return taken
        }
    }
}
