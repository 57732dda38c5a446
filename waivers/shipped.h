/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waiver files of this directory, built in: --waivers=NAME. NAME is either a file's ("linux-6.1-siw"), with family,
 * version and part as its words, or a group's, which omits some of the words after the first: "linux", "linux-6.1" and
 * "linux-siw" stand for all files that have these words.
 */
#ifndef IWARP_WAIVERS_SHIPPED_H
#define IWARP_WAIVERS_SHIPPED_H

#include "waivers/waivers.h"

struct shipped_file {
    const char *name; /* "linux-6.1-siw" */
    const char *text;
};

/* Sorted by name; the last entry has name NULL. Made from *.yaml of this directory (CMakeLists.txt). */
extern const struct shipped_file shipped_files[];
/* Likewise from the files of known: public errors, in the form of waivers. They waive nothing. */
extern const struct shipped_file shipped_known_files[];

/* False: there is no such name. */
bool shipped_add(GPtrArray *waivers, const char *name);
/* All names, of files and of groups: "ganesha, ganesha-6.5, linux, linux-6.1, linux-6.1-nfsd"; g_free() it. */
char *shipped_names(void);

/* One line for each name: the name, its subject, and what it waives, separated by tabs; g_free() it. */
char *shipped_list(void);

/* The built-in waivers that would help a failing report: --waivers=NAME. */
struct shipped_match {
    char *name;         /* the smallest file or group that explains most; NULL: none explains anything */
    char *condition;    /* "the responder is Linux 6.1 to 7.2": for the files that explain something */
    uint64_t explained; /* number of findings */
};

/* Whether a waiver covers a kind of finding, or a case that failed. */
typedef bool (*shipped_fits)(const struct waiver *waiver, const void *finding);
struct shipped_findings {
    const void *const *findings;
    const uint64_t *times; /* how often each was made */
    size_t n;
    shipped_fits fits;
};

/* The built-in waiver is for an NFS server of another family than `server`, "linux" or "ganesha". NULL: unknown. */
bool shipped_of_another(const struct waiver *waiver, const char *server);

/*
 * The public error that the finding resembles, or that the finding provokes: `why` says which, `link` has the source.
 * NULL: none. server: as above. Valid for ever. For the thread that writes the report.
 */
const struct waiver *shipped_known(const struct waiver_finding *finding, const char *server);

struct shipped_match shipped_explain(const struct shipped_findings *findings);
void shipped_match_clear(struct shipped_match *match);
/* "9 of 12 findings would be waived if the responder is Linux 6.1 (--waivers=linux-6.1-nfsd)"; NULL: none would.
 * g_free() it. */
char *shipped_text(const struct shipped_match *match, uint64_t of, const char *what);

#endif
