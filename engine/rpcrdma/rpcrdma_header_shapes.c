// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunk lists with the mistakes that senders make. One mistake shifts everything after it: each shape is a reading with
 * one mistake, and must end where the RPC message begins (its XID and type) or, in an RDMA_NOMSG, where the Send ends.
 * Used only for headers that cannot be read according to RFC 8166 section 4.1.2.
 */
#include "engine/rpcrdma/rpcrdma_header.h"
#include "wire/invariant.h"

enum {
    COUNT_MAX = 4096,
    POSITION_MAX = 1 << 24, /* larger values, and values that are not a multiple of 4, are invalid */
};

enum lead {
    EACH,   /* a 1 before each entry, and a 0 at the end */
    COUNT,  /* the number of entries */
    ONCE,   /* a word that says whether one entry follows */
    NONE,   /* no word before the entry */
    ABSENT, /* the field is absent, without a word that says so */
};

/* How one of the three fields is written. */
struct form {
    enum lead lead;
    uint8_t words; /* of a segment */
    bool chunk;    /* an entry is a counted array of segments, not one segment */
    bool end;      /* a 0 after the last entry */
    int8_t extra;  /* segments beyond the count */
};

enum form_name {
    READS,
    READS_COUNTED,
    READS_COUNTED_ENDED,
    READS_UNENDED,
    READS_16,
    READS_24,
    WRITES,
    WRITES_LIKE_READS,
    WRITES_AS_READS,
    WRITES_UNENDED,
    WRITES_COUNTED,
    WRITES_COUNTED_ENDED,
    WRITES_BARE,
    WRITES_BARE_ENDED,
    WRITES_POSITIONS,
    WRITES_ONE_LESS,
    WRITES_TWO_LESS,
    WRITES_ONE_MORE,
    WRITES_12,
    REPLY,
    REPLY_ENDED,
    REPLY_UNCOUNTED,
    REPLY_LIKE_READS,
    REPLY_AS_READS,
    REPLY_BARE,
    REPLY_POSITIONS,
    REPLY_ONE_LESS,
    REPLY_TWO_LESS,
    REPLY_ONE_MORE,
    REPLY_12,
    MISSING,
};

static const struct form forms[] = {
    [READS] = {EACH, 5, false, true, 0},
    [READS_COUNTED] = {COUNT, 5, false, false, 0},
    [READS_COUNTED_ENDED] = {COUNT, 5, false, true, 0},
    [READS_UNENDED] = {EACH, 5, false, false, 0},
    [READS_16] = {EACH, 4, false, true, 0},
    [READS_24] = {EACH, 6, false, true, 0},
    [WRITES] = {EACH, 4, true, true, 0},
    [WRITES_LIKE_READS] = {EACH, 4, false, true, 0},
    [WRITES_AS_READS] = {EACH, 5, false, true, 0},
    [WRITES_UNENDED] = {EACH, 4, true, false, 0},
    [WRITES_COUNTED] = {COUNT, 4, true, false, 0},
    [WRITES_COUNTED_ENDED] = {COUNT, 4, true, true, 0},
    [WRITES_BARE] = {NONE, 4, true, false, 0},
    [WRITES_BARE_ENDED] = {NONE, 4, true, true, 0},
    [WRITES_POSITIONS] = {EACH, 5, true, true, 0},
    [WRITES_ONE_LESS] = {EACH, 4, true, true, -1},
    [WRITES_TWO_LESS] = {EACH, 4, true, true, -2},
    [WRITES_ONE_MORE] = {EACH, 4, true, true, 1},
    [WRITES_12] = {EACH, 3, true, true, 0},
    [REPLY] = {ONCE, 4, true, false, 0},
    [REPLY_ENDED] = {ONCE, 4, true, true, 0},
    [REPLY_UNCOUNTED] = {ONCE, 4, false, false, 0},
    [REPLY_LIKE_READS] = {EACH, 4, false, true, 0},
    [REPLY_AS_READS] = {EACH, 5, false, true, 0},
    [REPLY_BARE] = {NONE, 4, true, false, 0},
    [REPLY_POSITIONS] = {ONCE, 5, true, false, 0},
    [REPLY_ONE_LESS] = {ONCE, 4, true, false, -1},
    [REPLY_TWO_LESS] = {ONCE, 4, true, false, -2},
    [REPLY_ONE_MORE] = {ONCE, 4, true, false, 1},
    [REPLY_12] = {ONCE, 3, true, false, 0},
    [MISSING] = {ABSENT, 0, false, false, 0},
};

