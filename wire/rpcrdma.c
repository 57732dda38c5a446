// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/rpcrdma.h"
#include "wire/invariant.h"

enum {
    WORD = 4,
    READ_ENTRY_LEN = WORD + RPCRDMA_READ_SEGMENT_LEN, /* including the word that announces it */
    WRITE_ENTRY_MIN = 2 * WORD,                       /* that word, and the chunk's count */
};

/* A cursor through one Send, and the header to fill in. */
struct reader {
    const uint8_t *p;
    uint32_t n, at;
    struct rpcrdma_header *out;
};

static bool rpcrdma_fault(struct reader *r, enum rpcrdma_status status, uint32_t at, uint32_t value)
{
    r->out->status = status;
    r->out->fault_at = at;
    r->out->fault = value;
    return false;
}

/* The Send ends here: the missing word is the first incomplete word. */
static bool rpcrdma_ended(struct reader *r, enum rpcrdma_status status)
{
    return rpcrdma_fault(r, status, r->at + ((r->n - r->at) & ~3u), 0);
}

static bool rpcrdma_word(struct reader *r, enum rpcrdma_status short_status, uint32_t *out)
{
    if (r->n - r->at < WORD)
        return rpcrdma_ended(r, short_status);
    *out = get_be32(r->p + r->at);
    r->at += WORD;
    INVARIANT(r->at <= r->n);
    return true;
}

/* The word before an optional element (RFC 4506 section 4.19). */
static bool rpcrdma_follows(struct reader *r, bool *present)
{
    uint32_t v = 0;

    if (!rpcrdma_word(r, RPCRDMA_OVERRUN, &v))
        return false;
    if (v > 1)
        return rpcrdma_fault(r, RPCRDMA_BAD_DISCRIMINATOR, r->at - WORD, v);
    *present = v != 0;
    return true;
}

static bool rpcrdma_read_list(struct reader *r)
{
    struct rpcrdma_list *list = &r->out->read;
    bool more;

    list->at = list->end = r->at;
    while (rpcrdma_follows(r, &more) && more) {
        if (r->n - r->at < RPCRDMA_READ_SEGMENT_LEN)
            return rpcrdma_ended(r, RPCRDMA_OVERRUN);
        r->at += RPCRDMA_READ_SEGMENT_LEN;
        list->end = r->at;
        list->segments = ++list->n;
    }
    if (r->out->status != RPCRDMA_OK)
        return false;
    list->end = r->at;
    INVARIANT(list->end <= r->n && list->segments == list->n);
    return true;
}

/* A counted array of plain segments. The sender chooses the count: up to 2^32 - 1, in a Send of any length. */
static bool write_chunk(struct reader *r, uint32_t *segments)
{
    uint32_t n = 0;

    if (!rpcrdma_word(r, RPCRDMA_OVERRUN, &n))
        return false;
    if ((uint64_t)n * RPCRDMA_SEGMENT_LEN > r->n - r->at)
        return rpcrdma_fault(r, RPCRDMA_OVERRUN, r->at - WORD, n);
    r->at += n * RPCRDMA_SEGMENT_LEN;
    *segments = n;
    INVARIANT(r->at <= r->n);
    return true;
}

static bool rpcrdma_write_list(struct reader *r)
{
    struct rpcrdma_list *list = &r->out->write;
    uint32_t segments = 0;
    bool more;

    list->at = list->end = r->at;
    while (rpcrdma_follows(r, &more) && more) {
        if (!write_chunk(r, &segments))
            return false;
        list->end = r->at;
        list->n++;
        list->segments += segments;
    }
    if (r->out->status != RPCRDMA_OK)
        return false;
    list->end = r->at;
    INVARIANT(list->at <= list->end && list->end <= r->n && (list->n > 0 || list->segments == 0));
    return true;
}

static bool reply_chunk(struct reader *r)
{
    struct rpcrdma_list *list = &r->out->reply;
    bool present = false;

    list->at = list->end = r->at;
    if (!rpcrdma_follows(r, &present) || (present && !write_chunk(r, &list->n)))
        return false;
    r->out->has_reply = present;
    list->segments = list->n;
    list->end = r->at;
    INVARIANT(list->at <= list->end && list->end <= r->n && (present || list->n == 0));
    return true;
}

static bool error_body(struct reader *r)
{
    struct rpcrdma_header *out = r->out;

    if (!rpcrdma_word(r, RPCRDMA_SHORT, &out->err))
        return false;
    if (out->err == RPCRDMA_ERR_VERS)
        return rpcrdma_word(r, RPCRDMA_SHORT, &out->vers_low) && rpcrdma_word(r, RPCRDMA_SHORT, &out->vers_high);
    return out->err == RPCRDMA_ERR_CHUNK || rpcrdma_fault(r, RPCRDMA_BAD_ERR, r->at - WORD, out->err);
}

static bool body(struct reader *r)
{
    struct rpcrdma_header *out = r->out;

    switch (out->proc) {
    case RPCRDMA_MSGP:
        if (!rpcrdma_word(r, RPCRDMA_SHORT, &out->align) || !rpcrdma_word(r, RPCRDMA_SHORT, &out->thresh))
            return false;
        return rpcrdma_read_list(r) && rpcrdma_write_list(r) && reply_chunk(r);
    case RPCRDMA_MSG:
    case RPCRDMA_NOMSG:
        return rpcrdma_read_list(r) && rpcrdma_write_list(r) && reply_chunk(r);
    case RPCRDMA_DONE:
        return true;
    case RPCRDMA_ERROR:
        return error_body(r);
    default:
        return rpcrdma_fault(r, RPCRDMA_BAD_PROC, r->at - WORD, out->proc);
    }
}

