#ifndef BELFRY_CLINUX_H
#define BELFRY_CLINUX_H

// No header here may define _GNU_SOURCE: it changes structs that Swift's Glibc module has already
// seen (fd_set), and the two modules then refuse each other. Sources define it for themselves.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "clinux_peer.h"

#endif
