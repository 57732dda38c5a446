/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for all files of suites rpcrdma and nfs. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_RPCRDMA_H
#define IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_RPCRDMA_H

#include "traffic-gen/tester/suite/cases/suite_words.h"
#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

/* An answer that refuses the Call. */
enum { RPC_FAULTS = RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK | RPC_ANSWER_RPC_ERROR };

/* Passes when the answer is in the set, else fails. */
void rpcrdma_judge(struct rpc_talker *talker, unsigned allowed, enum rpc_answer found);

/*
 * Run row->on() on a connection: once, with NFS of the first version that the server speaks, or on that of a client; or
 * once for each version. The row's statements may begin with what our side wishes, "with WORD...;": inline=N (sizes
 * that it advertises), data=HEX (its private data), credits=N, no-grant, invalidation, may-close, backchannel, again
 * (struct talker_wish), v3 (version 3 alone), v4, v41 (from minor version 1 on).
 */
void rpcrdma_once(struct talk *talk, const struct suite_case *row);
void rpcrdma_each_version(struct talk *talk, const struct suite_case *row);
/* False: verdict is set, a word cannot be read. */
bool rpcrdma_wish(struct talk *talk, const struct suite_case *row, struct talker_wish *out);

/*
 * Statements (rpc_talker_say()): those before that in parentheses, the stimulus, prepare it; those after it check, and
 * must succeed as well. False: verdict is set. Besides there are
 *   file            the case has one
 *   warm            a client has made some Calls, and got its Replies
 *   await [KIND]    a Call of it waits, with such a chunk: read, write, write v4 (of NFSv4), reply;
 *                   its XID is that of what follows
 *   hold, all       Calls of the client wait: at least one; as many as are granted
 *   answer, pause   that Call is answered; nothing is said for T_react
 *   called          warm; the client has answered a Call from the server, the first of several; called once: the only
 * one invalidates     the device sets R: it accepts Replies by Send with Invalidate, or may send them
 */
bool calls_say(struct rpc_talker *talker, const struct suite_case *row);
bool calls_check(struct rpc_talker *talker, const struct suite_case *row);
/* Which Calls the row awaits; NULL: none in particular. */
typedef bool calls_fits(const struct talker_heard *call);
calls_fits *calls_awaited(const struct suite_case *row);

/* Makes n Calls at once, with consecutive XIDs, and awaits each answer for ns. False: one is missing (failed). */
bool calls_burst(struct rpc_talker *talker, const char *call, uint32_t xid, uint32_t n, int64_t ns);
/* A NULL Call of the callback program, which requests this many credits. */
#define CALL_BACK "call cb40.null cred=none credit="

#endif
