// SPDX-License-Identifier: GPL-2.0-or-later
/* From packets to segments, from segments to the shares of the capture, and from their results to a report. */
#include "conformance/check/check.h"

#include "conformance/check/check_across.h"
#include "conformance/check/check_budget.h"
#include "conformance/check/check_workers.h"
#include "conformance/check/copies.h"
#include "conformance/check/large_pages.h"
#include "conformance/check/two_points.h"
#include "conformance/options/options.h"
#include "engine/core/heap.h"
#include "engine/packet/decap_tunnel.h"
#include "engine/packet/steady_clock.h"
#include "wire/rpcbind.h"

#include <inttypes.h>
#include <pcap/pcap.h>

enum { PROGRESS_EVERY = 4096, MEMORY_EVERY = 64 }; /* packets */

struct reading {
    struct capture *source;
    struct heap heap;
    struct large_pages large_pages;
    struct report_capture *capture;
    const struct check_progress *progress;
    const struct check_parts *parts; /* NULL: a single report */
    int64_t part_end;                /* INT64_MAX: not known yet, or never */
    uint64_t dropped;                /* in the earlier parts */
    uint64_t dropped_so_far;         /* live: when they were last counted: */
    int64_t looked_ns;
    struct decap *decap;
    const struct check_options *options;
    struct across *across;
    struct terminate_layouts layouts; /* of Terminates, by host: shared by all shares */
    struct share_setup of_share;
    struct share *shares[CHECK_SHARES]; /* NULL: no packet of this share so far */
    struct share_pool *pools;           /* one for each thread */
    unsigned n_pools;
    struct workers *workers;
    struct budget budget;
    uint32_t frame;    /* of the last packet for a share */
    uint32_t next_id;  /* of the only share */
    uint32_t numbered; /* connections numbered so far, if the shares do not number them */
    struct steady_clock clock;
    struct copies copies;
    struct two_points *two_points; /* NULL: the capture was made at one point */
    int64_t apart_ns;              /* the longest time between a packet and its copy at the other point */
    int64_t last_ns;               /* according to this clock */
    int64_t last_stamp_ns;         /* according to the capture */
    bool started;                  /* a packet came */
    bool memory_lacking;
    uint64_t packets;     /* of all parts */
    uint64_t wrong_icrcs; /* of this part */
    uint64_t forgotten;   /* IP datagrams, in the earlier parts */
    uint64_t decapsulated[DECAP_STATUS_COUNT], of_ib[IB_BELOW_COUNT];
    uint64_t of_tunnels[TUNNELS_NAMED]; /* of DECAP_TUNNEL */
    /* The same counts for the earlier parts. */
    uint64_t of_parts[DECAP_STATUS_COUNT], ib_of_parts[IB_BELOW_COUNT], tunnels_of_parts[TUNNELS_NAMED];
    int unknown_linktype;
};

/* ---- the packets ---- */

/* Creates the share with this number. */
static __attribute__((noinline)) bool add_share(struct reading *reading, unsigned number)
{
    reading->of_share.pool = &reading->pools[workers_of(reading->workers, number)];
    reading->shares[number] = share_new(&reading->of_share);
    return reading->shares[number] != NULL;
}

static inline bool have_share(struct reading *reading, unsigned number)
{
    return reading->shares[number] || add_share(reading, number);
}

/* The next existing share from this number on; CHECK_SHARES: none. */
static unsigned next_share(const struct reading *reading, unsigned from)
{
    while (from < CHECK_SHARES && !reading->shares[from])
        from++;
    return from;
}

/* Waits until all shares have processed their packets, and tells them how far the capture has come. */
static void check_reach(struct reading *reading)
{
    workers_pause(reading->workers);
    for (unsigned i = next_share(reading, 0); i < CHECK_SHARES; i = next_share(reading, i + 1))
        share_reach(reading->shares[i], reading->frame, reading->last_ns);
}

static __attribute__((noinline)) void settle_budget(struct reading *reading)
{
    check_reach(reading);
    budget_settle(&reading->budget, reading->shares, CHECK_SHARES, reading->frame, reading->last_ns);
}

/* To be called before a packet for a share. */
static inline void come_to(struct reading *reading, uint32_t frame, uint32_t captured)
{
    reading->frame = frame;
    if (budget_is_due(&reading->budget, captured))
        settle_budget(reading);
}

