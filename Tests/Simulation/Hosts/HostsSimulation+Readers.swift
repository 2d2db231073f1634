import TestSupport
import Topics

/// The steps of readers, which change host with every request.
extension HostsSimulation {
    func read(using random: inout SeededRandom) {
        if readers.count < 4 || Int.random(in: 0..<30, using: &random) == 0 {
            let texts = [
                "jobs.a", "jobs.*", ">", "few", "dead", "jobs.b,few", "aging", "fleeting,jobs.a",
            ]
            let selector = try! Selector(texts.randomElement(using: &random)!)
            let newest = hosts.compactMap { $0.life?.bus.newest.rawValue }.max() ?? Self.floor
            let back = min(UInt64.random(in: 0...30, using: &random), newest - Self.floor)
            let waits = Int.random(in: 0..<3, using: &random) == 0
            readers.append(SimulatedReader(selector, from: newest - back, waits: waits))
            requests.append(0)
        }
        read(Int.random(in: readers.indices, using: &random), using: &random)
    }

    /// One request of a reader, at any host.
    func read(_ index: Int, using random: inout SeededRandom) {
        let limit = ReadLimit(
            events: [1, 3, 100].randomElement(using: &random)!,
            bytes: [1_000, 1 << 20].randomElement(using: &random)!)
        let host = hosts.randomElement(using: &random)!
        // Some wait no longer for the host that they have asked.
        let isWaiting = hosts.contains { $0.life?.waiting.has(index) == true }
        if readers[index].isAsking || isWaiting, Int.random(in: 0..<4, using: &random) > 0 {
            return
        }
        guard host.life != nil else { return }
        for host in hosts { host.life?.waiting.remove(index) }
        readers[index].lostTheBus()
        requests[index] += 1
        ask(Request(reader: index, number: requests[index], host: host, limit: limit))
    }

    /// A request of a reader at one host, whose life has it as long as it waits.
    private struct Request {
        let reader: Int
        let number: Int
        let host: SimulatedHost
        let limit: ReadLimit
    }

    private func ask(_ request: Request) {
        guard let bus = request.host.life?.bus else { return }
        let (reader, lives) = (request.reader, request.host.lives)
        let selector = readers[reader].selector
        let found = bus.read(
            readers[reader].position, matching: selector, filter: .all, limit: request.limit)
        guard case .older(let position) = found else {
            take(found, request)
            if readers[reader].isCaughtUp, readers[reader].waits {
                request.host.life?.waiting.add(reader, readers[reader])
            }
            return
        }
        if position.after > bus.newest { order.met.insert(.cursorAhead) }
        readers[reader].isAsking = true
        bus.readStore(position, matching: selector, filter: .all, limit: request.limit) {
            [self] outcome in
            guard lives == request.host.lives, requests[reader] == request.number else { return }
            readers[reader].isAsking = false
            guard case .success(let read) = outcome else { return }
            take(read, request)
            // What came since then is in the memory of the bus.
            if readers[reader].isCaughtUp { ask(request) }
        }
    }

    private func take(_ honest: LogRead, _ request: Request) {
        let read = told(honest)
        if case .events(let events, _, _) = read { events.forEach(see) }
        if let finding = readers[request.reader].take(read) {
            model.fail("reader \(request.reader): \(finding)")
        }
        // Behind a gap, the same answer goes on with what is left in its range.
        if case .gap = read, model.finding == nil {
            order.met.insert(.gap)
            ask(request)
        }
    }
}
