// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Read returns what was written: RFC 5040 section 5.5 (12). A Write is placed before a later Read of the same
 * direction is answered, so the Response holds what the Write wrote, unless something else wrote there in between.
 *
 * A capture of one connection cannot show other writers. Octets are compared only when nothing was seen since the Write
 * that could have changed them, or made their owner's ULP change them, and a difference is a note. If only this
 * connection uses the memory, a difference is an error, and messages in between are no excuse.
 *
 * For each Write, the ends of its first and last segments are kept; for exclusive memory, all octets written or read.
 * Values that Atomics leave are judged in rdmap_atomic_memory.c.
 */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRITES_FIRST = 2,
    WRITES_MAX = 16,
    WRITES_MAX_EXCLUSIVE = 2048,
    READS_MAX = 64,
    END_OCTETS = 32, /* kept from either end of a segment */
    OCTETS_MAX = 8 << 20,
};

static const uint64_t OTHERS = UINT64_MAX, NO_WRITE = UINT64_MAX - 1; /* instead of the number of a Write */

/* One segment of a Write; for exclusive memory, also one of a Read Response. */
struct written {
    uint32_t stag, length, frame;
    uint64_t to;
    uint64_t message;  /* number of the Write */
    uint64_t end;      /* stream offset after its FPDU; for a Read Response, after the Read Request */
    uint64_t activity; /* when the segment was sent */
    bool read;         /* read, not written */
    uint8_t *octets;   /* all octets, on the heap, followed by one flag per octet: still valid; NULL: the ends only */
    uint8_t head[END_OCTETS], tail[END_OCTETS];
};

struct rdmap_readback {
    struct written *ring; /* capacity is a power of two */
    unsigned capacity;
    uint64_t first, next; /* entries kept; earlier ones were overwritten or forgotten */
    size_t octets;        /* number of octets on the heap */
    uint64_t activity;    /* counts other events that may have changed the owner's memory */
    uint64_t changed; /* end of the latest message that may have changed what open Reads find, or that was forgotten */
    bool reported;    /* one finding about this memory is enough */
    struct rdmap_readback *reads; /* for exclusive memory: octets that were read, in the same form; NULL: none */
};

static struct written *written_at(const struct rdmap_readback *b, uint64_t i)
{
    return &b->ring[i & (b->capacity - 1)];
}

static bool readback_is_sound(const struct rdmap_readback *b)
{
    return b->first <= b->next && b->next - b->first <= b->capacity && (b->capacity & (b->capacity - 1)) == 0 &&
           (b->first < b->next || b->octets == 0);
}

static void readback_forget_oldest(struct rdmap_readback *b)
{
    struct written *w = written_at(b, b->first++);

    if (w->end > b->changed && w->end != UINT64_MAX)
        b->changed = w->end;
    if (w->octets)
        b->octets -= w->length;
    free(w->octets);
    w->octets = NULL;
    INVARIANT(readback_is_sound(b));
}

static void readback_forget(struct rdmap_readback *b)
{
    for (; b; b = b->reads)
        while (b->first < b->next)
            readback_forget_oldest(b);
}

static void free_readback(struct rdmap_readback *b)
{
    if (!b)
        return;
    readback_forget(b);
    free_readback(b->reads);
    free(b->ring);
    free(b);
}

void rdmap_readback_free(struct rdmap_connection *rdmap)
{
    for (unsigned side = 0; side < 2; side++)
        free_readback(rdmap->readback[side]);
}

void rdmap_readback_hole(struct rdmap_connection *rdmap, unsigned side)
{
    struct rdmap_readback *b = rdmap->readback[side], *of_peer = rdmap->readback[other_side(side)];

    if (b)
        readback_forget(b);
    if (of_peer && !rdmap->options.exclusive) /* a ULP may have acted on the missing octets */
        readback_forget(of_peer);
}

/* ---- Writes ---- */

static bool readback_grow(struct rdmap_readback *b)
{
    unsigned capacity = b->capacity == 0 ? WRITES_FIRST : 2 * b->capacity;
    struct written *ring = heap_zeroed(capacity, sizeof *ring);

    if (!ring)
        return false;
    for (uint64_t i = b->first; i < b->next; i++)
        ring[i & (capacity - 1)] = *written_at(b, i);
    free(b->ring);
    b->ring = ring;
    b->capacity = capacity;
    INVARIANT(readback_is_sound(b) && b->next - b->first < b->capacity);
    return true;
}

static struct rdmap_readback *made(struct rdmap_readback **b)
{
    if (!*b)
        *b = heap_zeroed(1, sizeof **b);
    return *b && ((*b)->capacity > 0 || readback_grow(*b)) ? *b : NULL;
}

