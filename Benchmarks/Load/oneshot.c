// oneshot: so many clients at once, each of which makes a new connection for each request, as a `curl` of
// a script does: connects, sends one request, reads its answer, and closes.
//
// Publishes a fixed number of events, or with `--waves` polls: all clients ask and wait, one event is
// published, each reads it and closes, and so on. Prints the rate and, with --pid, the server's processor
// time for each connection. With `--redis` it speaks to
// redis-server. Fails at any answer but 2xx, and where a poll has another event. The first
// tenth warms up and is not counted.
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "usage.h"
#include "wire.h"

enum { answer_max = 8192, stack_bytes = 128 * 1024 };

static int at_once = 1, size = 100, pid, port, asks_to_close, is_closed, is_redis;
static long requests = 20000, waves;
static const char *path = "/pub/t0", *poll_path = "/sub/t0", *version = "1.1";
static const char headers[] = "User-Agent: curl/7.88.1\r\nAccept: */*\r\n";

static atomic_long begun, counted;
static atomic_ullong cpu_before, started;
static pthread_barrier_t asked;

// Reads an answer, to the end of the connection where the server closes it; its body's start.
static const char *read_answer(int fd, char *input) {
    size_t count = 0;
    for (;;) {
        ssize_t got = recv(fd, input + count, answer_max - count, 0);
        if (got < 0) die("a client was cut off");
        if (got == 0 && !is_closed) die("an answer ended early");
        count += (size_t)got;
        input[count] = 0;
        const char *body;
        size_t length = is_redis ? redis_answer_length(body = input, count) : answer_length(input, count, &body);
        if (length && (!is_closed || got == 0)) return body;
        if (got == 0) die("an answer ended early");
        if (count == answer_max) die("an answer of more than %d bytes", answer_max);
    }
}

static int request_head(char *out, const char *method, const char *target, const char *rest) {
    return snprintf(out, answer_max, "%s %s HTTP/%s\r\nHost: 127.0.0.1:%d\r\n%s%s%s\r\n", method, target, version, port, headers,
        asks_to_close ? "Connection: close\r\n" : "", rest);
}

// Counts from here on, once the warm-up is over.
static void begin_counting(void) {
    atomic_store(&cpu_before, pid ? cpu_ns(pid) : 0);
    atomic_store(&started, now_ns());
}

static void publish_once(const char *event) {
    char request[answer_max + 4096], length[96], input[answer_max + 1];
    snprintf(length, sizeof length, "Content-Length: %d\r\nContent-Type: application/x-www-form-urlencoded\r\n", size);
    int count = is_redis ? redis_add(request, answer_max, "t0", size) : request_head(request, "POST", path, length);
    memcpy(request + count, event, (size_t)size);
    count += size;
    if (is_redis) memcpy(request + count, "\r\n", 2), count += 2;
    int fd = dial_plainly(port);
    send_all(fd, request, (size_t)count);
    read_answer(fd, input);
    close(fd);
}

static void *publish(void *event) {
    long warm = requests / 10;
    for (long turn; (turn = atomic_fetch_add(&begun, 1)) < warm + requests;) {
        if (turn == warm) begin_counting();
        publish_once(event);
        if (turn >= warm) atomic_fetch_add(&counted, 1);
    }
    return NULL;
}

static void *poll_in_waves(void *event) {
    char request[answer_max], input[answer_max + 1];
    int count = request_head(request, "GET", poll_path, "");
    for (long wave = 0; wave < waves + 1; wave++) {
        int fd = dial_plainly(port);
        send_all(fd, request, (size_t)count);
        pthread_barrier_wait(&asked);
        const char *body = read_answer(fd, input);
        uint64_t time, wanted;
        if (!find_mark(body, body + strlen(body), &time) || !find_mark(event, (char *)event + size, &wanted) || time != wanted)
            die("a poll has another event than the last: %.300s", input);
        close(fd);
        pthread_barrier_wait(&asked);
    }
    return NULL;
}

// Publishes an event to each wave once the server has all of its polls and is idle again. The first wave
// is not counted.
static void lead_waves(char *event) {
    for (long wave = 0; wave < waves + 1; wave++) {
        if (wave == 1) begin_counting();
        stamp_time(event, (size_t)size, now_ns());
        pthread_barrier_wait(&asked);
        if (pid) wait_until_idle(pid);
        else usleep(300000);
        publish_once(event);
        pthread_barrier_wait(&asked);
    }
    atomic_store(&counted, waves * at_once);
}

static void read_arguments(int count, char **arguments) {
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"poll", 1, 0, 'g'}, {"clients", 1, 0, 'c'}, {"requests", 1, 0, 'n'},
        {"waves", 1, 0, 'w'}, {"size", 1, 0, 's'}, {"version", 1, 0, 'v'}, {"close", 0, 0, 'e'}, {"redis", 0, 0, 'r'}, {"unix", 1, 0, 'x'},
        {"pid", 1, 0, 'i'}, {0},
    };
    for (int option; (option = getopt_long(count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'u': path = optarg; break;
        case 'g': poll_path = optarg; break;
        case 'c': at_once = atoi(optarg); break;
        case 'n': requests = atol(optarg); break;
        case 'w': waves = atol(optarg); break;
        case 's': size = atoi(optarg); break;
        case 'v': version = optarg; break;
        case 'e': asks_to_close = 1; break;
        case 'r': is_redis = 1; break;
        case 'x': dial_unix(optarg); break;
        case 'i': pid = atoi(optarg); break;
        default: exit(2);
        }
    }
    if (size > 4096) die("events have at most 4096 bytes here");
    is_closed = asks_to_close || !strcmp(version, "1.0");
}

int main(int argument_count, char **arguments) {
    read_arguments(argument_count, arguments);
    char *event = malloc((size_t)size + 1);
    stamp_event(event, (size_t)size);
    event[size] = 0;
    pthread_barrier_init(&asked, NULL, (unsigned)at_once + 1);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, stack_bytes);
    pthread_t *clients = malloc((size_t)at_once * sizeof *clients);
    for (int i = 0; i < at_once; i++) {
        if (pthread_create(&clients[i], &small, waves ? poll_in_waves : publish, event)) die("a thread more");
    }
    if (waves) lead_waves(event);
    for (int i = 0; i < at_once; i++) pthread_join(clients[i], NULL);
    double seconds = (double)(now_ns() - atomic_load(&started)) / 1e9;
    if (pid) wait_until_idle(pid);
    double cpu_us = pid ? (double)(cpu_ns(pid) - atomic_load(&cpu_before)) / 1e3 : 0;
    long all = atomic_load(&counted);
    printf("connections=%ld seconds=%.3f rate=%.0f cpu_us=%.3f\n", all, seconds, (double)all / seconds, cpu_us / (double)all);
    return 0;
}