/* The packet was captured before, and is left out. */
static bool is_copy(struct reading *reading, const struct packet *packet)
{
    int64_t apart;

    if (copies_take(&reading->copies, packet))
        return true;
    if (!reading->two_points || !two_points_take(reading->two_points, packet, &apart))
        return false;
    if (reading->copies.n++ == 0) {
        reading->copies.first = packet->frame;
        reading->copies.first_ns = packet->time_ns;
    }
    reading->apart_ns = MAX(reading->apart_ns, apart);
    return true;
}

static void check_take_packet(struct reading *reading, struct packet *packet)
{
    struct addressed_segment segment;
    struct ib_datagram ib;
    enum decap_status status;

    if (!reading->started)
        reading->capture->start_ns = packet->time_ns;
    reading->started = true;
    reading->last_stamp_ns = packet->time_ns;
    packet->time_ns = steady_clock_take(&reading->clock, packet->frame, packet->time_ns);
    reading->last_ns = packet->time_ns;
    if (reading->capture->packets++ % MEMORY_EVERY == 0)
        large_pages_take(&reading->large_pages);
    reading->capture->octets += packet->captured;
    if (packet->captured < packet->length) {
        reading->capture->snapped++;
        reading->capture->snap_length = MAX(reading->capture->snap_length, packet->captured);
    }
    reading->packets++;
    if (is_copy(reading, packet))
        return;
    status = decap_packet(reading->decap, packet, &segment, &ib);
    reading->decapsulated[status]++;
    if (reading->capture->troubles->around)
        around_packet(reading->capture->troubles->around, packet, status, &segment, &ib);
    if (status == DECAP_RPCBIND ||
        (status == DECAP_TCP && (segment.destination.port == RPCBIND_PORT || segment.source.port == RPCBIND_PORT)))
        across_asked(reading->across, &segment, status == DECAP_TCP);
    if (status == DECAP_IB)
        reading->of_ib[ib.kind]++;
    if (status == DECAP_TUNNEL)
        reading->of_tunnels[decap_tunnel(reading->decap)]++;
    if (status == DECAP_TCP) {
        unsigned share = connections_share(&segment, reading->of_share.shares);

        come_to(reading, segment.segment.frame, segment.segment.captured);
        reading->memory_lacking |= !have_share(reading, share) || !workers_segment(reading->workers, share, &segment);
    } else if (status == DECAP_IB) {
        unsigned share = ib_connections_share(&ib.source, &ib.destination, reading->of_share.shares);

        come_to(reading, ib.frame, ib.captured);
        reading->memory_lacking |= !have_share(reading, share) || !workers_datagram(reading->workers, share, &ib);
    } else if (status == DECAP_LINKTYPE)
        reading->unknown_linktype = packet->linktype;
}

/* The name that libpcap uses. */
static gchar *unknown_link(const char *file, int linktype)
{
    const char *name = pcap_datalink_val_to_name(linktype), *text = pcap_datalink_val_to_description(linktype);

    if (!name)
        return g_strdup_printf("%s: link type %d is not supported", file, linktype);
    return g_strdup_printf("%s: link type %d (%s, %s) is not supported", file, linktype, name, text);
}

static gchar *clock_jumps(const char *file, const struct steady_clock *clock)
{
    const char *how = clock->first_ns < 0 ? "back" : "forward";
    double seconds = (double)ABS(clock->first_ns) / 1e9;

    if (clock->jumps == 1)
        return g_strdup_printf("%s: the time jumps %s by %.0f s at frame %" PRIu32
                               "; all later times in this report omit the jump",
                               file, how, seconds, clock->first_frame);
    return g_strdup_printf("%s: the time jumps %" PRIu64 " times, first %s by %.0f s at frame %" PRIu32
                           "; all later times in this report omit the jumps",
                           file, clock->jumps, how, seconds, clock->first_frame);
}

/* Adds the sentence about unlisted connections, if any. */
static void check_add_rest(struct report_capture *capture)
{
    g_autofree gchar *rest = report_rest_text(&capture->rest), *before = capture->trouble;

    if (!rest)
        (void)g_steal_pointer(&before);
    else if (before)
        capture->trouble = g_strdup_printf("%s; %s", before, rest);
    else
        capture->trouble = g_strdup_printf("%s: %s", capture->file, rest);
}

