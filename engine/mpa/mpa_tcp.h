/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What MPA connections show about TCP: mpa_tcp_rules.c judges TCP's own conduct, mpa_tcp_segmentation.c how FPDUs fit
 * into segments. All of it needs TCP facts (mpa->tcp); rules that depend on the MSS also need the SYN that announces
 * it, and a capture with segments as they are on the wire (no TSO or GRO).
 */
#ifndef IWARP_ENGINE_MPA_MPA_TCP_H
#define IWARP_ENGINE_MPA_MPA_TCP_H

#include "engine/mpa/mpa_internal.h"

enum { SEGMENTS_KEPT = 64, BAD_FPDUS_KEPT = 4 };

struct octet_range {
    uint64_t from, to;
};

/* FPDUs of one sending side, and the segments that carry them. */
struct mpa_segmentation {
    /* The FPDU that exceeds all limits most, and the number of FPDUs. */
    uint16_t largest_ulpdu;
    struct place largest_place;
    uint32_t largest_fpdu; /* octets */
    uint64_t fpdus;
    /* Non-final segments of DDP messages. */
    uint64_t non_final;
    uint16_t non_final_largest;
    struct place non_final_place;
    /* First-transmission segments that carry the start of an FPDU. */
    uint32_t segment; /* frame of the current one */
    bool holds_whole; /* the current segment holds a whole FPDU */
    uint64_t segments, aligned;
    struct place segment_place;
    /*
     * packed: segments with a whole FPDU and the start of another; packed_badly: those that end inside the second one.
     */
    uint64_t packed, packed_badly;
    struct place packed_place;
    /* MPA-5.1-07 */
    int64_t last_data_time;
    uint64_t pauses;
    struct place pause_place;
    bool pause_unaligned;
};

struct mpa_tcp_side {
    /* Its SYN. */
    uint32_t syn_frame;
    int64_t syn_time;
    bool syn_answers, sack_permitted;
    /* Its data segments. */
    uint64_t data_segments;
    uint32_t no_df_frame;
    int64_t no_df_time;
    uint16_t window;          /* last announced */
    struct octet_range *sent; /* a ring that grows up to SEGMENTS_KEPT; newest at (n - 1) % capacity */
    unsigned sent_capacity;
    uint64_t n_sent;
    uint64_t repeated_same, repeated_otherwise;
    struct place repeated_place;
    /* Retransmissions. */
    uint64_t compared, conflicts;
    struct octet_range bad[BAD_FPDUS_KEPT]; /* FPDUs with a wrong CRC */
    unsigned n_bad;
    struct {
        bool open;
        struct place place;
        uint8_t first, repeated;
        uint32_t first_frame;
    } conflict; /* a conflict in an FPDU that is not complete yet */
    /* Its acknowledgments: the first acknowledgment beyond what the peer had sent. */
    struct {
        bool open, settled;
        struct place place;
        uint64_t offset, end; /* of the acknowledging segment */
        uint64_t acked, sent;
        uint64_t filled; /* up to here the peer has sent the missing octets, in order and at once */
    } early_ack;
    bool beyond_fin;
    /* A segment in IP fragments. */
    struct {
        bool open, settled;
        struct octet_range octets;
        uint32_t frame;
        int64_t time_ns;
        unsigned times;
    } fragments;
    struct mpa_segmentation segmentation;
};

struct mpa_tcp_state {
    struct mpa_tcp_side side[2];
};

void mpa_segmentation_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset);
void mpa_segmentation_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event);
void mpa_segmentation_finish(struct mpa_connection *mpa, unsigned side);
/* Segments of `side` are captured as they were on the wire, and the MSS that limits them is known. */
bool mpa_segments_are_real(const struct mpa_connection *mpa, unsigned side, unsigned *mss);

#endif
