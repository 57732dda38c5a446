/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A large capture of one connection, for measurements: written as it is made, in constant memory. */
#ifndef IWARP_TRAFFIC_BULK_H
#define IWARP_TRAFFIC_BULK_H

#include "traffic-gen/capture_file.h"

struct bulk_options {
    uint64_t size;        /* octets of capture file, about */
    unsigned ulpdu;       /* ULPDU_Length of full segments */
    bool markers, no_crc; /* CRC is on unless no_crc */
    bool ipv6, vlan;
};

/* False with errno set when writing failed. */
bool bulk_play(struct capture_file *file, const struct bulk_options *options);
/* NFSv3 READs and WRITEs instead of plain RDMA Writes. */
bool bulk_nfs_play(struct capture_file *file, const struct bulk_options *options);

#endif
