// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA operations, and their carrier. */
#include "conformance/stats/advice_internal.h"
#include "engine/core/words.h"

#include <inttypes.h>

enum { OPERATIONS_FEW = 20, REPEATED_FEW = 10, SMALL = 4096, SMALL_SEND = 256, INLINE_SMALL = 4096 };

static const char *towards(unsigned side)
{
    return side == 0 ? "responder" : "initiator";
}

static const char *sender(unsigned side)
{
    return side == 0 ? "initiator" : "responder";
}

/* ---- operations ---- */

static void on_reads(GArray *array, const struct statistics *s, unsigned side)
{
    const struct stat_reads *reads = &s->reads[side];
    double share = share_of(reads->n[READS_AT_LIMIT], reads->n[READS_BUSY]);
    char text[UNITS_SIZE], busy[UNITS_SIZE];
    uint64_t at_most_one = histogram_bucket(&reads->outstanding, 1);

    /*
     * A limit of one does no harm if Reads come one after the other: it matters only if more Reads are needed at a
     * time.
     */
    if (share < 0.25 || statistics_count_of(s, side, STAT_READ) < OPERATIONS_FEW ||
        (reads->limit == 1 && at_most_one == 0))
        return;
    advice_add(array, "read-limit", ADVICE_PROBLEM, share,
               g_strdup_printf("The %s had as many RDMA Reads outstanding as IRD and ORD allow, %" PRIu32
                               ", for %s of the time that it spent reading.",
                               sender(side), reads->limit,
                               units_share(reads->n[READS_AT_LIMIT], reads->n[READS_BUSY], text)),
               g_strdup_printf("Reads were outstanding for %s", units_time(reads->n[READS_BUSY], busy)),
               g_strdup("raise the negotiated limits: IRD at the side that is read from, ORD at the side that reads"));
}

static uint64_t small_of(const struct statistics *s, enum stat_kind kind, uint64_t size, uint64_t *all)
{
    uint64_t small = 0;

    for (unsigned side = 0; side < 2; side++) {
        if (!s->operations[side][kind])
            continue;
        small += histogram_up_to(&s->operations[side][kind]->sizes, size);
        *all += s->operations[side][kind]->sizes.count;
    }
    return small;
}

/* Much data moves in chunks, although it would fit into larger Sends. */
static void on_inline(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    uint64_t all = 0, small = small_of(s, STAT_WRITE, SMALL - 256, &all) + small_of(s, STAT_READ, SMALL - 256, &all);
    uint32_t limit = MIN(s->inline_limit[0], s->inline_limit[1]);
    uint64_t chunks = sums->n[CALLS_WITH_READ_CHUNK] + sums->n[CALLS_LONG] + sums->n[REPLIES_WITH_WRITE_CHUNK] +
                      sums->n[REPLIES_LONG];
    char text[UNITS_SIZE];

    if (sums->n[CALLS] == 0 || limit == 0 || limit >= INLINE_SMALL || chunks < OPERATIONS_FEW ||
        share_of(small, all) < 0.5)
        return;
    advice_add(
        array, "inline-too-small", ADVICE_PROBLEM, share_of(chunks, 2 * sums->n[CALLS]),
        g_strdup_printf("The inline threshold is only %" PRIu32 " octets, so small messages need chunks.", limit),
        g_strdup_printf("%" PRIu64 " Calls and Replies used chunks; %s of the RDMA Reads and Writes moved no more "
                        "than %u octets",
                        chunks, units_share(small, all, text), SMALL - 256),
        g_strdup("raise the threshold at both ends (RFC 8797; Linux: sunrpc.rdma_max_inline_read and "
                 "rdma_max_inline_write): each chunk costs another round trip or operation"));
}

static void on_small_sends(GArray *array, const struct statistics *s)
{
    uint64_t all = 0, small = small_of(s, STAT_SEND, SMALL_SEND, &all), others = 0;
    char text[UNITS_SIZE];

    for (unsigned side = 0; side < 2; side++)
        for (unsigned kind = STAT_SEND + 1; kind < STAT_KINDS; kind++)
            others += statistics_count_of(s, side, (enum stat_kind)kind);
    if (all < 5 * OPERATIONS_FEW || share_of(small, all) < 0.8 || others > all / 4)
        return;
    advice_add(array, "small-sends", ADVICE_NOTABLE, share_of(small, all),
               g_strdup_printf("%s of the Sends have at most %u octets.", units_share(small, all, text), SMALL_SEND),
               g_strdup_printf("%" PRIu64 " of %" PRIu64 " Sends; %" PRIu64 " other operations", small, all, others),
               g_strdup("each costs a packet, and a completion at both ends: combine several Sends, or let the "
                        "receiver read the data by RDMA"));
}

