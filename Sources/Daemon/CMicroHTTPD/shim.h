#ifndef BELFRY_CMICROHTTPD_SHIM_H
#define BELFRY_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

/* Swift imports no variadic function, so each one that is used has a fixed form here. */

/* MHD_USE_NO_THREAD_SAFETY, which the headers of 0.9.75 lack. */
#define BELFRY_MHD_SINGLE_THREAD (1U << 19)

/* A daemon without listener and thread, to be driven by MHD_run() alone; NULL when it cannot start.
 * `context` is handed to every callback. `is_single_thread` tells a library that knows the flag that
 * one thread makes all calls; others must not be given it. */
static inline struct MHD_Daemon *belfry_mhd_start(
    void *context, MHD_AccessHandlerCallback handler,
    void *(*request_line)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *),
    MHD_NotifyConnectionCallback connection, size_t pool_bytes, int is_single_thread) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_USE_NO_LISTEN_SOCKET
            | (is_single_thread ? BELFRY_MHD_SINGLE_THREAD : 0), 0,
        NULL, NULL, handler, context,
        MHD_OPTION_URI_LOG_CALLBACK, request_line, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection, context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, pool_bytes,
        MHD_OPTION_END);
}

/* Bytes from the request line's first to the blank line's last; 0 before that was read. */
static inline size_t belfry_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* Whether a connection notification is about a new connection, not one that closes. */
static inline int belfry_mhd_is_start(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

/* Calls `visit` with every header of the request, in order. */
static inline void belfry_mhd_each_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context) {
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit, context);
}

/* A response without a body; NULL without memory. */
static inline struct MHD_Response *belfry_mhd_empty(void) {
    return MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
}

#endif
