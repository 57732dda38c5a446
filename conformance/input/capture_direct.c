// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng. Packets are used in place in the single buffer; before a
 * refill, the remaining octets move to its front.
 */
#include "conformance/input/capture_direct.h"

#include "conformance/input/capture_drops.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/dlt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER = 256 << 10, /* fits the second-level cache */
    PCAP_HEADER = 24,
    PCAP_RECORD = 16,
    PCAP_VERSION_MAJOR = 2,
    PCAP_VERSION_MINOR = 4,
    BLOCK_MIN = 12,
    SECTION_MIN = 28,
    INTERFACE_MIN = 20,
    PACKET_MIN = 32,
    PACKET_DATA = 28, /* offset from the start of the block */
    OPTION_END = 0,
    OPTION_TIME_RESOLUTION = 9,
    OPTION_TIME_OFFSET = 14,
    DECIMAL_MICROSECONDS = 6,
    DECIMAL_NANOSECONDS = 9,
    NS_PER_SECOND = 1000000000,
    TICK_MICROSECOND = 1000,
    INTERFACES_MAX = 64,
    SNAP_MAX = 262144, /* as in libpcap */
};

static const uint32_t pcap_microseconds = 0xa1b2c3d4, pcap_nanoseconds = 0xa1b23c4d;
static const uint32_t block_section = 0x0a0d0d0a, section_magic = 0x1a2b3c4d;
enum {
    BLOCK_INTERFACE = 1,
    BLOCK_OLD_PACKET = 2,
    BLOCK_SIMPLE_PACKET = 3,
    BLOCK_PACKET = 6,
};

struct capture_direct {
    int fd;
    uint32_t snap_length;
    bool pcapng;
    uint64_t offset;   /* in the file, of the octets after the buffer */
    size_t start, end; /* in the buffer */
    bool ended;        /* the file has ended */
    bool pipe, waits;  /* waits: the pipe is empty now */
    struct drops_stream drops;
    uint32_t tick[INTERFACES_MAX]; /* of times, in nanoseconds: 1 or 1000 */
    int linktype[INTERFACES_MAX];
    uint32_t snap[INTERFACES_MAX];
    unsigned interfaces;
    uint16_t first_link; /* of the first interface, in the file */
    uint8_t buffer[BUFFER];
};

static uint32_t direct_get32(const uint8_t *p)
{
    uint32_t value;

    memcpy(&value, p, sizeof value);
    return value;
}

static uint16_t direct_get16(const uint8_t *p)
{
    uint16_t value;

    memcpy(&value, p, sizeof value);
    return value;
}

static bool direct_fill(struct capture_direct *direct, size_t n)
{
    if (n > sizeof direct->buffer || direct->ended)
        return false;
    memmove(direct->buffer, direct->buffer + direct->start, direct->end - direct->start);
    direct->end -= direct->start;
    direct->start = 0;
    while (direct->end < n) {
        uint8_t *to = direct->buffer + direct->end;
        size_t room = sizeof direct->buffer - direct->end;
        ssize_t got = direct->pipe ? read(direct->fd, to, room) : pread(direct->fd, to, room, (off_t)direct->offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN && direct->pipe) {
            direct->waits = true;
            return false;
        }
        if (got <= 0) { /* libpcap meets the same error again, and reports it */
            direct->ended = true;
            return false;
        }
        direct->end += (size_t)got;
        direct->offset += (uint64_t)got;
    }
    return true;
}

/* Ensures that n octets are in the buffer, if the file has them. */
static inline bool direct_have(struct capture_direct *direct, size_t n)
{
    return direct->end - direct->start >= n || direct_fill(direct, n);
}

/* The status when the file or pipe has fewer octets than the record. */
static enum direct_status direct_stopped(struct capture_direct *direct)
{
    if (direct->waits)
        return DIRECT_WAIT;
    return !direct_have(direct, 1) && direct->start == direct->end ? DIRECT_END : DIRECT_UNUSUAL;
}

/* Sets a time from ticks of `tick` nanoseconds. False: libpcap would return another time. */
static bool direct_set_time(struct direct_record *record, uint64_t ticks, uint32_t tick)
{
    static const uint64_t limit = ((uint64_t)INT32_MAX + 1) * NS_PER_SECOND;

    if (ticks >= (tick == 1 ? limit : limit / TICK_MICROSECOND))
        return false;
    record->time_ns = (int64_t)(ticks * tick);
    return true;
}

