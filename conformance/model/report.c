// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/report.h"

#include "conformance/options/options.h"
#include "support/printable.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *report_operation_name(unsigned opcode)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);

    return info ? info->key : NULL;
}

static GArray *none;

static void make_none(void)
{
    none = g_array_new(FALSE, FALSE, sizeof(struct report_finding));
}

/* Most connections have no findings: these share one array. */
static GArray *no_findings(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_none);
    return none;
}

struct report_connection *report_connection_new(void)
{
    struct report_connection *connection = g_new0(struct report_connection, 1);

    connection->findings = g_array_ref(no_findings());
    return connection;
}

void report_connection_free(struct report_connection *connection)
{
    if (!connection)
        return;
    g_array_unref(connection->findings);
    trouble_facts_free(connection->facts);
    if (connection->record)
        connection->across->free_record(connection->record);
    statistics_free(connection->statistics);
    counts_free(connection->counts);
    doubts_free(&connection->doubts);
    if (connection->failing)
        g_array_unref(connection->failing);
    if (connection->notes)
        g_array_unref(connection->notes);
    if (connection->messages)
        g_string_chunk_free(connection->messages);
    if (connection->folds)
        g_hash_table_unref(connection->folds);
    if (connection->kinds)
        g_hash_table_unref(connection->kinds);
    g_free(connection->ib);
    report_guest_free(&connection->guest);
    g_free(connection);
}

void report_add_finding(struct report_connection *connection, const struct report_finding *finding, const char *message)
{
    struct report_finding kept = *finding;

    if (!connection->messages) {
        connection->messages = g_string_chunk_new(256); /* most connections with findings have few */
        g_array_unref(connection->findings);
        connection->findings = g_array_new(FALSE, FALSE, sizeof(struct report_finding));
    }
    /* Many findings of a rule have the same text: g_string_chunk_insert_const() keeps one copy. */
    kept.message = g_string_chunk_insert_const(connection->messages, message);
    g_array_append_val(connection->findings, kept);
}

void report_adopt_finding(struct report_connection *connection, const struct report_finding *finding)
{
    struct finding_subject *subject;

    report_add_finding(connection, finding, finding->message);
    subject = &g_array_index(connection->findings, struct report_finding, connection->findings->len - 1).subject;
    if (subject->operation)
        subject->operation = g_string_chunk_insert_const(connection->messages, subject->operation);
    if (subject->kind)
        subject->kind = g_string_chunk_insert_const(connection->messages, subject->kind);
}

gchar *report_refused_text(const struct report_connection *connection)
{
    static const char *const kinds[REFUSALS] = {
        [REFUSED_CHECKSUM] = "with a wrong checksum",
        [REFUSED_FLAGS] = "without the ACK flag",
        [REFUSED_ACK] = "with an acknowledgment of what was not sent",
        [REFUSED_WINDOW] = "outside the receiver's window",
        [REFUSED_STAMP] = "with an old timestamp",
        [REFUSED_VERSION] = "with another transport version (TVer)",
        [REFUSED_PKEY] = "with the P_Key of another partition",
    };
    GString *text = g_string_new(NULL);
    uint64_t all = 0;

    for (unsigned kind = 0; kind < REFUSALS; kind++) {
        uint64_t n = connection->refused[kind][0] + connection->refused[kind][1];

        all += n;
        if (n > 0)
            g_string_append_printf(text, "%s%" PRIu64 " %s", text->len > 0 ? ", " : "", n, kinds[kind]);
    }
    if (all > 0) {
        g_autofree gchar *before = g_strdup_printf("%" PRIu64 " packet%s ignored because no receiver accepts %s: ", all,
                                                   all == 1 ? "" : "s", all == 1 ? "it" : "them");

        g_string_insert_len(text, 0, before, -1);
    }
    return g_string_free(text, all == 0);
}

size_t report_findings_size(const struct report_connection *connection)
{
    enum { FIRST = 1 << 10, EACH = 256 }; /* with texts, and with the table that finds equal findings */

    return connection->messages ? FIRST + (size_t)connection->findings->len * EACH : 0;
}

static struct report_failing *find_failing(const struct report_connection *connection, enum rule_id rule)
{
    for (guint i = 0; connection->failing && i < connection->failing->len; i++) {
        struct report_failing *failing = &g_array_index(connection->failing, struct report_failing, i);

        if (failing->rule == rule)
            return failing;
    }
    return NULL;
}

