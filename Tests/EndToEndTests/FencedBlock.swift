/// One block of a document between lines of three backquotes.
struct FencedBlock {
    /// The line of the document on which it begins, from 1.
    let line: Int
    /// What stands behind its first backquotes.
    let kind: String
    /// What is in it.
    let lines: [Substring]

    /// The same as a file has it.
    var text: String { lines.map { "\($0)\n" }.joined() }

    /// Every block of a document, in its order.
    static func all(in document: String) -> [FencedBlock] {
        var blocks: [FencedBlock] = []
        var open: (line: Int, kind: Substring, lines: [Substring])?
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            if let block = open {
                if line == "```" {
                    blocks.append(
                        FencedBlock(line: block.line, kind: String(block.kind), lines: block.lines))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                open = (index + 1, line.dropFirst(3), [])
            }
        }
        return blocks
    }
}
