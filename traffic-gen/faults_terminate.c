// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/fault.h"

static const struct fault faults[] = {
    {0},
};

const struct fault_table terminate_faults = {faults, 0};
