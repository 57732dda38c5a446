/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the NFS binding, private to its files (nfs_*.c). A Call or Reply with a complete payload goes to each rule
 * family that it concerns; nfs_sessions.c records the terms of each session. A Call whose payload the RPC-over-RDMA
 * layer could not read (`misread`) is not judged again.
 */
#ifndef IWARP_ENGINE_NFS_NFS_INTERNAL_H
#define IWARP_ENGINE_NFS_NFS_INTERNAL_H

#include "engine/nfs/nfs.h"

enum {
    NFS_SESSION_ID_LEN = 16,
    NFS_SESSIONS_MAX = 8,
    NFS_FAILURES_MAX = 16,
    NFS_SLOTS_MAX = 8,
    NFS_TURNS_MAX = 64,
    NFS_MINOR_MAX = 31,          /* also stands for all higher minor versions */
    NFS_CHUNK_SEGMENTS_MAX = 16, /* what every server must accept: RFC 8267 section 6.4.2 */
};

/* Channel attributes of a session that was created on this connection (RFC 8881 section 18.36); 0: unknown. */
struct nfs_limits {
    uint32_t fore_maxresponse;
    uint32_t back_maxrequest; /* as the client asked: limits what the client must accept */
    uint32_t back_maxresponse;
};

struct nfs_session {
    uint8_t id[NFS_SESSION_ID_LEN];
    uint32_t frame; /* of the Call that created it */
    struct nfs_limits limits;
};

/* What a Call asks of the server beyond the limits of RFC 8267 section 6.4.2. */
struct nfs_chunk_use {
    unsigned reads;   /* Read chunks, except the Position-Zero Read chunk */
    unsigned longest; /* segments of the longest chunk */
    bool any_read;    /* a Read chunk of any Position */
    bool complex;     /* exceeds what every server must accept */
};

/* What identifies a request when it is sent again: RFC 8267 sections 3.1 and 6.4.2. */
struct nfs_request {
    uint64_t hash; /* of the arguments, except those of SEQUENCE, which change with each request */
    uint32_t program, version, procedure, xid;
    unsigned reads, writes, segments; /* in its chunk lists */
    uint64_t reply_length;            /* of its Reply chunk */
    bool complex;                     /* exceeds what every server must accept */
    bool may_grow;                    /* a Short Reply chunk retry is allowed */
};

/* The latest request in a slot: nfs_sequence_rules.c. */
struct nfs_turn {
    bool any, reverse;
    bool done; /* the request was carried out */
    uint32_t slot, sequence;
    uint64_t session;
};

/* What the binding remembers about a transaction, at transaction->nfs. */
struct nfs_exchange {
    struct nfs_exchange *spare;
    bool outstanding;       /* counted in nfs->in_flight */
    bool keepalive;         /* the Call only checks that the server is alive */
    bool doubtful;          /* captured late: the answer may have been captured before the Call */
    bool early;             /* sent before any Call was answered on this connection */
    bool unread;            /* the Call's payload is not complete yet */
    bool has_request;       /* request is filled in */
    bool in_session;        /* the COMPOUND begins with SEQUENCE */
    uint64_t session_hash;  /* of the id of the session */
    uint32_t session_frame; /* of the Call that created the session on this connection; 0: created elsewhere */
    bool in_turn; /* certainly a new request, and the next request in its slot as far as this connection shows */
    struct nfs_turn turn;     /* any: the COMPOUND begins with SEQUENCE or CB_SEQUENCE */
    int minor;                /* minor version of the COMPOUND; -1: not a COMPOUND */
    bool asks_back;           /* the Call asks for a backchannel on this connection */
    bool asks_session;        /* CREATE_SESSION or BIND_CONN_TO_SESSION, not answered yet */
    struct nfs_limits limits; /* of the session */
    struct nfs_request request;
    struct nfs_access *access; /* owned by nfs_readback.c; NULL: the Call does nothing with the contents of files */
};

/* Requests that failed: nfs_retry_rules.c. */
struct nfs_failures {
    struct nfs_failure {
        struct nfs_request request;
        unsigned times;
        uint32_t frame;
        bool retried, reported;
    } failure[NFS_FAILURES_MAX];
    unsigned n; /* in total */
};

