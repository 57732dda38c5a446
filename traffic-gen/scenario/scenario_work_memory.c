// SPDX-License-Identifier: GPL-2.0-or-later
/* The regions of both sides. */
#include "traffic-gen/scenario/scenario_work.h"
#include "traffic-gen/sim/random.h"

#include <string.h>

enum { REGIONS_MAX = 64, OCTETS_MAX = 64 << 20 /* of one side */ };

static const char region_allowed[] = "octets, to, stag, rights, invalidable, fill";
static const char *const sides_allowed = "initiator, responder, both";

struct making {
    struct work *work;
    enum role role;
};

static bool read_rights(struct reading *r, const yaml_node_t *node, unsigned *rights)
{
    static const struct named names[] = {
        {"read", MEMORY_REMOTE_READ}, {"write", MEMORY_REMOTE_WRITE}, {"atomic", MEMORY_REMOTE_ATOMIC}, {NULL, 0}};

    return read_named_set(r, node, names, "this is no right", rights);
}

static bool read_region_value(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                              const yaml_node_t *value)
{
    static const struct member members[] = {MEMBER("octets", struct work_region, octets, 0, OCTETS_MAX),
                                            MEMBER("to", struct work_region, to, 0, UINT64_MAX),
                                            MEMBER("invalidable", struct work_region, invalidable, 0, 0),
                                            MEMBER("stag", struct work_region, stag, 1, UINT32_MAX),
                                            MEMBER("fill", struct work_region, fill, 0, UINT8_MAX)};
    const struct member *member = find_member(members, G_N_ELEMENTS(members), name);
    struct work_region *region = context;

    if (member)
        return read_member(r, member, value, region);
    if (strcmp(name, "rights") == 0)
        return read_rights(r, value, &region->rights);
    return complain(r, key, region_allowed, "'%s' is nothing that a region has", name);
}

static bool memory_is_taken(const struct work *work, enum role role, uint32_t stag)
{
    for (unsigned i = 0; i < work->regions[role]->len; i++) {
        if (g_array_index(work->regions[role], struct work_region, i).stag == stag)
            return true;
    }
    return false;
}

/* One that is hard to guess (RFC 5040 section 8.1.1), and always the same, so that either side can know the other's. */
static uint32_t memory_stag_of(const struct work *work, enum role role)
{
    struct random_source random = {.state = 0x57A6 + role + UINT64_C(2) * work->regions[role]->len};
    uint32_t stag;

    do
        stag = (uint32_t)random_next(&random);
    while (stag == 0 || memory_is_taken(work, role, stag));
    return stag;
}

static bool memory_add_region(struct reading *r, struct work *work, enum role role, const yaml_node_t *node,
                              const char *name, struct work_region region)
{
    uint64_t octets = region.octets;

    for (unsigned i = 0; i < work->regions[role]->len; i++) {
        const struct work_region *other = &g_array_index(work->regions[role], struct work_region, i);

        octets += other->octets;
        if (strcmp(other->name, name) == 0)
            return complain(r, node, NULL, "this side has another region of this name");
    }
    if (work->regions[role]->len >= REGIONS_MAX)
        return complain(r, node, NULL, "more than %d regions of one side", REGIONS_MAX);
    if (octets > OCTETS_MAX)
        return complain(r, node, NULL, "the regions of one side have more than %d octets", OCTETS_MAX);
    if (region.octets > 0 && region.to > UINT64_MAX - (region.octets - 1))
        return complain(r, node, NULL, "the region ends past the last Tagged Offset");
    if (region.stag && memory_is_taken(work, role, region.stag))
        return complain(r, node, NULL, "this side has another region with this STag");
    if (!region.stag)
        region.stag = memory_stag_of(work, role);
    region.name = g_strdup(name);
    g_array_append_val(work->regions[role], region);
    return true;
}

static bool memory_read_region(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                               const yaml_node_t *value)
{
    struct making *m = context;
    struct work_region region = {
        .octets = 4096,
        .rights = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC,
        .fill = -1,
    };

    return read_region_name(r, key) && read_mapping(r, value, region_allowed, read_region_value, &region) &&
           memory_add_region(r, m->work, m->role, key, name, region);
}

static bool memory_read_side(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                             const yaml_node_t *value)
{
    struct work *work = context;
    bool both = strcmp(name, "both") == 0;

    if (!both && strcmp(name, "initiator") != 0 && strcmp(name, "responder") != 0)
        return complain(r, key, sides_allowed, "'%s' has no memory", name);
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        struct making m = {.work = work, .role = role};

        if ((both || (*name == 'i') == (role == INITIATOR)) &&
            !read_mapping(r, value, "names of regions", memory_read_region, &m))
            return false;
    }
    return true;
}

bool read_work_memory(struct reading *r, struct work *work, const yaml_node_t *node)
{
    return read_mapping(r, node, sides_allowed, memory_read_side, work);
}
