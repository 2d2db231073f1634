import Broadcasting
import Dispatch
import Foundation
import Protection
import SQLiteStore
import Topics
import Work

// The examples of the documentation comments and pages, line by line, each in surroundings that
// complete it. ``ExampleTests`` finds them here.

/// What the examples call, and nobody has to see.
private func connect() throws {}
private func ignoreSignals() {}
private func reload() {}
private func show(_ text: String) { print(text) }
private let page = "/"

func startingOneJob() {
    enum Job: StateMachine {
        case waiting, running, done

        func canTransition(to next: Job) -> Bool {
            switch (self, next) {
            case (.waiting, .running), (.running, .done): true
            default: false
            }
        }
    }

    let job = Protected(Job.waiting)
    guard job.attemptToTransition(to: .running) else { return }  // somebody else has it
}

struct SettingUp {
    private let setUp = Once()

    func use() throws {
        try setUp.run { try connect() }
    }

    func useByToken() {
        DispatchQueue.once(token: "com.example.signals") { ignoreSignals() }
    }
}

func counting() {
    final class Census: Sendable {
        private let table = Protected<[String: Int]>([:])  // shared: stored form

        func count(_ name: String) -> Int {
            table.write { table in
                table[name, default: 0] += 1
                return table[name, default: 0]
            }
        }
    }

    @Protected var table: [String: Int] = [:]
    table["a", default: 0] += 1  // one access
    $table.write { $0.removeAll() }
}

func countingVisits() -> Int {
    let visits = Protected<[String: Int]>([:])
    let count = visits.write { visits in
        visits[page, default: 0] += 1
        return visits[page, default: 0]
    }
    return count
}

func tellingObservers() {
    final class Lamp: DoorObserver {
        func doorOpened(_ number: Int) {}
    }
    let lamp = Lamp()

    protocol DoorObserver: AnyObject { func doorOpened(_ number: Int) }

    let bus = Broadcaster()
    bus.register((any DoorObserver).self, observer: lamp)
    bus.notify((any DoorObserver).self) { $0.doorOpened(3) }
}

func tellingObserversOfThePage() {
    final class Lamp: DoorObserver {
        func doorOpened(_ number: Int) {}
    }
    let lamp = Lamp()

    protocol DoorObserver: AnyObject {
        func doorOpened(_ number: Int)
    }

    let bus = Broadcaster()
    bus.register((any DoorObserver).self, observer: lamp)
    bus.notify((any DoorObserver).self) { $0.doorOpened(3) }
}

func tellingObserversOnAnActor(of bus: Broadcaster) async {
    protocol DoorObserver: AnyObject { func doorOpened(_ number: Int) }
    actor House {}
    let house = House()

    await bus.notify((any DoorObserver).self, on: house) { $0.doorOpened(3) }
}

func tellingObserversOnTheMainActor(of bus: Broadcaster) async {
    @MainActor protocol PanelObserver: AnyObject { func refresh() }
    await bus.notify((any PanelObserver).self, on: MainActor.shared) { $0.refresh() }
}

func sendingValues() {
    let doors = PassthroughSubject<Int, Never>()
    let lamp = doors.sink { print("door \($0) is open") }
    doors.send(3)

    withExtendedLifetime(lamp) {}
}

func readingValues(of doors: PassthroughSubject<Int, Never>) async {
    let values = doors.values(buffering: .oldest(100))
    for await door in values { print("door \(door), \(values.droppedCount) missed") }
}

func keepingALevel() {
    let level = CurrentValueSubject<Int, Never>(0)
    let gauge = level.sink { print("level \($0)") }  // level 0
    level.value = 5  // level 5
    level.update { $0 += 1 }  // level 6

    withExtendedLifetime(gauge) {}
}

func followingBuilds(of bus: EventBus, after cursor: EventID) async throws {
    let builds = try bus.subscribe(Selector("builds.>"), since: .after(cursor))
    for try await delivery in builds {
        switch delivery {
        case .event(let event): show(event.payload.text)
        case .gap: reload()
        }
    }
}

func publishing() async throws {
    let bus = try EventBus()
    try await bus.publish("v1.2 is live", to: "deploys")
}

func keepingAFile() async throws {
    let bus = try EventBus(file: "builds.db")
    defer { bus.close() }

    try await bus.publish("passed", to: "builds.web")
}

struct Working {
    func share(_ bus: EventBus) async throws {
        let groups = WorkGroups(on: bus)
        let mail = try await groups.group("mail", of: "jobs.mail")
        while let job = try await mail.next() {
            show(job.event.payload.text)
            try await mail.settle(job, .done)
        }
    }

    func begin() async throws {
        let bus = try EventBus(file: "jobs.db")
        let groups = WorkGroups(on: bus)
        let mail = try await groups.group("mail", of: "jobs.mail")
        try await mail.work { job in
            show(job.event.payload.text)
            return .done
        }
    }

    func pool(_ groups: WorkGroups) async throws {
        let mail = try await groups.group("mail", of: "jobs.mail")
        try await withThrowingDiscardingTaskGroup { workers in
            for number in 1...4 {
                workers.addTask {
                    try await mail.work(worker: "w\(number)") { job in
                        show(job.event.payload.text)
                        return .done
                    }
                }
            }
        }
    }

    func answer(_ groups: WorkGroups, _ replying: GroupSettings) async throws {
        let adder = try await groups.set("adder", replying)
        let worker = Task {
            try await adder.work { job in .done(reply: Reply("5")) }
        }
        let reply = try await groups.ask("2+3", to: "math.add", within: .seconds(10))
        show(reply.payload.text)
        worker.cancel()
    }
}

struct Deploy: Codable, Sendable { var version: String }

func values(on bus: EventBus) async throws {
    let deploys = try Topic<Deploy>(
        "deploys", encode: { try JSONEncoder().encode($0) },
        decode: { try JSONDecoder().decode(Deploy.self, from: $0) })
    try await bus.publish(Deploy(version: "v1.2"), to: deploys)
    for try await delivery in try bus.subscribe(to: deploys) {
        switch delivery {
        case .value(let deploy, _): show(deploy.version)
        case .unreadable(let event, let error): show("\(event.id): \(error)")
        case .gap: reload()
        }
    }
}
