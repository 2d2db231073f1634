// workers: so many workers on kept connections, each of which takes a job, settles it and takes the
// next, against one server: belfryd or a job queue of another kind, each in its own protocol.
//
//   http   POST /groups/jobs/next?done=LEASE, one request              belfryd
//   bean   reserve, then delete                                        beanstalkd
//   redis  XREADGROUP, then XACK                                       redis-server
//   nats   a pull request, then +ACK that is confirmed                 nats-server with JetStream
//
// --mode take   takes and settles jobs that are there (`fill` puts them before)
// --mode batch  http: so many at once, --max, under one lease
// --mode hand   one publisher, one worker that waits: the time from the one to the other
// --mode fill   puts jobs and measures nothing
//
// The first tenth of the jobs warms up. Ends with status 2 at any answer that is not a success.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "usage.h"
#include "wire.h"

enum { input_max = 1 << 18, token_max = 256, request_max = 2048, job_bytes = 100 };

struct link {
    int fd, number;
    int expects_job;
    size_t held;
    char token[token_max]; // what settles the job that it holds
    char *input;
};

static int port, workers = 16, batch_max = 100, topics = 1, pid;
static long jobs = 20000;
static const char *mode = "take";
static char payload[job_bytes + 1];

static long command(struct link *l, const char *bytes, int count) {
    send_all(l->fd, bytes, (size_t)count);
    return count;
}

// MARK: Protocols. `reply` returns the length of a whole answer or 0, and notes the job's token
// where one is expected; `got` is how many jobs it brought.

struct protocol {
    void (*greet)(struct link *);
    void (*put)(struct link *, long topic);
    void (*next)(struct link *);
    void (*settle)(struct link *);
    size_t (*reply)(struct link *, int *got);
    int next_settles; // whether `next` settles the job that is held, too
};

static void nothing(struct link *l) { (void)l; }

static void post(struct link *l, const char *target, const char *body, size_t count) {
    char request[request_max];
    int head = snprintf(request, sizeof request, "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %zu\r\n\r\n", target, port, count);
    memcpy(request + head, body, count);
    command(l, request, head + (int)count);
}

static void http_put(struct link *l, long topic) {
    char target[64];
    snprintf(target, sizeof target, "/topics/jobs.t%ld", topic);
    post(l, target, payload, job_bytes);
}

static void http_next(struct link *l) {
    char target[512];
    int count = snprintf(target, sizeof target, "/groups/jobs/next?worker=w%d&wait=20s", l->number);
    if (!strcmp(mode, "batch")) count += snprintf(target + count, sizeof target - (size_t)count, "&as=json&max=%d", batch_max);
    if (*l->token) snprintf(target + count, sizeof target - (size_t)count, "&done=%s", l->token);
    post(l, target, "", 0);
}

static void http_settle(struct link *l) {
    char target[512];
    snprintf(target, sizeof target, "/groups/jobs/done?lease=%s", l->token);
    *l->token = 0;
    post(l, target, "", 0);
}

static int count_of(const char *from, const char *end, const char *what) {
    int count = 0;
    for (size_t length = strlen(what); (from = memmem(from, (size_t)(end - from), what, length)); from += length) count++;
    return count;
}

static size_t http_reply(struct link *l, int *got) {
    const char *body;
    size_t length = answer_length(l->input, l->held, &body);
    if (!length || !l->expects_job) return length;
    if (!strcmp(mode, "batch")) {
        const char *lease = memmem(body, length - (size_t)(body - l->input), "\"lease\":\"", 9);
        if (!lease) die("a batch without a lease: %.300s", l->input);
        size_t count = strcspn(lease + 9, "\"");
        if (count >= token_max) die("a lease of %zu bytes", count);
        memcpy(l->token, lease + 9, count);
        l->token[count] = 0;
        *got = count_of(body, l->input + length, "\"attempt\":");
    } else {
        *got = header(l->input, body, "Work-Lease", l->token, token_max);
    }
    if (!*got) die("no job: %.300s", l->input);
    return length;
}

static void bean_put(struct link *l, long topic) {
    char text[request_max];
    (void)topic;
    command(l, text, snprintf(text, sizeof text, "put 10 0 60 %d\r\n%s\r\n", job_bytes, payload));
}

static void bean_next(struct link *l) { command(l, "reserve\r\n", 9); }

static void bean_settle(struct link *l) {
    char text[request_max];
    command(l, text, snprintf(text, sizeof text, "delete %s\r\n", l->token));
}

