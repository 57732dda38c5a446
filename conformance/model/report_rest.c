// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums of the connections that are not listed because the list is full. */
#include "conformance/model/report.h"
#include "conformance/options/options.h"
#include "conformance/trouble/facts.h"
#include "engine/core/heap.h"

#include <inttypes.h>
#include <stdlib.h>

bool report_has_findings(const struct report_connection *connection)
{
    uint64_t found = connection->waived + connection->not_kept;

    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        found += connection->found[severity];
    return found > 0;
}

size_t report_connection_size(const struct report_connection *connection)
{
    enum { COUNTS = 1 << 10 }; /* octets, for counts of rules and the upper layer */

    return sizeof *connection + COUNTS + report_findings_size(connection) +
           connection->doubts.room * sizeof *connection->doubts.at +
           (connection->facts ? sizeof *connection->facts : 0) +
           (connection->statistics ? sizeof *connection->statistics : 0) +
           (connection->notes ? (size_t)connection->notes->len * sizeof(struct note) : 0);
}

static void take_statistics(struct report_rest *rest, struct report_connection *connection)
{
    if (!connection->statistics)
        return;
    if (rest->statistics) {
        statistics_add_calls(rest->statistics, connection->statistics);
        return;
    }
    rest->statistics = connection->statistics;
    connection->statistics = NULL;
}

void report_rest_take(struct report_rest *rest, struct report_connection *connection)
{
    const struct trouble_facts *facts = connection->facts;

    rest->n++;
    rest->with_findings += report_has_findings(connection);
    rest->troubled += !(facts && trouble_facts_are_plain(facts));
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        rest->found[severity] += connection->found[severity];
    rest->waived += connection->waived;
    rest->judged |= report_is_judged(connection);
    rest->ib |= connection->ib != NULL;
    rest->iwarp |= !connection->ib;
    rest->calls += facts ? facts->calls : 0;
    rest->answers += facts ? facts->answers : 0;
    rest->holes |= facts && facts->hole;
    if (!rest->counts)
        rest->counts = heap_zeroed(1, sizeof *rest->counts);
    if (rest->counts)
        counts_unfold(connection->counts, rest->counts);
    doubts_add(&rest->doubts, &connection->doubts);
    take_statistics(rest, connection);
    report_connection_free(connection);
}

void report_rest_clear(struct report_rest *rest)
{
    free(rest->counts);
    doubts_free(&rest->doubts);
    statistics_free(rest->statistics);
    *rest = (struct report_rest){0};
}

void report_rest_add(struct report_capture *capture, struct report_rest *rest)
{
    struct report_rest *into = &capture->rest;

    into->n += rest->n;
    into->with_findings += rest->with_findings;
    into->troubled += rest->troubled;
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        into->found[severity] += rest->found[severity];
    into->waived += rest->waived;
    into->judged |= rest->judged;
    into->ib |= rest->ib;
    into->iwarp |= rest->iwarp;
    capture->troubles->calls += rest->calls;
    capture->troubles->answers += rest->answers;
    capture->troubles->holes |= rest->holes;
    capture->troubles->left_out += rest->troubled;
    if (rest->counts)
        capture->rest_counts = counts_fold(NULL, rest->counts, capture->rest_counts);
    doubts_add(&capture->doubts, &rest->doubts);
    doubts_free(&rest->doubts);
    if (into->statistics && rest->statistics) {
        statistics_add_calls(into->statistics, rest->statistics);
    } else if (rest->statistics) {
        into->statistics = rest->statistics;
        rest->statistics = NULL;
    }
}

uint64_t report_n_connections(const struct report_capture *capture)
{
    return capture->connections->len + capture->rest.n;
}

uint64_t report_rest_fails(const struct check_options *options, const struct report_rest *rest)
{
    uint64_t n = 0;

    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        n += options_fails(options, (enum rule_severity)severity) ? rest->found[severity] : 0;
    return n;
}

gchar *report_rest_fails_text(const struct check_options *options, const struct report_rest *rest)
{
    uint64_t n = report_rest_fails(options, rest);

    if (n == 0)
        return NULL;
    return g_strdup_printf("%" PRIu64 " failing finding%s on connections that are not listed", n,
                           n == 1 ? " is" : "s are");
}

gchar *report_rest_text(const struct report_rest *rest)
{
    g_autofree gchar *with = rest->with_findings > 0
                                 ? g_strdup_printf(", %" PRIu64 " of them with findings,", rest->with_findings)
                                 : g_strdup(" without findings");

    if (rest->n == 0)
        return NULL;
    return g_strdup_printf("%" PRIu64 " more connection%s%s %s counted and not listed; --memory-limit=SIZE keeps more",
                           rest->n, rest->n == 1 ? "" : "s", with, rest->n == 1 ? "is" : "are");
}
