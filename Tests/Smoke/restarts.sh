# Events, cursors and jobs behind a stop, and behind kills. scripts/smoke reads this.

stopping() {
    cursor=$id
    publish smoke 'behind the cursor'
    begin poll curl -w '%{http_code} %header{event-cursor}' "$bus/topics/smoke"
    eventually 'a poll that waits' has_readers smoke 3
    check_complete 'before a stop'
    cp "$work/log" "$work/log.before"
    stop TERM
    check_ended "daemon.$life" 0
    check_has 'the log of a stop' ' stopped' "$(cat "$work/daemon.$life.err")"
    check_ended poll 0
    check 'what a poll got that waited when the bus stopped' "204 $id" "$(cat "$work/poll.out")"
    check_ended ndjson 0
    check_ended sse 0

    start
    check_complete 'behind a stop'
    check 'the events behind a stop' '' "$(diff "$work/log.before" "$work/log")"
    ask "/topics/smoke?since=$cursor"
    check 'the event behind a cursor from before a stop' 'behind the cursor' "$body"
    check 'its gap' '' "$(header event-gap)"
    last_id=$id
    publish smoke 'after a stop'
    check_less 'the first id behind a stop' "$last_id" "$id"
    take 'a job that was open over a stop' 'to bob' 4 ''
    check 'its id' "$job" "$(header event-id)"
    settle 204 'done' "$lease"
    ask '/groups/post/next?wait=0' -X POST
    check 'the status without a job left' 204 "$status"
}

# These two publish until the bus is gone, and note each answered event. They use the unix socket, because another program may
# be given the port of a bus that was killed.
publish_singly() {
    number=0
    while answer=$(curl -f --unix-socket "$work/bus.sock" -d "$life $number" localhost/topics/crash.single); do
        printf '%s crash.single "%s"\n' "$(printf %s "$answer" | cut -d '"' -f 4)" "$life $number" >>"$work/answered"
        number=$((number + 1))
    done
}

publish_lines() {
    number=0
    while answer=$(printf '%s\n' "$life $number a" "$life $number b" "$life $number c" |
        curl -f --unix-socket "$work/bus.sock" --data-binary @- 'localhost/topics/crash.lines?split=lines'); do
        printf '%s "%s"\n' "$(printf %s "$answer" | cut -d '"' -f 4)" "$life $number a" >>"$work/lines.first"
        printf '%s "%s"\n' "$(printf %s "$answer" | cut -d '"' -f 8)" "$life $number c" >>"$work/lines.last"
        number=$((number + 1))
    done
}

have_published() { # number
    [ "$(grep -c " crash.single \"$life " "$work/answered")" -ge "$1" ] && [ "$(wc -l <"$work/lines.last")" -ge "$1" ]
}

being_killed() {
    for round in 1 2 3; do
        : >"$work/lines.first"
        : >"$work/lines.last"
        cursor=$id
        begin singly publish_singly
        begin in_lines publish_lines
        eventually 'publishers that are answered' have_published 15
        check "publishers that ended before the kill" '' "$(cd "$work" && cat singly.ended in_lines.ended 2>/dev/null)"
        stop KILL
        # 128 and the number of the signal.
        check_ended "daemon.$life" 137
        eventually 'the end of a publisher' has_ended singly
        eventually 'the end of a publisher of lines' has_ended in_lines
        killed=$life
        start
        sed 's/ / crash.lines /' "$work/lines.first" "$work/lines.last" >>"$work/answered"
        check_complete "behind kill $round"
        # A publish without an answer left nothing or all of its events.
        answered=$(grep -c " crash.single \"$killed " "$work/answered")
        kept=$(grep -c " crash.single \"$killed " "$work/log")
        check "unanswered events of the publisher of kill $round, at most one" yes \
            "$([ $((kept - answered)) -le 1 ] && echo yes || echo "$kept kept, $answered answered")"
        answered=$(wc -l <"$work/lines.last")
        kept=$(grep -c " crash.lines \"$killed " "$work/log")
        rest=$((kept - answered * 3))
        check "unanswered lines of kill $round, none or three" yes \
            "$([ "$rest" = 0 ] || [ "$rest" = 3 ] && echo yes || echo "$kept kept, $answered times three answered")"
        ask "/topics/>?since=$cursor&as=json&strict=1"
        check "the status of a cursor from before kill $round" 200 "$status"
        check_has "its gap" '"gap":null' "$body"
        newest=$(tail -n 1 "$work/log" | cut -d ' ' -f 1)
        publish smoke "after kill $round"
        check_less "the first id behind kill $round" "$newest" "$id"
    done
}
