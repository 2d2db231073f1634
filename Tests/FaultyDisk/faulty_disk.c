#include "faulty_disk.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// One write, or a truncation where `bytes` is null, since the last sync of a file.
struct change {
    sqlite3_int64 offset;
    int count;
    char *bytes;
    struct change *next;
};

// A file by its path: what is certainly on the disk, and what perhaps is. Outlives the handles.
struct image {
    char *path;
    char *synced;
    sqlite3_int64 synced_count, synced_room;
    struct change *changes, **last;
    struct image *next;
};

struct fault {
    int calls, code, skip, count, partial, acts, error;
};

struct faulty_disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    pthread_mutex_t mutex;
    struct fault fault;
    int counts[8];
    int power_memory, is_off;
    int held;
    void (*wait)(void *);
    void *context;
    struct image *images;
};

struct file {
    sqlite3_file base;
    faulty_disk *disk;
    struct image *image;
    int kind;
    sqlite3_file real[];
};

static sqlite3_file *real(sqlite3_file *file) { return ((struct file *)file)->real; }
static faulty_disk *disk_of(sqlite3_file *file) { return ((struct file *)file)->disk; }

// The fault for a call: its code, or SQLITE_OK; `partial` and `acts` as ordered.
static int next_fault(faulty_disk *disk, int call, int *partial, int *acts) {
    int code = SQLITE_OK;
    pthread_mutex_lock(&disk->mutex);
    disk->counts[call]++;
    if (disk->is_off) {
        code = call == FAULTY_READ ? SQLITE_IOERR_READ
             : call == FAULTY_WRITE ? SQLITE_IOERR_WRITE : SQLITE_IOERR_FSYNC;
        *acts = 0;
        *partial = 0;
    } else if (disk->fault.calls & call) {
        if (disk->fault.skip > 0) {
            disk->fault.skip--;
        } else if (disk->fault.count != 0) {
            if (disk->fault.count > 0) disk->fault.count--;
            code = disk->fault.code;
            *partial = disk->fault.partial;
            *acts = disk->fault.acts;
        }
    }
    pthread_mutex_unlock(&disk->mutex);
    return code;
}

// MARK: What is on the disk

static void load(struct image *image) {
    FILE *stream = fopen(image->path, "r");
    free(image->synced);
    image->synced = NULL;
    image->synced_count = image->synced_room = 0;
    if (!stream) return;
    fseek(stream, 0, SEEK_END);
    image->synced_count = ftell(stream);
    rewind(stream);
    image->synced_room = image->synced_count + 1;
    image->synced = malloc(image->synced_room);
    if (fread(image->synced, 1, image->synced_count, stream) != (size_t)image->synced_count) abort();
    fclose(stream);
}

static void forget_changes(struct image *image) {
    for (struct change *change = image->changes, *next; change; change = next) {
        next = change->next;
        free(change->bytes);
        free(change);
    }
    image->changes = NULL;
    image->last = &image->changes;
}

// Applies the first `count` bytes of a change to the image.
static void apply(struct image *image, struct change *change, int count) {
    sqlite3_int64 end = change->bytes ? change->offset + count : change->offset;
    if (end > image->synced_room) {
        image->synced_room = 2 * end;
        image->synced = realloc(image->synced, image->synced_room);
    }
    if (end > image->synced_count) {
        memset(image->synced + image->synced_count, 0, end - image->synced_count);
    }
    if (!change->bytes || end > image->synced_count) image->synced_count = end;
    if (change->bytes) memcpy(image->synced + change->offset, change->bytes, count);
}

static struct image *image_of(faulty_disk *disk, const char *path) {
    for (struct image *image = disk->images; image; image = image->next) {
        if (strcmp(image->path, path) == 0) return image;
    }
    struct image *image = calloc(1, sizeof *image);
    image->path = strdup(path);
    image->last = &image->changes;
    image->next = disk->images;
    disk->images = image;
    load(image);
    return image;
}

static void note(struct file *file, sqlite3_int64 offset, const void *bytes, int count) {
    if (!file->image) return;
    struct change *change = calloc(1, sizeof *change);
    change->offset = offset;
    change->count = count;
    if (bytes) {
        change->bytes = malloc(count + 1);
        memcpy(change->bytes, bytes, count);
    }
    pthread_mutex_lock(&file->disk->mutex);
    *file->image->last = change;
    file->image->last = &change->next;
    pthread_mutex_unlock(&file->disk->mutex);
}

// MARK: The calls of a file

