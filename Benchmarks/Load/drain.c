// drain: reads one stream of retained events from its beginning to its end, as fast as it comes.
//
// Prints events a second, payload bytes a second, and with --pid the server's processor time for
// each event. Fails unless exactly --events marks arrive.
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "usage.h"
#include "wire.h"

static char input[1 << 20];

int main(int argument_count, char **arguments) {
    int port = 0, pid = 0;
    long size = 1024, expected = 0, events = 0, bytes = 0;
    const char *path = "/", *kind = "";
    static const struct option options[] = {
        {"port", 1, 0, 'p'}, {"path", 1, 0, 'u'}, {"events", 1, 0, 'n'}, {"size", 1, 0, 's'}, {"pid", 1, 0, 'i'}, {"websocket", 0, 0, 'w'}, {0},
    };
    for (int option; (option = getopt_long(argument_count, arguments, "", options, 0)) != -1;) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'u': path = optarg; break;
        case 'n': expected = atol(optarg); break;
        case 's': size = atol(optarg); break;
        case 'i': pid = atoi(optarg); break;
        case 'w':
            kind = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                   "Sec-WebSocket-Key: bWVhc3VyZWQgYXQgd29yaw==\r\n";
            break;
        default: return 2;
        }
    }
    int fd = dial(port);
    char request[2048];
    int head = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", path, port,
        *kind ? kind : "Connection: close\r\n");
    unsigned long long cpu = pid ? cpu_ns(pid) : 0;
    uint64_t start = now_ns(), time;
    send_all(fd, request, (size_t)head);
    size_t rest = 0;
    for (ssize_t got; events < expected && (got = recv(fd, input + rest, sizeof input - rest, 0)) > 0;) {
        const char *from = input, *end = input + rest + got;
        bytes += got;
        for (const char *mark; (mark = find_mark(from, end, &time)); from = mark + mark_bytes) events++;
        // A mark that is not whole yet is kept for the next turn.
        rest = (size_t)(end - from) < mark_bytes - 1 ? (size_t)(end - from) : mark_bytes - 1;
        memmove(input, end - rest, rest);
    }
    double seconds = (double)(now_ns() - start) / 1e9;
    printf("events=%ld expected=%ld bytes=%ld seconds=%.4f rate=%.0f payload_MB_per_s=%.1f cpu_us=%.3f\n", events, expected, bytes, seconds,
        (double)events / seconds, (double)(events * size) / seconds / 1e6, pid ? (double)(cpu_ns(pid) - cpu) / 1e3 / (double)events : 0);
    return events == expected ? 0 : 1;
}
