#ifndef BELFRY_CSYSTEMD_SHIM_H
#define BELFRY_CSYSTEMD_SHIM_H

#include <systemd/sd-daemon.h>
#include <unistd.h>

extern char **environ;

// The environment as a value: Swift refuses the global variable, which any thread could change.
static inline char **belfry_environment(void) {
    return environ;
}

#endif
