// nats_fan: the work of `fan` in batches, on nats-server with its own C client.
//
// One connection for each subscriber and one for the publisher. After each `--pipeline` batches the
// publisher waits for the server's word that it has them, as a publisher over HTTP does.
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <nats/nats.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usage.h"
#include "wire.h"

static atomic_long delivered;

static void check(natsStatus status) {
    if (status != NATS_OK) errno = 0, die("nats: %s", natsStatus_GetText(status));
}

static void on_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *unused) {
    (void)connection, (void)subscription, (void)unused;
    uint64_t time;
    const char *data = natsMsg_GetData(message);
    if (find_mark(data, data + natsMsg_GetDataLength(message), &time)) atomic_fetch_add_explicit(&delivered, 1, memory_order_relaxed);
    natsMsg_Destroy(message);
}

static natsConnection *join(int port) {
    char url[64];
    natsOptions *options;
    natsConnection *connection;
    snprintf(url, sizeof url, "nats://127.0.0.1:%d", port);
    check(natsOptions_Create(&options));
    check(natsOptions_SetURL(options, url));
    check(natsConnection_Connect(&connection, options));
    natsOptions_Destroy(options);
    return connection;
}

int main(int argument_count, char **arguments) {
    int port = 0, pid = 0, subs = 1, size = 100, batch = 100, pipeline = 8;
    long msgs = 1000;
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"subs", 1, 0, 'n'}, {"size", 1, 0, 's'}, {"batch", 1, 0, 'b'},
        {"msgs", 1, 0, 'm'}, {"pipeline", 1, 0, 'l'}, {"pid", 1, 0, 'i'}, {0},
    };
    for (int option; (option = getopt_long(argument_count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'n': subs = atoi(optarg); break;
        case 's': size = atoi(optarg); break;
        case 'b': batch = atoi(optarg); break;
        case 'm': msgs = atol(optarg); break;
        case 'l': pipeline = atoi(optarg); break;
        case 'i': pid = atoi(optarg); break;
        default: return 2;
        }
    }
    for (int i = 0; i < subs; i++) {
        natsConnection *connection = join(port);
        natsSubscription *subscription;
        check(natsConnection_Subscribe(&subscription, connection, "t", on_message, NULL));
        check(natsSubscription_SetPendingLimits(subscription, INT_MAX, INT_MAX));
        check(natsConnection_Flush(connection));
    }
    natsConnection *publisher = join(port);
    char *event = malloc((size_t)size);
    stamp_event(event, (size_t)size);
    long expected = msgs * batch * subs, last = -1;
    unsigned long long cpu = pid ? cpu_ns(pid) : 0;
    uint64_t start = now_ns(), last_time = start;
    for (long sent = 0; sent < msgs; sent++) {
        stamp_time(event, (size_t)size, now_ns());
        for (int i = 0; i < batch; i++) check(natsConnection_Publish(publisher, "t", event, size));
        if (sent % pipeline == pipeline - 1) check(natsConnection_Flush(publisher));
    }
    check(natsConnection_Flush(publisher));
    for (;; usleep(500)) {
        long now = atomic_load(&delivered);
        if (now != last) last = now, last_time = now_ns();
        if (now == expected || now_ns() - last_time > 3000000000u) break;
    }
    double seconds = (double)(last_time - start) / 1e9, cpu_us = pid ? (double)(cpu_ns(pid) - cpu) / 1e3 : 0;
    printf("subs=%d published=%ld delivered=%ld expected=%ld seconds=%.3f rate=%.0f cpu_us=%.3f\n", subs, msgs * batch, last, expected, seconds,
        (double)last / seconds, cpu_us / (double)last);
    return last == expected ? 0 : 1;
}
