// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/stack/ulps.h"

#include "engine/iser/iser_ulp.h"
#include "engine/nvme/nvme_ulp.h"
#include "engine/smb_direct/smb_direct_ulp.h"
#include "engine/srp/srp_ulp.h"
#include "engine/stack/rpcrdma_ulp.h"

const struct ulp_kind *const ulps[] = {
    &rpcrdma_ulp, /* presumed */
    &nvme_ulp,    &iser_ulp, &srp_ulp, &smb_direct_ulp, NULL,
};
