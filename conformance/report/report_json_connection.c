// SPDX-License-Identifier: GPL-2.0-or-later
/* A connection in the NDJSON report. */
#include "conformance/report/report_json.h"
#include "conformance/report/report_stats.h"
#include "wire/octets.h"

#include <string.h>

struct connection_line {
    struct report_connection connection;
    struct report_ib ib;
    const char *file, *initiator, *responder;
    enum {
        CARRIED_BY_IWARP,
        CARRIED_BY_ROCE2,
        CARRIED_BY_ROCE1,
        CARRIED_BY_INFINIBAND,
        CARRIED_BY_TAP,
        CARRIERS
    } carrier;
    bool revision_known, depths_known;
    GPtrArray *rtr; /* const char * */
};

#define LINE_AT(field)  JSON_AT(struct connection_line, field)
#define LINE_HAS(field) .known = offsetof(struct connection_line, field)

/* ---- iWARP ---- */

static const struct json_member mpa_members[] = {
    {"revision", JSON_COUNT, LINE_AT(connection.parameters.revision), LINE_HAS(revision_known)},
    {"markers_to_initiator", JSON_TRISTATE, LINE_AT(connection.markers[DIR_TO_INITIATOR])},
    {"markers_to_responder", JSON_TRISTATE, LINE_AT(connection.markers[DIR_TO_RESPONDER])},
    {"crc", JSON_TRISTATE, LINE_AT(connection.parameters.crc)},
    {"enhanced", JSON_TRUTH, LINE_AT(connection.parameters.enhanced), LINE_HAS(connection.parameters.startup_seen)},
    {"peer_to_peer", JSON_TRUTH, LINE_AT(connection.parameters.peer_to_peer),
     LINE_HAS(connection.parameters.startup_seen)},
    {"rtr", JSON_TEXTS, LINE_AT(rtr)},
    {"ird", JSON_COUNT, LINE_AT(connection.parameters.ird), LINE_HAS(connection.parameters.ird_ord_known)},
    {"ord", JSON_COUNT, LINE_AT(connection.parameters.ord), LINE_HAS(connection.parameters.ird_ord_known)},
    {"rejected", JSON_TRUTH, LINE_AT(connection.parameters.rejected)},
    {"midstream", JSON_TRUTH, LINE_AT(connection.parameters.midstream)},
    {"complete", JSON_TRUTH, LINE_AT(connection.complete)},
    {NULL},
};
static const struct json_table mpa_table = {"mpa", mpa_members};

static const struct json_member operation_members[] = {
    {"", JSON_COUNTS, LINE_AT(connection.operations), .word = report_operation_name, .n = OPERATION_COUNT,
     .zero = JSON_LEFT_OUT},
    {NULL},
};
static const struct json_table operation_table = {"the operations", operation_members};

#define REFUSED_MEMBER(name, kind)                                                                                     \
    {                                                                                                                  \
        (name), JSON_PAIR, LINE_AT(connection.refused[kind]), .zero = JSON_LEFT_OUT                                    \
    }
#define COUNT_MEMBERS(name)                                                                                            \
    {                                                                                                                  \
        {(name), JSON_PAIR, LINE_AT(connection.fpdus)}, {"octets", JSON_PAIR, LINE_AT(connection.octets)},             \
            REFUSED_MEMBER("damaged_segments", REFUSED_CHECKSUM), REFUSED_MEMBER("without_ack_flag", REFUSED_FLAGS),   \
            REFUSED_MEMBER("unsent_acknowledged", REFUSED_ACK), REFUSED_MEMBER("outside_window", REFUSED_WINDOW),      \
            REFUSED_MEMBER("old_timestamp", REFUSED_STAMP), REFUSED_MEMBER("other_version", REFUSED_VERSION),          \
            REFUSED_MEMBER("other_partition", REFUSED_PKEY), {"operations", JSON_INNER, .inner = &operation_table},    \
            {NULL},                                                                                                    \
    }

