/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the talker share: connection and octets (talk.c), start-up, sending, hearing, expectations. */
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

/* What all cases of a run share. What is learnt about the DUT is set before the first case runs, or under the lock. */
struct talk_run {
    enum suite_dut dut;
    const char *host, *port; /* of a DUT that is a Responder */
    int listener;            /* where an Initiator connects to; -1: the DUT is a Responder */
    /* How the RPC-over-RDMA suites reach it (traffic-gen/suite/talk/rpc_port.h); NULL: MPA on TCP. */
    const struct rpc_port *rpc_port;
    struct rpc_listener *rpc_listener; /* of an Initiator, on rpc_port; NULL: none */
    char *rpc_device;                  /* what rpc_port goes through, in words; set when the first connection is open */
    int64_t t_react, t_start, t_idle, t_accept;
    bool learns; /* it is being learnt what the device is: each silence has to be sure */
    struct patience patience;
    struct lateness *lateness; /* NULL: not measured */
    bool accept_given;         /* t_accept is the user's, not a default that what was learnt may shorten */
    int64_t t_recover;         /* how long a device may take until it listens again */
    int64_t t_settle;          /* pause of an Initiator between the Reply and its first FPDU */
    unsigned jobs;             /* cases at the same time; 0: 1 */
    uint64_t received_max;     /* octets received in a case */
    struct watch_recorder *recorder;
    bool full_transcript;       /* --transcript=full */
    struct startup_given given; /* --mpa */
    bool vouched_default;       /* --default-configuration */
    unsigned services;          /* set of enum suite_need: --service */
    struct nfs_run nfs;
    /* Learnt on the first connections. */
    struct startup_terms terms;
    struct endpoint device;
    bool lab;           /* it knows "LABQ" */
    bool asks;          /* set before: its memory has to be asked for in a Send, on each connection */
    bool leaves;        /* it closes soon after the start-up, whatever is sent */
    bool speaks_first;  /* an Initiator that begins with an FPDU */
    const char *layout; /* of its Terminates, when it is wrong (engine/terminate/terminate_layout.h); atomic */
    gint waited_ms;     /* longest wait for one of its connections; atomic */
    enum talk_sign sign;
    unsigned signs;      /* all that were seen: set of 1 << enum talk_sign */
    gint checks;         /* connections with nothing odd, between cases; atomic, */
    gint closed_checks;  /* and those of them that it closed, */
    gint failed_checks;  /* and those that did not show it alive, although it was; */
    gint open_closes;    /* of which that is not known yet: of the former, */
    gint open_checks;    /* and of the latter */
    gint late_first;     /* it loses what arrives right after its Reply, or looks at it late; atomic */
    unsigned has;        /* set of enum suite_need: what its service offers */
    struct reuse *reuse; /* connections that go on, and their pace (traffic-gen/suite/talk/reuse.h); NULL: neither */
};

/* What carries a connection that is none of TCP, as long as it is open; of rpc_port. */
struct talk_carrier {
    /* What was sent has reached the device, or never will: the connection is over. Waits until then. */
    bool (*has_arrived)(void *ctx, int64_t until);
    void (*hang_up)(void *ctx); /* and the carrier is gone */
    void *ctx;
};

