import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

@Suite struct WebSocketMachineTests {
    @Test(arguments: FrameCase.all)
    func framesMeanWhatTheStandardSaysHoweverTheyAreCut(_ example: FrameCase) {
        #expect(FrameTranscript.of(example.bytes) { $0 } == example.events)
        #expect(FrameTranscript.of(example.bytes) { _ in 1 } == example.events, "byte by byte")
        var random = SeededRandom(seed: SeededRandom.runSeed)
        for round in 0..<4 {
            let events = FrameTranscript.of(example.bytes) { left in
                Int.random(in: 1...max(1, min(left, round == 0 ? left : 40)), using: &random)
            }
            #expect(events == example.events, "BELFRY_SEED=\(SeededRandom.runSeed)")
        }
    }

    /// Cases that do not end their connection may stand before each other one.
    @Test func messagesSayTheSameBehindOthers() {
        let harmless = FrameCase.all.filter { example in
            !example.events.contains { $0.hasPrefix("failure") || $0.hasPrefix("close") }
                && !example.name.contains("inside a message")
        }
        var random = SeededRandom(for: "messages behind others")
        for example in FrameCase.all {
            let before = harmless.randomElement(using: &random)!
            let events = FrameTranscript.of(before.bytes + example.bytes) { left in
                Int.random(in: 1...max(1, min(left, 3000)), using: &random)
            }
            #expect(
                events == before.events + example.events, "\(example.name) behind \(before.name)")
        }
    }

    /// Whatever comes, the machine says the same of it however it is cut, and keeps nothing.
    @Test func randomBytesAreJudgedTheSameHoweverTheyAreCut() {
        var random = SeededRandom(for: "random frames")
        for _ in 0..<300 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let payload = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                    UInt8.random(in: 0x20...0x7E, using: &random)
                }
                let opcode = [0, 1, 2, 2, 9, 10].randomElement(using: &random)! as UInt8
                bytes += Frame(opcode, payload, isFinal: .random(using: &random)).encoded()
            }
            if Bool.random(using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                    1
                    << UInt8.random(
                        in: 0...7, using: &random)
            }
            let whole = FrameTranscript.of(bytes) { $0 }
            #expect(FrameTranscript.of(bytes) { _ in 1 } == whole)
            let split = FrameTranscript.of(bytes) { Int.random(in: 1...max(1, $0), using: &random) }
            #expect(split == whole)
        }
    }

    @Test func nothingIsKeptBetweenMessages() {
        let memory = MemoryBudget(bytesMax: 1 << 20)
        var machine = WebSocketMachine(messageBytesMax: 10_000, memory: memory)
        let begun = Frame(1, [UInt8](repeating: 97, count: 5000), isFinal: false)
        _ = FrameTranscript.feed(&machine, begun.encoded())
        #expect(memory.used(.bodies) >= 5000)
        _ = FrameTranscript.feed(&machine, Frame(9, [1, 2, 3]).encoded().dropLast())
        #expect(memory.used(.bodies) >= 5002)
        #expect(FrameTranscript.feed(&machine, Frame(9, [1, 2, 3]).encoded().suffix(1)).count == 1)
        _ = FrameTranscript.feed(&machine, Frame(0, [97]).encoded())
        #expect(memory.used == 0)
    }

    @Test func messageThatLiesWholeInTheInputIsNotCopied() {
        let memory = MemoryBudget(bytesMax: 0)
        var machine = WebSocketMachine(messageBytesMax: 10_000, memory: memory)
        let bytes = Frame(2, [UInt8](repeating: 1, count: 5000)).encoded()
        #expect(FrameTranscript.feed(&machine, bytes) == ["binary 5000"])
        #expect(memory.used == 0)
    }

    @Test func messageForWhichThereIsNoMemoryIsPutOff() {
        let memory = MemoryBudget(bytesMax: 4000)
        memory.charge(1000, to: .bodies)
        var machine = WebSocketMachine(messageBytesMax: 10_000, memory: memory)
        let begun = Frame(2, [1, 2, 3], isFinal: false)
        #expect(FrameTranscript.feed(&machine, begun.encoded()) == ["failure 1013"])
        #expect(memory.used == 1000)
    }
}

/// Feeds a machine and writes down what it says.
enum FrameTranscript {
    /// The events of `bytes`, cut into pieces whose sizes `cut` gives by how many are left.
    static func of(_ bytes: [UInt8], cut: (Int) -> Int) -> [String] {
        let memory = MemoryBudget(bytesMax: 1 << 30)
        var machine = WebSocketMachine(
            messageBytesMax: FrameCase.messageBytesMax, memory: memory)
        var events: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(cut(rest.count))
            rest = rest.dropFirst(piece.count)
            events += feed(&machine, piece)
        }
        return events
    }

    static func feed(
        _ machine: inout WebSocketMachine, _ piece: some Collection<UInt8>
    ) -> [String] {
        var events: [String] = []
        var copy = Array(piece)
        copy.withUnsafeMutableBytes { bytes in
            var input = WebSocketInput(bytes)
            while let event = machine.next(&input) { events.append(line(event)) }
        }
        machine.release()
        return events
    }

    private static func line(_ event: WebSocketMachine.FrameEvent) -> String {
        switch event {
        case .text(let bytes): "text " + String(decoding: bytes, as: UTF8.self)
        case .binary(let bytes): "binary \(bytes.count)"
        case .ping(let bytes): "ping " + bytes.map { hexadecimal($0) }.joined()
        case .pong: "pong"
        case .close(let code): "close " + (code.map { "\($0.rawValue)" } ?? "none")
        case .failure(let code, _): "failure \(code.rawValue)"
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
