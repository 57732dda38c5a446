// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMAP messages of statements: each is made correct and then changed by the words. */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/verb.h"

#include <stdlib.h>
#include <string.h>

/* A larger number of octets is taken for a typing error. */
enum { CHANGES_MAX = 16, LENGTH_MAX = 1 << 26 };

struct octet_change {
    unsigned offset;
    uint8_t value;
};

/* Changes to the octets of a ULPDU. */
struct ulpdu_changes {
    struct octet_change octets[CHANGES_MAX];
    unsigned n;
    uint16_t cut, grow;
};

/* ---- fields ---- */

struct field {
    const char *name;
    size_t offset; /* in struct message */
    uint8_t size;
    bool flag; /* a bool has only two values */
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

static bool messages_change_field(const struct field_set *set, struct message *message, const struct word *word)
{
    for (unsigned i = 0; set && i < set->n; i++) {
        const struct field *field = &set->fields[i];
        const struct words_place place = {(uint8_t *)message + field->offset, field->size};
        uint64_t value;

        if (strcmp(field->name, word->name) != 0)
            continue;
        value = word_apply(word, words_get(&place));
        words_set(&place, field->flag ? value & 1 : value);
        return true;
    }
    return false;
}

/* ---- messages ---- */

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

/* Payload that a scenario may choose instead of the pattern. */
static const uint8_t zeros[4096];

/*
 * The length of a Write whose FPDU ends so that the next Marker, or the one after that, is due `after` octets before
 * its end, with this many octets of PAD.
 */
static size_t length_to_marker(const struct conversation *c, enum role role, unsigned after, unsigned pad)
{
    const struct mpa_framing *framing = &c->framing[role];
    uint64_t at = c->carrier->written(c, role);
    uint64_t header = mpa_next_marker(framing, at) == at ? at + MPA_MARKER_LEN : at;
    uint64_t grid = mpa_next_marker(framing, header), interior = 0;

    if (grid - header < 64) {
        grid += MPA_MARKER_PERIOD;
        interior = MPA_MARKER_LEN;
    }
    /* Before the next Marker lie ULPDU_Length, ULPDU, PAD, and the part of the CRC before the Marker. */
    return (size_t)(grid - header - interior - MPA_LENGTH_LEN - (MPA_CRC_LEN - after) - pad) - DDP_TAGGED_HEADER_LEN;
}

/* @OFFSET=N sets an octet of the ULPDU. */
static bool add_octet(struct ulpdu_changes *changes, const struct word *word)
{
    char *end;
    unsigned long offset = strtoul(word->name + 1, &end, 0);

    if (word->name[0] != '@' || *end || offset >= ULPDU_ROOM || changes->n == CHANGES_MAX)
        return false;
    changes->octets[changes->n++] = (struct octet_change){(unsigned)offset, (uint8_t)word->number};
    return true;
}

/* Every word that is still unknown is a field. */
static void change_fields(struct saying *s, struct message *message, struct ulpdu_changes *changes)
{
    for (unsigned i = 0; i < s->words.n; i++) {
        const struct word *word = &s->words.list[i];

        if (s->words.used[i] || !word->op || !word->is_number)
            continue;
        s->words.used[i] = add_octet(changes, word) || messages_change_field(s->verb->fields, message, word) ||
                           messages_change_field(&common_set, message, word);
        if (strcmp(word->name, "value") == 0)
            message->has_value = true;
    }
}

/* Fills in the message from its words. */
static void change_message(struct saying *s, struct message *message, struct ulpdu_changes *changes)
{
    struct words *words = &s->words;
    unsigned stride = (unsigned)words_number(words, "stride", 0), longer = (unsigned)words_number(words, "longer", 0);
    unsigned marker = (unsigned)words_number(words, "marker", 0), pad = (unsigned)words_number(words, "pad", 0);

    message->keeps_memory = words_have(words, "keep");
    if (words_have(words, "zeros"))
        message->payload = zeros;
    change_fields(s, message, changes);
    if (words_given(words, "marker") && s->verb->opcode == RDMAP_WRITE && s->c->framing[s->role].markers &&
        s->c->carrier->written)
        message->length = length_to_marker(s->c, s->role, MIN(marker, MPA_CRC_LEN), MIN(pad, 3));
    message->length += (size_t)s->index * longer;
    if (message->payload && message->length > sizeof zeros)
        words_refuse_because(words, "zeros", "it is for at most 4096 octets");
    if (message->length > LENGTH_MAX)
        words_refuse_because(words, s->verb->name, "a message has at most 64 MiB");
    if (message->limit)
        words_in_range(words, "ulpdu", message->limit, SCRIPT_ULPDU_MIN, UINT16_MAX);
    message->read.sink_stag += s->index * stride;
}

static void say_message_of_verb(struct saying *s)
{
    struct conversation *c = s->c;
    struct words *words = &s->words;
    struct message message = {.answers = (unsigned)words_number(words, "of", 0), .fresh = words_have(words, "fresh")};
    struct ulpdu_changes changes = {.cut = (uint16_t)words_number(words, "cut", 0),
                                    .grow = (uint16_t)words_number(words, "grow", 0)};

    message_init(c, s->role, s->verb->opcode, &message);
    message.atomic.opcode = (uint8_t)s->verb->atomic;
    if (s->verb->opcode == RDMAP_ATOMIC_REQUEST && s->verb->atomic == RDMAP_ATOMIC_CMP_SWAP)
        message.atomic.mask = UINT64_MAX;
    if (c->carrier->fill_in && !c->carrier->fill_in(c, words, &message))
        return;
    if (s->verb->opcode == RDMAP_TERMINATE) {
        message_blame(c, s->role, words_terminate(words, s->verb->name), (unsigned)words_number(words, "back", 0),
                      &message);
        s->player->closer = s->role;
    }
    change_message(s, &message, &changes);
    if (!words_end(words))
        return;
    if (changes.n > 0 || changes.cut || changes.grow)
        say_message_changed(c, s->role, &message, change_ulpdu, &changes);
    else
        say_message(c, s->role, &message);
}

#define MESSAGE(name_, opcode_, fields_)                                                                               \
    {                                                                                                                  \
        .name = name_, .say = say_message_of_verb, .opcode = opcode_, .fields = fields_                                \
    }

const struct verb message_verbs[] = {
    MESSAGE("write", RDMAP_WRITE, NULL),
    MESSAGE("read", RDMAP_READ_REQUEST, &read_set),
    MESSAGE("answer", RDMAP_READ_RESPONSE, NULL),
    MESSAGE("send", RDMAP_SEND, NULL),
    MESSAGE("send-inv", RDMAP_SEND_INVALIDATE, NULL),
    MESSAGE("send-se", RDMAP_SEND_SE, NULL),
    MESSAGE("send-se-inv", RDMAP_SEND_SE_INVALIDATE, NULL),
    MESSAGE("term", RDMAP_TERMINATE, &terminate_set),
    MESSAGE("imm", RDMAP_IMMEDIATE, &immediate_set),
    MESSAGE("imm-se", RDMAP_IMMEDIATE_SE, &immediate_set),
    {.name = "fadd",
     .say = say_message_of_verb,
     .opcode = RDMAP_ATOMIC_REQUEST,
     .fields = &atomic_set,
     .atomic = RDMAP_ATOMIC_FETCH_ADD},
    {.name = "cswap",
     .say = say_message_of_verb,
     .opcode = RDMAP_ATOMIC_REQUEST,
     .fields = &atomic_set,
     .atomic = RDMAP_ATOMIC_CMP_SWAP},
    MESSAGE("result", RDMAP_ATOMIC_RESPONSE, &result_set),
    {.name = NULL},
};
