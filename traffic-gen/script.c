// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/script.h"

#include "traffic-gen/operations.h"
#include "traffic-gen/rpc_script.h"
#include "traffic-gen/setups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More octets than these are a slip of who wrote them; a ULPDU must have room for a header and an octet. */
enum { CHANGES_MAX = 16, LENGTH_MAX = 1 << 26, ULPDU_LIMIT_MIN = 32, MSS_MIN = 64 };

static const int64_t millisecond = 1000000;

struct octet_change {
    unsigned offset;
    uint8_t value;
};

/* What is done to the octets of a ULPDU. */
struct ulpdu_changes {
    struct octet_change octets[CHANGES_MAX];
    unsigned n;
    uint16_t cut, grow;
};

struct script_player {
    struct stage *stage;
    const char *text;
    struct conversation_setup setup;
    struct conversation *conversation;
    bool late; /* the capture begins in the middle */
    uint32_t late_msn;
    unsigned connections; /* that were before */
    bool hangs, ended;
    enum role closer;      /* closes at the end */
    GByteArray *before[2]; /* octets in front of the startup frames; NULL: none */
    struct rpc_script rpc;
};

struct statement {
    struct script_player *player;
    enum role role;
    unsigned index; /* of repetitions */
    struct message message;
    struct ulpdu_changes changes;
    const char *text;
};

/* ---- fields ---- */

struct field {
    const char *name;
    size_t offset; /* in struct message */
    uint8_t size;
    bool flag; /* a bool has no other values than two */
};

#define FIELD(name_, member)                                                                                           \
    {                                                                                                                  \
        name_, offsetof(struct message, member), sizeof(((struct message *)NULL)->member),                             \
            _Generic(((struct message *)NULL)->member, bool                                                            \
                     : true, default                                                                                   \
                     : false)                                                                                          \
    }
#define DDP_FIELDS(prefix, base)                                                                                       \
    FIELD(prefix "t", base.tagged), FIELD(prefix "l", base.last), FIELD(prefix "rsvd", base.rsvd),                     \
        FIELD(prefix "dv", base.dv), FIELD(prefix "rv", base.rv), FIELD(prefix "rsv", base.rdmap_rsv),                 \
        FIELD(prefix "op", base.opcode), FIELD(prefix "stag", base.stag), FIELD(prefix "to", base.to),                 \
        FIELD(prefix "qn", base.qn), FIELD(prefix "msn", base.msn), FIELD(prefix "mo", base.mo)
#define READ_FIELDS(base)                                                                                              \
    FIELD("sink", base.sink_stag), FIELD("sinkto", base.sink_to), FIELD("size", base.size),                            \
        FIELD("src", base.source_stag), FIELD("srcto", base.source_to)

static const struct field common_fields[] = {DDP_FIELDS("", segment), FIELD("len", length), FIELD("value", value),
                                             FIELD("ulpdu", limit)};
static const struct field read_fields[] = {READ_FIELDS(read)};
static const struct field atomic_fields[] = {FIELD("word0", atomic.reserved),
                                             FIELD("aop", atomic.opcode),
                                             FIELD("id", atomic.identifier),
                                             FIELD("astag", atomic.stag),
                                             FIELD("ato", atomic.to),
                                             FIELD("data", atomic.data),
                                             FIELD("mask", atomic.mask),
                                             FIELD("cdata", atomic.compare_data),
                                             FIELD("cmask", atomic.compare_mask)};
static const struct field result_fields[] = {FIELD("id", response.identifier), FIELD("orig", response.original)};
static const struct field immediate_fields[] = {FIELD("data", immediate)};
static const struct field terminate_fields[] = {FIELD("layer", terminate.layer),
                                                FIELD("etype", terminate.etype),
                                                FIELD("code", terminate.code),
                                                FIELD("m", terminate.m),
                                                FIELD("d", terminate.d),
                                                FIELD("r", terminate.r),
                                                FIELD("res", terminate.reserved),
                                                FIELD("tlen", terminate.segment_length),
                                                FIELD("have-len", terminate.has_length),
                                                FIELD("have-ddp", terminate.has_ddp),
                                                FIELD("have-read", terminate.has_read),
                                                DDP_FIELDS("e.", terminate.ddp),
                                                READ_FIELDS(terminate.read)};

