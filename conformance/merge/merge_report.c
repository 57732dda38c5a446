// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_report.h"

#include "conformance/merge/merge_read.h"
#include "conformance/merge/merge_walk.h"
#include "conformance/options/options.h"
#include "wire/octets.h"

#include <string.h>
#include <unistd.h>

/* ---- members that may be missing, or of any type ---- */

/* g_free() it; NULL: there is none. */
static gchar *report_text_of(struct json_view object, const char *name)
{
    return json_string_of(json_member(object, name));
}

static uint64_t report_value_of(struct json_view value, uint64_t most)
{
    int64_t number = json_integer(value);

    return number < 0 ? 0 : MIN((uint64_t)number, most);
}

static uint64_t report_number_of(struct json_view object, const char *name, uint64_t most)
{
    return report_value_of(json_member(object, name), most);
}

/* There, and not null. */
static bool report_is_known(struct json_view object, const char *name)
{
    struct json_view value = json_member(object, name);

    return value.item && !json_is(value, JSON_NULL) && !json_is(value, JSON_OBJECT) && !json_is(value, JSON_ARRAY);
}

static enum tristate flag_of(struct json_view object, const char *name)
{
    struct json_view value = json_member(object, name);

    if (json_is(value, JSON_TRUE))
        return ON;
    return json_is(value, JSON_FALSE) ? OFF : UNKNOWN;
}

static uint64_t element_of(struct json_view array, size_t i, uint64_t most)
{
    return report_value_of(json_element(array, i), most);
}

/* [to the responder, to the initiator] */
static void report_read_pair(struct json_view object, const char *name, uint64_t pair[2])
{
    struct json_view array = json_member(object, name);

    pair[DIR_TO_RESPONDER] = element_of(array, 0, (uint64_t)MERGE_COUNT_MAX);
    pair[DIR_TO_INITIATOR] = element_of(array, 1, (uint64_t)MERGE_COUNT_MAX);
}

/* ---- a connection ---- */

/* As endpoint_text() writes it; of other text all is 0. */
static struct endpoint report_endpoint_of(const char *text)
{
    static const char lid[] = "LID ";
    struct waiver_address address;
    struct endpoint endpoint = {0};
    guint64 number;

    if (text && waiver_address_parse(text, &address))
        endpoint = address.endpoint;
    else if (text && g_str_has_prefix(text, lid) &&
             g_ascii_string_to_unsigned(text + strlen(lid), 10, 0, UINT16_MAX, &number, NULL))
        put_be16(endpoint.address, (uint16_t)number);
    return endpoint;
}

static void read_mpa(struct report_connection *connection, struct json_view mpa)
{
    struct mpa_parameters *parameters = &connection->parameters;

    parameters->request_seen = parameters->reply_seen = report_is_known(mpa, "revision");
    parameters->revision = (uint8_t)report_number_of(mpa, "revision", UINT8_MAX);
    parameters->startup_seen = flag_of(mpa, "enhanced") != UNKNOWN;
    parameters->enhanced = flag_of(mpa, "enhanced") == ON;
    parameters->peer_to_peer = flag_of(mpa, "peer_to_peer") == ON;
    parameters->crc = flag_of(mpa, "crc");
    parameters->ird_ord_known = report_is_known(mpa, "ird");
    parameters->ird = (uint16_t)report_number_of(mpa, "ird", UINT16_MAX);
    parameters->ord = (uint16_t)report_number_of(mpa, "ord", UINT16_MAX);
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

static void read_ib(struct report_connection *connection, struct json_view object, const char *transport)
{
    struct report_ib *ib = g_new0(struct report_ib, 1);
    struct json_view qps = json_member(object, "queue_pairs"), ird = json_member(object, "ird");
    struct json_view ord = json_member(object, "ord");

    connection->ib = ib;
    connection->complete = flag_of(object, "complete") == ON;
    ib->below = below_of(transport);
    ib->mtu = (unsigned)report_number_of(object, "path_mtu", UINT16_MAX);
    ib->rejected = report_is_known(object, "reject_reason");
    ib->reject_reason = (uint16_t)report_number_of(object, "reject_reason", UINT16_MAX);
    ib->request_seen = ib->reply_seen = json_length(ird) == 2 && json_is(json_element(ird, 0), JSON_INTEGER);
    for (guint role = 0; role < 2; role++) {
        ib->qp[role] = (uint32_t)element_of(qps, role, UINT32_MAX);
        ib->qp_known[role] = ib->qp[role] != 0;
        ib->ird[role] = (uint8_t)element_of(ird, role, UINT8_MAX);
        ib->ord[role] = (uint8_t)element_of(ord, role, UINT8_MAX);
    }
    report_read_pair(object, "retransmitted", ib->retransmitted);
    report_read_pair(object, "repeated_responses", ib->repeated_responses);
    report_read_pair(object, "holes", ib->holes);
    ib->icrc.right = report_number_of(json_member(object, "icrc"), "right", (uint64_t)MERGE_COUNT_MAX);
    ib->icrc.wrong = report_number_of(json_member(object, "icrc"), "wrong", (uint64_t)MERGE_COUNT_MAX);
    ib->icrc.unknown = report_number_of(json_member(object, "icrc"), "unknown", (uint64_t)MERGE_COUNT_MAX);
    ib->icrc.first_wrong = (uint32_t)report_number_of(json_member(object, "icrc"), "first_wrong_frame", UINT32_MAX);
}

static void read_counts(struct report_connection *connection, struct json_view counts)
{
    struct json_view operations = json_member(counts, "operations");

    report_read_pair(counts, connection->ib ? "packets" : "fpdus", connection->fpdus);
    report_read_pair(counts, "octets", connection->octets);
    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++)
        if (report_operation_name(opcode))
            connection->operations[opcode] =
                report_number_of(operations, report_operation_name(opcode), (uint64_t)MERGE_COUNT_MAX);
}

