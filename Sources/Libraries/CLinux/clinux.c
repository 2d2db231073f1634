#define _GNU_SOURCE

#include "clinux.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_process_open(int32_t process) {
    long descriptor = syscall(SYS_pidfd_open, process, 0);
    return descriptor < 0 ? -errno : (int)descriptor;
}