static size_t bean_reply(struct link *l, int *got) {
    char *end = memmem(l->input, l->held, "\r\n", 2);
    if (!end) return 0;
    size_t line = (size_t)(end + 2 - l->input);
    if (!l->expects_job) {
        if (strncmp(l->input, "DELETED", 7) && strncmp(l->input, "INSERTED", 8)) die("beanstalkd: %.200s", l->input);
        return line;
    }
    long bytes;
    if (sscanf(l->input, "RESERVED %255s %ld", l->token, &bytes) != 2) die("beanstalkd: %.200s", l->input);
    *got = 1;
    return line + (size_t)bytes + 2 <= l->held ? line + (size_t)bytes + 2 : 0;
}

static void redis_greet(struct link *l) {
    static const char make[] = "*6\r\n$6\r\nXGROUP\r\n$6\r\nCREATE\r\n$4\r\njobs\r\n$1\r\ng\r\n$1\r\n0\r\n$8\r\nMKSTREAM\r\n";
    if (l->number > 1) return;
    command(l, make, sizeof make - 1);
    while (!memmem(l->input, l->held, "\r\n", 2)) {
        ssize_t got = recv(l->fd, l->input + l->held, 1000, 0);
        if (got <= 0) die("redis-server left");
        l->held += (size_t)got;
    }
    // Another load may have made it.
    if (strncmp(l->input, "+OK", 3) && strncmp(l->input, "-BUSYGROUP", 10)) die("redis-server: %.200s", l->input);
    l->held = 0;
}

static void redis_put(struct link *l, long topic) {
    char text[request_max];
    (void)topic;
    command(l, text, snprintf(text, sizeof text, "*5\r\n$4\r\nXADD\r\n$4\r\njobs\r\n$1\r\n*\r\n$1\r\nd\r\n$%d\r\n%s\r\n", job_bytes, payload));
}

static void redis_next(struct link *l) {
    static const char read[] =
        "*11\r\n$10\r\nXREADGROUP\r\n$5\r\nGROUP\r\n$1\r\ng\r\n$1\r\nw\r\n$5\r\nCOUNT\r\n$1\r\n1\r\n$5\r\nBLOCK\r\n$5\r\n20000\r\n"
        "$7\r\nSTREAMS\r\n$4\r\njobs\r\n$1\r\n>\r\n";
    command(l, read, sizeof read - 1);
}

static void redis_settle(struct link *l) {
    char text[request_max];
    command(l, text, snprintf(text, sizeof text, "*4\r\n$4\r\nXACK\r\n$4\r\njobs\r\n$1\r\ng\r\n$%zu\r\n%s\r\n", strlen(l->token), l->token));
}

// The end of the value at `from`, or NULL while some of it is missing.
static char *redis_end(char *from, char *end) {
    char *line = memmem(from, (size_t)(end - from), "\r\n", 2);
    if (!line) return NULL;
    long number = atol(from + 1);
    char *rest = line + 2;
    switch (*from) {
    case '-': die("redis-server: %.200s", from);
    case '$': return number < 0 ? rest : rest + number + 2 <= end ? rest + number + 2 : NULL;
    case '*':
        while (number-- > 0 && rest) rest = redis_end(rest, end);
        return rest;
    default: return rest;
    }
}

static size_t redis_reply(struct link *l, int *got) {
    char *end = l->input + l->held, *rest = redis_end(l->input, end);
    if (!rest) return 0;
    if (l->expects_job) {
        // [[stream, [[id, fields]]]]: the id is the second string.
        char *name = memmem(l->input, l->held, "$4\r\njobs\r\n", 10);
        char *id = name ? memchr(name + 10, '$', (size_t)(rest - name - 10)) : NULL;
        char *text = id ? memmem(id, (size_t)(rest - id), "\r\n", 2) : NULL;
        if (!text) die("redis-server brought no job: %.200s", l->input);
        int count = atoi(id + 1);
        if (count >= token_max) die("an id of %d bytes", count);
        memcpy(l->token, text + 2, (size_t)count);
        l->token[count] = 0;
        *got = 1;
    }
    return (size_t)(rest - l->input);
}

static void nats_request(struct link *l, const char *subject, const char *body) {
    char text[request_max];
    command(l, text, snprintf(text, sizeof text, "PUB %s inbox.%d %zu\r\n%s\r\n", subject, l->number, strlen(body), body));
}

static void nats_expect(struct link *l, const char *mark) {
    while (!memmem(l->input, l->held, mark, strlen(mark))) {
        ssize_t got = recv(l->fd, l->input + l->held, 4096, 0);
        if (got <= 0) die("nats-server left, and '%s' was expected", mark);
        l->held += (size_t)got;
        l->input[l->held] = 0;
        if (strstr(l->input, "-ERR") || strstr(l->input, "\"error\"")) die("nats-server: %.400s", l->input);
    }
    l->held = 0;
}

