/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the talker: connection and octets (talk.c), start-up, sending, receiving, expectations. */
#ifndef IWARP_TRAFFIC_SUITE_TALK_TALK_INTERNAL_H
#define IWARP_TRAFFIC_SUITE_TALK_TALK_INTERNAL_H

#include "traffic-gen/ends/rpc_header.h"
#include "traffic-gen/say/conversation.h"
#include "traffic-gen/suite/result/result.h"
#include "traffic-gen/suite/talk/lateness.h"
#include "traffic-gen/suite/talk/nfs_run.h"
#include "traffic-gen/suite/talk/patience.h"
#include "traffic-gen/suite/talk/startup_terms.h"
#include "traffic-gen/suite/talk/talk.h"
#include "traffic-gen/suite/talk/watch.h"

#include <errno.h>

enum { TALK_FRAME_ROOM = 2048, TALK_DESCRIPTION = 512, TALK_RECEIVED_MAX = 8 << 20 };

struct reuse;

/* State that all cases of a run share. Knowledge about the DUT is set before the first case runs, or under the lock. */
struct talk_run {
    enum suite_dut dut;
    const char *host, *port; /* of a DUT that is a Responder */
    int listener;            /* for an Initiator to connect to; -1: the DUT is a Responder */
    /* How the RPC-over-RDMA suites reach the DUT (traffic-gen/suite/talk/rpc_port.h); NULL: MPA on TCP. */
    const struct rpc_port *rpc_port;
    struct rpc_listener *rpc_listener; /* for an Initiator, on rpc_port; NULL: none */
    char *rpc_device;                  /* description of rpc_port's device; set when the first connection is open */
    int64_t t_react, t_start, t_idle, t_accept;
    bool learns; /* the device is being learned: silences must be certain */
    struct patience patience;
    struct lateness *lateness; /* NULL: not measured */
    bool accept_given;         /* the user has set t_accept, so learning must not shorten it */
    int64_t t_recover;         /* how long a device may take to listen again */
    int64_t t_settle;          /* an Initiator's pause between the Reply and its first FPDU */
    unsigned jobs;             /* number of parallel cases; 0: 1 */
    uint64_t received_max;     /* most octets received in a case */
    struct watch_recorder *recorder;
    bool full_transcript;       /* --transcript=full */
    struct startup_given given; /* --mpa */
    bool vouched_default;       /* --default-configuration */
    unsigned services;          /* set of enum suite_need: --service */
    struct nfs_run nfs;
    /* Learned on the first connections. */
    struct startup_terms terms;
    struct endpoint device;
    bool lab;           /* knows "LABQ" */
    bool asks;          /* set earlier: a Send must ask for its memory on each connection */
    bool leaves;        /* closes soon after the start-up, whatever is sent */
    bool speaks_first;  /* an Initiator that begins with an FPDU */
    const char *layout; /* of its Terminates, if wrong (engine/terminate/terminate_layout.h); atomic */
    gint waited_ms;     /* longest wait for a connection of the device; atomic */
    enum talk_sign sign;
    unsigned signs;      /* all signs seen: set of 1 << enum talk_sign */
    gint checks;         /* checks between cases, on connections without errors; atomic, */
    gint closed_checks;  /* number of checks that the device closed, */
    gint failed_checks;  /* and that did not show it alive, although it was; */
    gint open_closes;    /* undecided checks: of closed_checks, */
    gint open_checks;    /* and of failed_checks */
    gint late_first;     /* loses, or reads late, octets that arrive right after its Reply; atomic */
    unsigned has;        /* set of enum suite_need: offered by its service */
    struct reuse *reuse; /* connections that are kept, and their pace (traffic-gen/suite/talk/reuse.h); NULL: neither */
};

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
    bool sure;               /* silences must be certain (traffic-gen/suite/talk/patience.h) */
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
/* The same for a new connection; from rpc_port. */
void talk_renew(struct talk *talk);
/* How long to wait for a connection: to a Responder, from an Initiator. */
int64_t talk_connect_time(const struct talk *talk);
int64_t talk_accept_time(const struct talk *talk);

/*
 * Finds run->sign and run->signs, on a connection in full operation and on others that it opens. If the DUT needs a
 * pause after its Reply, it gets one from then on (run->t_settle), unless the user has set it.
 */
enum talk_sign talk_learn_sign(struct talk *talk);
/* The DUT's start-up frame: for talk_frame(), talk_advert(). */
void talk_keep_frame(struct talk *talk, const struct talk_heard *heard);
/* The pause of an Initiator between the Reply and its first FPDU. */
int64_t talk_settle_time(const struct talk *talk);
/* Begins and ends the conversation of a connection. */
void talk_begin_saying(struct talk *talk);
void talk_end_saying(struct talk *talk);
enum role talk_role(const struct talk *talk); /* ours */
/* Opcodes for full operation that our side, or the DUT, uses. */
const struct mpa_framing *talk_framing(const struct talk *talk, bool ours);
/* The statement that asks for the sign, without the side; "": none. Sets the payload for it. */
const char *talk_question(struct talk *talk, enum talk_sign sign);
/* As Initiator: sends an RTR of one of these types (enum mpa_rtr). */
void talk_send_rtr(struct talk *talk, unsigned types);
/* Waits for octets, FIN or RST of the DUT until `until`. False when nothing came. */
bool talk_receive(struct talk *talk, int64_t until);
/* Adds a line to the ladder. octets may be NULL. */
void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption);
/* Notes what was received as an answer, unless it is due (talk_mark()). caption: a description. */
void talk_note_answer(struct talk *talk, const char *caption);
/* Describes octets of one side. */
void talk_caption(const struct talk *talk, bool ours, const uint8_t *p, size_t n, GString *out);

#endif