void report_add_failing(struct report_connection *connection, enum rule_id rule)
{
    struct report_failing *known = find_failing(connection, rule), first = {rule, 1};

    if (known) {
        known->times = rule_count_sum(known->times, 1);
        return;
    }
    if (!connection->failing)
        connection->failing = g_array_new(FALSE, FALSE, sizeof(struct report_failing));
    g_array_append_val(connection->failing, first);
}

void report_drop_failing(struct report_connection *connection, enum rule_id rule)
{
    struct report_failing *known = find_failing(connection, rule);

    if (known && --known->times == 0)
        g_array_remove_index(connection->failing, (guint)(known - (struct report_failing *)connection->failing->data));
}

static void report_free_connection(gpointer connection)
{
    report_connection_free(connection);
}

struct report_capture *report_capture_new(const char *file)
{
    struct report_capture *capture = g_new0(struct report_capture, 1);

    capture->path = g_strdup(file);
    /* Escapes what is not UTF-8, so that names remain distinguishable. */
    capture->file = g_utf8_validate(file, -1, NULL) ? g_strdup(file) : printable_text(file);
    capture->connections = g_ptr_array_new_with_free_func(report_free_connection);
    capture->troubles = troubles_new();
    return capture;
}

void report_capture_free(struct report_capture *capture)
{
    if (!capture)
        return;
    g_ptr_array_unref(capture->connections);
    troubles_free(capture->troubles);
    counts_free(capture->counts);
    doubts_free(&capture->doubts);
    counts_free(capture->rest_counts);
    report_rest_clear(&capture->rest);
    g_free(capture->path);
    g_free(capture->file);
    g_free(capture->trouble);
    g_free(capture->nothing);
    g_free(capture->part.series);
    g_free(capture);
}

void report_capture_begin_part(struct report_capture *capture)
{
    g_ptr_array_set_size(capture->connections, 0);
    g_clear_pointer(&capture->trouble, g_free);
    g_clear_pointer(&capture->nothing, g_free);
    capture->packets = capture->octets = capture->dropped = capture->other_connections = 0;
    capture->cut_short = capture->given_up = 0;
    counts_free(capture->rest_counts);
    doubts_free(&capture->doubts);
    capture->rest_counts = NULL;
    report_rest_clear(&capture->rest);
    capture->truncated = capture->failed = false;
    capture->snapped = capture->snap_length = 0;
}

static void free_capture(gpointer capture)
{
    report_capture_free(capture);
}

void report_init(struct report *report, const struct check_options *options)
{
    memset(report, 0, sizeof *report);
    report->options = options;
    for (size_t i = 0; i < RULE_COUNT; i++)
        report->shown[i] = options->rules.shown[i] && rule_binds(&rule_catalogue[i], options->mpa.profile);
    report->captures = g_ptr_array_new_with_free_func(free_capture);
    report->unused_waivers = g_ptr_array_new();
    report->expired_waivers = g_ptr_array_new();
}

void report_clear(struct report *report)
{
    g_ptr_array_unref(report->captures);
    between_free(report->between);
    g_ptr_array_unref(report->unused_waivers);
    g_ptr_array_unref(report->expired_waivers);
}

static enum rule_transport transport_of(const struct report_connection *connection)
{
    return connection->ib ? RULE_ON_IB : RULE_ON_IWARP;
}

/* Whether the rule has any of these counts. */
static void report_list_rules(const struct report *report, enum rule_transport transport,
                              const struct rule_counts *counts, const struct doubt_at *doubts, bool passed_too,
                              GArray *rules)
{
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];
        struct report_rule exercised = {.rule = (enum rule_id)i};

        if (!report->shown[i] || !rule_binds_on(rule, transport))
            continue;
        exercised.count = rule_counts_of(counts, i);
        if (exercised.count.inconclusive > 0)
            exercised.doubt = doubts[rule_counter[i]];
        if (((passed_too ? exercised.count.passed : 0) | exercised.count.failed | exercised.count.inconclusive) != 0)
            g_array_append_val(rules, exercised);
    }
}

static void rules_of(const struct report *report, const struct report_connection *connection, bool passed_too,
                     GArray *rules)
{
    struct rule_counts counts = {0};
    struct doubt_at doubts[RULE_COUNTERS] = {0};

    g_array_set_size(rules, 0);
    counts_unfold(connection->counts, &counts);
    if (!passed_too && !counts.others)
        return;
    doubts_sum(&connection->doubts, doubts);
    report_list_rules(report, transport_of(connection), &counts, doubts, passed_too, rules);
    for (guint i = 0; i < rules->len; i++) {
        struct report_rule *rule = &g_array_index(rules, struct report_rule, i);
        const struct report_failing *failing = find_failing(connection, rule_catalogue[rule->rule].same);

        rule->failing = failing ? failing->times : 0;
    }
}

