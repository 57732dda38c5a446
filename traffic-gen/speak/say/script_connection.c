// SPDX-License-Identifier: GPL-2.0-or-later
/* The connections of a script: their negotiated parameters, start and end. */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/setups.h"
#include "traffic-gen/speak/say/verb.h"

#include <string.h>

/* A larger number of octets is taken for a typing error. */
enum { MSS_MIN = 64, FIRST_PORT = 40001, LENGTH_MAX = 65000 /* of a segment */ };

static const int64_t millisecond = 1000000;

/* ---- start-up ---- */

/* The capture lacks the start-up, and msn says how many messages came since then. */
static void begin_late(struct script_player *player)
{
    struct conversation *c = player->conversation;

    say_capturing(c, INITIATOR, false, &(struct sim_how){0});
    say_startup(c);
    for (unsigned role = 0; role < 2; role++) {
        for (unsigned qn = 0; qn < 4; qn++)
            c->msn[role][qn] = qn == DDP_QN_TERMINATE ? 0 : player->late_msn;
        c->msn[role]
              [DDP_QN_SEND]--; /* the next two Sends are the latest of them, and may be captured when sent again */
    }
    say_plain(c, INITIATOR, RDMAP_SEND, 10);
    say_plain(c, RESPONDER, RDMAP_SEND, 10);

    struct sim_how how = orderly(c, INITIATOR);

    how.delay_ns = millisecond;
    say_capturing(c, INITIATOR, true, &how);
}

void script_open(struct script_player *player)
{
    if (player->conversation)
        return;
    player->conversation = conversation_new(player->stage, &player->setup);
    for (unsigned role = 0; role < 2; role++) {
        if (player->before[role])
            say_octets(player->conversation, role, player->before[role]->data, player->before[role]->len);
    }
}

void script_start(struct script_player *player)
{
    struct conversation *c;

    script_open(player);
    if (player->started)
        return;
    player->started = true;
    c = player->conversation;
    if (player->late) {
        begin_late(player);
        return;
    }
    if (player->setup.no_mpa)
        return;
    if (player->unseen)
        say_capturing(c, player->setup.responder_opens ? RESPONDER : INITIATOR, false, NULL);
    say_startup(c);
}

/* Sends octets in streaming mode (RFC 5044 section 7.1.3). */
static void set_before(struct script_player *player, enum role role, struct words *words)
{
    const char *hex = words_value(words, role == INITIATOR ? "beforeI" : "beforeR");

    if (!hex)
        return;
    if (player->before[role])
        g_byte_array_unref(player->before[role]);
    player->before[role] = words_octets(words, hex);
}

/* A word for one side: its name and I or R. */
static bool given_of_side(struct words *words, const char *name, enum role role, uint64_t *value)
{
    char own[24];

    g_snprintf(own, sizeof own, "%s%c", name, role == INITIATOR ? 'I' : 'R');
    if (!words_given(words, own))
        return false;
    *value = words_number(words, own, 0);
    return true;
}

/* Applies the words that differ between the sides. */
static void apply_side(struct conversation_setup *setup, enum role role, struct words *words)
{
    struct startup_wish *wish = &setup->wish[role];
    const struct {
        const char *name;
        uint8_t flag;
    } flags[] = {{"crc", MPA_FLAG_C}, {"markers", MPA_FLAG_M}, {"reject", MPA_FLAG_R}};
    uint64_t value;

    if (given_of_side(words, "flags", role, &value))
        wish->flags = (uint8_t)value;
    for (unsigned i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (given_of_side(words, flags[i].name, role, &value))
            wish->flags = (uint8_t)(value ? wish->flags | flags[i].flag : wish->flags & ~flags[i].flag);
    }
    if (given_of_side(words, "rev", role, &value))
        wish->revision = (uint8_t)value;
    if (given_of_side(words, "ird", role, &value))
        wish->enhanced.ird = (uint16_t)value;
    if (given_of_side(words, "ord", role, &value))
        wish->enhanced.ord = (uint16_t)value;
    if (given_of_side(words, "rtr", role, &value)) {
        wish->enhanced.rtr = (uint8_t)value;
        wish->enhanced.peer_to_peer = wish->enhanced.rtr != 0;
    }
    if (given_of_side(words, "a", role, &value))
        wish->enhanced.peer_to_peer = value != 0;
    /* Private Data of RPC-over-RDMA can only be cut. */
    if (given_of_side(words, "data", role, &value))
        wish->ulp_length = (uint16_t)MIN(value, wish->ulp_data ? wish->ulp_length : (unsigned)MPA_PRIVATE_DATA_MAX);
    if (given_of_side(words, "isn", role, &value))
        setup->isn[(role == RESPONDER) != setup->responder_opens] = (uint32_t)value;
}

