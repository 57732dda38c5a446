/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ddp_rdmap plugin passes to the next layer in addition to the Sends of plugins/border/rdmap_payload.h: on the
 * first pass, the events of the engine's layers; on every pass, each DDP Segment that is drawn. The plugins find each
 * other only by the name of this list, so this header is all that they share.
 */
#ifndef IWARP_PLUGINS_BORDER_RDMAP_LISTENER_H
#define IWARP_PLUGINS_BORDER_RDMAP_LISTENER_H

#include "plugins/border/mpa_ulpdu.h"

#include "engine/stack/stack.h"

/*
 * The heuristic list of listeners that follow connections. Each is called once for each MPA connection, on the first
 * pass, with a struct rdmap_listeners as its data; it adds itself if it wants to, keeps nothing, and returns 0, so that
 * the next listener is called. begin() is called as in struct mpa_listener; from then on the listener receives the
 * events of the engine's MPA and RDMAP layers as they occur.
 */
#define RDMAP_LISTENER_LIST "rdmap.listeners"

enum { RDMAP_LISTENERS_MAX = 4 };

struct rdmap_listeners;

struct rdmap_listener {
    /* Sets the members below, up to `knows`. */
    void (*begin)(const struct rdmap_listeners *connection, struct rdmap_listener *listener);
    struct stack_entrance entrance;
    /* As in struct mpa_listener. */
    void (*over)(void *ctx);
    size_t (*octets)(const void *ctx);
    void *ctx;
    const bool *knows; /* whether the connection belongs to the listener, which is not called for segments of other
                          connections; may be NULL */
    /*
     * The text for the Info column if nothing else is shown for the Tagged segment at that place without a tree; NULL:
     * the segment must be dissected. Valid until the next call. May be NULL.
     */
    const char *(*brief)(uint32_t connection, const struct place *place);
    /*
     * Called for each segment with a DDP header, on every pass, once the listener knows the connection: after the RDMAP
     * tree, and before the payload is offered to any dissector. The tvb holds the DDP payload, data is a struct
     * rdmap_segment; returns one of the values below. May be NULL.
     */
    dissector_handle_t segment;
    /* As in struct mpa_listener. May be NULL. */
    void (*after_segment)(uint32_t connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
};

struct rdmap_listeners {
    uint32_t size; /* sizeof(struct rdmap_listeners) of the ddp_rdmap plugin */
    /* For begin(), as in struct mpa_listener. */
    uint32_t connection, tcp_stream;
    int64_t start_ns;
    uint16_t port[2];
    struct endpoint host[2]; /* addresses of the sides */
    bool payload_only;
    unsigned n;
    struct rdmap_listener of[RDMAP_LISTENERS_MAX];
};

/* If the list is full, the listener is ignored. */
static inline void rdmap_listeners_add(struct rdmap_listeners *listeners, const struct rdmap_listener *listener)
{
    if (listeners->n < RDMAP_LISTENERS_MAX)
        listeners->of[listeners->n++] = *listener;
}

enum rdmap_segment_answer {
    RDMAP_SEGMENT_FOREIGN, /* the upper layer is unknown */
    RDMAP_SEGMENT_OURS,    /* the upper layer is known: only Sends are offered to other dissectors */
    RDMAP_SEGMENT_SHOWN,   /* as above, and the payload of this segment was drawn */
};

struct rdmap_segment {
    uint32_t size;          /* sizeof(struct rdmap_segment) of the ddp_rdmap plugin */
    struct mpa_ulpdu ulpdu; /* its place identifies the segment */
    uint8_t opcode;
    bool tagged, last;
    uint64_t operation; /* of the connection, from 1; 0: unknown */
};

#endif
