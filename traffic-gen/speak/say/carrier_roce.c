// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RoCE as a carrier: connection management and a queue pair do the work of MPA, DDP and RDMAP. An STag is an R_Key, a
 * Tagged Offset is a virtual address, and ConnectRequest and ConnectReply carry the Private Data; a Read needs no sink.
 */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/operations.h"
#include "traffic-gen/speak/sim/rc.h"
#include "wire/ib_cm.h"
#include "wire/octets.h"

#include <string.h>

enum {
    SERVICE_PORT = 7174,
    FIRST_PORT = 40001,
    CLIENT_DELAY_NS = 41000,
    READS_DEFAULT = 16,
    FIRST_QP = 0x11,
    READ_MAX = 1 << 26
};

static void roce_refuse(struct conversation *c, const char *why)
{
    if (!c->stage->impossible)
        c->stage->impossible = why;
}

/* Starting PSNs look random, as real ones do. */
static uint32_t first_psn(const struct conversation *c, unsigned side, unsigned place)
{
    uint32_t x = (2 * place + side + 1) * 0x9E3779B1u;

    return c->setup.isn[side] ? c->setup.isn[side] : x ^ x >> 15;
}

static uint8_t roce_limit(uint16_t wish)
{
    return (uint8_t)MIN(wish ? wish : READS_DEFAULT, UINT8_MAX);
}

static void connect_roce(struct conversation *c)
{
    const struct stage *stage = c->stage;
    unsigned place = stage->first + c->number;
    struct rc_options options = {
        .path = {.ipv6 = stage->ipv6,
                 .vlan = stage->vlan,
                 .host = {stage->client ? (uint8_t)(2 + stage->client) : 1, 2},
                 .port = {c->setup.port ? c->setup.port : (uint16_t)(FIRST_PORT + place),
                          c->setup.service_port ? c->setup.service_port : SERVICE_PORT}},
        .mtu = MAX(rc_path_mtu(stage->mtu), 256),
        .delay_ns = c->setup.delay_ns + stage->client * CLIENT_DELAY_NS,
    };

    c->emss = stage->mtu; /* of real ends in memory */
    c->side[INITIATOR] = 0;
    c->side[RESPONDER] = 1;
    for (unsigned side = 0; side < 2; side++) {
        options.qp[side] = FIRST_QP + 2 * place + side;
        options.psn[side] = first_psn(c, side, place) & IB_PSN_MASK;
        options.reads[side] = roce_limit(c->setup.wish[side].enhanced.ird);
        options.depth[side] = roce_limit(c->setup.wish[side].enhanced.ord);
    }
    c->rc = rc_connect(stage->sim, &options);
    if (c->setup.after)
        rc_connect_after(c->rc, c->setup.after->carrier->life(c->setup.after));
}

static struct sim_life *life_roce(const struct conversation *c)
{
    return rc_life(c->rc);
}

static uint64_t all_of_peer_roce(const struct conversation *c, enum role role)
{
    return rc_all_of_peer(c->rc, c->side[role]);
}

static void roce_say(struct conversation *c, enum role role, const struct rc_step *step, const struct sim_how *how)
{
    if (how && how->fragment)
        roce_refuse(c, "packets of RoCE are not fragmented");
    rc_say(c->rc, c->side[role], step, how);
}

static void startup_roce(struct conversation *c, enum role role)
{
    const struct startup_wish *wish = &c->setup.wish[role];
    size_t room = role == INITIATOR ? IB_CM_REQUEST_PRIVATE - IB_IP_CM_LEN : IB_CM_REPLY_PRIVATE;
    struct mpa_startup frame;
    struct sim_how how;

    if (c->over)
        return;
    startup_frame_init(c, role, &frame);
    if (frame.ulp_length > room)
        roce_refuse(c, role == INITIATOR ? "a ConnectRequest has room for 56 octets of private data"
                                         : "a ConnectReply has room for 196 octets of private data");
    how = take_how(c, role);
    roce_say(c, role,
             &(struct rc_step){.kind = role == INITIATOR          ? RC_REQUEST
                                       : wish->flags & MPA_FLAG_R ? RC_REJECT
                                                                  : RC_REPLY,
                               .p = frame.ulp_data,
                               .n = MIN(frame.ulp_length, room)},
             &how);
}

/*
 * The NAK code for a Terminate's layer, type and code; the NAK is about the latest request that can have caused the
 * Terminate.
 */
static void refuse_request(struct conversation *c, enum role role, const struct rdmap_terminate *terminate,
                           const struct sim_how *how)
{
    static const struct {
        uint8_t layer, etype;
        enum rc_kind about;
        enum ib_nak nak;
    } rows[] = {
        {RDMAP_LAYER_RDMA, 0, RC_SEND, IB_NAK_REMOTE_OPERATION},
        {RDMAP_LAYER_RDMA, 1, RC_READ, IB_NAK_REMOTE_ACCESS},
        {RDMAP_LAYER_DDP, 1, RC_WRITE, IB_NAK_REMOTE_ACCESS},
        {RDMAP_LAYER_DDP, 2, RC_SEND, IB_NAK_INVALID_REQUEST},
    };
    enum { NO_BUFFER = 2, CANNOT_INVALIDATE = 9 };

    if (terminate->layer == RDMAP_LAYER_RDMA && terminate->code == CANNOT_INVALIDATE) {
        roce_refuse(c, "a queue pair that cannot invalidate an R_Key breaks off without a NAK");
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].layer != terminate->layer || rows[i].etype != terminate->etype)
            continue;
        if (!rc_refuse(c->rc, c->side[role], rows[i].about))
            break;
        roce_say(c, role,
                 &(struct rc_step){.kind = RC_REFUSE,
                                   .nak = rows[i].nak,
                                   .not_ready = rows[i].about == RC_SEND && rows[i].layer == RDMAP_LAYER_DDP &&
                                                terminate->code == NO_BUFFER},
                 how);
        return;
    }
    roce_refuse(c, "there is no NAK for it on RoCE");
}

