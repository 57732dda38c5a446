/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the talker share: connection and octets (talk.c), start-up, saying, hearing, expectations. */
#ifndef IWARP_TRAFFIC_SUITE_TALK_INTERNAL_H
#define IWARP_TRAFFIC_SUITE_TALK_INTERNAL_H

#include "traffic-gen/suite/nfs_run.h"
#include "traffic-gen/suite/result.h"
#include "traffic-gen/suite/startup_terms.h"
#include "traffic-gen/suite/talk.h"
#include "traffic-gen/suite/watch.h"

#include <errno.h>

enum { TALK_QUEUES = 4, TALK_FRAME_ROOM = 2048, TALK_DESCRIPTION = 512, TALK_RECEIVED_MAX = 4 << 20 };

/* What all tests of a run share. What is learnt of the DUT is set before the first test runs, or under the lock. */
struct talk_run {
    enum suite_dut dut;
    const char *host, *port; /* of the DUT that is a Responder */
    int listener;            /* where the DUT connects to; -1: it is the Responder */
    int64_t t_react, t_start, t_idle, t_accept;
    int64_t t_recover;     /* that a device may take until it listens again */
    int64_t t_settle;      /* pause of an Initiator between the Reply and its first FPDU */
    unsigned jobs;         /* cases at the same time; 0: 1 */
    uint64_t received_max; /* octets of a test */
    struct watch_recorder *recorder;
    bool full_transcript;       /* --transcript=full */
    struct startup_given given; /* --mpa */
    bool vouched_default;       /* --default-configuration */
    unsigned services;          /* set of enum suite_need that the user vouches for */
    struct nfs_run nfs;
    /* What the first connections showed. */
    struct startup_terms terms;
    struct endpoint device;
    bool lab;           /* it knows "LABQ" */
    bool asks;          /* set before: its memory is asked for in a Send, on each connection */
    bool leaves;        /* it closes soon after the start-up, whatever is said */
    bool speaks_first;  /* an Initiator that begins with an FPDU */
    const char *layout; /* of its Terminates, when that is wrong (engine/rdmap_terminate_layout.h); atomic */
    gint waited_ms;     /* longest that a connection of it was waited for; atomic */
    enum talk_sign sign;
    unsigned signs;  /* all that were seen: set of 1 << enum talk_sign */
    gint late_first; /* what comes right after its Reply waits for what comes next, or is lost; atomic */
    unsigned has;    /* set of enum suite_need */
};

struct talk {
    struct talk_run *run;
    const struct suite_case *row; /* NULL: the connection that learns what the DUT is */
    struct case_result *result;
    int64_t began, deadline; /* monotonic, nanoseconds */
    uint16_t mss;            /* for the next connection: TCP_MAXSEG; 0: the system's */
    int64_t patience;        /* with an Initiator that is to connect; 0: what it has taken so far, with a margin */
    int open_error;          /* of talk_open() */
    bool queued;             /* the connection of an Initiator had been there before it was waited for */
    /* The connection. */
    int fd; /* -1: none */
    struct watch *watch;
    bool dut_fin, dut_reset, our_fin, our_reset;
    bool told_end;         /* FIN or RST was told by talk_hear() */
    bool cut_short;        /* not all of a talk_write() was taken by the network */
    uint64_t received_all; /* of all connections */
    uint64_t out_offset;   /* octets sent */
    uint64_t in_offset;    /* octets received */
    GByteArray *in;        /* received: from `parsed` on not told yet */
    size_t parsed;
    uint64_t parsed_offset; /* in the stream */
    bool partial_told;      /* what is left was told as garbage, before the end */
    /* Start-up. */
    struct {
        bool known;
        struct mpa_startup frame;
        uint8_t octets[TALK_FRAME_ROOM];
        size_t n;
    } startup[2]; /* by enum watch_side */
    bool operating, at_once;
    unsigned fpdus_heard, markers_heard;
    bool crc;
    struct mpa_framing framing_in, framing_out;
    struct mpa_fpdu_scratch *scratch;
    struct advert advert;
    /* DDP. */
    uint32_t msn[TALK_QUEUES];
    uint8_t last_header[DDP_UNTAGGED_HEADER_LEN]; /* of the segment sent last */
    size_t last_header_n;
    uint32_t null_xid; /* of the NULL Call that asks for life */
    struct talk_heard heard;
    char description[TALK_DESCRIPTION];
};

void talk_init(struct talk *talk, struct talk_run *run, const struct suite_case *row, struct case_result *result);
/* Ends the connection, if there is one, in an orderly way, and takes what the engine has found. */
void talk_hang_up(struct talk *talk);
void talk_clear(struct talk *talk);

/*
 * On a connection in full operation, and on others that it opens: what run->sign is to be; all the signs become
 * run->signs. A DUT that needs a pause after its Reply gets one from then on (run->t_settle), unless the user has set
 * it.
 */
enum talk_sign talk_learn_sign(struct talk *talk);
/* The pause of an Initiator between the Reply and its first FPDU. */
int64_t talk_settle_time(const struct talk *talk);
/* As Initiator: an RTR of one of these types (enum mpa_rtr). */
void talk_send_rtr(struct talk *talk, unsigned types);
/* Waits for octets, FIN or RST of the DUT, at most until `until`. False when nothing came. */
bool talk_receive(struct talk *talk, int64_t until);
/* A line of the ladder. octets may be NULL. */
void talk_note(struct talk *talk, bool ours, const uint8_t *octets, size_t n, const char *caption);
/* Octets of one side in words; in_operation: FPDUs. */
void talk_caption(const struct talk *talk, bool ours, const uint8_t *p, size_t n, GString *out);

#endif
