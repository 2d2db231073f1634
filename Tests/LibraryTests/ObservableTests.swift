import Broadcasting
import Observation
import Protection
import SQLiteStore
import Testing
import Topics
import Work

/// Users import any of the products in one file with `@Observable`.
///
/// The macro writes names that begin with `Observation.`, and a public type called so, in a module
/// that the file imports, would hide the module.
@Suite struct ObservableTests {
    @Observable final class Dashboard {
        var builds = 0
    }

    @Test func anObservableTypeCompilesBesideEveryProduct() {
        let (dashboard, changes) = (Dashboard(), Protected(0))
        withObservationTracking {
            _ = dashboard.builds
        } onChange: {
            changes.write { $0 += 1 }
        }
        dashboard.builds = 1
        #expect(changes.value == 1)
    }
}
