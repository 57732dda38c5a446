// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/statistics.h"

#include "engine/core/heap.h"

#include <stdlib.h>
#include <string.h>

const char *const call_count_names[CALL_COUNTS] = {
    [CALLS] = "calls",
    [CALLS_REPLIED] = "replies",
    [CALLS_FAILED] = "errors",
    [CALLS_REPEATED] = "retransmitted",
    [CALLS_UNCERTAIN] = "uncertain",
    [CALLS_FORGOTTEN] = "forgotten",
    [CALLS_OPEN] = "open",
    [CALLS_INLINE] = "calls_inline",
    [CALLS_WITH_READ_CHUNK] = "calls_with_read_chunk",
    [CALLS_LONG] = "calls_long",
    [REPLIES_INLINE] = "replies_inline",
    [REPLIES_WITH_WRITE_CHUNK] = "replies_with_write_chunk",
    [REPLIES_LONG] = "replies_long",
    [OCTETS_CALLS] = "octets_calls",
    [OCTETS_REPLIES] = "octets_replies",
    [OCTETS_READ] = "octets_read",
    [OCTETS_WRITTEN] = "octets_written",
    [READ_CHUNKS] = "read_chunks",
    [READ_SEGMENTS] = "read_segments",
    [WRITE_CHUNKS] = "write_chunks",
    [WRITE_SEGMENTS] = "write_segments",
    [REPLY_CHUNKS] = "reply_chunks",
    [REPLY_SEGMENTS] = "reply_segments",
    [CALLS_DELAYED] = "delayed",
    [LOST_TIME] = "lost_time",
    [LOST_MOVING] = "lost_time_moving_data",
    [UNSEEN_MOVING] = "unseen_moving_data",
    [DIRECTORY_CALLS] = "directory_reads",
    [DIRECTORY_ASKED] = "directory_octets_asked",
    [DIRECTORY_FULL] = "directory_replies_full",
};

const char *const credit_count_names[CREDIT_COUNTS] = {
    [CREDITS_OBSERVED] = "observed",     [CREDITS_UNKNOWN] = "limit_unknown",
    [CREDITS_AT_LIMIT] = "at_limit",     [CREDITS_BUSY] = "busy",
    [CREDITS_GRANTS] = "grants",         [CREDITS_ZERO] = "grants_of_zero",
    [CREDITS_BY_REQUEST] = "at_request",
};

const char *const stat_kind_names[STAT_KINDS] = {
    [STAT_SEND] = "send",     [STAT_SEND_INVALIDATE] = "send_invalidate",
    [STAT_WRITE] = "write",   [STAT_READ] = "read",
    [STAT_ATOMIC] = "atomic", [STAT_IMMEDIATE] = "immediate",
};

const char *const read_count_names[READ_COUNTS] = {[READS_BUSY] = "busy", [READS_AT_LIMIT] = "at_limit"};

const char *const carrier_count_names[CARRIER_COUNTS] = {
    [CARRIER_PACKETS] = "packets",
    [CARRIER_OCTETS] = "octets",
    [CARRIER_RETRANSMITTED_PACKETS] = "retransmitted_packets",
    [CARRIER_RETRANSMITTED] = "retransmitted_octets",
    [CARRIER_OUT_OF_ORDER_PACKETS] = "out_of_order_packets",
    [CARRIER_OUT_OF_ORDER] = "out_of_order_octets",
    [CARRIER_CLOSED_WINDOWS] = "closed_windows",
    [CARRIER_FPDUS] = "fpdus",
    [CARRIER_ULPDU] = "ulpdu_octets",
    [CARRIER_HEADERS] = "header_octets",
    [CARRIER_PADS] = "pad_octets",
    [CARRIER_CRCS] = "crc_octets",
    [CARRIER_CRCS_USED] = "crcs_used",
    [CARRIER_MARKERS] = "marker_octets",
    [CARRIER_RNR_NAKS] = "rnr_naks",
    [CARRIER_SEQUENCE_NAKS] = "sequence_naks",
    [CARRIER_HOLES] = "holes",
};

/* ---- rows ---- */

static bool statistics_same_key(const struct stat_key *a, const struct stat_key *b)
{
    return a->procedure == b->procedure && a->program == b->program && a->version == b->version &&
           a->reverse == b->reverse && a->operation == b->operation && a->known == b->known;
}

static struct stat_calls **bucket_of(struct statistics *statistics, const struct stat_key *key)
{
    return &statistics->rows[(key->procedure * 2 + key->operation + key->program + key->version) % STAT_ROW_BUCKETS];
}

struct stat_calls *statistics_row(struct statistics *statistics, const struct stat_key *key)
{
    static const struct stat_key others = {.known = false};
    struct stat_calls **bucket = bucket_of(statistics, key), *row = *bucket;

