// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/conversation.h"

#include "traffic-gen/say/carrier.h"
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/operations.h"

#include <string.h>

enum {
    MPA_PORT = 7174,
    FIRST_PORT = 40001,
    BETWEEN_STAGES_NS = 1000000000,
    CLIENT_DELAY_NS = 41000,
    TERMINATE_CRC = 0x2002, /* layer 2 (LLP), error type 0 (MPA), code 2: RFC 5040 section 4.8 */
};

static const int64_t start_ns = INT64_C(1700000000) * 1000000000;

/* ---- the stage ---- */

static void conversation_free(gpointer p)
{
    struct conversation *c = p;

    operations_free(c->operations);
    g_free(c);
}

struct stage *stage_new(struct capture_file *file, uint64_t seed, const struct sim_trouble *trouble,
                        const struct stage_place *place)
{
    struct stage *stage = g_new0(struct stage, 1);

    stage->sim = sim_new(file, start_ns + place->elapsed_ns, seed, trouble);
    stage->carrier = &carrier_mpa;
    stage->first = place->conversations;
    stage->mtu = 1500;
    stage->seed = seed;
    stage->conversations = g_ptr_array_new_with_free_func(conversation_free);
    return stage;
}

void stage_leave(const struct stage *stage, struct stage_place *place)
{
    place->elapsed_ns = sim_now(stage->sim) - start_ns + BETWEEN_STAGES_NS;
    place->conversations = stage->first + stage->n_conversations;
}

void stage_free(struct stage *stage)
{
    sim_free(stage->sim);
    g_ptr_array_unref(stage->conversations);
    g_free(stage);
}

/* What both frames together mean: RFC 5044 section 7.1.1, and Appendix C for revision 0. */
static void negotiate(struct conversation *c)
{
    const struct startup_wish *request = &c->setup.wish[INITIATOR], *reply = &c->setup.wish[RESPONDER];
    bool rdmac = request->revision == 0 || reply->revision == 0;

    c->framing[INITIATOR].markers = rdmac || reply->flags & MPA_FLAG_M;
    c->framing[RESPONDER].markers = rdmac || request->flags & MPA_FLAG_M;
    c->crc = rdmac || (request->flags | reply->flags) & MPA_FLAG_C;
    c->version = rdmac ? 0 : 1;
}

static void connect_mpa(struct conversation *c)
{
    struct stage *stage = c->stage;
    unsigned place = stage->first + c->number;
    uint16_t mss = (uint16_t)(stage->mtu - (stage->ipv6 ? 60 : 40));
    struct sim_connection_options options = {
        .path = {.ipv6 = stage->ipv6,
                 .vlan = stage->vlan,
                 .no_df = c->setup.no_df,
                 .host = {stage->client ? (uint8_t)(2 + stage->client) : 1, 2},
                 .port = {c->setup.port ? c->setup.port : (uint16_t)(FIRST_PORT + place),
                          c->setup.service_port ? c->setup.service_port : MPA_PORT}},
        .no_sack = {c->setup.no_sack, c->setup.no_sack},
        .segment_max = c->setup.segment_max,
        .delay_ns = c->setup.delay_ns + stage->client * CLIENT_DELAY_NS,
    };

    for (unsigned side = 0; side < 2; side++) {
        options.isn[side] = c->setup.isn[side] ? c->setup.isn[side] : 0x10000000u * (side + 1) + place * 0x01000193u;
        options.mss[side] = c->setup.mss[side] ? c->setup.mss[side] : mss;
    }
    c->emss = MIN(options.mss[0], options.mss[1]);
    c->tcp = sim_connect(stage->sim, &options);
    if (c->setup.after)
        sim_connect_after(c->tcp, c->setup.after->tcp);
}

struct conversation *conversation_new(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = g_new0(struct conversation, 1);
    unsigned number = stage->n_conversations++;

    c->stage = stage;
    c->carrier = stage->carrier;
    c->operations = operations_new();
    c->number = number;
    c->setup = *setup;
    if (number == 0 && stage->fault && stage->fault->setup) {
        stage->fault->setup(&c->setup);
        stage->fault_done = !stage->fault->startup && !stage->fault->startup_octets && !stage->fault->fpdu &&
                            !stage->fault->fpdu_octets; /* else the setup only prepares the place */
    }
    c->side[INITIATOR] = c->setup.responder_opens;
    c->side[RESPONDER] = !c->setup.responder_opens;

    c->carrier->connect(c);
    negotiate(c);
    g_ptr_array_add(stage->conversations, c);
    return c;
}

/* ---- writing ---- */

struct sim_how orderly(const struct conversation *c, enum role role)
{
    struct sim_how how = c->how;

