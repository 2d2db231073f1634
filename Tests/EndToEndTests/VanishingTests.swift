import Glibc
import TestSupport
import Testing

/// A client that disappears is noticed, whatever it waits for.
@Suite(.blocking) struct VanishingTests {
    @Test(arguments: [false, true])
    func aWaiterThatIsGoneIsNoSubscriberAnyMore(overUnix: Bool) throws {
        let daemon = try RunningDaemon()
        let observer = try daemon.connect()
        try observer.register("t")
        for way in VanishingCrowd.Way.allCases {
            let pollers = try (0..<20).map { _ in
                let poller = try RawClient(overUnix ? daemon.unix : daemon.tcp)
                try poller.send("GET", "/topics/t?wait=1h")
                return poller
            }
            try observer.await(subscribers: 20, of: "t")
            for poller in pollers {
                switch way {
                case .close: poller.close()
                case .reset: poller.reset()
                case .halfCloseThenClose, .halfCloseThenReset:
                    poller.halfClose()
                    way == .halfCloseThenClose ? poller.close() : poller.reset()
                }
            }
            // Over TCP who leaves after half-closing sends no word of it, and is looked for again
            // after 15 s if it was still there when its end was seen.
            let seconds: Double = way == .close || way == .reset ? 5 : 25
            try observer.await(subscribers: 0, of: "t", within: seconds)
        }
    }

    @Test func aReaderThatVanishesInTheMiddleOfALargeAnswerFreesIt() throws {
        let daemon = try RunningDaemon()
        let observer = try daemon.connect()
        try observer.register("t")
        try observer.publish(String(repeating: "x", count: 1 << 20), to: "t")
        let before = daemon.openDescriptors
        for address in [daemon.tcp, daemon.unix] {
            for isReset in [false, true] {
                let readers = try (0..<30).map { _ in
                    let reader = try RawClient(address)
                    try reader.send("GET", "/topics/t?since=latest&as=json")
                    return reader
                }
                for reader in readers {
                    var byte: UInt8 = 0
                    try #require(recv(reader.descriptor, &byte, 1, 0) == 1)
                    isReset ? reader.reset() : reader.close()
                }
                try eventually("their descriptors are closed", within: 60) {
                    daemon.openDescriptors == before
                }
            }
        }
    }
}
