/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the talker speaks NFS: Calls from a description, and its introduction to a server of version 4. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RPC_RPC_TALKER_V4_H
#define IWARP_TRAFFIC_TESTER_SUITE_RPC_RPC_TALKER_V4_H

#include "traffic-gen/ends/nfs/tree/nfs_status.h"
#include "traffic-gen/ends/stack/nfs_fields.h"
#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

/* A request to a server, with the names of wire/nfs_types.txt. */
struct talker_request {
    const char *procedure; /* for version 3 and MOUNT */
    const char *words;     /* its parameters; with version 4 the operations of a COMPOUND after SEQUENCE */
    bool on_file;          /* uses our file's handle, not the root's */
    bool introduces;       /* identifies the client by a random owner and verifier */
    bool counts;           /* always counts as a use of the open-owner */
    const char *name;      /* of a file; for MOUNT the path */
    char *const *path;     /* names for LOOKUPs, which follow the first operation */
    const void *data;      /* n octets written to, or read from, a file or a link; NULL: neither */
    uint32_t n;
    /* Stores the parts of successful results that are needed later; false: malformed. NULL: nothing is needed. */
    bool (*take)(struct rpc_talker *talker, const struct nfs_results *results);
};

/*
 * Makes the Call, repeated each second while the server is in its grace period or answers DELAY. Returns the status;
 * UINT32_MAX: none.
 */
uint32_t talker_ask(struct rpc_talker *talker, const struct talker_request *request);
/* Only builds the message. */
void talker_put(struct rpc_talker *talker, const struct talker_request *request, struct xdr_out *out);

/* Gets a client id, and a session from minor version 1 on. Returns the status of the failure. */
uint32_t talker_meet(struct rpc_talker *talker);
/*
 * Reconnects as the same client after a restart of the server (RFC 8881 section 8.4.2.1): a new session, and
 * talker->files.file opened again, by a reclaim if the server allows. talker->v4.owner and .verifier are unchanged.
 * Returns the status of the failure; UINT32_MAX: no answer.
 */
uint32_t talker_recover(struct rpc_talker *talker);
/* Gives up session and client id. */
void talker_part(struct rpc_talker *talker);

#endif
