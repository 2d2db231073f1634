import Protection
import Telemetry

@testable import HTTPFront

/// What the tests see of one stream, from any thread; its verbs run on the stream's loop.
final class StreamView: Sendable {
    struct State {
        var writable = 0
        var stalled = 0
        var closed = 0
        var timedOut = 0
        var uncertain = 0
        /// Results of the writes that tests asked for.
        var writes: [Bool] = []
        /// The most bytes that one call of the owner wrote.
        var mostInACall = 0
        /// Whether the owner was ever called from inside its own writing.
        var wasReentered = false
        /// Bytes that a flood has given to `write`.
        var flooded = 0
    }

    let state = Protected(State())
    private let loop: LoopHandle

    init(on loop: LoopHandle) {
        self.loop = loop
    }

    /// Runs `body` with the stream on its loop, when the turn comes.
    func run(_ body: @escaping @Sendable (StreamWriter) -> Void) {
        loop.post { handler in
            if let stream = (handler as! LoopHandler).streams.first(where: { $0.view === self }) {
                body(stream)
            }
        }
    }

    func write(_ text: String) {
        run { stream in stream.write(Array(text.utf8)) }
    }

    func write(bytes count: Int) {
        run { stream in stream.write([UInt8](repeating: 120, count: count)) }
    }

    func end() {
        run { $0.end() }
    }
}

/// The owner of one `/stream` of a `LoopHandler`: writes what tests tell it to, or floods.
final class StreamWriter: StreamSocketOwner {
    enum Stalling: String {
        case ignores, closes, ends
    }

    let view: StreamView
    var socket: DetachedSocket?
    /// Bytes that are still to be written as fast as the reader takes them.
    var floodLeft = 0
    var pieceBytes = 64 * 1024
    var stalling = Stalling.closes
    /// Milliseconds between heartbeats, each a byte `h`.
    var heartbeat: Int?
    private var isWriting = false
    private let forget: (StreamWriter) -> Void

    init(_ view: StreamView, forget: @escaping (StreamWriter) -> Void) {
        self.view = view
        self.forget = forget
    }

    func framed(_ bytes: [UInt8]) -> ResponseBody {
        guard socket?.isChunked ?? true, !bytes.isEmpty else { return .bytes(bytes) }
        return .bytes(ChunkFraming.prefix(for: bytes.count) + bytes + ChunkFraming.suffix)
    }

    func write(_ bytes: [UInt8]) {
        isWriting = true
        let result = socket?.write(framed(bytes)) ?? false
        isWriting = false
        view.state.write { $0.writes.append(result) }
    }

    func flood() {
        guard let socket, floodLeft > 0 else { return }
        isWriting = true
        var written = 0
        while floodLeft > 0, socket.isWritable {
            let count = min(pieceBytes, floodLeft)
            let piece = Self.floodPiece(floodLeft, count)
            floodLeft -= count
            written += count
            socket.write(framed(piece))
        }
        isWriting = false
        let total = written
        view.state.write {
            $0.mostInACall = max($0.mostInACall, total)
            $0.flooded += total
        }
        if floodLeft == 0 { end() }
    }

    /// What a flood of so many bytes brings in its next piece.
    static func floodPiece(_ left: Int, _ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: left &* 31 >> 8), count: count)
    }

    func end() {
        forget(self)
        socket?.endStream()
    }

    func writable(_ socket: DetachedSocket) {
        note { $0.writable += 1 }
        flood()
    }

    func stalled(_ socket: DetachedSocket) {
        note { $0.stalled += 1 }
        switch stalling {
        case .ignores: break
        case .closes:
            forget(self)
            socket.close()
        case .ends: end()
        }
    }

    func closed(_ socket: DetachedSocket) {
        note { $0.closed += 1 }
        forget(self)
    }

    func timedOut(_ socket: DetachedSocket) {
        note { $0.timedOut += 1 }
        guard let heartbeat else { return }
        if socket.isWritable { write([UInt8(ascii: "h")]) }
        socket.setDeadline(milliseconds: heartbeat)
    }

    func peerUncertain(_ socket: DetachedSocket) {
        note { $0.uncertain += 1 }
        end()
    }

    private func note(_ change: (inout StreamView.State) -> Void) {
        let wasWriting = isWriting
        view.state.write { state in
            change(&state)
            if wasWriting { state.wasReentered = true }
        }
    }
}

extension LoopHandler {
    /// `/stream` writes `begun` and waits to be told; `/stream/flood/N/PIECE` writes N bytes as
    /// fast as they are read; `/stream/heartbeat/MS` has a heartbeat; `/stream/wait` only detaches;
    /// `/stream/stalled/ends` ends a stalled stream instead of closing it.
    func stream(_ exchange: Exchange, _ path: [String]) {
        let stream = StreamWriter(StreamView(on: loop)) { [unowned self] ended in
            streams.removeAll { $0 === ended }
        }
        guard let socket = exchange.detachStream(stream) else {
            return exchange.respond(Self.text("at once"))
        }
        stream.socket = socket
        streams.append(stream)
        let view = stream.view
        backstage.state.write { $0.streams.append(view) }
        let verb = path.count > 1 ? path[1] : ""
        if verb == "wait" { return }
        if verb == "stalled" { stream.stalling = .init(rawValue: path[2])! }
        if verb == "heartbeat" {
            stream.heartbeat = Int(path[2])
            socket.setDeadline(milliseconds: stream.heartbeat)
        }
        socket.beginStream(Self.text("ignored"), first: stream.framed(Array("begun".utf8)))
        if verb == "flood" {
            stream.floodLeft = Int(path[2])!
            stream.pieceBytes = Int(path[3])!
            stream.flood()
        }
    }

    func endStreams() {
        for stream in streams { stream.end() }
    }
}
