/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP connection. On the first pass it feeds the stack of the connection, and records the events of TCP and MPA for
 * each call by the TCP dissector (a piece of one direction's stream). Wireshark may dissect a packet again, in any
 * order, so later passes only read. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_MPA_FLOW_H
#define IWARP_PLUGINS_MPA_FLOW_H

#include "plugins/common/compat.h"

#include "plugins/common/connection.h"
#include "plugins/common/judge.h"

#include "engine/tcp/tcp_boundary.h"

#include <epan/conversation.h>
#include <epan/dissectors/packet-tcp.h>

enum mpa_item_kind {
    MPA_ITEM_STARTUP,
    MPA_ITEM_FPDU,
    MPA_ITEM_SKIPPED, /* octets that are part of no FPDU */
    MPA_ITEM_HOLE,    /* octets that were not received */
};

/* The negotiated state from some point on. */
struct mpa_state {
    enum mpa_phase phase;
    struct mpa_parameters parameters;
};

/* An event of the engine in a stream. */
struct mpa_item {
    struct mpa_item *next;
    enum mpa_item_kind kind;
    uint32_t length;
    uint64_t offset;
    struct place place;
    const uint8_t *octets; /* copy of file scope if the octets are not all in the frame's own data, else NULL */
    const struct mpa_state *state;
    enum direction direction;
    union {
        struct {
            uint64_t number;
            uint32_t crc_computed;
            enum mpa_crc_verdict crc;
            bool after_resync;
            /* As delimited by the engine, which may differ from the ULPDU_Length field. */
            uint16_t ulpdu_length, n_markers;
            uint8_t header_at; /* of ULPDU_Length, from the start of the FPDU */
            uint8_t pad_length;
            uint8_t pad[3];
            uint32_t cut; /* octets at the end that were not captured, `lacking` of them in the ULPDU */
            uint16_t lacking;
            const struct mpa_marker *markers; /* of file scope; NULL when there are none */
            const uint8_t *ulpdu; /* copy of file scope if removing the Markers does not yield the ULPDU, else NULL */
        } fpdu;
        struct {
            enum mpa_startup_kind kind;
            uint32_t cut; /* octets after `length` that were not captured */
        } startup;
        struct {
            const char *why;
        } skipped;
        struct {
            enum hole_cause cause;
            bool first; /* the first of the connection: the remedy is shown once */
        } hole;
    };
};

/*
 * Octets of an FPDU without Markers: moves *at, counted from the start of the FPDU, past a Marker at that place, and
 * returns the number of octets, at most `wanted`, up to the next Marker; 0 at the end of the FPDU.
 */
size_t mpa_item_run(const struct mpa_item *item, size_t *at, size_t wanted);

/* Whether the item covers this octet of the stream, captured or not. */
static inline bool mpa_item_covers(const struct mpa_item *item, uint64_t offset)
{
    uint64_t cut = item->kind == MPA_ITEM_STARTUP ? item->startup.cut : 0;

    return offset >= item->offset && offset - item->offset < item->length + cut;
}

/*
 * State of a piece that is needed only while its octets may belong to later FPDUs, and for pieces that are not regular.
 */
struct mpa_piece_more {
    uint64_t fresh;         /* first stream offset that had not been seen before */
    uint64_t taken;         /* end of the last item; the octets after it wait for more */
    uint32_t continued_in;  /* frame that completed the item beginning at `taken`; 0: not (yet) known */
    struct mpa_item **last; /* where the next item goes */
    /*
     * Items of earlier frames, if the connection was recognised with this piece: copies with octets of their own. On
     * the first pass they are drawn here, because their frames are over; later they are drawn in their own frames.
     */
    struct mpa_item *late;       /* by frame */
    struct mpa_piece *next_open; /* first pass: the next piece of the side with waiting octets */
};

/*
 * The octets of one call by the TCP dissector. Most pieces are regular: whole FPDUs without Markers, one after the
 * other, with nothing unusual. Their items are not kept, but made again when the piece is drawn.
 */
struct mpa_piece {
    struct record record; /* in its frame; offset: of the first octet */
    struct mpa_piece *next_in_frame;
    struct mpa_item *items;        /* more == NULL: only items that were found after the piece */
    struct mpa_piece_more *more;   /* NULL: the piece is regular */
    const struct mpa_state *state; /* after the piece */
    uint64_t number;               /* regular: number of the first FPDU */
    uint32_t key;                  /* see struct mpa_flow_input */
    uint32_t length;               /* octets captured */
    uint8_t side;
    bool placed;   /* the offset is known */
    bool repeated; /* all octets were seen before */
    bool unread;   /* came after the connection had made room */
    bool not_mpa;  /* left to other dissectors */
    bool regular;
    uint8_t crc;       /* regular: enum mpa_crc_verdict of its FPDUs */
    uint8_t direction; /* regular: enum direction */
};

/* Octets that a segment sends again with other contents: the first of them. */
struct mpa_conflict {
    uint64_t offset;
    uint32_t first_frame; /* of the octet as first seen */
    uint8_t first, again;
};

struct mpa_startup_seen {
    uint32_t frame; /* 0: not seen */
    int64_t time_ns;
};

struct mpa_asleep;

struct mpa_flow {
    struct connection connection;
    struct mpa_flow *next;   /* the previous flow of the file */
    struct mpa_flow *later;  /* the next flow, set at the end */
    struct mpa_flow *former; /* to which the conversation belonged before `first_frame`, or NULL */
    uint32_t first_frame;
    uint32_t base[2]; /* by side: sequence number of the SYN as the TCP dissector knew it at the last segment */
    address side0;    /* side 0's address */
    uint16_t port[2];
    struct terminate_host host[2]; /* see struct stack_setup */
    struct judge judge;            /* its records: the latest struct mpa_piece of a frame */
    bool brief;                    /* ULPDUs go to our DDP (plugins/ddp_rdmap/rdmap_plugin.h) */
    const struct mpa_state *state;
    struct mpa_startup_seen startup[2]; /* by enum mpa_startup_kind */
    bool hole_told;
    /* First pass only. */
    bool closed; /* the flow is, or was, in the list of closed flows: */
    struct mpa_flow *next_closed;
    struct mpa_flow *older, *newer; /* among the open flows, by the latest segment */
    size_t octets;                  /* the memory for which the flow is counted; 0: not open */
    bool made_room;
    struct mpa_asleep *asleep;  /* NULL: the flow has a stack, or is over */
    struct tcp_remains remains; /* once the flow is finished */
    int64_t last_time_ns;
    const struct stack_options *layers;
    struct mpa_piece *current;
    struct mpa_hole { /* found without a piece that could show it; the next piece does */
        bool any;
        uint64_t from, to;
        enum hole_cause cause;
    } unshown[2];             /* by side */
    struct mpa_piece *latest; /* the last piece that was fed: it may be regular, and still have its items */
    struct mpa_open {
        struct mpa_piece *first, *last;
    } open[2]; /* pieces with octets after the last item */
    const uint8_t *current_octets;
};

struct mpa_flow_options {
    bool eager_holes; /* the TCP dissector never passes a missing segment later */
    bool accept_midstream;
    bool payload_only; /* headers are unknown (plugins/mpa/headers.h) */
};

/* ---- above.c: for the stack of a flow; both have its connection as their ctx ---- */

extern const struct stack_taps mpa_above_taps;
void mpa_above_on_finding(void *ctx, const struct finding *finding);

/* ---- flow.c ---- */

/* First pass: taps of struct stack_taps. */
void mpa_flow_on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                         uint64_t acked);
void mpa_flow_on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                      const struct octets_origin *next);
void mpa_flow_on_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                          uint32_t first_frame, const struct tcp_segment *segment);
void mpa_flow_on_startup(void *ctx, const struct mpa_startup_event *event);
void mpa_flow_on_fpdu(void *ctx, const struct mpa_fpdu_event *event);
void mpa_flow_on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why,
                         const struct place *place);
