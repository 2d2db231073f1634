import Foundation
import Testing

@testable import BusAPI

@Suite struct Base64Tests {
    @Test func everyLengthAndEveryByteIsEncodedAsRFC4648SaysAndReadBack() {
        for count in 0...259 {
            let data = [UInt8]((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) })
            var encoded: [UInt8] = []
            data.withUnsafeBytes { Base64.encode($0, into: &encoded) }
            #expect(String(decoding: encoded, as: UTF8.self) == Data(data).base64EncodedString())
            #expect(Base64.decode(encoded) == data)
        }
    }
}
