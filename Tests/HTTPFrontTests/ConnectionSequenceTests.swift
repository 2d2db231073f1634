import TestSupport
import Testing

@testable import HTTPFront

/// Random lives of a connection against a model that knows only who owes the next step.
struct ConnectionSequenceTests {
    /// Who owes the next step.
    private enum Holder { case loop, handler, owner, sender, drainer, nobody }

    @Test func anyLifeIsInOneHandAndEndsOnce() {
        var random = SeededRandom(for: "lives of a connection")
        for _ in 0..<2_000 { live(&random) }
    }

    /// One life: what the kernel does is drawn by lot, what the loop does follows the actions.
    private func live(_ random: inout SeededRandom) {
        var machine = ConnectionMachine()
        var holder = Holder.loop
        var isServing = false
        var hasUnread = false
        for _ in 0..<40 where holder != .nobody {
            let event = Poller.ReadyEvent.of(
                readable: .random(using: &random),
                readClosed: Int.random(in: 0..<8, using: &random) == 0,
                hungUp: Int.random(in: 0..<16, using: &random) == 0,
                writable: .random(using: &random))
            if event.isReadable { hasUnread = .random(using: &random) }
            var action = ConnectionAction.none
            switch Int.random(in: 0..<4, using: &random) {
            case 0: action = machine.happened(event) { hasUnread }
            case 1: action = machine.deadlinePassed()
            case 2:
                action = machine.drainEnded()
                // What a drain asks for is only looked at: a life would rarely be longer.
                #expect((action == .none) == (holder == .nobody))
                action = .none
            default: action = step(&machine, &holder, &isServing, hasUnread, &random)
            }
            carryOut(action, &machine, &holder, &isServing)
            #expect(holder == self.holder(of: machine.phase))
        }
        if holder != .nobody { machine.close() }
        #expect(machine.happened(.of(readable: true)) { true } == .none)
        #expect(machine.deadlinePassed() == .none)
    }

    /// What the one who has the socket does with it.
    private func step(
        _ machine: inout ConnectionMachine, _ holder: inout Holder, _ isServing: inout Bool,
        _ hasUnread: Bool, _ random: inout SeededRandom
    ) -> ConnectionAction {
        switch holder {
        case .loop where isServing:
            isServing = false
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where machine.phase == .receiving: machine.awaitMore()
            case 0 where machine.awaitBody(): break
            case 4 where machine.phase != .receiving:
                if .random(using: &random) {
                    _ = machine.awaitHead()
                } else {
                    machine.takeInput(hasMore: false)
                    machine.beginBody()
                }
            case 0, 1, 4:
                machine.takeInput(hasMore: .random(using: &random))
                machine.awaitAnswer()
                holder = .handler
            case 2:
                machine.park()
                holder = .owner
            default:
                machine.takeInput(hasMore: .random(using: &random))
                machine.answer()
                holder = .sender
            }
        case .handler:
            machine.answer()
            holder = .sender
        case .owner:
            if machine.phase == .parked, .random(using: &random) {
                machine.beginStream()
            } else {
                #expect(machine.unpark() == true)
                holder = .sender
            }
        case .sender:
            let action = machine.answerIsOut(closes: .random(using: &random)) { hasUnread }
            if action == .serve || action == .idle { holder = .loop }
            return action
        case .loop, .drainer, .nobody: break
        }
        return .none
    }

    private func carryOut(
        _ action: ConnectionAction, _ machine: inout ConnectionMachine, _ holder: inout Holder,
        _ isServing: inout Bool
    ) {
        switch action {
        case .serve:
            #expect(holder == .loop && !isServing, "a request is served once")
            isServing = true
        case .close, .lose, .timeOut, .refuseLate:
            machine.close()
            holder = .nobody
        case .linger:
            machine.linger()
            holder = .drainer
        case .tellDeadline, .examinePeer, .tellStream: #expect(holder == .owner)
        case .sendRest: #expect(holder == .sender)
        case .discard: #expect(holder == .drainer)
        case .none, .idle: break
        case .expectFirstRequest, .giveUpGroups: Issue.record("\(action) was not due")
        }
    }

    private func holder(of phase: ConnectionPhase) -> Holder {
        switch phase {
        case .waiting, .receiving: .loop
        case .handling: .handler
        case .parked, .streaming: .owner
        case .writing: .sender
        case .lingering: .drainer
        case .closed: .nobody
        }
    }
}
