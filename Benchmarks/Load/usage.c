#define _GNU_SOURCE
#include "usage.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wire.h"

unsigned long long cpu_ns(int pid) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    if (!threads) die("no process %d", pid);
    unsigned long long sum = 0;
    for (struct dirent *thread; (thread = readdir(threads));) {
        if (thread->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, thread->d_name);
        FILE *file = fopen(path, "r");
        unsigned long long time = 0;
        if (file && fscanf(file, "%llu", &time) == 1) sum += time;
        if (file) fclose(file);
    }
    closedir(threads);
    return sum;
}

long resident_bytes(int pid) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    if (!file) die("no process %d", pid);
    long kilobytes = 0;
    while (fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kilobytes);
    fclose(file);
    return kilobytes * 1024;
}

void wait_until_idle(int pid) {
    unsigned long long before = cpu_ns(pid);
    for (int quiet = 0, turns = 0; quiet < 5 && turns < 500; turns++) {
        usleep(20000);
        unsigned long long now = cpu_ns(pid);
        quiet = now - before < 200000 ? quiet + 1 : 0;
        before = now;
    }
}
