/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The talker's state, for files that make talkers, carry their connections, or look at their results. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_STATE_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_STATE_H

#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/speak/say/conversation.h"
#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"
#include "traffic-gen/tester/suite/watch/watch.h"

enum { TALK_FRAME_ROOM = 2048, TALK_DESCRIPTION = 512 };

/* Carries an open connection that does not use TCP; from rpc_port. */
struct talk_carrier {
    /* Waits until everything sent has reached the device, or the connection is over. */
    bool (*has_arrived)(void *ctx, int64_t until);
    void (*hang_up)(void *ctx); /* also frees the carrier */
    void *ctx;
};

struct talk {
    struct talk_run *run;
    const struct suite_case *row; /* NULL: a connection for learning the DUT */
    struct case_result *result;
    int64_t began, deadline; /* monotonic, nanoseconds */
    unsigned longer;         /* factor for its waits for reactions */
    bool sure;               /* silences must be certain (traffic-gen/tester/suite/transport/patience.h) */
    uint16_t mss;            /* for the next connection: TCP_MAXSEG; 0: the system's */
    bool crosses;            /* simultaneous open on the next connection: only for an Initiator, with --wire */
    const uint8_t *early;    /* octets of our SYN, for the next connection, with --wire; NULL: none */
    size_t n_early;
    uint64_t
        wraps_at;     /* our stream's offset where sequence numbers wrap on the next connection (--wire); 0: anywhere */
    unsigned window;  /* octets that we accept without reading them, for the next connection; 0: the system's */
    int64_t patience; /* how long to wait for an Initiator; 0: as long as in the past, plus a margin */
    int open_error;   /* from talk_open() */
    bool waits;       /* talk_wait_to_listen() */
    bool queued;      /* the Initiator had connected before we waited for it */
    /* The connection. */
    int fd;                             /* -1: none */
    const struct talk_carrier *carrier; /* NULL: TCP, or none */
    struct watch *watch;
    guint findings_taken; /* number of the watch's findings that are handled */
    bool dut_fin, dut_reset, our_fin, our_reset;
    bool end_reported;     /* talk_hear() has returned FIN or RST */
    bool cut_short;        /* the network did not accept all octets of a talk_write() */
    uint64_t received_all; /* of all connections */
    bool flooded;          /* more than received_max: the case is over, whatever the device answers to our RST */
    uint64_t out_offset;   /* octets sent */
    uint64_t in_offset;    /* octets received */
    GByteArray *in;        /* received; octets from `parsed` on were not returned yet */
    size_t parsed;
    uint64_t parsed_offset; /* in the stream */
    /* Start-up. */
    struct {
        bool known;
        struct mpa_startup frame;
        uint8_t octets[TALK_FRAME_ROOM];
        size_t n;
    } startup[2]; /* by enum watch_side */
    bool operating, at_once;
    unsigned fpdus_heard, markers_heard;
    struct mpa_fpdu_scratch *scratch;
    struct advert advert;
    /* Our side of a conversation (talk_say.c): framing, CRC, MSNs. */
    struct stage *stage;
    struct conversation *said;
    const uint8_t *given; /* payload for the statement; NULL: the usual one */
    size_t given_n;
    bool left_out;                    /* the statement names memory that the device does not advertise */
    uint8_t null_call[RPC_NULL_SEND]; /* for probes */
    uint32_t null_xid;
    struct talk_heard heard;
    char description[TALK_DESCRIPTION];
    /* Since talk_mark(): due messages (a set of enum talk_due); the DUT's Send is incomplete; the answer. */
    unsigned due;
    bool in_pieces;
    char answer[TALK_DESCRIPTION];
    struct rdmap_terminate ended_by; /* the DUT's Terminate, by its layout */
    bool has_ended_by;
};

/* longer: 1, or more when a case is repeated. */
void talk_init(struct talk *talk, struct talk_run *run, const struct suite_case *row, unsigned longer,
               struct case_result *result);
/* Ends the connection, if any, in order, and collects the engine's findings. */
void talk_hang_up(struct talk *talk);
void talk_clear(struct talk *talk);
/* Collects the engine's findings so far, for a case that leaves its connection to another case. */
void talk_take_findings(struct talk *talk);
/* Copies the members of the case: those that no connection has. */
void talk_take_case(struct talk *to, const struct talk *from);
/* Ends the connection, and prepares the talker for a new one. */
void talk_renew(struct talk *talk);
/* How long to wait for a connection: to a Responder, from an Initiator. */
int64_t talk_connect_time(const struct talk *talk);
int64_t talk_accept_time(const struct talk *talk);
/* The pause of an Initiator between the Reply and its first FPDU. */
int64_t talk_settle_time(const struct talk *talk);
/* Whether the sign can be requested on this connection, and whether this is the answer. */
bool talk_can_ask(const struct talk *talk, enum talk_sign sign);
bool talk_is_sign(const struct talk *talk, enum talk_sign sign, const struct talk_heard *heard);
/* Adds a line to the ladder. octets may be NULL. */
void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption);
/* The DUT's start-up frame: for talk_frame() and talk->advert. */
void talk_keep_frame(struct talk *talk, const struct talk_heard *heard);
/* Opcodes for full operation that our side, or the DUT, uses. */
const struct mpa_framing *talk_framing(const struct talk *talk, bool ours);
/* As Initiator: sends an RTR of one of these types (enum mpa_rtr). */
void talk_send_rtr(struct talk *talk, unsigned types);

#endif
