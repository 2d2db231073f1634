#ifndef BELFRY_CLINUX_H
#define BELFRY_CLINUX_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sys/epoll.h>
#include <sys/eventfd.h>

#endif