static int f_close(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int f_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int partial = 0, acts = 0;
    int code = next_fault(disk_of(file), FAULTY_READ, &partial, &acts);
    return code ? code : real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int f_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int partial = 0, acts = 0;
    int code = next_fault(disk_of(file), FAULTY_WRITE, &partial, &acts);
    if (code && !acts) {
        if (!partial) return code;
        count /= 2;
    }
    note((struct file *)file, offset, bytes, count);
    int done = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    return code ? code : done;
}

static int f_truncate(sqlite3_file *file, sqlite3_int64 size) {
    if (disk_of(file)->is_off) return SQLITE_IOERR_TRUNCATE;
    note((struct file *)file, size, NULL, 0);
    return real(file)->pMethods->xTruncate(real(file), size);
}

static int f_sync(sqlite3_file *base, int flags) {
    struct file *file = (struct file *)base;
    int partial = 0, acts = 0;
    if (file->disk->wait && file->disk->held & file->kind) file->disk->wait(file->disk->context);
    int code = next_fault(file->disk, FAULTY_SYNC, &partial, &acts);
    if (code && !acts) return code;
    pthread_mutex_lock(&file->disk->mutex);
    if (file->image) {
        for (struct change *change = file->image->changes; change; change = change->next) {
            apply(file->image, change, change->count);
        }
        forget_changes(file->image);
    }
    pthread_mutex_unlock(&file->disk->mutex);
    (void)flags;
    return code;
}

static int f_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}
static int f_lock(sqlite3_file *file, int lock) { return real(file)->pMethods->xLock(real(file), lock); }
static int f_unlock(sqlite3_file *file, int lock) {
    return real(file)->pMethods->xUnlock(real(file), lock);
}
static int f_is_reserved(sqlite3_file *file, int *result) {
    return real(file)->pMethods->xCheckReservedLock(real(file), result);
}
static int f_control(sqlite3_file *file, int operation, void *argument) {
    int error = disk_of(file)->fault.error;
    if (operation == SQLITE_FCNTL_LAST_ERRNO && error) {
        *(int *)argument = error;
        return SQLITE_OK;
    }
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}
static int f_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int f_device(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
static int f_map(sqlite3_file *file, int page, int size, int extend, void volatile **memory) {
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
}
static int f_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void f_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int f_unmap(sqlite3_file *file, int remove) {
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

static const sqlite3_io_methods methods = {
    2, f_close, f_read, f_write, f_truncate, f_sync, f_size, f_lock, f_unlock, f_is_reserved,
    f_control, f_sector, f_device, f_map, f_shm_lock, f_barrier, f_unmap, NULL, NULL,
};

// MARK: The file system

static int v_open(
    sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *base, int flags, int *out_flags) {
    faulty_disk *disk = (faulty_disk *)vfs;
    struct file *file = (struct file *)base;
    base->pMethods = NULL;
    int code = disk->real->xOpen(disk->real, path, file->real, flags, out_flags);
    if (code) return code;
    file->disk = disk;
    file->kind = flags & SQLITE_OPEN_WAL ? FAULTY_JOURNAL : FAULTY_DATABASE;
    file->image = NULL;
    if (disk->power_memory && path) {
        pthread_mutex_lock(&disk->mutex);
        file->image = image_of(disk, path);
        pthread_mutex_unlock(&disk->mutex);
    }
    base->pMethods = &methods;
    return SQLITE_OK;
}

static int v_delete(sqlite3_vfs *vfs, const char *path, int sync) {
    faulty_disk *disk = (faulty_disk *)vfs;
    if (disk->is_off) return SQLITE_IOERR_DELETE;
    int code = disk->real->xDelete(disk->real, path, sync);
    if (!code && disk->power_memory) {
        pthread_mutex_lock(&disk->mutex);
        struct image *image = image_of(disk, path);
        forget_changes(image);
        load(image);
        pthread_mutex_unlock(&disk->mutex);
    }
    return code;
}

static int v_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    sqlite3_vfs *real = ((faulty_disk *)vfs)->real;
    return real->xAccess(real, path, flags, result);
}
static int v_full(sqlite3_vfs *vfs, const char *path, int count, char *out) {
    sqlite3_vfs *real = ((faulty_disk *)vfs)->real;
    return real->xFullPathname(real, path, count, out);
}
static int v_random(sqlite3_vfs *vfs, int count, char *out) {
    sqlite3_vfs *real = ((faulty_disk *)vfs)->real;
    return real->xRandomness(real, count, out);
}
static int v_pause(sqlite3_vfs *vfs, int microseconds) {
    sqlite3_vfs *real = ((faulty_disk *)vfs)->real;
    return real->xSleep(real, microseconds);
}
static int v_time(sqlite3_vfs *vfs, double *time) {
    sqlite3_vfs *real = ((faulty_disk *)vfs)->real;
    return real->xCurrentTime(real, time);
}
static int v_error(sqlite3_vfs *vfs, int count, char *out) {
    sqlite3_vfs *real = ((faulty_disk *)vfs)->real;
    return real->xGetLastError(real, count, out);
}

faulty_disk *faulty_disk_make(const char *name, int power_memory) {
    faulty_disk *disk = calloc(1, sizeof *disk);
    disk->real = sqlite3_vfs_find(NULL);
    disk->power_memory = power_memory;
    pthread_mutex_init(&disk->mutex, NULL);
    disk->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(struct file) + disk->real->szOsFile,
        .mxPathname = disk->real->mxPathname,
        .zName = strdup(name),
        .xOpen = v_open,
        .xDelete = v_delete,
        .xAccess = v_access,
        .xFullPathname = v_full,
        .xRandomness = v_random,
        .xSleep = v_pause,
        .xCurrentTime = v_time,
        .xGetLastError = v_error,
    };
    sqlite3_vfs_register(&disk->vfs, 0);
    return disk;
}

