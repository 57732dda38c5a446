/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iSER: iSCSI Extensions for RDMA (RFC 7145). Recognised and counted, without rules. */
#ifndef IWARP_ENGINE_ISER_ISER_ULP_H
#define IWARP_ENGINE_ISER_ISER_ULP_H

#include "engine/rdma/ulp.h"

extern const struct ulp_kind iser_ulp;

#endif
