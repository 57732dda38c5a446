/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The talker's connection: talk.c opens and ends it, talk_wire.c does so on our own TCP. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_CONNECTION_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_TALK_CONNECTION_H

#include "traffic-gen/tester/suite/talk/talk_port.h"
#include "traffic-gen/tester/suite/watch/watch.h"

struct talk_connection {
    int fd;                             /* -1: none */
    const struct talk_carrier *carrier; /* NULL: TCP, or none */
    struct watch *watch;
    guint findings_taken; /* number of the watch's findings that are handled */
    bool dut_fin, dut_reset, our_fin, our_reset;
    bool end_reported;   /* talk_hear() has returned FIN or RST */
    bool cut_short;      /* the network did not accept all octets of a talk_write() */
    uint64_t out_offset; /* octets sent */
    uint64_t in_offset;  /* octets received */
    GByteArray *in;      /* received; octets from `parsed` on were not returned yet */
    size_t parsed;
    uint64_t parsed_offset; /* in the stream */
};

#endif
