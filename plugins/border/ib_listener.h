/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rdma_ib plugin gives to the plugins of upper layers: on the first pass, what the engine's transport reports
 * of each connection; on every pass, the payload of its packets. The plugins find each other by the names of these
 * lists alone, so this header is all that they share; `size` distinguishes layouts of the structures.
 */
#ifndef IWARP_PLUGINS_BORDER_IB_LISTENER_H
#define IWARP_PLUGINS_BORDER_IB_LISTENER_H

#include "plugins/common/compat.h"

#include "engine/stack/stack_ib.h"

/*
 * The heuristic list of those that follow connections. Each is called once for each reliable connection, on the first
 * pass or when that is over, with a struct ib_listeners as its data and nothing else, and adds itself if it wants to.
 */
#define IB_LISTENER_LIST "rdma_ib.listeners"

enum { IB_LISTENERS_MAX = 4 };

struct ib_listener {
    /* First pass, with the meanings of struct ib_connection_events; ctx is that of events. */
    struct ib_rc_events events;
    void (*managed)(void *ctx, unsigned side, const struct ib_cm *cm, const struct place *place);
    void (*finish)(void *ctx, int64_t now_ns);
    /* The connection is over, and finish() was called: what only the first pass needs can go. */
    void (*over)(void *ctx);
    void *ctx; /* of over() */
    /*
     * Whether the connection is the listener's: then its payload is offered to no other dissector. NULL: it takes what
     * all others left.
     */
    const bool *knows;
    /* Called with a struct ib_payload; it returns 0 when it shows nothing. */
    dissector_handle_t payload;
};

struct ib_listeners {
    uint32_t size;                          /* sizeof(struct ib_listeners) of the rdma_ib plugin */
    const struct ib_connection *connection; /* first pass only; its id identifies it on all passes */
    const uint32_t *frame;                  /* first pass: the one that is being dissected */
    unsigned n;
    struct ib_listener of[IB_LISTENERS_MAX];
};

/* One too many is not heard. */
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

/* Gives everything to a stack of the engine, which outlives the connection. */
static inline struct ib_listener ib_listener_of_stack(struct stack_ib *ib)
{
    return (struct ib_listener){
        .events = stack_ib_events(ib), .managed = ib_listener_managed, .finish = ib_listener_finish};
}

/* A frame with a packet of a known connection. */
struct ib_frame {
    uint32_t connection; /* its id */
    uint8_t side;        /* that sent the packet */
    bool repeated;       /* a retransmission */
    uint32_t copies;     /* then: the frame of the latest copy before it; 0: it is not near */
    uint32_t psn, qp;
    const struct ib_opcode_info *info; /* of its own packet; NULL: the connection was not known when it came */
    const struct ib_opcode_info *cut;  /* of a packet cut by the snap length; NULL: it is complete */
    bool waits;                        /* out of order: its own packet was not reported when it came */
    uint32_t taken_in; /* the later frame in which its own packet was reported; 0: in this one, or never */
};

/*
 * The data of a listener's payload dissector, on every pass. The tvb holds the payload without pad; or, with `rest`,
 * what was captured of it, maybe nothing: Wireshark's InfiniBand dissector has passed on nothing of this packet.
 */
struct ib_payload {
    uint32_t size; /* sizeof(struct ib_payload) of the rdma_ib plugin */
    const struct ib_frame *frame;
    bool rest;
    bool reply; /* private data: of a ConnectReply */
};

/*
 * The heuristic list of those that decode private data. Called for a ConnectRequest or ConnectReply, on every pass,
 * with a struct ib_payload as its data; the tvb holds the private data. Whoever shows it returns true.
 */
#define IB_PRIVATE_DATA_LIST "rdma_ib.private_data"

/*
 * The heuristic list of those that replace a dissector of Wireshark's own. Called with a struct ib_others before others
 * are asked for a payload that no listener knows. It may name a protocol that is not to be asked, and returns 0.
 */
#define IB_OTHERS_LIST "rdma_ib.others"

struct ib_others {
    uint32_t size; /* sizeof(struct ib_others) of the rdma_ib plugin */
    int except;    /* a protocol; -1: all are asked */
};

/* Wireshark's table of payload dissectors: what the user has chosen by "Decode As". */
#define IB_DECODE_AS_TABLE "infiniband"

#endif
