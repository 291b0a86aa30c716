/* SPDX-License-Identifier: MIT */
/*
 * Of all that goes wrong in a round only one reason is told. Whoever we were sent to matters most:
 * the way to it was right. Then who is there and refuses us; then who is not there. Of equals the
 * first, so that a lasting trouble is told in the same words every time.
 */
#include "link_route.h"

#include <stdio.h>
#include <string.h>

enum { LINK_ROUTE_HOPS = 3, LINK_ROUTE_PART = 4 };

enum { LINK_ROUTE_UNTRIED = -1, LINK_ROUTE_AWAY, LINK_ROUTE_THERE, LINK_ROUTE_REFERRED };

void link_route_init(struct link_route *route, const struct link_url *url) {
    *route = (struct link_route){.url = url};
}

void link_route_begin(struct link_route *route) {
    route->asked = route->failures = 0;
    route->hops = 0;
    route->weight = LINK_ROUTE_UNTRIED;
    route->verdict = 0;
    route->why[0] = '\0';
}

/* --- from stop to stop -----------------------------------------------------------------------*/

static void link_route_stop(struct link_route *route, const struct link_address *address,
                            bool is_sentinel, const char *teller) {
    struct link_stop *stop = &route->stop;
    char text[LINK_ADDRESS_TEXT];
    stop->address = *address;
    stop->is_sentinel = is_sentinel;
    stop->is_referred = *teller != '\0';
    link_address_text(address, text);
    if (stop->is_referred)
        (void)snprintf(stop->target, sizeof stop->target, "%s (told by %s)", text, teller);
    else
        (void)snprintf(stop->target, sizeof stop->target, "%s%s", is_sentinel ? "sentinel " : "",
                       text);
}

/* Which of the URL's addresses is the nth of a round. */
static size_t link_route_index(const struct link_route *route, size_t nth) {
    return (route->first + nth) % route->url->count;
}

static void link_route_end(struct link_route *route) {
    char why[LINK_ROUTE_WHY];
    if (route->weight != LINK_ROUTE_AWAY || route->failures < 2)
        return;
    memcpy(why, route->why, sizeof why);
    (void)snprintf(route->why, sizeof route->why, "none of %zu addresses answers: %.*s",
                   route->failures, LINK_ROUTE_WHY - 64, why);
}

bool link_route_next(struct link_route *route) {
    const struct link_url *url = route->url;
    if (route->has_next) {
        route->has_next = false;
        link_route_stop(route, &route->next, false, route->teller);
        return true;
    }
    if (route->asked >= url->count + route->nodes) { /* it may have learnt of fewer meanwhile */
        link_route_end(route);
        return false;
    }
    size_t nth = route->asked++;
    const struct link_address *address = nth < url->count
                                             ? &url->address[link_route_index(route, nth)]
                                             : &route->node[nth - url->count];
    route->hops = 0;
    link_route_stop(route, address, url->topology == LINK_SENTINEL, "");
    return true;
}

unsigned link_route_patience_ms(const struct link_route *route, unsigned timeout_ms) {
    bool is_only_one = route->url->count + route->nodes == 1;
    if (route->stop.is_referred || is_only_one)
        return timeout_ms;
    return timeout_ms < LINK_ROUTE_PART ? 1 : timeout_ms / LINK_ROUTE_PART;
}

bool link_route_refer(struct link_route *route, const struct link_address *to) {
    const struct link_stop *stop = &route->stop;
    char text[LINK_ADDRESS_TEXT];
    if (route->hops == LINK_ROUTE_HOPS)
        return false;
    route->hops++;
    link_address_text(&stop->address, text);
    (void)snprintf(route->teller, sizeof route->teller, "%s%s",
                   stop->is_sentinel ? "sentinel " : "", text);
    route->next = *to;
    route->has_next = true;
    return true;
}

/* --- how stops end ---------------------------------------------------------------------------*/

void link_route_failed(struct link_route *route, int verdict, bool is_there, const char *why) {
    int weight = route->stop.is_referred ? LINK_ROUTE_REFERRED
                 : is_there              ? LINK_ROUTE_THERE
                                         : LINK_ROUTE_AWAY;
    route->failures++;
    if (weight <= route->weight)
        return;
    route->weight = weight;
    route->verdict = verdict;
    (void)snprintf(route->why, sizeof route->why, "%s", why);
}

/* The next round begins here, or at the address that led here. */
void link_route_arrived(struct link_route *route) {
    const struct link_url *url = route->url;
    route->hops = 0;
    if (route->asked > 0 && route->asked <= url->count)
        route->first = link_route_index(route, route->asked - 1);
    if (url->topology == LINK_SENTINEL)
        return;
    for (size_t i = 0; i < url->count; i++)
        if (link_address_is(&url->address[i], &route->stop.address)) {
            route->first = i;
            return;
        }
    route->next = route->stop.address;
    route->has_next = true;
    route->teller[0] = '\0';
}

void link_route_learn(struct link_route *route, const struct link_address *node, size_t count) {
    const struct link_url *url = route->url;
    route->nodes = 0;
    for (size_t i = 0; i < count && route->nodes < LINK_ROUTE_NODES; i++) {
        bool is_known = false;
        for (size_t known = 0; known < url->count; known++)
            is_known = is_known || link_address_is(&url->address[known], &node[i]);
        if (!is_known)
            route->node[route->nodes++] = node[i];
    }
}
