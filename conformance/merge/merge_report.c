// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_report.h"

#include "conformance/merge/merge_input.h"
#include "conformance/options/options.h"

#include <arpa/inet.h>
#include <string.h>

/* ---- members that may be missing, or of any type ---- */

static JsonNode *member(JsonObject *object, const char *name, JsonNodeType type)
{
    JsonNode *node = object ? json_object_get_member(object, name) : NULL;

    return node && JSON_NODE_TYPE(node) == type ? node : NULL;
}

static JsonObject *object_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_OBJECT);

    return node ? json_node_get_object(node) : NULL;
}

static JsonArray *array_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_ARRAY);

    return node ? json_node_get_array(node) : NULL;
}

static const char *text_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_VALUE);

    return node && json_node_get_value_type(node) == G_TYPE_STRING ? json_node_get_string(node) : NULL;
}

static uint64_t value_of(JsonNode *node, uint64_t most)
{
    if (!node || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_INT64 ||
        json_node_get_int(node) < 0)
        return 0;
    return MIN((uint64_t)json_node_get_int(node), most);
}

static uint64_t number_of(JsonObject *object, const char *name, uint64_t most)
{
    return value_of(member(object, name, JSON_NODE_VALUE), most);
}

static enum tristate flag_of(JsonObject *object, const char *name)
{
    JsonNode *node = member(object, name, JSON_NODE_VALUE);

    if (!node || json_node_get_value_type(node) != G_TYPE_BOOLEAN)
        return UNKNOWN;
    return json_node_get_boolean(node) ? ON : OFF;
}

static uint64_t element_of(JsonArray *array, guint i, uint64_t most)
{
    return array && i < json_array_get_length(array) ? value_of(json_array_get_element(array, i), most) : 0;
}

/* [to the responder, to the initiator] */
static void read_pair(JsonObject *object, const char *name, uint64_t pair[2])
{
    JsonArray *array = array_of(object, name);

    pair[DIR_TO_RESPONDER] = element_of(array, 0, (uint64_t)MERGE_COUNT_MAX);
    pair[DIR_TO_INITIATOR] = element_of(array, 1, (uint64_t)MERGE_COUNT_MAX);
}

/* ---- a connection ---- */

/* "192.0.2.1:20049", "[2001:db8::1]:20049"; what is neither has ip 0. */
static struct endpoint endpoint_of(const char *text)
{
    struct endpoint endpoint = {0};
    const char *colon = text ? strrchr(text, ':') : NULL;
    bool brackets = colon && *text == '[' && colon > text && colon[-1] == ']';
    g_autofree gchar *address =
        colon ? g_strndup(text + brackets, (gsize)(colon - text) - (brackets ? 2 : 0)) : g_strdup("");
    guint64 port = 0;

    if (inet_pton(AF_INET, address, endpoint.address) == 1)
        endpoint.ip = 4;
    else if (inet_pton(AF_INET6, address, endpoint.address) == 1)
        endpoint.ip = 6;
    if (colon && g_ascii_string_to_unsigned(colon + 1, 10, 0, UINT16_MAX, &port, NULL))
        endpoint.port = (uint16_t)port;
    return endpoint;
}

static void read_mpa(struct report_connection *connection, JsonObject *mpa)
{
    struct mpa_parameters *parameters = &connection->parameters;
    JsonNode *revision = member(mpa, "revision", JSON_NODE_VALUE);

    parameters->request_seen = parameters->reply_seen = revision != NULL;
    parameters->revision = (uint8_t)value_of(revision, UINT8_MAX);
    parameters->startup_seen = flag_of(mpa, "enhanced") != UNKNOWN;
    parameters->enhanced = flag_of(mpa, "enhanced") == ON;
    parameters->peer_to_peer = flag_of(mpa, "peer_to_peer") == ON;
    parameters->crc = flag_of(mpa, "crc");
    parameters->ird_ord_known = member(mpa, "ird", JSON_NODE_VALUE) != NULL;
    parameters->ird = (uint16_t)number_of(mpa, "ird", UINT16_MAX);
    parameters->ord = (uint16_t)number_of(mpa, "ord", UINT16_MAX);
    parameters->rejected = flag_of(mpa, "rejected") == ON;
    parameters->midstream = flag_of(mpa, "midstream") == ON;
    connection->markers[DIR_TO_INITIATOR] = flag_of(mpa, "markers_to_initiator");
    connection->markers[DIR_TO_RESPONDER] = flag_of(mpa, "markers_to_responder");
    connection->complete = flag_of(mpa, "complete") == ON;
}

