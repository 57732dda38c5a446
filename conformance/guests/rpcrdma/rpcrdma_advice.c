// SPDX-License-Identifier: GPL-2.0-or-later
/* Credits, where the Calls' time goes, and exceptional Calls. */
#include "conformance/guests/rpcrdma/rpcrdma_stats.h"
#include "conformance/stats/advice_internal.h"
#include "engine/core/words.h"
#include "wire/nfs.h"

#include <inttypes.h>
#include <string.h>

/* Shares below these limits are not mentioned. */
static const double limit_notable = 0.2, limit_problem = 0.5, alone_notable = 0.9, idle_notable = 0.5,
                    part_notable = 0.6;
enum { CALLS_FEW = 10, CALLS_FOR_TAIL = 100, TAIL_FACTOR = 10 };

/* ---- directories ---- */

static bool is_directory_row(const struct stat_key *key)
{
    enum { NFS3_READDIR = 16, NFS3_READDIRPLUS = 17 };

    return key->operation ? key->procedure == NFS_OP_READDIR
                          : key->version == 3 && (key->procedure == NFS3_READDIR || key->procedure == NFS3_READDIRPLUS);
}

static uint64_t directory_time(const struct statistics *s)
{
    uint64_t time = 0;

    for (const struct stat_calls *row = s->calls; row; row = row->next)
        if (row->n[DIRECTORY_CALLS] > 0 && is_directory_row(&row->key))
            time = saturating_sum(time, row->time[CALL_LATENCY].sum);
    return time;
}

/* Many READDIRs, and most Replies are as large as the client allows: a larger size would need fewer of them. */
static bool is_directory_bound(const struct statistics *s, const struct stat_calls *sums)
{
    enum { MANY = 20, SMALL_KIB = 32 };
    uint64_t n = sums->n[DIRECTORY_CALLS], left_out = advice_left_out(s, sums).most;

    return n >= MANY && sums->n[DIRECTORY_ASKED] / n <= SMALL_KIB << 10 &&
           share_of(sums->n[DIRECTORY_FULL], saturating_sum(n, advice_left_out(s, sums).untimed)) >= limit_problem &&
           share_of(directory_time(s), saturating_sum(sums->time[CALL_LATENCY].sum, left_out)) >= limit_problem;
}

static void on_directories(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    uint64_t n = sums->n[DIRECTORY_CALLS];
    char time[UNITS_SIZE];

    if (!is_directory_bound(s, sums))
        return;
    advice_add(array, "directory-size", ADVICE_PROBLEM, share_of(directory_time(s), sums->time[CALL_LATENCY].sum),
               g_strdup_printf("The client reads directories in small pieces: %" PRIu64 " READDIRs asked for %" PRIu64
                               " octets each.",
                               n, sums->n[DIRECTORY_ASKED] / n),
               g_strdup_printf("%" PRIu64 " of %" PRIu64 " Replies were as large as the client allowed; together they "
                               "took %s",
                               sums->n[DIRECTORY_FULL], n, units_time(directory_time(s), time)),
               g_strdup("let the client ask for more at a time (dircount, maxcount): rsize and the server's disks are "
                        "not the cause"));
}

/* ---- credits ---- */

static const char *caller_name(const struct statistics *s, unsigned side)
{
    return s->client < 0 ? (side == 0 ? "initiator" : "responder") : (unsigned)s->client == side ? "client" : "server";
}

static gchar *credits_text(const struct stat_credits *c)
{
    char at[UNITS_SIZE], known[UNITS_SIZE], wait[UNITS_SIZE];
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "at the limit for %s of %s; ", units_time(c->n[CREDITS_AT_LIMIT], at),
                           units_time(c->n[CREDITS_OBSERVED] - c->n[CREDITS_UNKNOWN], known));
    if (c->granted_least == c->granted_most)
        g_string_append_printf(text, "credits granted: %" PRIu32, c->granted_most);
    else
        g_string_append_printf(text, "credits granted: %" PRIu32 " to %" PRIu32, c->granted_least, c->granted_most);
    g_string_append_printf(text, ", requested: %" PRIu32, c->requested_last);
    if (c->released.count > 0)
        g_string_append_printf(text, "; the next Call followed %s (median) after a Reply had freed a credit",
                               units_time(histogram_quantile(&c->released, 0.5), wait));
    if (c->n[CREDITS_ZERO] > 0)
        g_string_append_printf(text, "; %" PRIu64 " of %" PRIu64 " Replies granted 0 credits", c->n[CREDITS_ZERO],
                               c->n[CREDITS_GRANTS]);
    return g_string_free(text, FALSE);
}