/* Rules that state the same have the same counts: they are kept by the one that is judged. */
static struct folded_counts *read_rules(struct json_view rules)
{
    struct rule_counts counts = {0};

    for (struct json_view name = json_first(rules); name.item; name = json_next(rules, name)) {
        g_autofree gchar *id = json_string_of(name);
        const struct rule *rule = rule_find(id);
        struct json_view count = json_named(name);

        if (!rule || !json_is(count, JSON_OBJECT))
            continue;
        rule_counts_set(
            &counts, rule->same,
            (struct rule_count){.passed = (uint32_t)report_number_of(count, "passed", UINT32_MAX),
                                .failed = (uint32_t)report_number_of(count, "failed", UINT32_MAX),
                                .inconclusive = (uint32_t)report_number_of(count, "inconclusive", UINT32_MAX)});
    }
    return counts_fold(NULL, &counts, NULL);
}

/* One for each rule and reason. */
static const struct waiver *waiver_of(struct check_options *options, enum rule_id rule, struct json_view finding)
{
    g_autofree gchar *why = report_text_of(finding, "waived_why"), *link = report_text_of(finding, "waived_link");
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

static enum rule_severity report_severity_of(const char *name)
{
    size_t i = 0;

    while (i < SEVERITY_ERROR && g_strcmp0(name, rule_severity_name((enum rule_severity)i)) != 0)
        i++;
    return (enum rule_severity)i;
}

static double seconds_of(struct json_view finding)
{
    double seconds = json_real(json_member(finding, "time"));

    return seconds > -1e9 && seconds < 1e9 ? seconds : 0;
}

static bool says_direction(struct json_view finding, enum direction direction)
{
    return json_says(json_member(finding, "direction"),
                     direction == DIR_TO_INITIATOR ? "responder-to-initiator" : "initiator-to-responder");
}

/* Of the finding that was added last. */
static void take_subject(struct report_connection *connection, struct json_view json)
{
    struct finding_subject *subject =
        &g_array_index(connection->findings, struct report_finding, connection->findings->len - 1).subject;
    g_autofree gchar *operation = report_text_of(json, "operation"), *kind = report_text_of(json, "kind");

    if (operation)
        subject->operation = g_string_chunk_insert_const(connection->messages, operation);
    if (kind)
        subject->kind = g_string_chunk_insert_const(connection->messages, kind);
}

static void read_finding(struct report_connection *connection, struct check_options *options, int64_t start_ns,
                         struct json_view json)
{
    g_autofree gchar *id = report_text_of(json, "rule"), *message = report_text_of(json, "message");
    g_autofree gchar *severity = report_text_of(json, "severity");
    const struct rule *rule = id ? rule_find(id) : NULL;
    struct json_view more = json_member(json, "more");
    struct json_view frames = json_member(json, "frames"), more_frames = json_member(more, "frames");
    struct report_finding finding = {.severity = report_severity_of(severity),
                                     .direction =
                                         says_direction(json, DIR_TO_INITIATOR) ? DIR_TO_INITIATOR : DIR_TO_RESPONDER,
                                     .awaited = flag_of(json, "awaited") == ON,
                                     .frame = (uint32_t)report_number_of(json, "frame", UINT32_MAX),
                                     .first_frame = (uint32_t)element_of(frames, 0, UINT32_MAX),
                                     .related_frame = (uint32_t)report_number_of(json, "related_frame", UINT32_MAX),
                                     .time_ns = start_ns + (int64_t)(seconds_of(json) * 1e9 + 0.5),
                                     .offset = report_number_of(json, "stream_offset", UINT64_MAX),
                                     .more = (uint32_t)report_number_of(more, "count", UINT32_MAX - 1),
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
    take_subject(connection, json);
}

/* Upper layers as far as verdicts go: their own counts are not taken over. */
static const char *ulp_title(const void *report)
{
    (void)report;
    return "another upper layer";
}

static const struct guest_face judged_face = {.judged = true, .title = ulp_title, .free = g_free};
static const struct guest_face named_face = {.title = ulp_title, .free = g_free};

static struct report_connection *read_connection(struct check_options *options, int64_t start_ns, struct json_view json)
{
    struct report_connection *connection = report_connection_new();
    struct json_view findings = json_member(json, "findings"), ib = json_member(json, "ib");
    g_autofree gchar *initiator = report_text_of(json, "initiator"), *responder = report_text_of(json, "responder");
    g_autofree gchar *transport = report_text_of(json, "transport");

    connection->id = (uint32_t)report_number_of(json, "id", UINT32_MAX);
    connection->initiator = report_endpoint_of(initiator);
    connection->responder = report_endpoint_of(responder);
    connection->roles_known = flag_of(json, "roles_known") != OFF;
    connection->start_frame = (uint32_t)report_number_of(json, "start_frame", UINT32_MAX);
    connection->end_frame = (uint32_t)report_number_of(json, "end_frame", UINT32_MAX);
    if (ib.item)
        read_ib(connection, ib, transport);
    else
        read_mpa(connection, json_member(json, "mpa"));
    if (merge_has_judged_guest(json))
        connection->guest = (struct report_guest){&judged_face, NULL};
    else if (json_member(json, "ulp").item)
        connection->guest = (struct report_guest){&named_face, NULL};
    read_counts(connection, json_member(json, "counts"));
    connection->counts = read_rules(json_member(json, "rules"));
    for (struct json_view each = json_first(findings); each.item; each = json_next(findings, each))
        read_finding(connection, options, start_ns, each);
    connection->not_kept += report_number_of(json, "findings_not_listed", (uint64_t)MERGE_COUNT_MAX);
    return connection;
}

/* ---- a capture ---- */

struct filling {
    struct report *report;
    struct check_options *options;
    struct report_capture *capture; /* the latest */
};

static bool report_begin_capture(void *ctx, uint64_t at)
{
    struct filling *filling = ctx;

    (void)at;
    filling->capture = report_capture_new("");
    g_ptr_array_add(filling->report->captures, filling->capture);
    return true;
}

static void report_read_file(struct report_capture *capture, struct json_view value)
{
    g_free(capture->path);
    g_free(capture->file);
    capture->path = json_string_of(value);
    capture->file = g_strdup(capture->path);
}

static void read_error(struct report_capture *capture, struct json_view value)
{
    capture->failed = true;
    g_free(capture->trouble);
    capture->trouble = json_string_of(value);
}

static void read_warning(struct report_capture *capture, struct json_view value)
{
    if (!capture->failed && !capture->trouble)
        capture->trouble = json_string_of(value);
}

static void read_nothing(struct report_capture *capture, struct json_view value)
{
    g_free(capture->nothing);
    capture->nothing = json_string_of(value);
}

static void read_truncated(struct report_capture *capture, struct json_view value)
{
    capture->truncated = json_is(value, JSON_TRUE);
}

static void report_read_calls(struct report_capture *capture, struct json_view value)
{
    capture->troubles->calls = report_number_of(value, "made", (uint64_t)MERGE_COUNT_MAX);
    capture->troubles->answers = report_number_of(value, "answered", (uint64_t)MERGE_COUNT_MAX);
    capture->troubles->holes = flag_of(value, "whole") != ON;
}

/* Leaves room for the times of findings, which are within 1e9 seconds of it. */
#define TIME_SECONDS_MAX INT64_C(8000000000)

/* "2026-11-21T10:45:00.000000Z"; 0: not known. */
static int64_t report_time_of(const char *text)
{
    GDateTime *date = text ? g_date_time_new_from_iso8601(text, NULL) : NULL;
    int64_t seconds = date ? g_date_time_to_unix(date) : 0;
    int64_t time_ns = seconds > -TIME_SECONDS_MAX && seconds < TIME_SECONDS_MAX
                          ? seconds * 1000000000 + (date ? g_date_time_get_microsecond(date) : 0) * INT64_C(1000)
                          : 0;

    if (date)
        g_date_time_unref(date);
    return time_ns;
}

static void read_trouble(struct report_capture *capture, struct json_view json)
{
    g_autofree gchar *kind = report_text_of(json, "kind"), *client = report_text_of(json, "client"),
                     *at = report_text_of(json, "at");
    g_autofree gchar *server = report_text_of(json, "server"), *words = report_text_of(json, "words");
    g_autofree gchar *next = report_text_of(json, "next");
    struct json_view connections = json_member(json, "connections");
    double lasted = json_real(json_member(json, "lasted"));
    struct trouble trouble = {.kind = trouble_kind_of(kind),
                              .client = client,
                              .server = server,
                              .frame = (uint32_t)report_number_of(json, "frame", UINT32_MAX),
                              .time_ns = report_time_of(at),
                              .count = report_number_of(json, "count", (uint64_t)MERGE_COUNT_MAX),
                              .time = lasted > 0 && lasted < 1e9 ? (uint64_t)(lasted * 1e9 + 0.5) : 0,
                              .words = words,
                              .next = next};
    struct trouble *added;

    if (trouble.kind == TROUBLE_KINDS || !client || !server || !words) /* of a later version */
        return;
    added = troubles_add(capture->troubles, &trouble);
    for (struct json_view id = json_first(connections); id.item; id = json_next(connections, id)) {
        uint32_t number = (uint32_t)report_value_of(id, UINT32_MAX);

        g_array_append_val(added->connections, number);
    }
}

static void read_rest(struct report_capture *capture, struct json_view value)
{
    struct report_rest *rest = &capture->rest;
    const struct {
        const char *name;
        uint64_t *count;
    } members[] = {{"connections", &rest->n},
                   {"with_findings", &rest->with_findings},
                   {"troubled", &rest->troubled},
                   {"error", &rest->found[SEVERITY_ERROR]},
                   {"warning", &rest->found[SEVERITY_WARNING]},
                   {"note", &rest->found[SEVERITY_NOTE]},
                   {"waived", &rest->waived}};

    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        *members[i].count = report_value_of(json_member(value, members[i].name), (uint64_t)MERGE_COUNT_MAX);
}

static void report_read_start(struct report_capture *capture, struct json_view value)
{
    g_autofree gchar *text = json_string_of(value);

    capture->start_ns = report_time_of(text);
}

static void read_troubles(struct report_capture *capture, struct json_view value)
{
    for (struct json_view each = json_first(value); each.item; each = json_next(value, each))
        read_trouble(capture, each);
}

static void read_capture_rules(struct report_capture *capture, struct json_view value)
{
    counts_free(capture->counts);
    capture->counts = read_rules(value);
}

static bool read_of_capture(void *ctx, const char *name, struct json_view value)
{
    static const struct {
        const char *name;
        void (*read)(struct report_capture *capture, struct json_view value);
    } members[] = {{"file", report_read_file},   {"truncated", read_truncated},     {"error", read_error},
                   {"warning", read_warning},    {"nothing_checked", read_nothing}, {"rules", read_capture_rules},
                   {"calls", report_read_calls}, {"trouble", read_troubles},        {"start", report_read_start},
                   {"not_listed", read_rest}};
    struct report_capture *capture = ((struct filling *)ctx)->capture;
    const struct {
        const char *name;
        uint64_t *count;
    } counts[] = {{"packets", &capture->packets},
                  {"bytes", &capture->octets},
                  {"dropped", &capture->dropped},
                  {"connections_without_mpa", &capture->other_connections},
                  {"connections_cut_short", &capture->cut_short}};

    for (size_t i = 0; i < G_N_ELEMENTS(members); i++)
        if (strcmp(name, members[i].name) == 0)
            members[i].read(capture, value);
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++)
        if (strcmp(name, counts[i].name) == 0)
            *counts[i].count = report_value_of(value, (uint64_t)MERGE_COUNT_MAX);
    return true;
}

static bool report_take_connection(void *ctx, struct json_view connection)
{
    struct filling *filling = ctx;

    g_ptr_array_add(filling->capture->connections,
                    read_connection(filling->options, filling->capture->start_ns, connection));
    return true;
}

bool merge_report_fill(struct report *report, struct check_options *options, FILE *json)
{
    struct filling filling = {.report = report, .options = options};
    const struct merge_walk walk = {.ctx = &filling,
                                    .begin_capture = report_begin_capture,
                                    .of_capture = read_of_capture,
                                    .connection = report_take_connection};
    struct merge_input input = {.path = "the merged report"};
    struct json_source source;
    bool ok;

    json_source_init(&source, lseek(fileno(json), 0, SEEK_SET) == 0 ? fileno(json) : -1);
    ok = merge_walk_report(&input, &source, &walk);
    json_source_clear(&source);
    merge_input_clear(&input);
    return ok;
}
