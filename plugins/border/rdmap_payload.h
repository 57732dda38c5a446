/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ddp_rdmap plugin passes to upper layers with the payload of a Send: the `data` of a dissector in the table
 * "rdmap.port", which is keyed by TCP port (the Responder's port first), or in the heuristic list "rdmap.send". These
 * dissectors see each Send of any kind once, reassembled. `size` distinguishes layouts of the structure.
 *
 * If none accepts the payload, the plugin offers it to the heuristic list "iwarp_ddp_rdmap" of Wireshark's built-in
 * dissector, with an rdmap_info_t.
 */
#ifndef IWARP_PLUGINS_BORDER_RDMAP_PAYLOAD_H
#define IWARP_PLUGINS_BORDER_RDMAP_PAYLOAD_H

#include "plugins/border/mpa_ulpdu.h"

#include "engine/ddp_rdmap/rdmap.h"

#define RDMAP_PORT_TABLE "rdmap.port"
#define RDMAP_SEND_LIST  "rdmap.send"

struct rdmap_payload {
    uint32_t size;          /* sizeof(struct rdmap_payload) of the ddp_rdmap plugin */
    struct mpa_ulpdu ulpdu; /* of the segment that completed the Send: connection, direction, negotiated parameters */
    uint8_t opcode;
    uint32_t msn;
    bool invalidates;
    uint32_t invalidate_stag;
    uint64_t message;   /* of this direction, from 0 */
    uint64_t operation; /* of the connection, from 1; 0: unknown */
};

#endif
