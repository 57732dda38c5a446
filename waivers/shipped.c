// SPDX-License-Identifier: GPL-2.0-or-later
#include "waivers/shipped.h"

#include <inttypes.h>
#include <string.h>

enum { FILES_MAX = 64 }; /* so that a uint64_t can hold a set of files */

/* Maps the former name of a part to its current one. */
static const char *word_now(const char *word)
{
    return strcmp(word, "nfsrdma") == 0 ? "nfsd" : word;
}

/* The group's words are the file's words, some after the first omitted. */
static bool shipped_is_of(const struct shipped_file *file, const char *group)
{
    g_auto(GStrv) has = g_strsplit(file->name, "-", -1), wants = g_strsplit(group, "-", -1);
    unsigned k = 0;

    if (g_strcmp0(has[0], wants[0]) != 0)
        return false;
    for (unsigned i = 0; has[i] && wants[k]; i++)
        k += strcmp(has[i], word_now(wants[k])) == 0;
    return !wants[k];
}

static uint64_t files_of(const char *group)
{
    uint64_t files = 0;

    for (unsigned i = 0; shipped_files[i].name && i < FILES_MAX; i++)
        files |= (uint64_t)shipped_is_of(&shipped_files[i], group) << i;
    return files;
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds the file's name, and its groups: with each subset of the words after the first. */
static void shipped_add_groups(GPtrArray *names, const struct shipped_file *file)
{
    g_auto(GStrv) words = g_strsplit(file->name, "-", -1);
    unsigned n = g_strv_length(words);

    for (unsigned set = 0; set < 1U << (n - 1); set++) {
        GString *name = g_string_new(words[0]);

        for (unsigned i = 1; i < n; i++)
            if (set & 1U << (i - 1))
                g_string_append_printf(name, "-%s", words[i]);
        if (g_ptr_array_find_with_equal_func(names, name->str, g_str_equal, NULL))
            g_string_free(name, TRUE);
        else
            g_ptr_array_add(names, g_string_free(name, FALSE));
    }
}

/* Returns sorted char *. */
static GPtrArray *all_names(void)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

    for (const struct shipped_file *file = shipped_files; file->name; file++)
        shipped_add_groups(names, file);
    g_ptr_array_sort(names, by_name);
    return names;
}

/* Built-in files are tested: an unreadable one is a build error. */
static char *add_file(GPtrArray *waivers, const struct shipped_file *file)
{
    g_autofree char *path = g_strconcat(file->name, ".yaml", NULL);
    guint before = waivers->len;
    char *about = NULL;
    GError *error = NULL;

    if (!waivers_parse(waivers, file->text, path, &about, &error))
        g_error("%s", error->message);
    for (guint i = before; i < waivers->len; i++)
        ((struct waiver *)g_ptr_array_index(waivers, i))->shipped = true;
    return about ? about : g_strdup(file->name);
}

bool shipped_add(GPtrArray *waivers, const char *name)
{
    bool found = false;

    for (const struct shipped_file *file = shipped_files; file->name; file++)
        if (shipped_is_of(file, name)) {
            g_free(add_file(waivers, file));
            found = true;
        }
    return found;
}

char *shipped_names(void)
{
    g_autoptr(GPtrArray) names = all_names();
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < names->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", (const char *)g_ptr_array_index(names, i));
    return g_string_free(text, FALSE);
}

/* ---- which findings they would waive ---- */

/* The findings that a file explains, regardless of the other files. */
struct explained {
    bool *which; /* for each finding */
    bool any;
};

static struct explained explain_by(const struct shipped_file *file, const struct shipped_findings *findings)
{
    GPtrArray *waivers = waivers_new();
    struct explained explained = {.which = g_new0(bool, findings->n + 1)};

    g_free(add_file(waivers, file));
    for (size_t k = 0; k < findings->n; k++)
        for (guint i = 0; i < waivers->len && !explained.which[k]; i++)
            explained.any |= explained.which[k] = findings->fits(g_ptr_array_index(waivers, i), findings->findings[k]);
    g_ptr_array_unref(waivers);
    return explained;
}

