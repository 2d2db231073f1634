#define _GNU_SOURCE

#include "clinux_peer.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int clinux_peer_credentials(int descriptor, struct clinux_credentials *credentials) {
    struct ucred kernel;
    socklen_t size = sizeof kernel;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &kernel, &size) != 0) return -errno;
    credentials->pid = kernel.pid;
    credentials->uid = kernel.uid;
    credentials->gid = kernel.gid;
    return 0;
}

int clinux_peer_groups(int descriptor, uint32_t *groups, int capacity) {
    socklen_t size = (socklen_t)capacity * sizeof *groups;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0) return -errno;
    return (int)(size / sizeof *groups);
}

int clinux_sock_diag_open(void) {
    int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG);
    if (netlink < 0) return -errno;
    // Connected to the kernel, so that no other process can answer in its place.
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    if (connect(netlink, (struct sockaddr *)&kernel, sizeof kernel) != 0) {
        int error = -errno;
        close(netlink);
        return error;
    }
    return netlink;
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Takes the row out of one message of the kernel; 1 when it answers another question.
static int row_of_message(const char *message, size_t size, uint32_t sequence,
                          struct clinux_tcp_row *row) {
    struct nlmsghdr header;
    if (size < sizeof header) return -EPROTO;
    memcpy(&header, message, sizeof header);
    if (header.nlmsg_len > size) return -EPROTO;
    if (header.nlmsg_seq != sequence) return 1;
    const char *payload = message + NLMSG_HDRLEN;
    size_t payload_size = header.nlmsg_len - NLMSG_HDRLEN;
    if (header.nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr error;
        if (payload_size < sizeof error.error) return -EPROTO;
        memcpy(&error.error, payload, sizeof error.error);
        return error.error < 0 ? error.error : -EPROTO;
    }
    struct inet_diag_msg found;
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || payload_size < sizeof found) return -EPROTO;
    memcpy(&found, payload, sizeof found);
    row->uid = found.idiag_uid;
    row->inode = found.idiag_inode;
    row->state = found.idiag_state;
    return 0;
}

int clinux_tcp_row_find(int netlink, int family, const void *source, uint16_t source_port,
                        const void *target, uint16_t target_port, int timeout_milliseconds,
                        uint32_t sequence, struct clinux_tcp_row *row) {
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 request;
    } question;
    memset(&question, 0, sizeof question);
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST;
    question.header.nlmsg_seq = sequence;
    question.request.sdiag_family = (uint8_t)family;
    question.request.sdiag_protocol = IPPROTO_TCP;
    question.request.idiag_states = ~0u;
    question.request.id.idiag_sport = htons(source_port);
    question.request.id.idiag_dport = htons(target_port);
    size_t address_size = family == AF_INET ? 4 : 16;
    memcpy(question.request.id.idiag_src, source, address_size);
    memcpy(question.request.id.idiag_dst, target, address_size);
    question.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    question.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;

    if (send(netlink, &question, sizeof question, 0) < 0) return -errno;

    int64_t deadline = milliseconds() + timeout_milliseconds;
    for (;;) {
        char answer[1024];
        ssize_t size = recv(netlink, answer, sizeof answer, 0);
        if (size >= 0) {
            int result = row_of_message(answer, (size_t)size, sequence, row);
            if (result <= 0) return result;
            continue; // a late answer to a question that was given up
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return -errno;
        int64_t left = deadline - milliseconds();
        if (left <= 0) return -ETIMEDOUT;
        struct pollfd entry = {.fd = netlink, .events = POLLIN};
        if (poll(&entry, 1, (int)left) < 0 && errno != EINTR) return -errno;
    }
}

int clinux_unread_bytes(int descriptor) {
    int unread = 0;
    if (ioctl(descriptor, FIONREAD, &unread) != 0) return -errno;
    return unread;
}

int clinux_is_hung_up(int descriptor) {
    struct pollfd entry = {.fd = descriptor, .events = 0};
    int ready;
    do ready = poll(&entry, 1, 0);
    while (ready < 0 && errno == EINTR);
    if (ready < 0) return -errno;
    return (entry.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}
