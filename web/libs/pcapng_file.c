// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads pcapng files like libpcap 1.10, with the same messages. Format: draft-ietf-opsawg-pcapng. */
#include "web/libs/pcap_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_HEAD = 8,
    BLOCK_MIN = 12,
    SECTION_BODY = 16,
    INTERFACE_BODY = 8,
    PACKET_BODY = 20,
    SIMPLE_BODY = 4,
    OPTION_RESOLUTION = 9,
    OPTION_OFFSET = 14,
    BLOCK_INTERFACE = 1,
    BLOCK_OLD_PACKET = 2,
    BLOCK_SIMPLE = 3,
    BLOCK_PACKET = 6,
};

static const uint32_t block_section = 0x0a0d0d0a, section_magic = 0x1a2b3c4d;

/* A block in the buffer. */
struct block {
    uint32_t type, length;
    const uint8_t *body;
    size_t n; /* octets of the body */
};

enum got { GOT, GOT_END, GOT_ERROR };

static enum got read_octets(pcap_t *pcap, uint8_t *out, size_t n, bool end_allowed)
{
    size_t got = fread(out, 1, n, pcap->file);

    if (got == n)
        return GOT;
    if (got == 0 && end_allowed && !ferror(pcap->file))
        return GOT_END;
    pcap_say(pcap, "truncated pcapng dump file; tried to read %zu bytes, only got %zu", n, got);
    return GOT_ERROR;
}

static void say_short(pcap_t *pcap, uint32_t type)
{
    pcap_say(pcap, "block of type %u in pcapng dump file is too short", type);
}

/* The rest of a block whose head is in the buffer. */
static enum got read_rest(pcap_t *pcap, struct block *block)
{
    if (!pcap_room(pcap, block->length))
        return GOT_ERROR;
    if (read_octets(pcap, pcap->buffer + BLOCK_HEAD, block->length - BLOCK_HEAD, false) != GOT)
        return GOT_ERROR;
    if (pcap_get32(pcap, pcap->buffer + block->length - 4) != block->length) {
        pcap_say(pcap, "block total length in header and trailer don't match");
        return GOT_ERROR;
    }
    block->body = pcap->buffer + BLOCK_HEAD;
    block->n = block->length - BLOCK_MIN;
    return GOT;
}

/* A section begins, perhaps in the other byte order; its first 12 octets are in the buffer. */
static enum got read_section(pcap_t *pcap, struct block *block)
{
    if (pcap_get32(pcap, pcap->buffer + BLOCK_HEAD) != section_magic) {
        pcap->swapped = !pcap->swapped;
        if (pcap_get32(pcap, pcap->buffer + BLOCK_HEAD) != section_magic) {
            pcap_say(pcap, "the file has a section header block with an invalid byte order");
            return GOT_ERROR;
        }
    }
    block->length = pcap_get32(pcap, pcap->buffer + 4);
    if (block->length < BLOCK_MIN + SECTION_BODY || block->length > PCAP_BLOCK_MAX) {
        pcap_say(pcap, "Section Header Block in pcapng dump file has invalid length %u < _%u_ < %u (BT_SHB_INSANE_MAX)",
                 block->length, BLOCK_MIN + SECTION_BODY, 0x4000000);
        return GOT_ERROR;
    }
    if (!pcap_room(pcap, block->length) ||
        read_octets(pcap, pcap->buffer + BLOCK_MIN, block->length - BLOCK_MIN, false) != GOT)
        return GOT_ERROR;
    block->body = pcap->buffer + BLOCK_HEAD;
    block->n = block->length - BLOCK_MIN;
    return GOT;
}

static enum got read_block(pcap_t *pcap, struct block *block)
{
    enum got got;

    if (!pcap_room(pcap, BLOCK_MIN))
        return GOT_ERROR;
    got = read_octets(pcap, pcap->buffer, BLOCK_HEAD, true);
    if (got != GOT)
        return got;
    block->type = pcap_get32(pcap, pcap->buffer);
    block->length = pcap_get32(pcap, pcap->buffer + 4);
    if (block->type == block_section)
        return read_octets(pcap, pcap->buffer + BLOCK_HEAD, 4, false) == GOT ? read_section(pcap, block) : GOT_ERROR;
    if (block->length < BLOCK_MIN) {
        pcap_say(pcap, "block in pcapng dump file has a length of %u < %zu", block->length, (size_t)BLOCK_MIN);
        return GOT_ERROR;
    }
    if (block->length % 4 != 0) {
        pcap_say(pcap, "block in pcapng dump file has a length of %u that is not a multiple of 4", block->length);
        return GOT_ERROR;
    }
    if (block->length > PCAP_BLOCK_MAX) {
        pcap_say(pcap, "pcapng block size %u > maximum %u", block->length, PCAP_BLOCK_MAX);
        return GOT_ERROR;
    }
    return read_rest(pcap, block);
}

