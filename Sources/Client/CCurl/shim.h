#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

/* The checks of types are macros around the functions below, which have types of their own. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* Swift calls no function with a variable number of arguments: one function for each type. */

typedef size_t (*belfry_curl_bytes)(char *bytes, size_t size, size_t count, void *owner);
typedef int (*belfry_curl_seek)(void *owner, curl_off_t offset, int origin);

static inline CURLcode belfry_curl_set_number(void *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_offset(void *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/* libcurl copies the text. */
static inline CURLcode belfry_curl_set_text(void *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_pointer(void *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode belfry_curl_set_bytes(
    void *easy, CURLoption option, belfry_curl_bytes function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode belfry_curl_set_seek(void *easy, belfry_curl_seek function) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, function);
}

/* A program that is started inherits no connection: libcurl by itself does not see to that. */
static inline curl_socket_t belfry_curl_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* The address of TCP as libcurl itself writes it, and its port; 0 for every other address. */
static inline int belfry_curl_address(
    const struct curl_sockaddr *address, char *text, size_t size, int *port) {
    if (address->family == AF_INET) {
        const struct sockaddr_in *four = (const void *)&address->addr;
        *port = ntohs(four->sin_port);
        return inet_ntop(AF_INET, &four->sin_addr, text, (socklen_t)size) != NULL;
    }
    if (address->family == AF_INET6) {
        const struct sockaddr_in6 *six = (const void *)&address->addr;
        *port = ntohs(six->sin6_port);
        return inet_ntop(AF_INET6, &six->sin6_addr, text, (socklen_t)size) != NULL;
    }
    return 0;
}

/* Makes the socket of a new connection, before it is connected. */
static inline CURLcode belfry_curl_set_opening(
    void *easy, curl_opensocket_callback function, void *owner) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, owner);
}

/* Called when there is a connection, old or new, and nothing of the request was sent. */
static inline CURLcode belfry_curl_set_ready(
    void *easy, curl_prereq_callback function, void *owner) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, owner);
}

/* The next transfer that has ended, its result in `result`; null where there is none. */
static inline void *belfry_curl_next_ended(void *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

#endif
