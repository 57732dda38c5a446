// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses that Atomics name, and the contents of memory there if only this connection writes it (--exclusive).
 *
 * Everything that changes the memory of a side comes from its peer, in one direction: RDMA Writes, Atomic Requests, and
 * Responses to the side's Reads. RFC 5040 section 5.5 and RFC 7306 section 7 say what a request finds there: the effect
 * of everything sent before it, but perhaps also of Writes sent after it. So the contents of an address are known from
 * the answer to an Atomic, or from octets written or read there, until
 * - a Write comes while an Atomic on the address is open: either may be first,
 * - octets of a Read Response are placed there: RDMAP defines no order between the two ends of a stream,
 * - its STag is invalidated, and may name other memory from then on,
 * - a part of that direction is missing.
 * A missing answer to an Atomic leaves the Atomic's address unknown.
 */
#include "engine/core/heap.h"
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), ALL_OCTETS = 0xFF, ORDER_BIG = 0, ORDER_LITTLE = 1, BOTH_ORDERS = 3 };

/* ---- the table ---- */

static struct rdmap_shadow *ways_of(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t to)
{
    uint64_t hash = ((uint64_t)stag * 0x9E3779B97F4A7C15u) ^ (to * 0xC2B2AE3D27D4EB4Fu);

    return &state->shadow[requester][(hash >> 32) % (RDMAP_SHADOWS / RDMAP_SHADOW_WAYS) * RDMAP_SHADOW_WAYS];
}

static struct rdmap_shadow *find_shadow(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag,
                                        uint64_t to)
{
    struct rdmap_shadow *ways = ways_of(state, requester, stag, to);

    for (unsigned i = 0; i < RDMAP_SHADOW_WAYS; i++)
        if (ways[i].used && ways[i].stag == stag && ways[i].to == to)
            return &ways[i];
    return NULL;
}

/* The entry that was unused for longest is replaced. */
static struct rdmap_shadow *make_shadow(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag,
                                        uint64_t to)
{
    struct rdmap_shadow *ways = ways_of(state, requester, stag, to), *oldest = ways;

    for (unsigned i = 1; i < RDMAP_SHADOW_WAYS; i++)
        if (ways[i].touched < oldest->touched)
            oldest = &ways[i];
    *oldest = (struct rdmap_shadow){.used = true, .stag = stag, .to = to};
    INVARIANT(find_shadow(state, requester, stag, to) == oldest);
    return oldest;
}

struct rdmap_shadow *rdmap_shadow_of(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t to,
                                     bool make)
{
    struct rdmap_shadow *shadow;

    if (!state->shadow[requester] && make) {
        state->shadow[requester] = heap_zeroed(RDMAP_SHADOWS, sizeof *shadow);
        state->orders[requester] = BOTH_ORDERS;
    }
    if (!state->shadow[requester])
        return NULL;
    shadow = find_shadow(state, requester, stag, to);
    if (!shadow && make)
        shadow = make_shadow(state, requester, stag, to);
    if (shadow)
        shadow->touched = ++state->clock;
    INVARIANT(!shadow || (shadow->used && shadow->stag == stag && shadow->to == to));
    return shadow;
}

/* ---- values and octets ---- */

static bool same_octets(const struct rdmap_memory_word *a, const struct rdmap_memory_word *b, unsigned order)
{
    for (unsigned i = 0; i < WORD; i++)
        if (a->known & b->known & 1u << i && a->octets[order][i] != b->octets[order][i])
            return false;
    return true;
}

/* The two agree in at least one octet order. */
static bool atomic_memory_fits(struct rdmap_atomic_state *state, unsigned requester,
                               const struct rdmap_memory_word *memory, const struct rdmap_memory_word *found)
{
    uint8_t fitting = 0;

    for (unsigned order = 0; order < RDMAP_OCTET_ORDERS; order++)
        if (state->orders[requester] & 1u << order && same_octets(memory, found, order))
            fitting |= (uint8_t)(1u << order);
    if (fitting != 0)
        state->orders[requester] = fitting;
    INVARIANT(state->orders[requester] != 0 && (state->orders[requester] & ~(unsigned)BOTH_ORDERS) == 0);
    return fitting != 0;
}

