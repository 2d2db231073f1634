internal import CLinux
internal import CMicroHTTPD
internal import Glibc
internal import Telemetry

/// The parsers of a loop: one for small requests, which most are, and one for others.
struct RequestParsers {
    private let small: RequestParser
    private let large: RequestParser

    init(headBytesMax: Int) throws(ServerError) {
        small = try RequestParser(memoryBytes: HTTPFrontLimits.smallParserBytes)
        large = try RequestParser(memoryBytes: HTTPFrontLimits.parserBytes(for: headBytesMax))
    }

    /// Reads the line and headers that `input` begins with, and judges them.
    ///
    /// - Returns: The request without its body.
    /// - Throws: 400 `REQUEST_MALFORMED` where libmicrohttpd sees something else than we do, and 503
    ///   `LIMIT_BUS` where there are no descriptors for it.
    /// - Complexity: O(bytes).
    func read(
        _ input: UnsafeRawBufferPointer, _ job: RequestParser.Job
    ) throws(Problem) -> ActiveRequest {
        // Many short headers or cookies take more memory than their bytes: the large one has it.
        if input.count <= HTTPFrontLimits.smallRequestBytesMax,
            let request = try small.read(input, job)
        {
            return request
        }
        guard let request = try large.read(input, job) else { throw .unreadable }
        return request
    }
}

/// Has libmicrohttpd read requests that are there, one after the other.
///
/// libmicrohttpd reads them from one end of a pair of sockets, and we write them into the other. So
/// it never owns the socket of a client, and one of its connections serves them all. Its answers
/// are thrown away: the answer to a request is ours.
///
/// Confined to its loop's thread.
final class RequestParser {
    private let daemon: OpaquePointer
    private let state: State
    /// Our end of the pair; -1 while there is none.
    private var descriptor: Int32 = -1

    /// A parser with so much memory for a request's line and headers.
    init(memoryBytes: Int) throws(ServerError) {
        guard let answer = belfry_mhd_empty() else {
            throw ServerError(doing: "making an answer for libmicrohttpd")
        }
        state = State(answer: answer)
        let started = belfry_mhd_start(
            // Unmanaged: the daemon is stopped before its parser lets go of this.
            Unmanaged.passUnretained(state).toOpaque(), ParserThunks.request,
            ParserThunks.requestLine, ParserThunks.unescape, ParserThunks.connection, memoryBytes,
            ParserLibrary.loaded.queuesAddedConnections ? 1 : 0)
        guard let started else { throw ServerError(doing: "starting libmicrohttpd") }
        daemon = started
        // Made here, so that the first request takes no descriptors. If none are left, a later
        // request makes it.
        _ = hasPair()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        MHD_stop_daemon(daemon)
    }

    /// A request that is to be read.
    struct Job {
        let number: UInt64
        /// Its line and headers as we see them.
        let head: RequestHeadReader
        /// Whether the whole body is behind them, or there is none; else nothing is.
        let isWhole: Bool
        let rules: RequestRules
        let peer: Peer
        let memory: MemoryBudget
    }

    /// Reads the line and headers that `input` begins with, and judges them.
    ///
    /// - Returns: The request without its body; nil where libmicrohttpd sees something else, or has no memory
    ///   for it.
    /// - Throws: 503 `LIMIT_BUS` where there are no descriptors for it.
    /// - Complexity: O(bytes).
    func read(
        _ input: UnsafeRawBufferPointer, _ job: Job
    ) throws(Problem) -> ActiveRequest? {
        guard hasPair() else { throw .overloaded("No descriptors are left.") }
        state.begin(job)
        // The pair has room for all that is looked at.
        if case .whole = SocketWriter.send(input, from: 0, to: descriptor) {
            var runs = 0
            while state.isReading(toEnd: job.isWhole), runs < HTTPFrontLimits.parserRunsMax {
                MHD_run(daemon)
                runs += 1
            }
        }
        let isRead =
            state.hasHead && state.headBytes == job.head.headBytes
            && state.isComplete == job.isWhole
            && state.bodyBytes == input.count - job.head.headBytes
        // A connection that waits for a body would take the next request for it.
        if !isRead || !job.isWhole || !state.isOpen {
            dropPair()
            _ = hasPair()
        }
        let request = state.end()
        return isRead ? request : nil
    }

    /// Makes sure that there is a connection with few unread answers; false if it cannot be made.
    private func hasPair() -> Bool {
        if descriptor >= 0 {
            if state.answered >= HTTPFrontLimits.parserAnswersMax { throwAnswersAway() }
            return true
        }
        var ends: [Int32] = [-1, -1]
        guard clinux_socket_pair(&ends) == 0 else { return false }
        descriptor = ends[0]
        state.opened()
        // It is told no address: nothing of it is used.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_UNIX)
        let size = socklen_t(MemoryLayout<sockaddr>.size)
        // From here on its end is libmicrohttpd's, which closes it if it refuses it.
        guard MHD_add_connection(daemon, ends[1], &address, size) == .YES else {
            state.closed()
            dropPair()
            return false
        }
        return true
    }