static const char *credits_next(const struct stat_credits *c)
{
    if (c->n[CREDITS_ZERO] > 0)
        return "a grant of 0 breaks RFC 8166 section 3.3.1, and leaves the client one Call at a time: fix the server";
    if (c->n[CREDITS_BY_REQUEST] * 2 > c->n[CREDITS_AT_LIMIT])
        return "let the client ask for more credits (Linux: sunrpc.rdma_slot_table_entries, before the mount)";
    return "let the server grant more credits (Linux: sunrpc.svc_rdma.max_requests, before the service starts)";
}

/* A Call whose Reply was not captured seems to be outstanding, so that the limit seems to be reached. */
static void on_limit(GArray *array, const struct statistics *s, unsigned side, uint64_t left_out)
{
    const struct stat_credits *c = &s->credits[side];
    uint64_t known = c->n[CREDITS_OBSERVED] - c->n[CREDITS_UNKNOWN];
    double share = share_of(c->n[CREDITS_AT_LIMIT], c->n[CREDITS_OBSERVED]); /* the unknown time was not at the limit */
    char text[UNITS_SIZE];

    if (share_of(less(c->n[CREDITS_AT_LIMIT], left_out), c->n[CREDITS_OBSERVED]) < limit_notable ||
        c->released.count == 0)
        return;
    advice_add(array, "credit-limit", share >= limit_problem ? ADVICE_PROBLEM : ADVICE_NOTABLE, share,
               g_strdup_printf("For %s of the time the %s had as many Calls outstanding as credits: %" PRIu64 ".",
                               units_share(c->n[CREDITS_AT_LIMIT], known, text), caller_name(s, side),
                               histogram_quantile(&c->limit, 0.5)),
               credits_text(c), g_strdup(credits_next(c)));
}

/* The limit is not reached, but each Call waits for the one before it. */
static void on_one_at_a_time(GArray *array, const struct statistics *s, unsigned side, uint64_t left_out)
{
    const struct stat_credits *c = &s->credits[side];
    uint64_t known = c->n[CREDITS_OBSERVED] - c->n[CREDITS_UNKNOWN];
    uint64_t alone = histogram_bucket(&c->in_use, 1);
    char share[UNITS_SIZE], one[UNITS_SIZE], busy[UNITS_SIZE];

    if (c->n[CREDITS_GRANTS] < CALLS_FEW || share_of(less(alone, left_out), c->n[CREDITS_BUSY]) < alone_notable ||
        share_of(c->n[CREDITS_AT_LIMIT], known) >= limit_notable)
        return;
    advice_add(array, "one-call-at-a-time", ADVICE_NOTABLE, share_of(alone, known),
               g_strdup_printf(
                   "The %s had only one Call in flight for %s of its waiting time, although it was granted %" PRIu32
                   " credits.",
                   caller_name(s, side), units_share(alone, c->n[CREDITS_BUSY], share), c->granted_last),
               g_strdup_printf("one Call in flight for %s of %s", units_time(alone, one),
                               units_time(c->n[CREDITS_BUSY], busy)),
               g_strdup("throughput is limited to one Call at a time: keep more Calls in flight (several processes or "
                        "threads, more read-ahead, asynchronous I/O), or use larger Calls (rsize, wsize)"));
}

static void on_idle(GArray *array, const struct statistics *s, unsigned side, uint64_t left_out)
{
    const struct stat_credits *c = &s->credits[side];
    uint64_t known = c->n[CREDITS_OBSERVED], idle = less(less(known, c->n[CREDITS_BUSY]), c->unsure);
    char share[UNITS_SIZE], time[UNITS_SIZE], median[UNITS_SIZE], most[UNITS_SIZE];

    if (share_of(less(idle, left_out), known) < idle_notable || c->pauses.count == 0)
        return;
    advice_add(
        array, "idle-client", ADVICE_NOTABLE, share_of(idle, known),
        g_strdup_printf("For %s of the time the %s had no Call outstanding.", units_share(idle, known, share),
                        caller_name(s, side)),
        g_strdup_printf("no Call outstanding for %s; %" PRIu64 " pause%s between a Reply and the next Call, median "
                        "%s, longest %s",
                        units_time(idle, time), c->pauses.count, plural(c->pauses.count),
                        units_time(histogram_quantile(&c->pauses, 0.5), median), units_time(c->pauses.most, most)),
        g_strdup("this time is spent in the client or in its application, not in the network or the server"));
}

