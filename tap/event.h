/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF programs (tap/bpf/) report: the ring buffer holds records in the order in which the probes ran on all
 * processors. A record is a struct tap_event followed by `n` octets. Producer and consumer run on one machine, so
 * numbers are in its byte order. Octets come in blocks of at most TAP_BLOCK octets, because a BPF program has no room
 * for more. Blocks of one item have the same `connection`, `of` and kind, and are in order, but blocks of other items
 * may be between them. With a snap length, `n` of a block is less than its `length`. A Send that the host posts
 * consists of the block or blocks of its head (TAP_HEAD, with the whole length in `total`) and of the rest (TAP_BODY),
 * which the server's kernel maps before the head exists, and the client's after it.
 */
#ifndef IWARP_TAP_EVENT_H
#define IWARP_TAP_EVENT_H

#include <linux/types.h>

enum { TAP_BLOCK = 4096, TAP_SOCKADDR = 28, TAP_PRIVATE_MAX = 196 };

enum tap_kind {
    /* Setup and end. Octets: private data; ird and ord as in the event of the connection manager. */
    TAP_CONNECT = 1, /* the host asks */
    TAP_ASKED,       /* the peer asks */
    TAP_ACCEPT,      /* the host accepts */
    TAP_ACCEPTED,    /* the peer accepts */
    TAP_REJECTED,    /* the peer refuses; status: its reason */
    TAP_LEAVE,       /* the host ends the connection */
    TAP_LEFT,        /* the connection has ended for the host, by either side */
    TAP_GONE,        /* the kernel forgets the connection */
    /* Sends */
    TAP_HEAD,
    TAP_BODY,
    TAP_SENT, /* the adapter has finished a posted Send; status 0: the peer has it (on iWARP, perhaps) */
    TAP_RECEIVED,
    /* Chunks that the server moves: one segment each, with handle, address and total. */
    TAP_WRITE,       /* with the octets */
    TAP_READ,        /* begins */
    TAP_READ_OCTETS, /* octets of the segment with the same `of`; the last record has none */
    /* Chunks in the client's memory; `of`: the XID, with its four octets as in memory. */
    TAP_EXPOSED, /* by the following Call: what the server will read */
    TAP_WRITTEN, /* by the server, before the received Reply; the last record has no octets, or is marked */
    TAP_KINDS
};

struct tap_event {
    __u64 time_ns;    /* CLOCK_MONOTONIC */
    __u64 connection; /* a number that is unique among the connections at a time */
    __u64 of;         /* identifies the item within connection and kind */
    __u64 address;    /* RFC 8166's offset */
    __u32 kind;       /* enum tap_kind */
    __u32 n;          /* octets that follow */
    __u32 length;     /* octets that they represent */
    __u32 total;      /* length of the whole Send or segment */
    __u32 handle;     /* of the segment; TAP_HEAD, TAP_RECEIVED: with `invalidates` */
    __s32 status;
    __u8 server; /* the host is the server */
    __u8 first;  /* the first block of its kind; TAP_BODY: not used */
    __u8 invalidates;
    __u8 last;     /* TAP_WRITTEN: the last record, although it has octets */
    __u8 ird, ord; /* the largest number of Reads that the sender of the private data serves, and has outstanding */
    __u8 pad[2];
    __u32 lost, unused; /* lost: number of records that are missing so far */
    /*
     * struct sockaddr_in or sockaddr_in6. Zero in records of Sends and chunks if an earlier record of the connection
     * had them.
     */
    __u8 local[TAP_SOCKADDR], peer[TAP_SOCKADDR];
};

#endif
