// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maximum Reply that a Call may have, against the inline threshold and the Reply chunk: RFC 8267 section 3, RFC
 * 8166 sections 3.5.3, 4.3.2.3, 4.3.3, 8.2.2.2; RFC 5666 section 3.4, RFC 5667 section 5. And Replies against what a
 * session was limited to.
 *
 * Findings are of what is certain: a server that may return as many octets as the Call itself asks for has a Reply
 * larger than what there is room for. Results without a limit (links of NFSv3, ACLs, attributes of NFSv4) prove
 * nothing.
 */
#include "engine/nfs_internal.h"

#include <inttypes.h>

enum {
    REPLY_HEADER = 24,    /* an accepted RPC Reply with an empty verifier */
    COMPOUND_HEADER = 12, /* status, empty tag, count of results */
    OPERATION_HEADER = 8, /* number and status */
    READ4_HEADER = 8,     /* eof, count of octets */
    INTEGRITY = 12,       /* lengths of the body and of the checksum, seq_num: RFC 2203 section 5.3.2.2 */
    V2_DATA_MAX = 8192,
    VERIFIER_MAX = RPC_AUTH_MAX,
};

/* Results of NFS without COMPOUND at their largest, the items that arguments limit left out; in octets. */
static const struct legacy {
    uint8_t version, procedure;
    uint16_t fixed;
    uint8_t mark;   /* of the argument that limits the rest; NFS_MARK_NONE: there is no rest */
    bool eligible;  /* the rest is DDP-eligible */
    bool unlimited; /* there is a rest that nothing limits */
} legacy[] = {
    {2, 0, 0, NFS_MARK_NONE, false, false},      {2, 1, 72, NFS_MARK_NONE, false, false},
    {2, 2, 72, NFS_MARK_NONE, false, false},     {2, 4, 104, NFS_MARK_NONE, false, false},
    {2, 6, 76, NFS_MARK_COUNT, true, false},     {2, 8, 72, NFS_MARK_NONE, false, false},
    {2, 9, 104, NFS_MARK_NONE, false, false},    {2, 10, 4, NFS_MARK_NONE, false, false},
    {2, 11, 4, NFS_MARK_NONE, false, false},     {2, 12, 4, NFS_MARK_NONE, false, false},
    {2, 13, 4, NFS_MARK_NONE, false, false},     {2, 14, 104, NFS_MARK_NONE, false, false},
    {2, 15, 4, NFS_MARK_NONE, false, false},     {2, 16, 4, NFS_MARK_COUNT, false, false},
    {2, 17, 24, NFS_MARK_NONE, false, false},    {3, 0, 0, NFS_MARK_NONE, false, false},
    {3, 1, 88, NFS_MARK_NONE, false, false},     {3, 2, 120, NFS_MARK_NONE, false, false},
    {3, 3, 248, NFS_MARK_NONE, false, false},    {3, 4, 96, NFS_MARK_NONE, false, false},
    {3, 5, 96, NFS_MARK_NONE, true, true},       {3, 6, 104, NFS_MARK_COUNT, true, false},
    {3, 7, 136, NFS_MARK_NONE, false, false},    {3, 8, 280, NFS_MARK_NONE, false, false},
    {3, 9, 280, NFS_MARK_NONE, false, false},    {3, 10, 280, NFS_MARK_NONE, false, false},
    {3, 11, 280, NFS_MARK_NONE, false, false},   {3, 12, 120, NFS_MARK_NONE, false, false},
    {3, 13, 120, NFS_MARK_NONE, false, false},   {3, 14, 236, NFS_MARK_NONE, false, false},
    {3, 15, 208, NFS_MARK_NONE, false, false},   {3, 16, 4, NFS_MARK_COUNT, false, false},
    {3, 17, 4, NFS_MARK_MAXCOUNT, false, false}, {3, 18, 144, NFS_MARK_NONE, false, false},
    {3, 19, 140, NFS_MARK_NONE, false, false},   {3, 20, 116, NFS_MARK_NONE, false, false},
    {3, 21, 128, NFS_MARK_NONE, false, false},   {4, 0, 0, NFS_MARK_NONE, false, false},
};

