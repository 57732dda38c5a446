/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that is recognised and counted, but has no rules. Its kind has name, title, counts,
 * claim() and describe() (engine/rdma/ulp.h); the rest is here:
 *
 *   const struct ulp_kind nvme_ulp = {.name = "nvme",
 *                                     .title = "NVMe over RDMA",
 *                                     .claim = claim,
 *                                     ULP_NAMED,
 *                                     .counts = counts,
 *                                     .describe = describe};
 */
#ifndef IWARP_ENGINE_RDMA_ULP_NAMED_H
#define IWARP_ENGINE_RDMA_ULP_NAMED_H

#include "engine/rdma/ulp.h"

#define ULP_NAMED                                                                                                      \
    .begin = ulp_named_begin, .terms = ulp_named_terms, .private_data = ulp_named_private_data,                        \
    .early = ulp_named_early, .part = ulp_named_part, .skipped = ulp_named_skipped, .summary = ulp_named_summary,      \
    .restart_counts = ulp_named_restart_counts

void *ulp_named_begin(const struct ulp_host *host);
void ulp_named_terms(void *guest, const struct rdma_terms *terms);
void ulp_named_private_data(void *guest, const struct rdma_private_data *data);
void ulp_named_early(void *guest, const struct ulp_send *send);
bool ulp_named_part(void *guest, const struct rdma_part *part);
void ulp_named_skipped(void *guest, unsigned side);
void ulp_named_summary(const void *guest, struct ulp_summary *summary);
void ulp_named_restart_counts(void *guest);

#endif
