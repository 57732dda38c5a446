// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rdmapx, what Atomic Operations do (RFC 7306 sections 5.1.1 and 5.1.2): each original value and what is left in
 * the memory are compared with a model.
 */
#include "traffic-gen/tester/suite/cases/suite_look.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "wire/atomic.h"
#include "wire/octets.h"

#include <inttypes.h>

enum {
    OPERATIONS = 6,
    WORD = sizeof(uint64_t),
    FIRST_WORD = 128 /* place in the device's memory that other cases do not use */
};

/* ---- series ---- */

struct series {
    uint64_t start;
    struct rdmap_atomic_request operation[OPERATIONS]; /* until one does nothing */
};

#define ADD(data_, mask_)                                                                                              \
    {                                                                                                                  \
        .opcode = RDMAP_ATOMIC_FETCH_ADD, .data = (data_), .mask = (mask_), .compare_mask = UINT64_MAX                 \
    }
#define SWAP(data_, mask_, compare_, compare_mask_)                                                                    \
    {                                                                                                                  \
        .opcode = RDMAP_ATOMIC_CMP_SWAP, .data = (data_), .mask = (mask_), .compare_data = (compare_),                 \
        .compare_mask = (compare_mask_)                                                                                \
    }

static const struct series table[] = {
    /* Additions that carry through all octets, and out of the word. */
    [SUMS] = {0x00000000FFFFFFFF, {ADD(1, 0), ADD(0xFFFFFFFEFFFFFFFF, 0), ADD(2, 0), ADD(0x0102030405060708, 0)}},
    /* Fields of 32, of 8 and of single bits, and one that is not aligned: no carry leaves them. */
    [CARRIES] = {0x7FFFFFFFFFFFFFFF,
                 {ADD(1, 0x0000000080000000), ADD(0x0000000100000001, 0x8000000080000000),
                  ADD(0xFF01FF01FF01FF01, 0x8080808080808080), ADD(0x5555555555555555, UINT64_MAX),
                  ADD(0x0000000000FFF0FF, 0x0000000000800800)}},
    [PARTIAL_COMPARE] = {0x1122334455667788,
                         {SWAP(0xA1A2A3A4A5A6A7A8, UINT64_MAX, 0xFFFFFFFF55660000, 0x00000000FFFF0000),
                          SWAP(0xB1B2B3B4B5B6B7B8, UINT64_MAX, 0, 0)}},
    [PARTIAL_SWAP] = {0x1122334455667788,
                      {SWAP(0xFFEEDDCCBBAA9900, 0x00FF00FF0F0F0F0F, 0x1122334455667788, UINT64_MAX),
                       SWAP(0xFFEEDDCCBBAA9900, 0, 0, 0)}},
    [MISMATCH] = {0x1122334455667788,
                  {SWAP(1, UINT64_MAX, 0x1122334455667789, UINT64_MAX), SWAP(2, UINT64_MAX, 0, 0x8000000000000008),
                   SWAP(3, UINT64_MAX, 0x9122334455667788, UINT64_MAX)}},
    [MATCH] = {0x1122334455667788,
               {SWAP(0x8877665544332211, UINT64_MAX, 0x1122334455667788, UINT64_MAX),
                SWAP(0x0000000000000001, UINT64_MAX, 0x8877665544332211, UINT64_MAX)}},
    [MIXED] = {0x00000000FFFFFFFE,
               {ADD(1, 0), SWAP(0x00000000FFFFFFFF, UINT64_MAX, 0x00000000FFFFFFFF, UINT64_MAX), ADD(1, 0x80000000),
                SWAP(7, UINT64_MAX, 1, UINT64_MAX), ADD(9, 0)}},
};

static unsigned length_of(const struct series *series)
{
    unsigned n = 0;

    while (n < OPERATIONS && series->operation[n].data != 0)
        n++;
    return n;
}

/* The offset of a word in the region whose address is a multiple of eight. */
static unsigned place_in(const struct advert_memory *memory)
{
    return FIRST_WORD + (unsigned)(-memory->address % WORD);
}

