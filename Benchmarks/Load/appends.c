// appends: so many connections, each of which has a server store an event, waits until the server
// says that it has it, and then sends the next: one closed loop for three servers, each in its own
// protocol, in one thread and without a library. Prints events a second, and the median and the
// 99th percentile of what one took, in microseconds.
//
//   http   POST /topics/bench, kept connections: 201          belfryd
//   redis  XADD bench * d PAYLOAD: the id                      redis-server
//   nats   PUB bench INBOX PAYLOAD: the stream's answer        nats-server with JetStream
//
// Whatever else a server says ends it with status 2.
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "wire.h"

enum { connections_max = 1024, payload_max = 4096, answer_max = 8192, samples_max = 20000000 };

struct connection {
    int socket;
    uint64_t sent;
    int held;
    char answer[answer_max + 1];
};

static int port, connections = 1, payload_bytes = 100;
static double seconds = 3, warm_up_seconds = 0.5;
static char request[payload_max + 512];
static int request_bytes;
static struct connection *all;

// MARK: What a server says. Each returns the bytes of a whole answer, or 0 for one that goes on.

static int http_answer(const char *text, int count) {
    const char *end = memmem(text, count, "\r\n\r\n", 4);
    if (!end) return 0;
    if (strncmp(text, "HTTP/1.1 201 ", 13)) die("belfryd says: %.300s", text);
    const char *length = strcasestr(text, "\r\nContent-Length:");
    if (!length || length > end) die("an answer without a length: %.300s", text);
    int whole = (int)(end + 4 - text) + atoi(length + 17);
    return count < whole ? 0 : whole;
}

static int redis_answer(const char *text, int count) {
    const char *line = memmem(text, count, "\r\n", 2);
    if (!line) return 0;
    if (text[0] != '$') die("redis-server says: %.300s", text);
    int whole = (int)(line + 2 - text) + atoi(text + 1) + 2;
    return count < whole ? 0 : whole;
}

static int nats_answer(const char *text, int count) {
    const char *line = memmem(text, count, "\r\n", 2);
    if (!line) return 0;
    if (strncmp(text, "MSG ", 4)) die("nats-server says: %.300s", text);
    const char *length = memrchr(text, ' ', line - text);
    int whole = (int)(line + 2 - text) + atoi(length + 1) + 2;
    if (count < whole) return 0;
    if (!memmem(text, whole, "\"seq\":", 6)) die("JetStream says: %.*s", whole, text);
    return whole;
}

static int (*answer_bytes)(const char *, int);

// MARK: Sending

static char payload[payload_max + 1];

static void prepare_http(struct connection *connection) {
    (void)connection;
    request_bytes = snprintf(
        request, sizeof request,
        "POST /topics/bench HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n\r\n%s", port,
        payload_bytes, payload);
}

static void prepare_redis(struct connection *connection) {
    (void)connection;
    request_bytes = snprintf(
        request, sizeof request,
        "*5\r\n$4\r\nXADD\r\n$5\r\nbench\r\n$1\r\n*\r\n$1\r\nd\r\n$%d\r\n%s\r\n", payload_bytes,
        payload);
}

static void expect(struct connection *connection, const char *mark) {
    connection->held = 0;
    while (!memmem(connection->answer, connection->held, mark, strlen(mark))) {
        int count = recv(
            connection->socket, connection->answer + connection->held,
            answer_max - connection->held, 0);
        if (count <= 0) die("a connection ended while '%s' was expected", mark);
        connection->held += count;
    }
    connection->held = 0;
}

// Each connection has an inbox of its own to be answered in; the first one makes the stream.
static void prepare_nats(struct connection *connection) {
    static const char stream[] =
        "{\"name\":\"bench\",\"subjects\":[\"bench\"],\"storage\":\"file\",\"num_replicas\":1,"
        "\"retention\":\"limits\",\"discard\":\"old\"}";
    static const char hello[] =
        "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB inbox.%d 1\r\nPING\r\n";
    char text[1024];
    int index = (int)(connection - all);
    expect(connection, "INFO ");
    send_all(connection->socket, text, snprintf(text, sizeof text, hello, index));
    expect(connection, "PONG\r\n");
    if (index == 0) {
        int count = snprintf(
            text, sizeof text, "PUB $JS.API.STREAM.CREATE.bench inbox.0 %d\r\n%s\r\n",
            (int)sizeof stream - 1, stream);
        send_all(connection->socket, text, count);
        expect(connection, "\"created\":");
    }
}