void mpa_flow_on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters);

/* Side 0 is the sender of this packet. */
struct mpa_flow *mpa_flow_new(packet_info *pinfo, const struct mpa_flow_options *options);
/* A capture file was opened: forgets the previous one. */
void mpa_flow_forget(void);
void mpa_flow_register(void);
uint8_t mpa_flow_side(const struct mpa_flow *flow, const packet_info *pinfo);

/* Octets of a side, from the TCP dissector or kept by the heuristic. */
struct mpa_flow_input {
    uint32_t frame;
    int64_t time_ns;
    uint8_t side;
    uint8_t flags; /* enum of addressed.h: FIN, SYN, RST, PSH, ACK */
    /* As in struct tcp_segment, where the header is known. */
    bool header, sack_permitted, df, fragmented;
    uint16_t mss, window;
    uint8_t window_scale;
    uint32_t key;      /* the sequence number passed by the TCP dissector: identifies the piece */
    uint32_t seq, ack; /* as on the wire */
    uint32_t length, captured;
    const uint8_t *octets;
};

/* First pass: whether the octets belong to a new connection without a captured SYN (engine/tcp/tcp_boundary.h). */
bool mpa_flow_is_over(struct mpa_flow *flow, const struct mpa_flow_input *input);
/* First pass. NULL: the flow is finished, or out of memory. */
const struct tcp_side_facts *mpa_flow_facts(struct mpa_flow *flow, unsigned side);
/* First pass, before any octets: a SYN (flags SYN, or SYN and ACK; no octets). */
void mpa_flow_syn(struct mpa_flow *flow, const struct mpa_flow_input *syn);
/* First pass: records and returns the piece; NULL when out of memory. */
struct mpa_piece *mpa_flow_feed(struct mpa_flow *flow, const struct mpa_flow_input *input);
/*
 * First pass: a segment that the TCP dissector does not pass: without payload, or with octets that were passed before.
 */
void mpa_flow_bare(struct mpa_flow *flow, const struct mpa_flow_input *input);
/* The end of the connection, or of the capture, at that time: the flow must not be fed any more. */
void mpa_flow_finish(struct mpa_flow *flow, int64_t time_ns);
bool mpa_flow_is_finished(const struct mpa_flow *flow);
/* First pass, before another connection begins: finishes flows that closed a while ago, as iwarp-check does. */
void mpa_flow_retire(int64_t now_ns);
/* The items of a piece; tvb holds its octets. */
struct mpa_item *mpa_flow_items(const struct mpa_piece *piece, tvbuff_t *tvb, const packet_info *pinfo);
/* Any pass: of the segment in that frame; NULL: there is none. */
const struct mpa_conflict *mpa_flow_conflict(uint32_t frame);
/* Any pass: the piece, or NULL. */
const struct mpa_piece *mpa_flow_find(const struct mpa_flow *flow, uint32_t frame, uint8_t side, uint32_t key);

static inline int64_t mpa_time_ns(const packet_info *pinfo)
{
    return (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
}

#endif
