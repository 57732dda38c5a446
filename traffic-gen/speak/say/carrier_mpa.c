// SPDX-License-Identifier: GPL-2.0-or-later
/* MPA over the simulated TCP as a carrier: start-up frames, FPDUs and other octets, with their errors. */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/deviation.h"
#include "traffic-gen/speak/say/operations.h"

#include <string.h>

enum { MPA_PORT = 7174, FIRST_PORT = 40001, CLIENT_DELAY_NS = 41000 };

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

/* ---- octets ---- */

/* The octets that only MPA carries. */
static bool mpa_is_elsewhere(struct conversation *c)
{
    if (!c->carrier->write && !c->stage->impossible)
        c->stage->impossible = "it belongs to MPA";
    return !c->carrier->write;
}

static void mpa_write_octets(struct conversation *c, enum role role, const void *p, size_t n, const struct sim_how *how)
{
    c->stage->octets += n;
    if (c->is_corked[role])
        g_byte_array_append(c->corked[role], p, (guint)n);
    else
        c->carrier->write(c, role, p, n, how);
}

/* The stream offset of role's next octet. */
static uint64_t next_offset(const struct conversation *c, enum role role)
{
    return c->carrier->written(c, role) + (c->is_corked[role] ? c->corked[role]->len : 0);
}

void cork(struct conversation *c, enum role role)
{
    if (c->over || c->is_corked[role] || !c->carrier->write)
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

    c->carrier->write(c, role, c->corked[role]->data, c->corked[role]->len, &how);
    g_byte_array_unref(c->corked[role]);
    c->corked[role] = NULL;
}

void say_octets(struct conversation *c, enum role role, const void *p, size_t n)
{
    if (c->over || mpa_is_elsewhere(c))
        return;

    struct sim_how how = take_how(c, role);

    mpa_write_octets(c, role, p, n, &how);
}

/* ---- startup frames ---- */

void say_startup_frame(struct conversation *c, enum role role, const struct mpa_startup *frame)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + MPA_PRIVATE_DATA_MAX];
    size_t n = mpa_startup_encode(frame, octets, sizeof octets);

    say_octets(c, role, octets, n);
}

void say_own_startup(struct conversation *c, enum role role)
{
    const struct deviation *deviation = c->stage->deviation;
    bool deviates = deviation_strikes_startup(deviation, c, role);
    struct words change = deviates ? deviation->change : (struct words){0}, *of_deviation = deviates ? &change : NULL;
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + MPA_PRIVATE_DATA_MAX];
    uint8_t data[MPA_PRIVATE_DATA_MAX];
    struct frame_write w = {
        .conversation = c, .role = role, .startup = true, .data = data, .octets = g_byte_array_new()};

    if (!c->over) {
        w.how = take_how(c, role);
        startup_frame_init(c, role, &w.frame);
        frame_change(of_deviation, &w);
        frame_change(c->changes, &w);
        g_byte_array_append(w.octets, octets, (guint)mpa_startup_encode(&w.frame, octets, sizeof octets));
        frame_change_octets(of_deviation, &w);
        frame_change_octets(c->changes, &w);
        c->changes = NULL;
        mpa_write_octets(c, role, w.octets->data, w.octets->len, &w.how);
        c->framing[role].seq_start = next_offset(c, role);
        if (deviates) {
            c->stage->deviated = true;
            say_aftermath(c, role);
        }
    }
    g_byte_array_unref(w.octets);
}

/* ---- FPDUs ---- */

void say_fpdu(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n)
{
    static _Thread_local uint8_t room[ULPDU_ROOM];

    if (c->over || (c->doomed && role != c->offender) || mpa_is_elsewhere(c))
        return;

    struct frame_write w = {.conversation = c, .role = role, .index = c->fpdus[role], .ulpdu = room};
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
    frame_change(of_deviation, &w);
    frame_change(c->changes, &w);
    w.octets = g_byte_array_new();
    g_byte_array_set_size(w.octets, MPA_FPDU_OCTETS_MAX + 16);
    g_byte_array_set_size(w.octets, (guint)mpa_fpdu_encode(&w.plan, w.octets->data, w.octets->len));
    frame_change_octets(of_deviation, &w);
    frame_change_octets(c->changes, &w);
    c->changes = NULL;
    if (!c->doomed)
        segment_keep(c, role, w.ulpdu, w.plan.ulpdu_length);
    c->fpdus[role]++;
    mpa_write_octets(c, role, w.octets->data, w.octets->len, &w.how);
    g_byte_array_unref(w.octets);
    c->stage->deviated |= of_deviation != NULL;
    if (of_deviation && deviation->aftermath != GOES_ON && !c->doomed) {
        c->doomed = true;
        c->offender = role;
        c->doom = deviation->more;
        if (c->doom == 0)
            say_aftermath(c, role);
    } else if (c->doomed && --c->doom == 0) {
        say_aftermath(c, role);
    }
}

/* ---- the carrier ---- */

static struct sim_life *life_mpa(const struct conversation *c)
{
    return sim_life(c->tcp);
}

static uint64_t all_of_peer_mpa(const struct conversation *c, enum role role)
{
    return sim_all_of_peer(c->tcp, c->side[role]);
}

void say_message_in_fpdus(struct conversation *c, enum role role, const struct message *message)
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

static void write_mpa(struct conversation *c, enum role role, const uint8_t *p, size_t n, const struct sim_how *how)
{
    sim_write(c->tcp, c->side[role], p, n, how);
}

static uint64_t written_mpa(const struct conversation *c, enum role role)
{
    return sim_written(c->tcp, c->side[role]);
}

const struct carrier carrier_mpa = {
    .name = "iwarp",
    .connect = connect_mpa,
    .life = life_mpa,
    .all_of_peer = all_of_peer_mpa,
    .startup = say_own_startup,
    .message = say_message_in_fpdus,
    .silence = silence_mpa,
    .end = end_mpa,
    .capturing = capturing_mpa,
    .write = write_mpa,
    .written = written_mpa,
};