/* Octets of the Reply's payload, without a verifier. */
struct size {
    uint64_t largest;  /* the maximum is at least this */
    uint64_t eligible; /* of them, DDP-eligible results that are to be returned inline */
    uint64_t asked;    /* of them, those that arguments ask for in numbers */
    bool exact;        /* the maximum is this */
};

static const struct legacy *legacy_find(const struct nfs_procedure *procedure)
{
    for (size_t i = 0; i < sizeof legacy / sizeof legacy[0]; i++) {
        if (procedure->program == NFS_PROGRAM && legacy[i].version == procedure->version &&
            legacy[i].procedure == procedure->number)
            return &legacy[i];
    }
    return NULL;
}

static bool legacy_size(const struct nfs_look *look, struct size *size)
{
    const struct legacy *row = legacy_find(look->body->procedure);
    const struct nfs_value *value = NULL;
    uint64_t rest;
    unsigned i = 0;

    if (row == NULL)
        return false;
    *size = (struct size){.largest = REPLY_HEADER + row->fixed, .exact = !row->unlimited};
    if (row->mark == NFS_MARK_NONE)
        return true;
    value = rpcrdma_value(look->body, (enum nfs_mark)row->mark, 0, &i);
    if (value == NULL)
        return false;
    if (row->eligible && !look->body->wrapped && nfs_chunk_offered(look->nfs, look->t, 0))
        return true;
    rest = row->version == 2 && row->eligible && value->value > V2_DATA_MAX ? V2_DATA_MAX : value->value;
    size->asked = rest;
    size->largest += row->eligible ? xdr_padded(rest) : rest;
    size->eligible = row->eligible ? xdr_padded(rest) : 0;
    return true;
}

/* The argument with this mark of the operation at `index`. */
static uint64_t argument(const struct rpcrdma_body *body, const struct nfs_operation *operation)
{
    const struct nfs_value *value;
    unsigned i = 0;

    while ((value = rpcrdma_value(body, NFS_MARK_COUNT, operation->op, &i)) != NULL) {
        if (value->op_index == operation->index)
            return value->value;
    }
    return 0;
}

static void compound_size(const struct nfs_look *look, struct size *size)
{
    const struct rpcrdma_body *body = look->body;
    unsigned read_class = 0;

    *size = (struct size){.largest = REPLY_HEADER + COMPOUND_HEADER};
    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *operation = &body->operations[i];
        uint64_t octets = 0;

        size->largest += OPERATION_HEADER;
        if (nfs_op_read_class(operation->op) && !body->wrapped && nfs_chunk_offered(look->nfs, look->t, read_class++))
            continue;
        if (operation->op == NFS_OP_READ) {
            octets = xdr_padded(argument(body, operation));
            size->eligible += octets;
            size->largest += READ4_HEADER;
        } else if (operation->op == NFS_OP_READDIR) {
            octets = argument(body, operation); /* of all of READDIR4resok */
        }
        size->largest += octets;
        size->asked += octets;
    }
}

/* Octets of the Reply's Transport header: chunks of the Call come back in it. */
static uint64_t transport(const struct rpcrdma_transaction *t)
{
    uint64_t octets = RPCRDMA_HEADER_MIN;

    for (unsigned i = 0; i < t->n_writes; i++)
        octets += 8 + (uint64_t)RPCRDMA_SEGMENT_LEN * t->chunks[t->first_write + i].n;
    return octets;
}

/* ---- what there is no room for ---- */

struct room {
    uint32_t threshold; /* 0: not known */
    bool sure;          /* told by both sides, or by the user */
    uint64_t header;    /* of the Reply */
    uint64_t chunk;     /* octets of the Reply chunk */
    bool has_chunk;
    uint32_t verifier; /* seen in Replies so far */
    bool gss;
};

