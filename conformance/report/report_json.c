// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON report; docs/iwarp-check.schema.json describes it. */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_stats.h"
#include "conformance/report/report_trouble.h"
#include "support/json_writer.h"

/* null: not captured. */
static void add_tristate(struct json_writer *writer, const char *name, enum tristate value)
{
    if (value == UNKNOWN)
        json_null(writer, name);
    else
        json_bool(writer, name, value == ON);
}

static void json_add_number(struct json_writer *writer, const char *name, uint64_t value)
{
    json_number(writer, name, (int64_t)value);
}

static void add_number_if(struct json_writer *writer, const char *name, bool known, uint64_t value)
{
    if (known)
        json_add_number(writer, name, value);
    else
        json_null(writer, name);
}

static void json_add_pair(struct json_writer *writer, const char *name, const uint64_t pair[2])
{
    json_begin_array_line(writer, name);
    json_number(writer, NULL, (int64_t)pair[DIR_TO_RESPONDER]);
    json_number(writer, NULL, (int64_t)pair[DIR_TO_INITIATOR]);
    json_end_array(writer);
}

static void json_add_mpa(struct json_writer *writer, const struct report_connection *connection)
{
    static const struct {
        const char *name;
        unsigned bit;
    } rtr_types[] = {{"send", MPA_RTR_SEND}, {"write", MPA_RTR_WRITE}, {"read", MPA_RTR_READ}};
    const struct mpa_parameters *mpa = &connection->parameters;

    json_begin_object_line(writer, "mpa");
    add_number_if(writer, "revision", mpa->request_seen || mpa->reply_seen, mpa->revision);
    add_tristate(writer, "markers_to_initiator", connection->markers[DIR_TO_INITIATOR]);
    add_tristate(writer, "markers_to_responder", connection->markers[DIR_TO_RESPONDER]);
    add_tristate(writer, "crc", mpa->crc);
    add_tristate(writer, "enhanced", mpa->startup_seen ? (enum tristate)mpa->enhanced : UNKNOWN);
    add_tristate(writer, "peer_to_peer", mpa->startup_seen ? (enum tristate)mpa->peer_to_peer : UNKNOWN);
    json_begin_array_line(writer, "rtr");
    for (size_t i = 0; i < G_N_ELEMENTS(rtr_types); i++)
        if (mpa->rtr & rtr_types[i].bit)
            json_string(writer, NULL, rtr_types[i].name);
    json_end_array(writer);
    add_number_if(writer, "ird", mpa->ird_ord_known, mpa->ird);
    add_number_if(writer, "ord", mpa->ird_ord_known, mpa->ord);
    json_bool(writer, "rejected", mpa->rejected);
    json_bool(writer, "midstream", mpa->midstream);
    json_bool(writer, "complete", connection->complete);
    json_end_object(writer);
}

static void json_add_known(struct json_writer *writer, bool known, int64_t value)
{
    if (known)
        json_number(writer, NULL, value);
    else
        json_null(writer, NULL);
}

