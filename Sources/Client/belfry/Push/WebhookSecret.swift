internal import Digests
internal import Topics

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
