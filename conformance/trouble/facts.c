// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/facts.h"

#include "engine/core/heap.h"

#include <stdlib.h>
#include <string.h>

struct trouble_facts *trouble_facts_new(void)
{
    return heap_zeroed(1, sizeof(struct trouble_facts));
}

struct trouble_facts *trouble_facts_sought(const struct ulp_sought *sought, int64_t until_ns)
{
    struct trouble_facts *facts = trouble_facts_new();
    struct ulp_sought *copy = heap_zeroed(1, sizeof *copy);

    if (!facts || !copy) {
        free(copy);
        trouble_facts_free(facts);
        return NULL;
    }
    *copy = *sought;
    facts->sought = copy;
    facts->end[0] = sought->client;
    facts->end[1] = sought->server;
    facts->first = (struct trouble_event){sought->asked.frame, sought->asked.time_ns};
    facts->last = (struct trouble_event){sought->asked_last.frame, sought->asked_last.time_ns};
    facts->until_ns = until_ns;
    return facts;
}

bool trouble_is_stranger(const struct trouble_facts *facts)
{
    return facts->plain || (facts->step[STEP_SYN].n > 0 && facts->step[STEP_SYN_ACK].n == 0);
}

static bool is_plain_path(const struct trouble_path *path)
{
    return path->stall.n == 0 && path->not_ready.naks == 0 && path->window.longest_ns == 0 && path->delay.n == 0 &&
           path->read.n == 0 && path->sizes.again == 0 && path->marked + path->congested == 0;
}

bool trouble_facts_are_plain(const struct trouble_facts *facts)
{
    bool owes = false, reset = false, ended = false;

    for (unsigned debt = 0; debt < DEBTS; debt++) /* a payment may belong to a debt of another connection */
        owes |= facts->owed[debt].n != facts->owed[debt].paid;
    for (unsigned side = 0; side < 2; side++) {
        reset |= facts->side[side].how == END_RESET;
        ended |= facts->side[side].how != END_NONE;
    }
    return facts->rdma && !facts->plain && facts->parts > 0 && ended && !reset && !owes && !facts->hole &&
           facts->n_open == 0 && facts->n_failures == 0 && facts->n_odd == 0 && facts->slow.n == 0 &&
           facts->path_down.n == 0 && facts->differs.n == 0 && facts->step[STEP_REJECT].n == 0 &&
           !trouble_happened(&facts->refusal.when) && trouble_outcome_is_plain(facts) &&
           trouble_mount_is_plain(facts) && trouble_state_is_plain(facts) && is_plain_path(&facts->path[0]) &&
           is_plain_path(&facts->path[1]);
}

static void free_lists(struct trouble_facts *facts)
{
    free(facts->open);
    free(facts->latest);
    free(facts->early);
    free(facts->failure);
    free(facts->differs_words);
    free(facts->sought);
    free(facts->outcome);
    free(facts->mount);
    free(facts->state);
}

void trouble_facts_free(struct trouble_facts *facts)
{
    if (!facts)
        return;
    free_lists(facts);
    free(facts);
}

size_t trouble_facts_owned(const struct trouble_facts *facts)
{
    return (facts->outcome ? sizeof *facts->outcome : 0) + (facts->mount ? sizeof *facts->mount : 0) +
           (facts->state ? sizeof *facts->state : 0);
}

bool trouble_facts_pack(struct trouble_facts *facts, struct packed *packed)
{
    _Static_assert(sizeof *facts % sizeof(uint64_t) == 0 && sizeof *facts <= PACKED_MAX, "whole words");
    if (!pack(packed, facts, sizeof *facts))
        return false;
    free(facts);
    return true;
}

struct trouble_facts *trouble_facts_unpack(struct packed *packed)
{
    struct trouble_facts *facts = trouble_facts_new(), lost = {0};

    unpack(packed, facts ? facts : &lost);
    free_lists(&lost);
    return facts;
}

static void repeat(struct trouble_repeated *repeated, struct trouble_event event)
{
    if (repeated->n++ == 0)
        repeated->first = event;
    repeated->last = event;
}

