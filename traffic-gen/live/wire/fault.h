/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TCP that does one thing wrong, so that a test of devices on their own TCP can fail. */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_FAULT_H
#define IWARP_TRAFFIC_LIVE_WIRE_FAULT_H

enum wire_fault {
    WIRE_FAULT_NONE,
    WIRE_FAULT_ORDER,      /* takes octets in the order in which segments arrive */
    WIRE_FAULT_AGAIN,      /* takes the octets of a segment that it has had, once more */
    WIRE_FAULT_OVERLAP,    /* takes all octets of a segment that has some new ones */
    WIRE_FAULT_KEEP_ALIVE, /* takes the octet of a keep-alive for a new one */
    WIRE_FAULT_CHECKSUM,   /* does not look at checksums */
    WIRE_FAULT_WINDOW,     /* takes octets from outside its window */
    WIRE_FAULT_RESET,      /* believes every RST */
    WIRE_FAULT_SYN,        /* resets a connection whose SYN comes again */
    WIRE_FAULT_SHORT,      /* loses segments below WIRE_SHORT octets, which it acknowledges */
    WIRE_FAULT_CONGESTION, /* loses what met congestion, which it acknowledges */
    WIRE_FAULT_STALL,      /* sends nothing any more once a window was closed */
    WIRE_FAULT_PATH,       /* resets a connection whose path becomes narrower */
    WIRE_FAULT_SHRINK,     /* loses an octet of what waits to be sent when the path becomes narrower */
    WIRE_FAULT_URGENT,     /* loses the octet that an urgent pointer is about, with URG or without */
    WIRE_FAULT_SYN_DATA,   /* acknowledges octets in a SYN, and loses them */
    WIRE_FAULT_WRAP,       /* loses a segment in which sequence numbers wrap, which it acknowledges */
    WIRE_FAULT_CROSSED,    /* begins its stream an octet too late when both ends have opened at once */
};

enum { WIRE_SHORT = 20 };

/* By its name ("order"); NONE: there is no such fault. */
enum wire_fault wire_fault_find(const char *name);
/* The name of a fault by number, from 0; NULL after the last. */
const char *wire_fault_name(unsigned index);

#endif
