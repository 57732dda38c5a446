/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The statuses of NFS, NFSACL and MOUNT: their names, and what a client has to do after each. */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_STATUSES_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_STATUSES_H

#include "conformance/trouble/facts.h"

/* NULL: the program or the status is unknown. For status 0, only the name is set: "NFS4_OK". */
const struct trouble_error *rpcrdma_status(uint32_t program, uint32_t version, uint32_t status);
/* An error of RPC, by accept_stat, or RPCRDMA_STATUS_DENIED + auth_stat. NULL: unknown. */
const struct trouble_error *rpcrdma_rpc_error(uint32_t status);
/* The status is an ordinary answer to this procedure, or operation of NFS version 4, however often it comes. */
bool rpcrdma_status_is_normal(uint32_t program, uint32_t version, uint32_t number, uint32_t status);

#endif
