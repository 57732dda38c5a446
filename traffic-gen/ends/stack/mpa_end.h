/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One end of an MPA connection (RFC 5044, RFC 6581), sans-I/O: start-up as Initiator or Responder, framing in both
 * directions with Markers and CRC as negotiated, and detection of the peer's errors. It sends only what the standards
 * require; faults come from hooks of the fault tables.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_MPA_END_H
#define IWARP_TRAFFIC_ENDS_STACK_MPA_END_H

#include "traffic-gen/ends/stack/stream.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

enum mpa_end_role { MPA_END_INITIATOR, MPA_END_RESPONDER };

/* The demands of this end. Octets are copied. */
struct mpa_end_wish {
    enum mpa_end_role role;
    uint8_t revision; /* Initiator: sent in the Request; Responder: the highest supported. 0 to 2 */
    bool permissive;  /* revision 1, 2: also speaks revision 0 with peers that know no other (RFC 5044 Appendix C) */
    bool markers;     /* wants to receive Markers */
    bool crc;
    bool enhanced; /* Initiator of revision 2: with IRD, ORD and peer-to-peer negotiation */
    /*
     * Initiator: values to send; RTR types that it can send. Responder: the largest IRD and ORD that it supports
     * (0x3FFF: as many as the peer wants) and the RTR types that it accepts (none: all); the Initiator decides
     * peer_to_peer.
     */
    struct mpa_enhanced enhanced_data;
    const uint8_t *private_data; /* ULP private data, at most 508 octets with the enhanced data, 512 without */
    uint16_t private_length;
    bool reject;       /* Responder: rejects the connection (R) */
    bool manual;       /* Responder: waits for mpa_end_reply() */
    int64_t t_startup; /* nanoseconds to wait for the peer's frame; 0: 10 s */
    int64_t
        t_rest; /* nanoseconds to wait for the rest of an FPDU that has begun (RFC 5044 section 7.1.2); 0: no limit */
};

/* What was negotiated. */
struct mpa_end_terms {
    enum mpa_end_role role;
    uint8_t revision; /* 0: DDP and RDMAP have version 0, too */
    bool markers_out, markers_in, crc, enhanced, peer_to_peer, rejected;
    uint8_t rtr;       /* RTR types that both ends know: a set of enum mpa_rtr */
    uint16_t ird, ord; /* of this end: Reads that it serves, Reads that it may have in flight; 0x3FFF: not negotiated */
    const uint8_t *peer_data; /* ULP private data of the peer's frame */
    uint16_t peer_length;
};

enum mpa_end_error {
    MPA_END_CLOSED_EARLY, /* FIN or RST before the start-up was over */
    MPA_END_TIMEOUT,
    MPA_END_BAD_FRAME, /* start-up frame with a wrong key, length or revision, or followed by octets too early */
    MPA_END_REJECTED,  /* by the peer, or by this end */
    MPA_END_BAD_FPDU,  /* impossible length */
    MPA_END_BAD_CRC,
    MPA_END_BAD_MARKER,
    MPA_END_NO_RTR,  /* Initiator: no common type; Responder: the peer's first FPDU is not the agreed RTR */
    MPA_END_IRD_ORD, /* Initiator: the Reply asks for more Reads than the Request offered */
    MPA_END_LOCAL,   /* the Reply contradicts the Request in a way that no error code describes */
    MPA_END_CUT_OFF, /* closed within an FPDU */
};

/* For example "an FPDU from the peer has a wrong CRC". */
const char *mpa_end_error_text(enum mpa_end_error error);

struct mpa_end_events {
    void *ctx;
    /* Responder with `manual`: the Request has come. The caller answers with mpa_end_reply(), now or later. */
    void (*requested)(void *ctx, const struct mpa_end_terms *terms);
    /* Full operation begins. */
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    /* The first FPDU may be sent: by the Initiator at once, by the Responder after the Initiator's first FPDU. */
    void (*may_send)(void *ctx);
    /* A ULPDU with a right CRC, valid during the call. rtr: it is the RTR, which only MPA uses. */
    void (*ulpdu)(void *ctx, const uint8_t *p, size_t n, bool rtr);
    /*
     * Nothing more will be passed up. If there is a Terminate for the error and mpa_end_may_send(), the layers above
     * send it (RFC 5040 section 4.8, layer LLP); then this end closes by itself.
     */
    void (*error)(void *ctx, enum mpa_end_error error);
    /* The peer's FIN, in order, or its RST: nothing more will be received. Always the last event, exactly once. */
    void (*ended)(void *ctx, bool reset);
};

