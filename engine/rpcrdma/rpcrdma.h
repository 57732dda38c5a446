/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RPC-over-RDMA layer (RFC 8166, 8167, 8797; RFC 5666 by profile) on one connection. Takes the messages, Tagged
 * memory accesses and private data of an RDMA transport (engine/rdma/rdma.h); returns messages, transactions, complete
 * RPC messages rebuilt from inline content and chunks, and verdicts. Hosted by iwarp-check, the Wireshark plugin and
 * the active suites.
 *
 * Sides are TCP sides (0, 1). A transaction is identified by its calling side and XID. The client is the side that
 * opened the connection; Calls from the other side are in the reverse direction (RFC 8167).
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_H

#include "engine/core/arena.h"
#include "engine/nfs/binding/binding.h"
#include "engine/rdma/rdma.h"
#include "wire/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

struct rpcrdma_options {
    enum rule_profile profile;
    uint32_t assume_inline;    /* octets, when no startup frames were captured (--assume=inline=N); 0: unknown */
    int64_t t_react, t_answer; /* nanoseconds; 0: 2 s, 30 s */
    unsigned transactions_max; /* transactions remembered per calling side, including answered ones; 0: 4096 */
    unsigned segments_max;     /* chunk segments remembered per connection; 0: 65536 */
    uint32_t content_max;      /* octets kept of a Position-Zero Read chunk or Reply chunk; 0: 4 MiB */
    bool exclusive;            /* no other connection writes the files that this one reads */
    bool payload_only;         /* the host sees only segments with payload: see engine/mpa/mpa.h */
    bool always;               /* the host knows that this connection carries RPC-over-RDMA */
};

/* ---- transactions ---- */

enum rpcrdma_chunk_kind { RPCRDMA_READ_CHUNK, RPCRDMA_WRITE_CHUNK, RPCRDMA_REPLY_CHUNK };

enum { RPCRDMA_RANGES_MAX = 6 };

/* Octets of a segment that were moved: ascending, disjoint pieces relative to its offset. */
struct rpcrdma_ranges {
    struct rpcrdma_range {
        uint64_t from, to;
    } range[RPCRDMA_RANGES_MAX];
    uint8_t n;
    bool lost; /* there were more pieces than can be remembered: coverage is unknown */
};

/* A segment that a Call offers. */
struct rpcrdma_offer {
    struct rpcrdma_transaction *transaction;
    struct rpcrdma_offer *next;  /* in the same bucket (side, STag) */
    struct rpcrdma_offer **link; /* what points to this offer; one STag may name the segments of all Calls */
    enum rpcrdma_chunk_kind kind;
    uint32_t chunk; /* index in transaction->chunks */
    uint32_t index; /* in its chunk */
    struct rpcrdma_segment target;
    uint64_t start;              /* octets of the chunk before this segment */
    struct rpcrdma_ranges moved; /* by RDMA Writes or Read Responses */
    struct rpcrdma_ranges asked; /* by RDMA Read Requests */
    struct place first_moved, last_moved;
    bool touched; /* at least one operation accessed it */
};

/* A Read chunk (all read segments of one Position), a Write chunk, or the Reply chunk. */
struct rpcrdma_chunk_state {
    enum rpcrdma_chunk_kind kind;
    uint32_t position; /* Read chunks */
    uint32_t number;   /* Write chunks: place in the Write list, from 0; Read chunks: order of first appearance */
    uint32_t first, n; /* its offers: transaction->offers[first..], in list order; segments of one Read chunk are
                          consecutive here */
    uint64_t length;   /* sum of the segments' lengths */
    uint64_t roundup;  /* Read chunks: offset of the item's roundup in the chunk; 0: none or unknown */
    /* From the Reply's header; has_returned when the Reply has a chunk at this place. */
    bool has_returned;
    uint32_t returned_n;
    uint64_t returned;
};

/* An item found by the walker, and where its contents are. */
struct rpcrdma_item {
    struct nfs_item item;
    int chunk;           /* index in transaction->chunks of the chunk that holds the data; -1: in the payload */
    unsigned read_class; /* READ-class operations before the item in the COMPOUND (RFC 8267 section 6.4.1) */
};

