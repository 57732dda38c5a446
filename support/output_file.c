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

/* Another user's link in a directory that everybody can write to, such as /tmp: as fs.protected_symlinks has it. */
static bool is_foreign_link(const char *path)
{
    g_autofree gchar *folder = g_path_get_dirname(path);
    struct stat link, in;

    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && stat(folder, &in) == 0 && (in.st_mode & S_ISVTX) &&
           (in.st_mode & S_IWOTH) && link.st_uid != geteuid() && link.st_uid != in.st_uid;
}

/* The file to be replaced or created: not a link to it, unless the link is another user's, which is replaced itself. */
static gchar *target_of(const char *path)
{
    enum { LINKS_MAX = 40 };
    gchar *target = g_strdup(path), *link;

    for (unsigned n = 0; n < LINKS_MAX && !is_foreign_link(target) && (link = g_file_read_link(target, NULL)); n++) {
        g_autofree gchar *from = target, *folder = g_path_get_dirname(from);

        target = g_path_is_absolute(link) ? g_strdup(link) : g_build_filename(folder, link, NULL);
        g_free(link);
    }
    return target;
}

/* The file that path stands for: none behind another user's link. */
static bool look(const char *path, struct stat *existing)
{
    g_autofree gchar *target = target_of(path);

    return !is_foreign_link(target) && stat(path, existing) == 0;
}

bool output_file_is_replaced(const char *path)
{
    struct stat existing;

    return !is_standard_output(path) && (!look(path, &existing) || !is_in_place(path, &existing));
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
    exists = look(path, &existing);
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
static bool may_take_name(const char *path)
{
    g_autofree gchar *target = target_of(path), *folder = g_path_get_dirname(target);
    struct stat is, existing;
    bool may = !output_file_is_replaced(path) || stat(folder, &is) != 0 || !(is.st_mode & S_ISVTX) || geteuid() == 0 ||
               is.st_uid == geteuid() || lstat(target, &existing) != 0 || existing.st_uid == geteuid();

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
    if (path && look(path, &existing) && !S_ISREG(existing.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(existing.st_mode) && access(path, W_OK) == 0;
    }
    if (path && !may_take_name(path))
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