struct field_set {
    const struct field *fields;
    unsigned n;
};

#define SET_OF(fields_)                                                                                                \
    {                                                                                                                  \
        fields_, G_N_ELEMENTS(fields_)                                                                                 \
    }

static const struct field_set common_set = SET_OF(common_fields), read_set = SET_OF(read_fields),
                              atomic_set = SET_OF(atomic_fields), result_set = SET_OF(result_fields),
                              immediate_set = SET_OF(immediate_fields), terminate_set = SET_OF(terminate_fields);

static bool change_field(const struct field_set *set, struct message *message, const char *name, size_t name_len,
                         char how, uint64_t value)
{
    for (unsigned i = 0; set && i < set->n; i++) {
        const struct field *field = &set->fields[i];
        uint8_t *at = (uint8_t *)message + field->offset;
        uint64_t old = 0;

        if (strlen(field->name) != name_len || memcmp(field->name, name, name_len) != 0)
            continue;
        /* Members are copied as what they are, so that this holds for either order of octets. */
        switch (field->size) {
        case 1:
            old = *at;
            break;
        case 2:
            old = *(uint16_t *)(void *)at;
            break;
        case 4:
            old = *(uint32_t *)(void *)at;
            break;
        default:
            old = *(uint64_t *)(void *)at;
            break;
        }
        value = how == '=' ? value : how == '+' ? old + value : old - value;
        if (field->flag)
            value &= 1;
        switch (field->size) {
        case 1:
            *at = (uint8_t)value;
            break;
        case 2:
            *(uint16_t *)(void *)at = (uint16_t)value;
            break;
        case 4:
            *(uint32_t *)(void *)at = (uint32_t)value;
            break;
        default:
            *(uint64_t *)(void *)at = value;
            break;
        }
        return true;
    }
    return false;
}

/* ---- messages ---- */

static const struct verb {
    const char *name;
    enum rdmap_opcode opcode;
    const struct field_set *fields;
    enum rdmap_atomic_opcode atomic;
} verbs[] = {
    {"write", RDMAP_WRITE, NULL, 0},
    {"read", RDMAP_READ_REQUEST, &read_set, 0},
    {"answer", RDMAP_READ_RESPONSE, NULL, 0},
    {"send", RDMAP_SEND, NULL, 0},
    {"send-inv", RDMAP_SEND_INVALIDATE, NULL, 0},
    {"send-se", RDMAP_SEND_SE, NULL, 0},
    {"send-se-inv", RDMAP_SEND_SE_INVALIDATE, NULL, 0},
    {"term", RDMAP_TERMINATE, &terminate_set, 0},
    {"imm", RDMAP_IMMEDIATE, &immediate_set, 0},
    {"imm-se", RDMAP_IMMEDIATE_SE, &immediate_set, 0},
    {"fadd", RDMAP_ATOMIC_REQUEST, &atomic_set, RDMAP_ATOMIC_FETCH_ADD},
    {"cswap", RDMAP_ATOMIC_REQUEST, &atomic_set, RDMAP_ATOMIC_CMP_SWAP},
    {"result", RDMAP_ATOMIC_RESPONSE, &result_set, 0},
};

static void spoil_crc(struct fpdu_write *w)
{
    w->octets->data[w->octets->len - 1] ^= 0x01;
}

static void change_ulpdu(void *context, uint8_t *ulpdu, uint16_t *n)
{
    const struct ulpdu_changes *changes = context;

    unsigned grow = MIN(changes->grow, MPA_ULPDU_MAX - MIN(*n, MPA_ULPDU_MAX));

    if (changes->cut && changes->cut < *n)
        *n = changes->cut;
    memset(ulpdu + *n, 0, grow);
    *n = (uint16_t)(*n + grow);
    for (unsigned i = 0; i < changes->n; i++)
        ulpdu[changes->octets[i].offset] = changes->octets[i].value;
}

/* "/" separated: layer, error type, error code in hexadecimal, as rules and notes write them. */
static unsigned terminate_value(const char *text, const char *word)
{
    unsigned layer, etype, code;

    if (sscanf(word, "%x/%x/%x", &layer, &etype, &code) != 3)
        words_give_up(text, word);
    return layer << 12 | etype << 8 | code;
}

