// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/capture_drops.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum {
    SECTION_MIN = 28,
    BLOCK_MIN = 12,
    BLOCK_STATISTICS = 5,
    STATISTICS_OPTIONS = 20,   /* offset from the start of the block */
    STATISTICS_MAX = 64 << 10, /* octets of a block that are read */
    BLOCKS_MAX = 256,
    OPTION_END = 0,
    OPTION_DROPPED_BY_INTERFACE = 5,
    OPTION_DROPPED_BY_SYSTEM = 7,
    COUNTER = 8,
};
/* Blocks with packets: statistics before them do not cover the whole capture. */
static const uint32_t packet_blocks[] = {2, 3, 6};
static const uint32_t block_section = 0x0a0d0d0a, section_magic = 0x1a2b3c4d;

struct file {
    int fd;
    bool swapped; /* the other byte order */
};

static bool get(const struct file *file, int64_t at, uint8_t *p, size_t n)
{
    return pread(file->fd, p, n, (off_t)at) == (ssize_t)n;
}

static uint32_t drops_get32(const struct file *file, const uint8_t *p)
{
    uint32_t value;

    memcpy(&value, p, sizeof value);
    return file->swapped ? __builtin_bswap32(value) : value;
}

static uint16_t drops_get16(const struct file *file, const uint8_t *p)
{
    uint16_t value;

    memcpy(&value, p, sizeof value);
    return file->swapped ? __builtin_bswap16(value) : value;
}

static uint64_t get64(const struct file *file, const uint8_t *p)
{
    uint64_t value;

    memcpy(&value, p, sizeof value);
    return file->swapped ? __builtin_bswap64(value) : value;
}

static bool is_pcapng(struct file *file)
{
    uint8_t header[BLOCK_MIN];

    if (!get(file, 0, header, sizeof header) || drops_get32(file, header) != block_section)
        return false;
    file->swapped = drops_get32(file, header + 8) != section_magic;
    return drops_get32(file, header + 8) == section_magic;
}

/* Drops from the options p[0..n) of an Interface Statistics Block. */
static uint64_t drops_of(const struct file *file, const uint8_t *p, size_t n)
{
    uint64_t drops = 0;

    while (n >= 4) {
        uint16_t code = drops_get16(file, p), length = drops_get16(file, p + 2);
        size_t padded = 4 + (((size_t)length + 3) & ~(size_t)3);

        if (code == OPTION_END || padded > n)
            break;
        if ((code == OPTION_DROPPED_BY_INTERFACE || code == OPTION_DROPPED_BY_SYSTEM) && length == COUNTER)
            drops += get64(file, p + 4);
        p += padded;
        n -= padded;
    }
    return drops;
}

static bool has_packets(uint32_t type)
{
    for (size_t i = 0; i < sizeof packet_blocks / sizeof packet_blocks[0]; i++)
        if (packet_blocks[i] == type)
            return true;
    return false;
}

/* Later statistics of an interface include the earlier ones; seen from the end. */
static bool is_latest(uint32_t interface, uint64_t *counted)
{
    uint64_t bit = interface < 64 ? UINT64_C(1) << interface : 0;
    bool latest = (*counted & bit) == 0;

    *counted |= bit;
    return latest;
}

