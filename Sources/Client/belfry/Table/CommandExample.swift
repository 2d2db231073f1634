/// One line to type, as the manual and the help show it.
struct CommandExample: Sendable {
    /// The line to type in a shell.
    let line: String
    /// Its effect, in a few words.
    let meaning: String

    init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }

    /// By the names of commands, of which each has at least one.
    fileprivate static let all: [String: [CommandExample]] = [
        "pub": [
            CommandExample(
                "belfry pub deploys 'v1.2 is live'",
                "publish a text"),
            CommandExample(
                "belfry pub backups --key db --type done < report.txt",
                "publish a file, with the kind of event and its subject"),
            CommandExample(
                "tail -F app.log | belfry pub log.app --lines",
                "publish each line of a log"),
            CommandExample(
                "belfry pub remind 'stand up' --delay 1h",
                "publish it in an hour"),
        ],
        "later": [
            CommandExample(
                "belfry later remind",
                "list the events that are held for a topic")
        ],
        "cancel": [
            CommandExample(
                "belfry cancel remind 1796053613157719",
                "cancel one of them")
        ],
        "sub": [
            CommandExample(
                "belfry sub deploys",
                "print each event as it comes"),
            CommandExample(
                "belfry sub 'jobs.>' --since 1h --until-now --json",
                "print what was published in the last hour"),
            CommandExample(
                "belfry sub uploads --name thumbnails -- ./make-thumbnail",
                "run a program for each event; a later run goes on behind the last one"),
            CommandExample(
                "belfry sub backup --type '$silent' -- mail -s 'no backup' root",
                "send a mail where an event was expected, and none came"),
        ],
        "wait": [
            CommandExample(
                "belfry wait backups --key db --timeout 10m",
                "wait for the end of a backup")
        ],
        "get": [
            CommandExample(
                "belfry get deploys 1795851121486795",
                "print the bytes of one event")
        ],
        "topics": [
            CommandExample(
                "belfry topics",
                "list all topics"),
            CommandExample(
                "belfry topics 'builds.*'",
                "list those of a pattern"),
        ],
        "subscribers": [
            CommandExample(
                "belfry subscribers deploys",
                "say who gets the next event")
        ],
        "topic show": [
            CommandExample(
                "belfry topic show deploys",
                "show how many events it has, and how many it keeps")
        ],
        "topic set": [
            CommandExample(
                "belfry topic set status --keep 1",
                "keep the last event alone"),
            CommandExample(
                "belfry topic set jobs.mail --hold mail",
                "keep every event until the group mail has settled it"),
            CommandExample(
                "belfry topic set backup --expect 26h",
                "be told where no event comes for 26 hours"),
        ],
        "topic rm": [
            CommandExample(
                "belfry topic rm old",
                "remove a topic with its events")
        ],
        "work": [
            CommandExample(
                "belfry work mail jobs.mail -- ./send-mail",
                "do the jobs one after the other; several of these share them"),
            CommandExample(
                "belfry work mail --parallel 4 --until-empty -- ./send-mail",
                "do what is at hand, four jobs at once, and end"),
        ],
        "answer": [
            CommandExample(
                "belfry answer sums questions.sums -- bc",
                "reply to each request with what bc prints")
        ],
        "ask": [
            CommandExample(
                "belfry ask questions.sums '2 + 2' --timeout 5s",
                "print what a worker replies")
        ],
        "run": [
            CommandExample(
                "belfry run backups --key db -- pg_dump -f db.sql shop",
                "publish the start of a backup, and how it ended")
        ],
        "copy": [
            CommandExample(
                "belfry copy http://127.0.0.1:7464 unix:/run/other/belfry.sock",
                "publish all events of one bus on another one")
        ],
        "push": [
            CommandExample(
                "belfry push /etc/belfry/webhooks --since now",
                "post the events that the lines of the file name")
        ],
        "top": [
            CommandExample(
                "belfry top",
                "show it until q is pressed"),
            CommandExample(
                "belfry top --once",
                "print it once"),
        ],
        "bench": [
            CommandExample(
                "belfry bench --events 1000 --size 500",
                "measure with a thousand events of 500 bytes")
        ],
        "doctor": [
            CommandExample(
                "belfry doctor",
                "look for what is wrong")
        ],
        "groups": [
            CommandExample(
                "belfry groups",
                "list the groups, their open jobs, and the workers that wait")
        ],
        "group show": [
            CommandExample(
                "belfry group show mail",
                "show its settings, and how its jobs do")
        ],
        "group set": [
            CommandExample(
                "belfry group set mail --of jobs.mail --attempts 5 --dead jobs.failed",
                "make a group whose failed jobs go to a topic")
        ],
        "group rm": [
            CommandExample(
                "belfry group rm mail",
                "end a group")
        ],
        "group seek": [
            CommandExample(
                "belfry group seek mail --since 10m",
                "do again what came in the last ten minutes")
        ],
        "jobs": [
            CommandExample(
                "belfry jobs mail",
                "list the open jobs, and the workers that have them")
        ],
        "dead": [
            CommandExample("belfry dead mail", "list the jobs that failed, and why"),
            CommandExample("belfry dead mail 1795851121486795", "show one, with its payload"),
        ],
        "revive": [
            CommandExample(
                "belfry revive mail 1795851121486795",
                "give a dead letter back to the workers"),
            CommandExample("belfry revive mail --all", "give all of them back"),
        ],
    ]
}

extension CommandRow {
    /// Its examples.
    var examples: [CommandExample] { CommandExample.all[name] ?? [] }
}