void faulty_disk_free(faulty_disk *disk) {
    sqlite3_vfs_unregister(&disk->vfs);
    for (struct image *image = disk->images, *next; image; image = next) {
        next = image->next;
        forget_changes(image);
        free(image->synced);
        free(image->path);
        free(image);
    }
    pthread_mutex_destroy(&disk->mutex);
    free((char *)disk->vfs.zName);
    free(disk);
}

static void order(faulty_disk *disk, struct fault fault) {
    pthread_mutex_lock(&disk->mutex);
    disk->fault = fault;
    pthread_mutex_unlock(&disk->mutex);
}

void faulty_disk_fail(faulty_disk *disk, int calls, int code, int skip, int count, int partial) {
    order(disk, (struct fault){calls, code, skip, count, partial, 0});
}

void faulty_disk_become_read_only(faulty_disk *disk) {
    order(
        disk, (struct fault){
                  .calls = FAULTY_WRITE | FAULTY_SYNC, .code = SQLITE_IOERR_WRITE, .count = -1,
                  .error = EROFS});
}

void faulty_disk_fail_after(faulty_disk *disk, int calls, int code, int skip, int count) {
    order(disk, (struct fault){calls, code, skip, count, 0, 1});
}

void faulty_disk_heal(faulty_disk *disk) { order(disk, (struct fault){0}); }

int faulty_disk_calls(faulty_disk *disk, int call) {
    pthread_mutex_lock(&disk->mutex);
    int count = disk->counts[call];
    pthread_mutex_unlock(&disk->mutex);
    return count;
}

void faulty_disk_hold_syncs(
    faulty_disk *disk, int files, void (*wait)(void *), void *context) {
    disk->held = files;
    disk->context = context;
    disk->wait = wait;
}

static uint64_t next_random(uint64_t *state) {
    uint64_t mixed = *state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
}

void faulty_disk_power_off(faulty_disk *disk, uint64_t seed) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_off = 1;
    for (struct image *image = disk->images; image; image = image->next) {
        // In one of four cases nothing survives, in another one everything.
        int rule = next_random(&seed) % 4;
        for (struct change *change = image->changes; change; change = change->next) {
            uint64_t random = next_random(&seed);
            int count = change->count;
            if (rule == 0 || (rule > 1 && random % 2)) continue;
            if (rule == 3 && random % 16 == 2) count = (int)(random / 16 % (count + 1));
            apply(image, change, count);
        }
        forget_changes(image);
        if (access(image->path, F_OK) != 0) continue;
        FILE *stream = fopen(image->path, "w");
        if (!stream || fwrite(image->synced, 1, image->synced_count, stream)
                           != (size_t)image->synced_count) {
            abort();
        }
        fclose(stream);
    }
    pthread_mutex_unlock(&disk->mutex);
}

void faulty_disk_stop(faulty_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_off = 1;
    pthread_mutex_unlock(&disk->mutex);
}

void faulty_disk_power_on(faulty_disk *disk) {
    pthread_mutex_lock(&disk->mutex);
    disk->is_off = 0;
    pthread_mutex_unlock(&disk->mutex);
}