void report_rules(const struct report *report, const struct report_connection *connection, GArray *rules)
{
    rules_of(report, connection, true, rules);
}

void report_rules_not_passed(const struct report *report, const struct report_connection *connection, GArray *rules)
{
    rules_of(report, connection, false, rules);
}

/* Both kinds make any; `before` does not count while there is no connection. */
static enum rule_transport with_transport(enum rule_transport before, bool first,
                                          const struct report_connection *connection)
{
    return first || before == transport_of(connection) ? transport_of(connection) : RULE_ON_ANY;
}

static enum rule_transport with_rest(enum rule_transport before, const struct report_rest *rest)
{
    return (rest->ib && before != RULE_ON_IB) || (rest->iwarp && before != RULE_ON_IWARP) ? RULE_ON_ANY : before;
}

/* sum: of single rules. */
static void sum_capture(const struct report_capture *capture, struct counts_sum *sum)
{
    if (capture->counts)
        counts_sum_add(sum, capture->counts);
    for (guint i = 0; !capture->counts && i < capture->connections->len; i++)
        counts_sum_add(sum, ((const struct report_connection *)g_ptr_array_index(capture->connections, i))->counts);
    if (capture->rest_counts)
        counts_sum_add(sum, capture->rest_counts);
}

/* The first doubt about each rule, by rule_counter[]. */
static void sum_doubts(const struct report_capture *capture, struct doubt_at sums[RULE_COUNTERS])
{
    doubts_sum(&capture->doubts, sums);
    for (guint i = 0; !capture->counts && i < capture->connections->len; i++)
        doubts_sum(&((const struct report_connection *)g_ptr_array_index(capture->connections, i))->doubts, sums);
}

void report_capture_rules(const struct report *report, const struct report_capture *capture, GArray *rules)
{
    struct rule_counts counts = {0};
    struct counts_sum sum = {.counts = &counts};
    struct doubt_at doubts[RULE_COUNTERS] = {0};
    enum rule_transport transport = RULE_ON_ANY;

    sum_capture(capture, &sum);
    sum_doubts(capture, doubts);
    counts_sum_end(&sum);
    for (guint i = 0; i < capture->connections->len; i++)
        transport = with_transport(transport, i == 0, g_ptr_array_index(capture->connections, i));
    transport = with_rest(transport, &capture->rest);
    g_array_set_size(rules, 0);
    report_list_rules(report, transport, &counts, doubts, true, rules);
}

static void sum_connection(struct report *report, const struct report_connection *connection)
{
    bool any = false;

    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++) {
        report->found[severity] += connection->found[severity];
        any |= connection->found[severity] > 0;
    }
    report->waived += connection->waived;
    report->transport = with_transport(report->transport, report->connections == 0, connection);
    report->connections++;
    report->connections_with_findings += any;
}

static void sum_rest(struct report *report, const struct report_rest *rest)
{
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        report->found[severity] += rest->found[severity];
    report->waived += rest->waived;
    report->connections += rest->n;
    report->connections_with_findings += rest->with_findings;
    report->transport = with_rest(report->transport, rest);
}

static void find_expired_waivers(struct report *report)
{
    const GPtrArray *waivers = report->options->waivers;

    for (guint i = 0; waivers && i < waivers->len; i++) {
        struct waiver *waiver = g_ptr_array_index(waivers, i);

        if (waiver->expired && g_atomic_int_get(&waiver->used))
            g_ptr_array_add(report->expired_waivers, waiver);
    }
}

static void find_unused_waivers(struct report *report)
{
    const struct check_options *options = report->options;

    for (guint i = 0; options->waivers && i < options->waivers->len; i++) {
        struct waiver *waiver = g_ptr_array_index(options->waivers, i);

        /*
         * Unused waivers are not reported for rules that are not checked, for shipped files, or for cases of a suite.
         */
        if (!waiver->shipped && !waiver->one_case && !g_atomic_int_get(&waiver->used) &&
            options->rules.reported[rule_catalogue[waiver->rule].same])
            g_ptr_array_add(report->unused_waivers, waiver);
    }
}

/* A later part may still use waivers that no part has used so far. */
static bool report_goes_on(const struct report *report)
{
    const struct report_capture *capture = report->captures->len == 0 ? NULL : g_ptr_array_index(report->captures, 0);

    return capture && capture->part.series && !capture->part.last;
}

