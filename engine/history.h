/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What outlives a connection of RPC-over-RDMA: some rules bind across connections of a client and a server. Each
 * connection leaves a record (engine/rpcrdma_record.c); the history keeps the latest of each pair of addresses, and
 * judges every new one by those before it.
 *
 * Whatever is missing in a record proves nothing; what stands in it was seen.
 */
#ifndef IWARP_ENGINE_HISTORY_H
#define IWARP_ENGINE_HISTORY_H

#include "engine/rpcrdma.h"
#include "wire/endpoint.h"

enum {
    HISTORY_FIRST_CALLS = 32,  /* of a side: Calls that a record has, whatever became of them */
    HISTORY_CALLS_MAX = 96,    /* and those that were not answered by a Reply */
    HISTORY_OFFERS_MAX = 64,   /* segments of memory, the latest */
    HISTORY_STRAYS_MAX = 16,   /* accesses to memory that nothing of the connection offered */
    HISTORY_RECORDS_MAX = 8,   /* of a pair of addresses, the latest */
    HISTORY_PAIRS_MAX = 16384, /* the latest */
};

/* A Call and what became of it. */
struct history_call {
    uint32_t xid;
    uint8_t side; /* that calls */
    bool reverse;
    bool damaged;       /* octets were lost since: it may have been answered */
    bool again;         /* the same Call was outstanding on this connection already */
    bool received;      /* the answer, as what the caller sent later shows */
    bool refused;       /* the caller refused an access to memory that it offers */
    bool request_known; /* the three below */
    uint32_t program, version, procedure;
    uint64_t hash; /* of the request without its XID */
    enum rpcrdma_outcome outcome;
    uint32_t error; /* RPCRDMA_FAILED: rdma_err */
    struct place call, answer;
};

struct history_offer {
    uint8_t owner;
    uint32_t handle, xid;
    uint64_t from, to;
    uint32_t frame; /* of the Call */
};

struct history_stray {
    uint8_t owner;
    bool write;
    bool served; /* a Read that was answered; a Write behind which the owner's Sends went on */
    bool refused;
    uint32_t handle;
    uint64_t from, to;
    uint64_t operation;
    struct place place, proof; /* proof: of what shows that it was served */
};

struct history_record {
    int client;         /* side; -1 unknown */
    int initiator_side; /* -1 unknown */
    bool whole;         /* seen from its start on, without a hole */
    struct history_call *calls;
    struct history_offer *offers; /* a ring when n_offers exceeds HISTORY_OFFERS_MAX */
    struct history_stray *strays; /* room for HISTORY_STRAYS_MAX; NULL: none */
    unsigned n_calls, calls_size, n_offers, offers_size, n_strays;
    bool callbacks;       /* a Call of the server was answered */
    bool callback_at_end; /* the last Send of the server is a Call that nothing answered */
    struct place callback;
    bool fin[2], reset[2]; /* by side */
    bool refusal;          /* the connection was ended over something that was received: a Terminate, a NAK */
    uint8_t refused_by;    /* side */
    enum rdma_refusal_cause cause;
    struct place refusal_place, end[2];
    bool delegated;       /* the client was given delegations here, for which it can be called on this connection */
    unsigned delegations; /* that it still has when the connection ends */
    /* The host's: */
    struct endpoint endpoint[2]; /* by side */
    int64_t start_ns, end_ns;
    uint32_t end_frame;
    struct history_record *older, *newer; /* the history's own */
};

void history_record_free(struct history_record *record);

/* Who is told about a connection. */
struct history_host {
    struct verdict *verdict;
    /* A finding of this rule at this place was none, as an earlier connection shows; may be NULL. */
    void (*excuse)(void *ctx, enum rule_id rule, const struct place *place);
    void *ctx;
};

struct history;

/* NULL when memory is lacking. */
struct history *history_new(void);
void history_free(struct history *history);
/*
 * The record of a connection, in the order in which connections began; it is the history's from now on. Judges it.
 * False: it is of no use, and gone.
 */
bool history_add(struct history *history, struct history_record *record, const struct history_host *host);
/* After everything was added that is there: what other connections prove of this one, earlier and later ones. */
void history_conclude(const struct history *history, const struct history_record *record, int64_t now_ns,
                      const struct history_host *host);
/* Forgets what is beyond the bounds above. */
void history_trim(struct history *history);

#endif