static const char *value_word(char **words, const char *name)
{
    size_t n = strlen(name);

    for (unsigned i = 0; words[i]; i++) {
        if (strncmp(words[i], name, n) == 0 && words[i][n] == '=')
            return words[i] + n + 1;
    }
    return NULL;
}

static unsigned number_word(char **words, const char *name, unsigned otherwise)
{
    const char *value = value_word(words, name);

    return value ? (unsigned)strtoul(value, NULL, 0) : otherwise;
}

static void apply_word(struct statement *s, const struct verb *verb, const char *word)
{
    size_t name_len = strcspn(word, "=+-");
    struct conversation *c = s->player->conversation;
    static const char *const dashed[] = {"have-len", "have-ddp", "have-read"};
    char *end;

    if (strcmp(word, "keep") == 0) {
        s->message.keeps_memory = true;
        return;
    }
    if (strcmp(word, "bad-crc") == 0) {
        c->spoil = spoil_crc;
        return;
    }
    if (strcmp(word, "fresh") == 0 || strcmp(word, "early") == 0)
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(dashed); i++) {
        if (g_str_has_prefix(word, dashed[i]))
            name_len = strlen(dashed[i]);
    }
    if (!word[name_len])
        words_give_up(s->text, word);

    uint64_t value = g_ascii_strtoull(word + name_len + 1, &end, 0);

    if (*end || end == word + name_len + 1)
        words_give_up(s->text, word);
    if (strncmp(word, "wait=", 5) == 0 || strncmp(word, "back=", 5) == 0 || strncmp(word, "stride=", 7) == 0 ||
        strncmp(word, "of=", 3) == 0)
        return;
    if (strncmp(word, "cut=", 4) == 0) {
        s->changes.cut = (uint16_t)value;
    } else if (strncmp(word, "grow=", 5) == 0) {
        s->changes.grow = (uint16_t)value;
    } else if (word[0] == '@' && s->changes.n < CHANGES_MAX) {
        unsigned long offset = strtoul(word + 1, NULL, 0);

        if (offset >= ULPDU_ROOM)
            words_give_up(s->text, word);
        s->changes.octets[s->changes.n++] = (struct octet_change){(unsigned)offset, (uint8_t)value};
    } else if (!change_field(verb->fields, &s->message, word, name_len, word[name_len], value) &&
               !change_field(&common_set, &s->message, word, name_len, word[name_len], value)) {
        words_give_up(s->text, word);
    }
    if (strncmp(word, "value", 5) == 0)
        s->message.has_value = true;
}

static bool has_word(char **words, const char *word)
{
    return g_strv_contains((const char *const *)words, word);
}

static void say_verb(struct statement *s, const struct verb *verb, char **words)
{
    struct conversation *c = s->player->conversation;
    struct message *message = &s->message;
    unsigned stride = number_word(words, "stride", 0);

    *message = (struct message){.answers = number_word(words, "of", 0), .fresh = has_word(words, "fresh")};
    message_init(c, s->role, verb->opcode, message);
    message->atomic.opcode = (uint8_t)verb->atomic;
    if (verb->opcode == RDMAP_ATOMIC_REQUEST && verb->atomic == RDMAP_ATOMIC_CMP_SWAP)
        message->atomic.mask = UINT64_MAX;
    if (verb->opcode == RDMAP_TERMINATE) {
        if (!words[0])
            words_give_up(s->text, verb->name);
        message_accuse(c, s->role, terminate_value(s->text, words[0]), number_word(words, "back", 0), message);
        s->player->closer = s->role;
        words++;
    }
    for (; *words; words++)
        apply_word(s, verb, *words);
    if (message->length > LENGTH_MAX || (message->limit && message->limit < ULPDU_LIMIT_MIN))
        words_give_up(s->text, verb->name);
    message->read.sink_stag += s->index * stride;
    say_message_changed(c, s->role, message, change_ulpdu, &s->changes);
}

/* ---- statements ---- */

