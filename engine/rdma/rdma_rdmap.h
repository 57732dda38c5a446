/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iWARP as engine/rdma/rdma.h events. */
#ifndef IWARP_ENGINE_RDMA_RDMA_RDMAP_H
#define IWARP_ENGINE_RDMA_RDMA_RDMAP_H

#include "engine/ddp_rdmap/rdmap.h"
#include "engine/rdma/rdma.h"

/* Fills in all fields. */
void rdma_part_of_rdmap(struct rdma_part *part, const struct rdmap_segment_event *event);
struct rdma_refusal rdma_refusal_of_rdmap(const struct rdmap_terminate_event *event);
struct rdma_private_data rdma_private_data_of_mpa(const struct mpa_startup_event *event);
struct rdma_terms rdma_terms_of_mpa(const struct mpa_parameters *parameters);

#endif
