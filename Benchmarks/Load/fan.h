// The parts of `fan`: a publisher, many subscribers, and what they count together.
#ifndef FAN_H
#define FAN_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum mode { event_streams, long_polls, web_sockets };

// What to do, of the command line.
struct plan {
    int port, subs, topics, size, pipeline, batch;
    long msgs;
    double rate;
    enum mode mode;
    const char *sub_path, *pub_path;
    char headers[1024], pub_headers[1024];
    // Where a poll goes on: "Header-Of-Answer>Header-Of-Request" or "Header-Of-Answer>?parameter".
    const char *nexts[4];
    int next_count;
};
extern struct plan plan;

extern atomic_long ready, published, delivered;
extern atomic_int stopping;

// How many deliveries so many events make.
long deliveries_of(long events);

// Nanoseconds from publish to delivery of the first few million deliveries.
extern uint32_t *latencies;
extern long latency_count, latency_capacity;

void *run_subscribers(void *unused);
void *run_publisher(void *unused);

// Called by the subscribers after counting; wakes a publisher that waits for all deliveries.
void delivered_some(void);
#endif