static void set_value(struct rdmap_memory_word *memory, uint64_t value)
{
    memory->known = ALL_OCTETS;
    for (unsigned order = 0; order < RDMAP_OCTET_ORDERS; order++)
        put_be64(memory->octets[order], order == ORDER_BIG ? value : __builtin_bswap64(value));
}

bool rdmap_memory_fits(struct rdmap_atomic_state *state, unsigned requester, const struct rdmap_memory_word *memory,
                       uint64_t original)
{
    struct rdmap_memory_word found;

    set_value(&found, original);
    return atomic_memory_fits(state, requester, memory, &found);
}

uint64_t rdmap_memory_value(const struct rdmap_atomic_state *state, unsigned requester,
                            const struct rdmap_memory_word *memory)
{
    return state->orders[requester] == 1u << ORDER_LITTLE ? __builtin_bswap64(get_be64(memory->octets[ORDER_LITTLE]))
                                                          : get_be64(memory->octets[ORDER_BIG]);
}

/* Takes the segment's octets, which begin at `to`, as far as they fall within the entry's address. */
static void atomic_memory_take_octets(const struct ddp_segment *ddp, uint64_t to, uint64_t address,
                                      struct rdmap_memory_word *memory)
{
    for (unsigned i = 0; i < WORD; i++) {
        uint64_t at = address + i - to;

        if (at >= ddp->payload_len)
            continue;
        memory->octets[ORDER_BIG][i] = memory->octets[ORDER_LITTLE][i] = ddp->payload[at];
        memory->known |= (uint8_t)(1u << i);
    }
}

bool rdmap_memory_elsewhere(const struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t found)
{
    for (unsigned i = 0; i < RDMAP_SHADOWS; i++) {
        const struct rdmap_shadow *other = &state->shadow[requester][i];

        if (other->used && other->stag != stag && other->memory.known == ALL_OCTETS &&
            rdmap_memory_value(state, requester, &other->memory) == found)
            return true;
    }
    return false;
}

/* ---- what changes memory ---- */

/*
 * Octets [to, to + length) of an STag change, by an FPDU that ends at stream offset `end`; written NULL: the values are
 * unknown.
 */
struct change {
    uint32_t stag, frame;
    uint64_t to, length, end;
    const struct ddp_segment *written;
};

static bool atomic_memory_is_open(struct rdmap_requests *requests, uint64_t serial_after)
{
    const struct rdmap_request *request = serial_after == 0 ? NULL : rdmap_request_at(requests, serial_after - 1);

    return request && !request->answered;
}

static void change_word(struct rdmap_connection *rdmap, unsigned side, struct rdmap_shadow *shadow,
                        const struct change *change)
{
    struct rdmap_memory_word *memory = &shadow->memory;

    memory->changed = change->end;
    if (shadow->activity != rdmap->atomic->activity[side])
        memory->known = 0;
    shadow->activity = rdmap->atomic->activity[side];
    /* An Atomic is open, or the Atomic's answer came before this change: either may be first. */
    if (!change->written || atomic_memory_is_open(&rdmap->side[side].requests, memory->requested) ||
        change->end <= rdmap->atomic->ahead[side]) {
        memory->known = 0;
        return;
    }
    memory->source = RDMAP_MEMORY_WRITE;
    memory->frame = change->frame;
    atomic_memory_take_octets(change->written, change->to, shadow->to, memory);
}

/*
 * Iterates over the entries of octets [to, to + length) of an STag; looks up each aligned address when there are few.
 */
