// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the work of a queue pair. */
#include "traffic-gen/scenario/work_read.h"

#include <string.h>

enum { LENGTH_DEFAULT = 100, RECEIVES_MAX = 65536 };

struct posting {
    const struct work *work;
    struct words *words;
    enum role role;
    struct work_item item;
};

/* A place in the memory of a side; region -1: the statement has an STag. */
struct place {
    int region;
    uint32_t stag;
    uint64_t offset, to; /* from the region's beginning; as a Tagged Offset */
};

/* ---- places: REGION, REGION+OFFSET, or STAG+TO in the other side's memory ---- */

static int work_post_find_region(const struct posting *p, enum role whose, const char *name)
{
    const GArray *regions = p->work->regions[whose];

    for (unsigned i = 0; i < regions->len; i++) {
        if (strcmp(g_array_index(regions, struct work_region, i).name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* False: the statement has none. */
static bool work_post_place(struct posting *p, const char *name, enum role whose, struct place *place)
{
    const char *value = words_value(p->words, name), *plus = value ? strchr(value, '+') : NULL;
    g_autofree char *base = plus ? g_strndup(value, (gsize)(plus - value)) : g_strdup(value);

    if (!value)
        return false;
    *place = (struct place){.region = -1, .offset = plus ? words_parse_number(p->words, plus + 1) : 0};
    place->to = place->offset;
    if (whose != p->role && g_ascii_isdigit(*base)) {
        uint64_t stag = words_parse_number(p->words, base);

        words_in_range(p->words, name, stag, 0, UINT32_MAX);
        place->stag = (uint32_t)stag;
        return true;
    }
    place->region = work_post_find_region(p, whose, base);
    if (place->region < 0) {
        words_refuse_because(p->words, name,
                             whose == INITIATOR ? "the Initiator has no such region"
                                                : "the Responder has no such region");
    } else {
        const struct work_region *region =
            &g_array_index(p->work->regions[whose], struct work_region, (unsigned)place->region);

        place->stag = region->stag;
        place->to += region->to;
    }
    return true;
}

/* The other side checks accesses to its memory, and refuses an outside access with a Terminate. */
static void work_post_remote(struct posting *p, const char *name, bool is_needed)
{
    struct place place;

    if (work_post_place(p, name, !p->role, &place)) {
        p->item.post.remote_stag = place.stag;
        p->item.post.remote_to = place.to;
    } else if (is_needed) {
        words_refuse_because(p->words, verb_name(p->words->statement->verb), "the other side's region is missing");
    }
}

/* A place in this side's memory. False: the statement has none. */
static bool work_post_own(struct posting *p, const char *name, struct place *place)
{
    const struct work_region *region;

    if (!work_post_place(p, name, p->role, place) || !words_good(p->words))
        return false;
    region = &g_array_index(p->work->regions[p->role], struct work_region, (unsigned)place->region);
    if (place->offset > region->octets || p->item.post.n > region->octets - place->offset)
        words_refuse_because(p->words, name, "the region is shorter");
    return true;
}

/* ---- kinds ---- */

static void work_post_length(struct posting *p)
{
    p->item.post.n = words_number_within(p->words, "len", LENGTH_DEFAULT, 0, WORK_MESSAGE_MAX);
}

static void work_post_source(struct posting *p)
{
    struct place place;

    if (work_post_own(p, "from", &place)) {
        p->item.from = place.region;
        p->item.from_offset = place.offset;
    }
}

static void work_post_send(struct posting *p)
{
    work_post_length(p);
    work_post_source(p);
    if (p->item.post.invalidate)
        work_post_remote(p, "stag", true);
}

static void work_post_write(struct posting *p)
{
    work_post_length(p);
    work_post_source(p);
    work_post_remote(p, "to", p->item.post.n > 0);
}

static void work_post_read(struct posting *p)
{
    struct place sink;

    work_post_length(p);
    work_post_remote(p, "from", p->item.post.n > 0);
    if (work_post_own(p, "into", &sink)) {
        p->item.post.sink_stag = sink.stag;
        p->item.post.sink_to = sink.to;
    } else if (p->item.post.n > 0) {
        words_refuse_because(p->words, "read", "a region of this side, 'into', is missing");
    }
}

static void work_post_immediate(struct posting *p)
{
    p->item.post.immediate = words_number(p->words, "data", 0);
}

static void work_post_atomic(struct posting *p)
{
    struct qp_work *post = &p->item.post;

    work_post_remote(p, "at", true);
    post->add_swap = words_number(p->words, "data", post->add_swap);
    post->add_swap_mask = words_number(p->words, "mask", post->add_swap_mask);
    if (post->kind != QP_CMP_SWAP)
        return;
    post->compare = words_number(p->words, "cdata", post->compare);
    post->compare_mask = words_number(p->words, "cmask", post->compare_mask);
}

static void work_post_terminate(struct posting *p)
{
    p->item.terminate = words_terminate(p->words, "term");
    if (p->item.terminate > UINT16_MAX)
        words_refuse_because(p->words, "term", "it is LAYER/TYPE/CODE, of 4, 4 and 8 bits");
}

static void work_post_receives(struct posting *p)
{
    const char *number = words_first(p->words);
    uint64_t n = words_parse_number(p->words, number ? number : "receives");

    words_in_range(p->words, "receives", n, 1, RECEIVES_MAX);
    p->item.receives = (unsigned)n;
}

static void work_post_nothing(struct posting *p)
{
    (void)p;
}

static const struct kind {
    const char *verb;
    void (*read)(struct posting *p);
    struct work_item item;
} kinds[] = {
    {"send", work_post_send, {.post = {.kind = QP_SEND}}},
    {"send-se", work_post_send, {.post = {.kind = QP_SEND, .solicited = true}}},
    {"send-inv", work_post_send, {.post = {.kind = QP_SEND, .invalidate = true}}},
    {"send-se-inv", work_post_send, {.post = {.kind = QP_SEND, .solicited = true, .invalidate = true}}},
    {"write", work_post_write, {.post = {.kind = QP_WRITE}}},
    {"read", work_post_read, {.post = {.kind = QP_READ}}},
    {"imm", work_post_immediate, {.post = {.kind = QP_IMMEDIATE}}},
    {"imm-se", work_post_immediate, {.post = {.kind = QP_IMMEDIATE, .solicited = true}}},
    {"fadd", work_post_atomic, {.post = {.kind = QP_FETCH_ADD, .add_swap = 1}}},
    {"cswap",
     work_post_atomic,
     {.post = {.kind = QP_CMP_SWAP, .add_swap_mask = UINT64_MAX, .compare_mask = UINT64_MAX}}},
    {"receives", work_post_receives, {.kind = WORK_RECEIVES}},
    {"term", work_post_terminate, {.kind = WORK_TERMINATE}},
    {"close", work_post_nothing, {.kind = WORK_CLOSE}},
    {"rst", work_post_nothing, {.kind = WORK_RESET}},
};

struct work_item work_read_post(struct words *words, const struct work *work)
{
    struct posting p = {.work = work, .words = words, .role = words->statement->role};
    g_autoptr(GString) names = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].verb, verb_name(words->statement->verb)) == 0) {
            p.item = kinds[i].item;
            p.item.from = -1;
            kinds[i].read(&p);
            return p.item;
        }
        g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", kinds[i].verb);
    }
    work_refuse_verb(words, names->str);
    return p.item;
}