/* Credits, as far as NFS depends on them: nfs_retry_rules.c. */
struct nfs_credits {
    uint32_t grant, former; /* of the latest Reply; the most that the client may still rely on */
    uint64_t offset;        /* of that Reply in its stream */
    uint32_t frame;         /* of that Reply */
    uint32_t asked;         /* requested by the latest Call */
    bool reported;
};

/* Slots whose request ended with a transport error: nfs_slot_rules.c. */
struct nfs_slots {
    struct nfs_slot {
        bool waiting; /* the slot has not been used again */
        uint32_t slot;
        uint64_t session;
        unsigned others; /* requests in higher slots since the error */
        uint32_t frame;  /* of the error */
    } lost[NFS_SLOTS_MAX];
    unsigned n; /* in total */
};

/* CB_RECALL_SLOT: nfs_recall_rules.c. */
struct nfs_recalls {
    struct nfs_recall {
        bool in_force; /* CB_RECALL_SLOT was sent, and the client did not refuse it */
        bool answered; /* the client confirmed the target, and the server has not raised it since */
        bool settled;  /* every request that got its slot before the answer has finished */
        uint64_t session;
        uint32_t target;
        uint32_t call;          /* frame */
        uint64_t answer_offset; /* in the client's stream */
    } latest;
    bool any; /* one was seen; the time of the first follows */
    int64_t first_ns;
};

/* nfs_sessions.c */
struct nfs_sessions {
    struct nfs_session session[NFS_SESSIONS_MAX];
    unsigned n;          /* created in total */
    bool foreign;        /* a session that was created on another connection is in use */
    bool asked;          /* CREATE_SESSION or BIND_CONN_TO_SESSION was sent */
    unsigned back_asked; /* outstanding Calls that ask for a backchannel */
};

/* nfs_minor_rules.c */
struct nfs_minors {
    struct rpcrdma_across_objects objects;
    uint32_t served[2]; /* minor versions that were carried out, one bit each; [1]: of callbacks */
    bool zero, later;   /* COMPOUNDs of minor version 0 were seen, and of later minor versions */
};

/* nfs_sequence_rules.c */
struct nfs_sequence {
    struct rpcrdma_across_refusals refusals;
    struct nfs_turn *turns; /* NFS_TURNS_MAX; NULL: no session is in use */
};

/* nfs_backchannel_rules.c */
struct nfs_backchannel {
    bool agreed;          /* by the server */
    bool delegated;       /* any delegations were granted */
    unsigned delegations; /* granted here and not returned */
    bool reported_reverse, reported_program, reported_delegation;
};

/* nfs_size_rules.c */
struct nfs_size {
    uint32_t verifier; /* octets of the largest RPCSEC_GSS verifier in a Reply so far */
    bool reported_needless;
    bool reported_default; /* a finding that depends on the default threshold */
};

/* Reported once per connection: nfs_compound_rules.c. */
struct nfs_reported {
    bool port, reads, writes, segments;
};

/* Outstanding forward Calls, by caller. While the client is unknown, Calls from the server count as forward. */
struct nfs_in_flight {
    unsigned calls;
    unsigned keepalives; /* Calls that only check that the server is alive */
    unsigned doubtful;   /* Calls that may be answered already */
};

struct nfs_connection {
    struct rpcrdma_options options;
    struct rpcrdma_connection *rpcrdma;
    struct verdict *verdict;
    struct arena *arena; /* held */
    uint16_t port[2];
    struct nfs_exchange *spare;
    uint64_t forward_calls, answered; /* in total */
    struct nfs_in_flight in_flight[2];
    bool v4;         /* NFSv4 Calls were seen */
    bool blind;      /* at least one Call or Reply could not be understood */
    unsigned unread; /* outstanding Calls whose payload is not complete yet */
    struct nfs_credits credits;
    struct nfs_size size;
    struct nfs_reported reported;
    struct nfs_backchannel backchannel;
    struct nfs_sessions sessions;
    struct nfs_minors minors;
    struct nfs_sequence sequence;
    struct nfs_recalls recalls;
    struct nfs_readback *readback; /* NULL: no file has changed */
    struct nfs_failures failures;
    struct nfs_slots slots;
};

