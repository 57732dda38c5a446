// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compressed files. The first octet chooses: compress the rest in one of the formats, in one or two frames, and recover
 * it; or read the rest as it is. For any size of reads, output and errors are the same, and so are the drop counters
 * that pass by.
 */
#define _GNU_SOURCE
#include "conformance/input/capture_drops.h"
#include "conformance/input/unpack.h"
#include "tests/fuzz/fuzz_file.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

enum { OUTPUT = 1 << 20, PACKED = 1 << 18, CONTENT_MAX = 1 << 16 };

static struct fuzz_file file;
static uint8_t output[2][OUTPUT], packed[PACKED];

struct outcome {
    size_t n;
    bool stopped, error, truncated; /* stopped: more than the limit */
    char trouble[128];
};

static void decompress(const uint8_t *p, size_t n, size_t piece, uint8_t *out, struct outcome *outcome)
{
    FILE *raw = fopen(fuzz_file(&file, p, n), "rb"), *stream;
    struct unpack *unpack;

    memset(outcome, 0, sizeof *outcome);
    HOLDS(raw);
    stream = unpack_stream(raw, NULL, &unpack);
    HOLDS(stream && (unpack != NULL) == (stream != raw));
    if (unpack)
        setvbuf(stream, NULL, _IONBF, 0);
    while (outcome->n < OUTPUT) {
        size_t want = OUTPUT - outcome->n < piece ? OUTPUT - outcome->n : piece;
        size_t got = fread(out + outcome->n, 1, want, stream);

        outcome->n += got;
        if (got < want)
            break;
    }
    outcome->stopped = outcome->n == OUTPUT;
    outcome->error = ferror(stream) != 0;
    if (unpack) {
        const char *trouble = unpack_trouble(unpack);

        HOLDS(outcome->stopped || outcome->error == (trouble != NULL));
        HOLDS(trouble || !unpack_is_truncated(unpack));
        HOLDS(unpack_position(unpack) >= 0 && unpack_position(unpack) <= (int64_t)n);
        outcome->truncated = unpack_is_truncated(unpack);
        if (trouble) {
            holds_one_line(trouble);
            snprintf(outcome->trouble, sizeof outcome->trouble, "%s", trouble);
        }
    } else {
        HOLDS(!outcome->error && (outcome->stopped || (outcome->n == n && memcmp(out, p, n) == 0)));
    }
    HOLDS(fclose(stream) == 0);
    unpack_free(unpack);
}

static size_t compress_gzip(const uint8_t *p, size_t n, uint8_t *out, size_t room)
{
    z_stream gzip = {.next_in = (Bytef *)p, .avail_in = (uInt)n, .next_out = out, .avail_out = (uInt)room};

    HOLDS(deflateInit2(&gzip, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    HOLDS(deflate(&gzip, Z_FINISH) == Z_STREAM_END);
    HOLDS(deflateEnd(&gzip) == Z_OK);
    return gzip.total_out;
}

static size_t compress_zstd(const uint8_t *p, size_t n, uint8_t *out, size_t room)
{
    size_t made = ZSTD_compress(out, room, p, n, 1);

    HOLDS(!ZSTD_isError(made));
    return made;
}

static size_t compress_lz4(const uint8_t *p, size_t n, uint8_t *out, size_t room)
{
    size_t made = LZ4F_compressFrame(out, room, p, n, NULL);

    HOLDS(!LZ4F_isError(made));
    return made;
}

static size_t (*const compressors[])(const uint8_t *, size_t, uint8_t *, size_t) = {compress_gzip, compress_zstd,
                                                                                    compress_lz4};

static void round_trip(unsigned which, bool two_frames, const uint8_t *p, size_t n)
{
    size_t first = two_frames ? n / 2 : n, made = compressors[which](p, first, packed, sizeof packed / 2);
    struct outcome outcome;

    if (two_frames)
        made += compressors[which](p + first, n - first, packed + made, sizeof packed - made);
    decompress(packed, made, 1000, output[0], &outcome);
    HOLDS(outcome.n == n && !outcome.error && memcmp(output[0], p, n) == 0);
    /* Without its end, a file gives the beginning. */
    decompress(packed, made - 1, 1 << 14, output[0], &outcome);
    HOLDS(outcome.error && outcome.truncated && outcome.n <= n && memcmp(output[0], p, outcome.n) == 0);
}

static struct drops_stream drops_of_pieces(const uint8_t *p, size_t n, size_t piece)
{
    struct drops_stream stream = {0};
    uint8_t *copy = output[0]; /* which drops_octets() may change */

    memcpy(copy, p, n = n < OUTPUT ? n : OUTPUT);
    for (size_t at = 0; at < n; at += piece) {
        drops_octets(&stream, copy + at, n - at < piece ? n - at : piece);
        HOLDS(stream.n_kept <= sizeof stream.kept);
    }
    free(stream.links);
    return stream;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome large, small;
    struct drops_stream whole, pieces;

    if (size == 0)
        return 0;
    if (data[0] < 6 && size <= CONTENT_MAX) {
        round_trip(data[0] % 3, data[0] >= 3, data + 1, size - 1);
        return 0;
    }
    whole = drops_of_pieces(data + 1, size - 1, size);
    pieces = drops_of_pieces(data + 1, size - 1, 5);
    HOLDS(whole.sum.dropped == pieces.sum.dropped && whole.sum.delivered == pieces.sum.delivered &&
          whole.sum.ended_ns == pieces.sum.ended_ns && whole.unusual == pieces.unusual &&
          whole.to_skip == pieces.to_skip);
    decompress(data + 1, size - 1, OUTPUT, output[0], &large);
    decompress(data + 1, size - 1, 61, output[1], &small);
    HOLDS(large.n == small.n && memcmp(output[0], output[1], large.n) == 0);
    if (!large.stopped)
        HOLDS(large.error == small.error && large.truncated == small.truncated &&
              strcmp(large.trouble, small.trouble) == 0);
    return 0;
}
