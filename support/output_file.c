// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool output_file_is(const char *path, const char *other)
{
    struct stat one, two;

    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

bool output_file_is_input(const char *path, const char *input)
{
    struct stat out, in;
    int to = !path || strcmp(path, "-") == 0 ? fstat(STDOUT_FILENO, &out) : stat(path, &out);
    int from = strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &in) : stat(input, &in);

    return to == 0 && from == 0 && S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/* The mode of a new file, or of the file to be replaced. */
static mode_t mode_wanted(const struct stat *existing)
{
    mode_t mask;

    if (existing)
        return existing->st_mode & 07777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool is_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static bool is_in_place(const char *path, const struct stat *existing)
{
    /* These paths may be other names of a regular file that other processes have open. */
    return !S_ISREG(existing->st_mode) || g_str_has_prefix(path, "/dev/") || g_str_has_prefix(path, "/proc/");
}

bool output_file_is_replaced(const char *path)
{
    struct stat existing;

    return !is_standard_output(path) && (stat(path, &existing) != 0 || !is_in_place(path, &existing));
}

/* The file to be replaced or created: not a link to it. */
static gchar *target_of(const char *path)
{
    char *resolved = realpath(path, NULL);
    gchar *target = g_strdup(resolved ? resolved : path);

    free(resolved);
    return target;
}

gchar *output_file_place(const char *path)
{
    gchar *target, *folder;

    if (is_standard_output(path))
        return NULL;
    if (!output_file_is_replaced(path))
        return g_strdup(path);
    target = target_of(path);
    folder = g_path_get_dirname(target);
    g_free(target);
    return folder;
}

bool output_file_open(struct output_file *out, const char *path)
{
    struct stat existing;
    bool exists;
    int file;

    *out = (struct output_file){.file = stdout};
    if (is_standard_output(path))
        return true;
    exists = stat(path, &existing) == 0;
    if (exists && is_in_place(path, &existing)) {
        out->file = fopen(path, "w");
        return out->file != NULL;
    }
    out->target = target_of(path);
    out->temporary = g_strdup_printf("%s.XXXXXX", out->target);
    out->file = NULL;
    file = g_mkstemp_full(out->temporary, O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0) {
        g_clear_pointer(&out->temporary, g_free);
        return false;
    }
    if (fchmod(file, mode_wanted(exists ? &existing : NULL)) == 0)
        out->file = fdopen(file, "w");
    if (!out->file)
        close(file);
    return out->file != NULL;
}

/* In directories that everybody can write to, such as /tmp, names belong to the owners of the files. */
static bool may_take_name(const char *path, const struct stat *existing)
{
    gchar *folder = output_file_place(path);
    struct stat is;
    bool may = !folder || stat(folder, &is) != 0 || !(is.st_mode & S_ISVTX) || geteuid() == 0 ||
               is.st_uid == geteuid() || existing->st_uid == geteuid();

    g_free(folder);
    errno = EPERM;
    return may;
}

bool output_file_possible(const char *path)
{
    struct output_file out;
    struct stat existing;
    bool possible;
    int why;

    /* Opening a pipe here would show its reader an open and a close. */
    if (path && stat(path, &existing) == 0 && !S_ISREG(existing.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(existing.st_mode) && access(path, W_OK) == 0;
    }
    if (path && stat(path, &existing) == 0 && !may_take_name(path, &existing))
        return false;
    possible = output_file_open(&out, path);
    why = errno;
    output_file_clear(&out);
    errno = why;
    return possible;
}

bool output_file_finish(struct output_file *out)
{
    bool good = !ferror(out->file);

    if (out->file == stdout)
        return fflush(stdout) == 0 && good;
    good = fclose(out->file) == 0 && good;
    out->file = NULL;
    if (good && out->temporary) {
        good = rename(out->temporary, out->target) == 0;
        if (good)
            g_clear_pointer(&out->temporary, g_free);
    }
    return good;
}

void output_file_clear(struct output_file *out)
{
    if (out->file && out->file != stdout)
        fclose(out->file);
    if (out->temporary)
        unlink(out->temporary);
    g_free(out->temporary);
    g_free(out->target);
    *out = (struct output_file){0};
}