static void explain_status(const struct reading *reading, enum capture_status status, const struct capture_error *error)
{
    struct report_capture *capture = reading->capture;
    bool lacking = reading->memory_lacking || heap_refused();

    capture->truncated = status == CAPTURE_TRUNCATED;
    capture->failed = status == CAPTURE_CORRUPT || status == CAPTURE_TRUNCATED || lacking ||
                      reading->decapsulated[DECAP_LINKTYPE] > 0;
    if (lacking)
        capture->trouble =
            g_strdup_printf("%s: not enough memory for all connections; findings may be missing", capture->file);
    else if (capture->cut_short > 0)
        capture->trouble = budget_cut_short_text(&reading->budget, capture->file, capture->cut_short);
    else if (reading->budget.held_frame > 0)
        capture->trouble = budget_held_text(&reading->budget, capture->file);
    else if (capture->given_up > 0)
        capture->trouble = g_strdup_printf(
            "%s: %" PRIu64
            " time%s, for lack of room, packets after a hole were judged without the packets in it, or an "
            "IP datagram was forgotten before all its fragments had come: violations may have been missed; check fewer "
            "connections",
            capture->file, capture->given_up, capture->given_up == 1 ? "" : "s");
    else if (capture->truncated || status == CAPTURE_CORRUPT)
        capture->trouble = g_utf8_make_valid(error->text, -1);
    else if (reading->decapsulated[DECAP_LINKTYPE] > 0)
        capture->trouble = unknown_link(capture->file, reading->unknown_linktype);
    else if (reading->clock.jumps > 0 && status == CAPTURE_END)
        capture->trouble = clock_jumps(capture->file, &reading->clock);
    check_add_rest(capture);
}

static void add_seen(GString *seen, uint64_t n, const char *one, const char *more)
{
    if (n > 0)
        g_string_append_printf(seen, "%s%" PRIu64 " %s", seen->len > 0 ? ", " : "", n, n == 1 ? one : more);
}

static void add_tunnels(GString *seen, const struct reading *reading)
{
    for (unsigned i = 0; i < TUNNELS_NAMED; i++) {
        uint64_t n = reading->of_tunnels[i] - reading->tunnels_of_parts[i];

        add_seen(seen, n, "packet of ", "packets of ");
        if (n > 0)
            g_string_append_printf(seen, "%s, not looked into", tunnel_name(i));
    }
}

/* Explains what this part of the capture contains instead of RDMA connections. */
static void explain_nothing(struct reading *reading)
{
    static const struct {
        enum ib_below first, last;
        const char *name;
    } kinds[] = {{IB_BELOW_IPV4_UDP, IB_BELOW_IPV6_UDP, "RoCE v2 (UDP port 4791)"},
                 {IB_BELOW_GRH, IB_BELOW_GRH, "RoCE v1"},
                 {IB_BELOW_LRH, IB_BELOW_LRH_GRH, "InfiniBand"},
                 {IB_BELOW_TAP, IB_BELOW_TAP, "iwarp-tap"}};
    static const struct {
        enum decap_status status;
        const char *one, *more;
    } others[] = {
        {DECAP_CUT, "packet whose headers are cut", "packets whose headers are cut"},
        {DECAP_MALFORMED, "malformed packet", "malformed packets"},
        {DECAP_FRAGMENT, "IP fragment", "IP fragments"},
        {DECAP_RPCBIND, "message of rpcbind", "messages of rpcbind"},
        {DECAP_OTHER, "packet of another protocol", "packets of other protocols"},
    };
    struct report_capture *capture = reading->capture;
    GString *seen;

    if (capture->connections->len > 0 || capture->failed)
        return;
    seen = g_string_new(NULL);
    add_seen(seen, capture->other_connections, "TCP connection without MPA", "TCP connections without MPA");
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        uint64_t n = 0;

        for (unsigned kind = kinds[i].first; kind <= kinds[i].last; kind++)
            n += reading->of_ib[kind] - reading->ib_of_parts[kind];
        add_seen(seen, n, "packet of ", "packets of ");
        if (n > 0)
            g_string_append_printf(seen, "%s without a reliable connection", kinds[i].name);
    }
    if (reading->wrong_icrcs > 0)
        g_string_append_printf(seen, ", %" PRIu64 " of these with a wrong ICRC", reading->wrong_icrcs);
    add_tunnels(seen, reading);
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        add_seen(seen, reading->decapsulated[others[i].status] - reading->of_parts[others[i].status], others[i].one,
                 others[i].more);
    capture->nothing =
        g_strdup_printf("%s (seen: %s)", report_nothing(REPORT_NO_MPA), seen->len > 0 ? seen->str : "no packets");
    g_string_free(seen, TRUE);
}