void rpcrdma_advice_on_credits(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    const struct left_out left = advice_left_out(s, sums);
    uint64_t left_out = left.most;

    for (unsigned side = 0; side < 2; side++) {
        on_limit(array, s, side, !left.lossy ? 0 : s->client == (int)side ? left_out : UINT64_MAX);
        if (s->client != (int)side) /* callbacks are few: one at a time is normal */
            continue;
        if (!is_directory_bound(s, sums))
            on_one_at_a_time(array, s, side, left_out);
        on_idle(array, s, side, left_out);
    }
}

/* ---- where the time goes ---- */

/* Call to first operation, moving data, last operation to Reply, and Calls without operations. */
struct parts {
    uint64_t first, moving, reply, plain, all;
    uint64_t server;            /* the remainder */
    uint64_t unseen;            /* of the remainder: data may have been moved by packets that were not captured */
    uint64_t lost, lost_moving; /* of all, and of moving data: waiting for lost or reordered packets */
    uint64_t network;           /* of the remainder except moving data, at least: the path to the server and back */
};

static struct parts parts_of(const struct statistics *s, const struct stat_calls *sums)
{
    struct parts parts = {.first = sums->time[CALL_TO_FIRST].sum,
                          .moving = sums->time[CALL_MOVING].sum,
                          .reply = sums->time[CALL_TO_REPLY].sum,
                          .all = sums->time[CALL_LATENCY].sum,
                          .lost = MIN(sums->n[LOST_TIME], sums->time[CALL_LATENCY].sum),
                          .lost_moving = MIN(sums->n[LOST_MOVING], sums->time[CALL_MOVING].sum)};
    uint64_t with = parts.first + parts.moving + parts.reply, others;

    parts.lost_moving = MIN(parts.lost_moving, parts.lost);
    others = parts.all - parts.moving;
    others -= MIN(others, parts.lost - parts.lost_moving);

    parts.plain = parts.all > with ? parts.all - with : 0;
    if (s->client == 0) /* the handshake shows how far away the Responder is */
        parts.network = s->round_trip_far * sums->time[CALL_LATENCY].count;
    parts.network = MIN(parts.network, others);
    parts.server = others - parts.network;
    parts.unseen = MIN(sums->n[UNSEEN_MOVING], parts.server);
    return parts;
}

static gchar *calls_share_text(uint64_t n, uint64_t calls)
{
    return g_strdup_printf("%" PRIu64 " of %" PRIu64 " Call%s", n, calls, plural(calls));
}

static gchar *parts_text(const struct parts *p, const struct stat_calls *sums)
{
    char a[UNITS_SIZE], b[UNITS_SIZE], c[UNITS_SIZE], d[UNITS_SIZE], all[UNITS_SIZE], net[UNITS_SIZE], lost[UNITS_SIZE];
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "%" PRIu64 " Call%s took %s together", sums->time[CALL_LATENCY].count,
                           plural(sums->time[CALL_LATENCY].count), units_time(p->all, all));
    if (sums->time[CALL_MOVING].count > 0)
        g_string_append_printf(text,
                               "; %" PRIu64
                               " with RDMA operations: Call to the first operation %s, moving data %s, last "
                               "operation to Reply %s",
                               sums->time[CALL_MOVING].count, units_share(p->first, p->all, a),
                               units_share(p->moving, p->all, b), units_share(p->reply, p->all, c));
    if (p->plain > 0)
        g_string_append_printf(text, "; without: %s", units_share(p->plain, p->all, d));
    if (p->network > 0)
        g_string_append_printf(text, "; the path to the server and back, by the handshake: %s",
                               units_share(p->network, p->all, net));
    if (p->lost > 0)
        g_string_append_printf(text, "; waiting for lost or reordered packets: %s", units_share(p->lost, p->all, lost));
    return g_string_free(text, FALSE);
}

