/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DDP and RDMAP of one connection: the events of the engine are recorded by segment on the first pass; later passes
 * only read. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_DDP_RDMAP_FLOW_H
#define IWARP_PLUGINS_DDP_RDMAP_FLOW_H

#include "plugins/common/connection.h"
#include "plugins/common/judge.h"

#include "engine/ddp_rdmap/rdmap.h"
#include "wire/rdmap_terminate.h"

enum { RDMAP_WHOLE_RANGES = 16 };

/* A message, Tagged or Untagged, as delimited by the engine. */
struct rdmap_msg {
    uint64_t number; /* of its direction, from 0 */
    uint32_t segments, first_frame, last_frame;
    bool ended;  /* the segment with L = 1 was seen */
    uint64_t to; /* Tagged: tagged offset of the first segment */
};

/* An Untagged message of several segments, reassembled by QN, MSN and MO. */
struct rdmap_whole {
    uint64_t key; /* side, QN and MSN */
    bool first, last;
    bool spoilt;           /* segments overlap, extend beyond the end, or are too many to track: never reassembled */
    uint32_t end;          /* octets of the message; valid with last */
    uint32_t completed_in; /* frame with the last missing octets; 0: incomplete */
    unsigned n_ranges;
    struct {
        uint32_t from, to;
    } range[RDMAP_WHOLE_RANGES]; /* octets received: ascending, merged */
};

/* The life of an STag from its first use to its invalidation. */
struct rdmap_stag_life {
    uint32_t first_frame, invalidated_in;
    uint32_t former_end; /* frame in which the same STag was invalidated before; 0: never */
};

struct rdmap_blame {
    struct rdmap_terminate terminate; /* in its intended layout; owns its octets */
    bool found;
    uint32_t frame;
};

/* The octets that a queue still lacks before this segment; they may come out of order. */
struct rdmap_gap {
    uint32_t msn, msns; /* messages from `msn` on; msns 0: none */
    uint32_t from, to;  /* octets of the segment's own message; equal: none */
};

/* The end of the data that have come for a queue. */
struct rdmap_queue_seen {
    bool known;
    uint32_t msn, mo; /* of the octet after the latest segment */
};

/* A Read or Atomic: an operation that is answered. */
struct rdmap_op {
    uint64_t number;
    int64_t time_ns;              /* of the first segment */
    uint32_t frame, answer_frame; /* 0: not (yet) answered */
    enum rdmap_operation_kind kind;
    struct rdmap_operation *atomic; /* all details; NULL: not an Atomic */
};

/* State that few segments have. */
struct rdmap_seg_more {
    struct rdmap_whole *whole;
    const struct rdmap_stag_life *source; /* Read Requests: of the source STag */
    const struct rdmap_blame *blame;
    uint64_t blames; /* number of the operation; 0: none */
    const struct rdmap_gap *gap;
    uint32_t after_write; /* Immediate Data: frame of the RDMA Write before; 0: none */
};

/* A DDP Segment. There are as many as FPDUs, so members that most do not need are in `more`. */
struct rdmap_seg {
    struct record record; /* at its FPDU */
    uint64_t message_octets;
    union {
        uint64_t message;      /* alone: the number of its message, from 0 */
        struct rdmap_msg *msg; /* one of several; NULL: not in_message */
    };
    union {
        uint64_t operation;  /* number; 0: unknown */
        struct rdmap_op *op; /* answerable */
    };
    /* Life of the STag in the DDP header or, for Atomics and Read Requests, of the requester's STag. */
    const struct rdmap_stag_life *stag;
    struct rdmap_seg_more *more; /* never NULL; shared and empty unless something is in it */
    uint32_t index;
    uint8_t side;
    bool told : 1; /* the engine accepted it as a segment */
    bool in_message : 1, first_known : 1;
    bool alone : 1;      /* the only segment of its message: there is no struct rdmap_msg */
    bool answerable : 1; /* belongs to a Read or Atomic: there is a struct rdmap_op */
    bool completes : 1;  /* adds the last missing octets to more->whole */
};

struct rdmap_flow {
    struct judge judge; /* its records: struct rdmap_seg */
    bool builtin_took;  /* a dissector in the built-in dissector's list accepted a Send */
    /* First pass only. */
    struct rdmap_seg *current;
    struct rdmap_op **ops; /* sorted by number */
    unsigned n_ops, ops_room;
    struct {
        uint64_t operation;
        uint32_t frame;           /* of its first segment */
    } latest_write[2];            /* by side */
    struct rdmap_msg *open[2][5]; /* by side: message of the Tagged segments, and of QN 0 to 3 */
    struct rdmap_queue_seen seen[2][4];
    wmem_map_t *wholes;   /* key -> latest struct rdmap_whole */
    wmem_map_t *stags[2]; /* by the owner of the memory: STag -> struct rdmap_stag_life */
};

/* 0: unknown. */
static inline uint64_t rdmap_seg_operation(const struct rdmap_seg *seg)
{
    return seg->answerable ? seg->op->number : seg->operation;
}

/* First pass: before the first event that only occurs with RDMA. */
void rdmap_flow_begin(struct connection *connection);
/* First pass: the taps of struct stack_taps. */
void rdmap_flow_on_fpdu(struct rdmap_flow *flow, const struct mpa_fpdu_event *event);
void rdmap_flow_on_segment(struct rdmap_flow *flow, const struct rdmap_segment_event *event);
void rdmap_flow_on_operation(struct rdmap_flow *flow, const struct rdmap_operation *operation,
                             const struct place *place);
void rdmap_flow_on_terminate(struct rdmap_flow *flow, const struct rdmap_terminate_event *event);
/* NULL: there is no record. */
const struct rdmap_seg *rdmap_flow_seg(const struct rdmap_flow *flow, const struct place *place);

#endif
