// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/say/operations.h"
#include "traffic-gen/say/script_internal.h"
#include "traffic-gen/say/setups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More octets than these are a slip of who wrote them; a ULPDU must have room for a header and an octet. */
enum { CHANGES_MAX = 16, LENGTH_MAX = 1 << 26 };

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
        const struct words_place place = {(uint8_t *)message + field->offset, field->size};

        if (strlen(field->name) != name_len || memcmp(field->name, name, name_len) != 0)
            continue;
        value = how == '=' ? value : how == '+' ? words_get(&place) + value : words_get(&place) - value;
        words_set(&place, field->flag ? value & 1 : value);
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
    const char *rest = words_match(word, "%/%/%", &layer, &etype, &code);

    if (!rest || *rest)
        words_give_up(text, word);
    return layer << 12 | etype << 8 | code;
}

/* What a scenario may ask for as payload instead of the pattern. */
static const uint8_t zeros[4096];

/*
 * Octets of a Write whose FPDU ends so that the next Marker, or the one after, is due `behind` octets before its end,
 * with so many octets of PAD.
 */
static size_t length_to_marker(const struct conversation *c, enum role role, unsigned behind, unsigned pad)
{
    const struct mpa_framing *framing = &c->framing[role];
    uint64_t at = sim_written(c->tcp, c->side[role]);
    uint64_t header = mpa_next_marker(framing, at) == at ? at + MPA_MARKER_LEN : at;
    uint64_t grid = mpa_next_marker(framing, header), interior = 0;

    if (grid - header < 64) {
        grid += MPA_MARKER_PERIOD;
        interior = MPA_MARKER_LEN;
    }
    /* Before the grid point lie ULPDU_Length, ULPDU, PAD, and what of the CRC is not behind it. */
    return (size_t)(grid - header - interior - MPA_LENGTH_LEN - (MPA_CRC_LEN - behind) - pad) - DDP_TAGGED_HEADER_LEN;
}

static void apply_word(struct statement *s, const struct verb *verb, const char *word)
{
    size_t name_len = strcspn(word, "=+-");
    struct conversation *c = s->player->conversation;
    static const char *const dashed[] = {"have-len", "have-ddp", "have-read"};
    static const char *const taken[] = {"wait", "back", "stride", "of", "net", "longer", "marker", "pad"};
    char *end;

    if (strcmp(word, "keep") == 0) {
        s->message.keeps_memory = true;
        return;
    }
    if (strcmp(word, "bad-crc") == 0) {
        c->spoil = spoil_crc;
        return;
    }
    if (strcmp(word, "zeros") == 0) {
        s->message.payload = zeros;
        return;
    }
    if (strcmp(word, "fresh") == 0 || strcmp(word, "early") == 0 || g_str_has_prefix(word, "net="))
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
    for (unsigned i = 0; i < G_N_ELEMENTS(taken); i++) {
        if (g_str_has_prefix(word, taken[i]) && word[strlen(taken[i])] == '=')
            return;
    }
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

static void say_verb(struct statement *s, const struct verb *verb, char **words)
{
    struct conversation *c = s->player->conversation;
    struct message *message = &s->message;
    char **first = words;
    unsigned stride = script_number(words, "stride", 0);

    *message = (struct message){.answers = script_number(words, "of", 0), .fresh = script_has(words, "fresh")};
    message_init(c, s->role, verb->opcode, message);
    message->atomic.opcode = (uint8_t)verb->atomic;
    if (verb->opcode == RDMAP_ATOMIC_REQUEST && verb->atomic == RDMAP_ATOMIC_CMP_SWAP)
        message->atomic.mask = UINT64_MAX;
    if (verb->opcode == RDMAP_TERMINATE) {
        if (!words[0])
            words_give_up(s->text, verb->name);
        message_accuse(c, s->role, terminate_value(s->text, words[0]), script_number(words, "back", 0), message);
        s->player->closer = s->role;
        words++;
    }
    for (; *words; words++)
        apply_word(s, verb, *words);
    if (script_value(first, "marker") && verb->opcode == RDMAP_WRITE && c->framing[s->role].markers)
        message->length = length_to_marker(c, s->role, MIN(script_number(first, "marker", 0), MPA_CRC_LEN),
                                           MIN(script_number(first, "pad", 0), 3));
    message->length += (size_t)s->index * script_number(first, "longer", 0);
    if (message->payload && message->length > sizeof zeros)
        words_give_up(s->text, "zeros");
    if (message->length > LENGTH_MAX || (message->limit && message->limit < SCRIPT_ULPDU_MIN))
        words_give_up(s->text, verb->name);
    message->read.sink_stag += s->index * stride;
    say_message_changed(c, s->role, message, change_ulpdu, &s->changes);
}

/* ---- statements ---- */

/* What befalls the segments of what is said next. */
static void set_trouble(struct script_player *player, struct sim_how *how, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } kinds[] = {{"lost", &how->lose},   {"lost-before", &how->lose_before}, {"late", &how->late},
                 {"twice", &how->twice}, {"fragmented", &how->fragment},     {"uncaptured", &how->uncaptured}};

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *kinds[i].flag = true;
            return;
        }
    }
    words_give_up(player->text, name);
}

/* What may be said before MPA begins, or instead of its start-up. */
static bool is_start(const char *verb)
{
    return strcmp(verb, "stream") == 0 || strcmp(verb, "mpa-request") == 0 || strcmp(verb, "mpa-reply") == 0;
}

static void say_start(struct script_player *player, enum role role, const char *verb, char **words)
{
    struct conversation *c = player->conversation;

    if (strcmp(verb, "stream") == 0) {
        GByteArray *octets = script_octets(player, words[0] ? words[0] : "");

        say_streaming(c, role, octets->data, octets->len);
        g_byte_array_unref(octets);
        return;
    }
    player->started = true;
    if (strcmp(verb, "mpa-request") == 0)
        say_request(c);
    else
        say_reply(c);
}

static bool do_other(struct script_player *player, enum role role, const char *verb, char **words)
{
    struct conversation *c = player->conversation;

    if (strcmp(verb, "silence") == 0)
        say_nothing(c, role, (int64_t)script_number(words, "wait", 1) * millisecond);
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
    if (is_start(words[0]))
        script_open(player);
    else
        script_start(player);

    struct conversation *c = player->conversation;
    const struct verb *verb = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(verbs) && !verb; i++) {
        if (strcmp(verbs[i].name, words[0]) == 0)
            verb = &verbs[i];
    }
    for (unsigned i = 0; i < times; i++) {
        struct statement s = {.player = player, .role = role, .index = i, .text = text};

        if (verb || strcmp(words[0], "silence") != 0) {
            c->early = script_has(words, "early");
            if (script_value(words, "wait"))
                c->how.delay_ns = (int64_t)script_number(words, "wait", 0) * millisecond;
            if (script_value(words, "net"))
                set_trouble(player, &c->how, script_value(words, "net"));
        }
        if (is_start(words[0]))
            say_start(player, role, words[0], words + 1);
        else if (verb)
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
        script_with(player, list + 1);
    else if (strcmp(list[0], "next") == 0)
        script_next(player, list + 1);
    else
        play_words(player, player->text, list);
}

void script_end(struct script_player *player)
{
    script_start(player);
    script_close(player);
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
