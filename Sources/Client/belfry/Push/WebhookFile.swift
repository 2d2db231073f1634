/// The file of `belfry push`: one webhook a line. A line whose first word begins with `#` is a
/// comment.
enum WebhookFile {
    /// The webhooks of a file, which nobody else may read or write: it has secrets, and the
    /// addresses that get events.
    static func webhooks(of path: String) throws(CommandFailure) -> [Webhook] {
        let text = try TextFile.text(
            of: path, isSecret: true, bytesMax: Limits.webhookFileBytesMax)
        do throws(CommandFailure) {
            return try webhooks(in: text)
        } catch {
            throw CommandFailure(error.code, "\(path), \(error.sentence ?? "")")
        }
    }

    /// The webhooks of a text.
    static func webhooks(in text: String) throws(CommandFailure) -> [Webhook] {
        var found: [Webhook] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else {
                continue
            }
            let webhook = try Webhook(line, line: index + 1)
            if let twin = found.first(where: { $0.cursorName == webhook.cursorName }) {
                throw CommandFailure(
                    .file, "line \(webhook.line): line \(twin.line) has this selector and address")
            }
            found.append(webhook)
        }
        guard (1...Limits.webhooksMax).contains(found.count) else {
            throw CommandFailure(
                .file, "there are \(found.count) webhooks: write 1 to \(Limits.webhooksMax)")
        }
        return found
    }
}
