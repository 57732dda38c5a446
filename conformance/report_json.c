// SPDX-License-Identifier: GPL-2.0-or-later
/* The JSON report; docs/iwarp-check.schema.json describes it. */
#include "conformance/procedure.h"
#include "conformance/report.h"

#include <json-glib/json-glib.h>

static void add_string(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    if (value == NULL)
        json_builder_add_null_value(builder);
    else
        json_builder_add_string_value(builder, value);
}

static void add_number(JsonBuilder *builder, const char *name, uint64_t value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_int_value(builder, (gint64)value);
}

static void add_bool(JsonBuilder *builder, const char *name, bool value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_boolean_value(builder, value);
}

/* null: the capture does not show it. */
static void add_tristate(JsonBuilder *builder, const char *name, enum tristate value)
{
    json_builder_set_member_name(builder, name);
    if (value == UNKNOWN)
        json_builder_add_null_value(builder);
    else
        json_builder_add_boolean_value(builder, value == ON);
}

static void add_number_if(JsonBuilder *builder, const char *name, bool known, uint64_t value)
{
    if (known)
        add_number(builder, name, value);
    else
        add_string(builder, name, NULL);
}

static void add_pair(JsonBuilder *builder, const char *name, const uint64_t pair[2])
{
    json_builder_set_member_name(builder, name);
    json_builder_begin_array(builder);
    json_builder_add_int_value(builder, (gint64)pair[DIR_TO_RESPONDER]);
    json_builder_add_int_value(builder, (gint64)pair[DIR_TO_INITIATOR]);
    json_builder_end_array(builder);
}

static void add_mpa(JsonBuilder *builder, const struct report_connection *connection)
{
    static const struct {
        const char *name;
        unsigned bit;
    } rtr_types[] = {{"send", MPA_RTR_SEND}, {"write", MPA_RTR_WRITE}, {"read", MPA_RTR_READ}};
    const struct mpa_parameters *mpa = &connection->parameters;

    json_builder_set_member_name(builder, "mpa");
    json_builder_begin_object(builder);
    add_number_if(builder, "revision", mpa->request_seen || mpa->reply_seen, mpa->revision);
    add_tristate(builder, "markers_to_initiator", connection->markers[DIR_TO_INITIATOR]);
    add_tristate(builder, "markers_to_responder", connection->markers[DIR_TO_RESPONDER]);
    add_tristate(builder, "crc", mpa->crc);
    add_tristate(builder, "enhanced", mpa->startup_seen ? (enum tristate)mpa->enhanced : UNKNOWN);
    add_tristate(builder, "peer_to_peer", mpa->startup_seen ? (enum tristate)mpa->peer_to_peer : UNKNOWN);
    json_builder_set_member_name(builder, "rtr");
    json_builder_begin_array(builder);
    for (size_t i = 0; i < G_N_ELEMENTS(rtr_types); i++)
        if (mpa->rtr & rtr_types[i].bit)
            json_builder_add_string_value(builder, rtr_types[i].name);
    json_builder_end_array(builder);
    add_number_if(builder, "ird", mpa->ird_ord_known, mpa->ird);
    add_number_if(builder, "ord", mpa->ird_ord_known, mpa->ord);
    add_bool(builder, "rejected", mpa->rejected);
    add_bool(builder, "midstream", mpa->midstream);
    add_bool(builder, "complete", connection->complete);
    json_builder_end_object(builder);
}

static void add_counts(JsonBuilder *builder, const struct report_connection *connection)
{
    json_builder_set_member_name(builder, "counts");
    json_builder_begin_object(builder);
    add_pair(builder, "fpdus", connection->fpdus);
    add_pair(builder, "octets", connection->octets);
    json_builder_set_member_name(builder, "operations");
    json_builder_begin_object(builder);
    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++)
        if (connection->operations[opcode] > 0 && report_operation_name(opcode) != NULL)
            add_number(builder, report_operation_name(opcode), connection->operations[opcode]);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void add_call(JsonBuilder *builder, const struct rpcrdma_procedure_count *count)
{
    char label[PROCEDURE_LABEL_SIZE];
    bool known = procedure_label(count->program, count->version, count->procedure, label);

    json_builder_begin_object(builder);
    add_number(builder, "program", count->program);
    add_number(builder, "version", count->version);
    add_number(builder, "procedure", count->procedure);
    add_string(builder, "name", known ? label : NULL);
    add_string(builder, "direction", count->reverse ? "reverse" : "forward");
    add_number(builder, "calls", count->calls);
    add_number(builder, "replies", count->replies);
    add_number(builder, "errors", count->errors);
    json_builder_set_member_name(builder, "octets");
    json_builder_begin_object(builder);
    add_number(builder, "inline", count->inline_octets);
    add_number(builder, "read", count->read_octets);
    add_number(builder, "write", count->written_octets);
    json_builder_end_object(builder);
    json_builder_end_object(builder);
}

