// SPDX-License-Identifier: GPL-2.0-or-later
/* The RoCE and InfiniBand connections of a share of the capture. */
#include "conformance/check/check_finding.h"
#include "conformance/check/check_watched.h"
#include "conformance/model/report_ib.h"
#include "conformance/options/options.h"
#include "engine/core/heap.h"
#include "engine/ib/ib_icrc_senders.h"

#include <stdlib.h>
#include <string.h>

struct watched_ib {
    struct stack_ib ib; /* passes events up the stack */
    struct ib_rc_events up;
    struct watched *watched;
    struct endpoint endpoint[2];
    struct ib_connection *connection;
    uint32_t latest[2]; /* the frame of each side's latest request */
    guint found[2];     /* findings listed at that time */
    enum ib_below below;
    struct icrc_counts icrc;
};

/* ---- from the transport into the stack ---- */

static void take_ports(struct watched_ib *ib)
{
    for (unsigned end = 0; end < 2; end++)
        ib->endpoint[end].port = ib->connection->port[end];
}

static void ib_on_part(void *ctx, const struct ib_rc_part *part)
{
    struct watched_ib *ib = ctx;

    watched_wake(ib->watched);
    if (ib->connection->tapped)
        take_ports(ib);
    if (!part->packet->info->response) {
        ib->latest[part->place.side & 1u] = part->place.frame;
        ib->found[part->place.side & 1u] = ib->watched->report->findings->len;
    }
    if (ib->watched->host.notes)
        notes_part(ib->watched->host.notes, part);
    if (ib->watched->host.collector)
        collector_ib_part(ib->watched->host.collector, part);
    ib->up.part(ib->up.ctx, part);
}

static void ib_withdraw(struct watched_ib *ib, const struct ib_rc_hole *hole)
{
    struct watched *watched = ib->watched;
    GArray *findings = watched->report->findings;
    unsigned side = hole->side & 1u;
    bool late = hole->after < ib->latest[side]; /* requests after the hole have been judged */
    /* A finding may have been folded into an equal, earlier one. */
    guint first = late || watched->share->options->fold ? 0 : MIN(ib->found[side], findings->len);

    for (guint i = findings->len; i-- > first;) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        enum rule_id rule = finding->rule;

        if (!ib_rc_hole_explains(rule, MAX(finding->frame, finding->more_last), hole->after) ||
            verdict_stands(&watched->verdict, finding->basis, finding->side, side, hole->to - hole->from))
            continue;
        check_drop_finding(watched->share->options, watched->report, i);
        verdict_withdraw(&watched->verdict, rule, hole->no_room ? WHY_MEMORY : WHY_HOLE, hole->next.frame);
    }
}

static void ib_on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct watched_ib *ib = ctx;

    watched_wake(ib->watched);
    ib->watched->hole = true;
    ib->watched->share->found.given_up += hole->no_room;
    if (ib->watched->host.notes)
        notes_lost(ib->watched->host.notes, hole->side, hole->from, hole->to, &hole->next);
    ib_withdraw(ib, hole);
    if (ib->watched->host.collector)
        collector_hole(ib->watched->host.collector, hole->side & 1u, hole->to - hole->from,
                       collector_seen(ib->watched->host.collector, hole->side), hole->next.time_ns);
    ib->up.hole(ib->up.ctx, hole);
}

static void note_refusal(struct trouble_facts *facts, const struct ib_rc_refusal *seen)
{
    static const char *const kinds[] = {
        [IB_MESSAGE_SEND] = "Send", [IB_MESSAGE_WRITE] = "RDMA Write", [IB_MESSAGE_READ] = "RDMA Read"};
    struct trouble_refusal refusal = {.when = {seen->place.frame, seen->place.time_ns},
                                      .side = seen->side & 1u,
                                      .known = true,
                                      .offset = seen->offset,
                                      .frame = seen->known ? seen->culprit.frame : 0};
    const char *name = ib_nak_name((uint8_t)(0x60 | seen->nak));

    if (seen->known && seen->kind < sizeof kinds / sizeof *kinds)
        refusal.operation = kinds[seen->kind];
    if (seen->not_ready)
        snprintf(refusal.reason, sizeof refusal.reason, "RNR NAK: no Receive was posted");
    else
        snprintf(refusal.reason, sizeof refusal.reason, "NAK, %s", name ? name : "reserved code");
    trouble_refused(facts, &refusal);
}

