/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a dissector of the plugin passes to the next one as its data, on every pass. */
#ifndef IWARP_PLUGINS_COMMON_PASSED_H
#define IWARP_PLUGINS_COMMON_PASSED_H

#include "plugins/common/connection.h"

#include "engine/ib/ib_connections.h"

/*
 * iWARP: where the octets are. The same structure goes with an FPDU through all layers:
 *
 * - to the dissector of its ULPDU, in the table "mpa.ulpdu", which is keyed by the MPA revision (0, 1, 2) in effect;
 * - with each Send of any kind, once and reassembled, to the dissectors in the table "rdmap.port", which is keyed by
 * TCP port (the Responder's port first), and in the heuristic list "rdmap.send".
 */
struct passed {
    struct connection *connection;
    struct place place; /* of the FPDU, or start-up frame; place.frame: the frame that completed it */
    enum direction direction;
};

#define MPA_ULPDU_TABLE  "mpa.ulpdu"
#define RDMAP_PORT_TABLE "rdmap.port"
#define RDMAP_SEND_LIST  "rdmap.send"

/*
 * Set by the mpa dissector during such a call; NULL: none. Dissectors that have a name, or are in a table, may be
 * called by others with data of any kind (exported PDUs), so they take this instead.
 */
extern const struct passed *passed_now;

static inline const struct passed *passed_of(const void *data)
{
    return data == passed_now ? data : NULL;
}

/* InfiniBand and RoCE: what few frames have. */
struct ib_frame_more {
    const struct ib_opcode_info *cut; /* of a packet cut by the snap length; NULL: the packet is complete */
    uint32_t payload_at, payload_captured, payload_len; /* of a cut packet, in the frame; at 0: no payload */
    uint32_t qp;                                        /* of a cut packet */
    uint32_t copies;   /* a retransmission: the frame of the latest earlier copy; 0: no copy nearby */
    uint32_t taken_in; /* the later frame in which the packet was reported; 0: in this one, or never */
};

/* InfiniBand and RoCE: a frame with a packet of a known connection. There are many, so the structure is small. */
struct ib_frame {
    struct connection *connection;
    struct ib_frame_more *more; /* never NULL; shared and empty unless something is in it */
    uint32_t psn;
    uint8_t opcode;
    uint8_t side;      /* of the sender of the packet */
    bool given : 1;    /* the packet was given to its connection; false: the connection was unknown then */
    bool repeated : 1; /* a retransmission */
    bool waits : 1;    /* out of order: the packet was not reported when it came */
    bool reported : 1; /* first pass: the packet was reported when it came */
};

/* NULL: the connection of the packet was unknown when it came, or the opcode is unknown. */
static inline const struct ib_opcode_info *ib_frame_info(const struct ib_frame *frame)
{
    return frame->given ? ib_opcode_info(frame->opcode) : NULL;
}

/*
 * The tvb holds the payload without pad; or, with `rest`, the captured part (perhaps empty) of the payload of a packet
 * that Wireshark's InfiniBand dissector has not passed on; or private data.
 */
struct ib_payload {
    const struct ib_frame *frame;
    bool rest;
    bool reply; /* the private data are those of a ConnectReply */
};

#endif