/* ---- pcap ---- */

static bool begin_pcap(struct capture_direct *direct)
{
    uint32_t magic;

    if (!direct_have(direct, PCAP_HEADER))
        return false;
    magic = direct_get32(direct->buffer);
    if ((magic != pcap_microseconds && magic != pcap_nanoseconds) ||
        direct_get16(direct->buffer + 4) != PCAP_VERSION_MAJOR ||
        direct_get16(direct->buffer + 6) != PCAP_VERSION_MINOR)
        return false;
    direct->tick[0] = magic == pcap_nanoseconds ? 1 : TICK_MICROSECOND;
    direct->start = PCAP_HEADER;
    return true;
}

static enum direct_status next_pcap(struct capture_direct *direct, struct direct_record *record)
{
    const uint8_t *p;
    uint32_t seconds, fraction, tick = direct->tick[0];
    uint64_t ns;

    if (!direct_have(direct, PCAP_RECORD))
        return direct_stopped(direct);
    p = direct->buffer + direct->start;
    seconds = direct_get32(p);
    fraction = direct_get32(p + 4);
    record->captured = direct_get32(p + 8);
    record->length = direct_get32(p + 12);
    ns = (uint64_t)fraction * tick;
    if (record->captured > direct->snap_length || ns >= NS_PER_SECOND ||
        !direct_set_time(record, (uint64_t)seconds * NS_PER_SECOND + ns, 1) ||
        !direct_have(direct, PCAP_RECORD + (size_t)record->captured))
        return DIRECT_UNUSUAL;
    record->data = direct->buffer + direct->start + PCAP_RECORD;
    record->linktype = direct->linktype[0];
    direct->start += PCAP_RECORD + (size_t)record->captured;
    return DIRECT_PACKET;
}

/* ---- pcapng ---- */

/* The whole block at the start of the buffer; NULL: the block is invalid. */
static const uint8_t *whole_block(struct capture_direct *direct, uint32_t *length)
{
    if (!direct_have(direct, BLOCK_MIN))
        return NULL;
    *length = direct_get32(direct->buffer + direct->start + 4);
    if (*length < BLOCK_MIN || *length % 4 != 0 || !direct_have(direct, *length) ||
        direct_get32(direct->buffer + direct->start + *length - 4) != *length)
        return NULL;
    return direct->buffer + direct->start;
}

static bool begin_pcapng(struct capture_direct *direct)
{
    const uint8_t *block;
    uint32_t length;

    if (!direct_have(direct, SECTION_MIN) || direct_get32(direct->buffer) != block_section ||
        direct_get32(direct->buffer + 8) != section_magic || direct_get16(direct->buffer + 12) != 1 ||
        direct_get16(direct->buffer + 14) != 0)
        return false;
    block = whole_block(direct, &length);
    if (!block || length < SECTION_MIN)
        return false;
    direct->start += length;
    direct->pcapng = true;
    return true;
}

/* The tick after an option of an interface; 0: unusual. */
static uint32_t tick_after(uint32_t tick, uint16_t code, uint16_t length, const uint8_t *value)
{
    if (code == OPTION_TIME_OFFSET)
        return 0;
    if (code != OPTION_TIME_RESOLUTION)
        return tick;
    if (length != 1)
        return 0;
    return *value == DECIMAL_NANOSECONDS ? 1 : *value == DECIMAL_MICROSECONDS ? TICK_MICROSECOND : 0;
}

/* The tick according to the options p[0..n) of an interface; 0: unusual. */
static uint32_t resolution(const uint8_t *p, size_t n)
{
    uint32_t tick = TICK_MICROSECOND;

    while (n >= 4 && tick != 0) {
        uint16_t code = direct_get16(p), length = direct_get16(p + 2);
        size_t padded = 4 + (((size_t)length + 3) & ~(size_t)3);

        if (code == OPTION_END)
            return tick;
        if (padded > n)
            return 0;
        tick = tick_after(tick, code, length, p + 4);
        p += padded;
        n -= padded;
    }
    return n == 0 ? tick : 0;
}

/*
 * DLT_* of a link type that files have: higher ones are equal, lower ones are not always, and libpcap may change the
 * packets. -1: left to libpcap.
 */