/* ---- the shares ---- */

static bool prepare_shares(struct reading *reading, const struct check_setup *setup)
{
    unsigned threads = setup->print || setup->threads <= 1 ? 0 : MIN(setup->threads, CHECK_SHARES);

    reading->dropped_so_far = capture_dropped(reading->source); /* of a file: at its end */
    reading->of_share = (struct share_setup){.options = setup->options,
                                             .capture = reading->capture,
                                             .print = setup->print,
                                             .layouts = &reading->layouts,
                                             .lossy = reading->dropped_so_far > 0,
                                             .shares = CHECK_SHARES};
    if (setup->print) { /* printed lines are in the order of arrival */
        reading->next_id = 1;
        reading->of_share.next_id = &reading->next_id;
        reading->of_share.shares = 1;
    }
    reading->pools = g_new0(struct share_pool, MAX(threads, 1));
    reading->n_pools = MAX(threads, 1);
    reading->workers = workers_new(reading->shares, threads, &reading->layouts, &reading->heap);
    return reading->workers != NULL;
}

/* A connection that ended in the lost packets must not seem to have continued silently. */
static void report_drops(struct reading *reading)
{
    uint64_t dropped = capture_dropped(reading->source);

    if (dropped == 0)
        return;
    workers_pause(reading->workers);
    reading->of_share.dropped = dropped;
    for (unsigned i = next_share(reading, 0); i < CHECK_SHARES; i = next_share(reading, i + 1))
        share_dropped(reading->shares[i], dropped);
}

/* After a jump in time, silence proves nothing: another capture may have been appended. */
static int64_t silence_until(const struct reading *reading)
{
    return reading->clock.jumps > 0 ? MIN(reading->clock.first_at_ns, reading->last_ns) : reading->last_ns;
}

/* When the capture ended, for the section "What happened". The rules know only the packets. */
static void know_end(struct reading *reading, enum capture_status status)
{
    static const int64_t silence_max_ns = INT64_C(7) * 24 * 3600 * 1000000000; /* a later end is a mistake */
    struct troubles *troubles = reading->capture->troubles;
    int64_t ended = status == CAPTURE_END ? capture_ended(reading->source) : 0;

    troubles->ended_ns = silence_until(reading);
    troubles->end_known = ended >= reading->last_stamp_ns && ended - reading->last_stamp_ns <= silence_max_ns &&
                          ended != 0 && reading->clock.jumps == 0;
    if (troubles->end_known)
        troubles->ended_ns = MAX(troubles->ended_ns, ended);
}

static void check_finish_shares(struct reading *reading, enum capture_status status)
{
    know_end(reading, status);
    report_drops(reading);
    check_reach(reading);
    workers_finish(reading->workers, silence_until(reading));
    reading->workers = NULL;
}

/* ---- one report ---- */

static gint check_by_id(gconstpointer a, gconstpointer b)
{
    const struct report_connection *const *first = a, *const *second = b;

    return (*first)->id < (*second)->id ? -1 : (*first)->id > (*second)->id;
}

static gint by_opening(gconstpointer a, gconstpointer b)
{
    const uint64_t *first = a, *second = b;

    return *first < *second ? -1 : *first > *second;
}

/* Shares do not know each other: connections are numbered by the frames that opened them. */
static void number_connections(struct reading *reading)
{
    GArray *opened = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (unsigned i = next_share(reading, 0); i < CHECK_SHARES; i = next_share(reading, i + 1)) {
        const GArray *of_share = share_result(reading->shares[i])->opened;

        g_array_append_vals(opened, of_share->data, of_share->len);
    }
    g_array_sort(opened, by_opening);
    for (unsigned i = next_share(reading, 0); i < CHECK_SHARES; i = next_share(reading, i + 1))
        share_number(reading->shares[i], opened, reading->numbered);
    reading->numbered += opened->len;
    g_array_unref(opened);
}