/* How the payload may have been reduced: first as the standard demands, then by known mistakes. */
enum rpcrdma_reduction {
    RPCRDMA_REDUCED_STANDARD, /* Calls: a Read chunk has its item's Position; Replies: chunk k belongs to the k-th
                                 READ-class operation, and is used when its returned length is not 0 */
    RPCRDMA_REDUCED_ROUNDUP,  /* the roundup of a removed item is still inline */
    RPCRDMA_REDUCED_INLINE,   /* nothing was removed, whatever the lists say */
    RPCRDMA_REDUCED_IN_ORDER, /* eligible items use the chunks in order, whatever Positions and numbers say */
    RPCRDMA_REDUCED_PARTIAL,  /* the contents that the chunk does not hold are inline */
    RPCRDMA_REDUCED_OTHER,    /* Replies: an item that is not eligible is in the chunk */
    RPCRDMA_REDUCED_COUNT,    /* the count is in the chunk, together with the contents */
    RPCRDMA_REDUCED_ABSENT,   /* eligible contents are neither inline nor in a chunk */
    RPCRDMA_REDUCED_UNPADDED, /* inline items have no roundup */
    RPCRDMA_REDUCED_BARE,     /* Calls: the arguments begin where the verifier should be */
    RPCRDMA_REDUCED_RECOUNT,  /* an inline item has a wrong count */
    RPCRDMA_REDUCED_NONE,     /* the payload is valid under none of these; walk is that of the standard */
};

/*
 * The decoded payload of a Call or Reply. The layer owns it, and gives it to another transaction once this transaction
 * is answered.
 */
struct rpcrdma_body {
    bool known;   /* the whole payload was present; header decoded (rpc.status OK), walked as far as the tables go */
    bool walked;  /* walk is valid: a procedure with tables, without RPCSEC_GSS except for arguments as below */
    bool wrapped; /* protected by integrity or privacy; arguments with integrity are walked if they can be decoded to
                     their end */
    struct rpc_message rpc;
    const struct nfs_procedure *procedure; /* NULL: not known */
    enum rpcrdma_reduction reduction;
    struct nfs_walk_result walk;
    uint64_t length;        /* octets of the payload as transferred (reduced) */
    uint64_t unreduced;     /* of the whole RPC message; valid when walked and walk.status is OK */
    uint64_t hash;          /* from program to end: equal for equal requests with any XID */
    const uint8_t *payload; /* the payload as transferred; valid only during the events about it */
    unsigned n_operations, n_items, n_values;
    bool cut; /* some values could not be remembered */
    bool roundup_not_zero;
    uint64_t roundup_position;
    struct nfs_operation *operations; /* these and their sizes come last: the next Call takes them over */
    struct rpcrdma_item *items;
    struct nfs_value *values;
    unsigned operations_size, items_size, values_size;
};

/* What a Call asked for, according to its RPC header. */
struct rpcrdma_request {
    bool known; /* the body is known; else the rest is 0 */
    uint32_t program, version, procedure;
    uint64_t hash; /* as in the body */
};

/* The slot of a session that a Call uses (RFC 8881 section 2.10.6.1). */
struct rpcrdma_slot_use {
    bool known;
    bool bare;    /* the COMPOUND is a SEQUENCE alone */
    bool reduced; /* some data that may be in Read chunks are there */
    uint32_t slot, sequence;
    uint64_t session;   /* hash of the session id */
    uint64_t arguments; /* hash of the COMPOUND's other operations, as transferred */
    uint64_t outline;   /* the same without data that may be in Read chunks */
};

/* What has become of a Call. */
enum rpcrdma_outcome {
    RPCRDMA_OUTSTANDING,
    RPCRDMA_SETTLED, /* no answer, but another copy of the Call was answered */
    RPCRDMA_REPLIED,
    RPCRDMA_FAILED, /* by RDMA_ERROR */
};

/* Parts of a Call and of its later messages that the capture lacks. The worse state stays. */
enum rpcrdma_damage {
    RPCRDMA_WHOLE,
    RPCRDMA_DAMAGED, /* octets of either direction may have been lost since the Call: absence proves nothing */
    RPCRDMA_LATE,    /* the Call was captured after its answer, which is unknown */
};

/* Whether the Call's header, lists or payload have an error, so that the rest is not judged. */
enum rpcrdma_misread {
    RPCRDMA_READ,
    RPCRDMA_MISREAD_POSITION, /* only a Position is wrong: an inline payload may decode nevertheless */
    RPCRDMA_MISREAD,
    RPCRDMA_MISREAD_ROOM, /* only a Write chunk is too small for its result: its Read chunks are right */
};