/* The share of the time in which Calls were outstanding. */
static double busy_share(const struct statistics *s)
{
    const struct stat_credits *c = &s->credits[s->client == 1];

    return c->n[CREDITS_OBSERVED] == 0 ? 1 : share_of(c->n[CREDITS_BUSY], c->n[CREDITS_OBSERVED]);
}

/* Comes before statements about the server, which did not cause this time. */
static bool on_lost(GArray *array, const struct statistics *s, const struct stat_calls *sums, const struct parts *p,
                    uint64_t left_out)
{
    double share = share_of(p->lost, p->all);
    char text[UNITS_SIZE], time[UNITS_SIZE];

    if (share_of(p->lost, saturating_sum(p->all, left_out)) < limit_notable)
        return false;
    advice_add(array, "path-loss", share >= limit_problem ? ADVICE_PROBLEM : ADVICE_NOTABLE, busy_share(s) * share,
               g_strdup_printf("%s of the time of the Calls was spent waiting for lost or reordered packets.",
                               units_share(p->lost, p->all, text)),
               g_strdup_printf("%" PRIu64 " of %" PRIu64 " Call%s waited, %s together, which is not counted as the "
                               "server's time",
                               sums->n[CALLS_DELAYED], sums->time[CALL_LATENCY].count,
                               plural(sums->time[CALL_LATENCY].count), units_time(p->lost, time)),
               g_strdup(s->ib ? "look at the network, and at receivers that are not ready, before the server: each "
                                "retransmitted packet costs a timeout"
                              : "look for packet loss before looking at the server: each lost packet costs a TCP "
                                "timeout of 200 ms or more, unless other packets follow it"));
    return true;
}

/* The server answers READDIRs quickly. So their number is the reason, and not the server. */
static bool is_quick(const struct statistics *s)
{
    static const uint64_t quick_ns = 10000000;

    for (const struct stat_calls *row = s->calls; row; row = row->next)
        if (row->n[DIRECTORY_CALLS] > 0 && is_directory_row(&row->key) &&
            histogram_quantile(&row->time[CALL_LATENCY], 0.5) > quick_ns)
            return false;
    return true;
}

/* A client's tap does not see when the server moves data. */
static bool has_unseen_moves(const struct statistics *s, const struct stat_calls *sums)
{
    return s->tapped && sums->time[CALL_MOVING].count == 0 && sums->n[OCTETS_READ] + sums->n[OCTETS_WRITTEN] > 0;
}

/* The Calls that were left out could make this part the largest. */
static bool could_dominate(const struct parts *p, uint64_t left_out)
{
    uint64_t largest = MAX(MAX(p->moving - p->lost_moving + p->unseen, p->network), p->server);

    return (left_out > 0 || p->unseen > 0) &&
           share_of(saturating_sum(largest, left_out), saturating_sum(p->all, left_out)) >= part_notable;
}

static void on_parts(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    struct parts p = parts_of(s, sums);
    const struct left_out left = advice_left_out(s, sums);
    bool lost = on_lost(array, s, sums, &p, left.most);
    uint64_t server = p.server, most = saturating_sum(p.all, left.most);
    double busy = busy_share(s);
    char text[UNITS_SIZE];

    if (share_of(p.moving - p.lost_moving, most) >= part_notable)
        advice_add(array, "moving-data", ADVICE_NOTABLE, busy * share_of(p.moving, p.all),
                   g_strdup_printf("Moving data by RDMA takes %s of the time of the Calls.",
                                   units_share(p.moving - p.lost_moving, p.all, text)),
                   parts_text(&p, sums),
                   g_strdup("look at the rate, at retransmissions, and at the limit of outstanding Reads; then at the "
                            "network itself"));
    else if (share_of(p.network, most) >= part_notable)
        advice_add(array, "round-trips", ADVICE_NOTABLE, busy * share_of(p.network, p.all),
                   g_strdup_printf("The path to the server and back takes %s of the time of the Calls.",
                                   units_share(p.network, p.all, text)),
                   parts_text(&p, sums),
                   g_strdup("fewer and larger Calls, or more Calls at a time, help on this path"));
    else if (has_unseen_moves(s, sums) || (is_directory_bound(s, sums) && is_quick(s)))
        return;
    else if (share_of(server - p.unseen, most) >= part_notable)
        advice_add(
            array, "server-time", ADVICE_NOTABLE, busy * share_of(server, p.all),
            g_strdup_printf("The server%s takes %s of the time of the Calls.",
                            p.network > 0 ? "" : ", with the path to it,", units_share(server, p.all, text)),
            parts_text(&p, sums),
            g_strdup("look at the server: its disks and file system, its threads (Linux: /proc/fs/nfsd/threads), "
                     "and its load"));
    else if (could_dominate(&p, left.most))
        advice_add(array, "parts-withheld", ADVICE_UNKNOWN, 1,
                   g_strdup("The capture does not show where the time of the Calls went: Calls that were left out may "
                            "have taken longer."),
                   parts_text(&p, sums), NULL);
    else if (!lost)
        advice_add(array, "parts", ADVICE_FACT, 1, g_strdup("No single phase of the Calls dominates."),
                   parts_text(&p, sums), NULL);
}

