// flood: publishes a fixed number of events over kept connections, one request on each at a time;
// with `--redis` of redis-server, which keeps each in a stream. With `--numbered` each request has an
// X-Request-Id of its own, as those of some programs and of proxies have.
//
// Prints the rate, the latency of an answer, and with --pid the server's processor time for each
// request. Fails at any answer but 2xx. The first tenth of the requests warms up and is not counted.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "usage.h"
#include "wire.h"

struct connection {
    int fd;
    size_t count;
    uint64_t sent_at;
    char input[4096];
};

static int port, connections = 64, size = 100, topics = 1, pid, is_redis, is_numbered;
static long requests = 100000, sent;
static const char *path = "/pub/t{topic}";
static char *event;

static int request_head(char *out, size_t capacity, const char *target) {
    if (is_redis) return redis_add(out, capacity, target, size);
    char number[80] = "";
    if (is_numbered) snprintf(number, sizeof number, "X-Request-Id: %016lx\r\n", sent * 2654435761u);
    return snprintf(out, capacity, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n",
        target, port, number, size);
}

static void publish(struct connection *c) {
    char request[8192], filled[1024];
    fill(filled, sizeof filled, path, sent++ % topics, 0);
    int head = request_head(request, 4000, filled);
    c->sent_at = now_ns();
    stamp_time(event, (size_t)size, c->sent_at);
    memcpy(request + head, event, (size_t)size);
    memcpy(request + head + size, "\r\n", 2);
    send_all(c->fd, request, (size_t)(head + size + 2 * is_redis));
}

// Whether an answer is complete.
static int read_answer(struct connection *c) {
    ssize_t got = recv(c->fd, c->input + c->count, sizeof c->input - 1 - c->count, 0);
    if (got <= 0) die("a publisher was cut off");
    c->count += (size_t)got;
    c->input[c->count] = 0;
    const char *body;
    size_t length = is_redis ? redis_answer_length(c->input, c->count) : answer_length(c->input, c->count, &body);
    if (length && length != c->count) die("an answer too many");
    if (length) c->count = 0;
    return length != 0;
}

static void read_arguments(int count, char **arguments) {
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"connections", 1, 0, 'c'}, {"requests", 1, 0, 'n'},
        {"size", 1, 0, 's'}, {"topics", 1, 0, 't'}, {"pid", 1, 0, 'i'}, {"redis", 0, 0, 'r'},
        {"unix", 1, 0, 'x'}, {"numbered", 0, 0, 'd'}, {0},
    };
    for (int option; (option = getopt_long(count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'u': path = optarg; break;
        case 'c': connections = atoi(optarg); break;
        case 'n': requests = atol(optarg); break;
        case 's': size = atoi(optarg); break;
        case 't': topics = atoi(optarg); break;
        case 'i': pid = atoi(optarg); break;
        case 'r': is_redis = 1; break;
        case 'd': is_numbered = 1; break;
        case 'x': dial_unix(optarg); break;
        default: exit(2);
        }
    }
    if (size > 4096) die("events have at most 4096 bytes here");
}

static int by_size(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

int main(int argument_count, char **arguments) {
    read_arguments(argument_count, arguments);
    event = malloc((size_t)size);
    stamp_event(event, (size_t)size);
    long warm = requests / 10, total = warm + requests, answered = 0;
    uint32_t *latencies = malloc((size_t)requests * sizeof *latencies);
    struct connection *all = calloc((size_t)connections, sizeof *all);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < connections; i++) {
        all[i].fd = dial(port);
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = &all[i]};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, all[i].fd, &interest)) die("epoll_ctl");
    }
    for (int i = 0; i < connections && sent < total; i++) publish(&all[i]);
    unsigned long long cpu = 0;
    uint64_t start = now_ns();
    while (answered < total) {
        struct epoll_event events[256];
        int count = epoll_wait(epoll, events, 256, 30000);
        if (count <= 0) die("no answer for 30 seconds, %ld of %ld answered", answered, total);
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            if (!read_answer(c)) continue;
            if (answered >= warm) latencies[answered - warm] = (uint32_t)(now_ns() - c->sent_at);
            if (++answered == warm) {
                cpu = pid ? cpu_ns(pid) : 0;
                start = now_ns();
            }
            if (sent < total) publish(c);
        }
    }
    double seconds = (double)(now_ns() - start) / 1e9;
    if (pid) wait_until_idle(pid);
    double cpu_us = pid ? (double)(cpu_ns(pid) - cpu) / 1e3 : 0;
    qsort(latencies, (size_t)requests, sizeof *latencies, by_size);
    printf("requests=%ld published=%ld seconds=%.3f rate=%.0f p50_us=%.1f p99_us=%.1f cpu_us=%.3f\n", requests, total, seconds,
        (double)requests / seconds, latencies[requests / 2] / 1e3, latencies[requests * 99 / 100] / 1e3, cpu_us / (double)requests);
    return 0;
}