/* RoCE and InfiniBand. Pairs: the initiator's, the responder's. */
static void add_ib(struct json_writer *writer, const struct report_connection *connection)
{
    static const char *const naks[] = {"sequence", "invalid_request", "remote_access", "remote_operation",
                                       "invalid_rd_request"};
    const struct report_ib *ib = connection->ib;
    bool both_known = ib->request_seen && ib->reply_seen;

    json_begin_object(writer, "ib");
    json_begin_array_line(writer, "queue_pairs");
    for (unsigned role = 0; role < 2; role++)
        json_add_known(writer, ib->qp_known[role], ib->qp[role]);
    json_end_array(writer);
    add_number_if(writer, "path_mtu", ib->mtu > 0, ib->mtu);
    json_begin_array_line(writer, "ird");
    for (unsigned role = 0; role < 2; role++)
        json_add_known(writer, both_known, ib->ird[role]);
    json_end_array(writer);
    json_begin_array_line(writer, "ord");
    for (unsigned role = 0; role < 2; role++)
        json_add_known(writer, both_known, ib->ord[role]);
    json_end_array(writer);
    add_number_if(writer, "reject_reason", ib->rejected, ib->reject_reason);
    json_add_pair(writer, "retransmitted", ib->retransmitted);
    json_add_pair(writer, "repeated_responses", ib->repeated_responses);
    json_begin_object_line(writer, "naks");
    for (unsigned code = 0; code < G_N_ELEMENTS(naks); code++)
        json_add_pair(writer, naks[code], (const uint64_t[]){ib->naks[0][code], ib->naks[1][code]});
    json_add_pair(writer, "receiver_not_ready", ib->rnr_naks);
    json_end_object(writer);
    json_add_pair(writer, "holes", ib->holes);
    json_begin_object_line(writer, "icrc");
    json_add_number(writer, "right", ib->icrc.right);
    json_add_number(writer, "wrong", ib->icrc.wrong);
    json_add_number(writer, "unknown", ib->icrc.unknown);
    json_add_pair(writer, "not_used", ib->icrc.taken);
    add_number_if(writer, "first_wrong_frame", ib->icrc.wrong > 0, ib->icrc.first_wrong);
    json_end_object(writer);
    json_bool(writer, "complete", connection->complete);
    json_end_object(writer);
}

static void json_add_counts(struct json_writer *writer, const struct report_connection *connection)
{
    json_begin_object(writer, "counts");
    json_add_pair(writer, connection->ib ? "packets" : "fpdus", connection->fpdus);
    json_add_pair(writer, "octets", connection->octets);
    if (connection->damaged[0] + connection->damaged[1] > 0)
        json_add_pair(writer, "damaged_segments", connection->damaged);
    json_begin_object_line(writer, "operations");
    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++)
        if (connection->operations[opcode] > 0 && report_operation_name(opcode))
            json_add_number(writer, report_operation_name(opcode), connection->operations[opcode]);
    json_end_object(writer);
    json_end_object(writer);
}

/* The other rules that `related` ties to the one that was violated. */
static void add_related(struct json_writer *writer, const char *name, enum rule_id id, enum rule_profile profile,
                        bool (*related)(const struct rule *rule, enum rule_id id))
{
    json_begin_array(writer, name);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (i != id && related(&rule_catalogue[i], id) && rule_binds(&rule_catalogue[i], profile))
            json_string(writer, NULL, rule_catalogue[i].id);
    json_end_array(writer);
}

/* The message in its halves. */
static void add_words(struct json_writer *writer, const char *message)
{
    g_autofree gchar *expected = finding_expected(message);

    json_string(writer, "found", finding_found(message));
    if (expected)
        json_string(writer, "expected", expected);
}

static void add_finding(struct json_writer *writer, const struct report_finding *finding, int64_t start_ns,
                        enum rule_profile profile)
{
    const struct rule *rule = &rule_catalogue[finding->rule];

    json_begin_object(writer, NULL);
    json_string(writer, "rule", rule->id);
    json_string(writer, "document", rule->document);
    json_string(writer, "section", rule->section);
    json_string(writer, "severity", rule_severity_name(finding->severity));
    json_add_number(writer, "frame", finding->frame);
    json_begin_array(writer, "frames");
    if (finding->first_frame != 0 && finding->first_frame != finding->frame)
        json_number(writer, NULL, finding->first_frame);
    json_number(writer, NULL, finding->frame);
    json_end_array(writer);
    add_number_if(writer, "related_frame", finding->related_frame != 0, finding->related_frame);
    json_double(writer, "time", (double)(int64_t)((uint64_t)finding->time_ns - (uint64_t)start_ns) / 1e9);
    if (start_ns != 0) {
        g_autofree gchar *at = clock_text(finding->time_ns);

        json_string(writer, "at", at);
    }
    json_string(writer, "direction",
                finding->direction == DIR_TO_RESPONDER ? "initiator-to-responder" : "responder-to-initiator");
    if (finding->awaited)
        json_bool(writer, "awaited", true);
    json_add_number(writer, "stream_offset", finding->offset);
    if (finding->subject.operation)
        json_string(writer, "operation", finding->subject.operation);
    if (finding->subject.kind)
        json_string(writer, "kind", finding->subject.kind);
    json_string(writer, "message", finding->message);
    add_words(writer, finding->message);
    add_related(writer, "same_as", finding->rule, profile, rule_carried_by);
    add_related(writer, "judged_with", finding->rule, profile, rule_judged_with);
    if (finding->more > 0) {
        json_begin_object(writer, "more");
        json_add_number(writer, "count", finding->more);
        json_begin_array(writer, "frames");
        json_number(writer, NULL, finding->more_first);
        json_number(writer, NULL, finding->more_last);
        json_end_array(writer);
        json_end_object(writer);
    }
    json_bool(writer, "waived", finding->waiver != NULL);
    if (finding->waiver) {
        json_string(writer, "waived_why", finding->waiver->why);
        if (finding->waiver->link)
            json_string(writer, "waived_link", finding->waiver->link);
    }
    json_end_object(writer);
}

