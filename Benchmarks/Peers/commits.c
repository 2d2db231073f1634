// commits: what SQLite alone takes to keep events, each in a commit of its own: the table, the index and the
// settings that belfryd has with `store.sync = normal`, and nothing around them.
//
// Prints the processor time of each commit, the kernel's in it, and how many there were in a second. The first
// tenth warms up and is not counted.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *database;

static void check(int code, int wanted) {
    if (code == wanted) return;
    fprintf(stderr, "commits: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static void run(const char *text) { check(sqlite3_exec(database, text, 0, 0, 0), SQLITE_OK); }

static sqlite3_stmt *prepare(const char *text) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v2(database, text, -1, &statement, 0), SQLITE_OK);
    return statement;
}

static void step(sqlite3_stmt *statement) {
    check(sqlite3_step(statement), SQLITE_DONE);
    check(sqlite3_reset(statement), SQLITE_OK);
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: commits NEW_FILE COMMITS\n");
        return 2;
    }
    long commits = atol(arguments[2]), warm = commits / 10;
    check(sqlite3_open(arguments[1], &database), SQLITE_OK);
    run("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
        "CREATE TABLE events (id INTEGER PRIMARY KEY, topic INTEGER NOT NULL, time INTEGER NOT NULL, uid INTEGER,"
        " pid INTEGER, type TEXT, key TEXT, content_type TEXT, payload BLOB NOT NULL) STRICT;"
        "CREATE INDEX events_by_topic ON events (topic)");
    sqlite3_stmt *begin = prepare("BEGIN IMMEDIATE"), *commit = prepare("COMMIT");
    sqlite3_stmt *insert = prepare(
        "INSERT INTO events (id, topic, time, uid, content_type, payload) VALUES (?1, 1, ?2, 0, 'text/plain', ?3)");
    char payload[100];
    memset(payload, 'x', sizeof payload);
    double cpu = 0, start = 0;
    for (long number = 0; number < warm + commits; number++) {
        if (number == warm) {
            cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
            start = seconds(CLOCK_MONOTONIC);
        }
        step(begin);
        sqlite3_bind_int64(insert, 1, INT64_C(1795000000000000) + number);
        sqlite3_bind_int64(insert, 2, INT64_C(1795000000000000) + number);
        sqlite3_bind_blob(insert, 3, payload, sizeof payload, SQLITE_STATIC);
        step(insert);
        step(commit);
    }
    cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("cpu_us=%.3f rate=%.0f\n", cpu * 1e6 / (double)commits, (double)commits / (seconds(CLOCK_MONOTONIC) - start));
    return 0;
}
