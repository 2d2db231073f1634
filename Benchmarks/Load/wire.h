// What every load has in common: the clock, connections, and just enough of HTTP.
#ifndef WIRE_H
#define WIRE_H
#include <stddef.h>
#include <stdint.h>

uint64_t now_ns(void);

// Prints the sentence with errno's own, if there is one, and ends the program.
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A blocking connection to 127.0.0.1 without Nagle's delay; tries for ten seconds.
// It ends by a reset.
int dial(int port);

// The same, but it ends as other programs' connections do.
int dial_plainly(int port);

// From here on both connect to the unix socket at this path, which stays where it is.
void dial_unix(const char *path);

// Sends all of it, also where the socket does not block.
void send_all(int fd, const char *bytes, size_t count);

// The length of the answer that the bytes begin with, head and body; 0 while some is missing.
// The body starts at *body. The bytes end with a NUL behind `count`. Dies at any status but 2xx.
// An answer without Content-Length has no body here.
size_t answer_length(const char *bytes, size_t count, const char **body);

// Writes redis-server's command that adds an event of `size` bytes to a stream, without its last `size` + 2
// bytes: the event and a line end; the length.
int redis_add(char *out, size_t capacity, const char *stream, int size);

// The length of the answer to it that the bytes begin with; 0 while some is missing. Dies at any other.
size_t redis_answer_length(const char *bytes, size_t count);

// Copies the value of a header of the head that ends at `end`; whether it is there.
int header(const char *head, const char *end, const char *name, char *value, size_t capacity);

// Writes the pattern with `{topic}` and `{sub}` replaced; the length.
int fill(char *out, size_t capacity, const char *pattern, long topic, long sub);

// Fills `size` bytes with an event that carries the time at its end: "xxx…@T=0123456789abcdef@". Who has the
// mark has the whole event.
enum { mark_bytes = 20 };
void stamp_event(char *event, size_t size);
void stamp_time(char *event, size_t size, uint64_t time);

// The next mark in the bytes, with its time, or NULL.
const char *find_mark(const char *from, const char *end, uint64_t *time);
#endif