static bool say_operation(struct talk *talk, const char *region, unsigned place, unsigned id,
                          const struct rdmap_atomic_request *operation)
{
    return talk_say(
        talk, "%s region=%s ato+%u id=%u data=0x%" PRIx64 " mask=0x%" PRIx64 " cdata=0x%" PRIx64 " cmask=0x%" PRIx64,
        operation->opcode == RDMAP_ATOMIC_CMP_SWAP ? "cswap" : "fadd", region, place, id, operation->data,
        operation->mask, operation->compare_data, operation->compare_mask);
}

/* False: verdict is set. */
static bool hear_original(struct talk *talk, unsigned id, uint64_t *original)
{
    const struct talk_heard *heard = talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE);
    struct rdmap_atomic_response response;

    if (!heard || !rdmap_atomic_response_decode(&response, heard->ddp.payload, heard->ddp.payload_len)) {
        talk_inconclusive(talk, "Atomic Request %u was not answered; found %s", id, talk_found(talk));
        return false;
    }
    if (response.identifier != id) {
        talk_failed(talk, "expected the answer to Atomic Request %u; found that to %u", id, response.identifier);
        return false;
    }
    *original = response.original;
    return true;
}

static bool hear_word(struct talk *talk, uint64_t *word)
{
    const struct talk_heard *heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);

    if (heard && heard->ddp.payload_len == WORD) {
        *word = get_be64(heard->ddp.payload);
        return true;
    }
    talk_inconclusive(talk, "expected the eight octets of a Read; found %s", talk_found(talk));
    return false;
}

