// SPDX-License-Identifier: GPL-2.0-or-later
/* FPDU format: RFC 5044 sections 3 and 4.1. */
#include "traffic-gen/fault.h"

#include <string.h>

static bool has_pad(const struct fpdu_write *w)
{
    return w->plan.pad_length > 0;
}

static void pad_not_zero(struct fpdu_write *w)
{
    for (unsigned i = 0; i < w->plan.pad_length; i++)
        w->plan.pad[i] = (uint8_t)(i + 1);
}

static const struct fault faults[] = {
    {.id = "MPA-4.1-05",
     .scenario = "rev1",
     .summary = "PAD octets 01 02 03, covered by the CRC",
     .index = 1,
     .where = has_pad,
     .fpdu = pad_not_zero},
};

const struct fault_table fpdu_faults = {faults, sizeof(faults) / sizeof(faults[0])};
