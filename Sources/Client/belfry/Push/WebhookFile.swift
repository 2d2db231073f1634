internal import Glibc

/// The file of `belfry push`: one webhook a line, behind `#` a comment.
enum WebhookFile {
    /// The webhooks of a file, which nobody else may read: it has secrets.
    static func webhooks(of path: String) throws(CommandFailure) -> [Webhook] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw CommandFailure(.file, "\(path) cannot be read: \(TextFile.lastError)")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IROTH == 0 else {
            throw CommandFailure(
                .file, "\(path) has secrets and everybody can read it: 'chmod o-r' it")
        }
        guard status.st_size <= Limits.webhookFileBytesMax, let bytes = ByteInput(file).all() else {
            throw CommandFailure(
                .file, "\(path) is longer than \(Limits.webhookFileBytesMax) bytes, or unreadable")
        }
        do throws(CommandFailure) {
            return try webhooks(in: String(decoding: bytes, as: UTF8.self))
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
