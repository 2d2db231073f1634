# Requests to a bus that stays. scripts/smoke reads this.

publishing() {
    publish smoke plain
    check 'the topic in the answer' smoke "$(member topic)"
    check 'the readers in the answer' 0 "$(member subscribers)"
    check 'the address of the event' "/topics/smoke/events/$id" "$(header location)"
    first_id=$id

    printf 'one\ntwo\nthree' >"$work/lines"
    ask '/topics/smoke?split=lines' --data-binary "@$work/lines"
    check 'the status of a batch' 201 "$status"
    check 'the events of a batch' 3 "$(member count)"
    check_less 'the first id of a batch' "$first_id" "$(member first)"
    check_less 'the last id of a batch' "$(member first)" "$(member last)"
    last_id=$(member last)

    ask /topics/smoke -H 'Event-Type: done' -H 'Event-Key: 17' -H 'Content-Type: application/json' -d '{"job": 17}'
    check 'the status of a publish with headers' 201 "$status"
    typed_id=$(header event-id)
    check_less 'the id behind a batch' "$last_id" "$typed_id"
    printf '%s smoke {"job":17}\n' "$typed_id" >>"$work/answered"

    ask '/topics/no%20name' -d x
    check 'the status of a publish to no name' 400 "$status"
    check 'its code' TOPIC_NAME_INVALID "$(member code)"
}

polling() {
    ask '/topics/smoke?since=earliest'
    check 'the status of a poll' 200 "$status"
    check 'its event' plain "$body"
    check 'its id' "$first_id" "$(header event-id)"
    check 'its cursor, with more events behind it' "$first_id" "$(header event-cursor)"
    for text in one two three '{"job": 17}'; do
        ask "/topics/smoke?since=$(header event-cursor)"
        check 'the next event' "$text" "$body"
        # The ids of the lines of a batch are told here first.
        [ "$text" = '{"job": 17}' ] || printf '%s smoke "%s"\n' "$(header event-id)" "$text" >>"$work/answered"
    done
    check 'the id of the last one' "$typed_id" "$(header event-id)"
    check 'its type' 'done' "$(header event-type)"
    check 'its key' 17 "$(header event-key)"
    check 'its Content-Type' application/json "$(header content-type)"

    cursor=$(header event-cursor)
    ask "/topics/smoke?since=$cursor&wait=0"
    check 'the status of a poll without an event' 204 "$status"
    check 'its cursor' "$cursor" "$(header event-cursor)"
    ask '/topics/smoke?since=earliest&as=json&type=done'
    check_has 'the envelope of a filtered event' "\"id\":\"$typed_id\",\"topic\":\"smoke\"," "$body"
    check_has 'its data' '"type":"done","key":"17","content_type":"application/json","data":{"job":17}' "$body"
    check_has 'its end' "],\"cursor\":\"$cursor\",\"gap\":null}" "$body"

    begin poll curl -w '\n%{http_code} %header{event-id}' "$bus/topics/smoke?since=$cursor"
    eventually 'a poll that waits' has_readers smoke 1
    publish smoke woken
    check 'the readers that a publish tells' 1 "$(member subscribers)"
    check_ended poll 0
    check 'what a poll that waited got' "woken
200 $id" "$(cat "$work/poll.out")"
}

streaming() {
    cursor=$id
    # They stay until the bus stops.
    begin ndjson curl -N --max-time 120 "$bus/topics/smoke?since=$cursor&as=ndjson"
    begin sse curl -N --max-time 120 "$bus/topics/smoke?since=$cursor&as=sse"
    eventually 'two streams that wait' has_readers smoke 2
    for number in 1 2 3 4 5; do publish smoke "streamed $number"; done
    tail -n 5 "$work/answered" >"$work/streamed"
    eventually 'the events of the stream of NDJSON' grep -q '"streamed 5"' "$work/ndjson.out"
    check 'the first line of NDJSON' "{\"cursor\":\"$cursor\"}" "$(head -n 1 "$work/ndjson.out")"
    check 'the events of NDJSON, in order' "$(cat "$work/streamed")" "$(envelopes <"$work/ndjson.out")"
    eventually 'the events of the event stream' grep -q '^data: streamed 5$' "$work/sse.out"
    check 'the first lines of the event stream' ":,id: $cursor," \
        "$(sed -n '/^retry: /d; 1,4p' "$work/sse.out" | tr '\n' ',' | sed 's/,,$/,/')"
    check 'the events of the event stream, in order' "$(cat "$work/streamed")" "$(
        awk '/^id: / { id = $2 } /^data: / { printf "%s smoke \"%s\"\n", id, substr($0, 7) }' "$work/sse.out")"

    publish elsewhere 'moves the cursor'
    eventually 'the cursor at a heartbeat of NDJSON' grep -qx "{\"cursor\":\"$id\"}" "$work/ndjson.out"
    eventually 'the cursor at a heartbeat of the event stream' grep -qx "id: $id" "$work/sse.out"
    eventually 'a heartbeat of NDJSON' grep -qx '' "$work/ndjson.out"
    eventually 'a heartbeat of the event stream' has_two_comments
}

# The first is sent when a stream begins.
has_two_comments() { [ "$(grep -cx : "$work/sse.out")" -ge 2 ]; }

# $lease is the lease of the job that was taken.
take() { # what text attempt parameters
    ask "/groups/post/next$4" -X POST
    check "the status of $1" 200 "$status"
    check "the text of $1" "$2" "$body"
    check "the attempt of $1" "$3" "$(header work-attempt)"
    lease=$(header work-lease)
}

settle() { # status verb lease
    ask "/groups/post/$2?lease=$3" -X POST
    check "the status of $2" "$1" "$status"
}

sharing_jobs() {
    ask '/groups/post?of=jobs.post' -X PUT
    check 'the status of a new group' 201 "$status"
    publish jobs.post 'to ann'
    publish jobs.post 'to bob'
    job=$id
    take 'a first job' 'to ann' 1 ''
    ann=$lease
    take 'a second job' 'to bob' 1 ''
    check 'the id of a second job' "$job" "$(header event-id)"
    bob=$lease
    ask '/groups/post/next?wait=0' -X POST
    check 'the status without a job at hand' 204 "$status"
    settle 204 'done' "$ann"
    settle 410 'done' "$ann"
    settle 204 'retry' "$bob&delay=0"
    take 'a job that was given back' 'to bob' 2 '?for=1s'
    bob=$lease
    take 'a job whose lease ended' 'to bob' 3 ''
    check 'its id' "$job" "$(header event-id)"
    settle 409 'done' "$bob"
    # Open over the restart.
    settle 204 'retry' "$lease&delay=0"
}
