// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/stack/ulps.h"

#include "engine/nfs/rpcrdma_ulp.h"

const struct ulp_kind *const ulps[] = {
    &rpcrdma_ulp,
    NULL,
};
