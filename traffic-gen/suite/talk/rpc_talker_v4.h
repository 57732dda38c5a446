/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the talker speaks NFSv4: COMPOUNDs, and its introduction to the server. */
#ifndef IWARP_TRAFFIC_SUITE_TALK_RPC_TALKER_V4_H
#define IWARP_TRAFFIC_SUITE_TALK_RPC_TALKER_V4_H

#include "traffic-gen/suite/talk/rpc_talker.h"

enum {
    V4_OP_CLOSE = 4,
    V4_OP_GETFH = 10,
    V4_OP_OPEN_CONFIRM = 20,
    V4_OP_SETCLIENTID_CONFIRM = 36,
    V4_OP_DESTROY_CLIENTID = 57,
    V4_OP_RECLAIM_COMPLETE = 58,
};

enum { NFS_STATUS_DELAY = 10008, NFS_STATUS_GRACE = 10013, NFS_STATUS_NOENT = 2 };

static inline unsigned talker_minor(const struct rpc_talker *talker)
{
    return (unsigned)talker->version - NFS_V40;
}

/* Builds a Call, anew each time it is repeated. */
typedef void (*talker_build)(struct rpc_talker *talker, struct xdr_out *out, const void *data);
/*
 * Makes the Call, repeated each second while the server is in its grace period or answers DELAY. *results: what follows
 * the status of the operation. Returns the status; UINT32_MAX: none.
 */
uint32_t talker_ask(struct rpc_talker *talker, talker_build build, const void *data, struct xdr *results);

/* A COMPOUND of so many operations after SEQUENCE. */
void talker_begin_compound(struct rpc_talker *talker, struct xdr_out *out, unsigned operations);
/* results follows the status of the COMPOUND: skips its tag and SEQUENCE. */
bool talker_open_compound(struct rpc_talker *talker, struct xdr *results);
/* The next result belongs to op, and op succeeded. */
bool talker_take_op(struct xdr *results, uint32_t op);

/* Gets a client id, and a session from minor version 1 on. Returns the status that prevented it. */
uint32_t talker_meet(struct rpc_talker *talker);
/* Gives them up. */
void talker_part(struct rpc_talker *talker);

#endif
