// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads deviant FPDUs: Markers anywhere, other PAD, no CRC field. wire/mpa_fpdu.c reads regular FPDUs. */
#include "engine/mpa/mpa_framing.h"

#include "wire/crc32c.h"
#include "wire/invariant.h"

#include <string.h>

static _Thread_local unsigned scratch_uses;

unsigned mpa_scratch_uses(void)
{
    return scratch_uses;
}

/* FPDUs are read one at a time, so one scratch buffer per thread serves all its connections. */
static struct mpa_fpdu_scratch *mpa_scratch(void)
{
    static _Thread_local struct mpa_fpdu_scratch scratch;

    scratch_uses++;
    return &scratch;
}

void mpa_shape_grid(struct mpa_shape *shape, bool markers_on, uint64_t origin, uint32_t period, uint64_t start,
                    uint64_t until)
{
    uint64_t at = origin;

    shape->n = 0;
    if (!markers_on)
        return;
    if (start > origin)
        at += (start - origin + period - 1) / period * period;
    for (; at < until && shape->n < MPA_FPDU_MARKERS_MAX; at += period)
        shape->at[shape->n++] = at;
    INVARIANT(shape->n <= MPA_FPDU_MARKERS_MAX);
    INVARIANT(shape->n == 0 || (shape->at[0] >= start && shape->at[shape->n - 1] < until));
}

void mpa_shape_set_length(struct mpa_shape *shape, uint16_t length)
{
    shape->length = length;
    shape->pad = (uint8_t)mpa_pad_length(length);
    shape->crc = MPA_CRC_LEN;
    INVARIANT((MPA_LENGTH_LEN + shape->length + shape->pad) % 4 == 0);
}

void mpa_shape_init(struct mpa_shape *shape, const struct mpa_framing_state *fs, uint64_t start, uint16_t length)
{
    mpa_shape_set_length(shape, length);
    mpa_shape_grid(shape, fs->framing.markers, fs->framing.seq_start, fs->period, start, start + MPA_FPDU_OCTETS_MAX);
}

void mpa_shape_remove(struct mpa_shape *shape, unsigned index)
{
    memmove(shape->at + index, shape->at + index + 1, (shape->n - index - 1) * sizeof shape->at[0]);
    shape->n--;
    INVARIANT(shape->n < MPA_FPDU_MARKERS_MAX && index <= shape->n);
}

uint64_t mpa_shape_end(const struct mpa_shape *shape, uint64_t start)
{
    uint64_t end = start + MPA_LENGTH_LEN + shape->length + shape->pad + shape->crc;

    for (unsigned i = 0; i < shape->n && shape->at[i] < end; i++)
        end += MPA_MARKER_LEN;
    return end;
}

/* Walks over the octets of an FPDU, skipping Markers. */
struct walk {
    const struct mpa_shape *shape;
    const struct mpa_side *s;
    uint64_t pos;
    unsigned marker;
};

static void skip_markers(struct walk *walk)
{
    while (walk->marker < walk->shape->n && walk->shape->at[walk->marker] == walk->pos) {
        walk->pos += MPA_MARKER_LEN;
        walk->marker++;
    }
}

static void shape_take(struct walk *walk, uint8_t *out, size_t n)
{
    while (n > 0) {
        uint64_t until;
        size_t step;

        skip_markers(walk);
        until = walk->marker < walk->shape->n ? walk->shape->at[walk->marker] : UINT64_MAX;
        step = until - walk->pos < n ? (size_t)(until - walk->pos) : n;
        INVARIANT(step > 0 && walk->pos + step <= mpa_window_end(&walk->s->window));
        memcpy(out, mpa_window_at(&walk->s->window, walk->pos), step);
        out += step;
        n -= step;
        walk->pos += step;
    }
}

static struct mpa_marker marker_at(const struct mpa_side *s, uint64_t at, uint64_t header)
{
    const uint8_t *p = mpa_window_at(&s->window, at);

    return (struct mpa_marker){
        .offset = at,
        .reserved = get_be16(p),
        .fpduptr = get_be16(p + 2),
        .expected = at < header ? 0 : (uint16_t)(at - header),
    };
}

