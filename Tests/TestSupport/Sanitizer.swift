internal import Glibc

/// What the running tests, and the programs built beside them, were built with.
public enum Sanitizer {
    /// Whether it is the address or the thread sanitizer: they have allocators of their own, so
    /// that no count of memory means anything, and make everything several times slower.
    public static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
