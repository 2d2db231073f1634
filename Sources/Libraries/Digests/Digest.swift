internal import CNettle

/// Hashes of bytes, as libnettle computes them.
///
/// Safe from any thread; keeps nothing.
public enum Digest {
    /// The SHA-1 of some pieces, one behind the other: 20 bytes (FIPS 180-4).
    ///
    /// For protocols that ask for it, such as the handshake of a WebSocket; it proves nothing about
    /// the origin of the bytes.
    ///
    /// - Complexity: O(bytes).
    public static func sha1(_ pieces: UnsafeRawBufferPointer...) -> [UInt8] {
        var hash = sha1_ctx()
        nettle_sha1_init(&hash)
        for piece in pieces {
            nettle_sha1_update(
                &hash, piece.count, piece.assumingMemoryBound(to: UInt8.self).baseAddress)
        }
        var digest = [UInt8](repeating: 0, count: Int(SHA1_DIGEST_SIZE))
        belfry_sha1_digest(&hash, &digest)
        return digest
    }

    /// The SHA-256 of some bytes: 32 bytes (FIPS 180-4).
    ///
    /// - Complexity: O(bytes).
    public static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = sha256_ctx()
        nettle_sha256_init(&hash)
        nettle_sha256_update(
            &hash, bytes.count, bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        belfry_sha256_digest(&hash, &digest)
        return digest
    }

    /// The HMAC of some pieces, one behind the other, with SHA-256: 32 bytes (RFC 2104).
    ///
    /// A reader that has the key can check with it that a holder of the key made the bytes.
    ///
    /// - Complexity: O(bytes).
    public static func hmacSHA256(
        key: UnsafeRawBufferPointer, _ pieces: UnsafeRawBufferPointer...
    ) -> [UInt8] {
        var code = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(
            &code, key.count, key.assumingMemoryBound(to: UInt8.self).baseAddress)
        for piece in pieces {
            nettle_hmac_sha256_update(
                &code, piece.count, piece.assumingMemoryBound(to: UInt8.self).baseAddress)
        }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        belfry_hmac_sha256_digest(&code, &digest)
        return digest
    }

    /// Whether two digests are the same, in a time that does not depend on where they differ.
    ///
    /// Digests of different lengths differ, and that is told at once: a length is no secret.
    public static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return nettle_memeql_sec(left, right, left.count) == 1
    }
}