    if (!c->early)
        how.received = c->carrier->all_of_peer(c, role);
    return how;
}

static struct sim_how take_how(struct conversation *c, enum role role)
{
    struct sim_how how = orderly(c, role);

    c->how = (struct sim_how){0};
    c->early = false;
    return how;
}

static void write_octets(struct conversation *c, enum role role, const void *p, size_t n, const struct sim_how *how)
{
    if (c->is_corked[role])
        g_byte_array_append(c->corked[role], p, (guint)n);
    else
        sim_write(c->tcp, c->side[role], p, n, how);
}

/* Where in the stream the next octet of role goes. */
static uint64_t next_offset(const struct conversation *c, enum role role)
{
    return sim_written(c->tcp, c->side[role]) + (c->is_corked[role] ? c->corked[role]->len : 0);
}

void cork(struct conversation *c, enum role role)
{
    if (c->over || c->is_corked[role])
        return;
    c->corked[role] = g_byte_array_new();
    c->is_corked[role] = true;
}

void uncork(struct conversation *c, enum role role)
{
    if (!c->is_corked[role])
        return;
    c->is_corked[role] = false;

    struct sim_how how = take_how(c, role);

    sim_write(c->tcp, c->side[role], c->corked[role]->data, c->corked[role]->len, &how);
    g_byte_array_unref(c->corked[role]);
    c->corked[role] = NULL;
}

void pause_before_next(struct conversation *c, int64_t ns)
{
    c->how.delay_ns = ns;
}

void say_nothing(struct conversation *c, enum role role, int64_t ns)
{
    if (c->over)
        return;
    c->how.delay_ns = ns;

    struct sim_how how = take_how(c, role);

    c->carrier->silence(c, role, &how);
}

void say_octets(struct conversation *c, enum role role, const void *p, size_t n)
{
    if (c->over)
        return;

    struct sim_how how = take_how(c, role);

    write_octets(c, role, p, n, &how);
}

void say_streaming(struct conversation *c, enum role role, const void *p, size_t n)
{
    say_octets(c, role, p, n);
}

static void after_fault(struct conversation *c, enum role offender)
{
    const struct fault *fault = c->stage->fault;

    c->doomed = false;
    switch (fault->aftermath) {
    case GOES_ON:
        break;
    case TERMINATED:
        say_error_close(c, offender, fault->terminate ? fault->terminate : TERMINATE_CRC);
        break;
    case CLOSED:
        say_bare_close(c, offender == INITIATOR ? RESPONDER : INITIATOR);
        break;
    }
}

/* ---- startup ---- */

static const uint8_t ulp_private_data[MPA_PRIVATE_DATA_MAX] = "private data of the upper layer protocol";

void startup_frame_init(const struct conversation *c, enum role role, struct mpa_startup *frame)
{
    const struct startup_wish *wish = &c->setup.wish[role];

    *frame = (struct mpa_startup){
        .kind = role == INITIATOR ? MPA_REQUEST : MPA_REPLY,
        .flags = wish->flags,
        .revision = wish->revision,
        .has_enhanced = wish->flags & MPA_FLAG_S,
        .enhanced = wish->enhanced,
        .ulp_data = wish->ulp_data ? wish->ulp_data : ulp_private_data,
        .ulp_length = wish->ulp_length,
    };
    mpa_startup_fix_length(frame);
}

void say_startup_frame(struct conversation *c, enum role role, const struct mpa_startup *frame)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + MPA_PRIVATE_DATA_MAX];
    size_t n = mpa_startup_encode(frame, octets, sizeof octets);

    say_octets(c, role, octets, n);
}

static void say_own_startup(struct conversation *c, enum role role)
{
    const struct fault *fault =
        c->number == 0 && c->stage->fault && c->stage->fault->role == role ? c->stage->fault : NULL;
    const struct startup_wish *wish = &c->setup.wish[role];
    bool faulty = fault && (fault->startup || fault->startup_octets) &&
                  (!fault->enhanced || (wish->flags & MPA_FLAG_S && wish->ulp_length >= 4));
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + MPA_PRIVATE_DATA_MAX];
    struct startup_write w = {.conversation = c, .role = role, .octets = g_byte_array_new()};

    if (!c->over) {
        w.how = take_how(c, role);
        startup_frame_init(c, role, &w.frame);
        if (faulty && fault->startup)
            fault->startup(&w);
        g_byte_array_append(w.octets, octets, (guint)mpa_startup_encode(&w.frame, octets, sizeof octets));
        if (faulty && fault->startup_octets)
            fault->startup_octets(&w);
        write_octets(c, role, w.octets->data, w.octets->len, &w.how);
        c->framing[role].seq_start = next_offset(c, role);
        if (faulty) {
            c->stage->fault_done = true;
            after_fault(c, role);
        }
    }
    g_byte_array_unref(w.octets);
}

