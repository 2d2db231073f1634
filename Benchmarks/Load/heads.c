// A file of a kind has three parts, each of which an empty line ends: facts, the head of a publish, and
// the head of a poll. Its lines end in a line feed alone.
#define _GNU_SOURCE
#include "heads.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

enum { file_max = 8192, kinds_max = 256 };

// The bytes with `what` replaced by a number, in new memory.
static char *replace(char *text, const char *what, int number) {
    char *out = malloc(strlen(text) + 256), *end = out;
    for (const char *found; (found = strstr(text, what)); text += found - text + (long)strlen(what)) {
        end = mempcpy(end, text, (size_t)(found - text));
        end += sprintf(end, "%d", number);
    }
    strcpy(end, text);
    return out;
}

// The head with the line ends of HTTP, without the empty line that ends it, in its two parts.
static struct head parts(const char *text, int port, int body_bytes) {
    char *lines = malloc(2 * strlen(text) + 1), *end = lines;
    for (; *text; text++) {
        if (*text == '\n') *end++ = '\r';
        *end++ = *text;
    }
    *end = 0;
    lines = replace(replace(lines, "{port}", port), "{length}", body_bytes);
    char *target = strstr(lines, "{target}");
    if (!target) die("a head without a target: %s", lines);
    *target = 0;
    return (struct head){.before = lines, .behind = target + strlen("{target}")};
}

// Cuts the text behind its next empty line, which is left out; what follows.
static char *cut(char *text, const char *path) {
    char *end = strstr(text, "\n\n");
    if (!end) die("%s has no three parts", path);
    end[1] = 0;
    return end + 2;
}

static void read_kind(const char *folder, const char *name, int port, int body_bytes, struct kind *kind) {
    char path[4096], facts[file_max + 1];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) die("%s", path);
    size_t count = fread(facts, 1, file_max, file);
    fclose(file);
    facts[count] = 0;
    char *publish = cut(facts, path), *poll = cut(publish, path);
    cut(poll, path);
    snprintf(kind->name, sizeof kind->name, "%s", name);
    kind->is_apart = strstr(facts, "\npieces: 1\n") == NULL;
    kind->publish = parts(publish, port, body_bytes);
    kind->poll = parts(poll, port, body_bytes);
}

static int is_kind(const struct dirent *entry) { return strstr(entry->d_name, ".txt") != NULL; }

int read_kinds(const char *folder, int port, int body_bytes, struct kind **kinds) {
    struct dirent **files;
    int count = scandir(folder, &files, is_kind, alphasort);
    if (count < 1 || count > kinds_max) die("%d kinds in %s", count, folder);
    *kinds = calloc((size_t)count, sizeof **kinds);
    for (int i = 0; i < count; i++) read_kind(folder, files[i]->d_name, port, body_bytes, &(*kinds)[i]);
    errno = 0;
    return count;
}

size_t write_head(char *out, size_t capacity, const struct head *head, const char *target, const char *lines) {
    int count = snprintf(out, capacity, "%s%s%s%s\r\n", head->before, target, head->behind, lines);
    if (count < 0 || (size_t)count >= capacity) die("a head of %d bytes", count);
    return (size_t)count;
}
