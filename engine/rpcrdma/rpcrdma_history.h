/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What outlives an RPC-over-RDMA connection: some rules bind across the connections of a client and a server. Each
 * connection leaves a record (engine/rpcrdma/rpcrdma_record.c); the history keeps the latest records of each pair of
 * addresses and judges every new one against those before it.
 *
 * What a record holds was seen; what it lacks proves nothing.
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_HISTORY_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_HISTORY_H

#include "engine/packet/addressed.h"
#include "engine/rdma/ulp_across.h"
#include "engine/rpcrdma/rpcrdma.h"
#include "engine/rpcrdma/rpcrdma_history_objects.h"
#include "wire/endpoint.h"

enum {
    RPCRDMA_HISTORY_FIRST_CALLS = 32,  /* the first Calls of a side are kept, whatever became of them; */
    RPCRDMA_HISTORY_CALLS_MAX = 96,    /* later ones only if no Reply answered them */
    RPCRDMA_HISTORY_OFFERS_MAX = 64,   /* memory segments per record, the latest */
    RPCRDMA_HISTORY_STRAYS_MAX = 16,   /* accesses to memory that nothing on the connection offered */
    RPCRDMA_HISTORY_EMPTY_MAX = 8,     /* Sends of no octets that were reported, the first */
    RPCRDMA_HISTORY_RECORDS_MAX = 8,   /* per pair of addresses, the latest */
    RPCRDMA_HISTORY_PAIRS_MAX = 16384, /* the latest */
};

/* A Call and what became of it. */
struct rpcrdma_history_call {
    uint32_t xid;
    uint8_t side; /* the caller */
    bool reverse;
    bool damaged;       /* octets were lost since: it may have been answered */
    bool repeats;       /* the same Call was already outstanding on this connection */
    bool received;      /* the caller received the answer, as its later ACKs show */
    bool refused;       /* the caller refused an access to memory that the Call offers */
    bool refused_late;  /* the same, but the access was seen before the Call */
    bool succeeded;     /* the Reply says SUCCESS */
    bool request_known; /* the four fields below are valid */
    uint32_t program, version, procedure;
    uint64_t hash; /* of the request without its XID */
    struct rpcrdma_slot_use use;
    enum rpcrdma_outcome outcome;
    uint32_t error; /* RPCRDMA_FAILED: rdma_err */
    struct place call, answer;
};

struct rpcrdma_history_offer {
    uint8_t owner;
    uint32_t handle, xid;
    uint64_t from, to;
    uint32_t frame; /* of the Call */
};

struct rpcrdma_history_stray {
    uint8_t owner;
    bool write;
    bool served; /* a Read that was answered; a Write after which the owner went on sending */
    bool refused;
    uint32_t handle;
    uint64_t from, to;
    uint64_t operation;
    struct place place, proof; /* proof: the frame that shows it was served */
};

enum {
    RPCRDMA_HISTORY_SHAPES = 8
}; /* words of a set of shapes of Calls: equal ones are always in it, others hardly ever */

/* A Call that was outstanding when the responder ended the connection: the one that most likely was the reason. */
struct rpcrdma_history_cut {
    bool any, reported; /* reported: there is a finding about it */
    bool forgotten;     /* by a host that knew nothing of the connection any more */
    enum rule_id rule;
    struct place place; /* of the end */
    unsigned shape;     /* in a set of shapes */
    struct rpcrdma_history_call call;
};

/* The client ended the connection after an answer that it should have put up with. */
struct rpcrdma_history_drop {
    bool any;
    bool closed; /* as when there is no more to do; false: it reset the connection */
    enum rule_id rule;
    struct place place, culprit; /* of the reset, of the answer */
};

struct nfs_files;

struct rpcrdma_history_record {
    int client;         /* side; -1: unknown */
    int initiator_side; /* -1: unknown */
    bool whole;         /* captured from its start, without a hole */
    bool served_unseen; /* Calls of the client were answered that the capture lacks */
    struct rpcrdma_history_call *calls;
    struct rpcrdma_history_offer *offers; /* a ring when n_offers exceeds RPCRDMA_HISTORY_OFFERS_MAX */
    struct rpcrdma_history_stray *strays; /* room for RPCRDMA_HISTORY_STRAYS_MAX; NULL: none */
    unsigned n_calls, calls_size, n_offers, offers_size, n_strays;
    bool callbacks;       /* a Call of the server was answered */
    bool callback_at_end; /* the server's last Send is a Call that was never answered */
    struct place callback;
    bool fin[2], reset[2]; /* by side */
    bool one_end;          /* fin: a DisconnectRequest, which ends both directions at once */
    bool refusal;          /* a Terminate or NAK ended the connection */
    uint8_t refused_by;    /* side */
    enum rdma_refusal_cause cause;
    struct place refusal_place, end[2];
    struct rpcrdma_history_cut cut;
    struct rpcrdma_history_drop drop;
    uint16_t tolerated;                      /* 1 + the rule of an answer after which the client went on; 0: none */
    uint64_t served[RPCRDMA_HISTORY_SHAPES]; /* shapes of the Calls of the client that a Reply answered */
    bool delegated;       /* the client was granted delegations that can be recalled on this connection */
    unsigned delegations; /* still held when the connection ended */
    struct place empty[RPCRDMA_HISTORY_EMPTY_MAX];
    unsigned n_empty;
    struct rpcrdma_history_objects objects; /* of sessions and client ids */
    struct rpcrdma_history_refusals refusals;
    struct nfs_files *files; /* what it did to them (engine/nfs/nfs.h), on the heap; NULL: nothing */
    bool recalled;           /* slots, by CB_RECALL_SLOT; the first time at: */
    int64_t recalled_ns;
    /* Filled in by the host: */
    struct endpoint endpoint[2]; /* by side */
    int64_t start_ns, end_ns;
    uint32_t end_frame;
    struct rpcrdma_history_record *older, *newer; /* used by the history alone */
};

void rpcrdma_history_record_free(struct rpcrdma_history_record *record);

struct rpcrdma_history;

/* NULL when memory is lacking. */
struct rpcrdma_history *rpcrdma_history_new(void);
void rpcrdma_history_free(struct rpcrdma_history *history);
/*
 * What was sent to or from port 111 (a TCP segment, or a UDP datagram in place of one), as it comes: before the records
 * of the connections that began after it. What a client asks rpcbind, and the answers, are remembered of the pair of
 * addresses.
 */
void rpcrdma_history_rpcbind(struct rpcrdma_history *history, const struct addressed_segment *segment, bool tcp);
/* Of each pair of addresses, the oldest first: what rpcbind told the client of NFS for RDMA, and of MOUNT. */
void rpcrdma_history_sought(const struct rpcrdma_history *history, int64_t now_ns, const struct ulp_sought_host *host);
/*
 * Judges a connection's record against earlier ones and takes ownership of it. Records come in the order in which their
 * connections began. False: the record has been freed, as its client is unknown or memory is lacking.
 */
bool rpcrdma_history_add(struct rpcrdma_history *history, struct rpcrdma_history_record *record,
                         const struct ulp_across_host *host);
/* Once all records so far were added: what other connections, earlier or later, prove about this one, which was added.
 */
void rpcrdma_history_conclude(struct rpcrdma_history *history, const struct rpcrdma_history_record *record,
                              int64_t now_ns, const struct ulp_across_host *host);
/* Frees the oldest records and pairs beyond the bounds above; pointers to them become invalid. */
void rpcrdma_history_trim(struct rpcrdma_history *history);

#endif