static void json_add_rules(struct json_writer *writer, const GArray *rules)
{
    json_begin_object(writer, "rules");
    for (guint i = 0; i < rules->len; i++) {
        const struct report_rule *rule = &g_array_index(rules, struct report_rule, i);

        json_begin_object_line(writer, rule_catalogue[rule->rule].id);
        json_add_number(writer, "passed", rule->count.passed);
        json_add_number(writer, "failed", rule->count.failed);
        json_add_number(writer, "inconclusive", rule->count.inconclusive);
        json_end_object(writer);
    }
    json_end_object(writer);
}

static void json_add_connection(struct json_writer *writer, const struct report *report,
                                const struct report_capture *capture, const struct report_connection *connection,
                                GArray *rules)
{
    bool parts = capture->part.series != NULL;
    char text[ENDPOINT_TEXT_SIZE];

    json_begin_object(writer, NULL);
    json_add_number(writer, "id", connection->id);
    json_string(writer, "initiator", endpoint_text(&connection->initiator, text));
    json_string(writer, "responder", endpoint_text(&connection->responder, text));
    json_bool(writer, "roles_known", connection->roles_known);
    if (parts) {
        json_bool(writer, "continued", connection->continued);
        json_bool(writer, "continues", connection->continues);
    }
    json_add_number(writer, "start_frame", connection->start_frame);
    json_add_number(writer, "end_frame", connection->end_frame);
    json_string(writer, "transport", connection->ib ? report_ib_transport_name(connection->ib->below) : "iwarp");
    if (connection->ib)
        add_ib(writer, connection);
    else
        json_add_mpa(writer, connection);
    json_add_counts(writer, connection);
    REPORT_GUEST(&connection->guest, write_json, writer);
    if (connection->statistics)
        stats_write_json(writer, connection->statistics, capture->start_ns);
    json_begin_array(writer, "findings");
    for (guint i = 0; i < connection->findings->len; i++)
        add_finding(writer, &g_array_index(connection->findings, struct report_finding, i), capture->start_ns,
                    report->options->mpa.profile);
    json_end_array(writer);
    json_add_number(writer, "findings_not_listed", connection->not_kept);
    if (report->options->counts_apart)
        report_rules(report, connection, rules);
    else
        report_rules_not_passed(report, connection, rules);
    json_add_rules(writer, rules);
    json_end_object(writer);
}

static void json_add_part(struct json_writer *writer, const struct report_part *part)
{
    gchar *from = clock_text(part->from_ns), *to = clock_text(part->to_ns);

    json_begin_object(writer, "part");
    json_string(writer, "series", part->series);
    json_add_number(writer, "first", part->number);
    json_add_number(writer, "last", part->number);
    json_bool(writer, "ended", part->last);
    json_string(writer, "from", from);
    json_string(writer, "to", to);
    json_end_object(writer);
    g_free(from);
    g_free(to);
}

