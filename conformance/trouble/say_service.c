// SPDX-License-Identifier: GPL-2.0-or-later
/* Times without service: connections that were lost, and connections that were never used. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>

enum { EMPTY_FEW = 3 };

/* A loss that is repaired this soon goes unnoticed. */
static const uint64_t short_ns = 50000000;

/* An outage at the end of the capture may be over sooner. */
static const uint64_t lasting_ns = 1000000000;

/* ---- outages ---- */

/* Calls were cut off, not counting Calls that end one connection after the other. */
static bool service_cut_off(const struct saying *saying, const struct trouble_facts *facts)
{
    for (uint32_t i = 0; i < facts->n_listed; i++)
        if (!facts->open[i].unsure && !in_a_loop(saying, &facts->open[i]))
            return true;
    return false;
}

/* The time from the end of a connection to the next one that works. */
struct outage {
    const struct trouble_facts *lost, *back; /* back: NULL: service never returned */
    unsigned failed;                         /* attempts in between */
};

/* Another connection that was up when this connection ended continues. */
static bool others_go_on(const struct saying *saying, guint i)
{
    const struct trouble_facts *facts = facts_at(saying, i);

    for (guint k = 0; k < saying->facts->len; k++) {
        const struct trouble_facts *other = facts_at(saying, k);

        if (k != i && is_established(other) && other->first.time_ns <= end_of(facts) && end_of(other) > end_of(facts) &&
            other->last.time_ns > end_of(facts))
            return true;
        if (k > i && other->first.time_ns > end_of(facts))
            break;
    }
    return false;
}

static struct outage outage_after(const struct saying *saying, guint i)
{
    struct outage outage = {.lost = facts_at(saying, i)};

    for (guint k = i + 1; k < saying->facts->len && !outage.back; k++) {
        const struct trouble_facts *next = facts_at(saying, k);

        if (next->first.time_ns < end_of(outage.lost))
            continue;
        if (trouble_attempt_failed(next))
            outage.failed++;
        else if (is_established(next))
            outage.back = next;
    }
    return outage;
}

/* When the connection was up: its first message, or the agreement of both ends. */
static struct trouble_event back_at(const struct trouble_facts *facts)
{
    const struct trouble_repeated *agreed = &facts->step[facts->ib ? STEP_READY : STEP_REPLY];

    return agreed->n > 0 ? agreed->first : facts->first;
}

/* All outages of a client and a server. */
struct outages {
    struct outage first, worst;
    unsigned n, failed;
    uint64_t sum;
    bool alike; /* the same side ended each connection */
};

static struct trouble_event lost_at(const struct outage *outage)
{
    return outage->lost->side[outage->lost->closer].ended;
}

static uint64_t outage_time(const struct saying *saying, const struct outage *outage)
{
    return time_from(lost_at(outage).time_ns,
                     outage->back ? back_at(outage->back).time_ns : capture_end_of(saying, outage->lost));
}

static void add_outage(const struct saying *saying, struct outages *all, const struct outage *outage)
{
    if (all->n++ == 0) {
        all->first = all->worst = *outage;
        all->alike = true;
    }
    all->alike &= side_name(outage->lost, outage->lost->closer) == side_name(all->first.lost, all->first.lost->closer);
    all->failed += outage->failed;
    all->sum += outage_time(saying, outage);
    if (!outage->back || outage_time(saying, outage) > outage_time(saying, &all->worst))
        all->worst = *outage;
}

/*
 * A server that was restarted does not listen for a while. A server that closes the connection and accepts the next
 * connection at once has another reason.
 */
static gchar *outage_advice(const struct outages *all)
{
    const struct outage *outage = &all->worst;
    const struct trouble_facts *lost = outage->lost;
    g_autofree gchar *closed = trouble_clock(lost_at(outage).time_ns);

    if (lost->closer == lost->opener)
        return g_strdup_printf("the client gave up the connection: look at its log at %s UTC", closed);
    if (outage->failed > 0)
        return g_strdup_printf("%s look at its log at %s UTC",
                               outage->back ? "was the server restarted?" : "is the server running?", closed);
    return g_strdup_printf("the server gave up the connection, and took the next one at once: look at its log at %s "
                           "UTC for the reason",
                           closed);
}