/* Refuses changes of fields that exist only in MPA, DDP and RDMAP. */
static bool roce_is_plain(const struct conversation *c, const struct message *message)
{
    const struct ddp_segment *s = &message->segment;
    const struct rdmap_opcode_info *info = rdmap_opcode_info(message->opcode);

    return s->tagged == info->tagged && s->last && s->rsvd == 0 && s->dv == c->version && s->rv == c->version &&
           s->rdmap_rsv == 0 && s->opcode == message->opcode && s->mo == 0 &&
           (info->tagged || (s->qn == (uint32_t)info->queue && s->msn == message->last_msn + 1)) && message->limit == 0;
}

static void say_octets_of(struct conversation *c, enum role role, const struct message *message, struct rc_step *step,
                          const struct sim_how *how)
{
    size_t head = message->has_value ? 8 : 0;
    g_autofree uint8_t *octets = g_malloc(head + message->length + 1);

    if (message->has_value)
        put_be64(octets, message->value);
    for (size_t i = head; i < head + message->length; i++)
        octets[i] = message->payload ? message->payload[i - head] : (uint8_t)(i * 7 + c->msn[role][DDP_QN_SEND] + 0x31);
    step->p = octets;
    step->n = head + message->length;
    roce_say(c, role, step, how);
    message_said(c, role, message, step->n);
}

static void message_roce(struct conversation *c, enum role role, const struct message *message)
{
    struct sim_how how;
    struct rc_step step = {.rkey = message->segment.stag, .address = message->segment.to};

    if (c->over)
        return;
    if (!roce_is_plain(c, message))
        roce_refuse(c, "a field of it is one of MPA, DDP or RDMAP");
    how = take_how(c, role);
    switch (message->opcode) {
    case RDMAP_SEND:
    case RDMAP_SEND_SE:
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        step.kind = RC_SEND;
        step.invalidate = message->opcode == RDMAP_SEND_INVALIDATE || message->opcode == RDMAP_SEND_SE_INVALIDATE;
        step.solicited = message->opcode == RDMAP_SEND_SE || message->opcode == RDMAP_SEND_SE_INVALIDATE;
        break;
    case RDMAP_WRITE:
        step.kind = RC_WRITE;
        break;
    case RDMAP_READ_REQUEST:
        if (message->read.size > READ_MAX)
            roce_refuse(c, "a Read of more than 64 MiB");
        step = (struct rc_step){.kind = RC_READ,
                                .rkey = message->read.source_stag,
                                .address = message->read.source_to,
                                .length = message->read.size};
        break;
    case RDMAP_READ_RESPONSE:
        step.kind = RC_ANSWER;
        break;
    case RDMAP_TERMINATE:
        refuse_request(c, role, &message->terminate, &how);
        return;
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
    case RDMAP_ATOMIC_REQUEST:
    case RDMAP_ATOMIC_RESPONSE:
        roce_refuse(c, "it is an operation of RFC 7306");
        return;
    }
    c->stage->octets += message->length;
    say_octets_of(c, role, message, &step, &how);
}

static void silence_roce(struct conversation *c, enum role role, const struct sim_how *how)
{
    roce_say(c, role, &(struct rc_step){.kind = RC_SIGN}, how);
}

/*
 * The counterpart of a TCP reset: the end stops in the middle of its last Send, if there is one. A DisconnectRequest
 * follows in either case.
 */
static void end_roce(struct conversation *c, enum role role, bool reset, const struct sim_how *how)
{
    unsigned side = c->side[role];

    if (reset && rc_peer_has_sent(c->rc, side) && rc_refuse(c->rc, side, RC_SEND))
        roce_say(c, role, &(struct rc_step){.kind = RC_REFUSE, .nak = IB_NAK_REMOTE_OPERATION}, how);
    roce_say(c, role, &(struct rc_step){.kind = RC_END, .abrupt = reset}, how);
}

static void capturing_roce(struct conversation *c, enum role role, bool on, const struct sim_how *how)
{
    roce_say(c, role, &(struct rc_step){.kind = RC_CAPTURE, .on = on}, how);
}

const struct carrier carrier_roce = {
    .name = "roce",
    .connect = connect_roce,
    .life = life_roce,
    .all_of_peer = all_of_peer_roce,
    .startup = startup_roce,
    .message = message_roce,
    .silence = silence_roce,
    .end = end_roce,
    .capturing = capturing_roce,
};

const struct carrier *carrier_find(const char *name)
{
    static const struct carrier *const carriers[] = {&carrier_mpa, &carrier_roce};

    for (unsigned i = 0; i < G_N_ELEMENTS(carriers); i++) {
        if (strcmp(carriers[i]->name, name) == 0)
            return carriers[i];
    }
    return NULL;
}
