// SPDX-License-Identifier: GPL-2.0-or-later
/* The pcapng half, draft-ietf-opsawg-pcapng; section numbers are this document's. */
#include "conformance/annotate/annotate_copier.h"

#include <string.h>

enum {
    BLOCK_MIN = 12, /* type, length, length again */
    SECTION_MIN = 28,
    TRAILER = 4,
    /* Offsets of the options, after the fixed parts of the blocks: sections 4.1, 4.3 and appendix A. */
    SECTION_FIXED = 24,
    PACKET_FIXED = 28,
    SIMPLE_FIXED = 12,
    INTERFACE_MIN = 20,
    PCAPNG_FIRST = 0x0A, /* a valid octet of a file in either byte order; no pcap file begins with it */
};

uint16_t copier_get16(const struct copier *copier, const uint8_t *p)
{
    return copier->big_endian ? (uint16_t)(p[0] << 8 | p[1]) : (uint16_t)(p[1] << 8 | p[0]);
}

uint32_t copier_get32(const struct copier *copier, const uint8_t *p)
{
    uint32_t first = copier_get16(copier, p), second = copier_get16(copier, p + 2);

    return copier->big_endian ? first << 16 | second : second << 16 | first;
}

void copier_put16(const struct copier *copier, uint8_t *p, uint16_t value)
{
    p[copier->big_endian ? 0 : 1] = (uint8_t)(value >> 8);
    p[copier->big_endian ? 1 : 0] = (uint8_t)value;
}

void copier_put32(const struct copier *copier, uint8_t *p, uint32_t value)
{
    copier_put16(copier, p + (copier->big_endian ? 0 : 2), (uint16_t)(value >> 16));
    copier_put16(copier, p + (copier->big_endian ? 2 : 0), (uint16_t)value);
}