struct talk {
    struct talk_run *run;
    const struct suite_case *row; /* NULL: a connection that learns what the DUT is */
    struct case_result *result;
    int64_t began, deadline; /* monotonic, nanoseconds */
    unsigned longer;         /* than usual it waits for reactions, this many times */
    bool sure;               /* a silence has to be sure (traffic-gen/suite/talk/patience.h) */
    uint16_t mss;            /* for the next connection: TCP_MAXSEG; 0: the system's */
    bool crosses;            /* the next connection is opened by both ends at once: only of an Initiator, with --wire */
    const uint8_t *early;    /* octets of our SYN, for the next connection, with --wire; NULL: none */
    size_t n_early;
    uint64_t wraps_at; /* of our stream, where sequence numbers wrap on the next connection, with --wire; 0: anywhere */
    unsigned window;   /* octets that we take without reading them, for the next connection; 0: the system's */
    int64_t patience;  /* how long to wait for an Initiator; 0: as long as it has taken so far, plus a margin */
    int open_error;    /* of talk_open() */
    bool waits;        /* talk_wait_to_listen() */
    bool queued;       /* the Initiator had connected before it was waited for */
    /* The connection. */
    int fd;                             /* -1: none */
    const struct talk_carrier *carrier; /* NULL: TCP, or none */
    struct watch *watch;
    guint findings_taken; /* of the watch */
    bool dut_fin, dut_reset, our_fin, our_reset;
    bool end_reported;     /* talk_hear() has returned FIN or RST */
    bool cut_short;        /* the network did not accept all of a talk_write() */
    uint64_t received_all; /* of all connections */
    bool flooded;          /* more than received_max: the case is over, whatever the device says to our RST */
    uint64_t out_offset;   /* octets sent */
    uint64_t in_offset;    /* octets received */
    GByteArray *in;        /* received: from `parsed` on not yet returned */
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
    /* What is said: one side of it ours (talk_say.c). Framing, CRC, MSNs. */
    struct stage *stage;
    struct conversation *said;
    const uint8_t *given; /* payload of the statement; NULL: the usual one */
    size_t given_n;
    bool left_out;                    /* it names memory that the device does not advertise */
    uint8_t null_call[RPC_NULL_SEND]; /* that probes */
    uint32_t null_xid;
    struct talk_heard heard;
    char description[TALK_DESCRIPTION];
    /* Since talk_mark(): what is no answer, a set of enum talk_due; a Send of the DUT is not complete; the answer. */
    unsigned due;
    bool in_pieces;
    char answer[TALK_DESCRIPTION];
    struct rdmap_terminate ended_by; /* the DUT's Terminate, as it was meant */
    bool has_ended_by;
};

/* longer: 1, or more when a case is tried again. */
void talk_init(struct talk *talk, struct talk_run *run, const struct suite_case *row, unsigned longer,
               struct case_result *result);
/* Ends the connection, if any, in an orderly way, and collects the engine's findings. */
void talk_hang_up(struct talk *talk);
void talk_clear(struct talk *talk);
/* What the engine has found so far, for a case that leaves its connection to another one. */
void talk_take_findings(struct talk *talk);
/* The same, for a new connection; of rpc_port. */
void talk_renew(struct talk *talk);
/* How long to wait for a connection: that we make, that an Initiator makes. */
int64_t talk_connect_time(const struct talk *talk);
int64_t talk_accept_time(const struct talk *talk);

/*
 * Finds run->sign and run->signs, on a connection in full operation and on others that it opens. A DUT that needs a
 * pause after its Reply is given one from then on (run->t_settle), unless the user has set it.
 */
enum talk_sign talk_learn_sign(struct talk *talk);
/* The start-up frame of the DUT that was heard: talk_frame(), talk_advert(). */
void talk_keep_frame(struct talk *talk, const struct talk_heard *heard);
/* The pause of an Initiator between the Reply and its first FPDU. */
int64_t talk_settle_time(const struct talk *talk);
/* Begins and ends the conversation of a connection. */
void talk_begin_saying(struct talk *talk);
void talk_end_saying(struct talk *talk);
enum role talk_role(const struct talk *talk); /* ours */
/* What our side, or the DUT, sends in full operation. */
const struct mpa_framing *talk_framing(const struct talk *talk, bool ours);
/* The statement that asks for the sign, without the side; "": there is none. Sets the payload that it is said with. */
const char *talk_question(struct talk *talk, enum talk_sign sign);
/* As Initiator: an RTR of one of these types (enum mpa_rtr). */
void talk_send_rtr(struct talk *talk, unsigned types);
/* Waits for octets, FIN or RST of the DUT, at most until `until`. False when nothing came. */
bool talk_receive(struct talk *talk, int64_t until);
/* Adds a line to the ladder. octets may be NULL. */
void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption);
/* What was heard is an answer, if it is none of what is due (talk_mark()). caption: what it is, in words. */
void talk_note_answer(struct talk *talk, const char *caption);
/* Describes octets of one side. */
void talk_caption(const struct talk *talk, bool ours, const uint8_t *p, size_t n, GString *out);

#endif
