import TestSupport
import Topics

/// The steps of readers.
extension BusSimulation {
    func read(using random: inout SeededRandom) {
        if readers.count < 4 || Int.random(in: 0..<30, using: &random) == 0 {
            let texts = [
                "jobs.a", "jobs.*", ">", "few", "dead", "jobs.b,few", "aging", "fleeting,jobs.a",
            ]
            let selector = try! Selector(texts.randomElement(using: &random)!)
            let back = UInt64.random(in: 0...30, using: &random)
            let start = max(floor, life.bus.newest.rawValue - min(back, 1_000))
            let waits = Int.random(in: 0..<3, using: &random) == 0
            readers.append(SimulatedReader(selector, from: start, waits: waits))
        }
        read(Int.random(in: readers.indices, using: &random), using: &random)
    }

    /// One request of a reader.
    func read(_ index: Int, using random: inout SeededRandom) {
        guard !readers[index].isAsking, !life.waiting.has(index) else { return }
        let limit = ReadLimit(
            events: [1, 3, 100].randomElement(using: &random)!,
            bytes: [1_000, 1 << 20].randomElement(using: &random)!)
        look(index, limit)
    }

    private func look(_ index: Int, _ limit: ReadLimit) {
        let selector = readers[index].selector
        let found = life.bus.read(
            readers[index].position, matching: selector, filter: .all, limit: limit)
        guard case .older(let position) = found else {
            take(found, index)
            if readers[index].isCaughtUp, readers[index].waits {
                life.waiting.add(index, readers[index])
            }
            return
        }
        readers[index].isAsking = true
        let asked = lives
        life.bus.readStore(position, matching: selector, filter: .all, limit: limit) {
            [self] outcome in
            guard asked == lives else { return }
            readers[index].isAsking = false
            guard case .success(let read) = outcome else { return }
            take(read, index)
            // What came since then is in the memory of the bus.
            if readers[index].isCaughtUp { look(index, limit) }
        }
    }

    private func take(_ honest: LogRead, _ index: Int) {
        let read = told(honest)
        if case .events(let events, _, _) = read { events.forEach(see) }
        if let finding = readers[index].take(read) { model.fail("reader \(index): \(finding)") }
    }
}