static struct room room_for(const struct nfs_look *look)
{
    const struct rpcrdma_transaction *t = look->t;
    struct room room = {.header = transport(t), .has_chunk = t->reply_chunk >= 0};
    bool negotiated;

    room.threshold = rpcrdma_connection_threshold(look->nfs->rpcrdma, 1u - t->side, &negotiated);
    room.sure = negotiated || (room.threshold != 0 && room.threshold == look->nfs->options.assume_inline);
    room.gss = look->body->rpc.cred.flavor == RPC_AUTH_GSS;
    room.verifier = room.gss ? look->nfs->verifier : 0;
    room.chunk = room.has_chunk ? t->chunks[t->reply_chunk].length : 0;
    return room;
}

static bool fits(const struct room *room, uint64_t payload)
{
    return room->header + payload <= room->threshold;
}

/*
 * What the Call names in numbers has no room in so many octets. Where only what is around it does not fit, the client
 * may know better: findings are of what is clear.
 */
static bool clearly_above(const struct size *size, uint64_t octets)
{
    return size->asked > octets || size->eligible >= octets || (size->exact && size->asked == 0);
}

/* Which rule says that there has to be a Reply chunk. */
static enum rule_id missing_rule(const struct nfs_look *look, const struct room *room, const struct size *size)
{
    if (size->eligible == 0 || !fits(room, size->largest - size->eligible))
        return RULE_RPCR_4_3_3_01;
    if (look->nfs->options.profile != PROFILE_RFC5666)
        return RULE_RPCR_4_3_2_3_04;
    return look->body->rpc.vers == 4 ? RULE_RPCR0_5N_02 : RULE_RPCR0_3_4_02;
}

/* The threshold is the default, which both ends may have been set up to exceed: a warning, once. */
static void fail_missing(struct nfs_look *look, enum rule_id rule, const struct room *room, uint64_t octets)
{
    enum rule_severity severity = rule_catalogue[rule].severity;

    if (!room->sure && look->nfs->options.profile == PROFILE_RFC5666) {
        nfs_open(look, rule); /* section 6 has a way of its own to tell */
        return;
    }
    if (!room->sure && look->nfs->told_default)
        return;
    look->nfs->told_default |= !room->sure;
    nfs_fail_as(look, rule, room->sure || severity < SEVERITY_WARNING ? severity : SEVERITY_WARNING,
                "expected a Reply chunk, as the Reply may have %" PRIu64 " octets and the inline threshold is %u%s, "
                "found none",
                octets, room->threshold, room->sure ? "" : " by default");
}

static void judge_missing(struct nfs_look *look, const struct room *room, const struct size *size)
{
    enum rule_id rule = missing_rule(look, room, size);
    uint64_t octets = room->header + size->largest;

    if (!fits(room, size->largest)) {
        if (clearly_above(size, room->threshold))
            fail_missing(look, rule, room, octets);
        else
            nfs_open(look, rule);
        return;
    }
    if (size->asked > 0 || size->exact)
        nfs_pass(look, rule);
    if (!room->gss)
        return;
    if (!fits(room, size->largest + room->verifier))
        fail_missing(look, RULE_RPCR_8_2_2_2_02, room, octets + room->verifier);
    else if (fits(room, size->largest + VERIFIER_MAX))
        nfs_pass(look, RULE_RPCR_8_2_2_2_02);
    else
        nfs_open(look, RULE_RPCR_8_2_2_2_02); /* what the mechanism's verifiers may have is not known */
}