/* A Call or Reply that is judged. */
struct nfs_look {
    struct nfs_connection *nfs;
    struct rpcrdma_transaction *t;
    struct nfs_exchange *exchange;
    const struct rpcrdma_body *body;
    struct place place;
    uint32_t related; /* frame of the Call if place is another frame; else 0 */
};

void nfs_fail_as(const struct nfs_look *look, enum rule_id rule, enum rule_severity severity, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));
#define nfs_fail(look, rule, ...) nfs_fail_as((look), (rule), rule_catalogue[rule].severity, __VA_ARGS__)
static inline void nfs_pass(const struct nfs_look *look, enum rule_id rule)
{
    verdict_passed(look->nfs->verdict, rule);
}
static inline void nfs_inconclusive(const struct nfs_look *look, enum rule_id rule, enum why why)
{
    verdict_inconclusive(look->nfs->verdict, rule, why, look->place.frame);
}

/* The payload was decoded to its end, and reduced as the standard demands. */
static inline bool nfs_understood(const struct rpcrdma_body *body)
{
    return body->known && body->walked && body->walk.status == NFS_WALK_OK &&
           body->reduction == RPCRDMA_REDUCED_STANDARD && !body->cut;
}
/* Everything that concerns sessions was understood. */
static inline bool nfs_all_understood(const struct nfs_connection *nfs)
{
    return !nfs->blind && nfs->unread == 0;
}
/* Why something about the session is unknown; `otherwise`: everything was captured and understood. */
static inline enum why nfs_doubt(const struct nfs_connection *nfs, bool unsure, enum why otherwise)
{
    if (unsure)
        return WHY_ORDER;
    return LOST_OR(nfs_all_understood(nfs) ? otherwise : WHY_UNREAD);
}
/* Also, both directions were captured in full, as far as visible. */
static inline bool nfs_all_seen(const struct nfs_connection *nfs)
{
    return rpcrdma_whole(nfs->rpcrdma) && !rpcrdma_pending_lacks_call(nfs->rpcrdma) && nfs_all_understood(nfs);
}
/* The first value with this mark; false: there is none. */
static inline bool nfs_value_of(const struct rpcrdma_body *body, enum nfs_mark mark, uint32_t op, uint32_t *out)
{
    unsigned i = 0;
    const struct nfs_value *value = rpcrdma_value(body, mark, op, &i);

    if (value)
        *out = (uint32_t)value->value;
    return value != NULL;
}
/* The first operation of this kind in a COMPOUND, or NULL. */
const struct nfs_operation *nfs_operation_find(const struct rpcrdma_body *body, uint32_t op);
/* The Call has Write chunk `number`, with room for a result. (RFC 5667: at least one segment is not empty.) */
bool nfs_chunk_offered(const struct nfs_connection *nfs, const struct rpcrdma_transaction *t, unsigned number);

/* nfs_sessions.c: forward COMPOUNDs and their results; also finds the limits of the session for reverse Calls. */
void nfs_sessions_call(struct nfs_look *look);
void nfs_sessions_reply(struct nfs_look *look);
/* A Call that asked for a backchannel is answered or forgotten. */
void nfs_sessions_settled(struct nfs_connection *nfs, struct nfs_exchange *exchange);

/* nfs_minor_rules.c: Calls of both directions, Replies of the server; then whether it knows the minor version. */
void nfs_minor_message(struct nfs_look *look, bool reply);
void nfs_minor_reply(struct nfs_look *look);

/* nfs_sequence_rules.c: Calls of both directions that nfs_sessions_call() has seen, and their Replies. */
void nfs_sequence_call(struct nfs_look *look);
void nfs_sequence_reply(struct nfs_look *look);

/* nfs_terms_rules.c: a Call with exchange->asks_session, and its Reply. */
void nfs_terms_call(const struct nfs_look *look);
void nfs_terms_reply(const struct nfs_look *look);

