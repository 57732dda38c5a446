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
/* That wish; its octets are the caller's to free, NULL: they do not matter. */
struct talker_wish rpcrdma_wish(const struct suite_case *row, GByteArray **data);

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
