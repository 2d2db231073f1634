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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert((int)CLINUX_EPOLL_IN == (int)EPOLLIN && (int)CLINUX_EPOLL_OUT == (int)EPOLLOUT &&
                   (int)CLINUX_EPOLL_ERR == (int)EPOLLERR &&
                   (int)CLINUX_EPOLL_HUP == (int)EPOLLHUP &&
                   (int)CLINUX_EPOLL_RDHUP == (int)EPOLLRDHUP,
               "the bits are the kernel's");

const uint32_t clinux_epoll_edge = EPOLLET;
const uint32_t clinux_epoll_exclusive = EPOLLEXCLUSIVE;

enum { PEEK_OFFSET = 1 << 30 };

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

int clinux_accept(int listener) {
    return result_of(accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

struct binding {
    int descriptor;
    const void *address;
    uint32_t size;
    int result;
};

static int bind_without_umask(void *argument) {
    struct binding *binding = argument;
    umask(0);
    long result = syscall(SYS_bind, binding->descriptor, binding->address, binding->size);
    binding->result = result == 0 ? 0 : -errno;
    return 0;
}

int clinux_bind_with_mode(int descriptor, const void *address, uint32_t size, uint32_t mode) {
    if (fchmod(descriptor, mode) != 0) return -errno;
    struct binding binding = {descriptor, address, size, 0};
    // Memory and descriptors are those of this process, so that no copy of a socket outlives its
    // owner; the umask is the child's own. Its end sends no signal, and it takes none.
    _Alignas(16) char stack[16384];
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = clone(
        bind_without_umask, stack + sizeof stack, CLONE_VM | CLONE_VFORK | CLONE_FILES, &binding);
    int error = errno;
    if (child >= 0) {
        while (waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR) continue;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return child < 0 ? -error : binding.result;
}

int clinux_duplicate(int descriptor) { return result_of(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

int clinux_prepare_descriptor(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) < 0) return -errno;
    return result_of(fcntl(descriptor, F_SETFD, FD_CLOEXEC));
}

int clinux_count_reads(int descriptor) {
    int offset = PEEK_OFFSET;
    return result_of(setsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset));
}

void clinux_stop_counting_reads(int descriptor) {
    int offset = -1;
    setsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, sizeof offset);
}

int64_t clinux_counted_reads(int descriptor) {
    int offset = 0;
    socklen_t size = sizeof offset;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &offset, &size) < 0) return -errno;
    return offset <= 0 ? -ERANGE : PEEK_OFFSET - (int64_t)offset;
}

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
