// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pcap half (draft-ietf-opsawg-pcap): one section with one interface, and a packet block for each record. All of it
 * in the file's own byte order.
 *
 *   magic 4 | major 2 | minor 2 | zone 4 | accuracy 4 | snap length 4 | link type 4
 *   record: seconds 4 | fraction 4 | captured 4 | length 4 | octets
 */
#include "conformance/annotate/annotate_copier.h"

#include <string.h>

enum {
    FILE_HEADER = 24,
    RECORD_HEADER = 16,
    LINK_TYPE_MASK = 0xFFFF,
    FCS_KNOWN = 1 << 26, /* the four bits above are its length in units of 16 bits */
    SNAP_LENGTH_AT = 12, /* in the Interface Description Block */
};

struct pcap_format {
    uint32_t magic;
    uint8_t digits; /* of the fraction of a second */
    uint8_t extra;  /* octets after the record header */
};

static const struct pcap_format formats[] = {
    {0xA1B2C3D4, 6, 0},
    {0xA1B23C4D, 9, 0},
    {0xA1B2CD34, 6, 8}, /* in a header of an old Linux patch: index, protocol, packet type */
};

struct pcap {
    const struct pcap_format *format;
    /* Some old versions have swapped captured and original length, always or sometimes. */
    bool swapped, maybe_swapped;
    uint32_t snap_length, longest;
    long interface_at; /* in the output */
};

static const struct pcap_format *find_format(struct copier *copier, const uint8_t *magic)
{
    for (unsigned order = 0; order < 2; order++) {
        copier->big_endian = order == 1;
        for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
            if (copier_get32(copier, magic) == formats[i].magic)
                return &formats[i];
    }
    return NULL;
}

/* ---- output ---- */

static void append32(struct copier *copier, GByteArray *to, uint32_t value)
{
    uint8_t octets[4];

    copier_put32(copier, octets, value);
    g_byte_array_append(to, octets, sizeof octets);
}

/* Closes the options, writes both copies of the length, and outputs the block. */
static void write_block(struct copier *copier, GByteArray *block, bool options)
{
    uint32_t length;

    if (options)
        append32(copier, block, OPTION_END);
    length = block->len + 4;
    copier_put32(copier, block->data + 4, length);
    append32(copier, block, length);
    fwrite(block->data, 1, block->len, copier->out);
    g_byte_array_set_size(block, 0);
}

static void pcap_write_section(struct copier *copier)
{
    static const char application[] = "iwarp-check " IWARP_KIT_VERSION;
    GByteArray *block = copier->block;
    uint8_t version[4];

    append32(copier, block, BLOCK_SECTION);
    append32(copier, block, 0);
    append32(copier, block, 0x1A2B3C4D);
    copier_put16(copier, version, 1);
    copier_put16(copier, version + 2, 0);
    g_byte_array_append(block, version, sizeof version);
    append32(copier, block, UINT32_MAX);
    append32(copier, block, UINT32_MAX);
    copier_comment(copier, block, copier->comments->section);
    copier_option(copier, block, OPTION_SECTION_APPLICATION, application, sizeof application - 1);
    write_block(copier, block, true);
}

static void pcap_write_interface(struct copier *copier, const struct pcap *pcap, uint32_t link_type)
{
    GByteArray *block = copier->block;
    uint8_t fcs_length = (uint8_t)(link_type >> 28 << 1), type[4] = {0}; /* in octets */

    append32(copier, block, BLOCK_INTERFACE);
    append32(copier, block, 0);
    copier_put16(copier, type, (uint16_t)(link_type & LINK_TYPE_MASK));
    g_byte_array_append(block, type, sizeof type);
    append32(copier, block, pcap->snap_length);
    copier_option(copier, block, OPTION_INTERFACE_TSRESOL, &pcap->format->digits, 1);
    if (link_type & FCS_KNOWN)
        copier_option(copier, block, OPTION_INTERFACE_FCSLEN, &fcs_length, 1);
    write_block(copier, block, true);
}

