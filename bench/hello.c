/* SPDX-License-Identifier: MIT */
/*
 * bench_hello PORT: the least that libmicrohttpd can do: one thread, and "hello" to every request.
 * What a front-end's figures are held against; it ends when its standard input does.
 */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum MHD_Result hello_answer(void *context, struct MHD_Connection *connection,
                                    const char *path, const char *method, const char *version,
                                    const char *data, size_t *data_size, void **state) {
    (void)path;
    (void)method;
    (void)version;
    (void)data;
    (void)data_size;
    if (!*state) {
        *state = context;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(5, "hello", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

int main(int argc, char **argv) {
    int mark = 0;
    char byte;
    long port = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    struct MHD_Daemon *daemon =
        port > 0 && port < 65536
            ? MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, (uint16_t)port, NULL, NULL,
                               hello_answer, &mark, MHD_OPTION_CONNECTION_LIMIT, 1000u,
                               MHD_OPTION_END)
            : NULL;
    if (!daemon) {
        (void)fprintf(stderr, "bench_hello PORT: it did not start\n");
        return 2;
    }
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    MHD_stop_daemon(daemon);
    return 0;
}
