/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts sizes in the bins of a statistics tree. A bin is created with its first size, so that there are no empty rows;
 * Wireshark's range nodes would show all bins.
 */
#ifndef IWARP_PLUGINS_COMMON_BINS_H
#define IWARP_PLUGINS_COMMON_BINS_H

#include <epan/stats_tree.h>

#include <stdint.h>

struct bin {
    uint64_t most; /* the largest size in the bin */
    const char *name;
};

static const struct bin bins[] = {
    {0, "0"},
    {64, "1-64"},
    {1024, "65-1024"},
    {4096, "1025-4096"},
    {65536, "4097-65536"},
    {1048576, "65537-1048576"},
    {UINT64_MAX, "1048577-"},
};

static inline int bins_bounded(uint64_t octets)
{
    return octets > INT32_MAX ? INT32_MAX : (int)octets;
}

/* parent: of the node `name`, under which the bins are. */
static inline void bins_add(stats_tree *tree, const char *name, int parent, uint64_t octets)
{
    const struct bin *bin = bins;
    int node = avg_stat_node_add_value_int(tree, name, parent, TRUE, bins_bounded(octets));

    while (octets > bin->most)
        bin++;
    avg_stat_node_add_value_int(tree, bin->name, node, FALSE, bins_bounded(octets));
}

#endif
