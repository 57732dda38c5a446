// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "conformance/input/unpack.h"

#include <errno.h>
#include <lz4frame.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
    INPUT = 128 << 10,
    OUTPUT = 256 << 10,
    MAGIC = 4,
    GZIP_ONLY = 15 + 16, /* inflateInit2() of <zlib.h>: the largest window, with a gzip header */
};

struct unpack {
    FILE *packed;
    const struct codec *codec;
    struct unpack_watch watch;
    int64_t position; /* in the file, of the octets after the input buffer */
    size_t start, end;
    bool between;  /* between frames: the file may end here */
    bool ended;    /* the file has ended */
    bool all_made; /* the decoder has no more output for its input so far */
    bool truncated;
    const char *trouble;
    union {
        z_stream gzip;
        ZSTD_DStream *zstd;
        LZ4F_dctx *lz4;
    } state;
    uint8_t input[INPUT];
    char output[OUTPUT]; /* the stream's buffer */
};

/* Formats that are sequences of frames (gzip: members). */
struct codec {
    const char *name;
    uint8_t magic[MAGIC];
    size_t magic_length;
    bool (*begin)(struct unpack *unpack);
    /* Decodes the input into out[0..room), and sets `between`. Returns the error, or NULL. *made: octets written. */
    const char *(*step)(struct unpack *unpack, uint8_t *out, size_t room, size_t *made);
    void (*end)(struct unpack *unpack);
};

/* ---- gzip ---- */

static bool gzip_begin(struct unpack *unpack)
{
    return inflateInit2(&unpack->state.gzip, GZIP_ONLY) == Z_OK;
}

static const char *gzip_step(struct unpack *unpack, uint8_t *out, size_t room, size_t *made)
{
    z_stream *gzip = &unpack->state.gzip;
    int result;

    if (unpack->between && unpack->start < unpack->end && inflateReset(gzip) != Z_OK)
        return "out of memory";
    gzip->next_in = unpack->input + unpack->start;
    gzip->avail_in = (uInt)(unpack->end - unpack->start);
    gzip->next_out = out;
    gzip->avail_out = (uInt)room;
    result = inflate(gzip, Z_NO_FLUSH);
    unpack->start = unpack->end - gzip->avail_in;
    *made = room - gzip->avail_out;
    unpack->between = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR)
        return NULL;
    return gzip->msg ? gzip->msg : zError(result);
}

static void gzip_end(struct unpack *unpack)
{
    inflateEnd(&unpack->state.gzip);
}

/* ---- zstd ---- */

static bool zstd_begin(struct unpack *unpack)
{
    unpack->state.zstd = ZSTD_createDStream();
    return unpack->state.zstd != NULL;
}

static const char *zstd_step(struct unpack *unpack, uint8_t *out, size_t room, size_t *made)
{
    ZSTD_inBuffer from = {unpack->input, unpack->end, unpack->start};
    ZSTD_outBuffer to = {out, room, 0};
    size_t result = ZSTD_decompressStream(unpack->state.zstd, &to, &from);

    unpack->start = from.pos;
    *made = to.pos;
    unpack->between = result == 0;
    return ZSTD_isError(result) ? ZSTD_getErrorName(result) : NULL;
}

static void zstd_end(struct unpack *unpack)
{
    ZSTD_freeDStream(unpack->state.zstd);
}

/* ---- lz4 ---- */

static bool lz4_begin(struct unpack *unpack)
{
    return !LZ4F_isError(LZ4F_createDecompressionContext(&unpack->state.lz4, LZ4F_VERSION));
}

static const char *lz4_step(struct unpack *unpack, uint8_t *out, size_t room, size_t *made)
{
    size_t taken = unpack->end - unpack->start, result;

    *made = room;
    result = LZ4F_decompress(unpack->state.lz4, out, made, unpack->input + unpack->start, &taken, NULL);
    unpack->between = result == 0;
    if (LZ4F_isError(result)) {
        *made = 0;
        return LZ4F_getErrorName(result);
    }
    unpack->start += taken;
    return NULL;
}

static void lz4_end(struct unpack *unpack)
{
    LZ4F_freeDecompressionContext(unpack->state.lz4);
}

/* ---- none: a pipe ---- */

static bool plain_begin(struct unpack *unpack)
{
    (void)unpack;
    return true;
}

static const char *plain_step(struct unpack *unpack, uint8_t *out, size_t room, size_t *made)
{
    size_t n = unpack->end - unpack->start;

    *made = n < room ? n : room;
    memcpy(out, unpack->input + unpack->start, *made);
    unpack->start += *made;
    unpack->between = true;
    return NULL;
}

static void plain_end(struct unpack *unpack)
{
    (void)unpack;
}

static const struct codec plain = {.begin = plain_begin, .step = plain_step, .end = plain_end};
static const struct codec codecs[] = {
    {"gzip", {0x1f, 0x8b}, 2, gzip_begin, gzip_step, gzip_end},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, zstd_begin, zstd_step, zstd_end},
    {"lz4", {0x04, 0x22, 0x4d, 0x18}, 4, lz4_begin, lz4_step, lz4_end},
};

/* ---- the stream ---- */

/*
 * Returns the number of octets, 0: end, -1: errno. Does not wait for more than is available: the writer of a pipe may
 * be slow.
 */