static const struct json_member fpdu_count_members[] = COUNT_MEMBERS("fpdus");
static const struct json_member packet_count_members[] = COUNT_MEMBERS("packets");
static const struct json_table fpdu_count_table = {"the counts", fpdu_count_members};
static const struct json_table packet_count_table = {"the counts", packet_count_members};

static const struct json_member iwarp_members[] = {
    {"mpa", JSON_INNER, .inner = &mpa_table},
    {"counts", JSON_INNER, .inner = &fpdu_count_table},
    {NULL},
};
static const struct json_table iwarp_table = {"a connection", iwarp_members};

/* ---- RoCE and InfiniBand; pairs: the initiator's, the responder's ---- */

#define NAKS(code) LINE_AT(ib.naks[0][code]), .n = G_N_ELEMENTS(((struct report_ib *)NULL)->naks[0])

static const struct json_member nak_members[] = {
    {"sequence", JSON_PAIR, NAKS(0)},
    {"invalid_request", JSON_PAIR, NAKS(1)},
    {"remote_access", JSON_PAIR, NAKS(2)},
    {"remote_operation", JSON_PAIR, NAKS(3)},
    {"invalid_rd_request", JSON_PAIR, NAKS(4)},
    {"receiver_not_ready", JSON_PAIR, LINE_AT(ib.rnr_naks)},
    {NULL},
};
static const struct json_table nak_table = {"naks", nak_members};

static const struct json_member icrc_members[] = {
    {"right", JSON_COUNT, LINE_AT(ib.icrc.right)},
    {"wrong", JSON_COUNT, LINE_AT(ib.icrc.wrong)},
    {"unknown", JSON_COUNT, LINE_AT(ib.icrc.unknown)},
    {"not_used", JSON_PAIR, LINE_AT(ib.icrc.taken)},
    {"first_wrong_frame", JSON_COUNT, LINE_AT(ib.icrc.first_wrong), .zero = JSON_SHOWN_AS_NULL},
    {NULL},
};
static const struct json_table icrc_table = {"icrc", icrc_members};

static const struct json_member terms_members[] = {
    {"queue_pairs", JSON_PAIR, LINE_AT(ib.qp), .zero = JSON_SHOWN_AS_NULL},
    {"path_mtu", JSON_COUNT, LINE_AT(ib.mtu), .zero = JSON_SHOWN_AS_NULL, .most = UINT16_MAX},
    {"ird", JSON_PAIR, LINE_AT(ib.ird), LINE_HAS(depths_known)},
    {"ord", JSON_PAIR, LINE_AT(ib.ord), LINE_HAS(depths_known)},
    {"reject_reason", JSON_COUNT, LINE_AT(ib.reject_reason), LINE_HAS(ib.rejected)},
    {"retransmitted", JSON_PAIR, LINE_AT(ib.retransmitted)},
    {"repeated_responses", JSON_PAIR, LINE_AT(ib.repeated_responses)},
    {"naks", JSON_INNER, .inner = &nak_table},
    {"holes", JSON_PAIR, LINE_AT(ib.holes)},
    {"icrc", JSON_INNER, .inner = &icrc_table},
    {"complete", JSON_TRUTH, LINE_AT(connection.complete)},
    {NULL},
};
static const struct json_table terms_table = {"ib", terms_members};

static const struct json_member ib_members[] = {
    {"ib", JSON_INNER, .inner = &terms_table},
    {"counts", JSON_INNER, .inner = &packet_count_table},
    {NULL},
};
static const struct json_table ib_table = {"a connection", ib_members};

/* ---- any connection ---- */

static enum ib_below below_of(unsigned carrier)
{
    static const enum ib_below carriers[CARRIERS] = {[CARRIED_BY_ROCE2] = IB_BELOW_IPV4_UDP,
                                                     [CARRIED_BY_ROCE1] = IB_BELOW_GRH,
                                                     [CARRIED_BY_INFINIBAND] = IB_BELOW_LRH,
                                                     [CARRIED_BY_TAP] = IB_BELOW_TAP};