static enum ib_below below_of(const char *transport)
{
    for (int below = IB_BELOW_IPV4_UDP; transport && below <= IB_BELOW_LRH_GRH; below++)
        if (g_strcmp0(report_ib_transport_name((enum ib_below)below), transport) == 0)
            return (enum ib_below)below;
    return IB_BELOW_IPV4_UDP;
}

static void read_ib(struct report_connection *connection, JsonObject *object, const char *transport)
{
    struct report_ib *ib = g_new0(struct report_ib, 1);
    JsonArray *qps = array_of(object, "queue_pairs"), *ird = array_of(object, "ird"), *ord = array_of(object, "ord");

    connection->ib = ib;
    connection->complete = flag_of(object, "complete") == ON;
    ib->below = below_of(transport);
    ib->mtu = (unsigned)number_of(object, "path_mtu", UINT16_MAX);
    ib->rejected = member(object, "reject_reason", JSON_NODE_VALUE) != NULL;
    ib->reject_reason = (uint16_t)number_of(object, "reject_reason", UINT16_MAX);
    ib->request_seen = ib->reply_seen =
        ird && json_array_get_length(ird) == 2 && JSON_NODE_HOLDS_VALUE(json_array_get_element(ird, 0));
    for (guint role = 0; role < 2; role++) {
        ib->qp[role] = (uint32_t)element_of(qps, role, UINT32_MAX);
        ib->qp_known[role] = ib->qp[role] != 0;
        ib->ird[role] = (uint8_t)element_of(ird, role, UINT8_MAX);
        ib->ord[role] = (uint8_t)element_of(ord, role, UINT8_MAX);
    }
    read_pair(object, "retransmitted", ib->retransmitted);
    read_pair(object, "repeated_responses", ib->repeated_responses);
    read_pair(object, "holes", ib->holes);
    ib->icrc.right = number_of(object_of(object, "icrc"), "right", (uint64_t)MERGE_COUNT_MAX);
    ib->icrc.wrong = number_of(object_of(object, "icrc"), "wrong", (uint64_t)MERGE_COUNT_MAX);
    ib->icrc.unknown = number_of(object_of(object, "icrc"), "unknown", (uint64_t)MERGE_COUNT_MAX);
    ib->icrc.first_wrong = (uint32_t)number_of(object_of(object, "icrc"), "first_wrong_frame", UINT32_MAX);
}

static void read_counts(struct report_connection *connection, JsonObject *counts)
{
    JsonObject *operations = object_of(counts, "operations");

    read_pair(counts, connection->ib ? "packets" : "fpdus", connection->fpdus);
    read_pair(counts, "octets", connection->octets);
    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++)
        if (report_operation_name(opcode))
            connection->operations[opcode] =
                number_of(operations, report_operation_name(opcode), (uint64_t)MERGE_COUNT_MAX);
}

/* Rules that state the same have the same counts: they are kept by the one that is judged. */
static struct folded_counts *read_rules(JsonObject *rules)
{
    struct rule_counts counts = {.others = true};
    GList *ids = rules ? json_object_get_members(rules) : NULL;

