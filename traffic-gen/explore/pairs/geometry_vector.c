// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a vector of Writes or Reads against a device that advertises its memory. Memory around the written octets has to
 * stay unchanged.
 */
#include "traffic-gen/explore/pairs/exchange.h"
#include "traffic-gen/explore/pairs/geometry_model.h"
#include "traffic-gen/tester/suite/expect/life.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

enum { AROUND = 16 /* octets before and after that must not change */, OTHER_STAG = 0x5A5A5A00, LIMIT = 1000 };

/* A vector with this device's memory. */
struct geometry {
    struct talk *talk;
    struct geometry_plan plan;
    struct advert_memory memory;
    int64_t place;
    /* The known part of the memory and its expected contents. */
    bool is_known;
    uint32_t known_at, known_n;
    uint8_t known[EXCHANGE_MAX + 2 * AROUND];
    uint8_t octets[EXCHANGE_MAX]; /* of all messages */
};

/* Vectors in parallel would write to the same region if the device shares one among all connections. */
static GMutex one_at_a_time;

/* ---- contents before ---- */

static uint32_t total(const struct geometry *geometry)
{
    return geometry->plan.length * geometry->plan.n;
}

static bool geometry_vector_read_known(const struct geometry *geometry, const char *what, enum rule_id rule)
{
    const struct advert_memory *memory = &geometry->memory;

    return talk_say(geometry->talk, "read src=%u srcto=%" G_GUINT64_FORMAT " size=%u", memory->stag,
                    memory->address + geometry->known_at, geometry->known_n) &&
           exchange_hear(geometry->talk, RDMAP_READ_RESPONSE, geometry->known, geometry->known_n, what, NULL, rule);
}

/* Only memory that can be written and read has known contents. */
static bool make_known(struct geometry *geometry)
{
    const int64_t length = geometry->memory.length;
    int64_t from, to;

    geometry->is_known = geometry->plan.memory == MEMORY_IS_ALL;
    if (!geometry->is_known)
        return true;
    from = CLAMP(geometry->place - AROUND, 0, length);
    to = CLAMP(geometry->place + total(geometry) + AROUND, from, length);
    geometry->known_at = (uint32_t)from;
    geometry->known_n = (uint32_t)(to - from);
    exchange_draw(geometry->memory.stag ^ geometry->known_at, geometry->known, geometry->known_n);
    return talk_say_octets(geometry->talk, geometry->known, geometry->known_n,
                           "write stag=%u to=%" G_GUINT64_FORMAT " ulpdu=%d", geometry->memory.stag,
                           geometry->memory.address + geometry->known_at, LIMIT) &&
           geometry_vector_read_known(geometry, "an answer to the Read of what was written before", RULE_DDP_5_2_05);
}

/* The contents after a served message of ours. */
static void note_written(struct geometry *geometry, unsigned message)
{
    const uint32_t length = geometry->plan.length;
    const int64_t at = geometry->place + (int64_t)message * length - geometry->known_at;

    if (geometry->is_known && length > 0 && at >= 0 && at + length <= geometry->known_n)
        memcpy(geometry->known + at, geometry->octets + (size_t)message * length, length);
}

/* ---- the messages ---- */

static bool geometry_vector_say_one(const struct geometry *geometry, unsigned message)
{
    const struct geometry_plan *plan = &geometry->plan;
    const uint64_t to = geometry->memory.address + (uint64_t)geometry->place + (uint64_t)message * plan->length;
    g_autofree char *limit = plan->limit ? g_strdup_printf("ulpdu=%u", plan->limit) : g_strdup("");

    if (plan->is_read)
        return talk_say(geometry->talk,
                        "read src=%u srcto=%" G_GUINT64_FORMAT " size=%u sinkto=%" G_GUINT64_FORMAT " %s",
                        geometry->memory.stag, to, plan->length, plan->sink_to, plan->cut);
    return talk_say_octets(geometry->talk, geometry->octets + (size_t)message * plan->length, plan->length,
                           "write stag=%u to=%" G_GUINT64_FORMAT " %s %s", geometry->memory.stag, to, limit, plan->cut);
}

static bool geometry_vector_say_all(struct geometry *geometry)
{
    bool good = true;

    exchange_draw(~geometry->memory.stag, geometry->octets, total(geometry));
    talk_together(geometry->talk, !*geometry->plan.cut);
    for (unsigned i = 0; i < geometry->plan.n && good; i++)
        good = geometry_vector_say_one(geometry, i);
    talk_together(geometry->talk, false);
    return good;
}

/* ---- the reaction ---- */

static bool hear_answers(const struct geometry *geometry, unsigned n, enum rule_id rule)
{
    const struct geometry_plan *plan = &geometry->plan;
    const struct exchange_sink sink = {TALK_SINK_STAG, plan->sink_to};

    for (unsigned i = 0; i < n; i++) {
        const int64_t at = geometry->place + (int64_t)i * plan->length - geometry->known_at;

        if (!exchange_hear(geometry->talk, RDMAP_READ_RESPONSE,
                           geometry->is_known && plan->length > 0 ? geometry->known + at : NULL, plan->length,
                           "an answer to the Read", &sink, rule))
            return false;
    }
    return true;
}

static void judge_served(struct geometry *geometry, enum rule_id rule)
{
    struct talk *talk = geometry->talk;
    enum life life;

    if (geometry->plan.is_read && !hear_answers(geometry, geometry->plan.n, rule))
        return;
    for (unsigned i = 0; i < geometry->plan.n && !geometry->plan.is_read; i++)
        note_written(geometry, i);
    if (geometry->is_known && !geometry_vector_read_known(geometry, "an answer to the Read of what was written", rule))
        return;
    life = life_probe(talk);
    if (life_good(life))
        talk_passed(talk, "served%s", geometry->is_known ? ", and nothing else was changed" : "");
    else
        pairs_failed(talk, rule, "expected the device to continue; found %s", life_words(talk, life));
}

