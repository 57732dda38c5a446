/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the talker speaks NFS: Calls by the description, and its introduction to a server of version 4. */
#ifndef IWARP_TRAFFIC_SUITE_TALK_RPC_TALKER_V4_H
#define IWARP_TRAFFIC_SUITE_TALK_RPC_TALKER_V4_H

#include "traffic-gen/ends/nfs_fields.h"
#include "traffic-gen/nfs/tree/nfs_status.h"
#include "traffic-gen/suite/talk/rpc_talker.h"

/* What is asked of a server, by the names of wire/nfs_types.txt. */
struct talker_request {
    const char *procedure; /* of version 3 and MOUNT */
    const char *words;     /* its parameters; with version 4 the operations of a COMPOUND after SEQUENCE */
    bool on_file;          /* the handle is that of our file, not the root's */
    bool introduces;       /* the client, whose owner and verifier are drawn */
    bool counts;           /* as a use of the open-owner, whatever the outcome */
    const char *name;      /* of a file; the path for MOUNT */
    char *const *path;     /* names for LOOKUPs, which follow the first operation */
    const void *data;      /* what is written or read, n octets of it: of a file, or of a link; NULL: neither */
    uint32_t n;
    /* Keeps what it needs of results without a failure; false: they are not what they must be. NULL: nothing. */
    bool (*take)(struct rpc_talker *talker, const struct nfs_results *results);
};

/*
 * Makes the Call, repeated each second while the server is in its grace period or answers DELAY. Returns the status;
 * UINT32_MAX: none.
 */
uint32_t talker_ask(struct rpc_talker *talker, const struct talker_request *request);
/* The message alone. */
void talker_put(struct rpc_talker *talker, const struct talker_request *request, struct xdr_out *out);

/* Gets a client id, and a session from minor version 1 on. Returns the status that prevented it. */
uint32_t talker_meet(struct rpc_talker *talker);
/*
 * The same client as before, after a restart of the server (RFC 8881 section 8.4.2.1): a new session, and talker->file
 * opened again, by a reclaim if the server allows that. talker->v4.owner and .verifier are those of before. Returns the
 * status that prevented it; UINT32_MAX: no answer.
 */
uint32_t talker_recover(struct rpc_talker *talker);
/* Gives them up. */
void talker_part(struct rpc_talker *talker);

#endif
