/* SPDX-License-Identifier: MIT */
#pragma once
/*
 * Whom a server names when it is asked for something that another one has. `from` is the server
 * that said so; what it names is reached the same way (with TLS, if it was). No I/O.
 */
#include "err.h"
#include "link.h"
#include "link_address.h"

/* Redis Cluster: this node does not serve the key (at all, or any more), another one does. */
bool link_referral_is_moved(const struct link_reply *reply);

/* Who that is. 0, or ERR_PROTOCOL where it is not said. */
int link_referral_read_moved(const struct link_reply *reply, const struct link_address *from,
                             struct link_address *to) ERR_MUST_CHECK;

/* A sentinel's answer: 0, ERR_REFUSED where it knows no such master, ERR_PROTOCOL. */
int link_referral_read_master(const struct link_reply *reply, const struct link_address *from,
                              struct link_address *to) ERR_MUST_CHECK;

/*
 * What a sentinel publishes when `master` is another one now: 0 and who it is, ERR_REFUSED for all
 * else that it may say.
 */
int link_referral_read_switch(const struct link_reply *reply, const char *master,
                              const struct link_address *from,
                              struct link_address *to) ERR_MUST_CHECK;

/*
 * Of CLUSTER SLOTS: the nodes, those first that have this slot; how many, at most `most`. One that
 * has several ranges of slots stands there once.
 */
size_t link_referral_read_nodes(const struct link_reply *reply, int64_t slot,
                                const struct link_address *from, struct link_address *node,
                                size_t most);
