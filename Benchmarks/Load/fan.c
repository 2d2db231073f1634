// fan: one publisher and many subscribers of an HTTP publish/subscribe server, on loopback.
//
// Counts every delivery by a mark with a time in it, and prints one line of figures: rates,
// latencies, and with --pid the server's processor time for each delivery. Fails unless every
// event reached every subscriber. Instead of publishing, `--hold` waits for so many seconds and tells
// what waiting costs, and `--await` counts so many events that others publish.
#define _GNU_SOURCE
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fan.h"
#include "usage.h"
#include "wire.h"

struct plan plan = {
    .subs = 100, .topics = 1, .size = 100, .pipeline = 1, .batch = 1, .msgs = 1000, .sub_path = "/sub/t{topic}", .pub_path = "/pub/t{topic}",
};
atomic_long ready, published, delivered;
atomic_int stopping;
uint32_t *latencies;
long latency_count, latency_capacity = 4000000;
static int pid, publishes = 1;
static double seconds_max = 30, hold;

long deliveries_of(long events) { return events * (plan.subs / plan.topics); }

static void read_arguments(int count, char **arguments) {
    enum { port, mode, sub, pub, subs, topics, size, msgs, rate, secs, next, head, pubheader, process, pipeline, batch, hold_seconds, await, socket };
    static const struct option options[] = {
        {"port", 1, 0, port}, {"mode", 1, 0, mode}, {"sub", 1, 0, sub}, {"pub", 1, 0, pub}, {"subs", 1, 0, subs},
        {"topics", 1, 0, topics}, {"size", 1, 0, size}, {"msgs", 1, 0, msgs}, {"rate", 1, 0, rate}, {"secs", 1, 0, secs},
        {"next", 1, 0, next}, {"header", 1, 0, head}, {"pubheader", 1, 0, pubheader}, {"pid", 1, 0, process},
        {"pipeline", 1, 0, pipeline}, {"batch", 1, 0, batch}, {"hold", 1, 0, hold_seconds}, {"await", 1, 0, await}, {"unix", 1, 0, socket}, {0},
    };
    for (int option; (option = getopt_long(count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case port: plan.port = atoi(optarg); break;
        case mode: plan.mode = !strcmp(optarg, "lp") ? long_polls : !strcmp(optarg, "ws") ? web_sockets : event_streams; break;
        case sub: plan.sub_path = optarg; break;
        case pub: plan.pub_path = optarg; break;
        case subs: plan.subs = atoi(optarg); break;
        case topics: plan.topics = atoi(optarg); break;
        case size: plan.size = atoi(optarg); break;
        case msgs: plan.msgs = atol(optarg); break;
        case rate: plan.rate = atof(optarg); break;
        case secs: seconds_max = atof(optarg); break;
        case next: if (plan.next_count < 4) plan.nexts[plan.next_count++] = optarg; break;
        case head: strcat(strncat(plan.headers, optarg, 400), "\r\n"); break;
        case pubheader: strcat(strncat(plan.pub_headers, optarg, 400), "\r\n"); break;
        case process: pid = atoi(optarg); break;
        case pipeline: plan.pipeline = atoi(optarg); break;
        case batch: plan.batch = atoi(optarg); break;
        case hold_seconds: hold = atof(optarg); break;
        case await: plan.msgs = atol(optarg), publishes = 0; break;
        case socket: dial_unix(optarg); break;
        default: exit(2);
        }
    }
}

// The end is when all is delivered, when nothing has come for three seconds, or the time is over.
static double wait_for_the_end(uint64_t start) {
    long goal = deliveries_of(plan.msgs) * plan.batch, last = -1;
    uint64_t last_time = start;
    for (;;) {
        long now = atomic_load(&delivered);
        uint64_t time = now_ns();
        if (now != last) last = now, last_time = time;
        if (now >= goal || time - start > seconds_max * 1e9 || (time - last_time > 3e9 && now && plan.rate <= 0)) break;
        usleep(500);
    }
    return (double)(last_time - start) / 1e9;
}

static int by_size(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static double latency_us(double share) { return latency_count ? latencies[(long)((double)(latency_count - 1) * share)] / 1e3 : 0; }

int main(int count, char **arguments) {
    read_arguments(count, arguments);
    latencies = malloc((size_t)latency_capacity * sizeof *latencies);
    long before = pid ? resident_bytes(pid) : 0;
    pthread_t subscribers, publisher;
    pthread_create(&subscribers, 0, run_subscribers, 0);
    for (uint64_t start = now_ns(); atomic_load(&ready) < plan.subs;) {
        if (now_ns() - start > 60e9) die("%ld of %d subscribers are ready", atomic_load(&ready), plan.subs);
        usleep(1000);
    }
    if (pid) wait_until_idle(pid);
    else usleep(300000);
    printf("subs=%d topics=%d bytes_per_sub=%.0f", plan.subs, plan.topics, pid ? (double)(resident_bytes(pid) - before) / plan.subs : 0);
    unsigned long long cpu = pid ? cpu_ns(pid) : 0;
    if (hold > 0) {
        usleep((useconds_t)(hold * 1e6));
        printf(" idle_us_per_s=%.1f\n", pid ? (double)(cpu_ns(pid) - cpu) / 1e3 / hold : 0);
        return 0;
    }
    uint64_t start = now_ns();
    if (publishes) pthread_create(&publisher, 0, run_publisher, 0);
    else fprintf(stderr, "ready\n");
    double seconds = wait_for_the_end(start);
    // The polls that follow the last deliveries belong to them.
    if (pid) wait_until_idle(pid);
    double cpu_us = pid ? (double)(cpu_ns(pid) - cpu) / 1e3 : 0;
    atomic_store(&stopping, 1);
    pthread_join(subscribers, 0);
    qsort(latencies, (size_t)latency_count, sizeof *latencies, by_size);
    long got = atomic_load(&delivered), goal = deliveries_of(plan.msgs) * plan.batch;
    printf(" published=%ld delivered=%ld expected=%ld seconds=%.3f rate=%.0f p50_us=%.1f p99_us=%.1f max_us=%.1f cpu_us=%.3f\n",
        atomic_load(&published), got, goal, seconds, (double)got / seconds, latency_us(0.5), latency_us(0.99), latency_us(1),
        got ? cpu_us / (double)got : 0);
    return got == goal ? 0 : 1;
}