static struct rdmap_shadow *next_shadow(struct rdmap_atomic_state *state, unsigned side, uint32_t stag, uint64_t to,
                                        uint64_t length, uint64_t *i)
{
    bool few = length / WORD + 2 < RDMAP_SHADOWS;
    uint64_t n = few ? length / WORD + 2 : RDMAP_SHADOWS;

    while (*i < n) {
        uint64_t address = (to & ~(uint64_t)(WORD - 1)) + WORD * *i;
        struct rdmap_shadow *shadow = few ? find_shadow(state, side, stag, address) : &state->shadow[side][*i];

        ++*i;
        INVARIANT(*i <= n);
        if (shadow && shadow->used && shadow->stag == stag && (shadow->to - to < length || to - shadow->to < WORD))
            return shadow;
    }
    return NULL;
}

static void change_memory(struct rdmap_connection *rdmap, unsigned side, const struct change *change)
{
    struct rdmap_shadow *shadow;
    uint64_t i = 0;

    if (change->length == 0)
        return;
    while ((shadow = next_shadow(rdmap->atomic, side, change->stag, change->to, change->length, &i)))
        change_word(rdmap, side, shadow, change);
}

void rdmap_memory_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    struct change change = {.stag = ddp->stag,
                            .frame = step->fpdu->place.frame,
                            .to = ddp->to,
                            .length = ddp->payload_len + ddp->lacking,
                            .end = step->fpdu->fpdu.offset + step->fpdu->fpdu.length};

    if (!rdmap->atomic->shadow[step->side])
        return;
    switch (ddp->opcode) {
    case RDMAP_WRITE:
        if (ddp->lacking == 0 && step->message)
            change.written = ddp;
        change_memory(rdmap, step->side, &change);
        break;
    case RDMAP_READ_RESPONSE:
        change_memory(rdmap, step->side, &change);
        break;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        change.to = 0;
        change.length = UINT64_MAX;
        change_memory(rdmap, step->side, &change);
        break;
    default:
        break;
    }
}

/* ---- requests and answers ---- */

static bool in_step(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct rdmap_side *requester = &rdmap->side[other_side(step->side)];

    return step->acked_known && step->acked <= requester->end && rdmap_requests_certain(&requester->requests) &&
           !step->request->doubtful;
}

/* Takes the octets that were written or read before the first Atomic on the address. */
static void learn_word(struct rdmap_connection *rdmap, unsigned side, struct rdmap_shadow *shadow)
{
    struct rdmap_readback_word word;

    rdmap_readback_word(rdmap, side, shadow->stag, shadow->to, &word);
    INVARIANT(shadow->memory.requested == 0 && shadow->memory.answered == 0);
    shadow->activity = rdmap->atomic->activity[side];
    shadow->memory.known = word.known;
    shadow->memory.source = word.read ? RDMAP_MEMORY_READ : RDMAP_MEMORY_WRITE;
    shadow->memory.frame = word.frame;
    shadow->memory.changed = word.end;
    for (unsigned order = 0; order < RDMAP_OCTET_ORDERS; order++)
        memcpy(shadow->memory.octets[order], word.octets, WORD);
}

void rdmap_memory_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct rdmap_atomic_request *atomic = &step->operation->atomic;
    struct rdmap_shadow *shadow = rdmap_shadow_of(rdmap->atomic, step->side, atomic->stag, atomic->to, true);

    if (!shadow)
        return;
    if (shadow->memory.requested == 0 && shadow->memory.changed == 0)
        learn_word(rdmap, step->side, shadow);
    step->request->previous = shadow->memory.requested;
    shadow->memory.requested = step->request->serial + 1;
    INVARIANT(step->request->previous < shadow->memory.requested);
}

/* Before the request, only answered Atomics and known Writes changed the address. */
static bool atomic_memory_is_known(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                                   const struct rdmap_shadow *shadow, uint64_t previous)
{
    return shadow->memory.known != 0 && shadow->activity == rdmap->atomic->activity[other_side(step->side)] &&
           shadow->memory.answered == previous && shadow->memory.changed <= step->request->end;
}

