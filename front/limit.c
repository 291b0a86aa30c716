/* SPDX-License-Identifier: MIT */
/* On the loop. */
#include "limit.h"

#include <math.h>
#include <netinet/in.h>
#include <string.h>

/* What the client is known by; 0: it has no limit. */
static uint64_t limit_address(const struct sockaddr *address) {
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    uint32_t v4 = 0;
    uint64_t v6 = 0;
    if (address && address->sa_family == AF_INET) {
        v4 = ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
    } else if (address && address->sa_family == AF_INET6) {
        const struct in6_addr *six =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        if (memcmp(six->s6_addr, mapped, sizeof mapped) == 0) {
            memcpy(&v4, six->s6_addr + 12, sizeof v4);
            v4 = ntohl(v4);
        } else if (!IN6_IS_ADDR_LOOPBACK(six)) {
            memcpy(&v6, six->s6_addr, sizeof v6);
        }
    }
    if (v4 >> 24 == 127)
        return 0;
    return v4 ? v4 : v6;
}

unsigned limit_take(struct limit *limit, const struct sockaddr *address, int64_t now_ns) {
    uint64_t known = limit->rate > 0 ? limit_address(address) : 0;
    if (known == 0)
        return 0;
    struct limit_bucket *bucket =
        &limit->bucket[known * UINT64_C(0x9e3779b97f4a7c15) >> 52 & (LIMIT_BUCKETS - 1)];
    double most = limit->rate;
    if (bucket->address != known)
        *bucket = (struct limit_bucket){.address = known, .at_ns = now_ns, .left = most};
    bucket->left = fmin(most, bucket->left + (double)(now_ns - bucket->at_ns) / 1e9 * most);
    bucket->at_ns = now_ns;
    if (bucket->left < 1)
        return (unsigned)ceil((1 - bucket->left) / limit->rate);
    bucket->left--;
    return 0;
}