uint64_t capture_drops(int fd, int64_t size)
{
    struct file file = {.fd = fd};
    uint8_t block[STATISTICS_MAX];
    uint64_t drops = 0, counted = 0; /* counted: bits of interfaces */
    int64_t end = size;

    if (!is_pcapng(&file))
        return 0;
    for (unsigned i = 0; i < BLOCKS_MAX && end >= SECTION_MIN + BLOCK_MIN; i++) { /* each block ends with its length */
        uint32_t length;

        if (!get(&file, end - 4, block, 4))
            break;
        length = drops_get32(&file, block);
        if (length < BLOCK_MIN || length % 4 != 0 || length > end - SECTION_MIN ||
            !get(&file, end - length, block, BLOCK_MIN) || drops_get32(&file, block + 4) != length ||
            has_packets(drops_get32(&file, block)))
            break;
        if (drops_get32(&file, block) == BLOCK_STATISTICS && length > STATISTICS_OPTIONS && length <= sizeof block &&
            get(&file, end - length, block, length) && is_latest(drops_get32(&file, block + 8), &counted))
            drops += drops_of(&file, block + STATISTICS_OPTIONS, length - STATISTICS_OPTIONS - 4);
        if (drops_get32(&file, block) == block_section)
            counted = 0; /* what is before belongs to another section */
        end -= length;
    }
    return drops;
}

/* ---- streams ---- */

/* The length of the block whose first BLOCK_MIN octets are kept; 0: not pcapng. */
static uint32_t begin_block(struct drops_stream *stream, uint32_t *type)
{
    static const struct file native;
    struct file file = {.swapped = stream->swapped};
    uint32_t length;

    *type = drops_get32(&file, stream->kept);
    if (*type == block_section) { /* the same in both orders */
        file.swapped = drops_get32(&native, stream->kept + 8) != section_magic;
        if (drops_get32(&file, stream->kept + 8) != section_magic)
            return 0;
        stream->swapped = file.swapped;
        stream->begun = true;
        memset(stream->dropped, 0, sizeof stream->dropped); /* interfaces have the numbers of their section */
    }
    length = drops_get32(&file, stream->kept + 4);
    return stream->begun && length >= BLOCK_MIN && length % 4 == 0 ? length : 0;
}

/* A whole block. Later statistics of an interface include the earlier ones. */
static void drops_take_statistics(struct drops_stream *stream, const struct file *file, const uint8_t *block,
                                  uint32_t length)
{
    const uint32_t last = sizeof stream->dropped / sizeof stream->dropped[0] - 1;
    uint32_t interface = drops_get32(file, block + 8);
    uint64_t *counted = &stream->dropped[interface < last ? interface : last], dropped;

    if (length <= STATISTICS_OPTIONS)
        return;
    dropped = drops_of(file, block + STATISTICS_OPTIONS, length - STATISTICS_OPTIONS - 4);
    if (dropped <= *counted)
        return;
    stream->sum += dropped - *counted;
    *counted = dropped;
}

void drops_statistics(struct drops_stream *stream, const uint8_t *block, uint32_t length)
{
    static const struct file native;

    drops_take_statistics(stream, &native, block, length);
}

/* Called when octets are kept: decides what follows them. */
static void look_at_block(struct drops_stream *stream)
{
    uint32_t type, length = begin_block(stream, &type);

    stream->unusual = length == 0;
    if (length == 0)
        return;
    if (type == BLOCK_STATISTICS && length <= sizeof stream->kept && stream->n_kept < length) {
        stream->to_keep = length;
        return;
    }
    if (type == BLOCK_STATISTICS && stream->n_kept == length)
        drops_take_statistics(stream, &(struct file){.swapped = stream->swapped}, stream->kept, length);
    stream->to_skip = length - stream->n_kept;
    stream->n_kept = stream->to_keep = 0;
}

void drops_octets(struct drops_stream *stream, const uint8_t *p, size_t n)
{
    while (n > 0 && !stream->unusual) {
        uint32_t to_keep = stream->to_keep ? stream->to_keep : BLOCK_MIN;
        size_t step = stream->to_skip ? stream->to_skip : to_keep - stream->n_kept;

        step = step < n ? step : n;
        if (stream->to_skip) {
            stream->to_skip -= (uint32_t)step;
        } else {
            memcpy(stream->kept + stream->n_kept, p, step);
            stream->n_kept += (uint32_t)step;
            if (stream->n_kept == to_keep)
                look_at_block(stream);
        }
        p += step;
        n -= step;
    }
}
