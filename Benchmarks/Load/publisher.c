// The publisher: one connection, requests pipelined, at a rate or in step with the deliveries.
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "fan.h"
#include "wire.h"

static sem_t all_delivered;
static atomic_long awaited = -1;

void delivered_some(void) {
    long goal = atomic_load(&awaited);
    if (goal >= 0 && atomic_load(&delivered) >= goal && atomic_compare_exchange_strong(&awaited, &goal, -1)) sem_post(&all_delivered);
}

static void wait_for_deliveries(void) {
    atomic_store(&awaited, deliveries_of(atomic_load(&published)));
    delivered_some();
    while (sem_wait(&all_delivered)) {}
}

static void wait_for_answers(int fd, int missing) {
    static char input[65536];
    static size_t count;
    while (missing) {
        const char *body;
        size_t length = answer_length(input, count, &body);
        if (length) {
            memmove(input, input + length, count - length + 1);
            count -= length;
            missing--;
            continue;
        }
        ssize_t got = recv(fd, input + count, sizeof input - 1 - count, 0);
        if (got <= 0) die("the publisher was cut off");
        count += (size_t)got;
        input[count] = 0;
    }
}

static void wait_until(uint64_t time) {
    uint64_t now = now_ns();
    if (time <= now) return;
    struct timespec rest = {.tv_sec = (time_t)((time - now) / 1000000000u), .tv_nsec = (long)((time - now) % 1000000000u)};
    nanosleep(&rest, NULL);
}

void *run_publisher(void *unused) {
    (void)unused;
    sem_init(&all_delivered, 0, 0);
    int fd = dial(plan.port);
    size_t line = (size_t)plan.size + (plan.batch > 1), body_count = line * (size_t)plan.batch;
    char *request = malloc(4096 + body_count), *body = malloc(body_count), path[2048];
    for (int i = 0; i < plan.batch; i++) {
        stamp_event(body + (size_t)i * line, (size_t)plan.size);
        if (plan.batch > 1) body[(size_t)(i + 1) * line - 1] = '\n';
    }
    uint64_t start = now_ns();
    for (long sent = 0; sent < plan.msgs && !atomic_load(&stopping);) {
        if (plan.rate > 0) wait_until(start + (uint64_t)((double)sent / plan.rate * 1e9));
        int inflight = 0;
        for (; inflight < plan.pipeline && sent < plan.msgs; inflight++, sent++) {
            fill(path, sizeof path, plan.pub_path, sent % plan.topics, 0);
            int head = snprintf(request, 4096, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Length: %zu\r\n\r\n", path,
                plan.port, plan.pub_headers, body_count);
            uint64_t now = now_ns();
            for (int i = 0; i < plan.batch; i++) stamp_time(body + (size_t)i * line, (size_t)plan.size, now);
            memcpy(request + head, body, body_count);
            send_all(fd, request, (size_t)head + body_count);
        }
        wait_for_answers(fd, inflight);
        atomic_fetch_add(&published, (long)inflight * plan.batch);
        if (plan.rate < 0) wait_for_deliveries();
    }
    return NULL;
}
