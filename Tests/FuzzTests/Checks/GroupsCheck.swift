@testable import Ordered

extension ParserCheck {
    /// A group of an order that is read is written back as the same bytes, whether or not the sum at
    /// its end is right.
    static let groups = ParserCheck("groups", bytesMax: 600) { input in
        var summed = ByteWriter()
        summed.write(rest: input)
        summed.writeSum()
        if let form = try? GroupForm(summed.bytes) {
            try hold(form.bytes == summed.bytes, "a group is written as other bytes")
        }
        if let form = try? GroupForm(input) {
            try hold(form.bytes.elementsEqual(input), "a group is written as other bytes")
        }
    }
}
