// relay PORT: the least that can pass an event from a publisher to subscribers: one thread, epoll, no
// parser, no log. A connection that sends GET gets a head and then the body of every POST, in the
// bytes of an event stream. One event is on its way at a time: a POST is answered 201 behind its
// deliveries, and nobody may publish until then.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { connections_max = 4096, framing_max = 64 };
static int epoll, publisher, subscribers[connections_max], subscriber_count, unfinished;
static struct input {
    char *bytes;
    size_t filled, capacity;
} inputs[connections_max];

// The event that is on its way, and how much of it each subscriber has.
static char *chunk;
static size_t chunk_count, chunk_capacity, sent[connections_max];

static const char stream_head[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
static const char created[] = "HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\n{}\n";
static const char field[] = "id: 1795251600000000\ndata: ", event_end[] = "\n\n", chunk_end[] = "\r\n";

static void make_chunk(const char *body, size_t count) {
    if (chunk_capacity < count + framing_max) chunk = realloc(chunk, chunk_capacity = count + framing_max);
    int head = sprintf(chunk, "%zx\r\n%s", strlen(field) + count + strlen(event_end), field);
    memcpy(chunk + head, body, count);
    chunk_count = (size_t)head + count + (size_t)sprintf(chunk + head + count, "%s%s", event_end, chunk_end);
}

static void answer_publisher(void) { send(publisher, created, strlen(created), MSG_NOSIGNAL); }

static void finish_one(void) {
    if (!--unfinished) answer_publisher();
}

// Writes as much of the event as the kernel takes; it tells when it takes more.
static void write_on(int fd) {
    if (sent[fd] == chunk_count) return;
    ssize_t taken = send(fd, chunk + sent[fd], chunk_count - sent[fd], MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken > 0) sent[fd] += (size_t)taken;
    if (sent[fd] == chunk_count) finish_one();
}

static void pass_on(int from, const char *body, size_t count) {
    publisher = from;
    make_chunk(body, count);
    unfinished = subscriber_count;
    if (!unfinished) answer_publisher();
    for (int i = 0; i < subscriber_count; i++) {
        sent[subscribers[i]] = 0;
        write_on(subscribers[i]);
    }
}

static void follow(int fd) {
    send(fd, stream_head, strlen(stream_head), MSG_NOSIGNAL);
    sent[fd] = chunk_count;
    subscribers[subscriber_count++] = fd;
    struct epoll_event interest = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = fd};
    epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &interest);
}

static void forget(int fd) {
    for (int i = 0; i < subscriber_count; i++) {
        if (subscribers[i] != fd) continue;
        subscribers[i] = subscribers[--subscriber_count];
        if (sent[fd] < chunk_count) finish_one();
    }
    close(fd);
}

// Answers the requests that are there; how many bytes they had.
static size_t answer(int fd, const char *bytes, size_t count) {
    size_t used = 0;
    for (const char *head = bytes, *end; (end = memmem(head, count - used, "\r\n\r\n", 4)); head = bytes + used) {
        end += 4;
        if (!strncmp(head, "GET ", 4)) {
            used = (size_t)(end - bytes);
            follow(fd);
            continue;
        }
        const char *length = memmem(head, (size_t)(end - head), "Content-Length: ", 16);
        size_t body = length ? (size_t)atol(length + 16) : 0;
        if ((size_t)(end - bytes) + body > count) break;
        pass_on(fd, end, body);
        used = (size_t)(end - bytes) + body;
    }
    return used;
}

static void read_some(int fd) {
    struct input *input = &inputs[fd];
    if (input->capacity - input->filled < 2048) input->bytes = realloc(input->bytes, input->capacity = 2 * input->capacity + 4096);
    ssize_t got = recv(fd, input->bytes + input->filled, input->capacity - input->filled, 0);
    if (got <= 0) return forget(fd);
    size_t count = input->filled + (size_t)got, used = answer(fd, input->bytes, count);
    input->filled = count - used;
    memmove(input->bytes, input->bytes + used, input->filled);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    epoll = epoll_create1(0);
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
                if (events[i].events & EPOLLOUT) write_on(fd);
                if (events[i].events & ~(unsigned)EPOLLOUT) read_some(fd);
                continue;
            }
            if ((fd = accept(listener, NULL, NULL)) < 0) continue;
            if (fd >= connections_max) return fprintf(stderr, "relay: too many connections\n"), 1;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
            inputs[fd].filled = 0;
            interest.data.fd = fd;
            epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &interest);
        }
    }
}