    return carriers[carrier];
}

static const char *carrier_word(unsigned carrier)
{
    return carrier == CARRIED_BY_IWARP ? "iwarp" : report_ib_transport_name(below_of(carrier));
}

static const struct json_member connection_members[] = {
    {"file", JSON_TEXT, LINE_AT(file)},
    {"id", JSON_COUNT, LINE_AT(connection.id)},
    {"initiator", JSON_TEXT, LINE_AT(initiator)},
    {"responder", JSON_TEXT, LINE_AT(responder)},
    {"roles_known", JSON_TRUTH, LINE_AT(connection.roles_known)},
    {"start_frame", JSON_COUNT, LINE_AT(connection.start_frame)},
    {"end_frame", JSON_COUNT, LINE_AT(connection.end_frame)},
    {"findings_not_listed", JSON_COUNT, LINE_AT(connection.not_kept)},
    {"transport", JSON_WORD, LINE_AT(carrier), .word = carrier_word, .n = CARRIERS},
    {NULL},
};
static const struct json_table connection_table = {"a connection", connection_members};

static const struct json_member part_members[] = {
    {"continued", JSON_TRUTH, LINE_AT(connection.continued)},
    {"continues", JSON_TRUTH, LINE_AT(connection.continues)},
    {NULL},
};
static const struct json_table part_table = {"a connection", part_members};

static const struct {
    const char *name;
    uint8_t bit;
} rtr_types[] = {{"send", MPA_RTR_SEND}, {"write", MPA_RTR_WRITE}, {"read", MPA_RTR_READ}};

/* ---- writing ---- */

static void fill_iwarp(struct connection_line *of)
{
    const struct mpa_parameters *mpa = &of->connection.parameters;

    of->revision_known = mpa->request_seen || mpa->reply_seen;
    for (size_t i = 0; i < G_N_ELEMENTS(rtr_types); i++)
        if (mpa->rtr & rtr_types[i].bit)
            g_ptr_array_add(of->rtr, (gpointer)rtr_types[i].name);
}

static void fill_ib(struct connection_line *of)
{
    of->ib = *of->connection.ib;
    of->depths_known = of->ib.request_seen && of->ib.reply_seen;
    of->carrier = CARRIED_BY_ROCE2;
    while (strcmp(carrier_word(of->carrier), report_ib_transport_name(of->ib.below)) != 0)
        of->carrier++;
    for (unsigned role = 0; role < 2; role++)
        of->ib.qp[role] = of->ib.qp_known[role] ? of->ib.qp[role] : 0;
}

void report_line_write_connection(FILE *out, const struct report_connection *connection, const struct report_line *line)
{
    char ends[2][ENDPOINT_TEXT_SIZE];
    struct connection_line of = {.connection = *connection,
                                 .file = line->file,
                                 .initiator = endpoint_text(&connection->initiator, ends[0]),
                                 .responder = endpoint_text(&connection->responder, ends[1]),
                                 .rtr = g_ptr_array_new()};
    struct json_writer writer;

    if (connection->ib)
        fill_ib(&of);
    else
        fill_iwarp(&of);
    json_line_begin(&writer, out);
    json_string(&writer, "type", "connection");
    json_write_members(&writer, &connection_table, &of, NULL);
    if (line->part)
        json_write_members(&writer, &part_table, &of, NULL);
    json_write_members(&writer, connection->ib ? &ib_table : &iwarp_table, &of, NULL);
    REPORT_GUEST(&connection->guest, write_json, &writer, line->part);
    if (connection->statistics)
        stats_write_json(&writer, connection->statistics, line);
    report_json_write_findings(&writer, connection, line);
    report_json_write_rules(&writer, line);
    json_line_end(&writer);
    g_ptr_array_unref(of.rtr);
}

/* ---- reading ---- */

/* Reads what endpoint_text() writes; any other text gives an endpoint of zeros. */
static struct endpoint endpoint_of(const char *text)
{
    static const char lid[] = "LID ";
    struct waiver_address address;
    struct endpoint endpoint = {0};
    guint64 number;