void advice_on_operations(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    for (unsigned side = 0; side < 2; side++)
        on_reads(array, s, side);
    on_inline(array, s, sums);
    if (sums->n[CALLS] == 0 && advice_left_out(s, sums).unread == 0)
        on_small_sends(array, s);
}

/* ---- TCP, MPA; packets ---- */

/* "1.18 kB in 3 packets were retransmitted" */
static void add_again(GString *figures, uint64_t octets, uint64_t packets, const char *what)
{
    char text[UNITS_SIZE];

    if (packets == 0)
        return;
    g_string_append_printf(figures, "%s%s%s in %" PRIu64 " packet%s %s %s", figures->len > 0 ? ", " : "",
                           units_octets(octets, text), octets < 1000 ? " octets" : "", packets, packets == 1 ? "" : "s",
                           packets == 1 ? "was" : "were", what);
}

static void on_repeated(GArray *array, const struct statistics *s, unsigned side)
{
    const struct stat_carrier *c = &s->carrier[side];
    uint64_t packets = c->n[CARRIER_RETRANSMITTED_PACKETS] + c->n[CARRIER_OUT_OF_ORDER_PACKETS];
    uint64_t all = c->n[CARRIER_PACKETS] + (s->ib ? packets : 0); /* on RoCE, the count has only first copies */
    double share = share_of(packets, all);
    char half[UNITS_SIZE], most[UNITS_SIZE], text[UNITS_SIZE];
    GString *figures;

    if (packets == 0)
        return;
    figures = g_string_new(NULL);
    add_again(figures, c->n[CARRIER_RETRANSMITTED], c->n[CARRIER_RETRANSMITTED_PACKETS], "retransmitted");
    if (!s->ib)
        add_again(figures, c->n[CARRIER_OUT_OF_ORDER], c->n[CARRIER_OUT_OF_ORDER_PACKETS], "received after later ones");
    if (c->late.count > 0)
        g_string_append_printf(figures, "; the missing data came %s (median), at most %s, later",
                               units_time(histogram_quantile(&c->late, 0.5), half), units_time(c->late.most, most));
    advice_add(array, "sent-again", share >= 0.01 && packets >= REPEATED_FEW ? ADVICE_PROBLEM : ADVICE_NOTABLE, share,
               g_strdup_printf("%s of the packets to the %s %s.", units_share(packets, all, text), towards(side),
                               s->ib ? "were retransmitted" : "were retransmitted or came out of order"),
               g_string_free(figures, FALSE),
               g_strdup(packets < REPEATED_FEW ? "too few to judge the network: capture for longer"
                        : s->ib
                            ? "RoCE needs a network without loss: look at PFC and ECN in the switches, and at the "
                              "counters of the ports"
                            : "look for loss: counters of the ports and switches (ethtool -S), cables, buffers, and "
                              "the speeds of both ends"));
}

static void on_rnr(GArray *array, const struct statistics *s, unsigned side)
{
    uint64_t n = s->carrier[side].n[CARRIER_RNR_NAKS];

    if (n > 0)
        advice_add(array, "receiver-not-ready", ADVICE_PROBLEM, share_of(n, s->carrier[side ^ 1u].n[CARRIER_PACKETS]),
                   g_strdup_printf("The %s was not ready to receive %" PRIu64 " time%s.", sender(side), n, plural(n)),
                   g_strdup_printf("%" PRIu64 " RNR NAK%s", n, plural(n)),
                   g_strdup("it posts too few Receives, or posts them too late; each RNR NAK costs the RNR timer"));
}

static void on_window(GArray *array, const struct statistics *s, unsigned side)
{
    uint64_t n = s->carrier[side].n[CARRIER_CLOSED_WINDOWS];

    if (n > 0)
        advice_add(
            array, "closed-window", ADVICE_PROBLEM, 0.5, g_strdup_printf("The %s closed its TCP window.", sender(side)),
            g_strdup_printf("%" PRIu64 " segment%s with a window of 0", n, plural(n)),
            g_strdup("it does not consume data as fast as they arrive: look at its processors and receive buffers"));
}