/* %s: the upper layers that have rules. */
static const char *const nothing[] = {
    [REPORT_NO_MPA] = "no RDMA connection found: nothing was checked",
    [REPORT_NO_GUEST] = "no %s found, and on RoCE and InfiniBand nothing else is checked",
    [REPORT_NO_FPDU] = "no FPDU could be judged: only the start-up of connections was checked",
    [REPORT_NO_ANSWER] = "no FPDU could be judged: the connection request was never answered",
    [REPORT_REJECTED] = "no %s found: the connection was rejected",
    [REPORT_INCOMPLETE] = "no connection was set up: its handshake was never completed",
    [REPORT_OTHER_ULP] = "only upper layers without rules found, and on RoCE and InfiniBand nothing else is checked",
};

const char *report_nothing(enum report_emptiness why)
{
    const char *place = strstr(nothing[why], "%s");
    g_autofree gchar *titles = guest_titles_judged(), *text = NULL;

    if (!place)
        return nothing[why];
    text = g_strdup_printf("%.*s%s%s", (int)(place - nothing[why]), nothing[why], titles, place + 2);
    return g_intern_string(text);
}

static bool judges_guest(const struct report_connection *connection)
{
    return connection->guest.face && connection->guest.face->judged;
}

bool report_is_judged(const struct report_connection *connection)
{
    bool carried = connection->fpdus[0] + connection->fpdus[1] > 0;

    /* No rules of the InfiniBand specification are judged. */
    return carried && (!connection->ib || judges_guest(connection));
}

bool report_unanswered(const struct report_connection *connection)
{
    bool asked = connection->ib ? connection->ib->request_seen : connection->parameters.request_seen;
    bool answered = connection->ib ? connection->ib->reply_seen : connection->parameters.reply_seen;
    bool rejected = connection->ib && connection->ib->rejected;

    return asked && !answered && !rejected && !connection->continues &&
           connection->fpdus[0] + connection->fpdus[1] == 0;
}

static enum report_emptiness emptiness_of(const struct report_connection *connection)
{
    if (connection->ib && connection->ib->rejected)
        return REPORT_REJECTED;
    if (report_unanswered(connection))
        return REPORT_NO_ANSWER;
    if (connection->ib && connection->guest.face && !judges_guest(connection))
        return REPORT_OTHER_ULP;
    return connection->ib ? REPORT_NO_GUEST : REPORT_NO_FPDU;
}

bool report_judged_something(const struct report_capture *capture)
{
    for (guint i = 0; i < capture->connections->len; i++)
        if (report_is_judged(g_ptr_array_index(capture->connections, i)))
            return true;
    return capture->rest.judged;
}

bool report_incomplete(const struct report_capture *capture)
{
    bool incomplete = false;

    for (guint i = 0; i < capture->troubles->list->len; i++)
        incomplete |=
            ((const struct trouble *)g_ptr_array_index(capture->troubles->list, i))->kind == TROUBLE_INCOMPLETE;
    return incomplete && !capture->part.series && !report_judged_something(capture);
}

bool report_capture_cut_short(const struct report_capture *capture)
{
    return capture->cut_short > 0 || capture->given_up > 0 || capture->rest.troubled > 0;
}

bool report_cut_short(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++)
        if (report_capture_cut_short(g_ptr_array_index(report->captures, i)))
            return true;
    return false;
}

bool report_capture_undone(const struct report_capture *capture)
{
    return capture->failed || report_capture_cut_short(capture);
}

bool report_is_good(const struct report *report)
{
    return report->status == CHECK_PASS && !report->trouble;
}

bool report_is_trouble(const struct report *report)
{
    bool broken = report->options->strict_waivers && report->unused_waivers->len > 0;

    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        broken |= report->found[severity] > 0 && options_fails(report->options, (enum rule_severity)severity);
    return report->trouble && !broken && !(report->incomplete > 0 && !report->options->allow_empty) &&
           (report->status == CHECK_PASS || report->status == CHECK_FAIL);
}

gchar *report_trouble(const struct report *report)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();

    for (guint i = 0; i < report->captures->len; i++)
        g_ptr_array_add(all, ((const struct report_capture *)g_ptr_array_index(report->captures, i))->troubles);
    return troubles_headline((const struct troubles *const *)all->pdata, all->len);
}