/* Connections that are not listed. */
static void json_add_rest(struct json_writer *writer, const struct report_rest *rest)
{
    json_begin_object(writer, "not_listed");
    json_add_number(writer, "connections", rest->n);
    json_add_number(writer, "with_findings", rest->with_findings);
    json_add_number(writer, "troubled", rest->troubled);
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        json_add_number(writer, rule_severity_name((enum rule_severity)severity), rest->found[severity]);
    json_add_number(writer, "waived", rest->waived);
    json_end_object(writer);
}

static void json_add_capture(struct json_writer *writer, const struct report *report,
                             const struct report_capture *capture)
{
    GArray *rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));
    uint64_t found[SEVERITY_COUNT], waived;
    enum check_status status = report_capture_status(report->options, capture, found, &waived);

    json_begin_object(writer, NULL);
    json_string(writer, "file", capture->file);
    json_string(writer, "verdict", report_status_name(status));
    if (capture->part.series)
        json_add_part(writer, &capture->part);
    if (capture->start_ns != 0) {
        g_autofree gchar *start = clock_text(capture->start_ns);

        json_string(writer, "start", start);
    }
    json_add_number(writer, "packets", capture->packets);
    json_add_number(writer, "bytes", capture->octets);
    json_add_number(writer, "dropped", capture->dropped);
    json_bool(writer, "truncated", capture->truncated);
    if (capture->trouble)
        json_string(writer, capture->failed ? "error" : "warning", capture->trouble);
    if (!capture->failed && report_nothing_checked(capture))
        json_string(writer, "nothing_checked", report_nothing_checked(capture));
    json_add_number(writer, "connections_without_mpa", capture->other_connections);
    if (capture->cut_short > 0)
        json_add_number(writer, "connections_cut_short", capture->cut_short);
    if (capture->rest.n > 0)
        json_add_rest(writer, &capture->rest);
    trouble_write_json(writer, capture);
    report_capture_rules(report, capture, rules);
    json_add_rules(writer, rules);
    json_begin_array(writer, "connections");
    for (guint i = 0; i < capture->connections->len; i++)
        json_add_connection(writer, report, capture, g_ptr_array_index(capture->connections, i), rules);
    json_end_array(writer);
    json_end_object(writer);
    g_array_unref(rules);
}

static void json_add_summary(struct json_writer *writer, const struct report *report)
{
    json_begin_object(writer, "summary");
    json_begin_object(writer, "findings");
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        json_add_number(writer, rule_severity_name((enum rule_severity)severity), report->found[severity]);
    json_end_object(writer);
    json_add_number(writer, "waived", report->waived);
    json_begin_array(writer, "unused_waivers");
    for (guint i = 0; i < report->unused_waivers->len; i++)
        json_string(writer, NULL, ((const struct waiver *)g_ptr_array_index(report->unused_waivers, i))->id);
    json_end_array(writer);
    if (report->expired_waivers->len > 0) {
        json_begin_array(writer, "expired_waivers");
        for (guint i = 0; i < report->expired_waivers->len; i++) {
            const struct waiver *waiver = g_ptr_array_index(report->expired_waivers, i);

            json_begin_object_line(writer, NULL);
            json_string(writer, "id", waiver->id);
            json_string(writer, "until", waiver->until);
            json_end_object(writer);
        }
        json_end_array(writer);
    }
    json_add_number(writer, "connections", report->connections);
    json_add_number(writer, "rules_exercised", report->exercised);
    json_bool(writer, "trouble", report->trouble);
    json_string(writer, "verdict", report_verdict(report));
    json_end_object(writer);
}

void report_write_json(const struct report *report, FILE *out)
{
    struct json_writer json, *writer = &json;

    json_writer_begin(writer, out, 1);
    json_begin_object(writer, NULL);
    json_string(writer, "tool", "iwarp-check");
    json_number(writer, "format", REPORT_JSON_FORMAT);
    json_string(writer, "version", IWARP_KIT_VERSION);
    json_string(writer, "profile", report->options->profile);
    json_begin_array(writer, "captures");
    for (guint i = 0; i < report->captures->len; i++)
        json_add_capture(writer, report, g_ptr_array_index(report->captures, i));
    json_end_array(writer);
    json_add_summary(writer, report);
    json_end_object(writer);
    json_writer_end(writer);
}