bool mpa_shape_read(struct mpa_fpdu *out, const struct mpa_shape *shape, struct mpa_side *s, uint64_t start)
{
    struct mpa_fpdu_scratch *scratch = mpa_scratch();
    uint64_t end = mpa_shape_end(shape, start);
    struct walk walk = {.shape = shape, .s = s, .pos = start};
    uint8_t field[MPA_CRC_LEN] = {0};
    uint8_t pad[8];

    if (shape->pad > sizeof pad || start < s->window.offset || end > mpa_window_end(&s->window))
        return false;
    *out = (struct mpa_fpdu){
        .offset = start,
        .octets = mpa_window_at(&s->window, start),
        .length = (uint32_t)(end - start),
        .ulpdu_length = shape->length,
        .ulpdu = scratch->ulpdu,
        .pad_length = shape->pad < sizeof out->pad ? shape->pad : (uint8_t)sizeof out->pad,
        .markers = scratch->markers,
    };
    INVARIANT(out->length >= MPA_LENGTH_LEN && shape->n <= MPA_FPDU_MARKERS_MAX);
    skip_markers(&walk);
    out->header = walk.pos;
    shape_take(&walk, field, MPA_LENGTH_LEN);
    shape_take(&walk, scratch->ulpdu, shape->length);
    shape_take(&walk, pad, shape->pad);
    memcpy(out->pad, pad, out->pad_length);
    skip_markers(&walk);
    if (shape->crc > 0) {
        out->crc_computed = crc32c(out->octets, (size_t)(walk.pos - start));
        shape_take(&walk, field, MPA_CRC_LEN);
        out->crc = get_le32(field);
    }
    INVARIANT(shape->crc == 0 || walk.pos == end);
    for (unsigned i = 0; i < shape->n && shape->at[i] < end; i++)
        scratch->markers[out->n_markers++] = marker_at(s, shape->at[i], out->header);
    INVARIANT(out->header >= start && out->n_markers <= shape->n);
    return true;
}

uint64_t mpa_shape_claimed_end(const struct mpa_side *s, uint64_t start)
{
    struct mpa_shape shape;

    mpa_shape_init(&shape, s->framing, start, get_be16(mpa_window_at(&s->window, mpa_header_of(s, start))));
    return mpa_shape_end(&shape, start);
}

void mpa_shape_read_cut(struct mpa_fpdu *out, const struct mpa_shape *shape, struct mpa_side *s, uint64_t start)
{
    struct mpa_fpdu_scratch *scratch = mpa_scratch();
    uint64_t there = mpa_window_end(&s->window);
    struct walk walk = {.shape = shape, .s = s, .pos = start};
    static _Thread_local uint8_t octets[MPA_FPDU_OCTETS_MAX];
    size_t n = 0;

    *out = (struct mpa_fpdu){
        .offset = start,
        .octets = octets,
        .length = (uint32_t)(mpa_shape_end(shape, start) - start),
        .ulpdu_length = shape->length,
        .ulpdu = scratch->ulpdu,
        .pad_length = shape->pad < sizeof out->pad ? shape->pad : (uint8_t)sizeof out->pad,
        .markers = scratch->markers,
    };
    out->cut = (uint32_t)(start + out->length - there);
    INVARIANT(out->length <= sizeof octets && out->cut <= out->length);
    memcpy(octets, mpa_window_at(&s->window, start), out->length - out->cut);
    memset(octets + (out->length - out->cut), 0, out->cut);
    skip_markers(&walk);
    out->header = walk.pos;
    walk.pos += MPA_LENGTH_LEN;
    for (skip_markers(&walk); n < shape->length && walk.pos < there; skip_markers(&walk))
        scratch->ulpdu[n++] = *mpa_window_at(&s->window, walk.pos++);
    memset(scratch->ulpdu + n, 0, shape->length - n);
    out->lacking = (uint16_t)(shape->length - n);
    INVARIANT(n <= shape->length && out->lacking <= out->ulpdu_length);
    for (unsigned i = 0; i < shape->n && shape->at[i] + MPA_MARKER_LEN <= there; i++)
        scratch->markers[out->n_markers++] = marker_at(s, shape->at[i], out->header);
    INVARIANT(out->n_markers <= shape->n && out->header >= start);
}

enum mpa_fpdu_status mpa_framing_parse(struct mpa_connection *mpa, unsigned side, uint64_t at, struct mpa_fpdu *out)
{
    struct mpa_side *s = &mpa->side[side];
    const struct mpa_framing_state *fs = s->framing;
    size_t n = mpa_octets_from(s, at), need;
    struct mpa_shape shape;
    uint64_t header = at;

    if (at < s->window.offset || n == 0)
        return MPA_FPDU_MORE;
    if (!fs->framing.markers || fs->period == MPA_MARKER_PERIOD)
        return mpa_fpdu_parse(out, &need, &fs->framing, true, at, mpa_window_at(&s->window, at), n, mpa_scratch());
    mpa_shape_init(&shape, fs, at, 0);
    if (shape.n > 0 && shape.at[0] == at)
        header += MPA_MARKER_LEN;
    if (mpa_octets_from(s, header) < MPA_LENGTH_LEN)
        return MPA_FPDU_MORE;
    mpa_shape_set_length(&shape, get_be16(mpa_window_at(&s->window, header)));
    return mpa_shape_read(out, &shape, s, at) ? MPA_FPDU_OK : MPA_FPDU_MORE;
}
