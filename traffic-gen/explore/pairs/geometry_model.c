// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/geometry_model.h"

#include <string.h>

/* ---- values ---- */

static const char *const
    operations[] = {"write", "read"},
    *const lengths[] = {"64", "0", "1", "3", "1001"}, *const places[] = {"start", "odd", "end", "before", "over"},
    *const memories[] = {"all", "own", "wrong", "foreign", "gone", "unknown"}, *const numbers[] = {"1", "4"},
    *const limits[] = {PAIRS_ABSENT, "whole", "512", "37"}, *const cuts[] = {"whole", "header", "half"},
    *const sinks[] = {PAIRS_ABSENT, "usual", "odd", "top"}, *const off_on[] = {"0", "1"}, *const on_off[] = {"1", "0"};

#define VALUES(of) (of), G_N_ELEMENTS(of)

const struct pairs_parameter geometry_parameters[GEOMETRY_PARAMETERS] = {
    [GEOMETRY_AT_OP] = {"op", "Writes, or Reads", VALUES(operations)},
    [GEOMETRY_AT_LEN] = {"len", "octets of each", VALUES(lengths)},
    [GEOMETRY_AT_PLACE] = {"at", "place in the region; one octet before it, and one past its end, are refused",
                           VALUES(places)},
    [GEOMETRY_AT_MEMORY] = {"memory", "the region: with all rights, the needed rights, the other rights, ...",
                            VALUES(memories)},
    [GEOMETRY_AT_N] = {"n", "messages in succession without a pause", VALUES(numbers)},
    [GEOMETRY_AT_ULPDU] = {"ulpdu", "largest ULPDU of a Write, which decides its DDP segments", VALUES(limits)},
    [GEOMETRY_AT_CUT] = {"cut", "where TCP segments divide the first FPDU of each", VALUES(cuts)},
    [GEOMETRY_AT_SINK] = {"sink", "Tagged Offset of a Read's sink", VALUES(sinks)},
    [GEOMETRY_AT_M] = {"M", "we want Markers", VALUES(off_on)},
    [GEOMETRY_AT_C] = {"C", "CRC", VALUES(on_off)},
};

/* ---- constraints ---- */

enum { OF_WRITES = 1 << 0, OF_READS = 1 << 1 }; /* as in operations[] */

const struct pairs_condition geometry_conditions[] = {
    {GEOMETRY_AT_ULPDU, GEOMETRY_AT_OP, OF_WRITES}, {GEOMETRY_AT_SINK, GEOMETRY_AT_OP, OF_READS}, {0, 0, 0}};

/* Whether it is wrong by itself; the length decides which checks apply. */
bool geometry_refused(const void *ctx, unsigned parameter, int chosen)
{
    (void)ctx;
    if (parameter == GEOMETRY_AT_PLACE)
        return chosen >= pairs_value(&pairs_geometry, GEOMETRY_AT_PLACE, "before");
    return parameter == GEOMETRY_AT_MEMORY && chosen >= MEMORY_IS_WRONG;
}

/* The first value of each parameter, unless the start-up needs another. */
void geometry_usual(struct pairs *pairs)
{
    const struct startup_terms *terms = &pairs->run->terms;

    memset(pairs->left_out, 0, sizeof pairs->left_out);
    memset(pairs->usual, 0, sizeof pairs->usual);
    pairs->usual[GEOMETRY_AT_ULPDU] = pairs_value(&pairs_geometry, GEOMETRY_AT_ULPDU, "whole");
    pairs->usual[GEOMETRY_AT_SINK] = pairs_value(&pairs_geometry, GEOMETRY_AT_SINK, "usual");
    if (terms->markers) { /* the talker then always asks for Markers */
        pairs->usual[GEOMETRY_AT_M] = pairs_value(&pairs_geometry, GEOMETRY_AT_M, "1");
        pairs->left_out[GEOMETRY_AT_M][pairs_value(&pairs_geometry, GEOMETRY_AT_M, "0")] = true;
    }
    if (terms->no_crc) {
        pairs->usual[GEOMETRY_AT_C] = pairs_value(&pairs_geometry, GEOMETRY_AT_C, "0");
        pairs->left_out[GEOMETRY_AT_C][pairs_value(&pairs_geometry, GEOMETRY_AT_C, "1")] = true;
    }
}

/* ---- messages ---- */

static enum advert_region geometry_model_region_of(enum geometry_memory memory, bool is_read)
{
    switch (memory) {
    case MEMORY_IS_OWN:
        return is_read ? REGION_READ_ONLY : REGION_WRITE_ONLY;
    case MEMORY_IS_WRONG:
        return is_read ? REGION_WRITE_ONLY : REGION_READ_ONLY;
    case MEMORY_IS_FOREIGN:
        return REGION_FOREIGN;
    case MEMORY_IS_GONE:
        return REGION_GONE;
    case MEMORY_IS_ALL:
    case MEMORY_IS_UNKNOWN:
        break;
    }
    return REGION_ALL;
}

static bool geometry_model_is_advertised(const struct advert *advert, enum advert_region region)
{
    return region < advert->n && advert->regions[region].stag != 0;
}

