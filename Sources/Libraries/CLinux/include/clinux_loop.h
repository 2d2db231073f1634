#ifndef BELFRY_CLINUX_LOOP_H
#define BELFRY_CLINUX_LOOP_H

#include <stdint.h>
#include <sys/epoll.h>

/// What epoll reports and can be asked for, as constants: Swift imports neither the macros nor,
/// as numbers, the enumerators.
enum clinux_epoll_bit {
    CLINUX_EPOLL_IN = 0x001,
    CLINUX_EPOLL_OUT = 0x004,
    CLINUX_EPOLL_ERR = 0x008,
    CLINUX_EPOLL_HUP = 0x010,
    CLINUX_EPOLL_RDHUP = 0x2000,
};

/// How epoll is to report: each change once, or to one of several waiting threads.
extern const uint32_t clinux_epoll_edge;
extern const uint32_t clinux_epoll_exclusive;

/// A new epoll instance, closed on exec, or -errno.
int clinux_epoll_create(void);

/// Watches `descriptor`, changes what it is watched for, or stops; 0, or -errno.
int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token);
int clinux_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t token);
int clinux_epoll_remove(int epoll, int descriptor);

/// The parts of one event, whose struct is packed on some machines.
uint32_t clinux_event_bits(const struct epoll_event *event);
uint64_t clinux_event_token(const struct epoll_event *event);

/// A new non-blocking eventfd, closed on exec, or -errno.
int clinux_eventfd(void);

/// Accepts one connection, non-blocking and closed on exec; the descriptor, or -errno. Where it comes
/// from is written to `address`, which has room for `*size` bytes, and `*size` says how many it takes.
int clinux_accept(int listener, void *address, uint32_t *size);

/// Binds a unix socket to a path whose file has these permission bits from its first moment; 0, or
/// -errno.
///
/// The kernel takes the umask's bits from those of the socket, and all threads have one umask. So a
/// child process binds, with its own; it shares the descriptors of this process. Nothing
/// changes the file by its path afterwards: whoever may write in its folder could have put a link to
/// another file there.
int clinux_bind_with_mode(int descriptor, const void *address, uint32_t size, uint32_t mode);

/// Makes two unix sockets that are connected to each other, non-blocking and closed on exec; 0, or
/// -errno.
int clinux_socket_pair(int ends[2]);

/// Makes a descriptor non-blocking and closed on exec; 0, or -errno.
int clinux_prepare_descriptor(int descriptor);

/// Names the calling thread; the kernel keeps 15 bytes.
void clinux_name_thread(const char *name);

#endif