static void add_course(GString *text, const struct saying *saying, const struct outage *outage)
{
    const struct trouble_facts *lost = outage->lost;
    g_autofree gchar *ending = ending_text(lost);
    char lasted[UNITS_SIZE];

    g_string_append_printf(text, "no service for %s%s%s: %s", outage->back ? "" : "at least ",
                           units_time(outage_time(saying, outage), lasted),
                           outage->back ? "" : ", to the end of the capture", ending);
    if (lost->n_open > 0)
        g_string_append_printf(text, " with %" PRIu32 " Call%s outstanding", lost->n_open,
                               lost->n_open == 1 ? "" : "s");
    if (outage->failed > 0)
        g_string_append_printf(text, ", %u attempt%s to connect failed", outage->failed,
                               outage->failed == 1 ? "" : "s");
    if (outage->back) {
        struct trouble_event to = back_at(outage->back);
        g_autofree gchar *back = trouble_clock(to.time_ns);

        g_string_append_printf(text, ", back at %s (frame %" PRIu32 ")", back, to.frame);
    }
}

/* Several outages make one line. */
static void say_outages(const struct saying *saying, const struct outages *all)
{
    const struct trouble_facts *first = all->first.lost;
    GString *text = g_string_new(NULL);
    struct trouble *trouble;
    char sum[UNITS_SIZE];

    if (all->n > 1)
        g_string_append_printf(text, "%u connections were lost%s%s, %s without service; the longest time: ", all->n,
                               all->alike ? ", each closed by " : "", all->alike ? side_name(first, first->closer) : "",
                               units_time(all->sum, sum));
    add_course(text, saying, &all->worst);
    trouble = say(saying, TROUBLE_OUTAGE, first, lost_at(&all->first), g_string_free(text, FALSE));
    trouble->time = all->worst.back ? all->sum : outage_time(saying, &all->worst);
    trouble->lasting = !all->worst.back;
    say_next(trouble, outage_advice(all));
    if (all->worst.lost != first)
        say_also(trouble, all->worst.lost);
    if (all->worst.back)
        say_also(trouble, all->worst.back);
}

void say_service(const struct saying *saying)
{
    int64_t said_until = INT64_MIN;
    struct outages all = {0};

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        struct outage outage;

        if (!is_established(facts) || !has_ended(facts) || facts->parts == 0 || end_of(facts) < said_until ||
            others_go_on(saying, i))
            continue;
        outage = outage_after(saying, i);
        /* A client that unmounts, or is idle for a while, does not miss the service. */
        if ((!outage.back && outage_time(saying, &outage) < lasting_ns) ||
            (outage.failed == 0 && (!outage.back || !service_cut_off(saying, facts))) ||
            (outage.back && time_from(end_of(facts), back_at(outage.back).time_ns) < short_ns))
            continue;
        add_outage(saying, &all, &outage);
        said_until = outage.back ? outage.back->first.time_ns : INT64_MAX;
    }
    if (all.n > 0)
        say_outages(saying, &all);
}

/* ---- connections without a message ---- */

static bool is_empty(const struct trouble_facts *facts)
{
    return is_established(facts) && facts->parts == 0 && has_ended(facts) && !facts->hole &&
           (facts->step[STEP_REQUEST].n == 0 || facts->step[STEP_REPLY].n == 0 ||
            time_from(facts->step[STEP_REQUEST].first.time_ns, facts->step[STEP_REPLY].first.time_ns) < 1000000000);
}

void say_empty(const struct saying *saying)
{
    const struct trouble_facts *first = NULL, *last = NULL;
    struct trouble *trouble;
    uint64_t n = 0, by_client = 0, time;
    char every[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        if (!is_empty(facts))
            continue;
        first = first ? first : facts;
        last = facts;
        by_client += facts->closer == facts->opener;
        n++;
    }
    if (n < EMPTY_FEW)
        return;
    time = time_from(first->first.time_ns, last->first.time_ns);
    trouble = say(saying, TROUBLE_EMPTY, first, first->first,
                  g_strdup_printf("%" PRIu64 " connections were set up and closed by %s without a message, one every "
                                  "%s",
                                  n,
                                  by_client == n   ? "the client"
                                  : by_client == 0 ? "the server"
                                                   : "either side",
                                  units_time(time / (n - 1), every)));
    trouble->count = n;
    trouble->time = time;
    say_next(trouble, g_strdup_printf("look at the log of %s", by_client == n   ? "the client"
                                                               : by_client == 0 ? "the server"
                                                                                : "both sides"));
    for (guint i = 0; i < saying->facts->len; i++)
        if (is_empty(facts_at(saying, i)))
            say_also(trouble, facts_at(saying, i));
}