static void note_step(struct trouble_facts *facts, enum trouble_step step, unsigned side, struct trouble_event event)
{
    repeat(&facts->step[step], event);
    facts->step_side[step] = (uint8_t)side;
}

static __attribute__((noinline)) void note_first(struct trouble_facts *facts, struct trouble_side *of,
                                                 struct trouble_event event)
{
    of->first = event;
    if (!trouble_happened(&facts->first))
        facts->first = event;
}

static void note_packet(struct trouble_facts *facts, unsigned side, struct trouble_event event, bool speaks)
{
    struct trouble_side *of = side ? facts->side + 1 : facts->side;

    if (of->packets++ == 0)
        note_first(facts, of, event);
    facts->last = event;
    if (facts->side[0].how != END_NONE || facts->side[1].how != END_NONE)
        return;
    of->last = event;
    if (speaks)
        of->spoke = event;
}

/* A packet that had to wait for its counterpart is seen here for the first time, as a part of a message. */
void trouble_part(struct trouble_facts *facts, const struct place *place)
{
    struct trouble_side *side;

    if (!facts)
        return;
    side = place->side & 1u ? facts->side + 1 : facts->side;
    facts->parts++;
    if (side->parts++ == 0 && side->packets == 0)
        note_packet(facts, place->side & 1u, (struct trouble_event){place->frame, place->time_ns}, true);
}

/* If octets before a FIN are missing, the FIN may become known only after the other side's FIN. */
static void note_end(struct trouble_facts *facts, unsigned side, enum trouble_end how, struct trouble_event event)
{
    const struct trouble_side *other = &facts->side[side ^ 1u];

    if (facts->side[side].how != END_NONE)
        return;
    if (other->how == END_NONE || event.time_ns < other->ended.time_ns)
        facts->closer = (uint8_t)side;
    facts->side[side].how = how;
    facts->side[side].ended = event;
}

void trouble_ended(struct trouble_facts *facts, unsigned side, bool reset, const struct place *place)
{
    if (facts)
        note_end(facts, side & 1u, reset ? END_RESET : END_FIN, (struct trouble_event){place->frame, place->time_ns});
}

void trouble_differs(struct trouble_facts *facts, struct trouble_event event, const char *words)
{
    repeat(&facts->differs, event);
    if (!facts->differs_words)
        facts->differs_words = strdup(words);
}

/* ---- TCP, MPA ---- */

void trouble_plain(struct trouble_facts *facts, const char *what, const struct tcp_segment *segment)
{
    facts->plain = what;
    facts->plain_call = (struct trouble_event){segment->frame, segment->time_ns};
}

void trouble_segment(struct trouble_facts *facts, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                     uint64_t acked)
{
    const struct trouble_event event = {segment->frame, segment->time_ns};

    if (!facts)
        return;
    note_packet(facts, segment->side & 1u, event, segment->length > 0);
    trouble_path_segment(facts->path, segment, offset, acked_known, acked);
    if (segment->flags & TCP_SYN)
        note_step(facts, segment->flags & TCP_ACK ? STEP_SYN_ACK : STEP_SYN, segment->side & 1u, event);
}

void trouble_startup(struct trouble_facts *facts, const struct mpa_startup_event *event)
{
    const struct trouble_event at = {event->place.frame, event->place.time_ns};
    unsigned side = event->place.side & 1u;

    if (!facts)
        return;
    if (event->frame.kind != MPA_REPLY && facts->step[STEP_REQUEST].n == 0)
        facts->revision = event->frame.revision;
    note_step(facts, event->frame.kind == MPA_REPLY ? STEP_REPLY : STEP_REQUEST, side, at);
    if (event->frame.kind == MPA_REPLY && event->frame.flags & MPA_FLAG_R)
        note_step(facts, STEP_REJECT, side, at);
}

void trouble_asks(struct trouble_facts *facts, unsigned side, bool request, const struct place *place)
{
    struct trouble_asks *asks = facts ? &facts->path[side & 1u].asks : NULL;

    if (!asks)
        return;
    asks->requests += request;
    asks->responses += !request;
    if (request)
        asks->last = (struct trouble_event){place->frame, place->time_ns};
}

