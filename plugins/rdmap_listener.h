/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ddp_rdmap plugin tells the next layer beside the Sends of plugins/rdmap_payload.h: on the first pass, what
 * the engine's layers say of a connection; on every pass, each DDP Segment that is drawn. The plugins find one another
 * by these dissectors' names alone, so this header is the whole of what they share.
 */
#ifndef IWARP_PLUGINS_RDMAP_LISTENER_H
#define IWARP_PLUGINS_RDMAP_LISTENER_H

#include "plugins/mpa_ulpdu.h"

#include "engine/stack.h"

/*
 * Who judges connections registers a dissector of this name. It is called once for each MPA connection, on the first
 * pass, with a struct rdmap_listener as its data; it fills in what it wants to be told, and returns 0. From then on it
 * gets what the engine's MPA and RDMAP layers say, as and when they say it.
 */
#define RDMAP_LISTENER_DISSECTOR "rdmap.listener"

struct rdmap_listener {
    uint32_t size;       /* sizeof(struct rdmap_listener) of the ddp_rdmap plugin */
    uint32_t connection; /* as in struct mpa_ulpdu */
    uint16_t port[2];    /* TCP ports of the sides */
    /* The listener's. */
    struct stack_entrance entrance;
    const bool *knows; /* whether the connection is the listener's: others' segments are not shown to it; may be NULL */
};

/*
 * Who knows more of a DDP Segment registers a dissector of this name. It is called for each one with a DDP header, on
 * every pass, once the listener knows the connection, behind what RDMAP shows and before its payload is given to
 * anybody; the tvb holds the DDP payload. It returns one of the below.
 */
#define RDMAP_SEGMENT_DISSECTOR "rdmap.segment"

enum rdmap_segment_answer {
    RDMAP_SEGMENT_FOREIGN, /* nothing is known of the upper layer */
    RDMAP_SEGMENT_OURS,    /* the upper layer is known: what is no Send is not given to others */
    RDMAP_SEGMENT_SHOWN,   /* and the payload of this segment was shown */
};

struct rdmap_segment {
    uint32_t size;          /* sizeof(struct rdmap_segment) of the ddp_rdmap plugin */
    struct mpa_ulpdu ulpdu; /* its place names the segment */
    uint8_t opcode;
    bool tagged, last;
    uint64_t operation; /* of the connection, from 1; 0: not known */
};

#endif