/* What only an outstanding Call needs. */
struct rpcrdma_open {
    struct rpcrdma_body call_body, reply_body; /* first: the members after it are cleared for the next Call */
    struct {
        enum rpcrdma_status status;
        uint32_t vers, proc, header_len, read_segments;
    } call_header;
    uint32_t arguments;                   /* octets after the RPC header, when inline */
    uint32_t call_octets, answer_octets;  /* of the whole Sends */
    uint64_t octets_read, octets_written; /* moved by RDMA */
    struct rpcrdma_slot_use use;
};

enum { RPCRDMA_CHUNKS_MAX = INT16_MAX }; /* of a Call */

/* Many transactions are kept after their answers, so small members are next to each other. */
struct rpcrdma_transaction {
    uint64_t number; /* counts the Calls of the connection in order, from 1 */
    uint32_t xid;
    enum rpcrdma_outcome outcome : 8;
    unsigned side : 1; /* the caller */
    bool reverse : 1;  /* from server to client */
    enum rpcrdma_damage damage : 2;
    enum rpcrdma_misread misread : 2;
    bool malformed : 1; /* the Call's Transport header cannot be understood, or has a finding */
    bool repeats : 1;   /* the same Call (XID and following octets) was already outstanding */
    bool ambiguous : 1; /* another Call with the same XID is outstanding: an answer may be for either */
    bool astray : 1;    /* since the Call, the responder has accessed memory that no Call is known to offer */
    bool spoilt : 1; /* an answer cannot be read: the caller should have discarded the answer, but may not have done so
                      */
    bool succeeded : 1;   /* the Reply says SUCCESS */
    bool twin : 1;        /* a Call with this XID from the other side was outstanding when this Call arrived */
    bool uncounted : 1;   /* uses no credit: rpcrdma_credit_rules.c */
    bool recalled : 1;    /* the caller may have sent the Call again, with other chunks, in a hole or in other octets */
    bool offers_lost : 1; /* more segments than can be remembered */
    uint16_t fault; /* 1 + the first rule that the Call broke (at least a warning); decides how the answer is judged. 0:
                       none */
    uint16_t n_chunks, chunks_size;
    int16_t position_zero, reply_chunk; /* index in chunks, or -1 */
    uint16_t first_write, n_writes;     /* Write chunks in chunks */
    uint32_t n_offers, offers_size;
    uint32_t answer_error;     /* rdma_err of an RDMA_ERROR */
    uint64_t inline_hash;      /* of the Call's inline payload after the XID, to detect retransmissions */
    uint64_t arguments_hash;   /* of the octets after the RPC header, when inline */
    struct place call, answer; /* of the Sends; answer: the Reply or RDMA_ERROR, if any */
    uint64_t call_operation, answer_operation; /* numbers of RDMA operations */
    uint64_t call_received;                    /* the caller had received at least this much */
    uint64_t call_after;                       /* the same, for the first transmission of the Call */
    struct rpcrdma_chunk_state *chunks;
    struct rpcrdma_offer *offers;
    struct rpcrdma_request request;
    /* All zero once the Call is answered: data still needed after the answer are in this structure. Never NULL. */
    const struct rpcrdma_open *open;
    struct rpcrdma_slot_use *use; /* of an answered Call that is recorded for later connections; else NULL */
    struct rpcrdma_transaction *hash_next, *older, *newer; /* used by the layer alone */
    void *host;                                            /* for the host */
    void *nfs;                                             /* for the NFS binding */
};

/* Whether the Call has no answer itself: RPCRDMA_OUTSTANDING or RPCRDMA_SETTLED. */
static inline bool rpcrdma_waits(const struct rpcrdma_transaction *t)
{
    return t->outcome < RPCRDMA_REPLIED;
}

/* ---- events ---- */

enum rpcrdma_kind { RPCRDMA_KIND_UNKNOWN, RPCRDMA_KIND_CALL, RPCRDMA_KIND_REPLY, RPCRDMA_KIND_ERROR };