/* The negotiation before other words change it. */
static void choose_setup(struct script_player *player, struct words *words)
{
    const struct {
        const char *name;
        const struct conversation_setup *setup;
    } revisions[] = {{"rev0", &setup_rev0}, {"rev1", &setup_rev1}, {"rev2", &setup_rev2}};
    bool no_crc, markers;

    if (words_have(words, "rpcrdma") || words_have(words, "nfs")) {
        rpc_script_setup(&player->rpc, &player->setup, words);
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(revisions); i++) {
        if (words_have(words, revisions[i].name))
            player->setup = *revisions[i].setup;
    }
    no_crc = words_have(words, "no-crc");
    markers = words_have(words, "markers");
    for (unsigned role = 0; role < 2; role++) {
        uint8_t *flags = &player->setup.wish[role].flags;

        *flags = (uint8_t)((no_crc ? *flags & ~MPA_FLAG_C : *flags) | (markers ? MPA_FLAG_M : 0));
    }
}

void setup_change(struct conversation_setup *setup, struct words *words)
{
    uint64_t ulpdu_max = words_number(words, "mulpdu", setup->ulpdu_max), mss = words_number(words, "mss", 0);
    uint64_t segment_max = words_number_within(words, "segments", setup->segment_max, 0, LENGTH_MAX);

    if (words_given(words, "port"))
        setup->service_port = (uint16_t)words_number(words, "port", 0);
    setup->responder_opens |= words_have(words, "responder-opens");
    for (unsigned role = 0; role < 2; role++)
        apply_side(setup, role, words);
    if (words_given(words, "ird"))
        setup->wish[RESPONDER].enhanced.ird = setup->wish[INITIATOR].enhanced.ord =
            (uint16_t)words_number(words, "ird", 0);
    if (ulpdu_max)
        words_in_range(words, "mulpdu", ulpdu_max, SCRIPT_ULPDU_MIN, MPA_ULPDU_MAX);
    if (mss)
        words_in_range(words, "mss", mss, MSS_MIN, UINT16_MAX);
    setup->segment_max = (uint32_t)segment_max;
    setup->ulpdu_max = (uint16_t)ulpdu_max;
    if (mss)
        setup->mss[0] = setup->mss[1] = (uint16_t)mss;
    setup->no_sack |= words_have(words, "no-sack");
    setup->no_df |= words_have(words, "no-df");
    setup->plain |= words_have(words, "plain");
}

static void set_up(struct script_player *player, struct words *words)
{
    choose_setup(player, words);
    setup_change(&player->setup, words);
    for (unsigned role = 0; role < 2; role++)
        set_before(player, role, words);
    player->late = words_have(words, "late");
    player->unseen = words_have(words, "unseen");
    player->setup.no_mpa = words_have(words, "no-mpa");
    player->late_msn = (uint32_t)words_number(words, "msn", 0);
}

/* The stage took the MTU from the first statement; here it is only checked. */
static void say_with(struct saying *s)
{
    if (s->player->conversation)
        words_refuse_because(&s->words, "with", "the connection has begun; 'next with' begins another one");
    else if (!s->player->begun)
        words_number_within(&s->words, "mtu", 0, SCRIPT_MTU_MIN, SCRIPT_MTU_MAX);
    set_up(s->player, &s->words);
}

void script_close(struct script_player *player)
{
    struct conversation *c = player->conversation;

    uncork(c, INITIATOR);
    uncork(c, RESPONDER);
    if (!player->hangs && !player->ended)
        say_close(c, player->closer);
}

