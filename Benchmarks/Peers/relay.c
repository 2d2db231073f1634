// relay PORT: the least that can pass an event from a publisher to subscribers: one thread, epoll, no
// parser, no log. A connection that sends GET gets a head and then the body of every POST, in the
// bytes of an event stream; a POST is answered 201 behind its deliveries.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { connections_max = 4096 };
static int subscribers[connections_max], subscriber_count;
static char input[connections_max][4096];
static size_t filled[connections_max];

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
static const char created[] = "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\n{}\n";

static void pass_on(const char *body, size_t count) {
    char event[4096], chunk[4200];
    int event_count = snprintf(event, sizeof event, "id: 1795251600000000\ndata: %.*s\n\n", (int)count, body);
    int chunk_count = snprintf(chunk, sizeof chunk, "%x\r\n%s\r\n", (unsigned)event_count, event);
    for (int i = 0; i < subscriber_count; i++) send(subscribers[i], chunk, (size_t)chunk_count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Answers the requests that are there; how many bytes they had.
static size_t answer(int fd, const char *bytes, size_t count) {
    size_t used = 0;
    for (const char *head = bytes, *end; (end = memmem(head, count - used, "\r\n\r\n", 4)); head = bytes + used) {
        end += 4;
        if (!strncmp(head, "GET ", 4)) {
            used = (size_t)(end - bytes);
            send(fd, stream_head, sizeof stream_head - 1, MSG_NOSIGNAL);
            if (subscriber_count < connections_max) subscribers[subscriber_count++] = fd;
            continue;
        }
        const char *length = memmem(head, (size_t)(end - head), "Content-Length: ", 16);
        size_t body = length ? (size_t)atol(length + 16) : 0;
        if ((size_t)(end - bytes) + body > count) break;
        pass_on(end, body);
        send(fd, created, sizeof created - 1, MSG_NOSIGNAL);
        used = (size_t)(end - bytes) + body;
    }
    return used;
}

static void read_some(int fd) {
    ssize_t got = recv(fd, input[fd] + filled[fd], sizeof input[fd] - filled[fd], 0);
    if (got <= 0) {
        for (int i = 0; i < subscriber_count; i++) {
            if (subscribers[i] == fd) subscribers[i--] = subscribers[--subscriber_count];
        }
        close(fd);
        return;
    }
    size_t count = filled[fd] + (size_t)got, used = answer(fd, input[fd], count);
    filled[fd] = count - used;
    memmove(input[fd], input[fd] + used, filled[fd]);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    int listener = socket(AF_INET, SOCK_STREAM, 0), epoll = epoll_create1(0), one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) return perror("relay"), 1;
    struct epoll_event events[256], interest = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &interest);
    for (;;) {
        int ready = epoll_wait(epoll, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd != listener) {
                read_some(fd);
                continue;
            }
            if ((fd = accept(listener, NULL, NULL)) < 0) continue;
            if (fd >= connections_max) return fprintf(stderr, "relay: too many connections\n"), 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            filled[fd] = 0;
            interest.data.fd = fd;
            epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &interest);
        }
    }
}