/* The capture does not hold the startup, and the messages since then were so many as msn says. */
static void begin_late(struct script_player *player)
{
    struct conversation *c = player->conversation;

    sim_capturing(c->tcp, c->side[INITIATOR], false, &(struct sim_how){0});
    say_startup(c);
    say_send(c, INITIATOR, 10);
    say_send(c, RESPONDER, 10);
    for (unsigned role = 0; role < 2; role++) {
        for (unsigned qn = 0; qn < 4; qn++)
            c->msn[role][qn] = qn == DDP_QN_TERMINATE ? 0 : player->late_msn;
    }

    struct sim_how how = orderly(c, INITIATOR);

    how.delay_ns = millisecond;
    sim_capturing(c->tcp, c->side[INITIATOR], true, &how);
}

static void begin(struct script_player *player)
{
    if (player->conversation)
        return;
    player->conversation = conversation_new(player->stage, &player->setup);
    for (unsigned role = 0; role < 2; role++) {
        if (player->before[role])
            say_streaming(player->conversation, role, player->before[role]->data, player->before[role]->len);
    }
    if (player->late)
        begin_late(player);
    else
        say_startup(player->conversation);
}

/* What was said in streaming mode (RFC 5044 section 7.1.3). */
static void set_before(struct script_player *player, enum role role, const char *hex)
{
    player->before[role] = g_byte_array_new();
    for (; hex[0] && hex[1]; hex += 2) {
        uint8_t octet = (uint8_t)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));

        if (!g_ascii_isxdigit(hex[0]) || !g_ascii_isxdigit(hex[1]))
            words_give_up(player->text, hex);
        g_byte_array_append(player->before[role], &octet, 1);
    }
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

    g_snprintf(own, sizeof(own), "%s%c", name, role == INITIATOR ? 'I' : 'R');
    return value_word(words, own);
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

static void apply_with(struct script_player *player, char **words)
{
    struct conversation_setup *setup = &player->setup;
    unsigned ulpdu_max = number_word(words, "mulpdu", 0), mss = number_word(words, "mss", 0);

    if (has_word(words, "rpcrdma") || has_word(words, "nfs"))
        rpc_script_setup(&player->rpc, setup, &(struct words){.text = player->text, .list = words});
    else if (has_word(words, "rev0"))
        *setup = setup_rev0;
    else if (has_word(words, "rev2"))
        *setup = setup_rev2;
    else if (has_word(words, "no-crc"))
        *setup = setup_rev1_no_crc;
    else if (has_word(words, "markers"))
        *setup = setup_rev1_markers;
    if (value_word(words, "port"))
        setup->service_port = (uint16_t)number_word(words, "port", 0);
    setup->responder_opens = has_word(words, "responder-opens");
    for (unsigned role = 0; role < 2; role++)
        apply_side(setup, role, words);
    if (value_word(words, "ird"))
        setup->wish[RESPONDER].enhanced.ird = setup->wish[INITIATOR].enhanced.ord =
            (uint16_t)number_word(words, "ird", 0);
    if (value_word(words, "beforeI"))
        set_before(player, INITIATOR, value_word(words, "beforeI"));
    if (value_word(words, "beforeR"))
        set_before(player, RESPONDER, value_word(words, "beforeR"));
    player->late = has_word(words, "late");
    player->late_msn = number_word(words, "msn", 0);
    if ((ulpdu_max && ulpdu_max < ULPDU_LIMIT_MIN) || ulpdu_max > MPA_ULPDU_MAX || mss > UINT16_MAX ||
        (mss && mss < MSS_MIN))
        words_give_up(player->text, "with");
    setup->ulpdu_max = (uint16_t)ulpdu_max;
    setup->mss[0] = setup->mss[1] = (uint16_t)mss;
}

static void end(struct script_player *player)
{
    struct conversation *c = player->conversation;

    uncork(c, INITIATOR);
    uncork(c, RESPONDER);
    if (!player->hangs && !player->ended)
        say_close(c, player->closer);
}

static void next_connection(struct script_player *player)
{
    struct conversation *before;

    begin(player); /* nothing may have been said in it */
    before = player->conversation;
    end(player);
    player->setup.after = before->tcp;
    player->setup.port = 40001;
    player->connections++;
    player->setup.isn[0] = 0x51000000 + player->connections * 0x01234567u;
    player->setup.isn[1] = 0x62000000 + player->connections * 0x02345671u;
    player->conversation = NULL;
    player->ended = false;
    begin(player);
}

