/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reliable connections of InfiniBand and RoCE as engine/rdma/rdma.h events. Offsets count PSNs of a side's requests.
 * Only a lower bound is known for how far a sender had received the other direction: an Acknowledge proves what has
 * arrived, but may be sent after other packets of the receiver.
 */
#ifndef IWARP_ENGINE_RDMA_RDMA_IB_H
#define IWARP_ENGINE_RDMA_RDMA_IB_H

#include "engine/ib/ib_connections.h"
#include "engine/rdma/rdma.h"

struct rdma_part rdma_part_of_ib(const struct ib_connection *connection, const struct ib_rc_part *part);
struct rdma_copy rdma_copy_of_ib(const struct ib_connection *connection, const struct ib_rc_copy *copy);
struct rdma_refusal rdma_refusal_of_ib(const struct ib_rc_refusal *refusal);
/* False: this message carries no private data. */
bool rdma_private_data_of_ib(struct rdma_private_data *out, const struct ib_connection *connection, unsigned side,
                             const struct ib_cm *cm, const struct place *place);
struct rdma_terms rdma_terms_of_ib(const struct ib_connection *connection);

#endif