    while (row && !statistics_same_key(&row->key, key))
        row = row->hash_next;
    if (row)
        return row;
    if (statistics->n_calls >= STAT_ROWS_MAX && key->known)
        return statistics_row(statistics, &others);
    row = heap_zeroed(1, sizeof *row);
    if (!row)
        return NULL;
    row->key = *key;
    row->first_ns = INT64_MAX;
    row->last_ns = INT64_MIN;
    row->hash_next = *bucket;
    *bucket = row;
    *statistics->calls_end = row;
    statistics->calls_end = &row->next;
    statistics->n_calls++;
    return row;
}

struct stat_operations *statistics_operations(struct statistics *statistics, unsigned side, enum stat_kind kind)
{
    struct stat_operations **at = &statistics->operations[side][kind];

    if (!*at) {
        *at = heap_zeroed(1, sizeof **at);
        if (*at) {
            (*at)->first_ns = INT64_MAX;
            (*at)->last_ns = INT64_MIN;
        }
    }
    return *at;
}

uint64_t statistics_count_of(const struct statistics *statistics, unsigned side, enum stat_kind kind)
{
    return statistics->operations[side][kind] ? statistics->operations[side][kind]->count : 0;
}

/* ---- life ---- */

struct statistics *statistics_new(void)
{
    struct statistics *statistics = heap_zeroed(1, sizeof *statistics);

    if (!statistics)
        return NULL;
    statistics->first_ns = INT64_MAX;
    statistics->last_ns = INT64_MIN;
    statistics->calls_end = &statistics->calls;
    statistics->client = -1;
    return statistics;
}

static void free_operations(struct stat_operations *operations)
{
    if (!operations)
        return;
    histogram_clear(&operations->sizes);
    histogram_clear(&operations->moving);
    histogram_clear(&operations->first);
    histogram_clear(&operations->answered);
    free(operations);
}

void statistics_free(struct statistics *statistics)
{
    if (!statistics)
        return;
    while (statistics->calls) {
        struct stat_calls *row = statistics->calls;

        statistics->calls = row->next;
        for (size_t i = 0; i < CALL_TIMES; i++)
            histogram_clear(&row->time[i]);
        free(row);
    }
    for (unsigned side = 0; side < 2; side++) {
        struct stat_credits *credits = &statistics->credits[side];
        struct stat_carrier *carrier = &statistics->carrier[side];

        histogram_clear(&credits->in_use);
        histogram_clear(&credits->limit);
        histogram_clear(&credits->released);
        histogram_clear(&credits->pauses);
        histogram_clear(&statistics->reads[side].outstanding);
        histogram_clear(&carrier->sizes);
        histogram_clear(&carrier->per_segment);
        histogram_clear(&carrier->late);
        histogram_clear(&carrier->acked);
        for (unsigned kind = 0; kind < STAT_KINDS; kind++)
            free_operations(statistics->operations[side][kind]);
    }
    histogram_clear(&statistics->gaps);
    free(statistics->series);
    free(statistics);
}

/* ---- sums ---- */

static void statistics_add_counts(uint64_t *into, const uint64_t *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        into[i] = saturating_sum(into[i], from[i]);
}

static int64_t statistics_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static uint32_t statistics_larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void stat_calls_join(struct stat_calls *into, const struct stat_calls *from)
{
    if (from->time[CALL_LATENCY].count > 0 &&
        (into->time[CALL_LATENCY].count == 0 || from->time[CALL_LATENCY].most > into->time[CALL_LATENCY].most))
        into->slowest_frame = from->slowest_frame;
    statistics_add_counts(into->n, from->n, CALL_COUNTS);
    for (unsigned i = 0; i < CALL_TIMES; i++)
        histogram_join(&into->time[i], &from->time[i]);
    into->first_ns = statistics_earlier(into->first_ns, from->first_ns);
    into->last_ns = later(into->last_ns, from->last_ns);
}

static void join_credits(struct stat_credits *into, const struct stat_credits *from)
{
    if (from->n[CREDITS_GRANTS] > 0) {
        bool first = into->n[CREDITS_GRANTS] == 0;

        into->granted_least =
            first || from->granted_least < into->granted_least ? from->granted_least : into->granted_least;
        into->granted_most = statistics_larger(into->granted_most, from->granted_most);
        into->granted_last = from->granted_last;
        into->requested_last = from->requested_last;
    }
    statistics_add_counts(into->n, from->n, CREDIT_COUNTS);
    histogram_join(&into->in_use, &from->in_use);
    histogram_join(&into->limit, &from->limit);
    histogram_join(&into->released, &from->released);
    histogram_join(&into->pauses, &from->pauses);
    into->unsure = saturating_sum(into->unsure, from->unsure);
}

static void join_operations(struct stat_operations *into, const struct stat_operations *from)
{
    into->count = saturating_sum(into->count, from->count);
    into->octets = saturating_sum(into->octets, from->octets);
    into->parts = saturating_sum(into->parts, from->parts);
    into->unanswered = saturating_sum(into->unanswered, from->unanswered);
    histogram_join(&into->sizes, &from->sizes);
    histogram_join(&into->moving, &from->moving);
    histogram_join(&into->first, &from->first);
    histogram_join(&into->answered, &from->answered);
    into->first_ns = statistics_earlier(into->first_ns, from->first_ns);
    into->last_ns = later(into->last_ns, from->last_ns);
}