/* A Send, treated as an RPC-over-RDMA message. */
struct rpcrdma_message {
    unsigned side;
    enum direction direction;
    struct place place; /* of its last segment */
    uint64_t operation; /* RDMA operation */
    bool invalidates;
    uint32_t invalidate_stag;
    bool acked_known; /* as in struct rdma_part */
    uint64_t acked;
    uint64_t received;
    const uint8_t *p; /* valid during the event */
    uint32_t n;
    uint32_t lacking; /* octets at its end that were not captured: they read as zero */
    struct rpcrdma_header header;
    enum rpcrdma_kind kind;
    bool has_rpc; /* RDMA_MSG: the header of the inline RPC message, at header.header_len */
    struct rpc_message rpc;
    bool fixed;      /* the fixed words are in order, with version 1: the credit word holds credits */
    bool faulty;     /* the message has an error; parts that do not depend on the error are judged nevertheless */
    uint32_t fault;  /* 1 + the first rule that the message broke (at least a warning); 0: none */
    bool misread;    /* an error in the message makes the parts after it, its lists or its payload, look wrong, too */
    bool discarded;  /* a Reply with an error in its header: by section 4.5 the receiver discards it and the Call stays
                        outstanding */
    uint64_t excess; /* octets that are wrongly inline according to another rule */
    bool unsure;     /* the other direction lags: the Call that this message answers may be captured later */
    bool reads_unseen;                       /* responses to Reads of the sender may be missing in the capture */
    bool resent;                             /* as in struct rdma_part */
    int64_t copy_ns;                         /* as in struct rdma_part */
    int64_t skew_ns;                         /* as in struct rdma_part */
    struct rpcrdma_transaction *transaction; /* NULL: none */
};

/* Octets moved by an RDMA Write or Read Response, or requested by a Read Request. */
struct rpcrdma_move {
    unsigned side;       /* sent this segment */
    unsigned owner;      /* the side whose memory is accessed */
    enum rdma_kind kind; /* RDMA_WRITE, RDMA_READ, RDMA_READ_RESPONSE */
    uint64_t operation;
    struct place place;
    uint32_t stag; /* of the offered memory: for a Read, the source */
    uint64_t to;   /* as stag */
    uint64_t length;
    const uint8_t *p; /* NULL for Read Requests */
    uint64_t lacking; /* octets at its end that were not captured: they read as zero */
    bool first, last; /* first, last segment of the operation's message */
    bool acked_known;
    uint64_t acked;
    uint64_t received; /* as in struct rdma_part, like the next two */
    unsigned reads_open;
    bool asked_again;
    int64_t skew_ns;
    bool unseen; /* as in struct rdma_part: time and place are not those of the operation */
    bool unsure;
    struct rpcrdma_offer *offer; /* NULL: no outstanding Call offers this memory */
    uint64_t offset;             /* from the beginning of the offer's chunk; valid with offer */
};

/* An RPC message is complete: body is the transaction's call_body or reply_body. */
struct rpcrdma_payload {
    struct rpcrdma_transaction *transaction;
    bool reply;
    const struct rpcrdma_body *body;
    struct place place; /* of the segment that completed it */
};

struct rpcrdma_events {
    void *ctx; /* each of the functions may be NULL */
    void (*message)(void *ctx, const struct rpcrdma_message *message);
    void (*move)(void *ctx, const struct rpcrdma_move *move);
    bool only_offered; /* move: only to and from memory that a message has offered */
    void (*payload)(void *ctx, const struct rpcrdma_payload *payload);
    /* An answer closed the transaction, after all events about the answer; copies of the answer may follow. */
    void (*answered)(void *ctx, struct rpcrdma_transaction *transaction);
    /* The transaction is forgotten, and its memory will be reused. */
    void (*retired)(void *ctx, struct rpcrdma_transaction *transaction);
};

struct rpcrdma_connection;
struct rpcrdma_across_record;

/* options and events are copied; verdict is borrowed. NULL when out of memory. */
struct rpcrdma_connection *rpcrdma_connection_new(const struct rpcrdma_options *options,
                                                  const struct rpcrdma_events *events, struct verdict *verdict,
                                                  struct arena *arena);
void rpcrdma_connection_free(struct rpcrdma_connection *rpcrdma);

