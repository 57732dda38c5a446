/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A retransmission equals the first transmission (InfiniBand Architecture Specification volume 1, section 9.7). */
#ifndef IWARP_ENGINE_RDMA_RDMA_COPY_RULES_H
#define IWARP_ENGINE_RDMA_RDMA_COPY_RULES_H

#include "engine/rdma/rdma.h"

void rdma_judge_copy(struct verdict *verdict, const struct rdma_copy *copy);

#endif