static void connection_say_next(struct saying *s)
{
    struct script_player *player = s->player;
    struct conversation *before;
    bool parallel = words_have(&s->words, "parallel"), with = words_have(&s->words, "with");

    script_start(player); /* nothing may have been sent on it */
    before = player->conversation;
    script_close(player);
    if (with) {
        player->setup = setup_rev1;
        player->late = player->unseen = false;
        set_up(player, &s->words);
    }
    player->connections++;
    player->setup.after = parallel ? NULL : before;
    if (!parallel)
        player->setup.port = FIRST_PORT;
    if (!parallel && !with) {
        player->setup.isn[0] = 0x51000000 + player->connections * 0x01234567u;
        player->setup.isn[1] = 0x62000000 + player->connections * 0x02345671u;
    }
    player->conversation = NULL;
    player->started = player->ended = player->hangs = false;
    player->closer = INITIATOR;
    if (!with)
        script_start(player);
}

/* ---- verbs ---- */

static void say_stream(struct saying *s)
{
    const char *hex = words_first(&s->words);
    GByteArray *octets = words_octets(&s->words, hex ? hex : "");

    if (words_good(&s->words))
        say_octets(s->c, s->role, octets->data, octets->len);
    g_byte_array_unref(octets);
}

/* Sends the Request; a Responder may send one too, which does not change its state. */
static void say_mpa_request(struct saying *s)
{
    struct mpa_startup frame;

    s->player->started = true;
    if (s->role == INITIATOR) {
        say_request(s->c);
        return;
    }
    startup_frame_init(s->c, INITIATOR, &frame);
    say_startup_frame(s->c, s->role, &frame);
}

static void say_mpa_reply(struct saying *s)
{
    s->player->started = true;
    say_reply(s->c);
}

/* Sends one FPDU with these octets as ULPDU. */
static void say_octets_as_fpdu(struct saying *s)
{
    const char *hex = words_first(&s->words);
    GByteArray *octets = words_octets(&s->words, hex ? hex : "");

    if (octets->len > MPA_ULPDU_MAX)
        words_refuse_because(&s->words, s->verb->name, "a ULPDU has at most 64768 octets");
    if (words_end(&s->words))
        say_fpdu(s->c, s->role, octets->data, (uint16_t)octets->len);
    g_byte_array_unref(octets);
}

/* Reads hex=HEX, len=N with value=N, or len=N octets of the stream again, from `from` on; refuses anything else. */
static GByteArray *octets_of_segment(struct saying *s, uint64_t from)
{
    struct words *words = &s->words;
    const char *hex = words_value(words, "hex");
    uint64_t n = words_number(words, "len", 0);
    GByteArray *octets = hex ? words_octets(words, hex) : g_byte_array_sized_new(LENGTH_MAX);
    bool again = !hex && !words_given(words, "value");

    if (octets->len > LENGTH_MAX)
        words_refuse_because(words, "hex", "a segment has at most 65000 octets");
    if (n > LENGTH_MAX || (again && from + n > sim_written(s->c->tcp, s->c->side[s->role])))
        words_refuse(words, "len");
    if (hex || !words_good(words))
        return octets;
    g_byte_array_set_size(octets, (guint)n);
    if (again && n > 0)
        memcpy(octets->data, sim_stream(s->c->tcp, s->c->side[s->role]) + from, n);
    else
        memset(octets->data, (int)words_number(words, "value", 0), n);
    return octets;
}

/* Sends a segment outside orderly TCP, at=N octets from the next octet of the stream. */
static void connection_say_segment(struct saying *s)
{
    struct conversation *c = s->c;
    struct words *words = &s->words;
    unsigned side = c->side[s->role];

    if (!c->tcp) {
        words_refuse_because(words, s->verb->name, "it belongs to TCP");
        return;
    }

    uint64_t next = sim_written(c->tcp, side);
    int64_t at = (int64_t)(words_number(words, "at", 0) + words_number(words, "step", 0) * s->index);
    struct sim_raw raw = {.offset = next + (uint64_t)at,
                          .ack_delta = (int64_t)words_number(words, "ack", 0),
                          .zero_window = words_have(words, "zero-window"),
                          .flags = words_have(words, "push")  ? SEG_ACK | SEG_PSH
                                   : words_have(words, "rst") ? SEG_RST
                                                              : 0};
    struct sim_how how = take_how(c, s->role);
    GByteArray *octets;

    if (at < -(int64_t)next || at > LENGTH_MAX) {
        words_refuse(words, "at");
        return;
    }
    if (raw.flags == SEG_RST)
        s->player->ended = c->over = true;
    octets = octets_of_segment(s, raw.offset);
    raw.p = octets->data;
    raw.n = octets->len;
    c->stage->octets += raw.n;
    if (words_end(words))
        sim_raw(c->tcp, side, &raw, &how);
    g_byte_array_unref(octets);
}

