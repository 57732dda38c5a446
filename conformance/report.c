// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report.h"

#include <string.h>

static const char *const operation_names[OPERATION_COUNT] = {
    [RDMAP_WRITE] = "write",
    [RDMAP_READ_REQUEST] = "read_request",
    [RDMAP_READ_RESPONSE] = "read_response",
    [RDMAP_SEND] = "send",
    [RDMAP_SEND_INVALIDATE] = "send_invalidate",
    [RDMAP_SEND_SE] = "send_se",
    [RDMAP_SEND_SE_INVALIDATE] = "send_se_invalidate",
    [RDMAP_TERMINATE] = "terminate",
    [RDMAP_IMMEDIATE] = "immediate",
    [RDMAP_IMMEDIATE_SE] = "immediate_se",
    [RDMAP_ATOMIC_REQUEST] = "atomic_request",
    [RDMAP_ATOMIC_RESPONSE] = "atomic_response",
};

const char *report_operation_name(unsigned opcode)
{
    return opcode < OPERATION_COUNT ? operation_names[opcode] : NULL;
}

struct report_connection *report_connection_new(void)
{
    struct report_connection *connection = g_new0(struct report_connection, 1);

    connection->findings = g_array_new(FALSE, FALSE, sizeof(struct report_finding));
    connection->rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));
    return connection;
}

void report_connection_free(struct report_connection *connection)
{
    if (connection == NULL)
        return;
    g_array_unref(connection->findings);
    g_array_unref(connection->rules);
    if (connection->messages != NULL)
        g_string_chunk_free(connection->messages);
    if (connection->rpcrdma != NULL) {
        g_array_unref(connection->rpcrdma->calls);
        g_free(connection->rpcrdma);
    }
    g_free(connection);
}

struct report_rpcrdma *report_rpcrdma_new(void)
{
    struct report_rpcrdma *rpcrdma = g_new0(struct report_rpcrdma, 1);

    rpcrdma->calls = g_array_new(FALSE, FALSE, sizeof(struct rpcrdma_procedure_count));
    return rpcrdma;
}

static void free_connection(gpointer connection)
{
    report_connection_free(connection);
}

struct report_capture *report_capture_new(const char *file)
{
    struct report_capture *capture = g_new0(struct report_capture, 1);

    capture->file = g_filename_display_name(file);
    capture->connections = g_ptr_array_new_with_free_func(free_connection);
    return capture;
}

void report_capture_free(struct report_capture *capture)
{
    if (capture == NULL)
        return;
    g_ptr_array_unref(capture->connections);
    g_free(capture->file);
    g_free(capture->trouble);
    g_free(capture);
}

static void free_capture(gpointer capture)
{
    report_capture_free(capture);
}

void report_init(struct report *report, const struct check_options *options)
{
    memset(report, 0, sizeof *report);
    report->options = options;
    report->captures = g_ptr_array_new_with_free_func(free_capture);
    report->unused_waivers = g_ptr_array_new();
}

void report_clear(struct report *report)
{
    g_ptr_array_unref(report->captures);
    g_ptr_array_unref(report->unused_waivers);
}

bool report_fails(const struct check_options *options, enum rule_severity severity)
{
    return !options->fail_never && severity >= options->fail_on;
}

static void sum_connection(struct report *report, const struct report_connection *connection)
{
    bool any = false;

    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++) {
        report->found[severity] += connection->found[severity];
        any |= connection->found[severity] > 0;
    }
    report->waived += connection->waived;
    report->connections++;
    report->connections_with_findings += any;
    for (guint i = 0; i < connection->rules->len; i++) {
        const struct report_rule *rule = &g_array_index(connection->rules, struct report_rule, i);
        rule_count_add(&report->counts[rule->rule], &rule->count);
    }
}

static bool is_reported(const struct check_options *options, const struct rule *rule)
{
    for (unsigned i = 0; i < rule->n_carriers; i++)
        if (options->rules.reported[rule->carriers[i]])
            return true;
    return false;
}

static void find_unused_waivers(struct report *report)
{
    const struct check_options *options = report->options;

    for (guint i = 0; options->waivers != NULL && i < options->waivers->len; i++) {
        struct waiver *waiver = g_ptr_array_index(options->waivers, i);

        /* A rule that is not looked at says nothing about its waiver. */
        if (!g_atomic_int_get(&waiver->used) && is_reported(options, &rule_catalogue[waiver->rule]))
            g_ptr_array_add(report->unused_waivers, waiver);
    }
}

static enum check_status decide(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++)
        if (((const struct report_capture *)g_ptr_array_index(report->captures, i))->failed)
            return CHECK_TROUBLE;
    for (size_t severity = 0; severity < SEVERITY_COUNT; severity++)
        if (report->found[severity] > 0 && report_fails(report->options, (enum rule_severity)severity))
            return CHECK_FAIL;
    if (report->connections == 0)
        return CHECK_NOTHING;
    if (report->options->strict_waivers && report->unused_waivers->len > 0)
        return CHECK_FAIL;
    return CHECK_PASS;
}

void report_conclude(struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint j = 0; j < capture->connections->len; j++)
            sum_connection(report, g_ptr_array_index(capture->connections, j));
    }
    for (size_t i = 0; i < RULE_COUNT; i++)
        report->exercised += report->counts[i].passed > 0 || report->counts[i].failed > 0;
    find_unused_waivers(report);
    report->status = decide(report);
}

const char *report_verdict(const struct report *report)
{
    switch (report->status) {
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
