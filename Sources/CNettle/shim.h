#ifndef BELFRY_CNETTLE_SHIM_H
#define BELFRY_CNETTLE_SHIM_H

#include <nettle/base64.h>
#include <nettle/memops.h>
#include <nettle/sha1.h>
#include <nettle/sha2.h>

#endif
