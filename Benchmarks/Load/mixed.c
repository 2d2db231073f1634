// mixed: kept connections of many kinds of clients, each of which sends the heads that its client sends.
//
// Publishes a fixed number of events, one request on each connection at a time; or with `--poll`, all
// connections poll, an event is published, each reads it and polls again, and so on. The next event is
// published once all have the last. Prints the rate and, with --pid, the server's processor time for each
// publish, or for each delivery with the poll that follows it. Fails at any answer but 2xx, and where a poll has
// another event than the last. With `--nchan` polls go on as nchan wants it. The first tenth warms up and is not counted.
//
// A client that sends the body of a publish apart from the head does so here, but not with `--whole`.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heads.h"
#include "usage.h"
#include "wire.h"

enum { input_max = 8192 };

struct connection {
    int fd;
    const struct kind *kind;
    size_t count;
    char input[input_max + 1];
};

static int port, connections = 64, size = 100, pid, is_whole, is_nchan;
static long operations = 100000;
static const char *path = "/pub/t0", *poll_path, *folder = "Benchmarks/Load/heads";
static char *event;
static uint64_t event_time;
static unsigned long long cpu_before;
static uint64_t started;

static void begin_counting(void) {
    cpu_before = pid ? cpu_ns(pid) : 0;
    started = now_ns();
}

static void publish(struct connection *c) {
    char request[2 * input_max];
    size_t head = write_head(request, input_max, &c->kind->publish, path, ""), first = head + (size_t)size;
    stamp_time(event, (size_t)size, event_time = now_ns());
    memcpy(request + head, event, (size_t)size);
    if (c->kind->is_apart && !is_whole) {
        send_all(c->fd, request, head);
        first = (size_t)size;
    }
    send_all(c->fd, request + head + (size_t)size - first, first);
}

// Polls from the event of the last answer on, by its cursor, or by the headers that nchan reads. Without an answer it polls
// from now on.
static void poll_behind(struct connection *c, const char *answer, const char *end) {
    char request[input_max], target[1024], lines[512] = "", value[128], tag[128];
    snprintf(target, sizeof target, "%s", poll_path);
    if (end && is_nchan) {
        if (!header(answer, end, "Last-Modified", value, sizeof value) || !header(answer, end, "Etag", tag, sizeof tag))
            die("an answer without its place: %.300s", answer);
        snprintf(lines, sizeof lines, "If-Modified-Since: %s\r\nIf-None-Match: %s\r\n", value, tag);
    } else if (end) {
        if (!header(answer, end, "Event-Cursor", value, sizeof value)) die("an answer without a cursor: %.300s", answer);
        snprintf(target, sizeof target, "%s?since=%s", poll_path, value);
    }
    send_all(c->fd, request, write_head(request, sizeof request, &c->kind->poll, target, lines));
}

// Takes what has come: the body of an answer that is whole, else NULL. It stands in the input until the next call.
static const char *take_answer(struct connection *c) {
    ssize_t got = recv(c->fd, c->input + c->count, input_max - c->count, 0);
    if (got <= 0) die("%s was cut off", c->kind->name);
    c->count += (size_t)got;
    c->input[c->count] = 0;
    const char *body;
    size_t length = answer_length(c->input, c->count, &body);
    if (length && length != c->count) die("%s got an answer too many", c->kind->name);
    if (!length && c->count == input_max) die("an answer of more than %d bytes", input_max);
    if (!length) return NULL;
    c->count = 0;
    return body;
}

// Waits for sockets that have something.
static int wait_for_answers(int epoll, struct epoll_event *events, int capacity, long done) {
    int count = epoll_wait(epoll, events, capacity, 30000);
    if (count <= 0) die("no answer for 30 seconds, behind %ld", done);
    return count;
}

static long run_publishes(int epoll, struct connection *all) {
    long warm = operations / 10, total = warm + operations, sent = 0, answered = 0;
    for (; sent < connections && sent < total; sent++) publish(&all[sent]);
    while (answered < total) {
        struct epoll_event events[256];
        int count = wait_for_answers(epoll, events, 256, answered);
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            if (!take_answer(c)) continue;
            if (++answered == warm) begin_counting();
            if (sent < total) sent++, publish(c);
        }
    }
    return operations;
}

// One event to all, each of which polls again; `publisher` is none of them.
static void deliver_one(int epoll, struct connection *publisher, long round) {
    publish(publisher);
    for (int missing = connections + 1; missing;) {
        struct epoll_event events[256];
        int count = wait_for_answers(epoll, events, 256, round);
        for (int i = 0; i < count; i++) {
            struct connection *c = events[i].data.ptr;
            const char *body = take_answer(c);
            if (!body) continue;
            missing--;
            if (c == publisher) continue;
            uint64_t time;
            if (!find_mark(body, body + strlen(body), &time) || time != event_time)
                die("%s has another event than the last: %.300s", c->kind->name, c->input);
            poll_behind(c, c->input, body);
        }
    }
}

static long run_polls(int epoll, struct connection *all) {
    long rounds = (operations + connections - 1) / connections, warm = (rounds + 9) / 10;
    for (int i = 0; i < connections; i++) poll_behind(&all[i], NULL, NULL);
    if (pid) wait_until_idle(pid);
    else usleep(300000);
    for (long round = 0; round < warm + rounds; round++) {
        if (round == warm) begin_counting();
        deliver_one(epoll, &all[connections], round);
    }
    return rounds * connections;
}

static void read_arguments(int count, char **arguments) {
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"poll", 1, 0, 'g'}, {"nchan", 0, 0, 'b'}, {"heads", 1, 0, 'f'},
        {"connections", 1, 0, 'c'}, {"requests", 1, 0, 'n'}, {"size", 1, 0, 's'}, {"whole", 0, 0, 'w'}, {"pid", 1, 0, 'i'}, {0},
    };
    for (int option; (option = getopt_long(count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'u': path = optarg; break;
        case 'g': poll_path = optarg; break;
        case 'b': is_nchan = 1; break;
        case 'f': folder = optarg; break;
        case 'c': connections = atoi(optarg); break;
        case 'n': operations = atol(optarg); break;
        case 's': size = atoi(optarg); break;
        case 'w': is_whole = 1; break;
        case 'i': pid = atoi(optarg); break;
        default: exit(2);
        }
    }
    if (size > 4096) die("events have at most 4096 bytes here");
}

int main(int argument_count, char **arguments) {
    read_arguments(argument_count, arguments);
    event = malloc((size_t)size);
    stamp_event(event, (size_t)size);
    struct kind *kinds;
    int kind_count = read_kinds(folder, port, size, &kinds);
    // One more than poll: the publisher.
    struct connection *all = calloc((size_t)connections + 1, sizeof *all);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < connections + (poll_path != NULL); i++) {
        all[i] = (struct connection){.fd = dial(port), .kind = &kinds[i % kind_count]};
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = &all[i]};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, all[i].fd, &interest)) die("epoll_ctl");
    }
    long counted = poll_path ? run_polls(epoll, all) : run_publishes(epoll, all);
    double seconds = (double)(now_ns() - started) / 1e9;
    // The polls that follow the last deliveries belong to them.
    if (pid) wait_until_idle(pid);
    double cpu_us = pid ? (double)(cpu_ns(pid) - cpu_before) / 1e3 : 0;
    printf("kinds=%d operations=%ld seconds=%.3f rate=%.0f cpu_us=%.3f\n", kind_count, counted, seconds, (double)counted / seconds,
        cpu_us / (double)counted);
    return 0;
}
