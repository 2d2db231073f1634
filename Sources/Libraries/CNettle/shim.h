#ifndef BELFRY_CNETTLE_SHIM_H
#define BELFRY_CNETTLE_SHIM_H

#include <nettle/base64.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <nettle/version.h>

// Nettle 4 takes no length: digests are always whole there. So are ours.

static inline void belfry_sha1_digest(struct sha1_ctx *hash, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR < 4
    nettle_sha1_digest(hash, SHA1_DIGEST_SIZE, digest);
#else
    nettle_sha1_digest(hash, digest);
#endif
}

static inline void belfry_sha256_digest(struct sha256_ctx *hash, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR < 4
    nettle_sha256_digest(hash, SHA256_DIGEST_SIZE, digest);
#else
    nettle_sha256_digest(hash, digest);
#endif
}

static inline void belfry_hmac_sha256_digest(struct hmac_sha256_ctx *code, uint8_t *digest) {
#if NETTLE_VERSION_MAJOR < 4
    nettle_hmac_sha256_digest(code, SHA256_DIGEST_SIZE, digest);
#else
    nettle_hmac_sha256_digest(code, digest);
#endif
}

#endif
