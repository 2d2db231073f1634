#ifndef BELFRY_CINIH_SHIM_H
#define BELFRY_CINIH_SHIM_H

#include <ini.h>

#endif