static void ib_on_refused(void *ctx, const struct ib_rc_refusal *refusal)
{
    struct watched_ib *ib = ctx;

    watched_wake(ib->watched);
    if (ib->watched->host.notes)
        notes_refused(ib->watched->host.notes, refusal);
    note_refusal(ib->watched->host.facts, refusal);
    ib->up.refused(ib->up.ctx, refusal);
}

static void ib_on_acknowledged(void *ctx, unsigned side, uint64_t offset)
{
    struct watched_ib *ib = ctx;

    ib->up.acknowledged(ib->up.ctx, side, offset);
    if (ib->watched->host.collector)
        collector_received(ib->watched->host.collector, other_side(side), offset);
}

static void ib_on_missed(void *ctx, unsigned side, uint64_t offset)
{
    struct watched_ib *ib = ctx;

    ib->up.missed(ib->up.ctx, side, offset);
}

static void ib_on_sent_again(void *ctx, const struct place *place)
{
    collector_sent_again(((struct watched_ib *)ctx)->watched->host.collector, place->side, place->offset,
                         place->time_ns);
}

static void ib_on_copy(void *ctx, const struct ib_rc_copy *copy)
{
    struct watched_ib *ib = ctx;

    watched_wake(ib->watched);
    ib->up.copy(ib->up.ctx, copy);
}

/* ---- connections come and go ---- */

static void free_watched(struct watched *watched)
{
    struct watched_ib *ib = watched->ib;

    watched_free(watched);
    free(ib);
}

static bool ib_on_open(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    struct share *check = ctx;
    struct watched *watched = watched_new(check, connection->id, connection->start_frame);
    struct watched_ib *ib;

    if (!watched)
        return false;
    ib = watched->ib = heap_zeroed(1, sizeof *ib);
    if (!ib || !watched_stack(watched, &(struct stack_setup){.options = &check->ib_options})) {
        check->found.memory_lacking = true;
        free_watched(watched);
        return false;
    }
    *ib = (struct watched_ib){
        .ib = {watched->host.stack, connection},
        .watched = watched,
        .endpoint = {report_ib_endpoint(&connection->address[0], 0), report_ib_endpoint(&connection->address[1], 0)},
        .connection = connection,
        .below = check->below};
    ib->up = stack_ib_events(&ib->ib);
    watched->host.endpoint = ib->endpoint;
    connection->host = watched;
    *events = (struct ib_rc_events){.ctx = ib,
                                    .part = ib_on_part,
                                    .hole = ib_on_hole,
                                    .refused = ib_on_refused,
                                    .acknowledged = ib_on_acknowledged,
                                    .missed = ib_on_missed,
                                    .sent_again = watched->host.collector ? ib_on_sent_again : NULL,
                                    .copy = ib_on_copy};
    return true;
}

/* Neither side has more Reads outstanding than it announced, or than the other side can serve. */
static void take_read_limits(struct collector *collector, const struct ib_connection *connection)
{
    if (!connection->request_seen || !connection->reply_seen)
        return;
    for (unsigned side = 0; side < 2; side++)
        collector_read_limit(collector, side, MIN(connection->ord[side], connection->ird[other_side(side)]));
}

static void ib_on_managed(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                          const struct place *place)
{
    struct watched *watched = connection->host;

    (void)ctx;
    watched_wake(watched);
    take_ports(watched->ib);
    trouble_managed(watched->host.facts, side, cm, place);
    if (watched->host.notes)
        notes_managed(watched->host.notes, side, cm, place);
    if (watched->host.collector)
        take_read_limits(watched->host.collector, connection);
    stack_ib_managed(&watched->ib->ib, side, cm, place);
}

static struct watched_span ib_span_of(const struct ib_connection *connection)
{
    return (struct watched_span){connection->start_frame, connection->end_frame, connection->start_ns,
                                 connection->end_ns};
}