/* Number of findings that at least one of the files explains. */
static uint64_t shipped_count(const struct explained *by, uint64_t files, const struct shipped_findings *findings)
{
    uint64_t times = 0;

    for (size_t k = 0; k < findings->n; k++)
        for (unsigned i = 0; i < FILES_MAX; i++)
            if (files >> i & 1 && by[i].which && by[i].which[k]) {
                times += findings->times[k];
                break;
            }
    return times;
}

/* The condition under which a file applies to a capture, by its family and part. */
static const struct {
    const char *family, *part;
    bool nfs_server;
    const char *clause; /* followed by the versions */
} clauses[] = {{"ganesha", NULL, true, "the responder is NFS-Ganesha"},
               {"linux", "nfsd", true, "the responder is Linux"},
               {"linux", "siw", false, "the iWARP device is siw of Linux"},
               {"linux", "xprtrdma", false, "the initiator is Linux"},
               {"libevpl", "server", true, "the responder is libevpl"}};

/* words: from a file's name. */
static bool clause_fits(unsigned k, char *const *words)
{
    return strcmp(clauses[k].family, words[0]) == 0 &&
           (!clauses[k].part || g_strcmp0(clauses[k].part, words[1] ? words[2] : NULL) == 0);
}

bool shipped_of_another(const struct waiver *waiver, const char *server)
{
    g_auto(GStrv) words = g_strsplit_set(waiver->where, "-", 3);

    if (words[0] && words[1] && words[2])
        words[2][strcspn(words[2], ".")] = '\0'; /* "nfsd.yaml:7" */
    for (unsigned k = 0; server && words[0] && k < G_N_ELEMENTS(clauses); k++)
        if (clause_fits(k, words))
            return clauses[k].nfs_server && strcmp(clauses[k].family, server) != 0;
    return false;
}

/* The versions in the files that explain something and have that clause: "6.1 to 7.2". NULL: none. */
static char *versions_of(unsigned k, const struct explained *by, uint64_t files)
{
    char *first = NULL, *all = NULL;

    for (unsigned i = 0; i < FILES_MAX; i++) {
        g_auto(GStrv) words = files >> i & 1 && by[i].any ? g_strsplit(shipped_files[i].name, "-", 3) : NULL;

        if (!words || !clause_fits(k, words))
            continue;
        g_free(all);
        all = first ? g_strdup_printf("%s to %s", first, words[1]) : g_strdup(words[1]);
        first = first ? first : g_strdup(words[1]);
    }
    g_free(first);
    return all;
}

/*
 * "the responder is Linux 6.1 to 7.2 and the iWARP device is siw of Linux 6.1": for the files that explain something.
 */
static char *condition(const struct explained *by, uint64_t files)
{
    GString *text = g_string_new(NULL);

    for (unsigned k = 0; k < G_N_ELEMENTS(clauses); k++) {
        g_autofree char *versions = versions_of(k, by, files);

        if (versions)
            g_string_append_printf(text, "%s%s %s", text->len > 0 ? " and " : "", clauses[k].clause, versions);
    }
    return g_string_free(text, FALSE);
}

static unsigned shipped_size_of(uint64_t files)
{
    return (unsigned)__builtin_popcountll(files);
}

/* The smallest name that covers all of these files; NULL: they belong to several families. */
static const char *smallest_name(const GPtrArray *names, uint64_t wanted)
{
    const char *best = NULL;

    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        uint64_t files = files_of(name);

        /* Among names for the same files, the longer one is more specific. */
        if ((files & wanted) == wanted &&
            (!best || shipped_size_of(files) < shipped_size_of(files_of(best)) ||
             (shipped_size_of(files) == shipped_size_of(files_of(best)) && strlen(name) > strlen(best))))
            best = name;
    }
    return best;
}

/* The files of a name that explain something. */
static uint64_t useful(const struct explained *by, uint64_t files)
{
    for (unsigned i = 0; i < FILES_MAX; i++)
        if (!by[i].any)
            files &= ~(UINT64_C(1) << i);
    return files;
}