static void add_rpcrdma(JsonBuilder *builder, const struct report_rpcrdma *rpcrdma)
{
    json_builder_set_member_name(builder, "rpcrdma");
    json_builder_begin_object(builder);
    add_string(builder, "client",
               rpcrdma->calls_go == DIR_UNKNOWN        ? NULL
               : rpcrdma->calls_go == DIR_TO_RESPONDER ? "initiator"
                                                       : "responder");
    json_builder_set_member_name(builder, "thresholds");
    json_builder_begin_array(builder);
    for (unsigned direction = 0; direction < 2; direction++) {
        if (rpcrdma->threshold[direction] == 0)
            json_builder_add_null_value(builder);
        else
            json_builder_add_int_value(builder, rpcrdma->threshold[direction]);
    }
    json_builder_end_array(builder);
    json_builder_set_member_name(builder, "calls");
    json_builder_begin_array(builder);
    for (guint i = 0; i < rpcrdma->calls->len; i++)
        add_call(builder, &g_array_index(rpcrdma->calls, struct rpcrdma_procedure_count, i));
    json_builder_end_array(builder);
    add_number(builder, "other_calls", rpcrdma->other_calls);
    json_builder_end_object(builder);
}

static void add_aliases(JsonBuilder *builder, enum rule_id id, enum mpa_profile profile)
{
    json_builder_set_member_name(builder, "same_as");
    json_builder_begin_array(builder);
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_catalogue[i].judged == RULE_SAME && rule_carried_by(&rule_catalogue[i], id) &&
            rule_binds(&rule_catalogue[i], profile))
            json_builder_add_string_value(builder, rule_catalogue[i].id);
    json_builder_end_array(builder);
}

static void add_finding(JsonBuilder *builder, const struct report_finding *finding, int64_t start_ns,
                        enum mpa_profile profile)
{
    const struct rule *rule = &rule_catalogue[finding->rule];

    json_builder_begin_object(builder);
    add_string(builder, "rule", rule->id);
    add_string(builder, "document", rule->document);
    add_string(builder, "section", rule->section);
    add_string(builder, "severity", rule_severity_name(finding->severity));
    add_number(builder, "frame", finding->frame);
    json_builder_set_member_name(builder, "frames");
    json_builder_begin_array(builder);
    if (finding->first_frame != 0 && finding->first_frame != finding->frame)
        json_builder_add_int_value(builder, finding->first_frame);
    json_builder_add_int_value(builder, finding->frame);
    json_builder_end_array(builder);
    add_number_if(builder, "related_frame", finding->related_frame != 0, finding->related_frame);
    json_builder_set_member_name(builder, "time");
    json_builder_add_double_value(builder, (double)(int64_t)((uint64_t)finding->time_ns - (uint64_t)start_ns) / 1e9);
    add_string(builder, "direction",
               finding->direction == DIR_TO_RESPONDER ? "initiator-to-responder" : "responder-to-initiator");
    add_number(builder, "stream_offset", finding->offset);
    add_string(builder, "message", finding->message);
    add_aliases(builder, finding->rule, profile);
    add_bool(builder, "waived", finding->waiver != NULL);
    if (finding->waiver != NULL) {
        add_string(builder, "waived_why", finding->waiver->why);
        if (finding->waiver->link != NULL)
            add_string(builder, "waived_link", finding->waiver->link);
    }
    json_builder_end_object(builder);
}

