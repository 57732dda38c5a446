// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/bulk/bulk.h"

#include "traffic-gen/speak/bulk/bulk_stream.h"
#include "wire/ddp.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

enum { SEGMENTS_PER_MESSAGE = 64, BULK_PORT = 7174 };

/* Writes RDMA Writes of this many DDP segments each. False with errno set when writing failed. */
static bool writes_play(struct capture_file *file, const struct bulk_options *options, unsigned segments)
{
    struct bulk_stream stream;
    struct mpa_startup request = {.kind = MPA_REQUEST, .revision = 1, .flags = options->no_crc ? 0 : MPA_FLAG_C};
    struct mpa_startup reply = {
        .kind = MPA_REPLY, .revision = 1, .flags = request.flags | (options->markers ? MPA_FLAG_M : 0)};
    uint8_t *ulpdu = g_malloc0(options->ulpdu);
    uint64_t count = MAX(options->size / bulk_stream_cost(options->ulpdu), 1);
    struct ddp_segment ddp = {.tagged = true, .dv = 1, .rv = 1, .opcode = RDMAP_WRITE, .stag = 0x5600};
    size_t room = options->ulpdu - DDP_TAGGED_HEADER_LEN;

    for (size_t i = 0; i < room; i++)
        ulpdu[DDP_TAGGED_HEADER_LEN + i] = (uint8_t)(i * 31);
    bulk_stream_init(&stream, file, options, BULK_PORT);
    bulk_stream_startup(&stream, &request, &reply);
    for (uint64_t i = 0; i < count && !stream.failed; i++) {
        ddp.to = i * room;
        ddp.last = i % segments == segments - 1 || i + 1 == count;
        ddp_header_encode(&ddp, ulpdu, options->ulpdu);
        bulk_stream_ulpdu(&stream, 0, ulpdu, (uint16_t)options->ulpdu);
    }

    bool good = bulk_stream_end(&stream);
    int error = errno;

    g_free(ulpdu);
    errno = error;
    return good;
}

static bool bulk_play(struct capture_file *file, const struct bulk_options *options)
{
    return writes_play(file, options, SEGMENTS_PER_MESSAGE);
}

static bool bulk_whole_play(struct capture_file *file, const struct bulk_options *options)
{
    return writes_play(file, options, 1);
}

static const struct bulk_scenario bulk_scenarios[] = {
    {"bulk", "one connection of --size octets with RDMA Writes of --ulpdu octets, for measurements", false, bulk_play},
    {"bulk-whole", "the same, each FPDU a whole RDMA Write", false, bulk_whole_play},
    {"nfs-bulk", "one connection of --size octets with NFSv3 READs and WRITEs of 1 MiB, for measurements", false,
     bulk_nfs_play},
    {"many", "--connections short connections, one in twenty left open, for measurements", true, bulk_many_play},
};

const struct bulk_scenario *bulk_at(unsigned index)
{
    return index < G_N_ELEMENTS(bulk_scenarios) ? &bulk_scenarios[index] : NULL;
}

const struct bulk_scenario *bulk_find(const char *name)
{
    const struct bulk_scenario *scenario;

    for (unsigned i = 0; (scenario = bulk_at(i)); i++) {
        if (strcmp(scenario->name, name) == 0)
            return scenario;
    }
    return NULL;
}