/* ---- interfaces ---- */

static uint64_t ticks_of(uint8_t resolution)
{
    uint64_t ticks = 1;

    if (resolution & 0x80)
        return (resolution & 0x7F) > 63 ? 0 : UINT64_C(1) << (resolution & 0x7F);
    for (; resolution > 0; resolution--)
        if (__builtin_mul_overflow(ticks, 10, &ticks))
            return 0;
    return ticks;
}

static bool take_option(pcap_t *pcap, struct pcap_interface *interface, uint16_t code, uint16_t length,
                        const uint8_t *value)
{
    if (code == OPTION_RESOLUTION) {
        interface->ticks_per_second = length == 1 ? ticks_of(*value) : 0;
        if (interface->ticks_per_second == 0)
            pcap_say(pcap, "Interface Description Block has if_tsresol option with an invalid value");
        return interface->ticks_per_second != 0;
    }
    if (code == OPTION_OFFSET) {
        uint32_t low, high;

        if (length != 8) {
            pcap_say(pcap, "Interface Description Block has if_tsoffset option with length %u != 8", length);
            return false;
        }
        low = pcap_get32(pcap, value + (pcap->swapped ? 4 : 0));
        high = pcap_get32(pcap, value + (pcap->swapped ? 0 : 4));
        interface->offset_s = (int64_t)((uint64_t)high << 32 | low);
    }
    return true;
}

static bool take_options(pcap_t *pcap, struct pcap_interface *interface, const uint8_t *p, size_t n)
{
    while (n > 0) {
        if (n < 4) {
            say_short(pcap, BLOCK_INTERFACE);
            return false;
        }

        uint16_t code = pcap_get16(pcap, p), length = pcap_get16(pcap, p + 2);
        size_t padded = 4 + (((size_t)length + 3) & ~(size_t)3);

        if (padded > n) {
            say_short(pcap, BLOCK_INTERFACE);
            return false;
        }
        if (code == 0 && length != 0)
            pcap_say(pcap, "Interface Description Block has opt_endofopt option with length %u != 0", length);
        if (code == 0)
            return length == 0;
        if (!take_option(pcap, interface, code, length, p + 4))
            return false;
        p += padded;
        n -= padded;
    }
    return true;
}

/* libpcap has one link type and one snap length for a file. */
static bool like_the_first(pcap_t *pcap, uint32_t linktype, uint32_t snap_length)
{
    if (pcap->n_interfaces == 0 && pcap->linktype < 0) {
        pcap->first_linktype = linktype;
        pcap->first_snap_length = snap_length;
        pcap->linktype = pcap_linktype_of(linktype);
        pcap->snap_length = pcap_snap_length_of(snap_length);
        return true;
    }
    if (linktype != pcap->first_linktype)
        pcap_say(pcap, "an interface has a type %u different from the type of the first interface", linktype);
    else if (pcap_snap_length_of(snap_length) != pcap->snap_length)
        pcap_say(pcap,
                 "an interface has a snapshot length %u different from the snapshot length of the first interface",
                 snap_length);
    else
        return true;
    return false;
}

static bool add_interface(pcap_t *pcap, const struct block *block)
{
    struct pcap_interface *larger;

    if (block->n < INTERFACE_BODY) {
        say_short(pcap, block->type);
        return false;
    }
    if (!like_the_first(pcap, pcap_get16(pcap, block->body), pcap_get32(pcap, block->body + 4)))
        return false;
    larger = pcap->n_interfaces < PCAP_INTERFACES_MAX
                 ? realloc(pcap->interfaces, (pcap->n_interfaces + 1) * sizeof *larger)
                 : NULL;
    if (!larger) {
        pcap_say(pcap, "more than %u interfaces in the file", pcap->n_interfaces);
        return false;
    }
    pcap->interfaces = larger;
    larger[pcap->n_interfaces] = (struct pcap_interface){.ticks_per_second = 1000000};
    return take_options(pcap, &larger[pcap->n_interfaces++], block->body + INTERFACE_BODY, block->n - INTERFACE_BODY);
}

