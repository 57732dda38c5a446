// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FPDUs from octets in pieces. An FPDU within one piece is returned in place. An FPDU across pieces is assembled in the
 * buffer: only its own octets are moved there, later octets stay in the piece (`rest`).
 */
#include "wire/invariant.h"
#include "wire/mpa_fpdu.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_MIN = 2048 };

static bool reader_is_sound(const struct mpa_fpdu_reader *reader)
{
    return (reader->n > 0 || reader->rest_n == 0) && (reader->buffer != NULL) == (reader->capacity > 0) &&
           (!reader->buffered ||
            (reader->p >= reader->buffer && reader->n <= (size_t)(reader->buffer + reader->capacity - reader->p)));
}

void mpa_fpdu_reader_init(struct mpa_fpdu_reader *reader, const struct mpa_framing *framing, bool want_crc,
                          uint64_t offset, struct mpa_fpdu_scratch *scratch)
{
    *reader = (struct mpa_fpdu_reader){
        .framing = *framing,
        .want_crc = want_crc,
        .scratch = scratch,
        .offset = offset,
    };
}

void mpa_fpdu_reader_free(struct mpa_fpdu_reader *reader)
{
    free(reader->buffer);
    reader->buffer = NULL;
    reader->capacity = 0;
    mpa_fpdu_reader_restart(reader, reader->offset);
    INVARIANT(reader_is_sound(reader) && reader->n == 0);
    INVARIANT(reader_is_sound(reader));
}

/* Moves the unread octets of p into the buffer, and makes room after them for `more` octets. */
static bool reader_gather(struct mpa_fpdu_reader *reader, size_t more)
{
    size_t wanted = reader->n + more;

    if (more > SIZE_MAX / 2 - reader->n)
        return false;
    if (reader->capacity < wanted) {
        size_t capacity = reader->capacity < BUFFER_MIN ? BUFFER_MIN : reader->capacity;
        uint8_t *buffer;

        while (capacity < wanted)
            capacity *= 2;
        buffer = malloc(capacity);
        if (!buffer)
            return false;
        if (reader->n > 0)
            memcpy(buffer, reader->p, reader->n);
        free(reader->buffer);
        reader->buffer = buffer;
        reader->capacity = capacity;
    } else if (!reader->buffered) {
        if (reader->n > 0)
            memcpy(reader->buffer, reader->p, reader->n);
    } else if ((size_t)(reader->buffer + reader->capacity - reader->p) < wanted) {
        memmove(reader->buffer, reader->p, reader->n);
    } else {
        return true;
    }
    reader->p = reader->buffer;
    reader->buffered = true;
    INVARIANT(reader_is_sound(reader) && reader->capacity - reader->n >= more);
    return true;
}

/* Moves count octets of the rest into the buffer, after p[0..n). */
static bool reader_take_rest(struct mpa_fpdu_reader *reader, size_t count)
{
    if (!reader_gather(reader, count))
        return false;
    memcpy(reader->buffer + (reader->p - reader->buffer) + reader->n, reader->rest, count);
    reader->n += count;
    reader->rest += count;
    reader->rest_n -= count;
    INVARIANT(reader->buffered && reader_is_sound(reader));
    return true;
}

static void consume(struct mpa_fpdu_reader *reader, size_t count)
{
    INVARIANT(count > 0 && count <= reader->n);
    reader->p += count;
    reader->n -= count;
    reader->offset += count;
    reader->need = 0;
    if (reader->n == 0) {
        reader->p = reader->rest;
        reader->n = reader->rest_n;
        reader->rest = NULL;
        reader->rest_n = 0;
        reader->buffered = false;
    }
    INVARIANT(reader_is_sound(reader));
}

bool mpa_fpdu_reader_feed(struct mpa_fpdu_reader *reader, uint64_t offset, const uint8_t *p, size_t n)
{
    if (offset != reader->offset + reader->n + reader->rest_n)
        return false;
    if (n == 0)
        return true;
    if (reader->n == 0) {
        reader->p = p;
        reader->n = n;
        reader->buffered = false;
        INVARIANT(reader_is_sound(reader));
        return true;
    }
    if (reader->need > reader->n && reader->rest_n == 0) {
        reader->rest = p;
        reader->rest_n = n;
        INVARIANT(reader_is_sound(reader) && reader->rest_n > 0);
        return true;
    }
    if (!reader_gather(reader, reader->rest_n + n))
        return false;
    if (reader->rest_n > 0)
        reader_take_rest(reader, reader->rest_n);
    reader->rest = p;
    reader->rest_n = n;
    return reader_take_rest(reader, n);
}

enum mpa_fpdu_status mpa_fpdu_reader_next(struct mpa_fpdu_reader *reader, struct mpa_fpdu *out)
{
    for (;;) {
        size_t need, count;

        if (reader->n == 0) {
            reader->need = 0;
            return MPA_FPDU_MORE;
        }
        if (mpa_fpdu_parse(out, &need, &reader->framing, reader->want_crc, reader->offset, reader->p, reader->n,
                           reader->scratch) == MPA_FPDU_OK) {
            consume(reader, out->length);
            return MPA_FPDU_OK;
        }
        reader->need = need;
        INVARIANT(need > reader->n);
        if (reader->rest_n == 0)
            return MPA_FPDU_MORE;
        count = need - reader->n < reader->rest_n ? need - reader->n : reader->rest_n;
        INVARIANT(count > 0 && count <= reader->rest_n);
        if (!reader_take_rest(reader, count))
            return MPA_FPDU_MORE; /* mpa_fpdu_reader_save() will fail, too, and return false */
    }
}

void mpa_fpdu_reader_restart(struct mpa_fpdu_reader *reader, uint64_t offset)
{
    reader->offset = offset;
    reader->p = NULL;
    reader->n = 0;
    reader->rest = NULL;
    reader->rest_n = 0;
    reader->need = 0;
    reader->buffered = false;
    INVARIANT(reader_is_sound(reader));
}

bool mpa_fpdu_reader_save(struct mpa_fpdu_reader *reader)
{
    if (reader->rest_n > 0)
        return reader_take_rest(reader, reader->rest_n);
    return reader->n == 0 || reader->buffered || reader_gather(reader, 0);
}