bool rdmap_memory_comparable(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                             const struct rdmap_shadow *shadow)
{
    return in_step(rdmap, step) && atomic_memory_is_known(rdmap, step, shadow, step->request->previous);
}

void rdmap_memory_answered(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                           struct rdmap_shadow *shadow, uint64_t after)
{
    unsigned requester = other_side(step->side);
    struct rdmap_atomic_state *state = rdmap->atomic;
    struct rdmap_memory_word *memory = &shadow->memory;
    bool together = in_step(rdmap, step);

    memory->answered = step->request->serial + 1;
    if (!together && (!step->acked_known || step->acked > state->ahead[requester]))
        state->ahead[requester] = step->acked_known ? step->acked : UINT64_MAX;
    set_value(memory, after);
    memory->source = RDMAP_MEMORY_ATOMIC;
    /* The value is known only if the request came after everything that may have changed the address. */
    if (!together || step->request->activity != state->activity[requester] || memory->changed > step->request->end)
        memory->known = 0;
    shadow->activity = state->activity[requester];
    INVARIANT(memory->known == 0 || memory->known == ALL_OCTETS);
    INVARIANT(memory->answered <= rdmap->side[requester].requests.tail);
}

/* ---- Reads ---- */

/* The latest Atomic on the address that was requested before the Read: serial number + 1. */
static uint64_t before_read(struct rdmap_requests *requests, const struct rdmap_request *read, uint64_t requested)
{
    while (requested > read->serial) {
        const struct rdmap_request *request = rdmap_request_at(requests, requested - 1);

        if (!request)
            return UINT64_MAX;
        INVARIANT(request->previous < requested);
        requested = request->previous;
    }
    return requested;
}

static void atomic_memory_read_word(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                    struct rdmap_shadow *shadow, uint64_t to)
{
    unsigned requester = other_side(step->side);
    struct rdmap_atomic_state *state = rdmap->atomic;
    struct rdmap_memory_word *memory = &shadow->memory, found = {0};
    uint64_t previous = before_read(&rdmap->side[requester].requests, step->request, memory->requested);

    if (previous == UINT64_MAX || memory->changed > step->request->end ||
        step->request->activity != state->activity[requester])
        return; /* the address changed since, perhaps before the Response */
    atomic_memory_take_octets(step->ddp, to, shadow->to, &found);
    if (!atomic_memory_is_known(rdmap, step, shadow, previous)) {
        memory->known = 0;
        memory->source = RDMAP_MEMORY_READ;
        memory->frame = step->fpdu->place.frame;
    } else if (!atomic_memory_fits(state, requester, memory, &found)) {
        found = *memory;
        atomic_memory_take_octets(step->ddp, to, shadow->to, &found);
        rdmap_values_read_differs(rdmap, step, shadow, rdmap_memory_value(state, requester, &found));
    }
    atomic_memory_take_octets(step->ddp, to, shadow->to, memory);
    memory->answered = previous;
    shadow->activity = state->activity[requester];
    INVARIANT(previous <= step->request->serial);
}

uint64_t rdmap_memory_activity(const struct rdmap_connection *rdmap, unsigned side)
{
    return rdmap->atomic->activity[side];
}

void rdmap_memory_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    if (step->request)
        step->request->activity = rdmap->atomic->activity[step->side];
}

void rdmap_memory_read(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t stag, uint64_t to)
{
    unsigned requester = other_side(step->side);
    struct rdmap_shadow *shadow;
    uint64_t i = 0;

    if (!rdmap->atomic->shadow[requester])
        return;
    while ((shadow = next_shadow(rdmap->atomic, requester, stag, to, step->ddp->payload_len, &i)))
        atomic_memory_read_word(rdmap, step, shadow, to);
}
