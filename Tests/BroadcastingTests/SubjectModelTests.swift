import Broadcasting
import TestSupport
import Testing

/// Random histories on one thread, against what the rules say in so many words.
@Suite struct SubjectModelTests {
    /// One subscriber of a subject as the documentation has it.
    private struct Model {
        var demand = Subscribers.Demand.none
        var owed: Int?
        var values: [Int] = []
        var completions: [Subscribers.Completion<Trouble>] = []
        var dropped = 0
        var isCancelled = false

        mutating func send(_ value: Int, keepsLatest: Bool) {
            guard !isCancelled, completions.isEmpty else { return }
            if owed != nil { dropped += 1 }
            owed = value
            settle()
            if !keepsLatest, owed.take() != nil { dropped += 1 }
        }

        mutating func request(_ more: Subscribers.Demand) {
            guard !isCancelled, completions.isEmpty else { return }
            demand += more
            settle()
        }

        mutating func complete(_ completion: Subscribers.Completion<Trouble>) {
            guard !isCancelled, completions.isEmpty else { return }
            if owed.take() != nil { dropped += 1 }
            completions.append(completion)
        }

        mutating func cancel() {
            isCancelled = true
            owed = nil
        }

        private mutating func settle() {
            guard demand > .none, let value = owed.take() else { return }
            values.append(value)
            demand -= 1
        }
    }

    @Test(arguments: [false, true])
    func aSubjectDoesWhatTheRulesSay(keepsLatest: Bool) {
        var random = SeededRandom(for: "subjects, \(keepsLatest)")
        for _ in 0..<150 { follow(keepsLatest: keepsLatest, using: &random) }
    }

    private func follow(keepsLatest: Bool, using random: inout SeededRandom) {
        let subject: any Subject<Int, Trouble> =
            keepsLatest ? CurrentValueSubject(0) : PassthroughSubject()
        var latest = 0
        var completion: Subscribers.Completion<Trouble>?
        var subscribers: [(recorder: Recorder<Int, Trouble>, model: Model)] = []
        for step in 1...60 {
            let chosen = subscribers.indices.randomElement(using: &random)
            switch Int.random(in: 0..<40, using: &random) {
            case 0..<20:
                subject.send(step)
                if completion == nil { latest = step }
                for index in subscribers.indices {
                    subscribers[index].model.send(step, keepsLatest: keepsLatest)
                }
            case 20..<28:
                let demand = Subscribers.Demand.max(Int.random(in: 0...3, using: &random))
                let recorder = Recorder<Int, Trouble>(demanding: demand)
                subject.receive(subscriber: recorder)
                var model = Model(owed: keepsLatest && completion == nil ? latest : nil)
                model.request(demand)
                if let completion { model.complete(completion) }
                subscribers.append((recorder, model))
            case 28..<37:
                guard let chosen else { continue }
                let demands: [Subscribers.Demand] = [.none, .max(1), .max(2), .max(5), .unlimited]
                let demand = demands.randomElement(using: &random)!
                subscribers[chosen].recorder.request(demand)
                subscribers[chosen].model.request(demand)
            case 37..<39:
                guard let chosen else { continue }
                subscribers[chosen].recorder.cancel()
                subscribers[chosen].model.cancel()
            default:
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                let end: Subscribers.Completion<Trouble> =
                    Bool.random(using: &random) ? .finished : .failure(.fire)
                subject.send(completion: end)
                completion = completion ?? end
                for index in subscribers.indices { subscribers[index].model.complete(end) }
            }
        }
        for (recorder, model) in subscribers {
            #expect(recorder.values == model.values)
            #expect(recorder.completions == model.completions)
            #expect(recorder.droppedCount == model.dropped)
            #expect(recorder.misplacedCalls == 0)
        }
        #expect(subject.droppedCount == subscribers.map(\.model.dropped).reduce(0, +))
    }
}
