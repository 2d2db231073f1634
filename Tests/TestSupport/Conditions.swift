internal import Glibc
public import Testing

/// Why some tests are left out on some machines and in some builds: the only conditions that tests
/// have. `scripts/run-tests` lists at its end which were skipped, and why.
///
/// No condition is about a program: `scripts/setup test` installs those that tests need, and where
/// one is missing its tests fail.
extension Trait where Self == ConditionTrait {
    /// The test plays other users of the machine.
    public static var byRoot: Self {
        .enabled(if: getuid() == 0, "only root can play other users: run the tests as root")
    }

    /// The test has to be a user whom the kernel names to others.
    public static var byNamedUser: Self {
        // The kernel's overflow uid, which stands for every user that it cannot name.
        .enabled(if: getuid() != 65_534, "the user nobody is nobody to the bus")
    }

    /// The test measures memory, or processor time, of a program.
    public static var withoutSanitizer: Self {
        .enabled(if: !Sanitizer.isOn, "sanitizers cost memory and time of their own")
    }
}