    for (GList *id = ids; id; id = id->next) {
        const struct rule *rule = rule_find(id->data);
        JsonObject *count = object_of(rules, id->data);

        if (!rule || !count)
            continue;
        counts.passed[rule->same] = (uint32_t)number_of(count, "passed", UINT32_MAX);
        counts.failed[rule->same] = (uint32_t)number_of(count, "failed", UINT32_MAX);
        counts.inconclusive[rule->same] = (uint32_t)number_of(count, "inconclusive", UINT32_MAX);
    }
    g_list_free(ids);
    return counts_fold(NULL, &counts, NULL);
}

/* One for each rule and reason. */
static const struct waiver *waiver_of(struct check_options *options, enum rule_id rule, JsonObject *finding)
{
    const char *why = text_of(finding, "waived_why"), *link = text_of(finding, "waived_link");
    struct waiver *waiver;

    for (guint i = 0; i < options->waivers->len; i++) {
        waiver = g_ptr_array_index(options->waivers, i);
        if (waiver->rule == rule && waiver->used && g_strcmp0(waiver->why, why) == 0 &&
            g_strcmp0(waiver->link, link) == 0)
            return waiver;
    }
    waiver = g_new0(struct waiver, 1);
    waiver->rule = rule;
    waiver->id = g_strdup(rule_catalogue[rule].id);
    waiver->why = g_strdup(why);
    waiver->link = g_strdup(link);
    waiver->where = g_strdup("by the report");
    waiver->used = 1;
    g_ptr_array_add(options->waivers, waiver);
    return waiver;
}

static enum rule_severity severity_of(const char *name)
{
    size_t i = 0;

    while (i < SEVERITY_ERROR && g_strcmp0(name, rule_severity_name((enum rule_severity)i)) != 0)
        i++;
    return (enum rule_severity)i;
}

static double seconds_of(JsonObject *finding)
{
    JsonNode *node = member(finding, "time", JSON_NODE_VALUE);
    GType type = node ? json_node_get_value_type(node) : G_TYPE_INVALID;
    double seconds = type == G_TYPE_DOUBLE || type == G_TYPE_INT64 ? json_node_get_double(node) : 0;

    return seconds > -1e9 && seconds < 1e9 ? seconds : 0;
}

static void read_finding(struct report_connection *connection, struct check_options *options, JsonObject *json)
{
    const char *id = text_of(json, "rule"), *message = text_of(json, "message");
    const struct rule *rule = id ? rule_find(id) : NULL;
    JsonObject *more = object_of(json, "more");
    JsonArray *frames = array_of(json, "frames"), *more_frames = array_of(more, "frames");
    struct report_finding finding = {.severity = severity_of(text_of(json, "severity")),
                                     .direction = g_strcmp0(text_of(json, "direction"), "responder-to-initiator") == 0
                                                      ? DIR_TO_INITIATOR
                                                      : DIR_TO_RESPONDER,
                                     .frame = (uint32_t)number_of(json, "frame", UINT32_MAX),
                                     .first_frame = (uint32_t)element_of(frames, 0, UINT32_MAX),
                                     .related_frame = (uint32_t)number_of(json, "related_frame", UINT32_MAX),
                                     .time_ns = (int64_t)(seconds_of(json) * 1e9 + 0.5),
                                     .offset = number_of(json, "stream_offset", UINT64_MAX),
                                     .more = (uint32_t)number_of(more, "count", UINT32_MAX - 1),
                                     .more_first = (uint32_t)element_of(more_frames, 0, UINT32_MAX),
                                     .more_last = (uint32_t)element_of(more_frames, 1, UINT32_MAX)};
    uint64_t times = UINT64_C(1) + finding.more;

    if (flag_of(json, "waived") == ON)
        connection->waived += times;
    else
        connection->found[finding.severity] += times;
    if (!rule || !message) { /* of a later version */
        connection->not_kept += times;
        return;
    }
    finding.rule = rule_number(rule);
    if (flag_of(json, "waived") == ON)
        finding.waiver = waiver_of(options, finding.rule, json);
    else if (options_fails(options, finding.severity))
        for (uint64_t i = 0; i < MIN(times, MAX_FINDINGS_DEFAULT); i++)
            report_add_failing(connection, finding.rule);
    report_add_finding(connection, &finding, message);
}

