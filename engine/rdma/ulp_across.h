/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges an upper layer across the connections of a capture. Each connection leaves a record (struct ulp_kind); the
 * kind keeps what it needs from the records, and judges new records against earlier ones.
 */
#ifndef IWARP_ENGINE_RDMA_ULP_ACROSS_H
#define IWARP_ENGINE_RDMA_ULP_ACROSS_H

#include "engine/core/verdict.h"
#include "wire/endpoint.h"

struct addressed_segment;

/* Octets that were read back differ from those written before. */
struct ulp_differs {
    const struct place *place; /* of the message that returned the octets */
    const char *words;         /* a sentence without its full stop */
};

/* Receives the verdicts on one connection. */
struct ulp_across_host {
    struct verdict *verdict;
    /* An earlier connection shows that this rule's finding at this place was wrong; may be NULL. */
    void (*excuse)(void *ctx, enum rule_id rule, const struct place *place);
    /* No connection explains the difference; may be NULL. */
    void (*differs)(void *ctx, const struct ulp_differs *differs);
    void *ctx;
};

enum ulp_sought_how {
    ULP_SOUGHT_FOUND,
    ULP_SOUGHT_LACKING,    /* the program is not registered */
    ULP_SOUGHT_UNANSWERED, /* although asked again, for a second or more */
};

struct ulp_moment {
    uint32_t frame;
    int64_t time_ns;
};

/* A client's question to rpcbind, and rpcbind's answer. */
struct ulp_sought {
    enum ulp_sought_how how;
    bool rdma;                      /* for RDMA; otherwise for something else that a mount over RDMA needs */
    char program[32];               /* "NFS version 4" */
    char transport[48];             /* "netid rdma" */
    struct endpoint client, server; /* the ports are 0 */
    uint32_t times;                 /* number of times asked; more than once only if unanswered */
    struct ulp_moment asked, asked_last;
    struct ulp_moment answered; /* unless unanswered */
    uint16_t port;              /* port in the answer; 0: unknown */
};

/* sought: valid during the call. */
struct ulp_sought_host {
    void (*tell)(void *ctx, const struct ulp_sought *sought);
    void *ctx;
};

/* What only the host knows about a connection that has ended. */
struct ulp_life {
    struct endpoint endpoint[2]; /* by side */
    int64_t start_ns, end_ns;
};

struct ulp_across {
    /* NULL when out of memory. */
    void *(*begin)(void);
    void (*free)(void *across);
    /*
     * A TCP segment, or a UDP datagram in place of one, to or from port 111. Called in order of arrival: before the
     * records of connections that began later.
     */
    void (*asked)(void *across, const struct addressed_segment *segment, bool tcp);
    /* Reports the outcome of all questions so far. */
    void (*sought)(void *across, int64_t now_ns, const struct ulp_sought_host *host);
    /* Call before a record is added. */
    void (*lived)(void *record, const struct ulp_life *life);
    /*
     * Judges a record against earlier records, and takes ownership of it. Records come in the order in which their
     * connections began. False: the record was freed.
     */
    bool (*add)(void *across, void *record, const struct ulp_across_host *host);
    /*
     * Call it after all records so far were added: applies what other connections, earlier or later, prove about this
     * connection.
     */
    void (*conclude)(void *across, const void *record, int64_t now_ns, const struct ulp_across_host *host);
    /* Limits the kept state; pointers to records become invalid. */
    void (*trim)(void *across);
    /* Frees a record that is not added. */
    void (*free_record)(void *record);
};

#endif
