#ifndef BELFRY_CCURL_SHIM_H
#define BELFRY_CCURL_SHIM_H

/* The checks of types are macros around the functions below, which have types of their own. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
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

static inline curl_socket_t belfry_curl_open_socket(
    void *owner, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)owner;
    (void)purpose;
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* A program that is started inherits no connection: libcurl by itself does not see to that. */
static inline CURLcode belfry_curl_close_on_exec(void *easy) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, belfry_curl_open_socket);
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
