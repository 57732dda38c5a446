// SPDX-License-Identifier: GPL-2.0-or-later
/* The regions of both sides. */
#include "traffic-gen/scenario/work_read.h"
#include "traffic-gen/speak/sim/random.h"

#include <string.h>

enum { REGIONS_MAX = 64, NAME_MAX_LENGTH = 64, SIDE_MAX = 64 << 20 /* octets for one side */ };

static bool memory_is_taken(const struct work *work, enum role role, uint32_t stag)
{
    for (unsigned i = 0; i < work->regions[role]->len; i++) {
        if (g_array_index(work->regions[role], struct work_region, i).stag == stag)
            return true;
    }
    return false;
}

/* Hard to guess (RFC 5040 section 8.1.1), but always the same, so that each side can know the other's. */
static uint32_t memory_stag_of(const struct work *work, enum role role)
{
    struct random_source random = {.state = 0x57A6 + role + UINT64_C(2) * work->regions[role]->len};
    uint32_t stag;

    do
        stag = (uint32_t)random_next(&random);
    while (stag == 0 || memory_is_taken(work, role, stag));
    return stag;
}

static const char *memory_wrong_name(const char *name)
{
    if (g_ascii_isdigit(*name))
        return "the name of a region does not begin with a digit";
    if (strlen(name) > NAME_MAX_LENGTH)
        return "the name of a region has at most 64 characters";
    for (; *name; name++) {
        if (!g_ascii_isalnum(*name) && !strchr("._-", *name))
            return "the name of a region has letters, digits, '.', '_' and '-'";
    }
    return NULL;
}

/* Why the region cannot be added; NULL: it can. */
static const char *memory_wrong(const struct work *work, enum role role, const char *name,
                                const struct work_region *region)
{
    uint64_t octets = region->octets;

    for (unsigned i = 0; i < work->regions[role]->len; i++) {
        const struct work_region *other = &g_array_index(work->regions[role], struct work_region, i);

        octets += other->octets;
        if (strcmp(other->name, name) == 0)
            return "this side has another region of this name";
    }
    if (work->regions[role]->len >= REGIONS_MAX)
        return "a side has more than 64 regions";
    if (octets > SIDE_MAX)
        return "the regions of a side have more than 64 MiB";
    if (region->octets > 0 && region->to > UINT64_MAX - (region->octets - 1))
        return "the region ends past the last Tagged Offset";
    if (region->stag && memory_is_taken(work, role, region->stag))
        return "this side has another region with this STag";
    return memory_wrong_name(name);
}

static unsigned memory_rights(struct words *words)
{
    static const struct {
        const char *name;
        unsigned right;
    } names[] = {
        {"none", 0}, {"read", MEMORY_REMOTE_READ}, {"write", MEMORY_REMOTE_WRITE}, {"atomic", MEMORY_REMOTE_ATOMIC}};
    const char *value = words_value(words, "rights");
    g_auto(GStrv) said = g_strsplit(value ? value : "read+write+atomic", "+", -1);
    unsigned rights = 0;

    for (unsigned i = 0; said[i]; i++) {
        unsigned k = 0;

        while (k < G_N_ELEMENTS(names) && strcmp(names[k].name, said[i]) != 0)
            k++;
        if (k < G_N_ELEMENTS(names))
            rights |= names[k].right;
        else
            words_refuse_because(words, "rights", "allowed here: read, write, atomic, with '+' between them, or none");
    }
    return rights;
}

void work_read_memory(struct words *words, struct work *work, enum role role)
{
    static const struct work_field fields[] = {WORK_FIELD("len", struct work_region, octets, 0, SIDE_MAX),
                                               WORK_FIELD("to", struct work_region, to, 0, UINT64_MAX),
                                               WORK_FIELD("stag", struct work_region, stag, 1, UINT32_MAX),
                                               WORK_FIELD("fill", struct work_region, fill, 0, UINT8_MAX),
                                               WORK_FIELD("invalidable", struct work_region, invalidable, 0, 1)};
    struct work_region region = {.octets = 4096, .fill = -1};
    const char *name = words_first(words), *wrong;

    if (!name) {
        words_refuse_because(words, "memory", "the name of the region is missing");
        return;
    }
    region.rights = memory_rights(words);
    work_read_fields(words, fields, G_N_ELEMENTS(fields), "", &region);
    wrong = memory_wrong(work, role, name, &region);
    if (wrong)
        words_refuse_because(words, name, wrong);
    if (!words_good(words))
        return;
    if (!region.stag)
        region.stag = memory_stag_of(work, role);
    region.name = g_strdup(name);
    g_array_append_val(work->regions[role], region);
}
