/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA in the generator: Calls that wait for their Replies, the memory that they offer as chunks, and the data
 * moved into and out of it. Everything is filled in as RFC 8166 and RFC 8267 require; rpc_script.c can change any part
 * before it is sent.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_RPC_H
#define IWARP_TRAFFIC_SPEAK_SAY_RPC_H

#include "traffic-gen/speak/say/nfs_messages.h"
#include "traffic-gen/speak/say/operations.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"

enum {
    RPC_READS_MAX = 64,
    RPC_CHUNKS_MAX = 16,
    RPC_SEGMENTS_MAX = 32,
    RPC_SLOTS = 64,
    RPC_CREDITS = 32,
    RPC_OCTETS_MAX = 1 << 26
};

struct rpc_chunk {
    struct rpcrdma_segment segments[RPC_SEGMENTS_MAX];
    uint32_t n;
};

/* A segment of a Read list with the contents of its memory. */
struct rpc_read {
    struct rpcrdma_read_segment segment;
    const GByteArray *content;
    size_t from;
};

/* A Call or a Reply. */
struct rpc_side {
    GByteArray *whole;   /* the RPC message, unreduced */
    GByteArray *reduced; /* without the octets in Read or Write chunks */
    size_t body_at;      /* in `whole`: offset of the arguments or results */
    struct nfs_body body;
    struct rpc_read reads[RPC_READS_MAX];
    unsigned n_reads;
    bool pulled;
};

struct rpc_exchange {
    enum role caller;
    uint32_t xid;
    uint32_t vers; /* rdma_vers of the Call */
    const struct nfs_template *procedure;
    unsigned gss;      /* service; 0: AUTH_SYS or AUTH_NONE */
    uint32_t gss_proc; /* rpc_gss_proc: context messages are not DATA */
    uint32_t gss_seq;
    struct rpc_side call, reply;
    struct rpc_chunk writes[RPC_CHUNKS_MAX];
    unsigned n_writes;
    struct rpc_chunk reply_chunk;
    bool has_reply_chunk;
    uint32_t proc;      /* rdma_proc of the Call */
    bool sends_payload; /* has an RPC message after the header */
    bool answered;
    bool done; /* RDMA_DONE was sent */
};

struct rpc;

/* A real end that supplies values which are made up otherwise. */
struct rpc_filling {
    /* Provides n octets of the end's memory; Reads return p[0..n). p NULL: the peer writes there. */
    struct rpcrdma_segment (*offer)(void *ctx, uint32_t length, const uint8_t *p, size_t n);
    void *ctx;
    /* For Calls: the message, and which parts of it are items. NULL: built from the words. */
    const GByteArray *message;
    const struct nfs_body_item *items; /* `at` counts from the message's first octet */
    unsigned n_items;
};

struct rpc *rpc_new(void);
/* Borrowed. */
void rpc_fill_from(struct rpc *rpc, const struct rpc_filling *filling);
const struct rpc_filling *rpc_filling(const struct rpc *rpc); /* NULL: none */
void rpc_free(struct rpc *rpc);

struct rpc_exchange *rpc_exchange_new(struct rpc *rpc, enum role caller);
uint32_t rpc_next_sequence(struct rpc *rpc, enum role caller, unsigned slot);
/* Calls of `caller` without a Reply, the oldest first. */
struct rpc_exchange *rpc_outstanding(struct rpc *rpc, enum role caller, unsigned index);
/* All Calls of `caller`, the latest first. */
struct rpc_exchange *rpc_back(struct rpc *rpc, enum role caller, unsigned index);
/*
 * The oldest message of `owner` with Read chunks that were not fetched: preferably a Call without a Reply, else any
 * Call or Reply.
 */
struct rpc_side *rpc_unpulled(struct rpc *rpc, enum role owner);

/* The oldest Call of `caller` whose Reply has Read chunks and waits for RDMA_DONE; NULL: none. */
struct rpc_exchange *rpc_undone(struct rpc *rpc, enum role caller);

/* STags look real: an index that is hard to guess, and a key (RFC 5040 section 8.1.1). */
static inline uint32_t rpc_stag(uint32_t number)
{
    uint32_t x = (number + 0x2F0Du) * 0x9E3779B1u;

    x ^= x >> 15;
    x *= 0x85EBCA6Bu;
    return x ^ x >> 13;
}

/* Registers fresh memory: for Reads of content from `from` on; NULL: for Writes. */
struct rpcrdma_segment rpc_register(struct rpc *rpc, uint32_t length, const GByteArray *content, size_t from);

void rpc_side_clear(struct rpc_side *side);

/* Sends these octets as an RDMA Send. */
void rpc_send(struct conversation *c, enum role role, enum rdmap_opcode opcode, uint32_t stag, const uint8_t *p,
              size_t n);
/* Sends one RDMA Write. p NULL: a pattern. */
void rpc_rdma_write(struct conversation *c, enum role role, uint32_t stag, uint64_t to, const uint8_t *p, size_t n);
/* Sends a Read Request by role; the later answer carries read.content. */
void rpc_read_request(struct rpc *rpc, struct conversation *c, enum role role, const struct rdmap_read_request *read,
                      const GByteArray *content, size_t from);
/* The fields that rpc_read_request() would use for a whole segment. */
struct rdmap_read_request rpc_read_request_init(struct conversation *c, enum role role,
                                                const struct rpcrdma_segment *segment);
/* Answers all Read Requests of `asker`. False: none waited. */
bool rpc_read_answers(struct rpc *rpc, struct conversation *c, enum role asker);

#endif