void rpcrdma_advice_on_time(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    if (sums->time[CALL_LATENCY].count > 0)
        on_parts(array, s, sums);
}

/* ---- exceptional Calls ---- */

static const char *row_name(const struct stat_key *key)
{
    const struct nfs_procedure *procedure = nfs_procedure_find(key->program, key->version, key->procedure);
    const char *name;

    if (key->operation) {
        procedure = nfs_procedure_find(key->program, key->version, 1);
        name = nfs_op_name(key->procedure, procedure && procedure->callback);
        return name ? name : "such";
    }
    return key->known && procedure ? procedure->name : "such";
}

/* The quantile among all Calls, if all Calls that were left out were faster than it (`from_below`: slower). */
static uint64_t quantile_at_least(const struct stat_calls *row, uint64_t left_out, double q, bool from_below)
{
    const struct histogram *latency = &row->time[CALL_LATENCY];
    double all = (double)saturating_sum(latency->count, left_out), n = (double)latency->count;
    double at = from_below ? q * all / n : 1 - (1 - q) * all / n;

    return at < 0 || at > 1 ? 0 : histogram_quantile(latency, at);
}

static bool has_tail(const struct statistics *s, const struct stat_calls *row)
{
    uint64_t left_out = saturating_sum(saturating_sum(stat_unanswered(row), row->n[CALLS_UNCERTAIN]), s->orphans);
    uint64_t median, high;

    if (row->time[CALL_LATENCY].count < CALLS_FOR_TAIL)
        return false;
    median = quantile_at_least(row, left_out, 0.5, true);
    high = quantile_at_least(row, left_out, 0.99, false);
    return high > 0 && median > 0 && high / TAIL_FACTOR >= median;
}

/* A slow COMPOUND is in the rows of all its operations: its rarest operation names it. */
static bool is_named_elsewhere(const struct statistics *s, const struct stat_calls *row)
{
    bool before = true;

    for (const struct stat_calls *other = s->calls; other; other = other->next) {
        uint64_t n = other->time[CALL_LATENCY].count, mine = row->time[CALL_LATENCY].count;

        if (other == row)
            before = false;
        else if (other->slowest_frame == row->slowest_frame && has_tail(s, other) &&
                 (n < mine || (n == mine && before)))
            return true;
    }
    return false;
}

static void on_tail(GArray *array, const struct statistics *s, const struct stat_calls *row)
{
    const struct histogram *latency = &row->time[CALL_LATENCY];
    uint64_t median = histogram_quantile(latency, 0.5), high = histogram_quantile(latency, 0.99);
    char one[UNITS_SIZE], two[UNITS_SIZE], three[UNITS_SIZE];
    const char *name = row_name(&row->key);
    g_autofree gchar *after = NULL;

    if (!has_tail(s, row) || is_named_elsewhere(s, row))
        return;
    if (row->n[CALLS_DELAYED] >= latency->count / 100)
        after =
            g_strdup_printf("; %" PRIu64 " of the Calls waited for lost or reordered packets", row->n[CALLS_DELAYED]);
    advice_add(array, "slow-tail", ADVICE_NOTABLE, 0.01,
               g_strdup_printf("One in a hundred %s Calls takes more than %s; half of them take at most %s.", name,
                               units_time(high, one), units_time(median, two)),
               g_strdup_printf("%" PRIu64 " Calls; the slowest, in frame %" PRIu32 ", took %s%s", latency->count,
                               row->slowest_frame, units_time(latency->most, three), after ? after : ""),
               g_strdup_printf("look at %swhat happened around frame %" PRIu32, after ? "the path, and then at " : "",
                               row->slowest_frame));
}