static int direct_linktype_of(const struct capture_direct *direct, uint16_t link)
{
    enum { LINK_ETHERNET = 1, LINK_RAW = 101, LINKS_EQUAL = 104 };

    if (direct->interfaces > 0 && link == direct->first_link)
        return direct->linktype[0];
    return link == LINK_RAW ? DLT_RAW : link == LINK_ETHERNET || link >= LINKS_EQUAL ? link : -1;
}

static bool take_interface(struct capture_direct *direct, const uint8_t *block, uint32_t length)
{
    uint32_t tick, snap;
    uint16_t link;

    if (length < INTERFACE_MIN || direct->interfaces == INTERFACES_MAX)
        return false;
    tick = resolution(block + 16, length - INTERFACE_MIN);
    if (tick == 0)
        return false;
    link = direct_get16(block + 8);
    snap = direct_get32(block + 12);
    if (direct->interfaces > 0) {
        direct->linktype[direct->interfaces] = direct_linktype_of(direct, link);
        direct->snap[direct->interfaces] = snap == 0 || snap > SNAP_MAX ? SNAP_MAX : snap;
    } else { /* as libpcap read it */
        direct->first_link = link;
        direct->snap[0] = direct->snap_length;
    }
    if (direct->linktype[direct->interfaces] < 0)
        return false;
    direct->tick[direct->interfaces++] = tick;
    return true;
}

static bool direct_take_packet(const struct capture_direct *direct, const uint8_t *block, uint32_t length,
                               struct direct_record *record)
{
    uint32_t interface;

    if (length < PACKET_MIN)
        return false;
    interface = direct_get32(block + 8);
    record->captured = direct_get32(block + 20);
    record->length = direct_get32(block + 24);
    record->data = block + PACKET_DATA;
    record->linktype = interface < direct->interfaces ? direct->linktype[interface] : -1;
    return interface < direct->interfaces && record->captured <= length - PACKET_MIN &&
           record->captured <= direct->snap[interface] &&
           direct_set_time(record, (uint64_t)direct_get32(block + 12) << 32 | direct_get32(block + 16),
                           direct->tick[interface]);
}

static enum direct_status next_pcapng(struct capture_direct *direct, struct direct_record *record)
{
    for (;;) {
        uint32_t length, type;
        const uint8_t *block = whole_block(direct, &length);

        if (!block)
            return direct_stopped(direct);
        type = direct_get32(block);
        if (type == BLOCK_PACKET) {
            if (!direct_take_packet(direct, block, length, record))
                return DIRECT_UNUSUAL;
            direct->start += length;
            return DIRECT_PACKET;
        }
        if (type == block_section || type == BLOCK_OLD_PACKET || type == BLOCK_SIMPLE_PACKET ||
            (type == BLOCK_INTERFACE && !take_interface(direct, block, length)))
            return DIRECT_UNUSUAL;
        drops_block(&direct->drops, block, length);
        direct->start += length;
    }
}

/* ---- both ---- */

struct capture_direct *direct_open(int fd, const struct direct_facts *facts)
{
    struct capture_direct *direct = malloc(sizeof *direct);

    if (!direct)
        return NULL;
    memset(direct, 0, offsetof(struct capture_direct, buffer));
    direct->fd = fd;
    direct->snap_length = facts->snap_length;
    direct->linktype[0] = facts->linktype;
    if (begin_pcapng(direct) || begin_pcap(direct))
        return direct;
    direct_close(direct);
    return NULL;
}

struct capture_direct *direct_open_pipe(int fd)
{
    struct capture_direct *direct = malloc(sizeof *direct);
    int flags = fcntl(fd, F_GETFL);

    if (!direct)
        return NULL;
    memset(direct, 0, offsetof(struct capture_direct, buffer));
    direct->fd = fd;
    direct->pipe = true;
    direct->snap_length = sizeof direct->buffer;
    direct->linktype[0] = DLT_EN10MB;
    if (begin_pcapng(direct) && flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0)
        return direct;
    direct_close(direct);
    return NULL;
}

void direct_close(struct capture_direct *direct)
{
    free(direct);
}

enum direct_status direct_next(struct capture_direct *direct, struct direct_record *record)
{
    direct->waits = false;
    return direct->pcapng ? next_pcapng(direct, record) : next_pcap(direct, record);
}

uint64_t direct_position(const struct capture_direct *direct)
{
    return direct->offset - (direct->end - direct->start);
}

uint64_t direct_dropped(const struct capture_direct *direct)
{
    return direct->drops.sum.dropped;
}
