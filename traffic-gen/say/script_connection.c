// SPDX-License-Identifier: GPL-2.0-or-later
/* The connections of a script: what is negotiated on them, how they begin and end. */
#include "traffic-gen/say/script_internal.h"
#include "traffic-gen/say/setups.h"

#include <stdlib.h>
#include <string.h>

enum { MSS_MIN = 64, FIRST_PORT = 40001 };

static const int64_t millisecond = 1000000;

/* ---- words ---- */

const char *script_value(char **words, const char *name)
{
    size_t n = strlen(name);

    for (unsigned i = 0; words[i]; i++) {
        if (strncmp(words[i], name, n) == 0 && words[i][n] == '=')
            return words[i] + n + 1;
    }
    return NULL;
}

unsigned script_number(char **words, const char *name, unsigned otherwise)
{
    const char *value = script_value(words, name);

    return value ? (unsigned)strtoul(value, NULL, 0) : otherwise;
}

bool script_has(char **words, const char *word)
{
    return g_strv_contains((const char *const *)words, word);
}

/* ---- start-up ---- */

/* The capture does not hold the startup, and the messages since then were so many as msn says. */
static void begin_late(struct script_player *player)
{
    struct conversation *c = player->conversation;

    say_capturing(c, INITIATOR, false, &(struct sim_how){0});
    say_startup(c);
    say_send(c, INITIATOR, 10);
    say_send(c, RESPONDER, 10);
    for (unsigned role = 0; role < 2; role++) {
        for (unsigned qn = 0; qn < 4; qn++)
            c->msn[role][qn] = qn == DDP_QN_TERMINATE ? 0 : player->late_msn;
    }

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
            say_streaming(player->conversation, role, player->before[role]->data, player->before[role]->len);
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
    if (player->unseen)
        say_capturing(c, player->setup.responder_opens ? RESPONDER : INITIATOR, false, NULL);
    say_startup(c);
}

GByteArray *script_octets(const struct script_player *player, const char *hex)
{
    GByteArray *octets = g_byte_array_new();

    for (; hex[0] && hex[1]; hex += 2) {
        uint8_t octet = (uint8_t)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));

        if (!g_ascii_isxdigit(hex[0]) || !g_ascii_isxdigit(hex[1]))
            words_give_up(player->text, hex);
        g_byte_array_append(octets, &octet, 1);
    }
    return octets;
}

/* What was said in streaming mode (RFC 5044 section 7.1.3). */
static void set_before(struct script_player *player, enum role role, const char *hex)
{
    if (player->before[role])
        g_byte_array_unref(player->before[role]);
    player->before[role] = script_octets(player, hex);
}

static void change_flag(uint8_t *flags, uint8_t flag, const char *value)
{
    if (value)
        *flags = (uint8_t)(strcmp(value, "0") == 0 ? *flags & ~flag : *flags | flag);
}

/* A word about one side: its name and I or R. */
static const char *value_of_side(char **words, const char *name, enum role role)
{
    char own[24];

    g_snprintf(own, sizeof own, "%s%c", name, role == INITIATOR ? 'I' : 'R');
    return script_value(words, own);
}

/* What differs between the sides. */
static void apply_side(struct conversation_setup *setup, enum role role, char **words)
{
    struct startup_wish *wish = &setup->wish[role];
    const struct {
        const char *name;
        uint8_t flag;
    } flags[] = {{"crc", MPA_FLAG_C}, {"markers", MPA_FLAG_M}, {"reject", MPA_FLAG_R}};
    const char *value;

    for (unsigned i = 0; i < G_N_ELEMENTS(flags); i++)
        change_flag(&wish->flags, flags[i].flag, value_of_side(words, flags[i].name, role));
    if ((value = value_of_side(words, "rev", role)))
        wish->revision = (uint8_t)strtoul(value, NULL, 0);
    if ((value = value_of_side(words, "ird", role)))
        wish->enhanced.ird = (uint16_t)strtoul(value, NULL, 0);
    if ((value = value_of_side(words, "ord", role)))
        wish->enhanced.ord = (uint16_t)strtoul(value, NULL, 0);
    if ((value = value_of_side(words, "rtr", role))) {
        wish->enhanced.rtr = (uint8_t)strtoul(value, NULL, 0);
        wish->enhanced.peer_to_peer = wish->enhanced.rtr != 0;
    }
    /* What RPC-over-RDMA says in it has a length of its own. */
    if (!wish->ulp_data && (value = value_of_side(words, "data", role)))
        wish->ulp_length = (uint16_t)MIN(strtoul(value, NULL, 0), MPA_PRIVATE_DATA_MAX);
    if ((value = value_of_side(words, "isn", role)))
        setup->isn[(role == RESPONDER) != setup->responder_opens] = (uint32_t)strtoul(value, NULL, 0);
}