static bool readback_overlaps(const struct written *w, uint32_t stag, uint64_t from, uint64_t length)
{
    return w->stag == stag && (from - w->to < w->length || w->to - from < length);
}

/* Octets [from, from + length), which overlap this entry, no longer hold what was written. */
static void readback_clear(struct written *w, uint64_t from, uint64_t length)
{
    uint64_t begin = from - w->to < w->length ? from - w->to : 0;
    uint64_t end = from + length - w->to < w->length ? from + length - w->to : w->length;

    INVARIANT(begin < end && end <= w->length);
    if (w->octets)
        memset(w->octets + w->length + begin, 0, end - begin);
    else
        w->end = UINT64_MAX; /* later than every Read */
}

/* Clears these octets in all kept entries, except those of this message. */
static void overwrite(struct rdmap_readback *b, uint32_t stag, uint64_t from, uint64_t length, uint64_t message)
{
    for (; b; b = b->reads)
        for (uint64_t i = b->first; i < b->next; i++)
            if (written_at(b, i)->message != message && readback_overlaps(written_at(b, i), stag, from, length))
                readback_clear(written_at(b, i), from, length);
}

/* Open Atomics may be performed later than the latest kept Write. */
static void overwrite_by_open(struct rdmap_connection *rdmap, unsigned side, struct rdmap_readback *b)
{
    struct rdmap_requests *requests = &rdmap->side[side].requests;

    if (rdmap_requests_open(requests) > RDMAP_SEARCH_MAX) {
        readback_forget(b);
        return;
    }
    for (uint64_t serial = requests->head; serial < requests->tail; serial++) {
        const struct rdmap_request *request = rdmap_request_at(requests, serial);

        if (!request->answered && request->known && request->operation.kind == RDMAP_OP_ATOMIC)
            overwrite(b, request->operation.atomic.stag, request->operation.atomic.to, sizeof(uint64_t), OTHERS);
    }
}

/* A message other than Writes and Atomics changed these octets: what open Reads find there is unknown. */
static void readback_change(struct rdmap_connection *rdmap, unsigned side, uint32_t stag, uint64_t from,
                            uint64_t length)
{
    overwrite(rdmap->readback[side], stag, from, length, OTHERS);
    rdmap->readback[side]->changed = rdmap->side[side].end;
}

/* Keeps all octets, for exclusive memory. */
static void readback_keep_octets(struct rdmap_readback *b, struct written *w, const struct ddp_segment *ddp)
{
    w->octets = heap_get(2 * ddp->payload_len);
    if (!w->octets)
        return;
    memcpy(w->octets, ddp->payload, ddp->payload_len);
    memset(w->octets + ddp->payload_len, 1, ddp->payload_len);
    b->octets += ddp->payload_len;
    while (b->octets > OCTETS_MAX && b->first + 1 < b->next)
        readback_forget_oldest(b);
    INVARIANT(w->octets && b->octets >= w->length);
}

static struct written *readback_keep(struct rdmap_connection *rdmap, const struct rdmap_step *step,
                                     struct rdmap_readback *b, unsigned max)
{
    const struct ddp_segment *ddp = step->ddp;
    size_t n = ddp->payload_len < END_OCTETS ? ddp->payload_len : END_OCTETS;
    struct written *w;

    if (b->next - b->first == max || (b->next - b->first == b->capacity && !readback_grow(b)))
        readback_forget_oldest(b);
    w = written_at(b, b->next++);
    *w = (struct written){.stag = ddp->stag,
                          .length = (uint32_t)ddp->payload_len,
                          .frame = step->fpdu->place.frame,
                          .to = ddp->to,
                          .message = step->message->number,
                          .end = step->fpdu->fpdu.offset + step->fpdu->fpdu.length,
                          .activity = b->activity};
    memcpy(w->head, ddp->payload, n);
    memcpy(w->tail, ddp->payload + ddp->payload_len - n, n);
    if (rdmap->options.exclusive)
        readback_keep_octets(b, w, ddp);
    INVARIANT(readback_is_sound(b) && b->first < b->next && b->next - b->first <= max);
    return w;
}

static void note_write(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_readback *b;
    const struct ddp_segment *ddp = step->ddp;
    const struct ddp_message *m = step->message;

    if (!step->starts && !step->ends && !rdmap->options.exclusive)
        return;
    b = made(&rdmap->readback[step->side]);
    if (!b)
        return;
    if (step->faulty || m->faulty || m->damaged || m->disordered || step->fpdu->faulty) {
        readback_forget(b);
        return;
    }
    if (ddp->payload_len == 0)
        return;
    overwrite(b, ddp->stag, ddp->to, ddp->payload_len, m->number);
    if (step->ends && m->segments > 1)
        overwrite(b, m->stag, m->start, m->octets, m->number);
    readback_keep(rdmap, step, b, rdmap->options.exclusive ? WRITES_MAX_EXCLUSIVE : WRITES_MAX);
    overwrite_by_open(rdmap, step->side, b);
}

