/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the NFS client's COMPOUNDs have beyond a step: sessions, open files, delegations. */
#ifndef IWARP_TRAFFIC_ENDS_NFS_CLIENT_NFS_CLIENT_V4_H
#define IWARP_TRAFFIC_ENDS_NFS_CLIENT_NFS_CLIENT_V4_H

#include "traffic-gen/ends/nfs/client/nfs_client_internal.h"

enum {
    V4_CALLBACK_PROGRAM = 0x40000000,
    V4_REPLY_OCTETS = 200, /* headers and results around data */
};

/* "sequence,putfh,read"; g_free() it. The same for a step's Call and for its Reply. */
char *v4_operations(const struct nfs_client *client, const struct client_step *step);
void v4_say(struct client_values *values);
/* What a Reply means for slots, open-owners and delegations, whatever its status. The status may be changed. */
void v4_settle(struct nfs_client *client, const struct client_step *step, const struct nfs_body *body,
               struct client_answer *answer);

/* struct client_rpc.take */
CLIENT_TAKE(v4_take_client);
CLIENT_TAKE(v4_take_session);
CLIENT_TAKE(v4_take_stateid);
CLIENT_TAKE(v4_take_open);

/* ---- delegations and callbacks: nfs_client_callback.c ---- */

bool v4_holds_delegations(const struct nfs_client *client);
void v4_keep_delegation(struct nfs_client *client, const uint8_t stateid[16], const struct client_handle *handle);
/* Returns recalled delegations in this step. */
void v4_begin_returns(struct nfs_client *client, const struct client_step *step);
/* The nth returned delegation; NULL: there are fewer. */
const struct client_delegation *v4_returned(const struct nfs_client *client, const struct client_step *step,
                                            unsigned nth);
/* The outcome; first: the operation with which the returns begin. False: the COMPOUND ended within the returns. */
bool v4_end_returns(struct nfs_client *client, const struct client_step *step, const struct nfs_body *body,
                    unsigned first);

#endif