static void on_segments(GArray *array, const struct stat_calls *sums)
{
    enum { MANY = 8 };
    static const struct {
        const char *name;
        enum call_count chunks, segments;
    } kinds[] = {{"Read", READ_CHUNKS, READ_SEGMENTS},
                 {"Write", WRITE_CHUNKS, WRITE_SEGMENTS},
                 {"Reply", REPLY_CHUNKS, REPLY_SEGMENTS}};

    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        uint64_t chunks = sums->n[kinds[i].chunks], segments = sums->n[kinds[i].segments];

        if (chunks < CALLS_FEW || segments / chunks < MANY)
            continue;
        advice_add(array, "many-segments", ADVICE_NOTABLE, 0,
                   g_strdup_printf("%s chunks have %.1f segments on average.", kinds[i].name,
                                   (double)segments / (double)chunks),
                   g_strdup_printf("%" PRIu64 " segments in %" PRIu64 " chunks", segments, chunks),
                   g_strdup("each segment needs its own RDMA operation: the client registers memory in small pieces"));
    }
}

/* ---- the slowest Calls ---- */

enum waited { FOR_SERVER, FOR_CLIENT, FOR_DATA, FOR_PATH };

/* The side that waited during the longest part of the Call's time, and what it waited for. */
static gchar *waited_text(const struct stat_slow *slow, enum waited *whom)
{
    uint64_t before = slow->first_frame > 0 ? slow->first : slow->latency;
    uint64_t after = slow->last_frame > 0 ? less(slow->latency, slow->last) : 0;
    uint64_t client = slow->data_frame > 0 ? less(slow->data, slow->first) : 0;
    uint64_t moving = slow->last_frame > 0 ? less(less(slow->last, slow->first), client) : 0;
    uint32_t begun = slow->first_frame > 0 ? slow->first_frame : slow->reply_frame;
    char time[UNITS_SIZE];

    *whom = FOR_SERVER;
    if (slow->lost > slow->latency / 2) {
        *whom = FOR_PATH;
        return g_strdup_printf("%s of this passed until lost or reordered packets had come",
                               units_time(slow->lost, time));
    }
    if (before >= MAX(MAX(after, client), moving)) {
        if (slow->acked_frame > 0 && slow->acked_frame < begun)
            return g_strdup_printf("the server had the Call (ACK in frame %" PRIu32 "), and sent the first octet %s "
                                   "later, in frame %" PRIu32,
                                   slow->acked_frame, units_time(less(before, slow->acked), time), begun);
        return g_strdup_printf("the server%s sent the first octet %s after the Call, in frame %" PRIu32,
                               slow->unseen ? ", as far as captured," : "", units_time(before, time), begun);
    }
    if (after >= MAX(client, moving))
        return g_strdup_printf(
            "the server sent the Reply%s %s after the last data (frame %" PRIu32 "), in frame %" PRIu32,
            slow->unseen ? ", as far as captured," : "", units_time(after, time), slow->last_frame, slow->reply_frame);
    *whom = client >= moving ? FOR_CLIENT : FOR_DATA;
    if (client >= moving)
        return g_strdup_printf("the server asked for the client's data in frame %" PRIu32 ", and the client sent the "
                               "first octet %s later, in frame %" PRIu32,
                               slow->first_frame, units_time(client, time), slow->data_frame);
    return g_strdup_printf("data moved for %s, from frame %" PRIu32 " to frame %" PRIu32, units_time(moving, time),
                           slow->data_frame > 0 ? slow->data_frame : slow->first_frame, slow->last_frame);
}

static gchar *slow_text(const struct stat_slow *slow, enum waited *whom)
{
    g_autofree gchar *waited = waited_text(slow, whom);
    char time[UNITS_SIZE];

    return g_strdup_printf("%s in frame %" PRIu32 ", took %s: %s", slow->key.known ? row_name(&slow->key) : "Call",
                           slow->frame, units_time(slow->latency, time), waited);
}

