import Protection
import TestSupport
import Testing

@Suite(.blocking) struct StateMachineTests {
    private enum Job: StateMachine, CaseIterable, Sendable {
        case waiting, running, done

        func canTransition(to next: Job) -> Bool {
            switch (self, next) {
            case (.waiting, .running), (.running, .waiting), (.running, .done): true
            default: false
            }
        }
    }

    @Test(arguments: Job.allCases, Job.allCases)
    private func onlyALegalTransitionIsMade(from: Job, to: Job) {
        let job = Protected(from)
        let isLegal = from.canTransition(to: to)
        #expect(job.attemptToTransition(to: to) == isLegal)
        #expect(job.value == (isLegal ? to : from))
    }

    @Test func aTransitionIsMadeOnlyFromTheStateExpected() {
        let job = Protected(Job.running)
        #expect(!job.attemptToTransition(from: .waiting, to: .done))
        #expect(!job.attemptToTransition(from: .waiting, to: .running))
        #expect(!job.attemptToTransition(from: .running, to: .running))
        #expect(job.value == .running)
        #expect(job.attemptToTransition(from: .running, to: .done))
        #expect(job.value == .done)
    }

    @Test func aRefusedTransitionSaysWhichOneItWas() throws {
        let job = Protected(Job.waiting)
        #expect(try job.transition(to: .running) == .waiting)
        #expect(try job.transition(to: .done) == .running)
        do throws(IllegalTransition<Job>) {
            try job.transition(to: .waiting)
            Issue.record("what is done began again")
        } catch {
            #expect((error.from, error.to) == (.done, .waiting))
            #expect("\(error)" == "done cannot be followed by waiting")
        }
        #expect(job.value == .done)
    }

    @Test func ofManyThreadsOneMakesATransitionThatOnlyOneMay() throws {
        for _ in 0..<200 {
            let job = Protected(Job.waiting)
            let winners = Protected(0)
            try inParallel(4) { _ in
                if job.attemptToTransition(to: .running) { winners.value += 1 }
            }
            #expect(winners.value == 1)
        }
    }
}