static void nats_greet(struct link *l) {
    char text[256];
    nats_expect(l, "INFO ");
    command(l, text, snprintf(text, sizeof text, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nSUB inbox.%d 1\r\nPING\r\n", l->number));
    nats_expect(l, "PONG\r\n");
    // To make what is there already changes nothing.
    if (l->number > 1) return;
    nats_request(l, "$JS.API.STREAM.CREATE.jobs", "{\"name\":\"jobs\",\"subjects\":[\"jobs\"],\"storage\":\"file\",\"retention\":\"limits\"}");
    nats_expect(l, "\"created\":");
    nats_request(l, "$JS.API.CONSUMER.DURABLE.CREATE.jobs.g",
        "{\"stream_name\":\"jobs\",\"config\":{\"durable_name\":\"g\",\"ack_policy\":\"explicit\",\"ack_wait\":60000000000,"
        "\"max_ack_pending\":100000,\"deliver_policy\":\"all\"}}");
    nats_expect(l, "\"durable_name\":");
}

static void nats_put(struct link *l, long topic) {
    (void)topic;
    nats_request(l, "jobs", payload);
}

static void nats_next(struct link *l) { nats_request(l, "$JS.API.CONSUMER.MSG.NEXT.jobs.g", "1"); }

static void nats_settle(struct link *l) { nats_request(l, l->token, "+ACK"); }

static size_t nats_reply(struct link *l, int *got) {
    char *end = memmem(l->input, l->held, "\r\n", 2);
    if (!end) return 0;
    size_t line = (size_t)(end + 2 - l->input);
    if (!strncmp(l->input, "PING", 4)) {
        command(l, "PONG\r\n", 6);
        memmove(l->input, l->input + line, l->held -= line);
        return nats_reply(l, got);
    }
    // MSG subject sid [reply] bytes
    if (strncmp(l->input, "MSG ", 4)) die("nats-server: %.200s", l->input);
    char answer_to[token_max] = "";
    long bytes;
    if (sscanf(l->input, "MSG %*s %*s %255s %ld", answer_to, &bytes) != 2) {
        *answer_to = 0;
        if (sscanf(l->input, "MSG %*s %*s %ld", &bytes) != 1) die("nats-server: %.200s", l->input);
    }
    size_t whole = line + (size_t)bytes + 2;
    if (whole > l->held) return 0;
    if (l->expects_job) {
        if (!*answer_to) die("JetStream brought no job: %.200s", l->input);
        strcpy(l->token, answer_to);
        *got = 1;
    } else if (!strcmp(mode, "fill") && !memmem(l->input, whole, "\"seq\":", 6)) {
        die("JetStream: %.*s", (int)whole, l->input);
    }
    return whole;
}

static const struct protocol protocols[] = {
    {nothing, http_put, http_next, http_settle, http_reply, 1},
    {nothing, bean_put, bean_next, bean_settle, bean_reply, 0},
    {redis_greet, redis_put, redis_next, redis_settle, redis_reply, 0},
    {nats_greet, nats_put, nats_next, nats_settle, nats_reply, 0},
};
static const struct protocol *protocol = protocols;

// MARK: Loads

static struct link *open_link(int number) {
    struct link *l = calloc(1, sizeof *l);
    l->number = number;
    l->input = malloc(input_max + 1);
    l->fd = dial(port);
    protocol->greet(l);
    return l;
}

static void drop(struct link *l, size_t count) {
    l->held -= count;
    memmove(l->input, l->input + count, l->held);
}

// Takes what has come. Whether an answer is whole; `got` is the number of jobs that it brought.
static int receive(struct link *l, int *got) {
    ssize_t count = recv(l->fd, l->input + l->held, input_max - l->held, 0);
    if (count <= 0) die("a connection was cut off");
    l->held += (size_t)count;
    l->input[l->held] = 0;
    *got = 0;
    size_t length = protocol->reply(l, got);
    if (length) drop(l, length);
    return length != 0;
}

static void ask(struct link *l) {
    l->expects_job = 1;
    protocol->next(l);
}

static int poller(struct link **links, int count) {
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < count; i++) {
        struct epoll_event interest = {.events = EPOLLIN, .data.ptr = links[i]};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, links[i]->fd, &interest)) die("epoll_ctl");
    }
    return epoll;
}

static unsigned long long cpu_at_start;
static uint64_t began_at;

static void begin_counting(void) {
    cpu_at_start = cpu_ns(pid);
    began_at = now_ns();
}

