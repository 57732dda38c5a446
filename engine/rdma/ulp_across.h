/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an upper layer judges across the connections of a capture. Each connection leaves a record (struct ulp_kind);
 * the kind keeps what it needs of these, and judges new ones against those before.
 */
#ifndef IWARP_ENGINE_RDMA_ULP_ACROSS_H
#define IWARP_ENGINE_RDMA_ULP_ACROSS_H

#include "engine/core/verdict.h"
#include "wire/endpoint.h"

struct addressed_segment;

/* Octets that were read back are not those that were written before. */
struct ulp_differs {
    const struct place *place; /* of what returned them */
    const char *words;         /* a sentence without its full stop */
};

/* Takes the verdicts on one connection. */
struct ulp_across_host {
    struct verdict *verdict;
    /* An earlier connection shows that the finding of this rule at this place was wrong; may be NULL. */
    void (*excuse)(void *ctx, enum rule_id rule, const struct place *place);
    /* No connection explains it; may be NULL. */
    void (*differs)(void *ctx, const struct ulp_differs *differs);
    void *ctx;
};

enum ulp_sought_how {
    ULP_SOUGHT_FOUND,
    ULP_SOUGHT_LACKING,    /* the program is not registered */
    ULP_SOUGHT_UNANSWERED, /* though asked again, for a second or more */
};

struct ulp_moment {
    uint32_t frame;
    int64_t time_ns;
};

/* What a client asked rpcbind for, and what rpcbind said. */
struct ulp_sought {
    enum ulp_sought_how how;
    bool rdma;                      /* for RDMA; else for what a mount over RDMA needs besides */
    char program[32];               /* "NFS version 4" */
    char transport[48];             /* "netid rdma" */
    struct endpoint client, server; /* the ports are 0 */
    uint32_t times;                 /* asked; more than once only if unanswered: */
    struct ulp_moment asked, asked_last;
    struct ulp_moment answered; /* unless unanswered */
    uint16_t port;              /* of what was found; 0: it is not known */
};

/* sought: valid during the call. */
struct ulp_sought_host {
    void (*tell)(void *ctx, const struct ulp_sought *sought);
    void *ctx;
};

/* What the host alone knows of a connection that has ended. */
struct ulp_life {
    struct endpoint endpoint[2]; /* by side */
    int64_t start_ns, end_ns;
};

struct ulp_across {
    /* NULL when memory is lacking. */
    void *(*begin)(void);
    void (*free)(void *across);
    /*
     * What was sent to or from port 111 (a TCP segment, or a UDP datagram in place of one), as it comes: before the
     * records of the connections that began after it.
     */
    void (*asked)(void *across, const struct addressed_segment *segment, bool tcp);
    /* What became of all that was asked so far. */
    void (*sought)(void *across, int64_t now_ns, const struct ulp_sought_host *host);
    /* To be called before a record is added. */
    void (*lived)(void *record, const struct ulp_life *life);
    /*
     * Judges a record against earlier ones and takes ownership of it. Records come in the order in which their
     * connections began. False: the record has been freed.
     */
    bool (*add)(void *across, void *record, const struct ulp_across_host *host);
    /* Once all records so far were added: what other connections, earlier or later, prove about this one. */
    void (*conclude)(void *across, const void *record, int64_t now_ns, const struct ulp_across_host *host);
    /* Bounds what is kept; pointers to records become invalid. */
    void (*trim)(void *across);
    /* Of a record that is not added. */
    void (*free_record)(void *record);
};

#endif
