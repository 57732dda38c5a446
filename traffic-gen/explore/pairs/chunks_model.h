/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chunk lists and credits of an NFS server, as parameters (RFC 8166 sections 3.3 to 3.5, 4.3): how the octets of a
 * WRITE and of the READ after it travel, and the result required of each. Without I/O; chunks_vector.c asks a server.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_CHUNKS_MODEL_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_CHUNKS_MODEL_H

#include "traffic-gen/explore/pairs/model.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"

enum chunks_parameter {
    CHUNKS_AT_NFS,
    CHUNKS_AT_LEN,
    CHUNKS_AT_CALL,
    CHUNKS_AT_SEG,
    CHUNKS_AT_FORM,
    CHUNKS_AT_REPLY,
    CHUNKS_AT_RSEG,
    CHUNKS_AT_ROOM,
    CHUNKS_AT_INLINE,
    CHUNKS_AT_CREDITS,
    CHUNKS_AT_CALLS,
    CHUNKS_PARAMETERS
};

/* How the WRITE is sent. */
enum chunks_call {
    CALL_IS_CHUNK,  /* its octets in a Read chunk */
    CALL_IS_INLINE, /* all of it in a Send */
    CALL_IS_LONG,   /* all of it in a Position-Zero Read chunk */
    CALL_IS_BOTH    /* Position-Zero Read chunk; its octets in another Read chunk */
};

/* The Read chunk of CALL_IS_CHUNK. */
enum chunks_form {
    FORM_IS_ABSENT,
    FORM_IS_OWN,    /* each segment has its own handle */
    FORM_IS_ONE,    /* one handle for all */
    FORM_IS_PAD,    /* one handle, and the roundup in its own segment */
    FORM_IS_PADDED, /* one handle, and the roundup in the last segment */
    FORM_IS_SHORT,  /* the last octets are missing */
    FORM_IS_FAR     /* its Position is beyond the message */
};

/* What the READ offers. */
enum chunks_reply {
    REPLY_IS_WRITE,  /* a Write chunk */
    REPLY_IS_INLINE, /* nothing */
    REPLY_IS_REPLY,  /* a Reply chunk */
    REPLY_IS_BOTH
};

enum {
    CHUNKS_MISSING = 40, /* missing octets of a chunk, if any */
    CHUNKS_FAR = 1000    /* octets by which a Position is too large */
};

struct chunks_plan {
    enum nfs_version_at version;
    uint32_t length;
    enum chunks_call call;
    enum chunks_form form;
    enum chunks_reply reply;
    unsigned segments, reply_segments; /* of each chunk; 0: no chunk */
    uint32_t room;                     /* of the Write chunk */
    uint32_t inline_size;              /* of our private data */
    uint32_t credits;                  /* that we request */
    unsigned calls;                    /* NULL Calls sent at once at the end */
};

/* Possible results of a Call; a set. */
enum chunks_outcome {
    CHUNKS_SUCCESS = 1,
    CHUNKS_ERROR = 2, /* RDMA_ERROR, an RPC error, an NFS error */
    CHUNKS_FEWER = 4  /* success, with fewer octets */
};

struct chunks_plan chunks_plan_of(const int *vector);
/* Results allowed for the WRITE and the READ, with the rule that any other result breaks. */
unsigned chunks_of_write(const struct chunks_plan *plan, enum rule_id *rule);
unsigned chunks_of_read(const struct chunks_plan *plan, enum rule_id *rule);

/* ---- for struct pairs_model ---- */

extern const struct pairs_parameter chunks_parameters[CHUNKS_PARAMETERS];
extern const struct pairs_condition chunks_conditions[];
bool chunks_allowed(const void *pairs, const int *vector);
bool chunks_refused(const void *pairs, unsigned parameter, int value);
void chunks_settle(const struct pairs *pairs, int *vector);
/* versions: the NFS versions that the server speaks; a set of 1 << enum nfs_version_at, not empty. */
void chunks_usual(struct pairs *pairs, unsigned versions);

#endif
