// constant PORT: the least that libmicrohttpd can do with a publish: reads the body, and answers 201
// with the same few bytes. One thread, epoll, turbo: the mode in which the daemon uses it.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char answer[] = "{\"id\":\"1795251600000000\",\"topic\":\"t0\",\"time\":\"2026-11-21T09:00:00.000000Z\",\"subscribers\":0}\n";
static struct MHD_Response *response;

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *bytes, size_t *count, void **state) {
    (void)unused, (void)url, (void)method, (void)version, (void)bytes;
    if (!*state) {
        *state = response;
        return MHD_YES;
    }
    if (*count) {
        *count = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_CREATED, response);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    response = MHD_create_response_from_buffer(sizeof answer - 1, (void *)answer, MHD_RESPMEM_PERSISTENT);
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_TURBO, 0, NULL, NULL, handle, NULL,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, 1000u, MHD_OPTION_END);
    if (!daemon) return perror("constant"), 1;
    int epoll = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    for (;;) {
        MHD_UNSIGNED_LONG_LONG milliseconds;
        int timeout = MHD_get_timeout(daemon, &milliseconds) == MHD_YES ? (int)milliseconds : -1;
        if (timeout) poll(&(struct pollfd){.fd = epoll, .events = POLLIN}, 1, timeout);
        MHD_run(daemon);
    }
}
