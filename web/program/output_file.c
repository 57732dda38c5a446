// SPDX-License-Identifier: GPL-2.0-or-later
/* Files are in the memory of the page or of the test, for one run: they are written in place. */
#include "support/output_file.h"

#include <string.h>
#include <sys/stat.h>

static bool is_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

bool output_file_is(const char *path, const char *other)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool output_file_is_input(const char *path, const char *input)
{
    return !is_standard_output(path) && output_file_is(path, input);
}

bool output_file_open(struct output_file *out, const char *path)
{
    *out = (struct output_file){.file = is_standard_output(path) ? stdout : fopen(path, "w")};
    return out->file != NULL;
}

bool output_file_possible(const char *path)
{
    struct output_file out;
    bool possible = output_file_open(&out, path);

    output_file_clear(&out);
    return possible;
}

bool output_file_finish(struct output_file *out)
{
    FILE *file = out->file;
    bool good = !ferror(file);

    out->file = NULL;
    return (file == stdout ? fflush(file) : fclose(file)) == 0 && good;
}

void output_file_clear(struct output_file *out)
{
    if (out->file && out->file != stdout)
        fclose(out->file);
    out->file = NULL;
}
