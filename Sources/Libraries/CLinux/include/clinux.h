#ifndef BELFRY_CLINUX_H
#define BELFRY_CLINUX_H

// No header here may define _GNU_SOURCE: it changes structs that Swift's Glibc module has already
// seen (fd_set), and the two modules then refuse each other. Sources define it for themselves.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "clinux_peer.h"

// A descriptor that can be read from the end of a process on (pidfd_open, Linux 5.3), closed on exec;
// or -errno. The caller closes it.
int clinux_process_open(int32_t process);

// Has blocks of so many bytes and more come from the system and go back to it, each by itself, and
// heaps keep so many free bytes at their end (mallopt, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD).
void clinux_map_blocks(int block_bytes_min, int kept_bytes_max);

// Gives memory that is free back to the system (malloc_trim).
void clinux_trim_memory(void);

#endif
