// SPDX-License-Identifier: GPL-2.0-or-later
/* Wrong CRCs of FPDUs. */
#include "traffic-gen/speak/say/mpa_words.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

static size_t covered(const struct frame_write *w)
{
    return w->octets->len - MPA_CRC_LEN;
}

/* There may be no CRC field: CRC may be off, or other words may have cut the FPDU. */
static bool crc_is_whole(const struct frame_write *w)
{
    return w->octets->len >= MPA_LENGTH_LEN + 2 + MPA_CRC_LEN;
}

static void put_crc(struct frame_write *w, uint32_t crc)
{
    if (crc_is_whole(w))
        put_le32(w->octets->data + covered(w), crc);
}

/* CRC over all octets before the CRC field, except the n octets at `at`. */
static void put_crc_without(struct frame_write *w, size_t at, size_t n)
{
    const uint8_t *p = w->octets->data;

    if (crc_is_whole(w) && at + n <= covered(w))
        put_crc(w, crc32c_extend(crc32c(p, at), p + at + n, covered(w) - at - n));
}

void fpdu_crc_without_length(struct frame_write *w)
{
    put_crc_without(w, 0, MPA_LENGTH_LEN);
}

void fpdu_crc_without_leading_marker(struct frame_write *w)
{
    put_crc_without(w, 0, MPA_MARKER_LEN);
}

void fpdu_crc_without_marker(struct frame_write *w)
{
    put_crc_without(w, mpa_next_marker(&w->plan.framing, w->plan.offset) - w->plan.offset, MPA_MARKER_LEN);
}

void fpdu_crc_without_last_marker(struct frame_write *w)
{
    put_crc_without(w, covered(w) - MPA_MARKER_LEN, MPA_MARKER_LEN);
}

void fpdu_crc_with_next_marker(struct frame_write *w)
{
    static const uint8_t marker[MPA_MARKER_LEN];

    if (crc_is_whole(w))
        put_crc(w, crc32c_extend(crc32c(w->octets->data, covered(w)), marker, sizeof marker));
}

/* CRC-32 of IEEE 802.3. */
void fpdu_crc_of_ethernet(struct frame_write *w)
{
    uint32_t crc = 0xFFFFFFFF;

    for (size_t i = 0; crc_is_whole(w) && i < covered(w); i++) {
        crc ^= w->octets->data[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    put_crc(w, ~crc);
}

void fpdu_crc_swapped(struct frame_write *w)
{
    uint8_t *p;

    if (!crc_is_whole(w))
        return;
    p = w->octets->data + covered(w);
    put_be32(p, get_le32(p));
}

/* Moves the CRC field to directly after ULPDU_Length. */
void fpdu_crc_after_length(struct frame_write *w)
{
    uint8_t *p = w->octets->data;
    uint32_t crc;

    if (!crc_is_whole(w))
        return;
    crc = crc32c(p, covered(w));
    memmove(p + MPA_LENGTH_LEN + MPA_CRC_LEN, p + MPA_LENGTH_LEN, covered(w) - MPA_LENGTH_LEN);
    put_le32(p + MPA_LENGTH_LEN, crc);
}

/* Turns [length ULPDU PAD CRC] into [length ULPDU CRC PAD]; the CRC covers the octets before it. */
void fpdu_crc_before_pad(struct frame_write *w)
{
    uint8_t pad = w->plan.pad_length, *crc;

    if (!crc_is_whole(w) || covered(w) < pad)
        return;
    crc = w->octets->data + covered(w) - pad;
    put_le32(crc, crc32c(w->octets->data, (size_t)(crc - w->octets->data)));
    memset(crc + MPA_CRC_LEN, 0, pad);
}

void fpdu_bad_crc(struct frame_write *w)
{
    if (crc_is_whole(w))
        w->octets->data[w->octets->len - 1] ^= 0x01;
}
