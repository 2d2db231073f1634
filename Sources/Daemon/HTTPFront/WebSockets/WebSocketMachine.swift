internal import Telemetry

/// Makes messages of a client's bytes, however they are cut (RFC 6455 sections 5 to 8).
///
/// Knows no socket and no time. It needs memory beside itself only while a message or control frame
/// is in several pieces. A message that lies whole in the input is unmasked and handed out where it
/// lies.
struct WebSocketMachine: ~Copyable {
    /// An event that the bytes have led to. Pointers hold until `release`, `next`, or the input
    /// changes.
    enum FrameEvent {
        /// A message of text, which is UTF-8.
        case text(UnsafeRawBufferPointer)
        /// A message of bytes.
        case binary(UnsafeRawBufferPointer)
        /// Asks for a pong of the same payload.
        case ping(UnsafeRawBufferPointer)
        /// Answers a ping.
        case pong
        /// The client ends the connection; without a code if it gave none. It says nothing more.
        case close(CloseCode?)
        /// The client broke the protocol or a limit; nothing more of it is looked at.
        case failure(CloseCode, StaticString)
    }

    private enum Stage {
        case header
        case payload
        case ended
    }

    private enum Kind {
        case text
        case binary
    }

    private let messageBytesMax: Int
    private var stage = Stage.header
    private var header = FrameHeader()
    /// The type of the message in progress; nil between messages.
    private var kind: Kind?
    private var text = UTF8Check()
    private var message: BodyBuffer
    private var control: BodyBuffer

    /// A machine that fails a message of more than `messageBytesMax` bytes, and counts the bytes
    /// that it keeps.
    init(messageBytesMax: Int, memory: MemoryBudget) {
        self.messageBytesMax = messageBytesMax
        message = BodyBuffer(memory: memory)
        control = BodyBuffer(memory: memory)
    }

    /// Whether it keeps part of a message.
    var isKeeping: Bool { message.count > 0 || control.count > 0 }

    /// Takes bytes from `input` up to the next event, and changes them where they lie; nil when
    /// there are no more.
    mutating func next(_ input: inout WebSocketInput) -> FrameEvent? {
        release()
        while true {
            switch stage {
            case .ended:
                input.takeAll()
                return nil
            case .header:
                guard let byte = input.takeByte() else { return nil }
                switch header.accept(byte, isInMessage: kind != nil) {
                case .unfinished: continue
                case .broken(let reason): return fail(.protocolError, reason)
                case .complete: if let failure = beginPayload() { return failure }
                }
            case .payload:
                let part = input.take(atMost: header.left)
                header.unmask(part)
                let event = header.isControl ? takeControl(part) : takeData(part)
                if header.left == 0, stage == .payload {
                    stage = .header
                    header = FrameHeader()
                }
                if let event { return event }
                if input.isEmpty { return nil }
            }
        }
    }

    /// Frees the memory of the last event.
    mutating func release() {
        if stage != .payload, kind == nil { message.clear() }
        if stage != .payload || !header.isControl { control.clear() }
    }

    private mutating func beginPayload() -> FrameEvent? {
        stage = .payload
        if header.isControl { return nil }
        if header.left > UInt64(messageBytesMax - message.count) {
            return fail(.tooBig, "A message is above the maximum.")
        }
        switch header.opcode {
        case 1:
            kind = .text
            text = UTF8Check()
        case 2: kind = .binary
        default: break
        }
        return nil
    }

    private mutating func takeData(_ part: UnsafeMutableRawBufferPointer) -> FrameEvent? {
        if kind == .text, !text.accept(UnsafeRawBufferPointer(part)) {
            return fail(.badData, "Text is not UTF-8.")
        }
        let isWhole = header.left == 0 && header.isFinal
        if isWhole, message.count == 0 { return deliver(UnsafeRawBufferPointer(part)) }
        guard message.hasRoom(for: part.count) else {
            return fail(.tryLater, "Messages fill their share of memory.")
        }
        message.append(UnsafeRawBufferPointer(part), bytesMax: messageBytesMax)
        return isWhole ? deliver(message.bytes) : nil
    }

    private mutating func deliver(_ bytes: UnsafeRawBufferPointer) -> FrameEvent {
        guard kind == .text else {
            kind = nil
            return .binary(bytes)
        }
        guard text.isComplete else { return fail(.badData, "Text ends inside a character.") }
        kind = nil
        return .text(bytes)
    }

    private mutating func takeControl(_ part: UnsafeMutableRawBufferPointer) -> FrameEvent? {
        guard header.left > 0 || control.count > 0 else {
            return judgeControl(UnsafeRawBufferPointer(part))
        }
        control.append(UnsafeRawBufferPointer(part), bytesMax: WebSocketFrame.controlBytesMax)
        return header.left == 0 ? judgeControl(control.bytes) : nil
    }

    private mutating func judgeControl(_ payload: UnsafeRawBufferPointer) -> FrameEvent {
        switch header.opcode {
        case 9: .ping(payload)
        case 10: .pong
        default: judgeClose(payload)
        }
    }

    private mutating func judgeClose(_ payload: UnsafeRawBufferPointer) -> FrameEvent {
        guard payload.count > 0 else {
            stage = .ended
            return .close(nil)
        }
        guard payload.count > 1 else {
            return fail(.protocolError, "A close frame holds half a code.")
        }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isSendable else {
            return fail(.protocolError, "A close frame holds a code that none may.")
        }
        var reason = UTF8Check()
        guard reason.accept(UnsafeRawBufferPointer(rebasing: payload[2...])), reason.isComplete
        else { return fail(.badData, "The reason of a close frame is not UTF-8.") }
        stage = .ended
        return .close(code)
    }

    private mutating func fail(_ code: CloseCode, _ reason: StaticString) -> FrameEvent {
        stage = .ended
        kind = nil
        return .failure(code, reason)
    }
}

/// Bytes that a machine takes from the front and may change.
struct WebSocketInput {
    private(set) var bytes: UnsafeMutableRawBufferPointer

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func takeByte() -> UInt8? {
        guard let byte = bytes.first else { return nil }
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes.dropFirst())
        return byte
    }

    mutating func take(atMost count: UInt64) -> UnsafeMutableRawBufferPointer {
        let taken = Int(min(count, UInt64(bytes.count)))
        defer { bytes = UnsafeMutableRawBufferPointer(rebasing: bytes.dropFirst(taken)) }
        return UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(taken))
    }

    mutating func takeAll() {
        bytes = UnsafeMutableRawBufferPointer(rebasing: bytes.suffix(0))
    }
}
