#define _GNU_SOURCE
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void die(const char *format, ...) {
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, error ? ": %s\n" : "\n", strerror(error));
    exit(2);
}

static const char *unix_path;

void dial_unix(const char *path) { unix_path = path; }

static int connect_once(int port, int resets) {
    struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    if (unix_path) strncpy(local.sun_path, unix_path, sizeof local.sun_path - 1);
    int fd = socket(unix_path ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) die("socket");
    if (!unix_path) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    // Ends by a reset: tens of thousands in TIME_WAIT would slow the next connections down.
    if (resets) setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    int failed = unix_path ? connect(fd, (struct sockaddr *)&local, sizeof local) : connect(fd, (struct sockaddr *)&tcp, sizeof tcp);
    if (!failed) return fd;
    close(fd);
    return -1;
}

static int dial_until(int port, int resets) {
    for (int attempt = 0; attempt < 500; attempt++) {
        int fd = connect_once(port, resets);
        if (fd >= 0) return fd;
        usleep(20000);
    }
    die("connect to %s, port %d", unix_path ? unix_path : "loopback", port);
}

int dial(int port) { return dial_until(port, 1); }

int dial_plainly(int port) { return dial_until(port, 0); }

void send_all(int fd, const char *bytes, size_t count) {
    while (count) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 1000);
            continue;
        }
        if (sent < 0) die("send");
        bytes += sent;
        count -= (size_t)sent;
    }
}

int header(const char *head, const char *end, const char *name, char *value, size_t capacity) {
    size_t length = strlen(name);
    for (const char *line = head; line && line < end;) {
        if (!strncasecmp(line, name, length) && line[length] == ':') {
            line += length + 1;
            while (*line == ' ') line++;
            size_t count = strcspn(line, "\r\n");
            if (count >= capacity) die("a %s of %zu bytes", name, count);
            memcpy(value, line, count);
            value[count] = 0;
            return 1;
        }
        line = memchr(line, '\n', (size_t)(end - line));
        if (line) line++;
    }
    return 0;
}

size_t answer_length(const char *bytes, size_t count, const char **body) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    *body = end + 4;
    errno = 0;
    if (strncmp(bytes, "HTTP/1.", 7) || strncmp(bytes + 8, " 2", 2)) die("refused: %.*s", (int)(count > 400 ? 400 : count), bytes);
    char value[32];
    size_t length = (size_t)(*body - bytes);
    if (header(bytes, end, "Content-Length", value, sizeof value)) length += (size_t)atol(value);
    return length <= count ? length : 0;
}

int redis_add(char *out, size_t capacity, const char *stream, int size) {
    return snprintf(out, capacity, "*5\r\n$4\r\nXADD\r\n$%zu\r\n%s\r\n$1\r\n*\r\n$1\r\nd\r\n$%d\r\n", strlen(stream), stream, size);
}

size_t redis_answer_length(const char *bytes, size_t count) {
    const char *line = memmem(bytes, count, "\r\n", 2);
    if (!line) return 0;
    errno = 0;
    if (*bytes != '$') die("refused: %.*s", (int)(count > 400 ? 400 : count), bytes);
    size_t length = (size_t)(line + 2 - bytes) + (size_t)atol(bytes + 1) + 2;
    return length <= count ? length : 0;
}

int fill(char *out, size_t capacity, const char *pattern, long topic, long sub) {
    size_t length = 0;
    while (*pattern) {
        if (length + 24 > capacity) die("a path longer than %zu bytes", capacity);
        if (!strncmp(pattern, "{topic}", 7)) {
            length += (size_t)sprintf(out + length, "%ld", topic);
            pattern += 7;
        } else if (!strncmp(pattern, "{sub}", 5)) {
            length += (size_t)sprintf(out + length, "%ld", sub);
            pattern += 5;
        } else {
            out[length++] = *pattern++;
        }
    }
    out[length] = 0;
    return (int)length;
}

void stamp_event(char *event, size_t size) {
    if (size < mark_bytes) die("events have at least %d bytes", mark_bytes);
    memset(event, 'x', size);
    char *mark = event + size - mark_bytes;
    memcpy(mark, "@T=", 3);
    mark[mark_bytes - 1] = '@';
    stamp_time(event, size, now_ns());
}

void stamp_time(char *event, size_t size, uint64_t time) {
    char *digits = event + size - mark_bytes + 3;
    for (int digit = 15; digit >= 0; digit--, time >>= 4) digits[digit] = "0123456789abcdef"[time & 15];
}

const char *find_mark(const char *from, const char *end, uint64_t *time) {
    while (end - from >= mark_bytes && (from = memchr(from, '@', (size_t)(end - from)))) {
        if (end - from < mark_bytes) return NULL;
        if (from[1] == 'T' && from[2] == '=' && from[mark_bytes - 1] == '@') {
            *time = 0;
            for (int i = 3; i < mark_bytes - 1; i++) {
                *time = *time << 4 | (uint64_t)(from[i] <= '9' ? from[i] - '0' : from[i] - 'a' + 10);
            }
            return from;
        }
        from++;
    }
    return NULL;
}