void say_request(struct conversation *c)
{
    c->carrier->startup(c, INITIATOR);
}

void say_reply(struct conversation *c)
{
    c->carrier->startup(c, RESPONDER);
}

void say_startup(struct conversation *c)
{
    say_request(c);
    say_reply(c);
}

/* ---- FPDUs ---- */

static bool fault_strikes(const struct fpdu_write *w)
{
    const struct stage *stage = w->conversation->stage;
    const struct fault *fault = stage->fault;

    return fault && w->conversation->number == 0 && (fault->fpdu || fault->fpdu_octets) && fault->role == w->role &&
           w->index >= fault->index && (!stage->fault_done || fault->persistent) && (!fault->where || fault->where(w));
}

void say_fpdu(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n)
{
    static uint8_t room[ULPDU_ROOM];

    if (c->over || (c->doomed && role != c->offender))
        return;

    struct fpdu_write w = {.conversation = c, .role = role, .index = c->fpdus[role], .ulpdu = room};
    const struct fault *fault = c->stage->fault;

    memcpy(room, ulpdu, n);
    mpa_fpdu_plan_init(&w.plan, &c->framing[role], next_offset(c, role), room, n, c->crc);
    if (!c->is_corked[role])
        w.how = take_how(c, role);

    bool faulty = fault_strikes(&w);

    if (faulty && fault->fpdu)
        fault->fpdu(&w);
    w.octets = g_byte_array_new();
    g_byte_array_set_size(w.octets, MPA_FPDU_OCTETS_MAX + 16);
    g_byte_array_set_size(w.octets, (guint)mpa_fpdu_encode(&w.plan, w.octets->data, w.octets->len));
    if (faulty && fault->fpdu_octets)
        fault->fpdu_octets(&w);
    if (c->spoil) {
        c->spoil(&w);
        c->spoil = NULL;
    }
    if (!c->doomed)
        segment_keep(c, role, w.ulpdu, w.plan.ulpdu_length);
    c->fpdus[role]++;
    write_octets(c, role, w.octets->data, w.octets->len, &w.how);
    g_byte_array_unref(w.octets);
    if (faulty && fault->aftermath != GOES_ON && !c->doomed) {
        c->doomed = true;
        c->offender = role;
        c->doom = fault->more;
        c->stage->fault_done = true;
        if (c->doom == 0)
            after_fault(c, role);
    } else if (c->doomed && --c->doom == 0) {
        after_fault(c, role);
    }
    c->stage->fault_done |= faulty;
}

/* ---- RDMAP messages ---- */

static void say_plain(struct conversation *c, enum role role, enum rdmap_opcode opcode, size_t n)
{
    struct message message = {0};
    bool plain = c->plain;

    c->plain = true;
    message_init(c, role, opcode, &message);
    if (opcode == RDMAP_READ_REQUEST)
        message.read.size = (uint32_t)n;
    else
        message.length = n;
    say_message(c, role, &message);
    c->plain = plain;
}

void say_send_as(struct conversation *c, enum role role, enum rdmap_opcode opcode, size_t n)
{
    say_plain(c, role, opcode, n);
}

void say_send(struct conversation *c, enum role role, size_t n)
{
    say_plain(c, role, RDMAP_SEND, n);
}

void say_write(struct conversation *c, enum role role, size_t n)
{
    say_plain(c, role, RDMAP_WRITE, n);
}

void say_read_request(struct conversation *c, enum role role, uint32_t n)
{
    say_plain(c, role, RDMAP_READ_REQUEST, n);
}

void say_read_response(struct conversation *c, enum role role, uint32_t n)
{
    say_plain(c, role, RDMAP_READ_RESPONSE, n);
}

void say_read(struct conversation *c, enum role role, uint32_t n)
{
    say_read_request(c, role, n);
    say_read_response(c, role == INITIATOR ? RESPONDER : INITIATOR, n);
}

static void say_terminate_message(struct conversation *c, enum role role, uint16_t terminate, bool accuses)
{
    struct message message = {0};

    message_init(c, role, RDMAP_TERMINATE, &message);
    message_accuse(c, role, terminate, 0, &message);
    if (!accuses)
        message.terminate.m = message.terminate.d = message.terminate.r = message.terminate.has_length =
            message.terminate.has_ddp = message.terminate.has_read = false;
    say_message(c, role, &message);
}

void say_terminate(struct conversation *c, enum role role, uint16_t terminate)
{
    say_terminate_message(c, role, terminate, false);
}