struct mpa_end;

/* wish and events are copied, stream is borrowed. Events may be NULL. */
struct mpa_end *mpa_end_new(const struct mpa_end_wish *wish, const struct stream *stream,
                            const struct mpa_end_events *events);
/* Must not be called from an event. */
void mpa_end_free(struct mpa_end *end);
/* Call when the connection is established: the Initiator sends its Request, the Responder starts to wait. */
void mpa_end_start(struct mpa_end *end);
/* Replaces the ULP private data of this end's frame: for a Reply that depends on the Request. */
void mpa_end_set_private_data(struct mpa_end *end, const uint8_t *p, uint16_t n);
/* Answers events.requested of a Responder with `manual`. accept false rejects. */
void mpa_end_reply(struct mpa_end *end, bool accept);

/* Input: octets of the peer's stream, in order; its FIN; its RST; the passage of time. */
void mpa_end_receive(struct mpa_end *end, const uint8_t *p, size_t n);
void mpa_end_receive_fin(struct mpa_end *end);
void mpa_end_receive_reset(struct mpa_end *end);
void mpa_end_tick(struct mpa_end *end);

/* Private data of the Request or Reply received; NULL before. */
const struct mpa_end_terms *mpa_end_get_terms(const struct mpa_end *end);
/* Largest ULPDU that fits a segment now (MULPDU, section 4.5), or the rest of a segment. */
size_t mpa_end_ulpdu_max(const struct mpa_end *end);
bool mpa_end_may_send(const struct mpa_end *end);
/* Octets written to the stream since it began. */
uint64_t mpa_end_position(const struct mpa_end *end);
/* Says that another FPDU follows the next one at once. */
void mpa_end_more(struct mpa_end *end);
/* Sends one FPDU: head and body together are the ULPDU, of at most 65535 octets. Dropped unless mpa_end_may_send(). */
void mpa_end_send(struct mpa_end *end, const uint8_t *head, size_t head_n, const uint8_t *body, size_t body_n);
/* Ends the connection: nothing more is sent, and input is ignored. reset: RST instead of FIN. */
void mpa_end_close(struct mpa_end *end, bool reset);
bool mpa_end_closed(const struct mpa_end *end);

/*
 * Hooks for faults, owned by the fault tables. They are called with each start-up frame before it is encoded, with each
 * FPDU's plan before, and with the octets after (also those of a start-up frame), and may change them.
 *
 * Other hooks change how this end judges the peer's octets: judge_frame and judge_fpdu are called with this end's own
 * judgement (an enum mpa_end_error, or MPA_END_RIGHT), and their result counts. close: false keeps the connection open.
 */
enum { MPA_END_RIGHT = -1 };

struct mpa_end_spoil {
    void *ctx;
    void (*frame)(void *ctx, struct mpa_startup *frame);
    void (*plan)(void *ctx, struct mpa_fpdu_plan *plan);
    void (*octets)(void *ctx, uint8_t *p, size_t *n, size_t size);
    int (*judge_frame)(void *ctx, struct mpa_startup *frame, int error); /* may change it */
    int (*judge_fpdu)(void *ctx, const struct mpa_fpdu *fpdu, int error);
    bool (*close)(void *ctx, bool *reset);
    uint16_t ulpdu_max; /* replaces the MULPDU; 0: does not */
    /* Called after octets of the peer were taken, and after a tick of the clock. */
    void (*received)(void *ctx);
    void (*tick)(void *ctx);
};
/* Copied; NULL removes the hooks. */
void mpa_end_set_spoil(struct mpa_end *end, const struct mpa_end_spoil *spoil);

#endif
