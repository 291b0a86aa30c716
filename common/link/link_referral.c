/* SPDX-License-Identifier: MIT */
/*
 *   -MOVED 3999 10.0.0.7:6381               to an error reply like this one
 *   10.0.0.7, 6381                          SENTINEL get-master-addr-by-name; nil: not known
 *   message, +switch-master, text           what a sentinel publishes
 *   [first slot, last slot, [host, port, ...] of the master, of each replica], ...   CLUSTER SLOTS
 *
 * A node that does not know its own address names none, and means "where you found me"; one that
 * is to be known by a name and has none is "?".
 */
#include "link_referral.h"

#include "text.h"

#include <string.h>

bool link_referral_is_moved(const struct link_reply *reply) {
    return link_reply_is_error(reply, "MOVED");
}

static int link_referral_set(struct link_address *to, const struct link_address *from,
                             const char *host, size_t size, int64_t port) {
    bool is_socket = from->transport == LINK_UNIX;
    if (size == 1 && *host == '?')
        return ERR_PROTOCOL;
    if (port < 1 || port > UINT16_MAX)
        return ERR_PROTOCOL;
    if (size == 0) {
        host = is_socket ? "127.0.0.1" : from->host;
        size = strlen(host);
    }
    to->transport = is_socket ? LINK_TCP : from->transport;
    to->port = (uint16_t)port;
    return link_address_set_host(to, host, size) ? 0 : ERR_PROTOCOL;
}

int link_referral_read_moved(const struct link_reply *reply, const struct link_address *from,
                             struct link_address *to) {
    const char *slot = strchr(link_reply_text(reply, NULL), ' ');
    const char *host = slot ? strchr(slot + 1, ' ') : NULL;
    const char *colon = host ? strrchr(host, ':') : NULL; /* an IPv6 address has more of them */
    uint64_t port;
    if (!colon || !text_to_uint(colon + 1, 1, UINT16_MAX, &port))
        return ERR_PROTOCOL;
    host++;
    return link_referral_set(to, from, host, (size_t)(colon - host), (int64_t)port);
}

/* [host, port, ...]; a port is an integer here and a text there. */
static int link_referral_read_pair(const struct link_reply *pair, const struct link_address *from,
                                   struct link_address *to) {
    size_t size;
    const char *host = link_reply_text(link_reply_item(pair, 0), &size);
    int64_t port = link_reply_integer(link_reply_item(pair, 1), 0);
    return link_referral_set(to, from, host, size, port);
}

int link_referral_read_master(const struct link_reply *reply, const struct link_address *from,
                              struct link_address *to) {
    if (link_reply_type(reply) == LINK_NIL)
        return ERR_REFUSED;
    if (link_reply_type(link_reply_item(reply, 0)) != LINK_TEXT)
        return ERR_PROTOCOL;
    return link_referral_read_pair(reply, from, to);
}

/* "NAME old-host old-port new-host new-port" */
int link_referral_read_switch(const struct link_reply *reply, const char *master,
                              const struct link_address *from, struct link_address *to) {
    const char *channel = link_reply_text(link_reply_item(reply, 1), NULL);
    const char *text = link_reply_text(link_reply_item(reply, 2), NULL);
    size_t length = strlen(master);
    if (!channel || !text || strcmp(channel, "+switch-master") != 0 ||
        strncmp(text, master, length) != 0 || text[length] != ' ')
        return ERR_REFUSED;
    const char *port = strrchr(text, ' '), *host = port;
    while (host > text && host[-1] != ' ')
        host--;
    uint64_t number;
    if (host == port || !text_to_uint(port + 1, 1, UINT16_MAX, &number) ||
        link_referral_set(to, from, host, (size_t)(port - host), (int64_t)number) < 0)
        return ERR_REFUSED;
    return 0;
}

static size_t link_referral_add(struct link_address *node, size_t count,
                                const struct link_reply *pair, const struct link_address *from) {
    if (link_referral_read_pair(pair, from, &node[count]) < 0)
        return count;
    for (size_t i = 0; i < count; i++)
        if (link_address_is(&node[i], &node[count]))
            return count;
    return count + 1;
}

static bool link_referral_has(const struct link_reply *range, int64_t slot) {
    return slot >= link_reply_integer(link_reply_item(range, 0), INT64_MAX) &&
           slot <= link_reply_integer(link_reply_item(range, 1), -1);
}

size_t link_referral_read_nodes(const struct link_reply *reply, int64_t slot,
                                const struct link_address *from, struct link_address *node,
                                size_t most) {
    size_t count = 0;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < link_reply_count(reply); i++) {
            const struct link_reply *range = link_reply_item(reply, i);
            if (link_referral_has(range, slot) == (turn > 0))
                continue;
            for (size_t at = 2; at < link_reply_count(range) && count < most; at++)
                count = link_referral_add(node, count, link_reply_item(range, at), from);
        }
    return count;
}
