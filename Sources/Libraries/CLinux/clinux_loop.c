#define _GNU_SOURCE

#include "clinux_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert((int)CLINUX_EPOLL_IN == (int)EPOLLIN && (int)CLINUX_EPOLL_OUT == (int)EPOLLOUT &&
                   (int)CLINUX_EPOLL_ERR == (int)EPOLLERR &&
                   (int)CLINUX_EPOLL_HUP == (int)EPOLLHUP &&
                   (int)CLINUX_EPOLL_RDHUP == (int)EPOLLRDHUP,
               "the bits are the kernel's");

const uint32_t clinux_epoll_edge = EPOLLET;
const uint32_t clinux_epoll_exclusive = EPOLLEXCLUSIVE;

static int result_of(int value) { return value < 0 ? -errno : value; }

int clinux_epoll_create(void) { return result_of(epoll_create1(EPOLL_CLOEXEC)); }

static int control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return result_of(epoll_ctl(epoll, operation, descriptor, &event));
}

int clinux_epoll_add(int epoll, int descriptor, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, events, token);
}

int clinux_epoll_change(int epoll, int descriptor, uint32_t events, uint64_t token) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, events, token);
}

int clinux_epoll_remove(int epoll, int descriptor) {
    return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

uint32_t clinux_event_bits(const struct epoll_event *event) { return event->events; }

uint64_t clinux_event_token(const struct epoll_event *event) { return event->data.u64; }

int clinux_eventfd(void) { return result_of(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }

int clinux_accept(int listener, void *address, uint32_t *size) {
    return result_of(accept4(listener, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

struct binding {
    int descriptor;
    const void *address;
    uint32_t size;
};

static int bind_without_umask(void *argument) {
    const struct binding *binding = argument;
    umask(0);
    return bind(binding->descriptor, binding->address, binding->size) == 0 ? 0 : errno;
}

int clinux_bind_with_mode(int descriptor, const void *address, uint32_t size, uint32_t mode) {
    if (fchmod(descriptor, mode) != 0) return -errno;
    struct binding binding = {descriptor, address, size};
    _Alignas(16) char stack[65536];
    // Unlike a child of `fork`, it has no copies of sockets, which would outlive their owners.
    pid_t child = clone(bind_without_umask, stack + sizeof stack, CLONE_FILES | SIGCHLD, &binding);
    if (child < 0) return -errno;
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno == EINTR) continue;
        // Where SIGCHLD is ignored nobody keeps the status: then a bound socket has a name.
        struct sockaddr_un name;
        socklen_t length = sizeof name;
        int result = getsockname(descriptor, (struct sockaddr *)&name, &length);
        return result == 0 && length > sizeof name.sun_family ? 0 : -ECHILD;
    }
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

int clinux_socket_pair(int ends[2]) {
    return result_of(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends));
}

int clinux_prepare_descriptor(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    return result_of(fcntl(descriptor, F_SETFD, FD_CLOEXEC));
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