/* ---- RoCE, InfiniBand ---- */

enum { SYNDROME_SEQUENCE = 0x60 /* NAK, PSN sequence error */ };

/* "Congestion experienced" (RFC 3168 section 5); the octets before the BTH begin with the IP header. */
static bool is_marked(const struct ib_datagram *datagram)
{
    const uint8_t *ip = datagram->below;
    unsigned class;

    if (!ip || datagram->below_len < 2 || (datagram->kind != IB_BELOW_IPV4_UDP && datagram->kind != IB_BELOW_IPV6_UDP))
        return false;
    class = datagram->kind == IB_BELOW_IPV4_UDP ? ip[1] : (unsigned)(ip[0] << 4 | ip[1] >> 4);
    return (class & 3) == 3;
}

static void take_psn(struct trouble_facts *facts, unsigned side, const struct ib_packet *packet,
                     struct trouble_event event)
{
    struct trouble_psn *mine = &facts->psn[side], *theirs = &facts->psn[side ^ 1u];
    uint32_t psn = packet->bth.psn;

    if (!packet->info || ib_service_of(packet->bth.opcode) != IB_RC)
        return;
    if (packet->info->response) {
        if (packet->headers & IB_HAS_AETH && packet->aeth.syndrome == SYNDROME_SEQUENCE && psn == theirs->named &&
            trouble_happened(&theirs->first_at) && !trouble_happened(&theirs->nak))
            theirs->nak = event;
        return;
    }
    mine->sent |= psn == mine->named;
    if (trouble_happened(&mine->first_at) || !trouble_happened(&mine->named_at))
        return;
    mine->first = psn;
    mine->first_at = event;
}

void trouble_ib_packet(struct trouble_facts *facts, unsigned side, const struct ib_datagram *datagram,
                       const struct ib_packet *packet)
{
    const struct trouble_event event = {datagram->frame, datagram->time_ns};

    if (!facts)
        return;
    note_packet(facts, side, event, !packet->info || !packet->info->response || packet->payload_len > 0);
    if (datagram->kind == IB_BELOW_TAP) /* a tap invents its transport */
        return;
    facts->path[side].marked += is_marked(datagram);
    trouble_path_ib(facts->path, side, packet, datagram->length, event);
    take_psn(facts, side & 1u, packet, event);
}

/* If the first PSN is above the named PSN, the capture may have lost the named PSN, unless the receiver asks for it. */
bool trouble_psn_is_wrong(const struct trouble_psn *psn)
{
    return trouble_happened(&psn->first_at) && !psn->sent &&
           (trouble_happened(&psn->nak) || ib_psn_distance(psn->named, psn->first) < 0);
}

void trouble_managed(struct trouble_facts *facts, unsigned side, const struct ib_cm *cm, const struct place *place)
{
    static const struct {
        uint8_t attribute;
        enum trouble_step step;
    } steps[] = {{IB_CM_REQUEST, STEP_REQUEST},
                 {IB_CM_MRA, STEP_WAIT},
                 {IB_CM_REPLY, STEP_REPLY},
                 {IB_CM_READY, STEP_READY},
                 {IB_CM_REJECT, STEP_REJECT}};
    const struct trouble_event event = {place->frame, place->time_ns};

    if (!facts)
        return;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].attribute == cm->attribute)
            note_step(facts, steps[i].step, side & 1u, event);
    if ((cm->attribute == IB_CM_REQUEST || cm->attribute == IB_CM_REPLY) &&
        !trouble_happened(&facts->psn[(side & 1u) ^ 1u].first_at)) {
        facts->psn[(side & 1u) ^ 1u].named = cm->psn;
        facts->psn[(side & 1u) ^ 1u].named_at = event;
    }
    if (cm->attribute == IB_CM_REJECT)
        facts->reject_reason = cm->reason;
    if (cm->attribute == IB_CM_DISCONNECT_REQUEST)
        note_end(facts, side & 1u, END_DISCONNECT, event);
}

void trouble_refused(struct trouble_facts *facts, const struct trouble_refusal *refusal)
{
    if (facts && !trouble_happened(&facts->refusal.when))
        facts->refusal = *refusal;
}
