/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One MPA connection in the plugin: the mpa plugin tells what its layer found, the engine's RDMAP layer judges it, and
 * what that says is kept for each segment. This happens on the first pass only; afterwards all is read. Memory is of
 * file scope.
 */
#ifndef IWARP_PLUGINS_RDMAP_FLOW_H
#define IWARP_PLUGINS_RDMAP_FLOW_H

#include "plugins/common/judge.h"
#include "plugins/mpa_ulpdu.h"
#include "plugins/rdmap_listener.h"

#include "engine/rdmap.h"
#include "wire/rdmap_terminate.h"

enum { RDMAP_WHOLE_RANGES = 16 };

/* A message, Tagged or Untagged, as the engine tells messages apart. */
struct rdmap_msg {
    uint64_t number; /* of its direction, from 0 */
    uint32_t segments, first_frame, last_frame;
    bool ended; /* its segment with L = 1 was seen */
    uint64_t octets;
    uint64_t to; /* Tagged: of its first segment */
};

/* An Untagged message of several segments, put together by QN, MSN and MO. */
struct rdmap_whole {
    uint64_t key; /* side, QN and MSN */
    bool first, last;
    bool spoilt;           /* segments overlap, pass the end, or are too many to keep track of: never put together */
    uint32_t end;          /* octets of the message; valid with last */
    uint32_t completed_in; /* frame in which the last missing octets came; 0: incomplete */
    unsigned n_ranges;
    struct {
        uint32_t from, to;
    } range[RDMAP_WHOLE_RANGES]; /* octets that are there: ascending, joined */
};

/* What is known of an STag from its first use to its invalidation. */
struct rdmap_stag_life {
    uint32_t first_frame, invalidated_in;
    uint32_t former_end; /* frame in which the same STag was invalidated before; 0: never */
};

struct rdmap_accusation {
    struct rdmap_terminate terminate; /* as it was meant; borrows nothing */
    bool found;
    uint32_t frame;
};

/* A DDP Segment. */
struct rdmap_seg {
    struct record record; /* at its FPDU */
    struct place place;
    bool told; /* the engine took it for a segment */
    bool in_message, first_known, complete;
    bool completes; /* puts the last piece into `whole` */
    uint32_t index;
    uint64_t message_octets;
    struct rdmap_msg *msg;
    struct rdmap_whole *whole;
    struct rdmap_operation *op;
    const struct rdmap_operation *after_write;
    /* Of the STag in the DDP header or, for Atomics, in the Request; and for Read Requests of both of them. */
    const struct rdmap_stag_life *stag, *source;
    const struct rdmap_accusation *accusation;
    const struct rdmap_operation *accuses;
};

struct rdmap_flow {
    uint32_t connection;
    struct judge judge;     /* its records: struct rdmap_seg */
    wmem_map_t *operations; /* number -> struct rdmap_operation */
    bool builtin_took;      /* a dissector in the list of Wireshark's own had something of it */
    const bool *known;      /* to the next layer: struct rdmap_listener; NULL: there is none */
    /* First pass only. */
    struct rdmap_seg *current;
    struct rdmap_msg *open[2][5]; /* by side: of the Tagged segments, and of QN 0 to 3 */
    wmem_map_t *wholes;           /* key -> latest struct rdmap_whole */
    wmem_map_t *stags[2];         /* by the side whose memory it is: STag -> struct rdmap_stag_life */
};

void rdmap_flow_register(void);
/* First pass: the mpa plugin tells of a new connection. False when memory is lacking. */
bool rdmap_flow_listen(struct mpa_listener *listener);
/* Whom the next layer has named is told from here on. */
void rdmap_flow_tell(uint32_t connection, const struct rdmap_listener *listener);
/* NULL when it is not known. */
struct rdmap_flow *rdmap_flow_find(uint32_t connection);
struct rdmap_seg *rdmap_flow_seg(const struct rdmap_flow *flow, const struct place *place);

#endif