static void say_silence(struct saying *s)
{
    say_nothing(s->c, s->role, (int64_t)words_number(&s->words, "wait", 1) * millisecond);
}

static void say_cork(struct saying *s)
{
    cork(s->c, s->role);
}

static void say_uncork(struct saying *s)
{
    uncork(s->c, s->role);
}

static void say_verb_fin(struct saying *s)
{
    say_fin(s->c, s->role);
    s->player->ended = true;
}

static void say_verb_reset(struct saying *s)
{
    say_reset(s->c, s->role);
    s->player->ended = true;
}

static void say_verb_close(struct saying *s)
{
    say_close(s->c, s->role);
    s->player->ended = true;
}

static void say_hang(struct saying *s)
{
    s->player->hangs = true;
}

/* Messages in both directions: every PAD length, several segments in a message, several FPDUs in a segment. */
static void say_mixed_traffic(struct saying *s)
{
    static const char mixed[] =
        "I send len=24; R send len=48; "
        "I send len=25; R send len=30; I send len=26; R send len=29; I send len=27; R send len=28; I send len=28; "
        "R send len=27; "
        "I write len=3000; I send-se len=16; I read size=4000; R answer; R write len=3000; R send-inv len=20; "
        "I cork; I 5* send len=40 longer=3; I uncork; "
        "R send len=100; I send len=5000; R send len=0";
    g_autoptr(GPtrArray) statements = script_parse(s->verb->name, mixed, &s->player->error);
    bool plain = s->c->plain;

    s->c->plain = true;
    for (unsigned i = 0; statements && i < statements->len && script_say(s->player, statements->pdata[i]); i++)
        ;
    s->c->plain = plain;
}

/* RFC 6581 section 9.2: a zero-length Send, Write or Read. */
static void say_ready(struct saying *s)
{
    const struct {
        const char *name;
        enum rdmap_opcode opcode;
    } types[] = {{"send", RDMAP_SEND}, {"write", RDMAP_WRITE}, {"read", RDMAP_READ_REQUEST}};
    const char *name = words_first(&s->words);

    for (unsigned i = 0; name && i < G_N_ELEMENTS(types); i++) {
        if (strcmp(types[i].name, name) != 0)
            continue;
        say_plain(s->c, s->role, types[i].opcode, 0);
        if (types[i].opcode == RDMAP_READ_REQUEST)
            say_plain(s->c, s->role == INITIATOR ? RESPONDER : INITIATOR, RDMAP_READ_RESPONSE, 0);
        return;
    }
    words_refuse(&s->words, name ? name : s->verb->name);
}

static void say_hide(struct saying *s)
{
    struct sim_how how = orderly(s->c, s->role);

    say_capturing(s->c, s->role, false, &how);
}

static void say_show(struct saying *s)
{
    struct sim_how how = orderly(s->c, s->role);

    say_capturing(s->c, s->role, true, &how);
}

const struct verb connection_verbs[] = {
    {.name = "with", .say = say_with, .time = BETWEEN_CONNECTIONS},
    {.name = "next", .say = connection_say_next, .time = BETWEEN_CONNECTIONS},
    {.name = "stream", .say = say_stream, .time = STARTUP},
    {.name = "mpa-request", .say = say_mpa_request, .time = STARTUP},
    {.name = "mpa-reply", .say = say_mpa_reply, .time = STARTUP},
    {.name = "fpdu", .say = say_octets_as_fpdu},
    {.name = "segment", .say = connection_say_segment},
    {.name = "silence", .say = say_silence},
    {.name = "cork", .say = say_cork},
    {.name = "uncork", .say = say_uncork},
    {.name = "fin", .say = say_verb_fin},
    {.name = "rst", .say = say_verb_reset},
    {.name = "close", .say = say_verb_close},
    {.name = "hang", .say = say_hang},
    {.name = "traffic", .say = say_mixed_traffic},
    {.name = "rtr", .say = say_ready},
    {.name = "hide", .say = say_hide},
    {.name = "show", .say = say_show},
    {.name = NULL},
};