/* The first operation on a connection of its own: a device without Atomics is not to blame. */
static bool supports(struct talk *talk)
{
    const struct talk_heard *heard;

    if (!talk_start(talk, NULL) || !talk_region(talk, REGION_ALL) || !talk_say(talk, "fadd"))
        return false;
    if (talk_hear_opcode(talk, RDMAP_ATOMIC_RESPONSE))
        return true;
    heard = talk_last(talk);
    if (heard->is_terminate)
        talk_not_applicable(talk, "the device does not support this operation: %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "a FetchAdd of zero was not answered; found %s", talk_describe(talk, heard));
    return false;
}

/* The word has its first value, as a Read shows. */
static bool atomics_prepare(struct talk *talk, unsigned place, uint64_t start)
{
    uint8_t octets[WORD];
    uint64_t found;

    put_be64(octets, start);
    if (!talk_say_octets(talk, octets, WORD, "write region=all to+%u", place) ||
        !talk_say(talk, "read region=all srcto+%u size=8", place) || !hear_word(talk, &found))
        return false;
    if (found != start)
        talk_inconclusive(talk, "what was written to the word is not what a Read returns");
    return found == start;
}

static bool judge_word(struct talk *talk, const char *what, unsigned id, uint64_t expected, uint64_t found)
{
    if (found != expected)
        talk_failed(talk, "expected 0x%016" PRIx64 " as %s %u; found 0x%016" PRIx64, expected, what, id, found);
    return found == expected;
}

/* After n operations. */
static uint64_t value_after(const struct series *series, unsigned n)
{
    uint64_t value = series->start;

    for (unsigned i = 0; i < n; i++)
        rdmap_atomic_apply(&series->operation[i], value, &value);
    return value;
}

/* Reads come between the operations, and after them all. */
static bool judge_memory(struct talk *talk, const struct series *series, unsigned place, unsigned n)
{
    uint64_t word;

    return talk_say(talk, "read region=all srcto+%u size=8", place) && hear_word(talk, &word) &&
           judge_word(talk, "the word after operation", n, value_after(series, n), word);
}

/* Operation i by itself; then a Read. */
static bool atomics_take_one(struct talk *talk, const struct series *series, unsigned place, unsigned i)
{
    uint64_t original;

    return say_operation(talk, "all", place, i + 1, &series->operation[i]) && hear_original(talk, i + 1, &original) &&
           judge_word(talk, "the original value of operation", i + 1, value_after(series, i), original) &&
           judge_memory(talk, series, place, i + 1);
}

/* Operation i, a Read, and the next operation leave together. */
static bool atomics_take_two(struct talk *talk, const struct series *series, unsigned place, unsigned i)
{
    uint64_t original, word;

    talk_say(talk, "cork");
    say_operation(talk, "all", place, i + 1, &series->operation[i]);
    talk_say(talk, "read region=all srcto+%u size=8", place);
    say_operation(talk, "all", place, i + 2, &series->operation[i + 1]);
    talk_say(talk, "uncork");
    return hear_original(talk, i + 1, &original) &&
           judge_word(talk, "the original value of operation", i + 1, value_after(series, i), original) &&
           hear_word(talk, &word) &&
           judge_word(talk, "the word after operation", i + 1, value_after(series, i + 1), word) &&
           hear_original(talk, i + 2, &original) &&
           judge_word(talk, "the original value of operation", i + 2, value_after(series, i + 1), original);
}

void atomics_one_by_one(struct talk *talk, const struct suite_case *row)
{
    const bool together = row->variant & TOGETHER;
    const struct series *series = &table[row->variant & ~TOGETHER];
    const unsigned n = length_of(series), step = together ? 2 : 1;
    unsigned place;

    if (!supports(talk))
        return;
    if (together && talk_dut_ird(talk) < 3) {
        talk_not_applicable(talk, "the device takes no three requests at once");
        return;
    }
    place = place_in(talk_region(talk, REGION_ALL));
    if (!atomics_prepare(talk, place, series->start))
        return;
    for (unsigned i = 0; i + step <= n; i += step) {
        if (!(together ? atomics_take_two : atomics_take_one)(talk, series, place, i))
            return;
    }
    if (together)
        talk_passed(talk, "two operations at once, and a Read between them, were answered as one after the other");
    else
        talk_passed(talk, "%u operations returned what was there before, and left what they have to", n);
}

/* ---- two connections ---- */

enum { ROUNDS = 8 };

/* Each addition of one was made to a value of its own. */
static bool judge_round(struct talk *talk, uint64_t before, uint64_t ours, uint64_t other)
{
    uint64_t first = MIN(ours, other), second = MAX(ours, other);

    if (first == before && second == before + 1)
        return true;
    talk_failed(talk,
                "expected the original values 0x%016" PRIx64
                " and one more of FetchAdds of 1 over two connections; found "
                "0x%016" PRIx64 " and 0x%016" PRIx64,
                before, ours, other);
    return false;
}

static bool add_over_both(struct talk *talk, struct talk *other, unsigned place, uint64_t before)
{
    const struct rdmap_atomic_request one = ADD(1, 0);
    uint64_t ours, others;

    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!say_operation(talk, "shared", place, i + 1, &one) || !say_operation(other, "shared", place, i + 1, &one) ||
            !hear_original(talk, i + 1, &ours))
            return false;
        if (!hear_original(other, i + 1, &others)) {
            talk_inconclusive(talk, "on the other connection: %s", talk_actual(other));
            return false;
        }
        if (!judge_round(talk, before + 2 * i, ours, others))
            return false;
    }
    return true;
}

static void over_both(struct talk *talk, struct talk *other, unsigned place)
{
    uint64_t before;

    if (!talk_start(other, NULL)) {
        talk_inconclusive(talk, "a second connection beside the first one did not start: %s",
                          talk_actual(other) ? talk_actual(other) : "no reason is known");
        return;
    }
    if (talk_say(talk, "read region=shared srcto+%u size=8", place) && hear_word(talk, &before) &&
        add_over_both(talk, other, place, before))
        talk_passed(talk, "%u FetchAdds of 1 over two connections had as many original values", 2 * (unsigned)ROUNDS);
}

void atomics_two_connections(struct talk *talk, const struct suite_case *row)
{
    uint8_t octets[TALK_MESSAGE];
    struct talk *other;

    if (!supports(talk) || !look_prepare(talk, LOOK_ADDITIONS, octets))
        return;
    other = talk_begin_job(talk_job(talk)->run, row, talk_job(talk)->longer, NULL);
    over_both(talk, other, LOOK_ADDITIONS + (unsigned)(-talk_region(talk, REGION_SHARED)->address % WORD));
    talk_end_job(other);
}