static void on_overhead(GArray *array, const struct statistics *s, unsigned side)
{
    const struct stat_carrier *c = &s->carrier[side];
    uint64_t overhead = c->n[CARRIER_HEADERS] + c->n[CARRIER_PADS] + c->n[CARRIER_CRCS] + c->n[CARRIER_MARKERS];
    uint64_t octets = c->sizes.sum;
    char all[UNITS_SIZE], markers[UNITS_SIZE], crcs[UNITS_SIZE], headers[UNITS_SIZE];
    double share = share_of(overhead, octets);

    if (c->n[CARRIER_FPDUS] < 5 * OPERATIONS_FEW || (share < 0.2 && c->n[CARRIER_MARKERS] == 0))
        return;
    advice_add(array, "overhead", ADVICE_NOTABLE, share,
               g_strdup_printf("%s of the octets to the %s are overhead of MPA, DDP and RDMAP%s.",
                               units_share(overhead, octets, all), towards(side),
                               c->n[CARRIER_MARKERS] > 0 ? ", with Markers" : ""),
               g_strdup_printf("headers and pads %s, CRCs %s%s, Markers %s; median FPDU: %" PRIu64 " octets",
                               units_share(c->n[CARRIER_HEADERS] + c->n[CARRIER_PADS], octets, headers),
                               units_share(c->n[CARRIER_CRCS], octets, crcs),
                               c->n[CARRIER_CRCS_USED] == 0 ? " (the field only: not in use)" : "",
                               units_share(c->n[CARRIER_MARKERS], octets, markers), histogram_quantile(&c->sizes, 0.5)),
               g_strdup(c->n[CARRIER_MARKERS] > 0
                            ? "a receiver that does not need Markers should not ask for them: inserting and removing "
                              "them means copying"
                            : "the messages are small: fewer and larger messages have less overhead"));
}

static void on_alignment(GArray *array, const struct statistics *s, unsigned side)
{
    const struct histogram *per = &s->carrier[side].per_segment;
    uint64_t without = histogram_bucket(per, 0);
    char text[UNITS_SIZE];

    if (!s->whole || per->count < 5 * OPERATIONS_FEW || share_of(without, per->count) < 0.1)
        return;
    advice_add(array, "unaligned", ADVICE_NOTABLE, share_of(without, per->count),
               g_strdup_printf("No FPDU ends in %s of the TCP segments to the %s: FPDUs span segments.",
                               units_share(without, per->count, text), towards(side)),
               g_strdup_printf("%" PRIu64 " of %" PRIu64 " segment%s", without, per->count, plural(per->count)),
               g_strdup("the sender does not fit its FPDUs to segments (RFC 5044 section 5.2), or segments were split "
                        "on the way: receivers have to reassemble them"));
}

void advice_on_carrier(GArray *array, const struct statistics *s)
{
    for (unsigned side = 0; side < 2; side++) {
        on_repeated(array, s, side);
        on_rnr(array, s, side);
        on_window(array, s, side);
        on_overhead(array, s, side);
        on_alignment(array, s, side);
    }
}

/* ---- silence ---- */

void advice_on_gaps(GArray *array, const struct statistics *s)
{
    uint64_t all = s->last_ns > s->first_ns ? (uint64_t)(s->last_ns - s->first_ns) : 0;
    /* Each hole may have ended a gap. */
    uint64_t unsure = product_up_to(s->holes, MIN(s->gaps.most, all), s->gaps.sum);
    char share[UNITS_SIZE], sum[UNITS_SIZE], most[UNITS_SIZE];

    if (share_of(s->gaps.sum > unsure ? s->gaps.sum - unsure : 0, all) < 0.5)
        return;
    advice_add(array, "silence", ADVICE_FACT, share_of(s->gaps.sum, all),
               g_strdup_printf("Nothing was sent in either direction for %s of the time.",
                               units_share(s->gaps.sum, all, share)),
               g_strdup_printf("%" PRIu64
                               " gap%s of 1 ms or more, %s together; the longest, %s, ended in frame %" PRIu32,
                               s->gaps.count, plural(s->gaps.count), units_time(s->gaps.sum, sum),
                               units_time(s->gaps.most, most), s->longest_gap_frame),
               NULL);
}
