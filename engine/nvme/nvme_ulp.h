/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NVMe over RDMA. Recognised and counted, without rules. */
#ifndef IWARP_ENGINE_NVME_NVME_ULP_H
#define IWARP_ENGINE_NVME_NVME_ULP_H

#include "engine/rdma/ulp.h"

extern const struct ulp_kind nvme_ulp;

#endif
