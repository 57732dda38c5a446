/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ddp_rdmap plugin gives upper layers beside a Send's payload: the `data` of a dissector in the table
 * "rdmap.port", which is keyed by TCP port (the Responder's is asked first), or in the heuristic list "rdmap.send".
 * These see each Send, of whatever kind, once and whole. `size` tells a later layout from an earlier one.
 *
 * Where none of them takes it, the payload goes to the heuristic list "iwarp_ddp_rdmap" of Wireshark's own dissector,
 * with that one's rdmap_info_t.
 */
#ifndef IWARP_PLUGINS_RDMAP_PAYLOAD_H
#define IWARP_PLUGINS_RDMAP_PAYLOAD_H

#include "plugins/mpa_ulpdu.h"

#include "engine/rdmap.h"

#define RDMAP_PORT_TABLE "rdmap.port"
#define RDMAP_SEND_LIST  "rdmap.send"

struct rdmap_payload {
    uint32_t size;          /* sizeof(struct rdmap_payload) of the ddp_rdmap plugin */
    struct mpa_ulpdu ulpdu; /* of the segment that made it complete: connection, direction, negotiated parameters */
    uint8_t opcode;
    uint32_t msn;
    bool invalidates;
    uint32_t invalidate_stag;
    uint64_t message;   /* of this direction, from 0 */
    uint64_t operation; /* of the connection, from 1; 0: not known */
};

#endif
