/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The MPA layer (RFC 5044, RFC 6581) of one TCP connection: takes the octet streams of both sides and produces startup
 * frames, FPDUs and verdicts. Hosted by iwarp-check, by the Wireshark plugin and by the active test suites.
 *
 * Sides are TCP sides (0, 1); the side that sends the Request is the Initiator, the other side the Responder.
 */
#ifndef IWARP_ENGINE_MPA_MPA_H
#define IWARP_ENGINE_MPA_MPA_H

#include "engine/core/arena.h"
#include "engine/core/verdict.h"
#include "engine/tcp/tcp_pair.h"
#include "engine/terminate/terminate_hosts.h"
#include "wire/ddp.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

struct mpa_options {
    enum rule_profile profile;
    /* Parameters for connections whose start is missing (--assume). */
    enum tristate assume_markers_to_responder;
    enum tristate assume_markers_to_initiator;
    enum tristate assume_crc;
    /* Timers of rules-mpa, for which no RFC gives numbers. Nanoseconds; 0: the default (2, 5, 10, 60, 120 s). */
    int64_t t_react, t_close, t_reply, t_start, t_idle;
    /* Accept streams that begin without startup frames (default on in the checker, a preference in the plugin). */
    bool accept_midstream;
    /*
     * The host sees only segments with payload (a Wireshark dissector): the absence of SYN options, acknowledgments,
     * FINs and RSTs means nothing.
     */
    bool payload_only;
};

void mpa_options_init(struct mpa_options *options);

enum mpa_phase {
    MPA_PHASE_STREAMING, /* no startup frame yet */
    MPA_PHASE_STARTUP,   /* one startup frame seen, the other awaited */
    MPA_PHASE_FULL_OPERATION,
    MPA_PHASE_REJECTED, /* REP.R = 1: anything may follow */
    MPA_PHASE_NOT_MPA,
};

/* The negotiated parameters; startup_seen says which members are valid. */
struct mpa_parameters {
    int initiator_side; /* 0, 1, or -1 when unknown */
    bool startup_seen;  /* both frames fully captured */
    bool request_seen, reply_seen;
    uint8_t revision;         /* in effect: the smaller Rev of both frames, or the only Rev seen */
    enum tristate markers[2]; /* by sending side */
    enum tristate crc;
    bool enhanced;      /* S = 1 in both */
    bool peer_to_peer;  /* A = 1 in both */
    uint8_t rtr;        /* RTR types that both frames name, set of enum mpa_rtr */
    bool ird_ord_known; /* from an enhanced, accepting Reply */
    uint16_t ird, ord;  /* the values in the Reply: the Responder's IRD and ORD */
    bool rejected;
    bool midstream;        /* parameters were found by recognition or --assume */
    uint64_t full_from[2]; /* by side: stream offset after its startup frame; valid with startup_seen */
};

enum mpa_crc_verdict { MPA_CRC_VERIFIED, MPA_CRC_WRONG, MPA_CRC_NOT_USED, MPA_CRC_UNKNOWN };

struct mpa_fpdu_event {
    struct mpa_fpdu fpdu;
    struct place place; /* place.frame: the frame that completed the FPDU */
    enum direction direction;
    enum mpa_crc_verdict crc;
    bool has_ddp;
    struct ddp_segment ddp;
    uint64_t number;   /* number of earlier FPDUs in this direction */
    bool after_resync; /* octets were skipped before it */
    bool within;       /* the skipped octets belong to the Tagged message that continues here, and to nothing else */
    uint64_t skipped;  /* number of skipped octets; 0: none */
    bool acked_known;
    uint64_t acked; /* how far its sender had received the other direction when it sent the last octet */
    /*
     * MPA found an error in the ULPDU. The layers above process the ULPDU to keep their counters right, but report
     * nothing: one fault gives one finding.
     */
    bool faulty;
    const struct octets_origin *first, *last; /* origins of its first and last octet; valid during the event */
    bool starts_segment;                      /* a TCP segment begins with its first octet */
};

struct mpa_startup_event {
    struct mpa_startup frame;
    struct place place;
    enum direction direction;
    uint64_t length; /* octets in the stream */
};

struct mpa_events {
    void *ctx;
    void (*startup)(void *ctx, const struct mpa_startup_event *event);
    void (*fpdu)(void *ctx, const struct mpa_fpdu_event *event);
    /* Octets [from, to) of a side's stream belong to no FPDU: stray octets, lost framing, or a hole. */
    void (*skipped)(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place);
    /*
     * This side did not close after its Terminate as required: already reported; whatever it sends next is part of the
     * same fault.
     */
    void (*unclosed)(void *ctx, unsigned side);
    /* The phase or the parameters changed. */
    void (*changed)(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters,
                    const struct place *place);
};

struct mpa_connection;

/*
 * Copies events and options. verdict is borrowed and outlives the connection. arena may be NULL (arena_hold()), here
 * and in the other layers. NULL when out of memory.
 */
struct mpa_connection *mpa_connection_new(const struct mpa_options *options, const struct mpa_events *events,
                                          struct verdict *verdict, struct arena *arena);
void mpa_connection_free(struct mpa_connection *mpa);

/* The inputs, in the order of a tcp_pair's events; the parameters are those of struct tcp_pair_events. */
void mpa_connection_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                            bool acked_known, uint64_t acked);
void mpa_connection_unsent_acked(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                                 uint64_t acked);
void mpa_connection_octets(struct mpa_connection *mpa, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                           const struct octets_origin *origin);
void mpa_connection_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                         const struct octets_origin *next);
void mpa_connection_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint8_t first,
                             uint8_t repeated, uint32_t first_frame, const struct tcp_segment *segment);
void mpa_connection_fin(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns);
void mpa_connection_reset(struct mpa_connection *mpa, unsigned side, uint32_t frame, int64_t time_ns);
/* End of the capture or of the connection: judges what depends on the end. */
void mpa_connection_finish(struct mpa_connection *mpa, int64_t time_ns);

/* TCP facts of both sides, borrowed; set once by a host that has a tcp_pair (NULL: unknown). */
void mpa_connection_set_tcp(struct mpa_connection *mpa, struct tcp_pair *pair);

/* How the host of each side lays out Terminates; copied. */
void mpa_connection_set_hosts(struct mpa_connection *mpa, const struct terminate_host host[2]);

enum mpa_phase mpa_connection_phase(const struct mpa_connection *mpa);
const struct mpa_parameters *mpa_connection_parameters(const struct mpa_connection *mpa);
/* True once MPA was recognised (by a startup frame or an FPDU stream). */
bool mpa_connection_is_mpa(const struct mpa_connection *mpa);

#endif