static void send_request(struct connection *connection) {
    connection->sent = now_ns();
    if (answer_bytes == nats_answer)
        request_bytes = snprintf(
            request, sizeof request, "PUB bench inbox.%d %d\r\n%s\r\n", (int)(connection - all),
            payload_bytes, payload);
    send_all(connection->socket, request, request_bytes);
}

// MARK: Measuring

static uint32_t *samples;
static long sample_count;

static int compare(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void drop(struct connection *connection, int count) {
    connection->held -= count;
    memmove(connection->answer, connection->answer + count, connection->held + 1);
}

// Takes what a connection received. Returns whether it was answered.
static int is_answered(struct connection *connection) {
    static const char ping[] = "PING\r\n";
    int answered = 0;
    int count = recv(
        connection->socket, connection->answer + connection->held, answer_max - connection->held,
        0);
    if (count <= 0) die("a connection ended");
    connection->held += count;
    connection->answer[connection->held] = 0;
    while (connection->held > 0) {
        // nats-server asks now and then whether its client is there.
        if (answer_bytes == nats_answer && !strncmp(connection->answer, ping, sizeof ping - 1)) {
            send_all(connection->socket, "PONG\r\n", 6);
            drop(connection, sizeof ping - 1);
            continue;
        }
        int whole = answer_bytes(connection->answer, connection->held);
        if (!whole) break;
        if (answered) die("more than one answer: %.300s", connection->answer);
        answered = 1;
        drop(connection, whole);
    }
    return answered;
}

static void run(int poll) {
    struct epoll_event events[256];
    uint64_t start = now_ns(), begin = start + (uint64_t)(warm_up_seconds * 1e9);
    uint64_t end = begin + (uint64_t)(seconds * 1e9);
    for (int index = 0; index < connections; index++) send_request(&all[index]);
    while (now_ns() < end) {
        int count = epoll_wait(poll, events, 256, 5000);
        if (count == 0) die("no answer for five seconds");
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            if (!is_answered(connection)) continue;
            uint64_t time = now_ns();
            if (time >= begin && sample_count < samples_max)
                samples[sample_count++] = (uint32_t)((time - connection->sent) / 10);
            send_request(connection);
        }
    }
    if (sample_count == 0) die("nothing was stored in %g seconds", seconds);
    qsort(samples, sample_count, sizeof *samples, compare);
    printf(
        "%.0f %.2f %.2f\n", sample_count / seconds, samples[sample_count / 2] / 100.0,
        samples[sample_count * 99 / 100] / 100.0);
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"connections", 1, 0, 'c'}, {"seconds", 1, 0, 's'},
        {"bytes", 1, 0, 'b'}, {0},
    };
    for (int option; (option = getopt_long(argc, argv, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'c': connections = atoi(optarg); break;
        case 's': seconds = atof(optarg); break;
        case 'b': payload_bytes = atoi(optarg); break;
        default: return 2;
        }
    }
    const char *protocol = optind < argc ? argv[optind] : "";
    void (*prepare)(struct connection *) = 0;
    if (!strcmp(protocol, "http")) prepare = prepare_http, answer_bytes = http_answer;
    if (!strcmp(protocol, "redis")) prepare = prepare_redis, answer_bytes = redis_answer;
    if (!strcmp(protocol, "nats")) prepare = prepare_nats, answer_bytes = nats_answer;
    if (!prepare || port <= 0 || connections < 1 || connections > connections_max || seconds <= 0
        || payload_bytes < 1 || payload_bytes > payload_max) {
        fputs("usage: appends http|redis|nats --port N [--connections N] [--seconds S] [--bytes N]\n",
              stderr);
        return 2;
    }
    memset(payload, 'x', payload_bytes);
    all = calloc(connections, sizeof *all);
    samples = malloc(samples_max * sizeof *samples);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int index = 0; index < connections; index++) {
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[index]};
        all[index].socket = dial(port);
        prepare(&all[index]);
        epoll_ctl(poll, EPOLL_CTL_ADD, all[index].socket, &event);
    }
    // Left by attempts to connect; `die` would tell it.
    errno = 0;
    run(poll);
    return 0;
}
