/* SPDX-License-Identifier: MIT */
/*
 * hiredis would resolve a name inside its connect call and block everything meanwhile, for seconds
 * when the name server is away. So names go through libuv's threads, and hiredis sees addresses. A
 * request that its thread has begun cannot be stopped; it is disowned, and frees itself when done.
 */
#include "link_lookup.h"

#include "mem.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

struct link_lookup {
    uv_getaddrinfo_t request;
    link_lookup_fn *done; /* NULL: abandoned */
    void *context;
};

static void link_lookup_on_done(uv_getaddrinfo_t *request, int status, struct addrinfo *list) {
    struct link_lookup *self = request->data;
    link_lookup_fn *done = self->done;
    void *context = self->context;
    free(self);
    if (!done)
        uv_freeaddrinfo(list);
    else if (status < 0)
        done(context, NULL, uv_strerror(status));
    else
        done(context, list, NULL);
}

int link_lookup_start(struct link_lookup **lookup, uv_loop_t *loop, const char *host,
                      link_lookup_fn *done, void *context) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct link_lookup *self = mem_zero(1, sizeof *self);
    if (!self)
        return ERR_NO_MEMORY;
    self->done = done;
    self->context = context;
    self->request.data = self;
    if (uv_getaddrinfo(loop, &self->request, link_lookup_on_done, host, NULL, &hints) < 0) {
        free(self);
        return ERR_SYSTEM;
    }
    *lookup = self;
    return 0;
}

void link_lookup_abandon(struct link_lookup *lookup) {
    lookup->done = NULL;
    (void)uv_cancel((uv_req_t *)&lookup->request);
}

bool link_lookup_is_address(const char *host) {
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    return uv_ip4_addr(host, 0, &v4) == 0 || uv_ip6_addr(host, 0, &v6) == 0;
}

void link_lookup_text(const struct addrinfo *address, char *out) {
    /* getnameinfo and not inet_ntop: a link-local address needs its zone. */
    if (getnameinfo(address->ai_addr, address->ai_addrlen, out, LINK_LOOKUP_TEXT, NULL, 0,
                    NI_NUMERICHOST) != 0)
        (void)snprintf(out, LINK_LOOKUP_TEXT, "?");
}