void geometry_leave_out(struct pairs *pairs, const struct advert *advert)
{
    for (int memory = 0; memory <= MEMORY_IS_UNKNOWN; memory++) {
        const enum geometry_memory kind = (enum geometry_memory)memory;

        pairs->left_out[GEOMETRY_AT_MEMORY][memory] =
            !geometry_model_is_advertised(advert, geometry_model_region_of(kind, true)) ||
            !geometry_model_is_advertised(advert, geometry_model_region_of(kind, false));
    }
}

struct geometry_plan geometry_plan_of(const int *vector)
{
    static const char *const words[] = {"", "mpa.split=9 mpa.acked mpa.gap=5000",
                                        "mpa.split-half mpa.acked mpa.gap=5000"};
    static const uint64_t sink_tos[] = {0, TALK_SINK_TO, TALK_SINK_TO + 1, UINT64_C(0xFFFFFFFFFFFF0000)};
    struct geometry_plan plan = {.is_read = pairs_is(&pairs_geometry, vector, GEOMETRY_AT_OP, "read"),
                                 .markers = pairs_is(&pairs_geometry, vector, GEOMETRY_AT_M, "1"),
                                 .crc = pairs_is(&pairs_geometry, vector, GEOMETRY_AT_C, "1"),
                                 .length = pairs_number(&pairs_geometry, vector, GEOMETRY_AT_LEN),
                                 .n = pairs_number(&pairs_geometry, vector, GEOMETRY_AT_N),
                                 .memory = (enum geometry_memory)vector[GEOMETRY_AT_MEMORY],
                                 .limit = pairs_number(&pairs_geometry, vector, GEOMETRY_AT_ULPDU),
                                 .cut = words[vector[GEOMETRY_AT_CUT]],
                                 .sink_to = sink_tos[vector[GEOMETRY_AT_SINK]]};

    plan.region = geometry_model_region_of(plan.memory, plan.is_read);
    return plan;
}

int64_t geometry_place(const int *vector, uint32_t region_length)
{
    const struct geometry_plan plan = geometry_plan_of(vector);
    const int64_t end = (int64_t)region_length - (int64_t)plan.length * plan.n;

    if (pairs_is(&pairs_geometry, vector, GEOMETRY_AT_PLACE, "odd"))
        return 1;
    if (pairs_is(&pairs_geometry, vector, GEOMETRY_AT_PLACE, "end"))
        return end;
    if (pairs_is(&pairs_geometry, vector, GEOMETRY_AT_PLACE, "over"))
        return end + 1;
    return pairs_is(&pairs_geometry, vector, GEOMETRY_AT_PLACE, "before") ? -1 : 0;
}

/*
 * The rule that refuses a Write, and a Read: RFC 5041 sections 7.1 and 8.2, RFC 5040 section 7.2, RFC 5042 section
 * 6.3.5.
 */
struct refusal {
    enum rule_id write, read;
};

static const struct refusal
    out_of_place[] = {[3] = {RULE_DDP_7_1_13, RULE_RDMAP_7_2_11},  /* before the region */
                      [4] = {RULE_DDP_7_1_14, RULE_RDMAP_7_2_12}}, /* past its end */
    closed[] = {[MEMORY_IS_WRONG] = {RULE_DDP_7_1_12, RULE_SEC_6_3_5_01},
                [MEMORY_IS_FOREIGN] = {RULE_DDP_8_2_01, RULE_RDMAP_7_2_10},
                [MEMORY_IS_GONE] = {RULE_DDP_7_1_11, RULE_RDMAP_7_2_09},
                [MEMORY_IS_UNKNOWN] = {RULE_DDP_7_1_11, RULE_RDMAP_7_2_09}},
    /* A message without octets is not checked (RFC 5041 section 5.2, RFC 5040 section 5.2.1). */
    unchecked = {RULE_DDP_5_2_16, RULE_RDMAP_5_2_1_17}, usual = {RULE_DDP_5_2_05, RULE_RDMAP_4_4_08};

/* The region or the place that is refused: a vector has at most one. */
static bool is_out_of_place(const int *vector)
{
    return geometry_refused(NULL, GEOMETRY_AT_PLACE, vector[GEOMETRY_AT_PLACE]);
}

static bool geometry_model_is_closed(const int *vector)
{
    return geometry_refused(NULL, GEOMETRY_AT_MEMORY, vector[GEOMETRY_AT_MEMORY]);
}

static const struct refusal *refusal_of(const int *vector)
{
    if (!is_out_of_place(vector) && !geometry_model_is_closed(vector))
        return &usual;
    if (pairs_is(&pairs_geometry, vector, GEOMETRY_AT_LEN, "0"))
        return &unchecked;
    return geometry_model_is_closed(vector) ? &closed[vector[GEOMETRY_AT_MEMORY]]
                                            : &out_of_place[vector[GEOMETRY_AT_PLACE]];
}

unsigned geometry_served(const int *vector, enum rule_id *rule)
{
    const struct geometry_plan plan = geometry_plan_of(vector);
    const struct refusal *refusal = refusal_of(vector);

    *rule = plan.is_read ? refusal->read : refusal->write;
    if (refusal == &usual || refusal == &unchecked)
        return plan.n;
    return pairs_is(&pairs_geometry, vector, GEOMETRY_AT_PLACE, "over") ? plan.n - 1
                                                                        : 0; /* only the last message is past the end */
}
