/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rdma_ib plugin gives to the plugins of upper layers: on the first pass, the events of the engine's transport
 * for each connection; on every pass, the payload of its packets. The plugins find each other only by the names of
 * these lists, so this header is all that they share; `size` distinguishes layouts of the structures.
 */
#ifndef IWARP_PLUGINS_BORDER_IB_LISTENER_H
#define IWARP_PLUGINS_BORDER_IB_LISTENER_H

#include "plugins/common/compat.h"

#include "engine/stack/stack_ib.h"

/*
 * The heuristic list of listeners that follow connections. Each is called once for each reliable connection, on the
 * first pass or after it, with a struct ib_listeners as its only data, and adds itself if it wants to.
 */
#define IB_LISTENER_LIST "rdma_ib.listeners"

enum { IB_LISTENERS_MAX = 4 };

struct ib_listener {
    /* First pass: events with the meanings of struct ib_connection_events; ctx is that in `events`. */
    struct ib_rc_events events;
    void (*managed)(void *ctx, unsigned side, const struct ib_cm *cm, const struct place *place);
    void (*finish)(void *ctx, int64_t now_ns);
    /* The connection is over, and finish() was called: state for the first pass only can be freed. */
    void (*over)(void *ctx);
    void *ctx; /* of over() */
    /*
     * Whether the connection belongs to the listener: then its payload is offered to no other dissector. NULL: the
     * listener takes payload that no other dissector accepted.
     */
    const bool *knows;
    /* Called with a struct ib_payload; returns 0 if it shows nothing. */
    dissector_handle_t payload;
};

struct ib_listeners {
    uint32_t size;                          /* sizeof(struct ib_listeners) of the rdma_ib plugin */
    const struct ib_connection *connection; /* first pass only; its id identifies it on all passes */
    const uint32_t *frame;                  /* first pass: the frame that is being dissected */
    unsigned n;
    struct ib_listener of[IB_LISTENERS_MAX];
};

/* If the list is full, the listener is ignored. */
static inline void ib_listeners_add(struct ib_listeners *listeners, const struct ib_listener *listener)
{
    if (listeners->n < IB_LISTENERS_MAX)
        listeners->of[listeners->n++] = *listener;
}

static inline void ib_listener_managed(void *ctx, unsigned side, const struct ib_cm *cm, const struct place *place)
{
    stack_ib_managed(ctx, side, cm, place);
}

static inline void ib_listener_finish(void *ctx, int64_t now_ns)
{
    stack_ib_finish(ctx, now_ns);
}

/* Passes everything to a stack of the engine, which outlives the connection. */
static inline struct ib_listener ib_listener_of_stack(struct stack_ib *ib)
{
    return (struct ib_listener){
        .events = stack_ib_events(ib), .managed = ib_listener_managed, .finish = ib_listener_finish};
}

/* A frame with a packet of a known connection. */
struct ib_frame {
    uint32_t connection; /* the id of the connection */
    uint8_t side;        /* of the sender of the packet */
    bool repeated;       /* a retransmission */
    uint32_t copies;     /* if repeated: the frame of the latest earlier copy; 0: no copy nearby */
    uint32_t psn, qp;
    const struct ib_opcode_info *info; /* of the frame's packet; NULL: its connection was unknown then */
    const struct ib_opcode_info *cut;  /* of a packet cut by the snap length; NULL: the packet is complete */
    bool waits;                        /* out of order: the packet was not reported when it came */
    uint32_t taken_in;                 /* the later frame in which the packet was reported; 0: in this one, or never */
};

/*
 * The data for a listener's payload dissector, on every pass. The tvb holds the payload without pad; or, with `rest`,
 * the captured part of the payload, maybe nothing, of a packet that Wireshark's InfiniBand dissector has not passed on.
 */
struct ib_payload {
    uint32_t size; /* sizeof(struct ib_payload) of the rdma_ib plugin */
    const struct ib_frame *frame;
    bool rest;
    bool reply; /* the private data are those of a ConnectReply */
};

/*
 * The heuristic list of dissectors for private data. Called for a ConnectRequest or ConnectReply, on every pass, with a
 * struct ib_payload as the data; the tvb holds the private data. A dissector that shows them returns true.
 */
#define IB_PRIVATE_DATA_LIST "rdma_ib.private_data"

/*
 * The heuristic list of plugins that replace a dissector of Wireshark's own. Called with a struct ib_others before
 * others are asked about a payload that no listener knows. A plugin may name a protocol that must not be asked, and
 * returns 0.
 */
#define IB_OTHERS_LIST "rdma_ib.others"

struct ib_others {
    uint32_t size; /* sizeof(struct ib_others) of the rdma_ib plugin */
    int except;    /* a protocol that is not asked; -1: all are asked */
};

/* Wireshark's table of payload dissectors: the user's choice by "Decode As". */
#define IB_DECODE_AS_TABLE "infiniband"

#endif
