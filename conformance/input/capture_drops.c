// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/capture_drops.h"

#include <pcap/dlt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SECTION_MIN = 28,
    BLOCK_MIN = 12,
    BLOCK_INTERFACE = 1,
    BLOCK_OLD_PACKET = 2,
    BLOCK_STATISTICS = 5,
    BLOCK_PACKET = 6,
    INTERFACE_LINK = 8,
    INTERFACE_SNAP = 12,
    INTERFACE_OPTIONS = 16,  /* offset from the start of the block */
    STATISTICS_OPTIONS = 20, /* the same */
    BLOCK_MAX = 64 << 10,    /* octets of a block that are read */
    BLOCKS_MAX = 256,
    INTERFACES = sizeof((struct drops_stream *)0)->interface / sizeof((struct drops_stream *)0)->interface[0],
    OPTION_END = 0,
    OPTION_END_TIME = 3,
    OPTION_RECEIVED = 4,
    OPTION_DROPPED_BY_INTERFACE = 5,
    OPTION_DROPPED_BY_SYSTEM = 7,
    OPTION_TIME_RESOLUTION = 9,
    OPTION_TIME_OFFSET = 14,
    COUNTER = 8,
    RESOLUTION_DEFAULT = 6,
    RESOLUTION_BINARY = 0x80,
    NS_PER_SECOND = 1000000000,
    SNAP_LARGEST = 262144,
    LINK_RAW = 101,
    LINKS_KEPT = 1 << 16, /* more packets than stdio reads ahead */
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

/* The next option of *p[0..*n): its code and length, with the value at *value; OPTION_END: there is none. */
static uint16_t next_option(const struct file *file, const uint8_t **p, size_t *n, uint16_t *length,
                            const uint8_t **value)
{
    uint16_t code = *n >= 4 ? drops_get16(file, *p) : OPTION_END;
    size_t padded;

    if (code == OPTION_END)
        return OPTION_END;
    *length = drops_get16(file, *p + 2);
    padded = 4 + (((size_t)*length + 3) & ~(size_t)3);
    if (padded > *n)
        return OPTION_END;
    *value = *p + 4;
    *p += padded;
    *n -= padded;
    return code;
}

/* Of a whole Interface Description Block. */
static struct drops_clock clock_of(const struct file *file, const uint8_t *block, uint32_t length)
{
    struct drops_clock clock = {.known = true, .resolution = RESOLUTION_DEFAULT};
    const uint8_t *p = block + INTERFACE_OPTIONS, *value;
    size_t n = length >= INTERFACE_OPTIONS + 4 ? length - INTERFACE_OPTIONS - 4 : 0;
    uint16_t code, size;

    while ((code = next_option(file, &p, &n, &size, &value)) != OPTION_END)
        if (code == OPTION_TIME_RESOLUTION && size == 1)
            clock.resolution = *value;
        else if (code == OPTION_TIME_OFFSET && size == COUNTER)
            clock.offset_s = (int64_t)get64(file, value);
    return clock;
}

/* The upper half of the ticks precedes the lower half in both byte orders. 0: unknown, or no time of a real capture. */
static int64_t stamp_at(const struct file *file, const struct drops_clock *clock, const uint8_t *p)
{
    static const double seconds_max = 1e9 * 8;
    uint64_t ticks = (uint64_t)drops_get32(file, p) << 32 | drops_get32(file, p + 4), whole;
    unsigned digits = clock->resolution & ~RESOLUTION_BINARY;
    double per_second = 1, fraction;

    if (!clock->known || ticks == 0 || digits >= ((clock->resolution & RESOLUTION_BINARY) != 0 ? 63 : 19))
        return 0;
    for (unsigned i = 0; i < digits; i++)
        per_second *= (clock->resolution & RESOLUTION_BINARY) != 0 ? 2 : 10;
    whole = ticks / (uint64_t)per_second;
    fraction = (double)(ticks % (uint64_t)per_second) / per_second;
    if (whole > INT64_MAX / 2 || (double)whole + (double)clock->offset_s < 0 ||
        (double)whole + (double)clock->offset_s > seconds_max)
        return 0;
    return ((int64_t)whole + clock->offset_s) * NS_PER_SECOND + (int64_t)(fraction * NS_PER_SECOND + 0.5);
}

