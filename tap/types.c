// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "tap/types.h"

#include <errno.h>
#include <glib.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One file: its header, and the parts that this describes. */
struct types {
    gchar *file;
    struct btf_header header;
    const gchar *type, *name;
};

static bool part_fits(const struct types *types, gsize n, uint32_t at, uint32_t length)
{
    gsize begin = types->header.hdr_len;

    return at <= n - begin && length <= n - begin - at;
}

static bool types_read(struct types *types, const char *path)
{
    g_autoptr(GError) error = NULL;
    gsize n;

    if (!g_file_get_contents(path, &types->file, &n, &error)) {
        errno = ENOENT;
        return false;
    }
    errno = EPROTO;
    if (n < sizeof types->header)
        return false;
    memcpy(&types->header, types->file, sizeof types->header);
    if (types->header.magic != BTF_MAGIC || types->header.version != BTF_VERSION ||
        types->header.hdr_len < sizeof types->header || types->header.hdr_len > n ||
        !part_fits(types, n, types->header.type_off, types->header.type_len) ||
        !part_fits(types, n, types->header.str_off, types->header.str_len))
        return false;
    types->type = types->file + types->header.hdr_len + types->header.type_off;
    types->name = types->file + types->header.hdr_len + types->header.str_off;
    return true;
}

static bool put(int file, const void *p, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t written = write(file, (const char *)p + at, n - at);

        if (written < 0)
            return false;
        at += (size_t)written;
    }
    return true;
}

static bool types_write(int file, const struct types *kernel, const struct types *module)
{
    const struct btf_header *a = &kernel->header, *b = &module->header;
    struct btf_header header = {.magic = BTF_MAGIC,
                                .version = BTF_VERSION,
                                .hdr_len = sizeof header,
                                .type_len = a->type_len + b->type_len,
                                .str_off = a->type_len + b->type_len,
                                .str_len = a->str_len + b->str_len};

    return put(file, &header, sizeof header) && put(file, kernel->type, a->type_len) &&
           put(file, module->type, b->type_len) && put(file, kernel->name, a->str_len) &&
           put(file, module->name, b->str_len);
}

int types_join(const char *kernel, const char *module)
{
    struct types base = {.file = NULL}, more = {.file = NULL};
    int file = -1, error;

    if (types_read(&base, kernel) && types_read(&more, module)) {
        file = memfd_create("types", MFD_CLOEXEC);
        if (file >= 0 && !types_write(file, &base, &more)) {
            close(file);
            file = -1;
        }
    }
    error = errno;
    g_free(base.file);
    g_free(more.file);
    errno = error;
    return file;
}
