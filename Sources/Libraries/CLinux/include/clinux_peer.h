#ifndef BELFRY_CLINUX_PEER_H
#define BELFRY_CLINUX_PEER_H

#include <stdint.h>

/// What SO_PEERCRED says of a unix socket's peer.
struct clinux_credentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

/// 0, or -errno.
int clinux_peer_credentials(int descriptor, struct clinux_credentials *credentials);

/// The supplementary groups of a unix socket's peer, as they were when it connected: how many were
/// written to `groups`, or -errno; -ERANGE where there are more than `capacity`.
int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity);

/// One row of the kernel's table of TCP sockets.
struct clinux_tcp_row {
    uint32_t uid;
    uint32_t inode;
    uint8_t state;
};

/// A non-blocking netlink socket for clinux_tcp_row_find, or -errno.
int clinux_sock_diag_open(void);

/// Finds the socket whose own end is source:source_port and whose other end is
/// target:target_port; addresses in network order (4 bytes for AF_INET, 16 for AF_INET6), ports
/// as numbers. Where no connection has these ends, it is the listener that a connection to
/// source:source_port would come to. 0, -ENOENT where there is none, -ETIMEDOUT, or another -errno.
int clinux_tcp_row_find(int netlink, int family, const void *source, uint16_t source_port,
                        const void *target, uint16_t target_port, int timeout_milliseconds,
                        uint32_t sequence, struct clinux_tcp_row *row);

/// Bytes that can be read without waiting, or -errno.
int clinux_unread_bytes(int descriptor);

/// 1 when both directions are closed or the connection failed, 0 when not, or -errno.
int clinux_is_hung_up(int descriptor);

/// TCP states as the kernel numbers them, by the names that matter here.
enum clinux_tcp_state {
    CLINUX_TCP_ESTABLISHED = 1,
    CLINUX_TCP_FIN_WAIT1 = 4,
    CLINUX_TCP_FIN_WAIT2 = 5,
    CLINUX_TCP_TIME_WAIT = 6,
    CLINUX_TCP_CLOSE_WAIT = 8,
    CLINUX_TCP_LAST_ACK = 9,
    CLINUX_TCP_LISTEN = 10,
    CLINUX_TCP_CLOSING = 11,
};

#endif