static void on_slowest(GArray *array, const struct statistics *s)
{
    static const char *const next[] = {
        [FOR_SERVER] = "look at what the server did at that time: its log, its disks and its threads",
        [FOR_CLIENT] = "look at the client: its load, and the limit of outstanding Reads",
        [FOR_DATA] = "look at the path and at both ends' rates",
        [FOR_PATH] = "look for the packet loss first",
    };
    static const uint64_t slow_ns = 10000000;
    bool slow = s->n_slowest > 0 && s->slowest[0].latency >= slow_ns;
    GString *others = g_string_new(NULL);
    enum waited whom = FOR_SERVER, other;

    for (unsigned i = 1; i < s->n_slowest; i++) {
        g_autofree gchar *text = slow_text(&s->slowest[i], &other);

        g_string_append_printf(others, "%s%s", i == 1 ? "the next: " : "; ", text);
    }
    if (s->n_slowest == 1)
        g_string_append(others, "the only Call with a known time");
    if (s->n_slowest > 0) {
        g_autofree gchar *text = slow_text(&s->slowest[0], &whom);

        advice_add(array, "slowest", slow ? ADVICE_NOTABLE : ADVICE_FACT, slow ? ADVICE_FIRST : 0,
                   g_strdup_printf("The slowest Call, %s.", text), g_strdup(others->str),
                   slow ? g_strdup(next[whom]) : NULL);
    }
    g_string_free(others, TRUE);
}

/* Time without any answer is worse than slow answers. */
static void on_unanswered(GArray *array, const struct statistics *s, const struct stat_calls *sums, uint64_t unanswered)
{
    static const uint64_t long_ns = 1000000000;
    bool silent = s->gaps.most >= long_ns;
    char silence[UNITS_SIZE];
    g_autofree gchar *gap = silent ? g_strdup_printf("; nothing was sent for %s, until frame %" PRIu32,
                                                     units_time(s->gaps.most, silence), s->longest_gap_frame)
                                   : g_strdup("");

    advice_add(
        array, "unanswered", silent ? ADVICE_PROBLEM : ADVICE_NOTABLE,
        silent ? ADVICE_FIRST : share_of(unanswered, sums->n[CALLS]),
        g_strdup_printf("%" PRIu64 " Call%s no Reply in the capture%s.", unanswered,
                        unanswered == 1 ? " has" : "s have", gap),
        g_strdup_printf("of %" PRIu64 " Call%s; counted, but not part of the latency figures", sums->n[CALLS],
                        plural(sums->n[CALLS])),
        g_strdup("unless the capture simply ended too early, see \"What happened\" and docs/howto/mount-hangs.md"));
}

void rpcrdma_advice_on_calls(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    uint64_t unanswered = advice_left_out(s, sums).lossy ? 0 : stat_unanswered(sums);

    on_directories(array, s, sums);
    on_slowest(array, s);
    for (const struct stat_calls *row = s->calls; row; row = row->next)
        on_tail(array, s, row);
    on_segments(array, sums);
    if (sums->n[CALLS_REPEATED] > 0)
        advice_add(array, "repeated-calls", ADVICE_PROBLEM, share_of(sums->n[CALLS_REPEATED], sums->n[CALLS]),
                   g_strdup_printf("The client sent %" PRIu64 " unanswered Calls again.", sums->n[CALLS_REPEATED]),
                   calls_share_text(sums->n[CALLS_REPEATED], sums->n[CALLS]),
                   g_strdup("the server does not answer within the client's timeout (timeo), or Replies are lost"));
    if (sums->n[CALLS_FAILED] > 0)
        advice_add(array, "rdma-errors", ADVICE_PROBLEM, share_of(sums->n[CALLS_FAILED], sums->n[CALLS]),
                   g_strdup_printf("%" PRIu64 " Call%s answered by RDMA_ERROR, to be sent again.",
                                   sums->n[CALLS_FAILED], sums->n[CALLS_FAILED] == 1 ? " was" : "s were"),
                   calls_share_text(sums->n[CALLS_FAILED], sums->n[CALLS]),
                   g_strdup("iwarp-check --print shows them; ERR_CHUNK means that a Reply chunk was too small"));
    if (unanswered > 0)
        on_unanswered(array, s, sums, unanswered);
}