    if (waiver_address_parse(text, &address))
        endpoint = address.endpoint;
    else if (g_str_has_prefix(text, lid) &&
             g_ascii_string_to_unsigned(text + strlen(lid), 10, 0, UINT16_MAX, &number, NULL))
        put_be16(endpoint.address, (uint16_t)number);
    return endpoint;
}

static void take_iwarp(struct connection_line *of)
{
    struct mpa_parameters *mpa = &of->connection.parameters;

    mpa->request_seen = mpa->reply_seen = of->revision_known;
    for (size_t i = 0; i < G_N_ELEMENTS(rtr_types); i++)
        for (guint k = 0; k < of->rtr->len; k++)
            if (strcmp(g_ptr_array_index(of->rtr, k), rtr_types[i].name) == 0)
                mpa->rtr |= rtr_types[i].bit;
}

static void take_ib(struct connection_line *of)
{
    of->ib.below = below_of(of->carrier);
    of->ib.request_seen = of->ib.reply_seen = of->depths_known;
    for (unsigned role = 0; role < 2; role++)
        of->ib.qp_known[role] = of->ib.qp[role] != 0;
    of->connection.ib = g_memdup2(&of->ib, sizeof of->ib);
}

static bool connection_read_line(struct json_reading *reading, JsonObject *object, struct connection_line *of)
{
    struct report_line *line = reading->ctx;

    line->part = json_has(object, "continued");
    if (!json_read_members(reading, &connection_table, object, of) ||
        (line->part && !json_read_members(reading, &part_table, object, of)) ||
        !json_read_members(reading, of->carrier == CARRIED_BY_IWARP ? &iwarp_table : &ib_table, object, of))
        return false;
    line->file = of->file;
    of->connection.initiator = endpoint_of(of->initiator);
    of->connection.responder = endpoint_of(of->responder);
    if (of->carrier == CARRIED_BY_IWARP)
        take_iwarp(of);
    else
        take_ib(of);
    return true;
}

/* Stands for an upper layer as far as verdicts need it: its own counts are not read. */
static const char *ulp_title(const void *report)
{
    (void)report;
    return "another upper layer";
}

static const struct guest_face judged_face = {.judged = true, .title = ulp_title, .free = g_free};
static const struct guest_face unjudged_face = {.title = ulp_title, .free = g_free};

static bool read_guest(struct json_reading *reading, JsonObject *object, struct report_guest *guest)
{
    const struct guest_face *const *face = guest_faces;
    JsonObject *from;

    while (*face && !json_has(object, (*face)->member))
        face++;
    if (!*face)
        return true;
    guest->face = (*face)->judged ? &judged_face : &unjudged_face;
    if (!((const struct report_line *)reading->ctx)->whole)
        return true;
    from = json_want_object(reading, object, "a connection", (*face)->member);
    guest->report = from ? (*face)->read_json(reading, from) : NULL;
    if (guest->report)
        guest->face = *face;
    return guest->report != NULL;
}

static bool read_statistics_of(struct json_reading *reading, JsonObject *object, struct report_connection *connection)
{
    if (!((const struct report_line *)reading->ctx)->whole || !json_has(object, "statistics"))
        return true;
    connection->statistics = stats_read_json(reading, object);
    return connection->statistics != NULL;
}

struct report_connection *report_line_read_connection(struct json_reading *reading, JsonObject *object)
{
    struct report_connection *connection = report_connection_new();
    struct connection_line of = {.connection = *connection, .rtr = g_ptr_array_new()};
    bool ok = connection_read_line(reading, object, &of);

    *connection = of.connection;
    g_ptr_array_unref(of.rtr);
    if (ok && read_guest(reading, object, &connection->guest) && read_statistics_of(reading, object, connection) &&
        report_json_read_findings(reading, object, connection) && report_json_read_rules(reading, object))
        return connection;
    report_connection_free(connection);
    return NULL;
}