static bool do_other(struct script_player *player, enum role role, const char *verb, char **words)
{
    struct conversation *c = player->conversation;

    if (strcmp(verb, "silence") == 0)
        say_nothing(c, role, (int64_t)number_word(words, "wait", 1) * millisecond);
    else if (strcmp(verb, "cork") == 0)
        cork(c, role);
    else if (strcmp(verb, "uncork") == 0)
        uncork(c, role);
    else if (strcmp(verb, "fin") == 0)
        say_fin(c, role);
    else if (strcmp(verb, "rst") == 0)
        say_reset(c, role);
    else if (strcmp(verb, "close") == 0)
        say_close(c, role);
    else if (strcmp(verb, "traffic") == 0)
        say_traffic(c);
    else if (strcmp(verb, "rtr") == 0)
        say_rtr(c, words[0] && strcmp(words[0], "read") == 0    ? MPA_RTR_READ
                   : words[0] && strcmp(words[0], "write") == 0 ? MPA_RTR_WRITE
                                                                : MPA_RTR_SEND);
    else if (strcmp(verb, "hang") == 0)
        player->hangs = true;
    else
        return false;
    player->ended |= strcmp(verb, "fin") == 0 || strcmp(verb, "rst") == 0 || strcmp(verb, "close") == 0;
    return true;
}

static void play_words(struct script_player *player, const char *text, char **words)
{
    enum role role = words[0][0] == 'I' ? INITIATOR : RESPONDER;
    unsigned times = 1;

    if ((words[0][0] != 'I' && words[0][0] != 'R') || words[0][1] || !words[1])
        words_give_up(text, words[0]);
    words++;
    if (g_str_has_suffix(words[0], "*")) {
        times = (unsigned)strtoul(words[0], NULL, 10);
        words++;
    }
    begin(player);

    struct conversation *c = player->conversation;
    const struct verb *verb = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(verbs) && !verb; i++) {
        if (strcmp(verbs[i].name, words[0]) == 0)
            verb = &verbs[i];
    }
    for (unsigned i = 0; i < times; i++) {
        struct statement s = {.player = player, .role = role, .index = i, .text = text};

        if (verb || strcmp(words[0], "silence") != 0) {
            c->early = has_word(words, "early");
            if (value_word(words, "wait"))
                c->how.delay_ns = (int64_t)number_word(words, "wait", 0) * millisecond;
        }
        if (verb)
            say_verb(&s, verb, words + 1);
        else if (!rpc_script_say(&player->rpc, c, role, words[0], &(struct words){.text = text, .list = words + 1}) &&
                 !do_other(player, role, words[0], words + 1))
            words_give_up(text, words[0]);
    }
}

struct script_player *script_begin(struct stage *stage, const char *text)
{
    struct script_player *player = g_new0(struct script_player, 1);

    player->stage = stage;
    player->text = text;
    player->setup = setup_rev1;
    return player;
}

void script_say(struct script_player *player, const char *statement)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    char **parts = g_strsplit_set(statement, " \n", -1);

    for (unsigned k = 0; parts[k]; k++) {
        if (*parts[k])
            g_ptr_array_add(words, g_strdup(parts[k]));
    }
    g_strfreev(parts);
    g_ptr_array_add(words, NULL);

    char **list = (char **)words->pdata;

    if (!list[0])
        return;
    if (strcmp(list[0], "with") == 0)
        apply_with(player, list + 1);
    else if (strcmp(list[0], "next") == 0)
        next_connection(player);
    else
        play_words(player, player->text, list);
}

void script_end(struct script_player *player)
{
    begin(player);
    end(player);
    rpc_script_free(&player->rpc);
    for (unsigned role = 0; role < 2; role++) {
        if (player->before[role])
            g_byte_array_unref(player->before[role]);
    }
    g_free(player);
}

void script_play(struct stage *stage, const char *text)
{
    struct script_player *player = script_begin(stage, text);
    char **statements = g_strsplit(text, ";", -1);

    for (unsigned i = 0; statements[i]; i++)
        script_say(player, statements[i]);
    g_strfreev(statements);
    script_end(player);
}
