import TestSupport
import Testing

@testable import HTTPFront

/// The life of a connection, without a socket: every event in every phase, and sequences of them.
struct ConnectionMachineTests {
    @Test func onlyThesePhasesFollowEachOther() {
        let following: [MachinePhase: [MachinePhase]] = [
            .waiting: [.waiting, .receiving, .handling, .parked, .writing, .closed],
            .receiving: [.handling, .parked, .writing, .closed],
            .handling: [.handling, .parked, .writing, .closed],
            .parked: [.streaming, .writing, .closed],
            .streaming: [.writing, .closed],
            .writing: [.writing, .waiting, .lingering, .closed],
            .lingering: [.closed],
            .closed: [],
        ]
        for phase in MachinePhase.allCases {
            for next in MachinePhase.allCases {
                let allowed = ConnectionPhase.allows(
                    next.machine.phase, after: phase.machine.phase)
                #expect(
                    allowed == following[phase]?.contains(next), "\(next) after \(phase)")
            }
        }
    }

    @Test(arguments: [
        (MachinePhase.waiting, [ConnectionAction.serve, .close, .close, .none]),
        (.receiving, [.serve, .serve, .close, .none]),
        (.handling, [.none, .none, .lose, .none]),
        (.parked, [.none, .examinePeer, .lose, .none]),
        (.streaming, [.tellStream, .tellStream, .tellStream, .tellStream]),
        (.writing, [.none, .none, .close, .sendRest]),
        (
            .lingering,
            [
                .discard(isOver: false), .discard(isOver: false), .discard(isOver: true),
                .discard(isOver: false),
            ]
        ),
        (.closed, [.none, .none, .none, .none]),
    ])
    func whatHappensOnTheSocketCallsForOneThingInEachPhase(
        phase: MachinePhase, actions: [ConnectionAction]
    ) {
        let events: [Poller.ReadyEvent] = [
            .of(readable: true), .of(readClosed: true), .of(hungUp: true), .of(writable: true),
        ]
        for (event, action) in zip(events, actions) {
            var machine = phase.machine
            #expect(machine.happened(event) { false } == action)
        }
    }

    @Test(arguments: [
        (MachinePhase.waiting, ConnectionAction.timeOut), (.receiving, .refuseLate),
        (.handling, .none), (.parked, .tellDeadline), (.streaming, .tellDeadline),
        (.writing, .timeOut), (.lingering, .close), (.closed, .none),
    ])
    func aDeadlineCallsForOneThingInEachPhase(phase: MachinePhase, action: ConnectionAction) {
        var machine = phase.machine
        #expect(machine.deadlinePassed() == action)
    }

    @Test(arguments: [
        (MachinePhase.waiting, ConnectionAction.close, ConnectionAction.close),
        (.receiving, .none, .close), (.handling, .none, .close), (.parked, .none, .close),
        (.streaming, .none, .close), (.writing, .none, .close), (.lingering, .linger, .close),
        (.closed, .none, .none),
    ])
    func aDrainClosesWhatIsIdleAtItsBeginningAndTheRestAtItsEnd(
        phase: MachinePhase, first: ConnectionAction, last: ConnectionAction
    ) {
        let machine = phase.machine
        #expect(machine.drainBegan(hasTime: false) { false } == first)
        #expect(machine.drainEnded() == last)
    }

    @Test func aDrainServesWhatIsOnItsWay() {
        let new = ConnectionMachine()
        #expect(new.drainBegan(hasTime: true) { false } == .expectFirstRequest)
        #expect(new.drainBegan(hasTime: false) { true } == .none)
        var begun = ConnectionMachine()
        #expect(begun.happened(.of(readable: true)) { true } == .serve)
        #expect(begun.drainBegan(hasTime: false) { false } == .none)
        // A piece of a head is left where it is.
        #expect(begun.awaitHead() == true)
        #expect(begun.drainBegan(hasTime: false) { true } == .none)
    }

    @Test func aRequestIsServedOnceForAllThatIsToldOfIt() {
        var machine = ConnectionMachine()
        #expect(machine.happened(.of(readable: true)) { true } == .serve)
        #expect(machine.happened(.of(readable: true)) { true } == .none)
        #expect(machine.happened(.of(readClosed: true)) { true } == .none)
    }

    @Test func aRequestThatCameBeforeTheEndIsServed() {
        var machine = ConnectionMachine()
        #expect(machine.happened(.of(readable: true, readClosed: true)) { true } == .serve)
        var ended = ConnectionMachine()
        #expect(ended.happened(.of(readable: true, readClosed: true)) { false } == .close)
    }

    @Test func aNewConnectionWaitsForTheGroupsOfItsUser() {
        var machine = ConnectionMachine()
        machine.identify()
        #expect(machine.happened(.of(readable: true)) { true } == .none)
        #expect(machine.deadlinePassed() == .giveUpGroups)
        #expect(machine.identified() == .serve)
        #expect(machine.identified() == nil)
        var idle = ConnectionMachine()
        idle.identify()
        #expect(idle.identified() == ConnectionAction.none)
        #expect(idle.deadlinePassed() == .timeOut)
    }

    @Test func aBodyIsAwaitedOnceBehindItsHead() {
        var machine = ConnectionMachine()
        #expect(machine.happened(.of(readable: true)) { true } == .serve)
        #expect(machine.awaitBody() == true)
        #expect(machine.drainBegan(hasTime: false) { true } == .none)
        #expect(machine.happened(.of(readable: true)) { true } == .serve)
        // It is being looked at already.
        #expect(machine.deadlinePassed() == .none)
        #expect(machine.awaitBody() == false)
        machine.takeInput(hasMore: false)
        #expect(machine.happened(.of(readable: true)) { true } == .serve)
        #expect(machine.awaitBody() == true)
    }

    @Test func aHeadThatComesInPiecesHasATimeOfItsOwn() {
        var machine = ConnectionMachine()
        for isFirst in [true, false, false] {
            #expect(machine.happened(.of(readable: true)) { true } == .serve)
            #expect(machine.awaitHead() == isFirst)
        }
        #expect(machine.deadlinePassed() == .refuseLate)
        machine.takeInput(hasMore: false)
        #expect(machine.deadlinePassed() == .timeOut)
    }

    @Test func aBodyThatComesInPiecesIsTakenAsItComes() {
        var machine = MachinePhase.receiving.machine
        for _ in 0..<3 {
            #expect(machine.happened(.of(readable: true)) { true } == .serve)
            #expect(machine.happened(.of(readable: true)) { true } == .none)
            machine.awaitMore()
        }
        #expect(machine.happened(.of(readable: true, hungUp: true)) { true } == .serve)
    }

    @Test func aBodyThatDoesNotComeAtOnceIsTakenAsItComes() {
        var machine = ConnectionMachine()
        #expect(machine.happened(.of(readable: true)) { true } == .serve)
        #expect(machine.awaitBody() == true)
        #expect(machine.deadlinePassed() == .serve)
        #expect(machine.awaitBody() == false)
        #expect(machine.happened(.of(readable: true)) { true } == .none)
    }

    @Test func noBodyIsAwaitedBehindTheEnd() {
        var machine = ConnectionMachine()
        #expect(machine.happened(.of(readable: true, readClosed: true)) { true } == .serve)
        #expect(machine.awaitBody() == false)
        for phase in MachinePhase.allCases where phase != .waiting {
            var machine = phase.machine
            #expect(machine.awaitBody() == false)
        }
    }

    @Test func behindAnAnswerComesWhatTheSocketHas() {
        func after(
            _ prepare: (inout ConnectionMachine) -> Void = { _ in }, closes: Bool = false,
            unread: Bool = false
        ) -> (ConnectionAction, ConnectionMachine) {
            var machine = MachinePhase.writing.machine
            prepare(&machine)
            return (machine.answerIsOut(closes: closes) { unread }, machine)
        }
        let readable = { (machine: inout ConnectionMachine) in
            _ = machine.happened(.of(readable: true)) { true }
        }
        #expect(after().0 == .idle)
        #expect(after().1.waiting?.isNew == false)
        #expect(after(closes: true).0 == .close)
        #expect(after(closes: true, unread: true).0 == .linger)
        #expect(after({ $0.lingerBehindAnswer(for: .unknown) }, closes: true).0 == .linger)
        #expect(after({ $0.lingerBehindAnswer(for: .body) }, closes: true).0 == .linger)
        // The next request is there already.
        #expect(after(readable, unread: true).0 == .serve)
        // What was to be read was the end of the stream.
        #expect(after(readable).0 == .close)
        #expect(after({ _ = $0.happened(.of(readClosed: true)) { true } }).0 == .close)
    }

    @Test func aSocketIsGivenBackByItsOwnerOnce() {
        for phase in MachinePhase.allCases {
            var machine = phase.machine
            let had = phase == .parked || phase == .streaming
            #expect(machine.isDetached == had)
            #expect(machine.isStreaming == (phase == .streaming))
            #expect(machine.unpark() == had)
            #expect(machine.unpark() == false)
        }
    }
}

/// The phases by name, each with a machine that has come to it as the loop would bring it there.
enum MachinePhase: CaseIterable {
    case waiting, receiving, handling, parked, streaming, writing, lingering, closed

    var machine: ConnectionMachine {
        var machine = ConnectionMachine()
        switch self {
        case .waiting: break
        case .receiving:
            machine.takeInput(hasMore: false)
            machine.beginBody()
        case .handling: machine.awaitAnswer()
        case .parked: machine.park()
        case .streaming:
            machine.park()
            machine.beginStream()
        case .writing: machine.answer()
        case .lingering:
            machine.answer()
            machine.linger()
        case .closed: machine.close()
        }
        return machine
    }
}

extension Poller.ReadyEvent {
    /// What the poller would tell of these.
    static func of(
        readable: Bool = false, readClosed: Bool = false, hungUp: Bool = false,
        writable: Bool = false
    ) -> Poller.ReadyEvent {
        // The kernel's bits, which are part of its interface: epoll_ctl(2).
        let bits: UInt32 =
            (readable ? 0x001 : 0) | (writable ? 0x004 : 0) | (hungUp ? 0x010 : 0)
            | (readClosed ? 0x2000 : 0)
        return Poller.ReadyEvent(token: 0, bits: bits)
    }
}
