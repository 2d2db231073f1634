// All subscribers, on one thread: asks, reads, counts, and asks again where an answer ends.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fan.h"
#include "wire.h"

struct subscriber {
    int fd, index, streaming;
    long got, bytes;
    char *rest;
    size_t rest_count;
};

static char input[512 * 1024];

static void ask(struct subscriber *s, const char *headers, const char *query) {
    char path[8192], request[12288];
    fill(path, sizeof path, plan.sub_path, s->index % plan.topics, s->index);
    const char *kind = plan.mode == event_streams ? "Accept: text/event-stream\r\n"
        : plan.mode == web_sockets ? "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                                     "Sec-WebSocket-Key: bWVhc3VyZWQgYXQgd29yaw==\r\n"
                                   : "";
    int count = snprintf(request, sizeof request, "GET %s%s%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s%s%s\r\n", path,
        *query ? (strchr(path, '?') ? "&" : "?") : "", query, plan.port, kind, plan.headers, headers);
    send_all(s->fd, request, (size_t)count);
}

static void count_marks(struct subscriber *s, const char *from, const char *end) {
    uint64_t time, now = 0;
    long count = 0;
    for (; (from = find_mark(from, end, &time)); from += mark_bytes, count++) {
        if (!now) now = now_ns();
        uint64_t latency = now - time;
        if (latency_count < latency_capacity) latencies[latency_count++] = latency > UINT32_MAX ? UINT32_MAX : (uint32_t)latency;
    }
    s->got += count;
    if (count) atomic_fetch_add(&delivered, count);
}

// Takes whole answers and asks for the next of each; how many bytes it took.
static size_t take_answers(struct subscriber *s, size_t count) {
    size_t used = 0;
    for (;;) {
        const char *head = input + used, *body;
        size_t length = answer_length(head, count - used, &body);
        if (!length) return used;
        char headers[1024] = "", query[1024] = "", value[256];
        for (int i = 0; i < plan.next_count; i++) {
            char name[128];
            const char *into = strchr(plan.nexts[i], '>');
            snprintf(name, sizeof name, "%.*s", (int)(into - plan.nexts[i]), plan.nexts[i]);
            if (!header(head, body, name, value, sizeof value)) continue;
            char *list = into[1] == '?' ? query : headers;
            size_t at = strlen(list);
            if (into[1] == '?') snprintf(list + at, 1024 - at, "%s%s=%s", at ? "&" : "", into + 2, value);
            else snprintf(list + at, 1024 - at, "%s: %s\r\n", into + 1, value);
        }
        count_marks(s, body, head + length);
        used += length;
        ask(s, headers, query);
    }
}

// Counts what a stream brought, except for a mark that is not whole yet; how many bytes it took.
static size_t take_stream(struct subscriber *s, size_t count) {
    const char *from = input, *end = input + count;
    if (!s->streaming) {
        const char *body = memmem(input, count, "\r\n\r\n", 4);
        if (!body) return 0;
        errno = 0;
        if (strncmp(input, "HTTP/1.1 200", 12) && strncmp(input, "HTTP/1.1 101", 12)) die("refused: %.400s", input);
        s->streaming = 1;
        atomic_fetch_add(&ready, 1);
        from = body + 4;
    }
    count_marks(s, from, end);
    for (const char *tail = end - from > mark_bytes - 1 ? end - mark_bytes + 1 : from; tail < end; tail++) {
        if (*tail == '@' && (tail + 1 == end || tail[1] == 'T')) return (size_t)(tail - input);
    }
    return count;
}

static void read_some(struct subscriber *s) {
    memcpy(input, s->rest, s->rest_count);
    ssize_t got = recv(s->fd, input + s->rest_count, sizeof input - 1 - s->rest_count, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) die("subscriber %d was cut off", s->index);
    s->bytes += got;
    size_t count = s->rest_count + (size_t)got;
    input[count] = 0;
    size_t used = plan.mode == long_polls ? take_answers(s, count) : take_stream(s, count);
    s->rest_count = count - used;
    s->rest = realloc(s->rest, s->rest_count + 1);
    memcpy(s->rest, input + used, s->rest_count);
}

void *run_subscribers(void *unused) {
    (void)unused;
    struct subscriber *all = calloc((size_t)plan.subs, sizeof *all);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < plan.subs; i++) {
        struct subscriber *s = &all[i];
        *s = (struct subscriber){.fd = dial(plan.port), .index = i, .rest = malloc(1)};
        fcntl(s->fd, F_SETFL, O_NONBLOCK);
        ask(s, "", "");
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = s};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, s->fd, &event)) die("epoll_ctl");
        // Below every server's backlog.
        if (i % 100 == 99) usleep(1000);
    }
    if (plan.mode == long_polls) atomic_store(&ready, plan.subs);
    while (!atomic_load(&stopping)) {
        struct epoll_event events[512];
        int count = epoll_wait(epoll, events, 512, 50);
        for (int i = 0; i < count; i++) read_some(events[i].data.ptr);
        if (count > 0) delivered_some();
    }
    errno = 0;
    for (int i = 0; i < plan.subs; i++) {
        // One that had an event twice must not make up for one that missed it.
        if (plan.topics == 1 && all[i].got != all[0].got) die("subscriber %d had %ld events, another one %ld", i, all[i].got, all[0].got);
        if (all[i].bytes < all[i].got * plan.size) die("subscriber %d had %ld events in %ld bytes", i, all[i].got, all[i].bytes);
    }
    return NULL;
}