bool pcapng_begin(pcap_t *pcap, const uint8_t magic[4])
{
    struct block block;
    enum got got;

    if (!pcap_room(pcap, BLOCK_MIN))
        return false;
    memcpy(pcap->buffer, magic, 4);
    pcap->linktype = -1;
    if (read_octets(pcap, pcap->buffer + 4, 8, false) != GOT) {
        pcap_say(pcap, "unknown file format");
        return false;
    }
    if (read_section(pcap, &block) != GOT)
        return false;
    if (pcap_get16(pcap, block.body + 4) != 1) {
        pcap_say(pcap, "unsupported pcapng savefile version %u.%u", pcap_get16(pcap, block.body + 4),
                 pcap_get16(pcap, block.body + 6));
        return false;
    }
    while ((got = read_block(pcap, &block)) == GOT) {
        if (block.type == BLOCK_INTERFACE)
            return add_interface(pcap, &block);
        if (block.type == BLOCK_PACKET || block.type == BLOCK_SIMPLE || block.type == BLOCK_OLD_PACKET) {
            pcap_say(pcap, "the capture file has a packet block before any Interface Description Blocks");
            return false;
        }
    }
    if (got == GOT_END)
        pcap_say(pcap, "the capture file has no Interface Description Blocks");
    return false;
}

/* ---- packets ---- */

static void set_time(pcap_t *pcap, const struct pcap_interface *interface, uint64_t ticks)
{
    uint64_t per_second = interface->ticks_per_second, rest = ticks % per_second;

    pcap->header.ts.tv_sec = (time_t)((int64_t)(ticks / per_second) + interface->offset_s);
    pcap->header.ts.tv_usec = (suseconds_t)((unsigned __int128)rest * PCAP_NS_PER_S / per_second);
}

static bool packet_is_bad(pcap_t *pcap, unsigned interface, uint32_t captured)
{
    if (interface >= pcap->n_interfaces)
        pcap_say(pcap,
                 "a packet arrived on interface %u, but there's no Interface Description Block for that interface",
                 interface);
    else if (captured > PCAP_SNAP_LENGTH_MAX && captured > (uint32_t)pcap->snap_length)
        pcap_say(pcap, "invalid packet capture length %u, bigger than snaplen of %d", captured, pcap->snap_length);
    else
        return false;
    return true;
}

/* 1, or PCAP_ERROR */
static int take_packet(pcap_t *pcap, const struct block *block, const uint8_t **data)
{
    bool simple = block->type == BLOCK_SIMPLE, old = block->type == BLOCK_OLD_PACKET;
    size_t head = simple ? SIMPLE_BODY : PACKET_BODY;
    const uint8_t *p = block->body;
    uint32_t captured;
    unsigned interface;

    if (block->n < head) {
        say_short(pcap, block->type);
        return PCAP_ERROR;
    }
    interface = simple ? 0 : old ? pcap_get16(pcap, p) : pcap_get32(pcap, p);
    pcap->header.len = pcap_get32(pcap, simple ? p : p + 16);
    captured = simple ? pcap->header.len : pcap_get32(pcap, p + 12);
    if (simple && captured > (uint32_t)pcap->snap_length)
        captured = (uint32_t)pcap->snap_length;
    if (packet_is_bad(pcap, interface, captured))
        return PCAP_ERROR;
    if (captured > block->n - head) {
        say_short(pcap, block->type);
        return PCAP_ERROR;
    }
    set_time(pcap, &pcap->interfaces[interface],
             simple ? 0 : (uint64_t)pcap_get32(pcap, p + 4) << 32 | pcap_get32(pcap, p + 8));
    pcap->header.caplen = captured;
    *data = p + head;
    return 1;
}

int pcapng_next(pcap_t *pcap, const uint8_t **data)
{
    struct block block;
    enum got got;

    while ((got = read_block(pcap, &block)) == GOT) {
        if (block.type == BLOCK_PACKET || block.type == BLOCK_SIMPLE || block.type == BLOCK_OLD_PACKET)
            return take_packet(pcap, &block, data);
        if (block.type == BLOCK_INTERFACE && !add_interface(pcap, &block))
            return PCAP_ERROR;
        if (block.type == block_section) /* the interfaces of the former section are gone */
            pcap->n_interfaces = 0;
    }
    return got == GOT_END ? PCAP_ERROR_BREAK : PCAP_ERROR;
}