/* RDMAP finds errors that DDP cannot; either may report DDP's memory errors. */
static bool may_find(enum rule_id rule, unsigned layer)
{
    return layer == RDMAP_LAYER_RDMA ||
           (layer == RDMAP_LAYER_DDP && !g_str_has_prefix(rule_catalogue[rule].id, "RDMAP"));
}

static void geometry_vector_judge_refused(struct geometry *geometry, unsigned served, enum rule_id rule)
{
    struct talk *talk = geometry->talk;
    const struct talk_heard *heard;

    /* A refusal may overtake the answers to earlier Reads (RFC 5040 section 5.4). */
    do {
        heard = exchange_hear_end(talk, RDMAP_READ_RESPONSE);
    } while (served > 0 && geometry->plan.is_read && heard->what == TALK_FPDU && !heard->is_terminate &&
             (heard->ddp.last ? served-- : served) > 0);
    if (heard->is_terminate && !may_find(rule, heard->meant.layer))
        talk_inconclusive(talk, "refused, but by a layer that cannot see the fault: %s", talk_describe(talk, heard));
    else if (exchange_is_refusal(heard))
        talk_passed_by_end(talk, "refused: %s", talk_describe(talk, heard));
    else
        pairs_failed(talk, rule, "expected a Terminate, or a close; found %s", talk_describe(talk, heard));
}

/* ---- a vector ---- */

/* False: the verdict is set. */
static bool find_memory(struct geometry *geometry, const int *vector)
{
    const struct advert_memory *memory = talk_region(geometry->talk, geometry->plan.region);

    if (!memory)
        return false;
    geometry->memory = *memory;
    if (total(geometry) + AROUND > memory->length) {
        talk_not_applicable(geometry->talk, "the device's region has only %u octets", memory->length);
        return false;
    }
    if (geometry->plan.memory == MEMORY_IS_UNKNOWN)
        geometry->memory.stag ^= OTHER_STAG;
    geometry->place = geometry_place(vector, memory->length);
    return true;
}

static void geometry_vector_run(struct talk *talk, const struct pairs *pairs, const int *vector)
{
    static struct geometry geometry; /* protected by the lock */
    const struct geometry_plan plan = geometry_plan_of(vector);
    const struct talk_wish wish = {.markers = plan.markers, .no_crc = !plan.crc};

    (void)pairs;
    g_mutex_lock(&one_at_a_time);
    memset(&geometry, 0, sizeof geometry);
    geometry.talk = talk;
    geometry.plan = plan;
    if (talk_start(talk, &wish) && find_memory(&geometry, vector) && make_known(&geometry) &&
        geometry_vector_say_all(&geometry)) {
        enum rule_id rule;
        const unsigned served = geometry_served(vector, &rule);

        if (served == geometry.plan.n)
            judge_served(&geometry, rule);
        else
            geometry_vector_judge_refused(&geometry, served, rule);
    }
    g_mutex_unlock(&one_at_a_time);
}

static void learn_memory(struct pairs *pairs)
{
    struct talk *talk = talk_begin_job(pairs->run, NULL, 1, NULL);

    if (talk_start(talk, NULL))
        geometry_leave_out(pairs, talk_advert(talk));
    talk_end_job(talk);
}

static bool starts_by(struct pairs *pairs, const struct talk_wish *wish)
{
    struct talk *talk = talk_begin_job(pairs->run, NULL, 1, NULL);
    bool good;

    good = talk_start(talk, wish);
    talk_end_job(talk);
    return good;
}

/* Other subjects test which start-ups a device accepts: here a vector whose start-up it refuses would show nothing. */
static void learn_startups(struct pairs *pairs)
{
    static const struct {
        enum geometry_parameter parameter;
        const char *value;
        struct talk_wish wish;
    } others[] = {{GEOMETRY_AT_M, "1", {.markers = true}}, {GEOMETRY_AT_C, "0", {.no_crc = true}}};

    for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
        const int value = pairs_value(&pairs_geometry, others[i].parameter, others[i].value);

        if (value == pairs->usual[others[i].parameter] || starts_by(pairs, &others[i].wish))
            continue;
        pairs->left_out[others[i].parameter][value] = true;
        g_printerr("iwarp-gen: geometry: %s=%s is left out: the device does not start with it\n",
                   geometry_parameters[others[i].parameter].name, others[i].value);
    }
}

static bool geometry_vector_prepare(struct pairs *pairs, char **why)
{
    const unsigned signs = pairs->run->signs;

    geometry_usual(pairs);
    if (!(pairs->run->has & NEED_REGIONS))
        *why = g_strdup("the device advertises no memory in its private data");
    else if (!(signs & (1u << SIGN_READ | 1u << SIGN_REGION)))
        *why = g_strdup("the device answers no Reads");
    if (*why)
        return false;
    learn_memory(pairs);
    learn_startups(pairs);
    return true;
}

const struct pairs_model pairs_geometry = {
    .name = "geometry",
    .what = "Writes and Reads of the device's memory",
    .parameters = geometry_parameters,
    .n = GEOMETRY_PARAMETERS,
    .conditions = geometry_conditions,
    .rule = RULE_DDP_5_2_05,
    .expected = "what may be served is, with exactly these octets; what may not is refused (RFC 5040, RFC 5041)",
    .duts = DUT_ANY,
    .prepare = geometry_vector_prepare,
    .allowed = pairs_allowed,
    .refused = geometry_refused,
    .settle = pairs_settle,
    .run = geometry_vector_run,
};