/* The transport's events, handed on by the host; meanings as in engine/rdma/rdma.h. */
void rpcrdma_connection_private_data(struct rpcrdma_connection *rpcrdma, const struct rdma_private_data *data);
void rpcrdma_connection_terms(struct rpcrdma_connection *rpcrdma, const struct rdma_terms *terms);
/* TCP ports of both sides: only a hint. */
void rpcrdma_connection_ports(struct rpcrdma_connection *rpcrdma, uint16_t port0, uint16_t port1);
bool rpcrdma_connection_part(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part);
void rpcrdma_connection_refusal(struct rpcrdma_connection *rpcrdma, const struct rdma_refusal *refusal);
/* An Acknowledge or ACK number says that `side` has received what the other side sent before this offset. */
void rpcrdma_connection_received(struct rpcrdma_connection *rpcrdma, unsigned side, uint64_t offset);
/* A NAK says that `side` has not received what the other side sent at this offset. */
void rpcrdma_connection_missed(struct rpcrdma_connection *rpcrdma, unsigned side, uint64_t offset);
/* A retransmission differs from the first transmission: the other side may have received either. */
void rpcrdma_connection_doubt(struct rpcrdma_connection *rpcrdma, const struct rdma_copy *copy);
/* The capture dropped packets, perhaps without a trace. */
void rpcrdma_connection_lossy(struct rpcrdma_connection *rpcrdma);
void rpcrdma_connection_skipped(struct rpcrdma_connection *rpcrdma, unsigned side);
/* Called before a close or a refusal, with what the transport knows about it. */
void rpcrdma_connection_closing(struct rpcrdma_connection *rpcrdma, const struct rdma_closing *closing);
void rpcrdma_connection_end(struct rpcrdma_connection *rpcrdma, unsigned side, bool reset, const struct place *place);
void rpcrdma_connection_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns);

/*
 * The record for later connections (engine/across/across.h), which the caller then owns. To be called once,
 * after rpcrdma_connection_finish(). NULL: the connection carried no RPC-over-RDMA, or out of memory.
 */
struct rpcrdma_across_record *rpcrdma_connection_record(struct rpcrdma_connection *rpcrdma);

/* False: the connection carries another ULP and needs no further events. */
bool rpcrdma_connection_follows(const struct rpcrdma_connection *rpcrdma);
/* True if a lack of memory prevented following the connection. */
bool rpcrdma_connection_lacks_memory(const struct rpcrdma_connection *rpcrdma);
/* True if the options or private data say that the connection carries RPC-over-RDMA. */
bool rpcrdma_connection_is_announced(const struct rpcrdma_connection *rpcrdma);
/* True once messages of RPC-over-RDMA were recognised. */
bool rpcrdma_connection_is_rpcrdma(const struct rpcrdma_connection *rpcrdma);
/* The side that is the client; -1 unknown. */
int rpcrdma_connection_client(const struct rpcrdma_connection *rpcrdma);
/* The inline threshold for Sends of `side`, in octets, 0: unknown; *negotiated: both startup frames announced it. */
uint32_t rpcrdma_connection_threshold(const struct rpcrdma_connection *rpcrdma, unsigned side, bool *negotiated);
/* Outstanding transactions of a calling side, the oldest first: begin with NULL; NULL after the last. */
struct rpcrdma_transaction *rpcrdma_next_outstanding(const struct rpcrdma_connection *rpcrdma, unsigned side,
                                                     struct rpcrdma_transaction *after);
/* No Send of that side was missing in the capture at any time. */
bool rpcrdma_sends_seen(const struct rpcrdma_connection *rpcrdma, unsigned side);
/* Sends of that side after the message in this frame may be missing. */
bool rpcrdma_hole_since(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t frame);
/* No answer to an outstanding Call of that side can be missing. */
bool rpcrdma_answers_seen(const struct rpcrdma_connection *rpcrdma, unsigned caller);
/* Every outstanding Call of that side is in the capture. */
bool rpcrdma_calls_seen(const struct rpcrdma_connection *rpcrdma, unsigned side);
/* All messages of both directions were captured so far. */
bool rpcrdma_whole(const struct rpcrdma_connection *rpcrdma);
/* All messages of both directions were captured so far, or at least since that frame. */
bool rpcrdma_whole_since(const struct rpcrdma_connection *rpcrdma, uint32_t frame);
/* For the NFS binding: whether the client should return credits by Sends without octets (RFC 8881 section 20.8.3). */
enum rpcrdma_returns {
    RPCRDMA_RETURNS_UNKNOWN,    /* nothing was seen so far */
    RPCRDMA_RETURNS_NO_SESSION, /* no: no session here can be recalled */
    RPCRDMA_RETURNS_NOT_ASKED,  /* no: the server calls back on this connection, and has recalled nothing */
    RPCRDMA_RETURNS_UNCLEAR,    /* the server may have asked on another connection */
    RPCRDMA_RETURNS_ASKED,      /* yes */
};
void rpcrdma_connection_returns(struct rpcrdma_connection *rpcrdma, enum rpcrdma_returns returns);
/*
 * For the NFS binding: how many RDMA Reads this side may have outstanding, as agreed for the session in that frame; 0:
 * no limit.
 */