/* Of a whole Interface Statistics Block. */
static struct capture_counts counts_of(const struct file *file, const struct drops_clock *clock, const uint8_t *block,
                                       uint32_t length)
{
    struct capture_counts counts = {0};
    const uint8_t *p = block + STATISTICS_OPTIONS, *value;
    size_t n = length > STATISTICS_OPTIONS + 4 ? length - STATISTICS_OPTIONS - 4 : 0;
    uint16_t code, size;

    if (length <= STATISTICS_OPTIONS)
        return counts;
    counts.ended_ns = stamp_at(file, clock, block + BLOCK_MIN);
    while ((code = next_option(file, &p, &n, &size, &value)) != OPTION_END) {
        if (size != COUNTER)
            continue;
        if (code == OPTION_DROPPED_BY_INTERFACE || code == OPTION_DROPPED_BY_SYSTEM)
            counts.dropped += get64(file, value);
        else if (code == OPTION_RECEIVED)
            counts.delivered = get64(file, value);
        else if (code == OPTION_END_TIME)
            counts.ended_ns = stamp_at(file, clock, value);
    }
    counts.delivered -= counts.dropped < counts.delivered ? counts.dropped : counts.delivered;
    return counts;
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
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

/* The interfaces that are described before the first packet. block: room for BLOCK_MAX octets. */
static void read_clocks(const struct file *file, int64_t size, uint8_t *block, struct drops_clock *clock)
{
    int64_t at = 0;
    uint32_t n = 0;

    for (unsigned i = 0; i < BLOCKS_MAX && n < INTERFACES && at <= size - BLOCK_MIN; i++) {
        uint32_t length, type;

        if (!get(file, at, block, BLOCK_MIN))
            return;
        type = drops_get32(file, block);
        length = drops_get32(file, block + 4);
        if (length < BLOCK_MIN || length % 4 != 0 || length > size - at || has_packets(type) ||
            (type == block_section && at > 0))
            return;
        if (type == BLOCK_INTERFACE && length <= BLOCK_MAX && get(file, at, block, length))
            clock[n++] = clock_of(file, block, length);
        at += length;
    }
}

struct capture_counts capture_drops(int fd, int64_t size)
{
    struct file file = {.fd = fd};
    uint8_t block[BLOCK_MAX];
    struct drops_clock clock[INTERFACES] = {0};
    struct capture_counts sum = {0};
    uint64_t counted = 0; /* bits of interfaces */
    int64_t end = size;

    if (!is_pcapng(&file))
        return sum;
    read_clocks(&file, size, block, clock);
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
            get(&file, end - length, block, length) && is_latest(drops_get32(&file, block + 8), &counted)) {
            uint32_t interface = drops_get32(&file, block + 8);
            struct capture_counts counts =
                counts_of(&file, &clock[interface < INTERFACES ? interface : INTERFACES - 1], block, length);

            sum.dropped += counts.dropped;
            sum.delivered += counts.delivered;
            sum.ended_ns = later_of(sum.ended_ns, counts.ended_ns);
        }
        if (drops_get32(&file, block) == block_section)
            counted = 0; /* octets before it belong to another section */
        end -= length;
    }
    return sum;
}

/* ---- streams ---- */

/* Octets from..to of the current block, which are kept, are at p. */
static void make_alike(const struct drops_stream *stream, uint8_t *p, uint32_t from, uint32_t to)
{
    const struct file file = {.swapped = stream->swapped};
    const uint32_t largest = SNAP_LARGEST, snap = drops_get32(&file, (const uint8_t *)&largest);
    const uint16_t first = stream->first_link == LINK_RAW ? DLT_RAW : stream->first_link; /* as libpcap compares it */
    const uint16_t link = drops_get16(&file, (const uint8_t *)&first);

    if (!stream->begun || to <= INTERFACE_LINK || drops_get32(&file, stream->kept) != BLOCK_INTERFACE)
        return;
    for (uint32_t at = from > INTERFACE_LINK ? from : INTERFACE_LINK; at < to && at < INTERFACE_OPTIONS; at++)
        if (at >= INTERFACE_SNAP)
            p[at - from] = ((const uint8_t *)&snap)[at - INTERFACE_SNAP];
        else if (at < INTERFACE_LINK + sizeof link && stream->described > 0)
            p[at - from] = ((const uint8_t *)&link)[at - INTERFACE_LINK];
}

