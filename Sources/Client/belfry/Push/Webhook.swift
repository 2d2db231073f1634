internal import About
internal import BelfryClient
internal import Digests
internal import Topics

/// One line of the file of `belfry push`: a selector, the address that gets its events, and the
/// secrets that sign them.
struct Webhook: Sendable {
    /// Its line number in the file, from 1 on.
    let line: Int
    let selector: Selector
    let address: WebhookAddress
    let secrets: [WebhookSecret]
    /// The name under which its cursor is kept. It is made of the selector and the address alone:
    /// neither another secret nor another place in the file is another webhook.
    let cursorName: String

    /// Reads `SELECTOR ADDRESS SECRET…`.
    init(_ text: Substring, line: Int) throws(CommandFailure) {
        let words = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        let failure = { (sentence: String) in CommandFailure(.file, "line \(line): \(sentence)") }
        guard (3...2 + Limits.webhookSecretsMax).contains(words.count) else {
            throw failure(
                "write SELECTOR ADDRESS SECRET, with up to \(Limits.webhookSecretsMax) secrets")
        }
        do throws(NameError) {
            selector = try Selector(words[0])
        } catch {
            throw failure("'\(words[0])' selects nothing: \(error)")
        }
        guard let address = WebhookAddress(words[1]) else {
            throw failure("the second word is no address: write http:// or https://, HOST and PATH")
        }
        let secrets = words[2...].compactMap { WebhookSecret($0) }
        guard secrets.count == words.count - 2 else {
            // The word itself is not for a log.
            let bytes = Limits.webhookSecretBytes
            throw failure(
                "a secret is whsec_ and the base64 of \(bytes.lowerBound) to \(bytes.upperBound) "
                    + "bytes")
        }
        self.line = line
        self.address = address
        self.secrets = secrets
        let digest = Array("\(selector) \(words[1])".utf8).withUnsafeBytes { Digest.sha256($0) }
        cursorName =
            "push-"
            + digest.prefix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The headers of a request with an event (Standard Webhooks 1.0): the id stays the same
    /// however often it is sent.
    func headers(of event: Event, seconds: Int64, body: Payload) -> [String] {
        let id = "\(event.id)"
        let signatures = secrets.map { $0.signature(id: id, seconds: seconds, body: body) }
        return [
            "webhook-id: \(id)", "webhook-timestamp: \(seconds)",
            "webhook-signature: \(signatures.joined(separator: " "))",
            "Content-Type: application/json", "User-Agent: belfry/\(Version.number)",
        ]
    }
}

/// A secret that a receiver of webhooks knows too, as `whsec_` and base64 (Standard Webhooks 1.0).
struct WebhookSecret: Hashable, Sendable {
    private let key: [UInt8]

    /// The secret that a text spells; nil where it is none, or none of a proper length.
    init?(_ text: String) {
        let prefix = "whsec_"
        guard text.hasPrefix(prefix),
            let key = Array(text.utf8.dropFirst(prefix.utf8.count)).withUnsafeBytes({
                Base64.decode($0)
            }), Limits.webhookSecretBytes.contains(key.count)
        else { return nil }
        self.key = key
    }

    /// The value of `webhook-signature` for a body that is sent with this id at this time.
    func signature(id: String, seconds: Int64, body: Payload) -> String {
        let signed = Array("\(id).\(seconds).".utf8)
        let code = key.withUnsafeBytes { key in
            signed.withUnsafeBytes { Digest.hmacSHA256(key: key, $0, body.bytes) }
        }
        return "v1," + Base64.text(code)
    }
}
