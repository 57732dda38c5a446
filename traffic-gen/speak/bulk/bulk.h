/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large captures for measurements. They are written as they are made, in constant memory, and therefore not from
 * statements, whose conversations are simulated as a whole.
 */
#ifndef IWARP_TRAFFIC_SPEAK_BULK_BULK_H
#define IWARP_TRAFFIC_SPEAK_BULK_BULK_H

#include "support/frames/capture_file.h"

struct bulk_options {
    uint64_t size;        /* approximate octets of the capture file */
    unsigned ulpdu;       /* ULPDU_Length of full segments */
    bool markers, no_crc; /* CRC is on unless no_crc */
    bool ipv6, vlan;
    uint64_t connections; /* for bulk_many_play() */
};

enum { BULK_CONNECTIONS_MAX = 12 * 1000 * 1000 }; /* number of available addresses and ports */

/* Each returns false, with errno set, when writing failed. */

/* NFSv3 READs and WRITEs instead of plain RDMA Writes. */
bool bulk_nfs_play(struct capture_file *file, const struct bulk_options *options);
/* Many short connections instead of a long one. */
bool bulk_many_play(struct capture_file *file, const struct bulk_options *options);

struct bulk_scenario {
    const char *name, *summary;
    bool counted; /* the number of connections decides the size */
    bool (*play)(struct capture_file *file, const struct bulk_options *options);
};

const struct bulk_scenario *bulk_at(unsigned index); /* NULL past the end */
const struct bulk_scenario *bulk_find(const char *name);

#endif