void say_terminate_about(struct conversation *c, enum role role, uint16_t terminate, const struct ddp_segment *segment,
                         uint16_t n)
{
    struct message message = {0};

    message_init(c, role, RDMAP_TERMINATE, &message);
    message.terminate = (struct rdmap_terminate){.layer = (uint8_t)(terminate >> 12),
                                                 .etype = terminate >> 8 & 0xF,
                                                 .code = (uint8_t)terminate,
                                                 .m = true,
                                                 .d = true,
                                                 .has_length = true,
                                                 .has_ddp = true,
                                                 .segment_length = n,
                                                 .ddp = *segment};
    say_message(c, role, &message);
}

/* RFC 6581 section 9.2: a zero-length Send, Write or Read. */
void say_rtr(struct conversation *c, enum mpa_rtr type)
{
    switch (type) {
    case MPA_RTR_SEND:
        say_send(c, INITIATOR, 0);
        break;
    case MPA_RTR_WRITE:
        say_write(c, INITIATOR, 0);
        break;
    case MPA_RTR_READ:
        say_read(c, INITIATOR, 0);
        break;
    }
}

void say_traffic(struct conversation *c)
{
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 48);
    for (unsigned n = 1; n <= 4; n++) { /* every PAD length */
        say_send(c, INITIATOR, 24 + n);
        say_send(c, RESPONDER, 31 - n);
    }
    say_write(c, INITIATOR, 3000);
    say_send_as(c, INITIATOR, RDMAP_SEND_SE, 16);
    say_read(c, INITIATOR, 4000);
    say_write(c, RESPONDER, 3000);
    say_send_as(c, RESPONDER, RDMAP_SEND_INVALIDATE, 20);
    cork(c, INITIATOR); /* several FPDUs in one segment */
    for (unsigned i = 0; i < 5; i++)
        say_send(c, INITIATOR, 40 + 3 * i);
    uncork(c, INITIATOR);
    say_send(c, RESPONDER, 100);
    say_send(c, INITIATOR, 5000);
    say_send(c, RESPONDER, 0);
}

/* ---- endings ---- */

void say_capturing(struct conversation *c, enum role role, bool on, const struct sim_how *how)
{
    c->carrier->capturing(c, role, on, how);
}

void say_fin(struct conversation *c, enum role role)
{
    if (c->doomed)
        after_fault(c, c->offender);
    if (c->over)
        return;

    struct sim_how how = take_how(c, role);

    c->carrier->end(c, role, false, &how);
}

void say_reset(struct conversation *c, enum role role)
{
    if (c->over)
        return;

    struct sim_how how = take_how(c, role);

    c->carrier->end(c, role, true, &how);
    c->over = true;
}

void say_close(struct conversation *c, enum role first)
{
    say_fin(c, first);
    say_fin(c, first == INITIATOR ? RESPONDER : INITIATOR);
}

void say_error_close(struct conversation *c, enum role offender, uint16_t terminate)
{
    enum role peer = offender == INITIATOR ? RESPONDER : INITIATOR;

    uncork(c, offender);
    say_terminate_message(c, peer, terminate, true);
    say_close(c, peer);
    c->over = true;
}

void say_bare_close(struct conversation *c, enum role role)
{
    uncork(c, role == INITIATOR ? RESPONDER : INITIATOR);
    say_close(c, role);
    c->over = true;
}

/* ---- MPA as a carrier ---- */

static uint64_t all_of_peer_mpa(const struct conversation *c, enum role role)
{
    return sim_all_of_peer(c->tcp, c->side[role]);
}

static void message_mpa(struct conversation *c, enum role role, const struct message *message)
{
    say_message_changed(c, role, message, NULL, NULL);
}

static void silence_mpa(struct conversation *c, enum role role, const struct sim_how *how)
{
    unsigned side = c->side[role];

    sim_raw(c->tcp, side, &(struct sim_raw){.offset = sim_written(c->tcp, side)}, how);
}

static void end_mpa(struct conversation *c, enum role role, bool reset, const struct sim_how *how)
{
    if (reset)
        sim_reset(c->tcp, c->side[role], how);
    else
        sim_fin(c->tcp, c->side[role], how);
}

static void capturing_mpa(struct conversation *c, enum role role, bool on, const struct sim_how *how)
{
    sim_capturing(c->tcp, c->side[role], on, how);
}

const struct carrier carrier_mpa = {
    .name = "iwarp",
    .connect = connect_mpa,
    .all_of_peer = all_of_peer_mpa,
    .startup = say_own_startup,
    .message = message_mpa,
    .silence = silence_mpa,
    .end = end_mpa,
    .capturing = capturing_mpa,
};
