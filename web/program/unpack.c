// SPDX-License-Identifier: GPL-2.0-or-later
/* The browser decompresses gzip before the program reads. For files that are still compressed, the program says how to
 * decompress them. */
#include "conformance/input/unpack.h"

#include <string.h>

struct unpack {
    uint8_t length, magic[4];
    const char *format, *trouble;
};

static struct unpack known[] = {
    {2, {0x1F, 0x8B}, "gzip", "decompress the file first, with gzip -d"},
    {4, {0x28, 0xB5, 0x2F, 0xFD}, "zstd", "decompress the file first, with zstd -d"},
    {4, {0x04, 0x22, 0x4D, 0x18}, "lz4", "decompress the file first, with lz4 -d"},
};

/* Returns the file itself, in which no reader finds a capture. */
FILE *unpack_stream(FILE *file, const struct unpack_watch *watch, struct unpack **unpack)
{
    uint8_t magic[4];
    size_t n = fread(magic, 1, sizeof magic, file);

    (void)watch;
    *unpack = NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (n == sizeof magic && memcmp(magic, known[i].magic, known[i].length) == 0)
            *unpack = &known[i];
    clearerr(file);
    return fseeko(file, 0, SEEK_SET) == 0 ? file : NULL;
}

void unpack_free(struct unpack *unpack)
{
    (void)unpack;
}

const char *unpack_format(const struct unpack *unpack)
{
    return unpack->format;
}

const char *unpack_trouble(const struct unpack *unpack)
{
    return unpack->trouble;
}

/* ---- no open capture is compressed: these are never called ---- */

bool unpack_is_truncated(const struct unpack *unpack)
{
    (void)unpack;
    return false;
}

int64_t unpack_position(const struct unpack *unpack)
{
    (void)unpack;
    return 0;
}
