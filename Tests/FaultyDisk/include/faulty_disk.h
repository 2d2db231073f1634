#ifndef BELFRY_FAULTY_DISK_H
#define BELFRY_FAULTY_DISK_H

#include <stdint.h>

// A file system of SQLite for tests: the one of the system, with faults that are ordered, and with
// a memory of what was written since the last sync, so that the power can be cut.
//
// One disk at a time for each name; any thread.

typedef struct faulty_disk faulty_disk;

enum faulty_call {
    FAULTY_WRITE = 1,
    FAULTY_SYNC = 2,
    FAULTY_READ = 4,
};

enum faulty_file {
    FAULTY_DATABASE = 1,
    FAULTY_JOURNAL = 2,
};

// Makes a disk and registers it under a name; power_memory keeps what is needed to cut its power.
faulty_disk *faulty_disk_make(const char *name, int power_memory);

// Unregisters and frees it. Nothing is open on it.
void faulty_disk_free(faulty_disk *disk);

// From now on calls of these kinds return `code` (an SQLite result code), after `skip` of them went
// through; for `count` of them, -1 for ever. A write that fails with `partial` set writes a part.
void faulty_disk_fail(faulty_disk *disk, int calls, int code, int skip, int count, int partial);

// From now on no write and no sync succeeds, as on a file system that became read-only (EROFS).
void faulty_disk_become_read_only(faulty_disk *disk);

// A failing call does what it should all the same, but says that it failed.
void faulty_disk_fail_after(faulty_disk *disk, int calls, int code, int skip, int count);

// Ends the faults.
void faulty_disk_heal(faulty_disk *disk);

// Calls of a kind that were made so far, the failed ones included.
int faulty_disk_calls(faulty_disk *disk, int call);

// Has a call of `sync` on files of these kinds wait until it may go on; nobody waits if `wait` is
// null.
void faulty_disk_hold_syncs(faulty_disk *disk, int files, void (*wait)(void *), void *context);

// Cuts the power: of every file, the writes since its last sync survive each or do not, by `seed`,
// perhaps in part. Every further call fails, until `faulty_disk_power_on`.
void faulty_disk_power_off(faulty_disk *disk, uint64_t seed);
void faulty_disk_power_on(faulty_disk *disk);

// Every further call fails, until `faulty_disk_power_on`; what was written stays.
void faulty_disk_stop(faulty_disk *disk);

#endif
