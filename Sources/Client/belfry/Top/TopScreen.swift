/// The screen of `belfry top`: lines that fit.
struct TopScreen {
    let columns: Int
    let rows: Int

    /// The lines from the top, none of them wider and all together no higher than the terminal.
    ///
    /// - Parameters:
    ///   - report: Nil before the second look.
    ///   - trouble: Why the last look failed.
    func lines(_ title: String, _ report: TopReport?, trouble: String?) -> [String] {
        var lines = [title]
        lines.append(trouble ?? "")
        if let report {
            lines += figures(report.figureRows)
            // Groups have half of the rows that are left, and topics the rest.
            let left = max(0, rows - lines.count)
            let groups = block(TopReport.groupHeads, report.groupRows, rowsMax: left / 2)
            let topics = block(
                TopReport.topicHeads, report.topicRows, rowsMax: left - groups.count)
            lines += topics + groups
        }
        return lines.prefix(rows).map { clipped($0) }
    }

    /// Figures side by side, as many as fit.
    private func figures(_ figures: [[String]]) -> [String] {
        let (titleWidth, valueWidth) = (15, 11)
        let cells = figures.map {
            Self.padded($0[0], titleWidth) + Self.padded($0[1], valueWidth, toRight: true)
        }
        let across = max(1, (columns + 3) / (titleWidth + valueWidth + 3))
        return stride(from: 0, to: cells.count, by: across).map {
            cells[$0..<min($0 + across, cells.count)].joined(separator: "   ")
        }
    }

    /// A table behind an empty line; nothing where it has no row or no room.
    private func block(_ heads: [String], _ rows: [[String]], rowsMax: Int) -> [String] {
        guard !rows.isEmpty, rowsMax > 2 else { return [] }
        let all = [heads] + rows.prefix(rowsMax - 2)
        let widths = heads.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        // The name gives way where the numbers need the room.
        let numbers = widths.dropFirst().reduce(0) { $0 + $1 + 2 }
        let nameWidth = max(1, min(widths[0], columns - numbers))
        return [""]
            + all.map { row in
                let name = String(row[0].prefix(nameWidth))
                return zip(row, widths).dropFirst().reduce(Self.padded(name, nameWidth)) {
                    $0 + "  " + Self.padded($1.0, $1.1, toRight: true)
                }
            }
    }

    private func clipped(_ line: String) -> String { String(line.prefix(columns)) }

    private static func padded(_ text: String, _ width: Int, toRight: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(0, width - text.count))
        return toRight ? spaces + text : text + spaces
    }
}