enum shape_flags {
    INLINE_ONLY = 1, /* reaching the end of a Send proves too little, because the Send may have been truncated */
    LOOSE = 2,       /* any word except 0 means that an entry follows */
};

static const struct shape {
    enum rule_id rule;
    const char *found;
    enum form_name field[3]; /* in the order of writing */
    unsigned flags;
    unsigned gap; /* words before the fields */
} shapes[] = {
    {RULE_RPCR_4_1_2_04, "a word other than 0 and 1", {READS, WRITES, REPLY}, LOOSE, 0},
    {RULE_RPCR_4_1_2_05, "a Read list with a count before its segments", {READS_COUNTED_ENDED, WRITES, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_05, "a Read list with a count before its segments", {READS_COUNTED, WRITES, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_05, "a Read list without a 0 at its end", {READS_UNENDED, WRITES, REPLY}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_08, "a Write list with segments listed one by one", {READS, WRITES_LIKE_READS, REPLY}, 0, 0},
    {RULE_RPCR_3_4_6_03, "segments of 20 octets in the Write list", {READS, WRITES_POSITIONS, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_09, "a zero word after the Reply chunk", {READS, WRITES, REPLY_ENDED}, 0, 0},
    {RULE_RPCR_3_4_6_03, "segments of 20 octets in the Reply chunk", {READS, WRITES, REPLY_POSITIONS}, 0, 0},
    {RULE_RPCR_3_4_6_03,
     "segments of 20 octets in both Write list and Reply chunk",
     {READS, WRITES_POSITIONS, REPLY_POSITIONS},
     0,
     0},
    {RULE_RPCR_4_1_2_08, "a Write list without a 0 at its end", {READS, WRITES_UNENDED, REPLY}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_08, "a Write list with a leading count of chunks", {READS, WRITES_COUNTED, REPLY}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_08, "a Write list with a leading count of chunks", {READS, WRITES_COUNTED_ENDED, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_03, "the Write list first", {WRITES, READS, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_03, "the Reply chunk before the Write list", {READS, REPLY, WRITES}, 0, 0},
    {RULE_RPCR_4_1_2_03, "the Reply chunk first", {REPLY, READS, WRITES}, 0, 0},
    {RULE_RPCR_4_1_2_03, "the Read list last", {WRITES, REPLY, READS}, 0, 0},
    {RULE_RPCR_4_1_2_03, "Reply chunk, Write list and Read list", {REPLY, WRITES, READS}, 0, 0},
    {RULE_RPCR_3_4_6_01, "one segment too few in a Write chunk", {READS, WRITES_ONE_LESS, REPLY}, 0, 0},
    {RULE_RPCR_3_4_6_01, "one segment too many in a Write chunk", {READS, WRITES_ONE_MORE, REPLY}, 0, 0},
    {RULE_RPCR_3_4_6_01, "two segments too few in a Write chunk", {READS, WRITES_TWO_LESS, REPLY}, 0, 0},
    {RULE_RPCR_3_4_6_01, "one segment too few in the Reply chunk", {READS, WRITES, REPLY_ONE_LESS}, 0, 0},
    {RULE_RPCR_3_4_6_01, "one segment too many in the Reply chunk", {READS, WRITES, REPLY_ONE_MORE}, 0, 0},
    {RULE_RPCR_3_4_6_01, "two segments too few in the Reply chunk", {READS, WRITES, REPLY_TWO_LESS}, 0, 0},
    {RULE_RPCR_4_1_2_09, "a Reply chunk without a count of its segments", {READS, WRITES, REPLY_UNCOUNTED}, 0, 0},
    {RULE_RPCR_4_1_2_09, "a Reply chunk like a Read list", {READS, WRITES, REPLY_LIKE_READS}, 0, 0},
    {RULE_RPCR_4_1_2_09, "a Reply chunk like a Read list", {READS, WRITES, REPLY_AS_READS}, 0, 0},
    {RULE_RPCR_4_1_2_09, "a Reply chunk without a 1 before it", {READS, WRITES, REPLY_BARE}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_08, "a Write list like a Read list", {READS, WRITES_AS_READS, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_08, "a Write list without a 1 before its chunk", {READS, WRITES_BARE_ENDED, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_08,
     "a Write list with neither 1 nor 0 around its chunk",
     {READS, WRITES_BARE, REPLY},
     INLINE_ONLY,
     0},
    {RULE_RPCR_4_1_2_06, "read segments of 16 octets", {READS_16, WRITES, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_06, "read segments of 24 octets", {READS_24, WRITES, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_07, "segments of 12 octets in the Write list", {READS, WRITES_12, REPLY}, 0, 0},
    {RULE_RPCR_4_1_2_07, "segments of 12 octets in the Reply chunk", {READS, WRITES, REPLY_12}, 0, 0},
    {RULE_RPCR_4_1_2_03, "only two of the chunk lists", {READS, WRITES, MISSING}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_03, "only one of the chunk lists", {READS, MISSING, MISSING}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_03, "none of the chunk lists", {MISSING, MISSING, MISSING}, INLINE_ONLY, 0},
    {RULE_RPCR_4_1_2_03, "a word before the chunk lists", {READS, WRITES, REPLY}, INLINE_ONLY, 1},
    {RULE_RPCR_4_1_2_03, "two words before the chunk lists", {READS, WRITES, REPLY}, INLINE_ONLY, 2},
};

static const struct {
    enum rule_id rule;
    const char *text;
} expectations[] = {
    {RULE_RPCR_3_4_6_01, "as many segments in a chunk as its count says"},
    {RULE_RPCR_3_4_6_03, "segments of 16 octets, without Position, in Write list and Reply chunk"},
    {RULE_RPCR_4_1_2_03, "Read list, Write list and Reply chunk directly after the fixed words, in this order"},
    {RULE_RPCR_4_1_2_04, "0 or 1 where a chunk list ends or continues"},
    {RULE_RPCR_4_1_2_05, "a Read list with a 1 before each entry and a 0 at its end"},
    {RULE_RPCR_4_1_2_06, "read segments of 20 octets"},
    {RULE_RPCR_4_1_2_07, "segments of 16 octets"},
    {RULE_RPCR_4_1_2_08, "a Write list with a 1 before each counted chunk and a 0 at its end"},
    {RULE_RPCR_4_1_2_09, "a 1 and one counted chunk for a Reply chunk, and nothing else"},
};

const char *rpcrdma_shape_expected(enum rule_id rule)
{
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        if (expectations[i].rule == rule)
            return expectations[i].text;
    }
    return "chunk lists as in RFC 8166 section 4.1.2";
}

/* ---- reading ---- */

struct reading {
    struct xdr x;
    bool loose;
    bool doubtful; /* a count of 1 may be the word that says that an entry follows */
    unsigned segments;
};

static bool flag(struct reading *r, bool *set)
{
    uint32_t v = 0;

    if (!xdr_u32(&r->x, &v) || (v > 1 && !r->loose))
        return false;
    *set = v != 0;
    return true;
}

static bool zero(struct reading *r)
{
    uint32_t v = 1;

    return xdr_u32(&r->x, &v) && v == 0;
}

static bool entry(struct reading *r, const struct form *form)
{
    int64_t n = 1;
    uint32_t count = 0;

    if (form->chunk) {
        if (!xdr_u32(&r->x, &count) || count > COUNT_MAX)
            return false;
        n = (int64_t)count + form->extra;
    } else if (form->words == 5 && xdr_left(&r->x) >= 4) {
        uint32_t position = get_be32(r->x.p + r->x.at);

        if (position % 4 != 0 || position > POSITION_MAX)
            return false;
    }
    if (n < 0 || (n == 0 && form->extra != 0))
        return false;
    r->segments += (unsigned)n;
    INVARIANT(n >= 0 && n <= COUNT_MAX + 1 && form->words >= 3);
    return xdr_skip(&r->x, (uint64_t)n * form->words * 4);
}

static bool each(struct reading *r, const struct form *form)
{
    bool more = false;

    while (flag(r, &more)) {
        if (!more)
            return true;
        if (!entry(r, form))
            return false;
        if (!form->end && (xdr_left(&r->x) < 4 || get_be32(r->x.p + r->x.at) != 1))
            return true;
    }
    return false;
}

static bool shapes_counted(struct reading *r, const struct form *form)
{
    uint32_t n = 0;

    if (!xdr_u32(&r->x, &n) || n == 0 || n > COUNT_MAX)
        return false;
    r->doubtful |= n == 1 && !form->end;
    for (uint32_t i = 0; i < n; i++) {
        if (!entry(r, form))
            return false;
    }
    return !form->end || zero(r);
}

static bool shapes_field(struct reading *r, const struct form *form)
{
    bool present = true;

    switch (form->lead) {
    case EACH:
        return each(r, form);
    case COUNT:
        return shapes_counted(r, form);
    case ONCE:
        if (!flag(r, &present))
            return false;
        return !present || (entry(r, form) && (!form->end || zero(r)));
    case NONE:
        return entry(r, form) && (!form->end || zero(r));
    case ABSENT:
        break;
    }
    return true;
}

/* True: the lists can be read this way. They end at *end; *segments is 0 if their end alone proves nothing. */
static bool read_as(const struct rpcrdma_message *m, const struct shape *shape, uint32_t *end, unsigned *segments)
{
    struct reading r = {.x = xdr_begin(m->p, m->n), .loose = (shape->flags & LOOSE) != 0};

    if (!xdr_skip(&r.x, RPCRDMA_FIXED_LEN + 4u * shape->gap))
        return false;
    for (unsigned i = 0; i < 3; i++) {
        if (!shapes_field(&r, &forms[shape->field[i]]))
            return false;
    }
    *end = (uint32_t)r.x.at;
    *segments = r.doubtful ? 0 : r.segments;
    INVARIANT(*end <= m->n && *segments <= m->n / 12);
    return true;
}

/* XIDs may be small numbers, like the words of lists: therefore the word after msg_type is checked, too. */
bool rpcrdma_rpc_at(const struct rpcrdma_message *m, uint64_t at, uint32_t xid)
{
    uint32_t type, next;

    if (at + 12 > m->n || get_be32(m->p + at) != xid)
        return false;
    type = get_be32(m->p + at + 4);
    next = get_be32(m->p + at + 8);
    return type == RPC_CALL ? next == RPC_VERSION : type == RPC_REPLY && next <= RPC_MSG_DENIED;
}

static bool shapes_fits(const struct rpcrdma_message *m, const struct shape *shape, uint32_t xid, uint32_t proc)
{
    uint32_t end = 0;
    unsigned segments = 0;

    if (!read_as(m, shape, &end, &segments))
        return false;
    if (proc == RPCRDMA_NOMSG)
        return (shape->flags & INLINE_ONLY) == 0 && end == m->n && segments > 0;
    return rpcrdma_rpc_at(m, end, xid);
}

bool rpcrdma_shape_standard(const struct rpcrdma_message *m, uint32_t xid, uint32_t proc)
{
    static const struct shape standard = {RULE_RPCR_4_1_2_03, "", {READS, WRITES, REPLY}, 0, 0};

    return shapes_fits(m, &standard, xid, proc);
}

bool rpcrdma_shape_write_list_first(const struct rpcrdma_message *m)
{
    static const struct shape exchanged = {RULE_RPCR_4_1_2_03, "", {WRITES, READS, REPLY}, 0, 0};

    return shapes_fits(m, &exchanged, m->header.xid, m->header.proc);
}

bool rpcrdma_shape_find(const struct rpcrdma_message *m, enum rule_id *rule, const char **found)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes_fits(m, &shapes[i], m->header.xid, m->header.proc)) {
            *rule = shapes[i].rule;
            *found = shapes[i].found;
            return true;
        }
    }
    return false;
}
