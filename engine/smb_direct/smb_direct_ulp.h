/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SMB Direct: MS-SMBD. Recognised and counted, without rules. */
#ifndef IWARP_ENGINE_SMB_DIRECT_SMB_DIRECT_ULP_H
#define IWARP_ENGINE_SMB_DIRECT_SMB_DIRECT_ULP_H

#include "engine/rdma/ulp.h"

extern const struct ulp_kind smb_direct_ulp;

#endif
