// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPIED_AT_ONCE = 1 << 14 };

static void close_kept(gpointer file)
{
    fclose(file);
}

void merge_files_init(struct merge_files *files, char **paths)
{
    *files = (struct merge_files){.paths = paths, .fd = -1};
    files->kept = g_hash_table_new_full(NULL, NULL, NULL, close_kept);
}

static void files_leave(struct merge_files *files)
{
    if (files->fd >= 0)
        close(files->fd);
    files->fd = -1;
}

void merge_files_clear(struct merge_files *files)
{
    files_leave(files);
    g_hash_table_unref(files->kept);
}

bool merge_files_copy(int fd, uint64_t n, FILE *to)
{
    char text[COPIED_AT_ONCE];
    ssize_t got = 1;

    for (uint64_t left = n; left > 0 && got != 0;) {
        got = read(fd, text, (size_t)MIN(left, sizeof text));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        fwrite(text, 1, (size_t)got, to);
        left -= (uint64_t)got;
    }
    return n == MERGE_ALL || got != 0;
}

/* Input that is not a regular file can be read only once. */
static bool files_keep(struct merge_files *files, guint number, int fd)
{
    struct stat is;
    FILE *kept;

    if (fstat(fd, &is) != 0 || S_ISREG(is.st_mode))
        return true;
    kept = tmpfile();
    if (!kept)
        return false;
    g_hash_table_insert(files->kept, GUINT_TO_POINTER(number), kept);
    return merge_files_copy(fd, MERGE_ALL, kept) && fflush(kept) == 0 && !ferror(kept);
}

static int open_again(struct merge_files *files, guint number)
{
    FILE *kept = g_hash_table_lookup(files->kept, GUINT_TO_POINTER(number));

    if (files->fd >= 0 && files->latest == number)
        return files->fd;
    files_leave(files);
    files->latest = number;
    if (!kept) {
        files->fd = open(files->paths[number], O_RDONLY | O_CLOEXEC);
        if (files->fd >= 0 && !files_keep(files, number, files->fd))
            files_leave(files);
        kept = g_hash_table_lookup(files->kept, GUINT_TO_POINTER(number));
    }
    if (kept) {
        files_leave(files);
        files->fd = fcntl(fileno(kept), F_DUPFD_CLOEXEC, 0);
    }
    return files->fd;
}

int merge_files_at(struct merge_files *files, guint number, uint64_t at)
{
    int fd = open_again(files, number);

    return fd >= 0 && lseek(fd, (off_t)at, SEEK_SET) >= 0 ? fd : -1;
}