/*
 * The name that explains most with the fewest useful files. If several do, because of what two versions have in common,
 * the right one is unknown: returns the group that contains them all or, if they belong to several families, the first.
 */
static const char *best_name(const GPtrArray *names, const struct explained *by,
                             const struct shipped_findings *findings)
{
    uint64_t most = 0, together = 0, first = 0;
    const char *all;

    for (guint i = 0; i < names->len; i++) {
        uint64_t files = useful(by, files_of(g_ptr_array_index(names, i))), times = shipped_count(by, files, findings);

        if (times < most || times == 0 || (times == most && shipped_size_of(files) > shipped_size_of(first)))
            continue;
        if (times > most || shipped_size_of(files) < shipped_size_of(first)) {
            together = 0;
            first = files;
        }
        most = times;
        together |= files;
    }
    if (most == 0)
        return NULL;
    all = smallest_name(names, together);
    return all ? all : smallest_name(names, first);
}

struct shipped_match shipped_explain(const struct shipped_findings *findings)
{
    g_autoptr(GPtrArray) names = all_names();
    struct explained *by = g_new0(struct explained, FILES_MAX);
    struct shipped_match match = {0};
    const char *name;

    for (unsigned i = 0; shipped_files[i].name && i < FILES_MAX; i++)
        by[i] = explain_by(&shipped_files[i], findings);
    name = best_name(names, by, findings);
    if (name)
        match = (struct shipped_match){.name = g_strdup(name),
                                       .condition = condition(by, files_of(name)),
                                       .explained = shipped_count(by, files_of(name), findings)};
    for (unsigned i = 0; i < FILES_MAX; i++) {
        g_free(by[i].which);
    }
    g_free(by);
    return match;
}

void shipped_match_clear(struct shipped_match *match)
{
    g_clear_pointer(&match->name, g_free);
    g_clear_pointer(&match->condition, g_free);
}

char *shipped_text(const struct shipped_match *match, uint64_t of, const char *what)
{
    if (match->explained == 0)
        return NULL;
    return g_strdup_printf("%" PRIu64 " of %" PRIu64 " %s%s would be waived if %s (--waivers=%s)", match->explained, of,
                           what, of == 1 ? "" : "s", match->condition, match->name);
}

/* ---- what is available ---- */

static bool is_file(const char *name)
{
    const struct shipped_file *file = shipped_files;

    while (file->name && strcmp(file->name, name) != 0)
        file++;
    return file->name;
}

static void add_group_row(GString *text, uint64_t files)
{
    const char *separator = "all of ";

    for (unsigned i = 0; i < FILES_MAX; i++)
        if (files >> i & 1) {
            g_string_append_printf(text, "%s%s", separator, shipped_files[i].name);
            separator = ", ";
        }
}

static void add_contents(GString *text, const char *name)
{
    GPtrArray *waivers = waivers_new();
    const char *last = "", *separator = "findings of ";
    unsigned cases = 0;

    shipped_add(waivers, name);
    for (guint i = 0; i < waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(waivers, i);

        cases += waiver->one_case;
        if (waiver->one_case || strcmp(waiver->id, last) == 0)
            continue;
        g_string_append_printf(text, "%s%s", separator, waiver->id);
        separator = ", ";
        last = waiver->id;
    }
    if (cases > 0)
        g_string_append_printf(text, "%s%u cases of iwarp-gen test", *last ? "; " : "", cases);
    g_ptr_array_unref(waivers);
}

char *shipped_list(void)
{
    g_autoptr(GPtrArray) names = all_names();
    struct explained all[FILES_MAX] = {{0}};
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < FILES_MAX; i++)
        all[i].any = true;
    for (guint i = 0; i < names->len; i++) {
        const char *name = g_ptr_array_index(names, i);
        uint64_t files = files_of(name);

        g_string_append_printf(text, "%s\t", name);
        if (is_file(name)) {
            g_autofree char *when = condition(all, files);

            g_string_append_printf(text, "if %s\t", when);
            add_contents(text, name);
        } else {
            add_group_row(text, files);
        }
        g_string_append_c(text, '\n');
    }
    return g_string_free(text, FALSE);
}