static void add_connection(JsonBuilder *builder, const struct report *report,
                           const struct report_connection *connection, int64_t start_ns)
{
    GArray *rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));
    char text[ENDPOINT_TEXT_SIZE];

    json_builder_begin_object(builder);
    add_number(builder, "id", connection->id);
    add_string(builder, "initiator", endpoint_text(&connection->initiator, text));
    add_string(builder, "responder", endpoint_text(&connection->responder, text));
    add_bool(builder, "roles_known", connection->roles_known);
    add_number(builder, "start_frame", connection->start_frame);
    add_number(builder, "end_frame", connection->end_frame);
    add_mpa(builder, connection);
    add_counts(builder, connection);
    if (connection->rpcrdma != NULL)
        add_rpcrdma(builder, connection->rpcrdma);
    json_builder_set_member_name(builder, "findings");
    json_builder_begin_array(builder);
    for (guint i = 0; i < connection->findings->len; i++)
        add_finding(builder, &g_array_index(connection->findings, struct report_finding, i), start_ns,
                    report->options->mpa.profile);
    json_builder_end_array(builder);
    add_number(builder, "findings_not_listed", connection->not_kept);
    json_builder_set_member_name(builder, "rules");
    json_builder_begin_object(builder);
    report_rules(report, connection, rules);
    for (guint i = 0; i < rules->len; i++) {
        const struct report_rule *rule = &g_array_index(rules, struct report_rule, i);

        json_builder_set_member_name(builder, rule_catalogue[rule->rule].id);
        json_builder_begin_object(builder);
        add_number(builder, "passed", rule->count.passed);
        add_number(builder, "failed", rule->count.failed);
        add_number(builder, "inconclusive", rule->count.inconclusive);
        json_builder_end_object(builder);
    }
    json_builder_end_object(builder);
    json_builder_end_object(builder);
    g_array_unref(rules);
}

static void add_capture(JsonBuilder *builder, const struct report *report, const struct report_capture *capture)
{
    json_builder_begin_object(builder);
    add_string(builder, "file", capture->file);
    add_number(builder, "packets", capture->packets);
    add_number(builder, "bytes", capture->octets);
    add_bool(builder, "truncated", capture->truncated);
    if (capture->trouble != NULL)
        add_string(builder, capture->failed ? "error" : "warning", capture->trouble);
    add_number(builder, "connections_without_mpa", capture->other_connections);
    json_builder_set_member_name(builder, "connections");
    json_builder_begin_array(builder);
    for (guint i = 0; i < capture->connections->len; i++)
        add_connection(builder, report, g_ptr_array_index(capture->connections, i), capture->start_ns);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

static void add_summary(JsonBuilder *builder, const struct report *report)
{
    json_builder_set_member_name(builder, "summary");
    json_builder_begin_object(builder);
    json_builder_set_member_name(builder, "findings");
    json_builder_begin_object(builder);
    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        add_number(builder, rule_severity_name((enum rule_severity)severity), report->found[severity]);
    json_builder_end_object(builder);
    add_number(builder, "waived", report->waived);
    json_builder_set_member_name(builder, "unused_waivers");
    json_builder_begin_array(builder);
    for (guint i = 0; i < report->unused_waivers->len; i++)
        json_builder_add_string_value(builder,
                                      ((const struct waiver *)g_ptr_array_index(report->unused_waivers, i))->id);
    json_builder_end_array(builder);
    add_number(builder, "connections", report->connections);
    add_number(builder, "rules_exercised", report->exercised);
    add_string(builder, "verdict", report_verdict(report));
    json_builder_end_object(builder);
}

void report_write_json(const struct report *report, FILE *out)
{
    JsonBuilder *builder = json_builder_new();
    JsonGenerator *generator = json_generator_new();
    JsonNode *root;
    gchar *text;

    json_builder_begin_object(builder);
    add_string(builder, "tool", "iwarp-check");
    add_string(builder, "version", IWARP_KIT_VERSION);
    add_string(builder, "profile", report->options->profile);
    json_builder_set_member_name(builder, "captures");
    json_builder_begin_array(builder);
    for (guint i = 0; i < report->captures->len; i++)
        add_capture(builder, report, g_ptr_array_index(report->captures, i));
    json_builder_end_array(builder);
    add_summary(builder, report);
    json_builder_end_object(builder);
    root = json_builder_get_root(builder);
    g_object_unref(builder);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    json_generator_set_indent(generator, 1);
    text = json_generator_to_data(generator, NULL);
    fputs(text, out);
    fputc('\n', out);
    g_free(text);
    json_node_unref(root);
    g_object_unref(generator);
}
