#ifndef BELFRY_CSYSTEMD_SHIM_H
#define BELFRY_CSYSTEMD_SHIM_H

#include <systemd/sd-daemon.h>

#endif
