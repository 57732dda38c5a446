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

/* InfiniBand and RoCE: a frame with a packet of a known connection. */
struct ib_frame {
    struct connection *connection;
    uint8_t side;    /* of the sender of the packet */
    bool repeated;   /* a retransmission */
    uint32_t copies; /* if repeated: the frame of the latest earlier copy; 0: no copy nearby */
    uint32_t psn, qp;
    const struct ib_opcode_info *info; /* of the frame's packet; NULL: its connection was unknown then */
    const struct ib_opcode_info *cut;  /* of a packet cut by the snap length; NULL: the packet is complete */
    bool waits;                        /* out of order: the packet was not reported when it came */
    uint32_t taken_in;                 /* the later frame in which the packet was reported; 0: in this one, or never */
};

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