static void join_reads(struct stat_reads *into, const struct stat_reads *from)
{
    statistics_add_counts(into->n, from->n, READ_COUNTS);
    into->limit = from->limit != 0 ? from->limit : into->limit;
    into->most = statistics_larger(into->most, from->most);
    histogram_join(&into->outstanding, &from->outstanding);
}

static void join_carrier(struct stat_carrier *into, const struct stat_carrier *from)
{
    statistics_add_counts(into->n, from->n, CARRIER_COUNTS);
    into->segment_most = statistics_larger(into->segment_most, from->segment_most);
    histogram_join(&into->sizes, &from->sizes);
    histogram_join(&into->per_segment, &from->per_segment);
    histogram_join(&into->late, &from->late);
    histogram_join(&into->acked, &from->acked);
}

static void join_side(struct statistics *into, const struct statistics *from, unsigned side)
{
    join_credits(&into->credits[side], &from->credits[side]);
    join_reads(&into->reads[side], &from->reads[side]);
    join_carrier(&into->carrier[side], &from->carrier[side]);
    into->inline_limit[side] = from->inline_limit[side] != 0 ? from->inline_limit[side] : into->inline_limit[side];
    for (unsigned kind = 0; kind < STAT_KINDS; kind++) {
        struct stat_operations *sum;

        if (from->operations[side][kind] && (sum = statistics_operations(into, side, (enum stat_kind)kind)))
            join_operations(sum, from->operations[side][kind]);
    }
}

void statistics_add_calls(struct statistics *into, const struct statistics *from)
{
    for (const struct stat_calls *row = from->calls; row; row = row->next) {
        struct stat_calls *sum = statistics_row(into, &row->key);

        if (sum)
            stat_calls_join(sum, row);
    }
}

void statistics_add_slow(struct statistics *statistics, const struct stat_slow *slow)
{
    struct stat_slow *slowest = statistics->slowest;
    unsigned at = statistics->n_slowest;

    while (at > 0 && slowest[at - 1].latency < slow->latency)
        at--;
    if (at == STAT_SLOWEST_MAX)
        return;
    statistics->n_slowest += statistics->n_slowest < STAT_SLOWEST_MAX;
    memmove(&slowest[at + 1], &slowest[at], (statistics->n_slowest - 1 - at) * sizeof *slowest);
    slowest[at] = *slow;
}

void statistics_join(struct statistics *into, const struct statistics *from)
{
    for (struct stat_calls *row = into->calls; row; row = row->next)
        row->n[CALLS_OPEN] = 0; /* `from` has those that are still open */
    statistics_add_calls(into, from);
    for (unsigned side = 0; side < 2; side++)
        join_side(into, from, side);
    if (from->gaps.count > 0 && (into->gaps.count == 0 || from->gaps.most > into->gaps.most))
        into->longest_gap_frame = from->longest_gap_frame;
    histogram_join(&into->gaps, &from->gaps);
    for (unsigned i = 0; i < from->n_slowest; i++)
        statistics_add_slow(into, &from->slowest[i]);
    into->holes = saturating_sum(into->holes, from->holes);
    into->lost = saturating_sum(into->lost, from->lost);
    into->unread = saturating_sum(into->unread, from->unread);
    into->orphans = saturating_sum(into->orphans, from->orphans);
    into->whole &= from->whole;
    into->from_start |= from->from_start;
    into->tapped |= from->tapped;
    into->client = from->client >= 0 ? from->client : into->client;
    into->first_ns = statistics_earlier(into->first_ns, from->first_ns);
    into->last_ns = later(into->last_ns, from->last_ns);
    into->mtu = from->mtu != 0 ? from->mtu : into->mtu;
    if (into->round_trip == 0) {
        into->round_trip = from->round_trip;
        into->round_trip_far = from->round_trip_far;
    }
    if (from->series && !into->series)
        into->series = heap_zeroed(1, sizeof *into->series);
    if (from->series && into->series)
        series_join(into->series, from->series);
}

/* ---- by side ---- */

#define SWAP(type, pair)                                                                                               \
    do {                                                                                                               \
        type first = (pair)[0];                                                                                        \
        (pair)[0] = (pair)[1];                                                                                         \
        (pair)[1] = first;                                                                                             \
    } while (0)

void statistics_turn(struct statistics *statistics)
{
    SWAP(struct stat_credits, statistics->credits);
    SWAP(struct stat_reads, statistics->reads);
    SWAP(struct stat_carrier, statistics->carrier);
    SWAP(uint32_t, statistics->inline_limit);
    statistics->client = statistics->client < 0 ? -1 : 1 - statistics->client;
    for (unsigned kind = 0; kind < STAT_KINDS; kind++) {
        struct stat_operations *first = statistics->operations[0][kind];

        statistics->operations[0][kind] = statistics->operations[1][kind];
        statistics->operations[1][kind] = first;
    }
    for (unsigned i = 0; statistics->series && i < statistics->series->n; i++)
        SWAP(uint64_t, &statistics->series->bin[i][SERIES_TO_RESPONDER]);
}
