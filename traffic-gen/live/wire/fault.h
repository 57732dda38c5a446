/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TCP with one fault, so that a test of devices on their own TCP can fail. */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_FAULT_H
#define IWARP_TRAFFIC_LIVE_WIRE_FAULT_H

enum wire_fault {
    WIRE_FAULT_NONE,
    WIRE_FAULT_ORDER,      /* accepts octets in the order in which segments arrive */
    WIRE_FAULT_AGAIN,      /* accepts the octets of a repeated segment again */
    WIRE_FAULT_OVERLAP,    /* accepts all octets of a segment with some new ones */
    WIRE_FAULT_KEEP_ALIVE, /* accepts the octet of a keep-alive as new */
    WIRE_FAULT_CHECKSUM,   /* ignores checksums */
    WIRE_FAULT_WINDOW,     /* accepts octets outside its window */
    WIRE_FAULT_RESET,      /* accepts every RST */
    WIRE_FAULT_SYN,        /* resets a connection when its SYN is repeated */
    WIRE_FAULT_SHORT,      /* acknowledges and loses segments below WIRE_SHORT octets */
    WIRE_FAULT_CONGESTION, /* acknowledges and loses packets marked by congestion */
    WIRE_FAULT_STALL,      /* stops sending after a window was closed */
    WIRE_FAULT_PATH,       /* resets a connection when the path MTU becomes smaller */
    WIRE_FAULT_SHRINK,     /* loses an unsent octet when the path MTU becomes smaller */
    WIRE_FAULT_URGENT,     /* loses the octet at the urgent pointer, with or without URG */
    WIRE_FAULT_SYN_DATA,   /* acknowledges and loses octets in a SYN */
    WIRE_FAULT_WRAP,       /* acknowledges and loses a segment in which sequence numbers wrap */
    WIRE_FAULT_CROSSED,    /* begins its stream an octet too late after a simultaneous open */
};

enum { WIRE_SHORT = 20 };

/* By its name ("order"); NONE: unknown name. */
enum wire_fault wire_fault_find(const char *name);
/* The name of a fault by number, from 0; NULL after the last. */
const char *wire_fault_name(unsigned index);

#endif
