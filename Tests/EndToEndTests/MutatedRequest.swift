import Foundation
import TestSupport

/// A request of a real client, with some of its head changed.
struct MutatedRequest: CustomStringConvertible {
    /// Up to and with the empty line; `{port}` stands where the daemon's own goes.
    private var lines: [[UInt8]]
    private let body: [UInt8]
    private var isChanged = false

    /// Whether nothing of its body can be left over when it has its answer.
    var isWhole: Bool { body.isEmpty || !isChanged }

    /// The request heads in `Benchmarks/Load/heads`: of each kind of client a publish and a poll.
    static func recorded() throws -> [[String]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Benchmarks/Load/heads").standardized
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try files.filter { $0.hasSuffix(".txt") }.sorted().flatMap { file in
            let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
            return text.components(separatedBy: "\n\n").dropFirst().prefix(2).map {
                $0.split(separator: "\n").map(String.init)
            }
        }
    }

    /// A head with a target and a body, as its client would send it.
    init(_ head: [String], target: String, body: String) {
        let isPublish = head[0].hasPrefix("POST")
        self.body = isPublish ? Array(body.utf8) : []
        lines = head.map { line in
            Array(
                line.replacing("{target}", with: target)
                    .replacing("{length}", with: "\(body.utf8.count)").utf8)
        }
    }

    /// What goes to a daemon at this port.
    func text(port: UInt16) -> String {
        let head = lines.map { String(decoding: $0, as: UTF8.self) + "\r\n" }.joined() + "\r\n"
        return head.replacing("{port}", with: "\(port)") + String(decoding: body, as: UTF8.self)
    }

    var description: String { text(port: 0).debugDescription }

    /// Headers that mean something to one who reads them, or to a proxy in front. None that is answered before
    /// the request is whole.
    private static let headers = [
        "Connection: close", "Connection: keep-alive", "Connection: Upgrade", "Upgrade: websocket",
        "Transfer-Encoding: chunked", "Content-Encoding: gzip",
        "Content-Length: 1", "Content-Length: 05", "Host: evil.example", "Host: localhost:{port}",
        "Origin: http://evil.example", "Origin: http://localhost:{port}",
        "Sec-Fetch-Site: cross-site", "Content-Type: application/json",
        "Content-Type: application/x-ndjson", "Event-Type: a", "Event-Key: k", "Event-Type: b c",
        "Accept: application/json", "Last-Event-ID: 0",
        "Idempotency-Key: a", "Authorization: Bearer x", "X-Forwarded-For: 10.0.0.1",
        "Range: bytes=0-",
        "If-Match: *", "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "Traceparent: 00-00000000000000000000000000abcdef-abcdef0000000001-00", " folded",
        "No colon", ": no name", "Two words: x",
    ]
    private static let letters = Array("\u{0}\t\n\r !\"%&+,-./0189:;=?@AZaz{}~\u{7F}".utf8)

    /// Gives it another traceparent, if it has one.
    mutating func trace(using random: inout SeededRandom) {
        for index in lines.indices {
            guard lines[index].dropFirst().starts(with: "raceparent:".utf8),
                let place = lines[index].indices.suffix(54).randomElement(using: &random)
            else { continue }
            lines[index][place] = Array("0123456789abcdef".utf8).randomElement(using: &random)!
        }
    }

    mutating func mutate(using random: inout SeededRandom) {
        isChanged = true
        let index = lines.indices.randomElement(using: &random)!
        func place(_ line: [UInt8]) -> Int { Int.random(in: 0...line.count, using: &random) }
        let letter = Self.letters.randomElement(using: &random)!
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1: lines[index].insert(letter, at: place(lines[index]))
        case 2, 3:
            let place = place(lines[index])
            guard place < lines[index].count else { return }
            lines[index][place] = letter
        case 4:
            let place = place(lines[index])
            guard place < lines[index].count else { return }
            lines[index].remove(at: place)
        case 5:
            lines[index] = lines[index].map {
                (0x61...0x7A).contains($0 | 0x20) && index > 0 ? $0 ^ 0x20 : $0
            }
        case 6: lines.insert(lines[index], at: index)
        case 7 where lines.count > 1: lines.remove(at: index)
        case 8: lines.swapAt(index, lines.indices.randomElement(using: &random)!)
        default:
            let header = Self.headers.randomElement(using: &random)!
            lines.insert(Array(header.utf8), at: max(1, index))
        }
    }
}
