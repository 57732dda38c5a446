// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/conversation.h"

#include "traffic-gen/say/carrier.h"
#include "traffic-gen/say/deviation.h"
#include "traffic-gen/say/operations.h"
#include "traffic-gen/say/verb.h"

#include <string.h>

enum {
    MPA_PORT = 7174,
    FIRST_PORT = 40001,
    BETWEEN_STAGES_NS = 1000000000,
    CLIENT_DELAY_NS = 41000,
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
        sim_connect_after(c->tcp, c->setup.after->carrier->life(c->setup.after));
}

struct conversation *conversation_new(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = g_new0(struct conversation, 1);
    unsigned number = stage->n_conversations++;

    c->stage = stage;
    c->carrier = setup->no_mpa ? &carrier_mpa : stage->carrier; /* plain TCP, whatever carries the others */
    c->operations = operations_new();
    c->number = number;
    c->setup = *setup;
    c->plain = setup->plain;
    if (number == 0 && stage->deviation && stage->deviation->sets_up) {
        struct words words = stage->deviation->setup;

        setup_change(&c->setup, &words);
        stage->deviated = !stage->deviation->changes; /* else the setup only prepares the place */
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

struct sim_how take_how(struct conversation *c, enum role role)
{
    struct sim_how how = orderly(c, role);

    c->how = (struct sim_how){0};
    c->early = false;
    return how;
}

/* What only MPA carries. */
static bool is_elsewhere(struct conversation *c)
{
    if (!c->tcp && !c->stage->impossible)
        c->stage->impossible = "it belongs to MPA";
    return !c->tcp;
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
    if (c->over || c->is_corked[role] || !c->tcp)
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
    if (c->over || is_elsewhere(c))
        return;

    struct sim_how how = take_how(c, role);

    write_octets(c, role, p, n, &how);
}

static void after_deviation(struct conversation *c, enum role offender);

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
    const struct deviation *deviation = c->stage->deviation;
    bool deviates = deviation_strikes_startup(deviation, c, role);
    struct words change = deviates ? deviation->change : (struct words){0}, *of_deviation = deviates ? &change : NULL;
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + MPA_PRIVATE_DATA_MAX];
    struct startup_write w = {.conversation = c, .role = role, .octets = g_byte_array_new()};

    if (!c->over) {
        w.how = take_how(c, role);
        startup_frame_init(c, role, &w.frame);
        startup_change_frame(of_deviation, &w);
        startup_change_frame(c->changes, &w);
        g_byte_array_append(w.octets, octets, (guint)mpa_startup_encode(&w.frame, octets, sizeof octets));
        startup_change_octets(of_deviation, &w);
        startup_change_octets(c->changes, &w);
        c->changes = NULL;
        write_octets(c, role, w.octets->data, w.octets->len, &w.how);
        c->framing[role].seq_start = next_offset(c, role);
        if (deviates) {
            c->stage->deviated = true;
            after_deviation(c, role);
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

void say_fpdu(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n)
{
    static uint8_t room[ULPDU_ROOM];

    if (c->over || (c->doomed && role != c->offender) || is_elsewhere(c))
        return;

    struct fpdu_write w = {.conversation = c, .role = role, .index = c->fpdus[role], .ulpdu = room};
    const struct deviation *deviation = c->stage->deviation;
    struct words change, *of_deviation = NULL;

    if (n > 0)
        memcpy(room, ulpdu, n);
    mpa_fpdu_plan_init(&w.plan, &c->framing[role], next_offset(c, role), room, n, c->crc);
    if (!c->is_corked[role])
        w.how = take_how(c, role);

    if (deviation_strikes(deviation, &w)) {
        change = deviation->change;
        of_deviation = &change;
    }
    fpdu_change_plan(of_deviation, &w);
    fpdu_change_plan(c->changes, &w);
    w.octets = g_byte_array_new();
    g_byte_array_set_size(w.octets, MPA_FPDU_OCTETS_MAX + 16);
    g_byte_array_set_size(w.octets, (guint)mpa_fpdu_encode(&w.plan, w.octets->data, w.octets->len));
    fpdu_change_octets(of_deviation, &w);
    fpdu_change_octets(c->changes, &w);
    c->changes = NULL;
    if (!c->doomed)
        segment_keep(c, role, w.ulpdu, w.plan.ulpdu_length);
    c->fpdus[role]++;
    write_octets(c, role, w.octets->data, w.octets->len, &w.how);
    g_byte_array_unref(w.octets);
    c->stage->deviated |= of_deviation != NULL;
    if (of_deviation && deviation->aftermath != GOES_ON && !c->doomed) {
        c->doomed = true;
        c->offender = role;
        c->doom = deviation->more;
        if (c->doom == 0)
            after_deviation(c, role);
    } else if (c->doomed && --c->doom == 0) {
        after_deviation(c, role);
    }
}

/* ---- endings ---- */

void say_capturing(struct conversation *c, enum role role, bool on, const struct sim_how *how)
{
    c->carrier->capturing(c, role, on, how);
}

void say_fin(struct conversation *c, enum role role)
{
    if (c->doomed)
        after_deviation(c, c->offender);
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

/* The peer's Terminate about the last FPDU of `offender`, and its close. */
static void close_with_terminate(struct conversation *c, enum role offender, uint16_t terminate)
{
    enum role peer = offender == INITIATOR ? RESPONDER : INITIATOR;
    struct message message = {0};

    message_init(c, peer, RDMAP_TERMINATE, &message);
    message_accuse(c, peer, terminate, 0, &message);
    say_message(c, peer, &message);
    say_close(c, peer);
}

static void after_deviation(struct conversation *c, enum role offender)
{
    const struct deviation *deviation = c->stage->deviation;

    c->doomed = false;
    if (deviation->aftermath == GOES_ON)
        return;
    uncork(c, offender);
    if (deviation->aftermath == TERMINATED)
        close_with_terminate(c, offender, deviation->terminate);
    else
        say_close(c, offender == INITIATOR ? RESPONDER : INITIATOR);
    c->over = true; /* what the script still says is left out */
}

/* ---- MPA as a carrier ---- */

static struct sim_life *life_mpa(const struct conversation *c)
{
    return sim_life(c->tcp);
}

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
    .life = life_mpa,
    .all_of_peer = all_of_peer_mpa,
    .startup = say_own_startup,
    .message = message_mpa,
    .silence = silence_mpa,
    .end = end_mpa,
    .capturing = capturing_mpa,
};
