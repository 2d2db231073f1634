-- What `wrk` sends, and how it tells what became of it: in one line, as the other loads do.
wrk.method = "POST"
wrk.body = string.rep("x", 100)

function done(summary)
    local errors = summary.errors
    io.write(("requests=%d rate=%.0f failed=%d\n"):format(
        summary.requests, summary.requests / (summary.duration / 1000000),
        errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
