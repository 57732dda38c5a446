/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of suites rpcrdma and nfs share. */
#ifndef IWARP_TRAFFIC_SUITE_CASES_SUITE_RPCRDMA_H
#define IWARP_TRAFFIC_SUITE_CASES_SUITE_RPCRDMA_H

#include "traffic-gen/suite/talk/rpc_talker.h"

/* Passes when the answer is in the set, else fails. */
void rpcrdma_judge(struct rpc_talker *talker, unsigned allowed, enum rpc_answer found);

/*
 * Run row->on(), or one(), on a connection: once, or on that of a client; or once for each version of NFS. The
 * row's statements may begin with what our side wishes, "with WORD...;": inline=N (sizes that it advertises), data=HEX
 * (its private data), credits=N, no-grant, invalidation, may-close (struct talker_wish), v4 (version 4 alone).
 */
void rpcrdma_once(struct talk *talk, const struct suite_case *row);
void rpcrdma_on_connection(struct talk *talk, const struct suite_case *row,
                           void (*one)(struct rpc_talker *talker, const struct suite_case *row));
void rpcrdma_each_version(struct talk *talk, const struct suite_case *row);
struct rpcrdma_wish {
    struct talker_wish wish;
    unsigned versions; /* of NFS, set of 1 << enum nfs_version_at */
    GByteArray *data;
};
/* False: verdict is set, a word cannot be read. Cleared in either case. */
bool rpcrdma_wish(struct talk *talk, const struct suite_case *row, struct rpcrdma_wish *out);
void rpcrdma_wish_clear(struct rpcrdma_wish *wish);

/*
 * NFS Calls (rpc_talker_say()): statements before that in parentheses, the stimulus, prepare it, beginning with `file`
 * where they need one; those after it check, and must succeed as well. False: verdict is set.
 */
bool calls_say(struct rpc_talker *talker, const struct suite_case *row);
bool calls_check(struct rpc_talker *talker, const struct suite_case *row);

/* For row->on: success, and what is read is what was written; any answer; one of the set row->variant. */
void calls_succeed(struct rpc_talker *talker, const struct suite_case *row);
void calls_answered(struct rpc_talker *talker, const struct suite_case *row);
void calls_judged(struct rpc_talker *talker, const struct suite_case *row);

#endif
