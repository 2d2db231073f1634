import Glibc
import Telemetry
import TestSupport
import Testing

@testable import HTTPFront

/// Who comes first in a turn that does not have room for everybody.
@Suite(.blocking) struct TurnOrderTests {
    /// Large answers that are all there at once, and requests of others that arrive with them.
    @Test(arguments: LoopServer.Transport.allCases)
    func requestsAreTakenBeforeMuchIsWritten(_ transport: LoopServer.Transport) throws {
        let server = try LoopServer()
        let readers = try (0..<12).map { _ in
            let reader = try server.connect(transport)
            try reader.send("GET", "/park")
            return reader
        }
        server.expect(server.server.census.parked, becomes: readers.count)
        let askers = try (0..<300).map { _ in try server.connect(transport) }
        try server.acceptAll()
        let (begun, goOn) = (Gate(), Gate())
        server.backstage.state.value.loops[0].post { _ in
            begun.open()
            try? goOn.wait()
        }
        try begun.wait()
        let answer = String(repeating: "x", count: 1 << 20)
        server.backstage.finishParked(answer)
        for asker in askers { try asker.send("GET", "/asked") }
        goOn.open()
        for asker in askers { #expect(try asker.readAnswer().text == "asked") }
        for reader in readers { #expect(try reader.readAnswer().text == answer) }
        let work = server.server.loops[0].tasks
        let arrivals = try #require(work.first { $0.kind == LoopTask.arrivals.name })
        #expect(arrivals.mostSteps > LoopTask.arrivals.share)
        for work in work { #expect(work.mostSteps <= work.stepsMax, "\(work.kind)") }
    }
}