static void drops_note_interface(struct drops_stream *stream, struct drops_interface *interface, uint16_t link)
{
    interface->link = link;
    if (stream->described++ == 0)
        stream->first_link = link;
    if (link != stream->first_link && !stream->links)
        stream->links = calloc(LINKS_KEPT, sizeof *stream->links);
}

static void drops_note_packet(struct drops_stream *stream, const struct file *file, uint32_t type)
{
    uint32_t number = type == BLOCK_PACKET       ? drops_get32(file, stream->kept + 8)
                      : type == BLOCK_OLD_PACKET ? drops_get16(file, stream->kept + 8)
                                                 : 0;

    if (stream->links)
        stream->links[stream->packets % LINKS_KEPT] =
            stream->first_link ^ stream->interface[number < INTERFACES ? number : INTERFACES - 1].link;
    stream->packets++;
}

int drops_linktype(const struct drops_stream *stream, uint64_t packet, int first)
{
    const int link = stream->links ? stream->first_link ^ stream->links[packet % LINKS_KEPT] : stream->first_link;

    return link == stream->first_link ? first : link == LINK_RAW ? DLT_RAW : link;
}

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
        memset(stream->interface, 0, sizeof stream->interface); /* interfaces have the numbers of their section */
        stream->interfaces = 0;
    }
    length = drops_get32(&file, stream->kept + 4);
    if (has_packets(*type))
        drops_note_packet(stream, &file, *type);
    return stream->begun && length >= BLOCK_MIN && length % 4 == 0 ? length : 0;
}

static bool is_counted(uint32_t type)
{
    return type == BLOCK_INTERFACE || type == BLOCK_STATISTICS;
}

/* A whole block. Later statistics of an interface include the earlier ones. */
static void take_block(struct drops_stream *stream, const struct file *file, const uint8_t *block, uint32_t length)
{
    uint32_t type = drops_get32(file, block), number;
    struct drops_interface *interface;
    struct capture_counts counts;

    number = type == BLOCK_INTERFACE ? stream->interfaces++ : drops_get32(file, block + 8);
    interface = &stream->interface[number < INTERFACES ? number : INTERFACES - 1];
    if (type == BLOCK_INTERFACE) {
        interface->clock = clock_of(file, block, length);
        if (stream->begun)
            drops_note_interface(stream, interface, drops_get16(file, block + INTERFACE_LINK));
        return;
    }
    counts = counts_of(file, &interface->clock, block, length);
    stream->sum.ended_ns = later_of(stream->sum.ended_ns, counts.ended_ns);
    if (counts.dropped > interface->counts.dropped)
        stream->sum.dropped += counts.dropped - interface->counts.dropped;
    if (counts.delivered > interface->counts.delivered)
        stream->sum.delivered += counts.delivered - interface->counts.delivered;
    counts.dropped = counts.dropped > interface->counts.dropped ? counts.dropped : interface->counts.dropped;
    counts.delivered = counts.delivered > interface->counts.delivered ? counts.delivered : interface->counts.delivered;
    interface->counts = counts;
}

void drops_block(struct drops_stream *stream, const uint8_t *block, uint32_t length)
{
    static const struct file native;

    if (is_counted(drops_get32(&native, block)))
        take_block(stream, &native, block, length);
}

/* Called when octets are kept: decides what follows them. */
static void look_at_block(struct drops_stream *stream)
{
    uint32_t type, length = begin_block(stream, &type);

    stream->unusual = length == 0;
    if (length == 0)
        return;
    if (is_counted(type) && length <= sizeof stream->kept && stream->n_kept < length) {
        stream->to_keep = length;
        return;
    }
    if (is_counted(type) && stream->n_kept == length)
        take_block(stream, &(struct file){.swapped = stream->swapped}, stream->kept, length);
    stream->to_skip = length - stream->n_kept;
    stream->n_kept = stream->to_keep = 0;
}

void drops_octets(struct drops_stream *stream, uint8_t *p, size_t n)
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
            make_alike(stream, p, stream->n_kept - (uint32_t)step, stream->n_kept);
            if (stream->n_kept == to_keep)
                look_at_block(stream);
        }
        p += step;
        n -= step;
    }
}