enum annotate_status copier_stop(struct copier *copier, enum annotate_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_vsnprintf(copier->error->text, sizeof copier->error->text, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- options ---- */

void copier_option(struct copier *copier, GByteArray *to, uint16_t code, const void *value, size_t n)
{
    static const uint8_t padding[3] = {0};
    uint8_t head[4];

    copier_put16(copier, head, code);
    copier_put16(copier, head + 2, (uint16_t)n);
    g_byte_array_append(to, head, sizeof head);
    g_byte_array_append(to, value, (guint)n);
    g_byte_array_append(to, padding, (guint)(PADDED(n) - n));
}

void copier_comment(struct copier *copier, GByteArray *to, const char *text)
{
    size_t n = strlen(text);

    if (n > OPTION_VALUE_MAX) /* whole characters only */
        n = (size_t)(g_utf8_find_prev_char(text, text + OPTION_VALUE_MAX + 1) - text);
    copier_option(copier, to, OPTION_COMMENT, text, n);
}

/* Where to insert options: before opt_endofopt, or at the end. Malformed options stay after the inserted options. */
static size_t options_end(const struct copier *copier, const uint8_t *block, size_t at, size_t end)
{
    size_t begin = at;

    while (end - at >= 4) {
        size_t n = 4 + PADDED(copier_get16(copier, block + at + 2));

        if (copier_get16(copier, block + at) == OPTION_END)
            return at;
        if (n > end - at)
            return begin;
        at += n;
    }
    return at == end ? end : begin;
}

/* Writes the block with the options in copier->added inserted. Its own options begin at `options`. */
static void write_with_added(struct copier *copier, size_t options)
{
    uint8_t *block = copier->block->data, end_of_options[4] = {0}, length[TRAILER];
    size_t end = copier->block->len - TRAILER, at = options_end(copier, block, options, end);

    if (at == end && copier->added->len > 0)
        g_byte_array_append(copier->added, end_of_options, sizeof end_of_options);
    copier_put32(copier, length, copier->block->len + copier->added->len);
    memcpy(block + 4, length, sizeof length);
    fwrite(block, 1, at, copier->out);
    fwrite(copier->added->data, 1, copier->added->len, copier->out);
    fwrite(block + at, 1, end - at, copier->out);
    fwrite(length, 1, sizeof length, copier->out);
    g_byte_array_set_size(copier->added, 0);
}

void copier_add_packet_comments(struct copier *copier)
{
    copier->frame++;
    copier->comments->packet(copier->comments->ctx, copier->frame, copier->texts);
    for (guint i = 0; i < copier->texts->len; i++)
        copier_comment(copier, copier->added, g_ptr_array_index(copier->texts, i));
    g_ptr_array_set_size(copier->texts, 0);
}

/* ---- blocks ---- */

static void copy_block(struct copier *copier)
{
    fwrite(copier->block->data, 1, copier->block->len, copier->out);
}

/* The section grows, so its length becomes "not specified" (section 4.1). */
static void copy_section(struct copier *copier)
{
    memset(copier->block->data + 16, 0xFF, 8);
    if (!copier->section_seen)
        copier_comment(copier, copier->added, copier->comments->section);
    copier->section_seen = true;
    copier->interfaces = 0;
    write_with_added(copier, SECTION_FIXED);
}

static void copy_interface(struct copier *copier)
{
    if (copier->interfaces == 0 && copier->block->len >= INTERFACE_MIN)
        copier->snap_length = copier_get32(copier, copier->block->data + 12);
    copier->interfaces++;
    copy_block(copier);
}

/* Enhanced Packet Blocks and obsolete Packet Blocks have captured length and options at the same offsets. */
static void copy_packet(struct copier *copier)
{
    size_t length = copier->block->len, captured = 0;

    copier_add_packet_comments(copier);
    if (length >= PACKET_FIXED + TRAILER)
        captured = PADDED((size_t)copier_get32(copier, copier->block->data + 20));
    if (length < PACKET_FIXED + TRAILER || captured > length - PACKET_FIXED - TRAILER) {
        g_byte_array_set_size(copier->added, 0); /* not reached */
        copy_block(copier);
        return;
    }
    if (copier->added->len > 0)
        write_with_added(copier, PACKET_FIXED + captured);
    else
        copy_block(copier);
}

/* Simple Packet Blocks have no options (section 4.4): with a comment they become Enhanced Packet Blocks with time 0. */
static void copy_simple_packet(struct copier *copier)
{
    size_t length = copier->block->len, room, captured;
    uint8_t fixed[PACKET_FIXED] = {0};
    uint32_t original;

    copier_add_packet_comments(copier);
    if (copier->added->len == 0 || length < SIMPLE_FIXED + 4 + TRAILER || copier->interfaces == 0) {
        g_byte_array_set_size(copier->added, 0);
        copy_block(copier);
        return;
    }
    original = copier_get32(copier, copier->block->data + 8);
    room = length - SIMPLE_FIXED - TRAILER;
    captured = copier->snap_length > 0 && copier->snap_length < original ? copier->snap_length : original;
    if (captured > room)
        captured = room;
    copier_put32(copier, fixed, BLOCK_PACKET);
    copier_put32(copier, fixed + 20, (uint32_t)captured);
    copier_put32(copier, fixed + 24, original);
    g_byte_array_remove_range(copier->block, 0, SIMPLE_FIXED);
    g_byte_array_prepend(copier->block, fixed, sizeof fixed);
    write_with_added(copier, PACKET_FIXED + PADDED(captured));
}

static const struct {
    uint32_t type;
    void (*copy)(struct copier *copier);
} kinds[] = {
    {BLOCK_SECTION, copy_section},   {BLOCK_INTERFACE, copy_interface},         {BLOCK_PACKET, copy_packet},
    {BLOCK_OLD_PACKET, copy_packet}, {BLOCK_SIMPLE_PACKET, copy_simple_packet},
};

static void copy_by_type(struct copier *copier, uint32_t type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (kinds[i].type == type) {
            kinds[i].copy(copier);
            return;
        }
    }
    copy_block(copier);
}

/* The byte order follows from the magic, which comes after the block length, although the length needs it. */
static bool learn_byte_order(struct copier *copier, const uint8_t *magic)
{
    static const uint8_t big[4] = {0x1A, 0x2B, 0x3C, 0x4D}, little[4] = {0x4D, 0x3C, 0x2B, 0x1A};

    copier->big_endian = memcmp(magic, big, sizeof big) == 0;
    return copier->big_endian || memcmp(magic, little, sizeof little) == 0;
}

static enum annotate_status truncated(struct copier *copier)
{
    return copier_stop(copier, ANNOTATE_TRUNCATED, "ends inside a block, after packet %u", copier->frame);
}

static enum annotate_status read_block(struct copier *copier, uint32_t *type)
{
    uint8_t head[BLOCK_MIN];
    size_t n = fread(head, 1, sizeof head, copier->in);
    uint32_t length;

    if (n < sizeof head)
        return truncated(copier);
    *type = copier_get32(copier, head);
    if (*type != BLOCK_SECTION && !copier->section_seen)
        return copier_stop(copier, ANNOTATE_CORRUPT, "not a pcap or pcapng file");
    if (*type == BLOCK_SECTION && !learn_byte_order(copier, head + 8))
        return copier_stop(copier, ANNOTATE_CORRUPT, "section of unknown byte order after packet %u", copier->frame);
    length = copier_get32(copier, head + 4);
    if (length < (*type == BLOCK_SECTION ? SECTION_MIN : BLOCK_MIN) || length % 4 != 0 || length > BLOCK_MAX)
        return copier_stop(copier, ANNOTATE_CORRUPT, "block with an invalid length of %u octets after packet %u",
                           length, copier->frame);
    g_byte_array_set_size(copier->block, length);
    memcpy(copier->block->data, head, sizeof head);
    n = length - sizeof head;
    if (fread(copier->block->data + sizeof head, 1, n, copier->in) < n)
        return truncated(copier);
    if (copier_get32(copier, copier->block->data + length - TRAILER) != length)
        return copier_stop(copier, ANNOTATE_CORRUPT, "block whose two lengths differ, after packet %u", copier->frame);
    return ANNOTATE_COPIED;
}

static bool copy_at_end(FILE *in)
{
    int c = getc(in);

    return c == EOF || ungetc(c, in) == EOF;
}

static enum annotate_status copy_pcapng(struct copier *copier)
{
    while (!copy_at_end(copier->in)) {
        uint32_t type = 0;
        enum annotate_status status = read_block(copier, &type);

        if (status != ANNOTATE_COPIED)
            return status;
        copy_by_type(copier, type);
    }
    return ANNOTATE_COPIED;
}

enum annotate_status annotate_copy(FILE *in, FILE *out, const struct annotate_comments *comments,
                                   struct capture_error *error)
{
    struct copier copier = {.in = in, .out = out, .comments = comments, .error = error};
    enum annotate_status status;
    int first = getc(in);

    if (first == EOF || ungetc(first, in) == EOF)
        return copier_stop(&copier, ANNOTATE_CORRUPT, "not a pcap or pcapng file");
    copier.block = g_byte_array_new();
    copier.added = g_byte_array_new();
    copier.texts = g_ptr_array_new_with_free_func(g_free);
    status = first == PCAPNG_FIRST ? copy_pcapng(&copier) : copier_convert_pcap(&copier);
    g_byte_array_unref(copier.block);
    g_byte_array_unref(copier.added);
    g_ptr_array_unref(copier.texts);
    return status;
}
