/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the NFS binding, shared by its files (engine/nfs_*.c) and by nobody else.
 *
 * A Call or Reply whose payload is whole goes to each rule family that concerns it; what a session was agreed on is
 * learned by nfs_sessions.c. What the RPC-over-RDMA layer found wrong with a Call (`malformed`) is not judged again.
 */
#ifndef IWARP_ENGINE_NFS_INTERNAL_H
#define IWARP_ENGINE_NFS_INTERNAL_H

#include "engine/nfs.h"

enum {
    NFS_SESSION_ID_LEN = 16,
    NFS_SESSIONS_MAX = 8,
    NFS_FAILURES_MAX = 16,
    NFS_SLOTS_MAX = 8,
};

/* Channel attributes of a session that was created on this connection (RFC 8881 section 18.36); 0: not known. */
struct nfs_limits {
    uint32_t fore_maxresponse;
    uint32_t back_maxrequest; /* what the client told: it is about what the client can take */
    uint32_t back_maxresponse;
};

struct nfs_session {
    uint8_t id[NFS_SESSION_ID_LEN];
    struct nfs_limits limits;
};

/* A request as a retry would repeat it: RFC 8267 sections 3.1 and 6.4.2. */
struct nfs_request {
    uint64_t hash; /* of the arguments, without what SEQUENCE makes different each time */
    uint32_t program, version, procedure, xid;
    unsigned reads, writes, segments; /* of its chunk lists */
    uint64_t reply_length;            /* of its Reply chunk */
    bool complex;                     /* above what every server must take */
    bool may_grow;                    /* short Reply chunk retry is meant for it */
};

/* What is remembered of a transaction, at transaction->nfs. */
struct nfs_exchange {
    struct nfs_exchange *spare;
    bool outstanding;         /* it counts in nfs->outstanding */
    bool alive;               /* asks nothing but whether the server is there */
    bool early;               /* no Call was answered on this connection when it was sent */
    bool unread;              /* the Call is not known yet */
    bool has_request;         /* request is filled in */
    bool in_session;          /* its COMPOUND begins with SEQUENCE */
    uint64_t session_hash;    /* of its session's id */
    int minor;                /* minor version of its COMPOUND; -1: it is none */
    bool asks_back;           /* for a backchannel on this connection */
    bool asks_session;        /* CREATE_SESSION or BIND_CONN_TO_SESSION, not answered yet */
    struct nfs_limits limits; /* of its session */
    struct nfs_request request;
};

struct nfs_failure {
    struct nfs_request request;
    unsigned times;
    uint32_t frame;
    bool retried, told;
};

/* A slot whose request a transport error ended. */
struct nfs_slot {
    bool waiting; /* for being used again */
    uint32_t slot;
    uint64_t session;
    unsigned others; /* requests in higher slots since */
    uint32_t frame;  /* of the error */
};

struct nfs_connection {
    struct rpcrdma_options options;
    const struct rpcrdma_connection *rpcrdma;
    struct verdict *verdict;
    uint16_t port[2];
    struct nfs_exchange *spare;
    uint64_t forward_calls, answered; /* ever */
    unsigned outstanding;             /* forward Calls */
    unsigned alive;                   /* of them, those that only ask whether the server is there */
    uint32_t grant, former;           /* credits of the latest Reply, and the most that the client may still go by */
    uint64_t grant_offset;            /* of that Reply in its stream */
    uint32_t asked;                   /* credits that the latest Call asked for */
    uint32_t verifier;                /* octets of the largest RPCSEC_GSS verifier seen in a Reply */
    bool v4;                          /* NFSv4 is spoken here */
    bool minor_0, minor_1;            /* COMPOUNDs of minor version 0, of later ones were seen */
    /* sessions */
    struct nfs_session sessions[NFS_SESSIONS_MAX];
    unsigned n_sessions;  /* ever made */
    bool session_asked;   /* CREATE_SESSION or BIND_CONN_TO_SESSION was sent */
    unsigned back_asked;  /* outstanding Calls that ask for a backchannel */
    bool back;            /* the server agreed to one */
    unsigned delegations; /* given here and not returned */
    bool delegated;       /* any were given */
    bool blind;           /* something was said that is not known */
    unsigned unread;      /* Calls under way that are not known yet */
    /* retries */
    struct nfs_failure failures[NFS_FAILURES_MAX];
    unsigned n_failures; /* ever */
    struct nfs_slot lost[NFS_SLOTS_MAX];
    unsigned n_lost; /* ever */
    /* told once per connection */
    bool told_port, told_reads, told_writes, told_segments, told_credit, told_reverse, told_program, told_delegation,
        told_needless;
    bool told_default; /* what depends on a threshold that nobody told */
};

/* A Call or Reply to be judged. */
struct nfs_look {
    struct nfs_connection *nfs;
    struct rpcrdma_transaction *t;
    struct nfs_exchange *exchange;
    const struct rpcrdma_body *body;
    struct place place;
    uint32_t related; /* frame of the Call, where the place is another */
};

