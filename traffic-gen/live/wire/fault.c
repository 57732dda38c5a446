// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/wire/fault.h"

#include <glib.h>
#include <string.h>

static const char *const names[] = {
    [WIRE_FAULT_ORDER] = "order",       [WIRE_FAULT_AGAIN] = "again",
    [WIRE_FAULT_OVERLAP] = "overlap",   [WIRE_FAULT_KEEP_ALIVE] = "keep-alive",
    [WIRE_FAULT_CHECKSUM] = "checksum", [WIRE_FAULT_WINDOW] = "window",
    [WIRE_FAULT_RESET] = "reset",       [WIRE_FAULT_SYN] = "syn",
    [WIRE_FAULT_SHORT] = "short",       [WIRE_FAULT_CONGESTION] = "congestion",
    [WIRE_FAULT_STALL] = "stall",       [WIRE_FAULT_PATH] = "path",
    [WIRE_FAULT_SHRINK] = "shrink",     [WIRE_FAULT_URGENT] = "urgent",
    [WIRE_FAULT_SYN_DATA] = "syn-data", [WIRE_FAULT_WRAP] = "wrap",
    [WIRE_FAULT_CROSSED] = "crossed",
};

enum wire_fault wire_fault_find(const char *name)
{
    for (unsigned i = 1; i < G_N_ELEMENTS(names); i++) {
        if (strcmp(names[i], name) == 0)
            return (enum wire_fault)i;
    }
    return WIRE_FAULT_NONE;
}

const char *wire_fault_name(unsigned index)
{
    return index + 1 < G_N_ELEMENTS(names) ? names[index + 1] : NULL;
}