/* Records may exceed the file's snap length; an interface with a smaller limit would make the copy unreadable. */
static void correct_snap_length(struct copier *copier, const struct pcap *pcap)
{
    static const uint8_t no_limit[4] = {0};

    if (pcap->snap_length == 0 || pcap->longest <= pcap->snap_length)
        return;
    if (fseek(copier->out, pcap->interface_at + SNAP_LENGTH_AT, SEEK_SET) == 0)
        fwrite(no_limit, 1, sizeof no_limit, copier->out);
    (void)!fseek(copier->out, 0, SEEK_END);
}

/* copier->block: the packet's octets. */
static void write_packet(struct copier *copier, const struct pcap *pcap, const uint8_t *record, uint32_t captured,
                         uint32_t length)
{
    uint64_t unit = pcap->format->digits == 9 ? 1000000000 : 1000000;
    uint64_t time = copier_get32(copier, record) * unit + copier_get32(copier, record + 4);
    const uint32_t words[] = {BLOCK_PACKET, 0, 0, (uint32_t)(time >> 32), (uint32_t)time, captured, length};
    GByteArray *block = copier->block;
    uint8_t fixed[sizeof words];

    copier_add_packet_comments(copier);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        copier_put32(copier, fixed + 4 * i, words[i]);
    g_byte_array_set_size(block, (guint)PADDED(captured));
    memset(block->data + captured, 0, block->len - captured);
    g_byte_array_prepend(block, fixed, sizeof fixed);
    g_byte_array_append(block, copier->added->data, copier->added->len);
    write_block(copier, block, copier->added->len > 0);
    g_byte_array_set_size(copier->added, 0);
}

/* ---- input ---- */

static enum annotate_status convert_records(struct copier *copier, struct pcap *pcap)
{
    size_t header = RECORD_HEADER + (size_t)pcap->format->extra;
    uint8_t record[RECORD_HEADER + 8];
    size_t n;

    while ((n = fread(record, 1, header, copier->in)) > 0) {
        uint32_t captured = n < header ? 0 : copier_get32(copier, record + 8);
        uint32_t length = n < header ? 0 : copier_get32(copier, record + 12);

        if (pcap->swapped || (pcap->maybe_swapped && captured > length)) {
            uint32_t first = captured;

            captured = length;
            length = first;
        }
        if (captured > BLOCK_MAX / 2)
            return copier_stop(copier, ANNOTATE_CORRUPT, "record with an invalid length of %u octets after packet %u",
                               captured, copier->frame);
        g_byte_array_set_size(copier->block, captured);
        if (n < header || fread(copier->block->data, 1, captured, copier->in) < captured)
            return copier_stop(copier, ANNOTATE_TRUNCATED, "ends inside a record, after packet %u", copier->frame);
        pcap->longest = MAX(pcap->longest, captured);
        write_packet(copier, pcap, record, captured, length);
    }
    return ANNOTATE_COPIED;
}

enum annotate_status copier_convert_pcap(struct copier *copier)
{
    struct pcap pcap = {0};
    uint8_t header[FILE_HEADER];
    enum annotate_status status;
    uint16_t major, minor;

    if (fread(header, 1, sizeof header, copier->in) < sizeof header || !(pcap.format = find_format(copier, header)))
        return copier_stop(copier, ANNOTATE_CORRUPT, "not a pcap or pcapng file");
    major = copier_get16(copier, header + 4);
    minor = copier_get16(copier, header + 6);
    pcap.swapped = (major == 2 && minor < 3) || major == 543;
    pcap.maybe_swapped = major == 2 && minor == 3;
    pcap.snap_length = copier_get32(copier, header + 16);
    pcap_write_section(copier);
    pcap.interface_at = ftell(copier->out);
    pcap_write_interface(copier, &pcap, copier_get32(copier, header + 20));
    status = convert_records(copier, &pcap);
    correct_snap_length(copier, &pcap);
    return status;
}
