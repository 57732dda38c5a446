// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/tcp/units.h"

#include "wire/octets.h"
#include "wire/rdmap.h"

#include <stdio.h>
#include <string.h>

/* The control octets of DDP and RDMAP; without them, PAD and CRC are read. */
enum { CONTROL_LEN = 2 };

/* Both keys begin like this; "M" occurs only there, so after a mismatch the search starts again at this octet. */
static bool continues_key(const struct units_stream *stream, uint8_t octet)
{
    uint8_t octets[MPA_KEY_LEN];
    unsigned n = stream->head_n;

    memcpy(octets, stream->head, n);
    octets[n++] = octet;
    return mpa_startup_key_matches(MPA_REQUEST, octets, n) == n || mpa_startup_key_matches(MPA_REPLY, octets, n) == n;
}

/* Number of octets up to the end of the key, or all. */
static size_t take_plain(struct units_stream *stream, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!continues_key(stream, p[i])) {
            stream->head_n = 0;
            if (!continues_key(stream, p[i]))
                continue;
        }
        stream->head[stream->head_n++] = p[i];
        if (stream->head_n == MPA_KEY_LEN) {
            stream->state = UNITS_FRAME;
            stream->end = 0;
            return i + 1;
        }
    }
    return n;
}

static void end_unit(struct units *units, unsigned side)
{
    struct units_stream *stream = &units->streams[side];

    if (stream->state == UNITS_FRAME) {
        stream->has_frame = true;
        stream->state = UNITS_FPDUS;
        stream->framing.seq_start = stream->offset;
    }
    stream->n++;
    stream->boundary = stream->offset;
    stream->head_n = 0;
    stream->end = 0;
}

/* A revision 0 frame always asks for Markers (RFC 5044 Appendix C). */
static bool wants_markers(const struct units_stream *stream)
{
    return stream->has_frame && (stream->revision == 0 || stream->flags & MPA_FLAG_M);
}

static unsigned head_length(const struct units *units, unsigned side)
{
    const struct units_stream *stream = &units->streams[side];

    bool marker = stream->framing.markers && mpa_next_marker(&stream->framing, stream->begin) == stream->begin;

    if (stream->state == UNITS_FRAME)
        return MPA_STARTUP_HEADER_LEN;
    return (marker ? MPA_MARKER_LEN : 0) + MPA_LENGTH_LEN + CONTROL_LEN;
}

static void units_read_head(struct units_stream *stream, unsigned n)
{
    if (stream->state == UNITS_FRAME) {
        stream->last = (struct unit_kind){
            .what = mpa_startup_key_matches(MPA_REPLY, stream->head, MPA_KEY_LEN) == MPA_KEY_LEN ? UNIT_REPLY
                                                                                                 : UNIT_REQUEST,
            .rejected = stream->head[16] & MPA_FLAG_R};
        stream->flags = stream->head[16];
        stream->revision = stream->head[17];
        stream->end = stream->offset + get_be16(stream->head + 18);
    } else {
        const uint8_t *length = stream->head + n - MPA_LENGTH_LEN - CONTROL_LEN;

        stream->last = (struct unit_kind){.what = UNIT_FPDU, .opcode = length[MPA_LENGTH_LEN + 1] & 0x0F};
        stream->end = stream->begin + mpa_fpdu_octets(&stream->framing, stream->begin, get_be16(length));
    }
}

size_t units_take(struct units *units, unsigned side, const uint8_t *p, size_t n)
{
    struct units_stream *stream = &units->streams[side];
    size_t taken = 0;

    if (stream->state == UNITS_PLAIN) {
        taken = take_plain(stream, p, n);
        stream->offset += taken;
        if (stream->state == UNITS_PLAIN || taken == n)
            return taken;
    }
    if (stream->head_n == 0) {
        stream->begin = stream->offset;
        stream->framing.markers = wants_markers(&units->streams[!side]) || (stream->has_frame && stream->revision == 0);
    }
    if (stream->end == 0) {
        unsigned want = head_length(units, side);
        size_t part = want - stream->head_n < n - taken ? want - stream->head_n : n - taken;

        memcpy(stream->head + stream->head_n, p + taken, part);
        stream->head_n += (unsigned)part;
        stream->offset += part;
        taken += part;
        if (stream->head_n < want)
            return taken;
        units_read_head(stream, want);
    }

    size_t rest =
        (size_t)(stream->end - stream->offset) < n - taken ? (size_t)(stream->end - stream->offset) : n - taken;

    stream->offset += rest;
    taken += rest;
    if (stream->offset == stream->end)
        end_unit(units, side);
    return taken;
}

bool units_at_boundary(const struct units *units, unsigned side)
{
    return units->streams[side].head_n == 0;
}

struct unit_kind units_last(const struct units *units, unsigned side)
{
    return units->streams[side].last;
}

const char *unit_name(struct unit_kind kind)
{
    static char unknown[16];
    const struct rdmap_opcode_info *info = rdmap_opcode_info(kind.opcode);

    if (kind.what == UNIT_REQUEST)
        return "Request";
    if (kind.what == UNIT_REPLY)
        return kind.rejected ? "rejecting Reply" : "Reply";
    if (info)
        return info->name;
    snprintf(unknown, sizeof unknown, "opcode %u", kind.opcode);
    return unknown;
}