static void ib_on_close(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    struct watched *watched = connection->host;
    struct watched_ib *ib = watched->ib;
    struct watched_span span = ib_span_of(connection);

    ((struct share *)ctx)->found.cut_short += why == IB_CONNECTION_EVICTED;
    watched_close(watched, &span, now_ns);
    free(ib);
}

static bool table(struct share *check)
{
    const struct ib_connections_options options = {.max_connections = UINT32_MAX,
                                                   .max_unpaired = UINT32_MAX,
                                                   .next_id = check->next_id,
                                                   .assumed = check->options->assumed_qps,
                                                   .n_assumed = check->options->n_assumed_qps};
    const struct ib_connection_events events = {
        .ctx = check, .open = ib_on_open, .managed = ib_on_managed, .close = ib_on_close};

    if (!check->managed) {
        check->ib_options = check->stack_options;
        check->ib_options.first = STACK_ULP;
        check->managed = ib_connections_new(&options, &events);
    }
    if (!check->icrc_senders)
        check->icrc_senders = ib_icrc_senders_new();
    return check->managed && check->icrc_senders;
}

/* ---- the share ---- */

static void count_icrc(struct icrc_counts *counts, enum icrc_status status, uint32_t frame)
{
    if (status == ICRC_UNKNOWN) {
        counts->unknown++;
    } else if (status == ICRC_RIGHT) {
        counts->right++;
    } else {
        counts->wrong++;
        counts->first_wrong = counts->first_wrong == 0 ? frame : counts->first_wrong;
    }
}

/* A packet that was dropped here, but acknowledged by its receiver, shows that the sender's ICRC is meaningless. */
static void note_damage(struct share *check, const struct ib_connection *connection, unsigned sender,
                        const struct ib_packet *packet, bool dropped)
{
    if (!packet->info)
        return;
    if (dropped && !packet->info->response)
        ib_rc_damaged(connection->rc, sender, packet);
    else if (!dropped && packet->info->response)
        ib_icrc_acked(check->icrc_senders, &connection->address[other_side(sender)],
                      ib_rc_damaged_acked(connection->rc, other_side(sender)));
}

bool check_ib_datagram(struct share *check, const struct ib_datagram *datagram)
{
    struct ib_packet packet;
    struct ib_arrival arrival;
    struct ib_connection *connection;
    struct watched *watched;
    enum icrc_status icrc;
    unsigned sender;
    bool dropped, other_version;

    if (ib_packet_decode(&packet, datagram->p, datagram->length, datagram->captured) != IB_DECODED)
        return true;
    packet.tap = datagram->tap;
    arrival = ib_arrival_of(datagram, &packet);
    check->below = datagram->kind;
    if (!table(check))
        return false;
    icrc = ib_datagram_icrc(datagram, &packet);
    packet.icrc_wrong = icrc == ICRC_WRONG;
    other_version = ib_is_other_version(&packet);
    dropped = other_version || (!check->options->assume_no_icrc && ib_icrc_drops(check->icrc_senders, &arrival, icrc));
    /* A packet that the receiver drops is counted with the connection to which it seems to belong; likewise a CNP. */
    connection = dropped || ib_service_of(packet.bth.opcode) == IB_CNP
                     ? ib_connections_find(check->managed, &arrival)
                     : ib_connections_packet(check->managed, &arrival);
    if (!connection || !connection->host) {
        check->found.wrong_icrcs += icrc == ICRC_WRONG;
        return true;
    }
    watched = connection->host;
    sender = ib_connection_sender(connection, &arrival);
    if (other_version) {
        ib_rc_refused(connection->rc, sender, REFUSED_VERSION);
        return true;
    }
    count_icrc(&watched->ib->icrc, icrc, datagram->frame);
    watched->ib->icrc.taken[sender] += icrc == ICRC_WRONG && !dropped;
    note_damage(check, connection, sender, &packet, dropped);
    if (!dropped)
        trouble_ib_packet(watched->host.facts, sender & 1u, datagram, &packet);
    if (watched->host.collector && !dropped)
        collector_ib_packet(watched->host.collector, sender, &packet, ib_rc_counts(connection->rc), datagram->frame,
                            datagram->time_ns);
    return true;
}

