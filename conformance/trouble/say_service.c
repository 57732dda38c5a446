// SPDX-License-Identifier: GPL-2.0-or-later
/* Times without service: connections that were lost, and connections that were never used. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>

enum { EMPTY_FEW = 3 };

/* A loss that is repaired this soon goes unnoticed. */
static const uint64_t short_ns = 50000000;

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

static void say_outage(const struct saying *saying, const struct outage *outage)
{
    const struct trouble_facts *lost = outage->lost;
    struct trouble_event from = lost->side[lost->closer].ended;
    struct trouble_event to = outage->back ? back_at(outage->back) : (struct trouble_event){0, lost->until_ns};
    g_autofree gchar *closed = trouble_clock(from.time_ns), *back = trouble_clock(to.time_ns);
    g_autofree gchar *ending = ending_text(lost);
    GString *text = g_string_new(NULL);
    struct trouble *trouble;
    uint64_t time = time_from(from.time_ns, to.time_ns);
    char lasted[UNITS_SIZE];

    g_string_append_printf(text, "no service for %s: %s", units_time(time, lasted), ending);
    if (lost->n_open > 0)
        g_string_append_printf(text, " with %" PRIu32 " Call%s outstanding", lost->n_open,
                               lost->n_open == 1 ? "" : "s");
    if (outage->failed > 0)
        g_string_append_printf(text, ", %u attempt%s to connect failed", outage->failed,
                               outage->failed == 1 ? "" : "s");
    if (outage->back)
        g_string_append_printf(text, ", back at %s (frame %" PRIu32 ")", back, to.frame);
    else
        g_string_append(text, ", not back at the end of the capture");
    trouble = say(saying, TROUBLE_OUTAGE, lost, from, g_string_free(text, FALSE));
    trouble->time = time;
    say_next(trouble, g_strdup_printf(lost->closer == lost->opener
                                          ? "the client gave up the connection: look at its log at %s UTC"
                                          : "was the server restarted? look at its log at %s UTC",
                                      closed));
    if (outage->back)
        say_also(trouble, outage->back);
}

void say_service(const struct saying *saying)
{
    int64_t said_until = INT64_MIN;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        struct outage outage;

        if (!is_established(facts) || !has_ended(facts) || facts->parts == 0 || end_of(facts) < said_until ||
            others_go_on(saying, i))
            continue;
        outage = outage_after(saying, i);
        /* A client that unmounts, or is idle for a while, does not miss the service. */
        if ((outage.failed == 0 && (!outage.back || !service_cut_off(saying, facts))) ||
            (outage.back && time_from(end_of(facts), back_at(outage.back).time_ns) < short_ns))
            continue;
        say_outage(saying, &outage);
        said_until = outage.back ? outage.back->first.time_ns : INT64_MAX;
    }
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