/* Takes facts about connections that have ended; facts about the others follow when they end. */
static void check_take_troubles(struct reading *reading)
{
    struct report_capture *capture = reading->capture;

    for (guint i = 0; i < capture->connections->len; i++) {
        struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        if (!connection->facts)
            continue;
        connection->facts->id = connection->id;
        connection->server = connection->facts->server;
        troubles_take(capture->troubles, connection->facts);
        connection->facts = NULL;
    }
    capture->troubles->copies = (struct trouble_copies){{reading->copies.first, reading->copies.first_ns},
                                                        reading->copies.n,
                                                        reading->packets,
                                                        reading->two_points != NULL,
                                                        reading->apart_ns};
    troubles_conclude(capture->troubles);
}

static gint by_first_frame(gconstpointer a, gconstpointer b)
{
    const struct trouble_facts *const *first = a, *const *second = b;

    return (*first)->first.frame < (*second)->first.frame ? -1 : (*first)->first.frame > (*second)->first.frame;
}

static void check_gather(struct reading *reading)
{
    struct report_capture *capture = reading->capture;
    uint64_t dropped = capture_dropped(reading->source);
    GPtrArray *strangers = g_ptr_array_new();

    if (reading->next_id == 0)
        number_connections(reading);
    reading->wrong_icrcs = 0;
    for (unsigned i = next_share(reading, 0); i < CHECK_SHARES; i = next_share(reading, i + 1)) {
        const struct share_found *found = share_result(reading->shares[i]);

        for (guint j = 0; j < found->connections->len; j++)
            g_ptr_array_add(capture->connections, g_ptr_array_index(found->connections, j));
        for (guint j = 0; j < found->strangers->len; j++)
            g_ptr_array_add(strangers, g_ptr_array_index(found->strangers, j));
        capture->troubles->left_out += found->strangers_left_out;
        report_rest_add(capture, share_rest(reading->shares[i]));
        capture->other_connections += found->other_connections;
        capture->cut_short += found->cut_short;
        capture->given_up += found->given_up;
        reading->wrong_icrcs += found->wrong_icrcs;
        reading->memory_lacking |= found->memory_lacking;
        share_taken(reading->shares[i]);
    }
    /* There is room only for the first. Frames decide which, not shares. */
    g_ptr_array_sort(strangers, by_first_frame);
    for (guint i = 0; i < strangers->len; i++)
        troubles_take(capture->troubles, g_ptr_array_index(strangers, i));
    g_ptr_array_unref(strangers);
    g_ptr_array_sort(capture->connections, check_by_id);
    reading->memory_lacking |=
        !across_judge(reading->across, reading->options, capture->connections, silence_until(reading));
    across_sought(reading->across, MAX(silence_until(reading), capture->troubles->ended_ns), capture->troubles);
    check_take_troubles(reading);
    capture->given_up += decap_forgotten(reading->decap) - reading->forgotten;
    reading->forgotten = decap_forgotten(reading->decap);
    capture->dropped = dropped - reading->dropped;
    reading->dropped = dropped;
}

/* ---- parts ---- */

static void begin_parts(struct reading *reading, int64_t now)
{
    reading->capture->part.from_ns = now;
    reading->part_end = now + reading->parts->period_ns;
}

static void report_part_end(struct reading *reading, bool last, int64_t to)
{
    struct report_part *part = &reading->capture->part;

    part->last = last;
    part->to_ns = MAX(to, part->from_ns);
    part->first = ++part->number;
    reading->parts->report(reading->parts->ctx);
    report_capture_begin_part(reading->capture);
    memcpy(reading->of_parts, reading->decapsulated, sizeof reading->of_parts);
    memcpy(reading->ib_of_parts, reading->of_ib, sizeof reading->ib_of_parts);
    memcpy(reading->tunnels_of_parts, reading->of_tunnels, sizeof reading->tunnels_of_parts);
    reading->budget.cut_short_frame = reading->budget.held_frame = 0;
    part->from_ns = to;
}

