internal import CLinux

/// The memory of the process, as far as its allocator decides where it comes from and whether it goes
/// back.
public enum ProcessMemory {
    /// Makes large blocks come from the system and go back to it, each by itself.
    ///
    /// glibc begins so, but with each such block that is freed it takes larger ones from its heaps
    /// instead (mallopt(3), M_MMAP_THRESHOLD). A few small blocks then keep the heaps in which
    /// hundreds of megabytes of answers were.
    public static func mapLargeBlocks() {
        clinux_map_blocks(
            Int32(HTTPFrontLimits.mappedBlockBytesMin), Int32(HTTPFrontLimits.keptHeapBytesMax))
    }

    /// Gives free memory back to the system. Takes milliseconds, in which other threads may wait for
    /// memory.
    public static func giveBack() { clinux_trim_memory() }
}