/* ---- Reads ---- */

/*
 * Octets p[0..n) were read from `from` on. Returns the index of the first that differs from octets q[0..m) at `at`; n
 * when none differs.
 */
static size_t readback_differs(const uint8_t *p, size_t n, uint64_t from, const uint8_t *q, size_t m, uint64_t at)
{
    uint64_t begin = at > from ? at : from, end = at + m < from + n ? at + m : from + n;

    if (begin >= end || memcmp(p + (begin - from), q + (begin - at), end - begin) == 0)
        return n;
    for (uint64_t i = begin; i < end; i++)
        if (p[i - from] != q[i - at])
            return (size_t)(i - from);
    return n;
}

/* The same for all octets that are still valid. */
static size_t differs_exclusive(const struct written *w, const uint8_t *p, size_t n, uint64_t from)
{
    for (size_t i = readback_differs(p, n, from, w->octets, w->length, w->to); i < n; i++) {
        uint64_t at = from + i - w->to;

        if (at < w->length && w->octets[w->length + at] && w->octets[at] != p[i])
            return i;
    }
    return n;
}

static size_t readback_compare(const struct written *w, const uint8_t *p, size_t n, uint64_t from)
{
    size_t kept = w->length < END_OCTETS ? w->length : END_OCTETS, head;

    if (w->octets)
        return differs_exclusive(w, p, n, from);
    head = readback_differs(p, n, from, w->head, kept, w->to);
    return head < n ? head : readback_differs(p, n, from, w->tail, kept, w->to + w->length - kept);
}

/* The Response can be compared with what was written before its request, and with nothing later. */
static bool comparable(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct rdmap_side *requester = &rdmap->side[other_side(step->side)];
    const struct rdmap_request *request = step->request;

    return request && request->known && step->match == RDMAP_MATCH_HEAD && !request->faulty && !request->doubtful &&
           !request->damaged && !step->faulty && !step->message->faulty && !step->message->damaged &&
           !step->message->disordered && rdmap_requests_certain(&requester->requests) &&
           request->operation.kind == RDMAP_OP_READ && step->ddp->stag == request->operation.read.sink_stag &&
           /* A message still to come in the capture may have written before the answer. */
           !requester->tagged.open && step->acked_known && step->acked <= requester->end;
}

static void fail_octet(struct rdmap_connection *rdmap, struct rdmap_step *step, const struct written *w, uint64_t to,
                       uint8_t found)
{
    bool exclusive = rdmap->options.exclusive;

    rdmap_fail_as(rdmap, step, RULE_RDMAP_5_5_13, exclusive ? SEVERITY_ERROR : SEVERITY_NOTE, w->frame,
                  "expected the octets of the RDMA Write in frame %u at STag 0x%08x TO 0x%" PRIx64
                  "; found that the RDMA Read returned other octets (%02x)%s",
                  w->frame, w->stag, to, found, exclusive ? "" : "; another writer may explain it");
}

/* False: the Read covers other octets. */
static bool readback_judge_writes(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_readback *b,
                                  uint64_t from)
{
    const struct rdmap_operation *operation = step->operation;
    const struct ddp_segment *ddp = step->ddp;
    bool compared = false;

    for (uint64_t i = b->first; i < b->next; i++) {
        const struct written *w = written_at(b, i);
        size_t at;

        if (!readback_overlaps(w, operation->read.source_stag, from, ddp->payload_len) ||
            w->end > operation->place.offset)
            continue;
        if (!rdmap->options.exclusive && w->activity != b->activity) {
            verdict_inconclusive(rdmap->verdict, RULE_RDMAP_5_5_13, WHY_CAUSE, step->fpdu->place.frame);
            continue;
        }
        at = readback_compare(w, ddp->payload, ddp->payload_len, from);
        compared = true;
        if (at == ddp->payload_len || b->reported)
            continue;
        b->reported = true;
        fail_octet(rdmap, step, w, from + at, ddp->payload[at]);
        return false;
    }
    if (compared)
        verdict_passed(rdmap->verdict, RULE_RDMAP_5_5_13);
    return true;
}

