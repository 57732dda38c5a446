/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SRP: the SCSI RDMA Protocol. Recognised and counted, without rules. */
#ifndef IWARP_ENGINE_SRP_SRP_ULP_H
#define IWARP_ENGINE_SRP_SRP_ULP_H

#include "engine/rdma/ulp.h"

extern const struct ulp_kind srp_ulp;

#endif