void nfs_fail(const struct nfs_look *look, enum rule_id rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void nfs_fail_as(const struct nfs_look *look, enum rule_id rule, enum rule_severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static inline void nfs_pass(const struct nfs_look *look, enum rule_id rule)
{
    verdict_passed(look->nfs->verdict, rule);
}
static inline void nfs_open(const struct nfs_look *look, enum rule_id rule)
{
    verdict_inconclusive(look->nfs->verdict, rule);
}

/* The payload is understood to its end, as the standard says that it is to be reduced. */
static inline bool nfs_understood(const struct rpcrdma_body *body)
{
    return body->known && body->walked && body->walk.status == NFS_WALK_OK &&
           body->reduction == RPCRDMA_REDUCED_STANDARD && !body->cut;
}
/* All of both directions was seen and understood, as far as sessions go. */
static inline bool nfs_all_seen(const struct nfs_connection *nfs)
{
    return rpcrdma_whole(nfs->rpcrdma) && !nfs->blind && nfs->unread == 0;
}
/* Contents of an item, when they are inline; NULL. */
const uint8_t *nfs_contents(const struct rpcrdma_body *body, const struct rpcrdma_item *item);
/* The first operation of this kind in a COMPOUND; NULL. */
const struct nfs_operation *nfs_operation_find(const struct rpcrdma_body *body, uint32_t op);
/* A Write chunk in which a result can be returned (RFC 5667: one of empty segments counts as empty). */
bool nfs_chunk_offered(const struct nfs_connection *nfs, const struct rpcrdma_transaction *t, unsigned number);

/* nfs_sessions.c: forward COMPOUNDs and their results; reverse Calls find their session's limits, too. */
void nfs_sessions_call(struct nfs_look *look);
void nfs_sessions_reply(struct nfs_look *look);
/* A Call that asked for a backchannel is answered or forgotten. */
void nfs_sessions_settled(struct nfs_connection *nfs, struct nfs_exchange *exchange);

/* nfs_backchannel_rules.c */
void nfs_backchannel_message(struct nfs_look *look, const struct rpcrdma_message *message);
void nfs_backchannel_finish(struct nfs_connection *nfs);
void nfs_backchannel_reply(struct nfs_look *look); /* a reverse Reply */
void nfs_delegation_reply(struct nfs_look *look);  /* a forward one: BIDI-3.2-03 */

/* nfs_compound_rules.c: chunk lists and operations of NFSv4 Calls, the server's port. */
void nfs_port_call(struct nfs_look *look);
void nfs_compound_call(struct nfs_look *look);

/*
 * nfs_bound.c: octets of the payload of the Reply to this Call, without verifier, and without what goes into Write
 * chunks.
 */
struct nfs_size {
    uint64_t largest;  /* the maximum is at least this */
    uint64_t eligible; /* of them, DDP-eligible results that are to be returned inline */
    uint64_t asked;    /* of them, those that arguments ask for in numbers */
    bool exact;        /* the maximum is this */
};
/* False: nothing is known. */
bool nfs_size(const struct nfs_look *look, struct nfs_size *size);
/* Octets of the Reply's Transport header: chunks of the Call come back in it. */
uint64_t nfs_reply_transport(const struct rpcrdma_transaction *t);
/* The Reply has room inline or in the Reply chunk, whatever it is. */
bool nfs_reply_fits(const struct nfs_look *look);

/* nfs_size_rules.c: the maximum Reply against what the Call provides for it; Replies against a session's limit. */
void nfs_size_call(struct nfs_look *look);
void nfs_size_reply(struct nfs_look *look);

/*
 * nfs_limit_rules.c: look is about the Call, the message answers it. True: the Call was refused, and a rule about the
 * limits of NFSv4 has that.
 */
bool nfs_limit_answer(struct nfs_look *look, const struct rpcrdma_message *message);
/* nfs_refusal_rules.c: any other Call that is refused; likewise. */
void nfs_refusal_answer(struct nfs_look *look, const struct rpcrdma_message *message);
/* Nothing is wrong with this Call, and nothing in it is beyond what a server must expect. */
bool nfs_sound(const struct nfs_look *look);

/* nfs_result_rules.c: results against what was asked for. */
void nfs_result_reply(struct nfs_look *look);

/* nfs_slot_rules.c: of nfs_slot_failed() look->place is that of the error. */
void nfs_slot_call(struct nfs_look *look);
void nfs_slot_failed(struct nfs_look *look);

/* nfs_retry_rules.c */
void nfs_retry_call(struct nfs_look *look);
/* The Call was answered by ERR_CHUNK or GARBAGE_ARGS. */
void nfs_retry_failed(struct nfs_look *look);
void nfs_retry_repeated(struct nfs_look *look, const struct rpcrdma_message *message);
void nfs_retry_credits(struct nfs_look *look);
void nfs_retry_finish(struct nfs_connection *nfs);

#endif