static int by_size(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void tell(long counted, uint32_t *latencies, long samples) {
    double seconds = (double)(now_ns() - began_at) / 1e9;
    wait_until_idle(pid);
    double cpu_us = (double)(cpu_ns(pid) - cpu_at_start) / 1e3;
    printf("jobs=%ld rate=%.0f cpu_us=%.3f", counted, (double)counted / seconds, cpu_us / (double)counted);
    if (samples) {
        qsort(latencies, (size_t)samples, sizeof *latencies, by_size);
        printf(" p50_us=%.1f p99_us=%.1f", latencies[samples / 2] / 1e3, latencies[samples * 99 / 100] / 1e3);
    }
    printf("\n");
}

static void fill_with(struct link *l) {
    int got;
    enum { together = 64 };
    for (long put = 0, answered = 0; answered < jobs;) {
        while (put < jobs && put < answered + together) protocol->put(l, put++ % topics);
        ssize_t count = recv(l->fd, l->input + l->held, input_max - l->held, 0);
        if (count <= 0) die("a publisher was cut off");
        l->held += (size_t)count;
        l->input[l->held] = 0;
        for (size_t length; l->held && (length = protocol->reply(l, &got)); answered++) {
            drop(l, length);
            l->input[l->held] = 0;
        }
    }
}

static void take(void) {
    long warm = jobs / 10, settled = 0;
    struct link *links[workers];
    for (int i = 0; i < workers; i++) links[i] = open_link(i + 1);
    int epoll = poller(links, workers);
    for (int i = 0; i < workers; i++) ask(links[i]);
    long counted_from = -1;
    while (counted_from < 0 || settled < counted_from + jobs) {
        struct epoll_event events[256];
        int count = epoll_wait(epoll, events, 256, 30000);
        if (count <= 0) die("no answer for 30 seconds, %ld jobs settled", settled);
        for (int i = 0; i < count; i++) {
            struct link *l = events[i].data.ptr;
            int got, asked_for_job = l->expects_job;
            if (!receive(l, &got)) continue;
            if (asked_for_job && !protocol->next_settles) {
                l->expects_job = 0;
                protocol->settle(l);
                continue;
            }
            settled += protocol->next_settles ? got : 1;
            if (counted_from < 0 && settled >= warm) {
                counted_from = settled;
                begin_counting();
            }
            ask(l);
        }
    }
    tell(settled - counted_from, NULL, 0);
}

static void hand(void) {
    long warm = jobs / 10, total = warm + jobs;
    uint32_t *latencies = malloc((size_t)jobs * sizeof *latencies);
    struct link *links[2] = {open_link(1), open_link(2)};
    struct link *publisher = links[0], *worker = links[1];
    int epoll = poller(links, 2);
    ask(worker);
    wait_until_idle(pid);
    for (long round = 0; round < total; round++) {
        if (round == warm) begin_counting();
        uint64_t sent = now_ns();
        protocol->put(publisher, round % topics);
        for (int published = 0, taken = 0; !published || !taken;) {
            struct epoll_event events[2];
            int count = epoll_wait(epoll, events, 2, 30000);
            if (count <= 0) die("no answer for 30 seconds in round %ld", round);
            for (int i = 0; i < count; i++) {
                struct link *l = events[i].data.ptr;
                int got;
                if (!receive(l, &got)) continue;
                if (l == publisher) {
                    published = 1;
                } else {
                    if (round >= warm) latencies[round - warm] = (uint32_t)(now_ns() - sent);
                    taken = 1;
                }
            }
        }
        int got;
        worker->expects_job = 0;
        protocol->settle(worker);
        while (!receive(worker, &got)) {}
        ask(worker);
    }
    tell(jobs, latencies, jobs);
}

static void read_arguments(int count, char **arguments) {
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"pid", 1, 0, 'i'}, {"protocol", 1, 0, 'k'}, {"mode", 1, 0, 'm'}, {"workers", 1, 0, 'w'},
        {"jobs", 1, 0, 'n'}, {"max", 1, 0, 'b'}, {"topics", 1, 0, 't'}, {0},
    };
    static const char *const names[] = {"http", "bean", "redis", "nats"};
    for (int option; (option = getopt_long(count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'i': pid = atoi(optarg); break;
        case 'm': mode = optarg; break;
        case 'w': workers = atoi(optarg); break;
        case 'n': jobs = atol(optarg); break;
        case 'b': batch_max = atoi(optarg); break;
        case 't': topics = atoi(optarg); break;
        case 'k':
            protocol = NULL;
            for (size_t i = 0; i < sizeof names / sizeof *names; i++)
                if (!strcmp(optarg, names[i])) protocol = &protocols[i];
            if (!protocol) die("no protocol is called %s", optarg);
            break;
        default: exit(2);
        }
    }
}

int main(int count, char **arguments) {
    read_arguments(count, arguments);
    memset(payload, 'x', job_bytes);
    if (!strcmp(mode, "fill")) {
        fill_with(open_link(0));
        printf("jobs=%ld\n", jobs);
    } else if (!strcmp(mode, "hand")) {
        hand();
    } else if (!strcmp(mode, "take") || !strcmp(mode, "batch")) {
        take();
    } else {
        die("no mode is called %s", mode);
    }
    return 0;
}
