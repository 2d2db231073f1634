#include <malloc.h>

#include "clinux.h"

void clinux_map_blocks(int block_bytes_min, int kept_bytes_max) {
    mallopt(M_MMAP_THRESHOLD, block_bytes_min);
    mallopt(M_TRIM_THRESHOLD, kept_bytes_max);
}

void clinux_trim_memory(void) {
    malloc_trim(0);
}