void rpcrdma_connection_depth(struct rpcrdma_connection *rpcrdma, unsigned requester, uint32_t limit, uint32_t frame);
/* The direction of messages that this side sends. */
enum direction rpcrdma_connection_direction(const struct rpcrdma_connection *rpcrdma, unsigned side);
/* An answer waits for its Call, which the capture may lack, or show later (InfiniBand; rpcrdma_pending.c). */
bool rpcrdma_pending_lacks_call(const struct rpcrdma_connection *rpcrdma);
/* For this layer and those above it: reports the finding, or lets it wait for proof (rpcrdma_pending.c). */
void rpcrdma_vfail(struct rpcrdma_connection *rpcrdma, enum rule_id rule, enum rule_severity severity,
                   enum direction direction, const struct place *place, uint32_t related_frame, const char *format,
                   va_list args) __attribute__((cold, format(printf, 7, 0)));
/* The name that people use for a Call: "OPEN", not "COMPOUND", as far as the Call was read; NULL: unknown. */
const char *rpcrdma_operation_of(const struct rpcrdma_transaction *transaction);
/* The Read chunks are not so large that a responder may refuse to pull them: RFC 8166 section 8.1.4. */
bool rpcrdma_reads_modest(const struct rpcrdma_transaction *transaction);
/* For the NFS binding: the slot of an outstanding Call. */
void rpcrdma_transaction_uses(struct rpcrdma_transaction *transaction, const struct rpcrdma_slot_use *use);
/* Contents of an item, only during the events about the payload; NULL: the payload does not have them. */
const uint8_t *rpcrdma_contents(const struct rpcrdma_body *body, const struct rpcrdma_item *item);
/* The payload in the form that the binding takes. */
static inline struct nfs_decoded rpcrdma_decoded(const struct rpcrdma_body *body)
{
    return (struct nfs_decoded){body->procedure, body->operations, body->values, body->n_operations, body->n_values};
}
/* nfs_decoded_value() */
const struct nfs_value *rpcrdma_value(const struct rpcrdma_body *body, enum nfs_mark mark, uint32_t op, unsigned *i);

/* ---- counts for the reports ---- */

struct rpcrdma_procedure_count {
    uint32_t program, version, procedure;
    bool reverse;
    uint64_t calls, replies, errors;
    uint64_t inline_octets, read_octets, written_octets; /* moved by Sends, by RDMA Reads, by RDMA Writes */
};

/* How many Replies had this status. */
struct rpcrdma_status_count {
    uint32_t program, version, number; /* number: of the procedure, or of the operation of a COMPOUND */
    bool operation, reverse;
    bool rpc; /* status is that of RPC: accept_stat, or RPCRDMA_STATUS_DENIED + auth_stat */
    uint32_t status;
    uint64_t replies;
};
enum { RPCRDMA_STATUS_DENIED = 256, RPCRDMA_STATUSES_MAX = 256 };

struct rpcrdma_counts {
    const struct rpcrdma_procedure_count *procedures; /* in order of first appearance */
    unsigned n;
    const struct rpcrdma_status_count *statuses; /* likewise, at most RPCRDMA_STATUSES_MAX */
    unsigned n_statuses;
    uint64_t other_calls; /* Calls of procedures that have no count of their own */
    uint64_t messages[5]; /* Sends by rdma_proc 0 to 4 */
};
const struct rpcrdma_counts *rpcrdma_connection_counts(const struct rpcrdma_connection *rpcrdma);
/* Resets the counts, for hosts that report in intervals; procedures keep their indices. */
void rpcrdma_connection_restart_counts(struct rpcrdma_connection *rpcrdma);

#endif
