// What another process has used so far.
#ifndef USAGE_H
#define USAGE_H

// Processor time of all its threads that run, in nanoseconds (/proc/PID/task/*/schedstat: the
// kernel's own count, where /proc/PID/stat has steps of 10 ms).
unsigned long long cpu_ns(int pid);

// Resident memory in bytes.
long resident_bytes(int pid);

// Waits until the process has done next to nothing for 100 ms; ten seconds at most.
void wait_until_idle(int pid);
#endif