enum rpcrdma_status rpcrdma_header_decode(struct rpcrdma_header *out, const uint8_t *p, size_t n)
{
    /* Offsets have 32 bits; headers in such a long Send do not reach that far. */
    struct reader r = {.p = p, .n = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n, .out = out};

    *out = (struct rpcrdma_header){.status = RPCRDMA_OK};
    if (rpcrdma_word(&r, RPCRDMA_SHORT, &out->xid) && rpcrdma_word(&r, RPCRDMA_SHORT, &out->vers) &&
        rpcrdma_word(&r, RPCRDMA_SHORT, &out->credit) && rpcrdma_word(&r, RPCRDMA_SHORT, &out->proc))
        body(&r);
    if (out->status == RPCRDMA_OK || out->status == RPCRDMA_BAD_ERR)
        out->header_len = r.at;
    INVARIANT(out->header_len <= r.n && (out->status != RPCRDMA_OK || out->header_len >= 4 * WORD));
    return out->status;
}

static struct rpcrdma_segment plain_segment(const uint8_t *p)
{
    return (struct rpcrdma_segment){.handle = get_be32(p), .length = get_be32(p + 4), .offset = get_be64(p + 8)};
}

struct rpcrdma_read_segment rpcrdma_read_segment_at(const struct rpcrdma_header *header, const uint8_t *p, uint32_t i)
{
    const uint8_t *at = p + header->read.at + (size_t)i * READ_ENTRY_LEN + WORD;

    return (struct rpcrdma_read_segment){.position = get_be32(at), .target = plain_segment(at + WORD)};
}

struct rpcrdma_chunk rpcrdma_write_begin(const struct rpcrdma_header *header)
{
    return (struct rpcrdma_chunk){.next = header->write.at};
}

bool rpcrdma_write_next(const struct rpcrdma_header *header, const uint8_t *p, struct rpcrdma_chunk *chunk)
{
    /*
     * A complete list ends with a zero word; a list with a fault ends after its last complete chunk. Neither has room
     * left.
     */
    if ((uint64_t)chunk->next + WRITE_ENTRY_MIN > header->write.end)
        return false;
    chunk->at = chunk->next + WORD;
    chunk->n = get_be32(p + chunk->at);
    chunk->next = chunk->at + WORD + chunk->n * RPCRDMA_SEGMENT_LEN;
    INVARIANT(chunk->next <= header->write.end && chunk->next > chunk->at);
    return true;
}

struct rpcrdma_chunk rpcrdma_reply_chunk(const struct rpcrdma_header *header)
{
    return (struct rpcrdma_chunk){
        .at = header->reply.at + WORD,
        .n = header->reply.n,
        .next = header->reply.end,
    };
}

struct rpcrdma_segment rpcrdma_segment_at(const struct rpcrdma_chunk *chunk, const uint8_t *p, uint32_t i)
{
    return plain_segment(p + chunk->at + WORD + (size_t)i * RPCRDMA_SEGMENT_LEN);
}

const char *rpcrdma_proc_name(uint32_t proc)
{
    static const char *const names[] = {"RDMA_MSG", "RDMA_NOMSG", "RDMA_MSGP", "RDMA_DONE", "RDMA_ERROR"};

    return proc < sizeof names / sizeof *names ? names[proc] : "unknown";
}

const char *rpcrdma_err_name(uint32_t err)
{
    return err == RPCRDMA_ERR_VERS ? "ERR_VERS" : err == RPCRDMA_ERR_CHUNK ? "ERR_CHUNK" : "unknown";
}

/* ---- encoder ---- */

static void rpcrdma_put_segment(const struct rpcrdma_segment *segment, struct xdr_writer *w)
{
    xdr_put_u32(w, segment->handle);
    xdr_put_u32(w, segment->length);
    xdr_put_u64(w, segment->offset);
}

static void put_write_chunk(const struct rpcrdma_write_plan *chunk, struct xdr_writer *w)
{
    xdr_put_u32(w, 1);
    xdr_put_u32(w, chunk->n);
    for (uint32_t i = 0; i < chunk->n && !w->failed; i++)
        rpcrdma_put_segment(&chunk->segments[i], w);
}

static void put_lists(const struct rpcrdma_plan *plan, struct xdr_writer *w)
{
    for (uint32_t i = 0; i < plan->n_reads && !w->failed; i++) {
        xdr_put_u32(w, 1);
        xdr_put_u32(w, plan->reads[i].position);
        rpcrdma_put_segment(&plan->reads[i].target, w);
    }
    xdr_put_u32(w, 0);
    for (uint32_t i = 0; i < plan->n_writes && !w->failed; i++)
        put_write_chunk(&plan->writes[i], w);
    xdr_put_u32(w, 0);
    if (plan->reply)
        put_write_chunk(plan->reply, w);
    else
        xdr_put_u32(w, 0);
}

void rpcrdma_header_encode(const struct rpcrdma_plan *plan, struct xdr_writer *w)
{
    xdr_put_u32(w, plan->xid);
    xdr_put_u32(w, plan->vers);
    xdr_put_u32(w, plan->credit);
    xdr_put_u32(w, plan->proc);
    switch (plan->proc) {
    case RPCRDMA_DONE:
        break;
    case RPCRDMA_ERROR:
        xdr_put_u32(w, plan->err);
        if (plan->err == RPCRDMA_ERR_VERS) {
            xdr_put_u32(w, plan->vers_low);
            xdr_put_u32(w, plan->vers_high);
        }
        break;
    case RPCRDMA_MSGP:
        xdr_put_u32(w, plan->align);
        xdr_put_u32(w, plan->thresh);
        put_lists(plan, w);
        break;
    default:
        /* Undefined types get the lists, too, so that only this word is wrong. */
        put_lists(plan, w);
        break;
    }
}
