/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of upper layers: see engine/rdma/ulp.h. */
#ifndef IWARP_ENGINE_STACK_ULPS_H
#define IWARP_ENGINE_STACK_ULPS_H

#include "engine/rdma/ulp.h"

/* The presumed kind first; ended by NULL. */
extern const struct ulp_kind *const ulps[];

#endif