/* Ends the period before the next packet is read. Periods during which capture_next() did not return have no report. */
static void part_if_due(struct reading *reading, int64_t now)
{
    int64_t period = reading->parts->period_ns, to;

    if (reading->part_end == INT64_MAX)
        begin_parts(reading, now);
    if (now < reading->part_end)
        return;
    to = reading->part_end + (now - reading->part_end) / period * period;
    check_reach(reading);
    report_drops(reading);
    for (unsigned i = next_share(reading, 0); i < CHECK_SHARES; i = next_share(reading, i + 1))
        share_part(reading->shares[i]);
    check_gather(reading);
    explain_status(reading, CAPTURE_PACKET, NULL);
    explain_nothing(reading);
    report_part_end(reading, false, to);
    reading->part_end = to + period;
}

/* ---- reading ---- */

/* Must come before the next connections close. */
static void look_for_drops(struct reading *reading, int64_t now)
{
    static const int64_t often_ns = 10000000;
    uint64_t dropped;

    if (capture_is_live(reading->source) && now >= reading->looked_ns && now - reading->looked_ns < often_ns)
        return; /* the kernel is not asked more often */
    reading->looked_ns = now;
    dropped = capture_dropped(reading->source);
    if (dropped == reading->dropped_so_far)
        return;
    reading->dropped_so_far = dropped;
    report_drops(reading);
}

/* Does everything that is due at this time. */
static void look_at_clock(struct reading *reading, int64_t now)
{
    if (reading->parts)
        part_if_due(reading, now);
    look_for_drops(reading, now);
}

static enum capture_status check_read_all(struct reading *reading, struct capture_error *error)
{
    const struct check_progress *progress = reading->progress;
    struct packet packet;
    enum capture_status status;

    while ((status = capture_next(reading->source, &packet, error)) == CAPTURE_PACKET || status == CAPTURE_TIMEOUT) {
        look_at_clock(reading, status == CAPTURE_PACKET ? packet.time_ns : capture_now());
        if (status == CAPTURE_TIMEOUT)
            continue;
        check_take_packet(reading, &packet);
        if (progress->report && packet.frame % PROGRESS_EVERY == 0)
            progress->report(progress->ctx, capture_progress(reading->source));
        if (packet.frame == reading->options->count)
            return CAPTURE_END;
    }
    return status;
}

/* ---- the whole capture ---- */

void check_capture(const struct check_setup *setup, struct capture *source, struct report_capture *capture)
{
    struct reading reading = {.source = source,
                              .options = setup->options,
                              .capture = capture,
                              .progress = &setup->progress,
                              .parts = setup->parts.report ? &setup->parts : NULL,
                              .part_end = INT64_MAX};
    struct capture_error error = {""};

    heap_use(&reading.heap);
    budget_init(&reading.budget, setup->options->memory_limit);
    reading.decap = decap_new(0);
    reading.two_points = setup->two_points ? two_points_new() : NULL;
    reading.across = across_new();
    if (!reading.decap || !reading.across || !prepare_shares(&reading, setup)) {
        capture->failed = true;
        capture->trouble = g_strdup_printf("%s: not enough memory", capture->file);
    } else {
        enum capture_status status;

        if (reading.parts && capture_is_live(source))
            begin_parts(&reading, capture_now());
        status = check_read_all(&reading, &error);
        check_finish_shares(&reading, status);
        check_gather(&reading);
        explain_status(&reading, status, &error);
        explain_nothing(&reading);
    }
    if (reading.parts) {
        int64_t now = capture_is_live(reading.source) ? capture_now() : reading.last_stamp_ns;

        if (reading.part_end == INT64_MAX)
            begin_parts(&reading, now);
        report_part_end(&reading, true, now);
    }
    for (unsigned i = 0; i < CHECK_SHARES; i++)
        share_free(reading.shares[i]);
    for (unsigned i = 0; i < reading.n_pools; i++)
        share_pool_clear(&reading.pools[i]);
    g_free(reading.pools);
    across_free(reading.across);
    copies_clear(&reading.copies);
    if (reading.decap)
        decap_free(reading.decap);
    two_points_free(reading.two_points);
    around_forget(reading.capture->troubles->around);
    heap_use(NULL);
}
