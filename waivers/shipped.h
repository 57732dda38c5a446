/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waiver files of this directory, built in: --waivers=NAME. NAME is that of a file ("linux-6.1-siw"), whose words
 * are the family, the version and the part, or of a group, which leaves out some of the words after the first: "linux",
 * "linux-6.1", "linux-siw" are all files that have those words.
 */
#ifndef IWARP_WAIVERS_SHIPPED_H
#define IWARP_WAIVERS_SHIPPED_H

#include "waivers/waivers.h"

struct shipped_file {
    const char *name; /* "linux-6.1-siw" */
    const char *text;
};

/* By name; the last has none. From *.yaml of this directory (CMakeLists.txt). */
extern const struct shipped_file shipped_files[];

/* False: nothing has that name. */
bool shipped_add(GPtrArray *waivers, const char *name);
/* All names, of files and of groups: "ganesha, ganesha-6.5, linux, linux-6.1, linux-6.1-nfsd"; g_free() it. */
char *shipped_names(void);

/* A line of each: its name, what it is for, and what it waives, with tabs between; g_free() it. */
char *shipped_list(void);

/* What would be waived: --waivers=NAME for a report that fails. */
struct shipped_match {
    char *name;         /* of the smallest file or group that explains most; NULL: none explains anything */
    char *condition;    /* "the responder is Linux 6.1 to 7.2": for the files that explain something */
    uint64_t explained; /* findings */
};

/* One kind of finding, or a case that failed. */
typedef bool (*shipped_fits)(const struct waiver *waiver, const void *finding);
struct shipped_findings {
    const void *const *findings;
    const uint64_t *times; /* how many of each */
    size_t n;
    shipped_fits fits;
};

/* The shipped waiver is of another NFS server than this family, "linux" or "ganesha". NULL: not known. */
bool shipped_of_another(const struct waiver *waiver, const char *server);

struct shipped_match shipped_explain(const struct shipped_findings *findings);
void shipped_match_clear(struct shipped_match *match);
/* "9 of 12 findings would be waived if the responder is Linux 6.1 (--waivers=linux-6.1-nfsd)"; NULL: none would.
 * g_free() it. */
char *shipped_text(const struct shipped_match *match, uint64_t of, const char *what);

#endif