/* Upper layers as far as verdicts go: their own counts are not taken over. */
static const char *ulp_title(const void *report)
{
    (void)report;
    return "another upper layer";
}

static const struct guest_face judged_face = {.judged = true, .title = ulp_title, .free = g_free};
static const struct guest_face named_face = {.title = ulp_title, .free = g_free};

/* JSON has it under the name of its kind. */
static bool has_judged_guest(JsonObject *json)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->judged && json_object_has_member(json, (*face)->kind->name))
            return true;
    return false;
}

static struct report_connection *read_connection(struct check_options *options, JsonObject *json)
{
    struct report_connection *connection = report_connection_new();
    JsonArray *findings = array_of(json, "findings");
    JsonObject *ib = object_of(json, "ib");

    connection->id = (uint32_t)number_of(json, "id", UINT32_MAX);
    connection->initiator = endpoint_of(text_of(json, "initiator"));
    connection->responder = endpoint_of(text_of(json, "responder"));
    connection->roles_known = flag_of(json, "roles_known") != OFF;
    connection->start_frame = (uint32_t)number_of(json, "start_frame", UINT32_MAX);
    connection->end_frame = (uint32_t)number_of(json, "end_frame", UINT32_MAX);
    if (ib)
        read_ib(connection, ib, text_of(json, "transport"));
    else
        read_mpa(connection, object_of(json, "mpa"));
    if (has_judged_guest(json))
        connection->guest = (struct report_guest){&judged_face, NULL};
    else if (json_object_has_member(json, "ulp"))
        connection->guest = (struct report_guest){&named_face, NULL};
    read_counts(connection, object_of(json, "counts"));
    connection->counts = read_rules(object_of(json, "rules"));
    for (guint i = 0; findings && i < json_array_get_length(findings); i++)
        if (JSON_NODE_HOLDS_OBJECT(json_array_get_element(findings, i)))
            read_finding(connection, options, json_array_get_object_element(findings, i));
    connection->not_kept += number_of(json, "findings_not_listed", (uint64_t)MERGE_COUNT_MAX);
    return connection;
}

static struct report_capture *read_capture(struct check_options *options, JsonObject *json)
{
    struct report_capture *capture = report_capture_new(text_of(json, "file") ? text_of(json, "file") : "");
    const char *error = text_of(json, "error"), *trouble = error ? error : text_of(json, "warning");
    JsonArray *connections = array_of(json, "connections");

    capture->packets = number_of(json, "packets", (uint64_t)MERGE_COUNT_MAX);
    capture->octets = number_of(json, "bytes", (uint64_t)MERGE_COUNT_MAX);
    capture->dropped = number_of(json, "dropped", (uint64_t)MERGE_COUNT_MAX);
    capture->truncated = flag_of(json, "truncated") == ON;
    capture->failed = error != NULL;
    capture->trouble = g_strdup(trouble);
    capture->nothing = g_strdup(text_of(json, "nothing_checked"));
    capture->other_connections = number_of(json, "connections_without_mpa", (uint64_t)MERGE_COUNT_MAX);
    capture->counts = read_rules(object_of(json, "rules"));
    for (guint i = 0; connections && i < json_array_get_length(connections); i++)
        if (JSON_NODE_HOLDS_OBJECT(json_array_get_element(connections, i)))
            g_ptr_array_add(capture->connections,
                            read_connection(options, json_array_get_object_element(connections, i)));
    return capture;
}

void merge_report_fill(struct report *report, struct check_options *options, JsonArray *captures)
{
    for (guint i = 0; i < json_array_get_length(captures); i++)
        g_ptr_array_add(report->captures, read_capture(options, json_array_get_object_element(captures, i)));
}