void check_ib_finish(struct share *check, int64_t last_ns)
{
    if (check->managed)
        ib_connections_finish(check->managed, last_ns);
}

static void ib_take_part(void *ctx, struct ib_connection *connection)
{
    struct watched_span span = ib_span_of(connection);

    (void)ctx;
    watched_part(connection->host, &span);
}

void check_ib_part(struct share *check)
{
    if (check->managed)
        ib_connections_each(check->managed, ib_take_part, NULL);
}

void check_ib_reach(struct share *check, int64_t now_ns)
{
    if (check->managed)
        ib_connections_reach(check->managed, now_ns);
}

static void ib_visit_connection(void *ctx, struct ib_connection *connection)
{
    const struct share_visit *visit = ctx;
    const struct watched *watched = connection->host;

    visit->connection(visit->others.ctx, connection->end_frame, watched_size(watched), true);
}

void check_ib_kept(struct share *check, const struct share_visit *visit)
{
    if (!check->managed)
        return;
    ib_connections_each(check->managed, ib_visit_connection, (void *)visit);
    ib_connections_kept(check->managed, &visit->others);
}

void check_ib_trim(struct share *check, const struct kept_limits *limits, int64_t now_ns)
{
    if (check->managed)
        check->found.cut_short += ib_connections_trim(check->managed, limits, now_ns);
}

struct each {
    void (*call)(void *ctx, struct watched *watched);
    void *ctx;
};

static void call_one(void *ctx, struct ib_connection *connection)
{
    const struct each *each = ctx;

    each->call(each->ctx, connection->host);
}

void check_ib_each(struct share *check, void (*call)(void *ctx, struct watched *watched), void *ctx)
{
    struct each each = {call, ctx};

    if (check->managed)
        ib_connections_each(check->managed, call_one, &each);
}

void check_ib_free(struct share *check)
{
    ib_connections_free(check->managed);
    ib_icrc_senders_free(check->icrc_senders);
}

/* ---- reports ---- */

void check_ib_settle(const struct watched *watched, struct trouble_facts *facts)
{
    const struct ib_connection *connection = watched->ib->connection;
    const struct ib_rc_counts *counts = connection->rc ? ib_rc_counts(connection->rc) : NULL;
    unsigned wrong = trouble_psn_is_wrong(&facts->psn[0]) + trouble_psn_is_wrong(&facts->psn[1]);

    /* The side never used the PSNs between the named PSN and its first PSN. They are no hole in the capture. */
    if (wrong > 0 && counts && counts->holes[0] + counts->holes[1] <= wrong)
        facts->hole = watched->share->lossy || watched->share->dropped != watched->dropped;

    for (unsigned side = 0; connection->rc && side < 2; side++) {
        facts->side[side].acked = ib_rc_acked(connection->rc, side);
        facts->side[side].acked_known =
            facts->side[side].acked > 0 || (connection->request_seen && connection->reply_seen);
        /* A client's completions do not say what the server has received. */
        if (connection->tapped && connection->by_client && side == connection->client)
            facts->side[side].acked_known = false;
    }
}

void check_ib_report(const struct watched *watched, struct report_connection *report, unsigned initiator)
{
    const struct watched_ib *ib = watched->ib;

    for (unsigned side = 0; ib->connection->rc && side < 2; side++)
        watched_take_refused(ib->watched, report, side, side == initiator ? DIR_TO_RESPONDER : DIR_TO_INITIATOR,
                             ib_rc_counts(ib->connection->rc)->refused[side]);
    report->ib = report_ib_new(ib->connection, initiator, ib->below, &ib->icrc);
    for (unsigned role = 0; report->facts && role < 2; role++)
        if (trouble_psn_is_wrong(&report->facts->psn[initiator ^ role]) && report->ib->holes[role] > 0)
            report->ib->holes[role]--; /* see check_ib_settle() */
    report->complete = ib->connection->request_seen && report->ib->holes[0] + report->ib->holes[1] == 0 &&
                       (report->ib->rejected || (ib->connection->reply_seen && ib->connection->disconnected));
}

const char *check_ib_transport(const struct watched *watched)
{
    return report_ib_transport_name(watched->ib->below);
}