    private func throwAnswersAway() {
        state.answered = 0
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { bytes in
            while Glibc.read(descriptor, bytes.baseAddress, bytes.count) == bytes.count {}
        }
    }

    /// Ends the connection: libmicrohttpd finds the end of its stream, and forgets the bytes that
    /// it read.
    private func dropPair() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        for _ in 0..<HTTPFrontLimits.parserRunsMax where state.isOpen { MHD_run(daemon) }
    }
}

extension RequestParser {
    /// The request that libmicrohttpd's calls are about, and the state of its connection.
    final class State {
        private let answer: OpaquePointer
        /// Requests answered since answers were last thrown away.
        var answered = 0
        /// Whether libmicrohttpd has the connection.
        private(set) var isOpen = false
        private var job: Job?
        private var request: ActiveRequest?
        /// Its target as it was sent.
        private var target: [UInt8] = []
        /// Whether its line and headers were read.
        private(set) var hasHead = false
        /// Whether all of it was read.
        private(set) var isComplete = false
        /// Bytes of body that were read.
        private(set) var bodyBytes = 0

        init(answer: OpaquePointer) { self.answer = answer }

        deinit { MHD_destroy_response(answer) }

        /// Bytes of the head that was read.
        var headBytes: Int { request?.headBytes ?? 0 }

        /// Whether libmicrohttpd may still find the head, or the end, in the bytes that it was
        /// given.
        func isReading(toEnd: Bool) -> Bool { isOpen && !(toEnd ? isComplete : hasHead) }

        func opened() {
            isOpen = true
            answered = 0
        }

        func closed() { isOpen = false }

        func begin(_ job: Job) {
            self.job = job
            (hasHead, isComplete, bodyBytes) = (false, false, 0)
        }

        /// Forgets the request, and returns it.
        func end() -> ActiveRequest? {
            job = nil
            return request.take()
        }

        func lineArrived(_ target: UnsafePointer<CChar>) {
            guard let job else { return }
            let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target))
            self.target.removeAll(keepingCapacity: true)
            self.target.append(contentsOf: bytes)
            request = ActiveRequest(number: job.number, memory: job.memory)
            request?.targetBytes = bytes.count
            if let query = bytes.firstIndex(of: UInt8(ascii: "?")), query + 1 < bytes.count {
                // Ends the query before libmicrohttpd splits it: it would fill its memory with
                // arguments that nobody asks for and, with too many of them, spin until its time-out
                // over an answer that it never sends (0.9.75).
                UnsafeMutablePointer(mutating: target)[query + 1] = 0
            }
        }

        /// Takes a call about the request: the headers are there, a piece of the body, or the end.
        func requestArrived(_ line: ParsedLine, bodyBytes: Int) -> Bool {
            guard let request, let job else { return false }
            guard hasHead else {
                hasHead = true
                request.headBytes = belfry_mhd_header_size(line.parser)
                if !judge(request, line, for: job) { self.request = nil }
                return self.request != nil
            }
            self.bodyBytes += bodyBytes
            guard bodyBytes == 0 else { return true }
            isComplete = true
            answered += 1
            return MHD_queue_response(line.parser, 204, answer) == .YES
        }

        /// Takes the head of a request from its line and headers, or refuses it. False if they are
        /// others than those that we see: libmicrohttpd may end a part at a NUL, or join lines,
        /// without a word.
        private func judge(_ request: ActiveRequest, _ line: ParsedLine, for job: Job) -> Bool {
            let head = job.head
            let headers = line.headers
            guard line.methodBytes.elementsEqual(head.method), target.elementsEqual(head.target),
                HTTPVersion(line.versionBytes) ?? .http11 == head.version,
                headers == head.fields
            else { return false }
            do throws(Problem) {
                let (meaning, bodyLength) = try job.rules.read(
                    method: head.method, target: head.target, version: head.version,
                    headers: headers, peer: job.peer)
                request.head = meaning
                request.bodyLength = bodyLength
                request.context = meaning.responseContext
            } catch {
                let facts = try? HeaderFacts(headers)
                request.context = ResponseContext(
                    version: head.version,
                    keepsAlive: facts?.keepsAlive(in: head.version) ?? false,
                    isHead: head.method.elementsEqual("HEAD".utf8))
                request.refusal = error.response
            }
            return true
        }
    }
}
