/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record that a connection leaves for later connections: engine/across judges each record against those of earlier
 * connections of the same two hosts. A record holds what was seen; what is missing in it proves nothing.
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_RECORD_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_RECORD_H

#include "engine/rpcrdma/rpcrdma.h"
#include "engine/rpcrdma/rpcrdma_objects.h"
#include "wire/endpoint.h"

enum {
    RPCRDMA_ACROSS_FIRST_CALLS = 32, /* the first Calls of a side are kept, with any outcome; */
    RPCRDMA_ACROSS_CALLS_MAX = 96,   /* later Calls are kept only if no Reply answered them */
    RPCRDMA_ACROSS_OFFERS_MAX = 64,  /* memory segments per record, the latest */
    RPCRDMA_ACROSS_STRAYS_MAX = 16,  /* accesses to memory that the connection did not offer */
    RPCRDMA_ACROSS_EMPTY_MAX = 8,    /* reported Sends without octets, the first */
};

/* A Call and its outcome. */
struct rpcrdma_across_call {
    uint32_t xid;
    uint8_t side; /* the caller */
    bool reverse;
    bool damaged;       /* octets were lost since the Call: it may have been answered */
    bool repeats;       /* the same Call was already outstanding on this connection */
    bool received;      /* the caller received the answer, as its later ACKs show */
    bool refused;       /* the caller refused an access to memory that the Call offers */
    bool refused_late;  /* the same, but the access was seen before the Call */
    bool succeeded;     /* the Reply says SUCCESS */
    bool request_known; /* the four fields below are valid */
    uint32_t program, version, procedure;
    uint64_t hash; /* of the request without the XID */
    struct rpcrdma_slot_use use;
    enum rpcrdma_outcome outcome;
    uint32_t error; /* RPCRDMA_FAILED: rdma_err */
    struct place call, answer;
};

struct rpcrdma_across_offer {
    uint8_t owner;
    uint32_t handle, xid;
    uint64_t from, to;
    uint32_t frame; /* of the Call */
};

struct rpcrdma_across_stray {
    uint8_t owner;
    bool write;
    bool served; /* a Read was answered; after a Write, the owner continued to send */
    bool refused;
    uint32_t handle;
    uint64_t from, to;
    uint64_t operation;
    struct place place, proof; /* proof: the frame that shows that the access was served */
};

enum {
    RPCRDMA_ACROSS_SHAPES = 8
}; /* bits of a set of Call shapes: a shape that was added is always found, another one hardly ever */

/* The outstanding Call that most likely made the responder end the connection. */
struct rpcrdma_across_cut {
    bool any, reported; /* reported: a finding about the Call exists */
    bool forgotten;     /* ended by a host that no longer knew the connection */
    enum rule_id rule;
    struct place place; /* of the end */
    unsigned shape;     /* in a set of shapes */
    struct rpcrdma_across_call call;
};

/* The client ended the connection after an answer that it should have tolerated. */
struct rpcrdma_across_drop {
    bool any;
    bool closed; /* closed in order, like a client that has finished; false: the client reset the connection */
    enum rule_id rule;
    struct place place, culprit; /* place of the reset; of the answer */
};

struct nfs_files;

struct rpcrdma_across_record {
    int client;           /* side; -1: unknown */
    int initiator_side;   /* -1: unknown */
    bool whole;           /* captured from its start, without a hole */
    bool served_unseen;   /* Calls of the client that the capture lacks were answered */
    bool refusals_unseen; /* as in struct rdma_terms */
    struct rpcrdma_across_call *calls;
    struct rpcrdma_across_offer *offers; /* a ring when n_offers exceeds RPCRDMA_ACROSS_OFFERS_MAX */
    struct rpcrdma_across_stray *strays; /* room for RPCRDMA_ACROSS_STRAYS_MAX; NULL: none */
    unsigned n_calls, calls_size, n_offers, offers_size, n_strays;
    bool callbacks;       /* a Call from the server was answered */
    bool callback_at_end; /* the server's last Send is a Call that was never answered */
    struct place callback;
    bool fin[2], reset[2]; /* by side */
    bool one_end;          /* the end is a DisconnectRequest, which ends both directions at once */
    bool refusal;          /* a Terminate or NAK ended the connection */
    uint8_t refused_by;    /* side */
    enum rdma_refusal_cause cause;
    struct place refusal_place, end[2];
    struct rpcrdma_across_cut cut;
    struct rpcrdma_across_drop drop;
    uint16_t tolerated;                     /* 1 + the rule of an answer that the client tolerated; 0: none */
    uint64_t served[RPCRDMA_ACROSS_SHAPES]; /* shapes of the client's Calls that a Reply answered */
    bool delegated;                         /* the client was granted recallable delegations on this connection */
    unsigned delegations;                   /* still held when the connection ended */
    struct place empty[RPCRDMA_ACROSS_EMPTY_MAX];
    unsigned n_empty;
    struct rpcrdma_across_objects objects; /* sessions and client ids */
    struct rpcrdma_across_refusals refusals;
    struct nfs_files *files; /* changes to files (engine/nfs/nfs.h), on the heap; NULL: none */
    bool recalled;           /* slots were recalled by CB_RECALL_SLOT; the time of the first recall follows */
    int64_t recalled_ns;
    /* Filled in by the host: */
    struct endpoint endpoint[2]; /* by side */
    int64_t start_ns, end_ns;
    uint32_t end_frame;
    struct rpcrdma_across_record *older, *newer; /* for engine/across only */
};

void rpcrdma_across_record_free(struct rpcrdma_across_record *record);

#endif