/* Keeps the octets that were read, except those that later messages may already have changed. */
static void keep_read(struct rdmap_connection *rdmap, const struct rdmap_step *step, struct rdmap_readback *b,
                      uint64_t from)
{
    struct written *w;

    if (b->changed > step->request->end ||
        step->request->activity != rdmap_memory_activity(rdmap, other_side(step->side)) || !made(&b->reads))
        return;
    w = readback_keep(rdmap, step, b->reads, READS_MAX);
    w->read = true;
    w->stag = step->operation->read.source_stag;
    w->to = from;
    w->message = NO_WRITE;
    w->end = step->request->end;
    for (uint64_t i = b->first; i < b->next; i++) {
        const struct written *later = written_at(b, i);

        if (later->end > w->end && readback_overlaps(w, later->stag, later->to, later->length))
            readback_clear(w, later->to, later->length);
    }
    overwrite_by_open(rdmap, other_side(step->side), b);
}

static void readback_judge_read(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_readback *b = rdmap->readback[other_side(step->side)];
    const struct rdmap_operation *operation = step->operation;
    const struct ddp_segment *ddp = step->ddp;
    bool exclusive = rdmap->options.exclusive;
    uint64_t from;

    if (!b || (!exclusive && b->first == b->next) || ddp->payload_len == 0 || !comparable(rdmap, step))
        return;
    from = operation->read.source_to + (ddp->to - operation->read.sink_to);
    if (!readback_judge_writes(rdmap, step, b, from) || !exclusive)
        return;
    keep_read(rdmap, step, b, from);
    rdmap_memory_read(rdmap, step, operation->read.source_stag, from);
}

/* ---- words of memory ---- */

static void readback_add_octets(const struct written *w, uint64_t to, struct rdmap_readback_word *word)
{
    word->read = w->read;
    word->frame = w->frame;
    word->end = w->end > word->end ? w->end : word->end;
    for (unsigned octet = 0; octet < sizeof word->octets; octet++) {
        uint64_t at = to + octet - w->to;

        if (at >= w->length || !w->octets[w->length + at])
            continue;
        word->octets[octet] = w->octets[at];
        word->known |= (uint8_t)(1u << octet);
    }
}

static void add_kept(const struct rdmap_readback *b, uint32_t stag, uint64_t to, struct rdmap_readback_word *word)
{
    for (uint64_t i = b->first; i < b->next; i++) {
        const struct written *w = written_at(b, i);

        if (w->octets && w->end != UINT64_MAX && readback_overlaps(w, stag, to, sizeof word->octets))
            readback_add_octets(w, to, word);
    }
}

void rdmap_readback_word(const struct rdmap_connection *rdmap, unsigned side, uint32_t stag, uint64_t to,
                         struct rdmap_readback_word *word)
{
    const struct rdmap_readback *b = rdmap->readback[side];

    *word = (struct rdmap_readback_word){0};
    if (b && b->reads)
        add_kept(b->reads, stag, to, word);
    if (b)
        add_kept(b, stag, to, word);
}

/* ---- all segments ---- */

/* Something other than a Write may have changed the memory of `owner`. */
static void note_activity(struct rdmap_connection *rdmap, unsigned owner)
{
    struct rdmap_readback *b = rdmap->readback[other_side(owner)];

    if (b)
        b->activity++;
}

void rdmap_readback_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_readback *of_peer = rdmap->readback[other_side(step->side)];

    switch (step->ddp->opcode) {
    case RDMAP_WRITE:
        note_activity(rdmap, step->side); /* as far as known, the writer also uses its own memory */
        note_write(rdmap, step);
        break;
    case RDMAP_READ_RESPONSE:
        readback_judge_read(rdmap, step);
        /* A Read Response is placed in the requester's memory. */
        if (rdmap->readback[step->side]) {
            note_activity(rdmap, other_side(step->side));
            readback_change(rdmap, step->side, step->ddp->stag, step->ddp->to, step->ddp->payload_len);
        }
        break;
    case RDMAP_READ_REQUEST:
        note_activity(rdmap, step->side);
        if (rdmap->options.exclusive && made(&rdmap->readback[step->side]))
            rdmap_memory_read_request(rdmap, step);
        break;
    case RDMAP_ATOMIC_REQUEST:
        note_activity(rdmap, step->side);
        if (rdmap->readback[step->side] && step->operation) {
            note_activity(rdmap, other_side(step->side));
            overwrite(rdmap->readback[step->side], step->operation->atomic.stag, step->operation->atomic.to,
                      sizeof(uint64_t), OTHERS);
        }
        break;
    case RDMAP_ATOMIC_RESPONSE:
        break;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE: /* the STag may name other memory from now on */
        if (rdmap->readback[step->side])
            readback_change(rdmap, step->side, step->ddp->stag, 0, UINT64_MAX);
        /* fall through */
    default: /* either ULP may act on the message, or be about to */
        note_activity(rdmap, 0);
        note_activity(rdmap, 1);
        if (of_peer && step->faulty)
            readback_forget(of_peer);
        break;
    }
}