const char *report_nothing_checked(const struct report_capture *capture)
{
    enum report_emptiness why = REPORT_NO_GUEST;
    bool alike = true, iwarp = false;

    if (capture->connections->len == 0)
        return capture->nothing ? capture->nothing : report_nothing(REPORT_NO_MPA);
    if (capture->part.series || report_judged_something(capture))
        return NULL;
    if (report_incomplete(capture))
        return report_nothing(REPORT_INCOMPLETE);
    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);
        enum report_emptiness own = emptiness_of(connection);

        why = i == 0 ? own : why;
        alike &= own == why;
        iwarp |= !connection->ib;
    }
    if (!iwarp && capture->nothing)
        return capture->nothing;
    return report_nothing(alike ? why : iwarp ? REPORT_NO_FPDU : REPORT_NO_GUEST);
}

/* Names upper layers without rules that were found instead. */
static void name_ulps(struct report_capture *capture)
{
    GString *names = g_string_new(NULL);

    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        const struct report_guest *guest = &connection->guest;

        if (guest->face && !guest->face->judged && !strstr(names->str, guest->face->title(guest->report)))
            g_string_append_printf(names, "%s%s", names->len > 0 ? ", " : "", guest->face->title(guest->report));
    }
    if (names->len > 0)
        capture->nothing = g_strdup_printf(
            "%s: recognised, but not checked; on RoCE and InfiniBand, nothing below it is checked either", names->str);
    g_string_free(names, TRUE);
}

static enum check_status report_decide(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++)
        if (((const struct report_capture *)g_ptr_array_index(report->captures, i))->failed)
            return CHECK_TROUBLE;
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        if (report->found[severity] > 0 && options_fails(report->options, (enum rule_severity)severity))
            return CHECK_FAIL;
    if (report->options->strict_waivers && report->unused_waivers->len > 0)
        return CHECK_FAIL;
    if (report->trouble && report->options->fail_trouble)
        return CHECK_FAIL;
    if (report->incomplete > 0 && !report->options->allow_empty)
        return CHECK_FAIL;
    if (report_cut_short(report))
        return CHECK_TROUBLE;
    return report->empty > 0 && !report->options->allow_empty ? CHECK_NOTHING : CHECK_PASS;
}

static void clear_sums(struct report *report)
{
    memset(report->found, 0, sizeof report->found);
    memset(report->counts, 0, sizeof report->counts);
    memset(report->doubts, 0, sizeof report->doubts);
    report->waived = report->connections = report->connections_with_findings = 0;
    report->exercised = report->empty = report->incomplete = 0;
    report->trouble = false;
    report->transport = RULE_ON_ANY;
    g_ptr_array_set_size(report->unused_waivers, 0);
    g_ptr_array_set_size(report->expired_waivers, 0);
}

static void take_doubts(struct report *report, const struct report_capture *capture)
{
    struct doubt_at doubts[RULE_COUNTERS] = {0};

    sum_doubts(capture, doubts);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_counter[i] != RULE_UNCOUNTED && !report->doubts[i].capture && doubts[rule_counter[i]].why != WHY_NONE)
            report->doubts[i] = (struct report_doubt){doubts[rule_counter[i]], capture};
}

void report_conclude(struct report *report)
{
    struct rule_counts counts = {0};
    struct counts_sum sum = {.counts = &counts};

    clear_sums(report);
    for (guint i = 0; i < report->captures->len; i++) {
        struct report_capture *capture = g_ptr_array_index(report->captures, i);

        if (!capture->nothing)
            name_ulps(capture);
        report->empty += !report_capture_undone(capture) && report_nothing_checked(capture);
        report->incomplete += !capture->failed && report_incomplete(capture);
        report->trouble |= troubles_any(capture->troubles);
        for (guint j = 0; j < capture->connections->len; j++)
            sum_connection(report, g_ptr_array_index(capture->connections, j));
        sum_rest(report, &capture->rest);
        sum_capture(capture, &sum);
        take_doubts(report, capture);
    }
    counts_sum_end(&sum);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (report->shown[i] && rule_binds_on(&rule_catalogue[i], report->transport))
            report->counts[i] = rule_counts_of(&counts, i);
    for (size_t i = 0; i < RULE_COUNT; i++)
        report->exercised += report->counts[i].passed > 0 || report->counts[i].failed > 0;
    find_expired_waivers(report);
    if (!report_goes_on(report))
        find_unused_waivers(report);
    report->status = report_decide(report);
}

const char *report_status_name(enum check_status status)
{
    switch (status) {
    case CHECK_PASS:
        return "pass";
    case CHECK_FAIL:
        return "fail";
    case CHECK_TROUBLE:
        return "error";
    case CHECK_NOTHING:
        return "nothing-to-check";
    }
    return "error";
}
