// SPDX-License-Identifier: GPL-2.0-or-later
/* The browser decompresses gzip before the program reads; what is compressed in another way is refused by name. */
#include "conformance/input/unpack.h"

#include <errno.h>
#include <string.h>

static bool is_compressed(const uint8_t magic[4])
{
    static const uint8_t known[][4] = {{0x28, 0xB5, 0x2F, 0xFD}, {0x04, 0x22, 0x4D, 0x18}};

    return (magic[0] == 0x1F && magic[1] == 0x8B) || memcmp(magic, known[0], 4) == 0 || memcmp(magic, known[1], 4) == 0;
}

FILE *unpack_stream(FILE *file, struct unpack **unpack)
{
    uint8_t magic[4] = {0};

    *unpack = NULL;
    if (fread(magic, 1, sizeof magic, file) == sizeof magic && is_compressed(magic)) {
        errno = ENOTSUP;
        return NULL;
    }
    clearerr(file);
    return fseeko(file, 0, SEEK_SET) == 0 ? file : NULL;
}

/* *unpack is always NULL: none of these is called. */
void unpack_free(struct unpack *unpack)
{
    (void)unpack;
}

const char *unpack_format(const struct unpack *unpack)
{
    (void)unpack;
    return "";
}

const char *unpack_trouble(const struct unpack *unpack)
{
    (void)unpack;
    return NULL;
}

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