static void judge_chunk(struct nfs_look *look, const struct room *room, const struct size *size)
{
    if (fits(room, size->largest + (room->gss ? VERIFIER_MAX : 0))) {
        if (!size->exact || !room->sure)
            return;
        if (!look->nfs->told_needless)
            nfs_fail(look, RULE_RPCR_4_3_3_02,
                     "expected no Reply chunk, as the Reply has %" PRIu64 " octets at most and the inline threshold is "
                     "%u, found one",
                     room->header + size->largest, room->threshold);
        look->nfs->told_needless = true;
        return;
    }
    if (size->asked == 0)
        return;
    nfs_pass(look, missing_rule(look, room, size));
    if (room->chunk < size->largest && !fits(room, size->largest) && !clearly_above(size, room->chunk))
        nfs_open(look, RULE_RPCR_3_5_3_07);
    else if (room->chunk < size->largest && !fits(room, size->largest))
        nfs_fail(look, RULE_RPCR_3_5_3_07,
                 "expected a Reply chunk for a Reply of up to %" PRIu64 " octets, found one of %" PRIu64, size->largest,
                 room->chunk);
    else if (room->chunk >= size->largest && room->chunk < size->largest + room->verifier)
        nfs_fail(look, RULE_RPCR_8_2_2_2_02,
                 "expected a Reply chunk for a Reply of up to %" PRIu64 " octets, a verifier of %u octets included, "
                 "found one of %" PRIu64,
                 size->largest + room->verifier, room->verifier, room->chunk);
    else
        nfs_pass(look, RULE_RPCR_3_5_3_07);
}

void nfs_size_call(struct nfs_look *look)
{
    struct room room = room_for(look);
    uint32_t limit = look->exchange->limits.fore_maxresponse;
    struct size size;

    if (look->body->procedure->compound)
        compound_size(look, &size);
    else if (!legacy_size(look, &size))
        return;
    if (look->body->wrapped) { /* and the checksum, of a length that is not known */
        size.largest += INTEGRITY;
        size.exact = false;
    }
    /* No Reply of a session is larger than agreed on. Without its attributes that may be less than is asked for. */
    if (limit != 0 && limit < size.largest) {
        size.largest = limit;
        size.asked = limit < size.asked ? limit : size.asked;
        size.eligible = limit < size.eligible ? limit : size.eligible;
    }
    if (room.threshold == 0 ||
        (look->exchange->minor > 0 && limit == 0 && !fits(&room, size.largest) && !room.has_chunk)) {
        nfs_open(look, missing_rule(look, &room, &size));
        return;
    }
    if (room.has_chunk)
        judge_chunk(look, &room, &size);
    else {
        judge_missing(look, &room, &size);
        if (size.exact && room.sure && fits(&room, size.largest))
            nfs_pass(look, RULE_RPCR_4_3_3_02);
    }
}

/* An inline Reply that would have fit but for its verifier: the client did not provide for that. */
static void judge_verifier(struct nfs_look *look)
{
    struct room room = room_for(look);
    uint64_t octets = room.header + look->body->length;
    uint32_t verifier = look->body->rpc.verf.length;

    if (look->t->call_body.rpc.cred.flavor != RPC_AUTH_GSS || room.has_chunk || !room.sure)
        return;
    if (octets > room.threshold && octets - verifier <= room.threshold)
        nfs_fail(look, RULE_RPCR_8_2_2_2_02,
                 "expected room for a verifier of %u octets in a Reply of %" PRIu64 " octets at an inline threshold of "
                 "%u, found no Reply chunk",
                 verifier, octets, room.threshold);
}

void nfs_size_reply(struct nfs_look *look)
{
    uint32_t most = look->exchange->limits.fore_maxresponse;

    judge_verifier(look);
    if (look->exchange->minor < 1 || !look->exchange->in_session)
        return;
    if (most == 0)
        nfs_open(look, RULE_NFSULB_6_2_2_01);
    else if (look->body->unreduced > most)
        nfs_fail(look, RULE_NFSULB_6_2_2_01,
                 "expected a Reply of at most %u octets, the session's ca_maxresponsesize, found %" PRIu64, most,
                 look->body->unreduced);
    else
        nfs_pass(look, RULE_NFSULB_6_2_2_01);
}
