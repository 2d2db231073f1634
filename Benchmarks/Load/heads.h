// The kinds of clients that `record-heads` recorded: their request heads, for a load to send.
#ifndef HEADS_H
#define HEADS_H
#include <stddef.h>

// One kind: a head in two parts, between which the target stands.
struct head {
    char *before, *behind;
};

struct kind {
    char name[64];
    struct head publish, poll;
    // Whether the client sends the body of a publish by itself, behind the head.
    int is_apart;
};

// Reads all kinds of a folder, in the order of their names; how many there are.
// The port and the length of the body are put into their heads.
int read_kinds(const char *folder, int port, int body_bytes, struct kind **kinds);

// Writes the head with this target, and these lines at its end; the length.
size_t write_head(char *out, size_t capacity, const struct head *head, const char *target, const char *lines);
#endif