/* nfs_recall_rules.c: reverse Calls and Replies; forward Calls of a session and their Replies. */
void nfs_recall_call(struct nfs_look *look);
void nfs_recall_answer(struct nfs_look *look);
void nfs_recall_slot(struct nfs_look *look);
void nfs_recall_reply(struct nfs_look *look);
enum rpcrdma_returns nfs_recall_returns(const struct nfs_connection *nfs);

/* nfs_backchannel_rules.c */
void nfs_backchannel_message(struct nfs_look *look, const struct rpcrdma_message *message);
void nfs_backchannel_finish(struct nfs_connection *nfs);
void nfs_backchannel_reply(struct nfs_look *look); /* reverse Replies */
void nfs_delegation_reply(struct nfs_look *look);  /* forward Replies: BIDI-3.2-03 */

/* nfs_compound_rules.c: the server's port; chunk lists and operations of NFSv4 Calls. */
void nfs_port_call(struct nfs_look *look);
void nfs_compound_call(struct nfs_look *look);

/* nfs_bound.c: the largest payload of the Reply to this Call, in octets, without verifier and Write chunks. */
struct nfs_reply_size {
    uint64_t largest;  /* the maximum, or a lower bound of it */
    uint64_t eligible; /* of these octets, DDP-eligible results that will be inline */
    uint64_t asked;    /* of these octets, those that the arguments ask for by number */
    bool exact;        /* largest is the maximum */
};
/* False: unknown. */
bool nfs_reply_size(const struct nfs_look *look, struct nfs_reply_size *size);
/* Octets of the Reply's Transport header, which returns the Call's Write chunks. */
uint64_t nfs_reply_transport(const struct rpcrdma_transaction *t);
/* Any Reply to this Call fits inline or in the Reply chunk. */
bool nfs_reply_fits(const struct nfs_look *look);

/* nfs_size_rules.c: the largest Reply against the room that the Call provides; Replies against the session's limit. */
void nfs_size_call(struct nfs_look *look);
void nfs_size_reply(struct nfs_look *look);

/* nfs_limit_rules.c */
struct nfs_chunk_use nfs_chunk_use(const struct rpcrdma_transaction *t);
/*
 * look is about the Call, and message answers the Call. True: the Call was refused, and a rule about limits has judged
 * the refusal.
 */
bool nfs_limit_answer(struct nfs_look *look, const struct rpcrdma_message *message);
/* nfs_refusal_rules.c: likewise for all other refused Calls, in both directions. */
void nfs_refusal_answer(struct nfs_look *look, const struct rpcrdma_message *message);

/* nfs_result_rules.c: results against what the Call asked for. */
void nfs_result_reply(struct nfs_look *look);

/* nfs_slot_rules.c. nfs_slot_failed(): look->place is that of the error. */
void nfs_slot_call(struct nfs_look *look);
void nfs_slot_failed(struct nfs_look *look);

/* nfs_readback.c: forward Calls and Replies, and the data moved for them. */
void nfs_readback_call(struct nfs_look *look);
void nfs_readback_reply(const struct nfs_look *look);
void nfs_readback_move(const struct rpcrdma_move *move);
/*
 * Any file may have changed by now. since: the change may have begun at any time before this Call; NULL: another
 * connection made the change.
 */
void nfs_readback_forget(struct nfs_connection *nfs, const struct place *since);
/* The Call was answered or forgotten. */
void nfs_readback_settle(struct nfs_connection *nfs, const struct rpcrdma_transaction *t,
                         struct nfs_exchange *exchange);
void nfs_readback_finish(struct nfs_connection *nfs);
void nfs_readback_free(struct nfs_connection *nfs);

/* nfs_retry_rules.c */
void nfs_retry_call(struct nfs_look *look);
/* For engine/across, which judges requests that are sent again on another connection. */
void nfs_retry_use(struct nfs_look *look);
/* ERR_CHUNK or GARBAGE_ARGS answered the Call. */
void nfs_retry_failed(struct nfs_look *look);
void nfs_retry_repeated(struct nfs_look *look, const struct rpcrdma_message *message);
void nfs_retry_credits(struct nfs_look *look);
void nfs_retry_finish(struct nfs_connection *nfs);

#endif
