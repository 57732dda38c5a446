/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The talker's connection: talk.c opens and ends it, talk_wire.c does so on our own TCP. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_CONNECTION_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_CONNECTION_H

#include "traffic-gen/tester/suite/watch/watch.h"

/* Carries an open connection that does not use TCP; from rpc_port. */
struct talk_carrier {
    /* Waits until everything sent has reached the device, or the connection is over. */
    bool (*has_arrived)(void *ctx, int64_t until);
    void (*hang_up)(void *ctx); /* also frees the carrier */
    void *ctx;
};

/* Properties of the next connection. */
struct talk_next {
    uint16_t mss;         /* TCP_MAXSEG; 0: the system's */
    bool crosses;         /* simultaneous open: only for an Initiator, with --wire */
    const uint8_t *early; /* octets of our SYN, with --wire; NULL: none */
    size_t n_early;
    uint64_t wraps_at; /* our stream's offset where sequence numbers wrap (--wire); 0: anywhere */
    unsigned window;   /* octets that we accept without reading them; 0: the system's */
};

/* Until a connection is open. */
struct talk_wait {
    int64_t patience; /* how long to wait for an Initiator; 0: as long as in the past, plus a margin */
    int open_error;   /* from talk_open() */
    bool waits;       /* talk_wait_to_listen() */
    bool queued;      /* the Initiator had connected before we waited for it */
};

struct talk_connection {
    int fd;                             /* -1: none */
    const struct talk_carrier *carrier; /* NULL: TCP, or none */
    struct watch *watch;
    guint findings_taken; /* number of the watch's findings that are handled */
    bool dut_fin, dut_reset, our_fin, our_reset;
    bool end_reported;   /* talk_hear() has returned FIN or RST */
    bool cut_short;      /* the network did not accept all octets of a talk_write() */
    bool flooded;        /* more than received_max: the case is over, whatever the device answers to our RST */
    uint64_t out_offset; /* octets sent */
    uint64_t in_offset;  /* octets received */
    GByteArray *in;      /* received; octets from `parsed` on were not returned yet */
    size_t parsed;
    uint64_t parsed_offset; /* in the stream */
};

#endif