void script_with(struct script_player *player, char **words)
{
    struct conversation_setup *setup = &player->setup;
    unsigned ulpdu_max = script_number(words, "mulpdu", 0), mss = script_number(words, "mss", 0);

    if (script_has(words, "rpcrdma") || script_has(words, "nfs"))
        rpc_script_setup(&player->rpc, setup, &(struct words){.text = player->text, .list = words});
    else if (script_has(words, "rev0"))
        *setup = setup_rev0;
    else if (script_has(words, "rev2"))
        *setup = setup_rev2;
    else if (script_has(words, "no-crc"))
        *setup = setup_rev1_no_crc;
    else if (script_has(words, "markers"))
        *setup = setup_rev1_markers;
    if (script_value(words, "port"))
        setup->service_port = (uint16_t)script_number(words, "port", 0);
    setup->responder_opens = script_has(words, "responder-opens");
    for (unsigned role = 0; role < 2; role++)
        apply_side(setup, role, words);
    if (script_value(words, "ird"))
        setup->wish[RESPONDER].enhanced.ird = setup->wish[INITIATOR].enhanced.ord =
            (uint16_t)script_number(words, "ird", 0);
    if (script_value(words, "beforeI"))
        set_before(player, INITIATOR, script_value(words, "beforeI"));
    if (script_value(words, "beforeR"))
        set_before(player, RESPONDER, script_value(words, "beforeR"));
    player->late = script_has(words, "late");
    player->unseen = script_has(words, "unseen");
    player->late_msn = script_number(words, "msn", 0);
    if ((ulpdu_max && ulpdu_max < SCRIPT_ULPDU_MIN) || ulpdu_max > MPA_ULPDU_MAX || mss > UINT16_MAX ||
        (mss && mss < MSS_MIN))
        words_give_up(player->text, "with");
    setup->segment_max = script_number(words, "segments", 0);
    setup->ulpdu_max = (uint16_t)ulpdu_max;
    setup->mss[0] = setup->mss[1] = (uint16_t)mss;
}

void script_close(struct script_player *player)
{
    struct conversation *c = player->conversation;

    uncork(c, INITIATOR);
    uncork(c, RESPONDER);
    if (!player->hangs && !player->ended)
        say_close(c, player->closer);
}

void script_next(struct script_player *player, char **words)
{
    struct conversation *before;
    bool parallel = script_has(words, "parallel");

    script_start(player); /* nothing may have been said in it */
    before = player->conversation;
    script_close(player);
    if (script_has(words, "with")) {
        player->setup = setup_rev1;
        player->late = player->unseen = false;
        script_with(player, words);
    }
    player->connections++;
    player->setup.after = parallel ? NULL : before;
    if (!parallel)
        player->setup.port = FIRST_PORT;
    if (!parallel && !script_has(words, "with")) {
        player->setup.isn[0] = 0x51000000 + player->connections * 0x01234567u;
        player->setup.isn[1] = 0x62000000 + player->connections * 0x02345671u;
    }
    player->conversation = NULL;
    player->started = player->ended = player->hangs = false;
    player->closer = INITIATOR;
    if (!script_has(words, "with"))
        script_start(player);
}