static ssize_t read_some(FILE *file, uint8_t *p, size_t n)
{
    return read(fileno(file), p, n);
}

static bool unpack_fill(struct unpack *unpack)
{
    ssize_t n = read_some(unpack->packed, unpack->input, sizeof unpack->input);

    if (n < 0) {
        if (errno != EINTR) /* EINTR: the caller decides whether to continue */
            unpack->trouble = strerror(errno);
        return false;
    }
    unpack->ended = n == 0;
    unpack->start = 0;
    unpack->end = (size_t)n;
    unpack->position += n;
    return true;
}

static ssize_t failed(struct unpack *unpack, const char *trouble)
{
    unpack->trouble = trouble;
    errno = EIO;
    return -1;
}

/* 1: input is available, or the codec has more output; 0: the end; -1: errno. */
static ssize_t have_input(struct unpack *unpack)
{
    if (unpack->start < unpack->end || (!unpack->all_made && !unpack->between))
        return 1;
    if (!unpack->ended && !unpack_fill(unpack))
        return -1;
    if (!unpack->ended)
        return 1;
    if (unpack->between)
        return 0;
    unpack->truncated = true;
    return failed(unpack, "the compressed data end too early");
}

/* Returns the error that follows the decoded octets; NULL: none. */
static const char *unpack_step(struct unpack *unpack, uint8_t *out, size_t room, size_t *made)
{
    size_t before = unpack->end - unpack->start;
    const char *trouble = unpack->codec->step(unpack, out, room, made);

    unpack->all_made = *made < room;
    if (!trouble && *made == 0 && before > 0 && before == unpack->end - unpack->start)
        return "no progress";
    return trouble;
}

static ssize_t read_unpacked(void *cookie, char *out, size_t room)
{
    struct unpack *unpack = cookie;
    size_t made = 0;

    if (unpack->trouble)
        return failed(unpack, unpack->trouble);
    while (made == 0) {
        ssize_t input = have_input(unpack);
        const char *trouble;

        if (input <= 0)
            return input;
        trouble = unpack_step(unpack, (uint8_t *)out, room, &made);
        if (trouble)
            failed(unpack, trouble);
        if (trouble && made == 0)
            return -1;
    }
    if (unpack->watch.octets)
        unpack->watch.octets(unpack->watch.ctx, (uint8_t *)out, made);
    return (ssize_t)made;
}

static int close_packed(void *cookie)
{
    struct unpack *unpack = cookie;

    return unpack->packed == stdin ? 0 : fclose(unpack->packed);
}

static const struct codec *find_codec(const uint8_t *magic, size_t n)
{
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++)
        if (n >= codecs[i].magic_length && memcmp(magic, codecs[i].magic, codecs[i].magic_length) == 0)
            return &codecs[i];
    return NULL;
}

static FILE *unpack_start(FILE *file, const struct codec *codec, const uint8_t *magic, size_t n, struct unpack **unpack)
{
    static const cookie_io_functions_t functions = {.read = read_unpacked, .close = close_packed};
    struct unpack *new = malloc(sizeof *new);
    FILE *stream;

    if (!new)
        return NULL;
    memset(new, 0, offsetof(struct unpack, input));
    new->packed = file;
    new->all_made = true;
    memcpy(new->input, magic, n);
    new->end = n;
    new->position = (int64_t)n;
    if (!codec->begin(new)) {
        free(new);
        errno = ENOMEM;
        return NULL;
    }
    new->codec = codec;
    stream = fopencookie(new, "rb", functions);
    if (!stream) {
        unpack_free(new);
        errno = ENOMEM;
        return NULL;
    }
    setvbuf(stream, new->output, _IOFBF, sizeof new->output);
    *unpack = new;
    return stream;
}

FILE *unpack_stream(FILE *file, const struct unpack_watch *watch, struct unpack **unpack)
{
    uint8_t magic[MAGIC];
    size_t n = 0;
    const struct codec *codec;
    FILE *stream;

    *unpack = NULL;
    /* Avoids stdio, whose buffer would hold more octets of a pipe than these. */
    while (n < sizeof magic) {
        ssize_t got = read_some(file, magic + n, sizeof magic - n);

        if (got == 0)
            break;
        if (got < 0 && errno != EINTR)
            return NULL;
        if (got > 0)
            n += (size_t)got;
    }
    codec = find_codec(magic, n);
    if (!codec && (n == 0 || lseek(fileno(file), -(off_t)n, SEEK_CUR) >= 0))
        return file;
    stream = unpack_start(file, codec ? codec : &plain, magic, n, unpack);
    if (stream && watch)
        (*unpack)->watch = *watch;
    return stream;
}

void unpack_free(struct unpack *unpack)
{
    if (!unpack)
        return;
    unpack->codec->end(unpack);
    free(unpack);
}

const char *unpack_format(const struct unpack *unpack)
{
    return unpack->codec->name;
}

const char *unpack_trouble(const struct unpack *unpack)
{
    return unpack->codec == &plain ? NULL : unpack->trouble; /* a stream that cannot be read says so itself */
}

bool unpack_is_truncated(const struct unpack *unpack)
{
    return unpack->truncated;
}

int64_t unpack_position(const struct unpack *unpack)
{
    return unpack->position - (int64_t)(unpack->end - unpack->start);
}
