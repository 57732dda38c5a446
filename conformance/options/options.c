// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/options/options.h"

#include "support/closest.h"
#include "support/printable.h"
#include "waivers/waivers.h"

#include <string.h>

enum { COMMAND_LINE_MAX = 1000 }; /* octets kept for reports */

G_DEFINE_QUARK(check - error - quark, check_error)

static bool usage(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool usage(GError **error, const char *format, ...)
{
    va_list args;
    gchar *text;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, CHECK_ERROR, CHECK_ERROR_USAGE, text);
    g_free(text);
    return false;
}

/* A word from a table; each option with a fixed set of values has such a table. */
struct word {
    const char *name;
    int value;
};

static const struct word *options_find_word(const struct word *words, const char *name)
{
    while (words->name && strcmp(words->name, name) != 0)
        words++;
    return words->name ? words : NULL;
}

bool options_parse_fail_on(struct check_options *options, const char *value, GError **error)
{
    enum { NEVER = -1, AND_TROUBLE = -2 };
    static const struct word levels[] = {{"error", SEVERITY_ERROR}, {"warning", SEVERITY_WARNING},
                                         {"note", SEVERITY_NOTE},   {"never", NEVER},
                                         {"trouble", AND_TROUBLE},  {NULL, 0}};
    g_auto(GStrv) names = g_strsplit(value, ",", -1);
    unsigned given = 0;

    options->fail_never = options->fail_trouble = false;
    options->fail_on = SEVERITY_ERROR;
    for (gchar **name = names; *name; name++) {
        const struct word *word = options_find_word(levels, *name);

        if (!word || (word->value != AND_TROUBLE && given++ > 0))
            return usage(error, "--fail-on=%s: choose error, warning, note or never, and optionally ,trouble", value);
        options->fail_trouble |= word->value == AND_TROUBLE;
        options->fail_never |= word->value == NEVER;
        if (word->value >= 0)
            options->fail_on = (enum rule_severity)word->value;
    }
    return names[0] || usage(error, "--fail-on: choose error, warning, note, never or trouble");
}

static bool parse_profile(struct check_options *options, const char *value, GError **error)
{
    static const struct word profiles[] = {
        {"ietf", PROFILE_IETF}, {"rdmac", PROFILE_RDMAC}, {"rfc5666", PROFILE_RFC5666}, {NULL, 0}};
    const struct word *word = options_find_word(profiles, value);

    if (!word)
        return usage(error, "--profile=%s: choose ietf, rdmac or rfc5666", value);
    options->profile = word->name;
    options->mpa.profile = (enum rule_profile)word->value;
    return true;
}

static bool parse_color(struct check_options *options, const char *value, GError **error)
{
    static const struct word uses[] = {
        {"auto", COLOR_AUTO}, {"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}, {NULL, 0}};
    const struct word *word = options_find_word(uses, value);

    if (!word)
        return usage(error, "--color=%s: choose auto, always or never", value);
    options->color = (enum color_use)word->value;
    return true;
}

static bool parse_counts(struct check_options *options, const char *value, GError **error)
{
    static const struct word scopes[] = {{"capture", false}, {"connection", true}, {NULL, 0}};
    const struct word *word = options_find_word(scopes, value);

    if (!word)
        return usage(error, "--counts=%s: choose capture or connection", value);
    if (!outputs_have(options->outputs, FORMAT_NDJSON))
        return usage(error, "--counts needs --format=ndjson");
    options->counts_apart = word->value;
    return true;
}

static bool assume_markers(struct check_options *options, const char *value, GError **error)
{
    enum { TO_RESPONDER = 1, TO_INITIATOR = 2 };
    static const struct word words[] = {{"none", 0},
                                        {"both", TO_RESPONDER | TO_INITIATOR},
                                        {"to-responder", TO_RESPONDER},
                                        {"to-initiator", TO_INITIATOR},
                                        {NULL, 0}};
    const struct word *word = options_find_word(words, value);

    if (!word)
        return usage(error, "--assume=markers=%s: choose none, both, to-responder or to-initiator", value);
    options->mpa.assume_markers_to_responder = word->value & TO_RESPONDER ? ON : OFF;
    options->mpa.assume_markers_to_initiator = word->value & TO_INITIATOR ? ON : OFF;
    return true;
}

static bool assume_crc(struct check_options *options, const char *value, GError **error)
{
    static const struct word words[] = {{"on", ON}, {"off", OFF}, {NULL, 0}};
    const struct word *word = options_find_word(words, value);

    if (!word)
        return usage(error, "--assume=crc=%s: choose on or off", value);
    options->mpa.assume_crc = (enum tristate)word->value;
    return true;
}

static bool assume_icrc(struct check_options *options, const char *value, GError **error)
{
    static const struct word words[] = {{"on", ON}, {"off", OFF}, {NULL, 0}};
    const struct word *word = options_find_word(words, value);

    if (!word)
        return usage(error, "--assume=icrc=%s: choose on or off", value);
    options->assume_no_icrc = word->value == OFF;
    return true;
}

static bool assume_inline(struct check_options *options, const char *value, GError **error)
{
    enum { INLINE_MIN = 1024, INLINE_MAX = 256 * 1024 }; /* the range that RFC 8797 can express */
    guint64 number;

    if (!g_ascii_string_to_unsigned(value, 10, INLINE_MIN, INLINE_MAX, &number, NULL))
        return usage(error, "--assume=inline=%s: give a number of octets from 1024 to 262144", value);
    options->assume_inline = (unsigned)number;
    return true;
}

/* "0x11:0x22" */
static bool assume_qp(struct check_options *options, const char *value, GError **error)
{
    enum { QP_MAX = 0xFFFFFF };
    struct ib_qp_pair *pair = &options->assumed_qps[options->n_assumed_qps];
    char *end = NULL;

    if (options->n_assumed_qps == ASSUMED_QPS_MAX)
        return usage(error, "--assume=qp=%s: at most %d connections can be given", value, ASSUMED_QPS_MAX);
    for (unsigned i = 0; i < 2; i++) {
        const char *number = i == 0 ? value : end + 1;
        guint64 qp = g_ascii_isdigit(*number) ? g_ascii_strtoull(number, &end, 0) : 0;

        if (qp <= 1 || qp > QP_MAX || *end != (i == 0 ? ':' : '\0'))
            return usage(error, "--assume=qp=%s: give two queue pair numbers, such as 0x11:0x22", value);
        pair->qp[i] = (uint32_t)qp;
    }
    options->n_assumed_qps++;
    return true;
}

/* "KEY=VALUE,KEY=VALUE" of --assume and --timers. */
struct pair_reader {
    const char *key;
    bool (*read)(struct check_options *options, const char *value, GError **error);
    size_t seconds; /* if read is NULL: the offset of the option, in nanoseconds */
};

static bool read_seconds(const char *value, int64_t *out, GError **error)
{
    char *end;
    double seconds = g_ascii_strtod(value, &end);

    if (end == value || *end != '\0' || !(seconds > 0 && seconds <= 1e6))
        return usage(error, "--timers: '%s' is not a number of seconds greater than 0 and up to 1000000", value);
    *out = (int64_t)(seconds * 1e9);
    return true;
}

static bool options_read_pair(struct check_options *options, const char *option, const char *allowed,
                              const struct pair_reader *readers, char *pair, GError **error)
{
    char *value = strchr(pair, '=');

    if (value)
        *value++ = '\0';
    for (; readers->key; readers++)
        if (value && strcmp(readers->key, pair) == 0)
            return readers->read ? readers->read(options, value, error)
                                 : read_seconds(value, (int64_t *)(void *)((char *)options + readers->seconds), error);
    return usage(error, "%s: '%s' is not one of %s", option, pair, allowed);
}

static bool read_pairs(struct check_options *options, const char *option, const char *allowed,
                       const struct pair_reader *readers, const char *list, GError **error)
{
    gchar **pairs = g_strsplit(list, ",", -1);
    bool ok = true;

    for (size_t i = 0; ok && pairs[i]; i++)
        ok = options_read_pair(options, option, allowed, readers, pairs[i], error);
    g_strfreev(pairs);
    return ok;
}

static bool parse_assume(struct check_options *options, const char *value, GError **error)
{
    static const struct pair_reader readers[] = {{"markers", .read = assume_markers}, {"crc", .read = assume_crc},
                                                 {"icrc", .read = assume_icrc},       {"inline", .read = assume_inline},
                                                 {"qp", .read = assume_qp},           {NULL}};

    return read_pairs(options, "--assume",
                      "markers=none|both|to-responder|to-initiator, crc=on|off, icrc=on|off, inline=N, qp=A:B", readers,
                      value, error);
}

static bool parse_timers(struct check_options *options, const char *value, GError **error)
{
    static const struct pair_reader readers[] = {{"react", .seconds = offsetof(struct check_options, mpa.t_react)},
                                                 {"close", .seconds = offsetof(struct check_options, mpa.t_close)},
                                                 {"reply", .seconds = offsetof(struct check_options, mpa.t_reply)},
                                                 {"start", .seconds = offsetof(struct check_options, mpa.t_start)},
                                                 {"idle", .seconds = offsetof(struct check_options, mpa.t_idle)},
                                                 {"answer", .seconds = offsetof(struct check_options, t_answer)},
                                                 {NULL}};

    return read_pairs(options, "--timers", "react=S,close=S,reply=S,start=S,idle=S,answer=S with S in seconds", readers,
                      value, error);
}

static bool read_size(const char *value, uint64_t most, uint64_t *out)
{
    static const struct word units[] = {{"", 0}, {"K", 10}, {"M", 20}, {"G", 30}, {NULL, 0}};
    gchar *end;
    guint64 number = g_ascii_strtoull(value, &end, 10);
    const struct word *unit = end == value || *value == '-' ? NULL : options_find_word(units, end);

    if (!unit || number == 0 || number > most >> unit->value)
        return false;
    *out = number << unit->value;
    return true;
}

static bool parse_memory(struct check_options *options, const char *value, GError **error)
{
    uint64_t size;

    if (!read_size(value, UINT64_C(1) << 40, &size))
        return usage(error, "--memory-limit=%s: give a size such as 512K, 4M or 1G", value);
    options->memory_limit = (size_t)size;
    return true;
}

static bool parse_capture_buffer(struct check_options *options, const char *value, GError **error)
{
    uint64_t size;

    if (!read_size(value, UINT64_C(1) << 30, &size))
        return usage(error, "--capture-buffer=%s: give a size such as 512K or 64M, up to 1G", value);
    options->capture_buffer = (unsigned)size;
    return true;
}

static bool parse_rotate(struct check_options *options, const char *value, GError **error)
{
    char *end;
    double seconds = g_ascii_strtod(value, &end);

    if (end == value || *end != '\0' || !(seconds >= 0.001 && seconds <= 1e6))
        return usage(error, "--rotate=%s: give a number of seconds from 0.001 to 1000000", value);
    options->rotate_ns = (int64_t)(seconds * 1e9);
    return true;
}

static bool mark_lists(char **lists, bool marks[RULE_COUNT], const char *option, GError **error)
{
    for (; lists && *lists; lists++) {
        if (!selector_mark(*lists, marks, error)) {
            g_prefix_error(error, "%s: ", option);
            return false;
        }
    }
    return true;
}

static bool select_rules(struct check_options *options, char **rules, char **skip, GError **error)
{
    bool chosen[RULE_COUNT] = {false}, skipped[RULE_COUNT] = {false}, any = false;

    if (!rules)
        memset(chosen, true, sizeof chosen);
    if (!mark_lists(rules, chosen, "--rules", error) || !mark_lists(skip, skipped, "--skip", error))
        return false;
    rule_selection_init(&options->rules, chosen, skipped);
    for (size_t i = 0; i < RULE_COUNT; i++)
        any |= options->rules.listed[i];
    return any || usage(error, "--rules and --skip leave no rule to check; add --list-rules to see a selection");
}

static bool options_load_waivers(struct check_options *options, char **waive, char **files, GError **error)
{
    options->waivers = waivers_new();
    for (; waive && *waive; waive++)
        if (!waivers_add(options->waivers, *waive, error))
            return false;
    for (; files && *files; files++)
        if (!waivers_load(options->waivers, *files, true, error))
            return false;
    return true;
}

/* Values as GOption stores them, before they are parsed. */
struct raw_options {
    GArray *outputs; /* struct output_word */
    gchar *print_as, *fail_on, *profile, *memory, *capture_buffer, *rotate, *color, *counts;
    gchar **rules, **skip, **waive, **waivers, **assume, **timers, **read, **files;
    gboolean both, strict, exclusive, allow_empty, list_rules, list_waivers, list_interfaces, print, summary, stats,
        verbose, progress, no_progress, version, help, quiet;
    gint jobs, max_findings, count;
};

static void raw_options_clear(struct raw_options *raw)
{
    gchar **texts[] = {&raw->print_as,       &raw->fail_on, &raw->profile, &raw->memory,
                       &raw->capture_buffer, &raw->rotate,  &raw->color,   &raw->counts};
    gchar ***lists[] = {&raw->rules,  &raw->skip,   &raw->waive, &raw->waivers,
                        &raw->assume, &raw->timers, &raw->read,  &raw->files};

    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_clear_pointer(texts[i], g_free);
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++)
        g_clear_pointer(lists[i], g_strfreev);
    g_clear_pointer(&raw->outputs, g_array_unref);
}

static gboolean options_take_format(const gchar *name, const gchar *value, gpointer raw, GError **error)
{
    (void)name;
    (void)error;
    output_words_add(((struct raw_options *)raw)->outputs, false, value);
    return TRUE;
}

static gboolean take_output(const gchar *name, const gchar *value, gpointer raw, GError **error)
{
    (void)name;
    (void)error;
    output_words_add(((struct raw_options *)raw)->outputs, true, value);
    return TRUE;
}

static bool parse_each(struct check_options *options, char **values,
                       bool (*parse)(struct check_options *options, const char *value, GError **error), GError **error)
{
    for (; values && *values; values++)
        if (!parse(options, *values, error))
            return false;
    return true;
}

/* The capture is read twice, because the verdict comes first in the copy. */
static bool can_annotate(const struct check_options *options, GError **error)
{
    if (!options->files[0] || options->files[1] || strcmp(options->files[0], "-") == 0)
        return usage(error, "--annotate: give one capture file, not an interface or standard input");
    return strcmp(options->annotate, "-") != 0 || usage(error, "--annotate: give a file, not standard output");
}

/* Both files are read twice. */
static bool can_compare_both(const struct check_options *options, GError **error)
{
    const char *const *files = (const char *const *)options->files;

    if (options->interface || !files || g_strv_length(options->files) != 2 || g_strv_contains(files, "-"))
        return usage(error, "--both: give two files, the client's capture and the server's");
    return outputs_have(options->outputs, FORMAT_TEXT) || usage(error, "--both needs --format=text");
}

/* A report covers one period of one capture, and each report needs a file name. */
static bool can_rotate(const struct check_options *options, GError **error)
{
    if (outputs_on_stdout(options->outputs))
        return usage(error, "--rotate needs --output=FILE, from which the reports are named: FILE-00001, ...");
    if (options->files[0] && options->files[1])
        return usage(error, "--rotate: give an interface or a single capture");
    return !options->annotate || usage(error, "--rotate and --annotate cannot be combined");
}

/* The copy is made from one capture, and must not replace this capture. */
static bool can_keep(const struct check_options *options, GError **error)
{
    if (!options->interface && options->files[1])
        return usage(error, "-w: give an interface or a single capture");
    if (strcmp(options->keep, "-") == 0)
        return usage(error, "-w: give a file; standard output is for the report");
    return true;
}

/* An existing file after -r was probably meant as another capture, not as a filter. */
static bool words_are_filter(const struct raw_options *raw, GError **error)
{
    for (char **word = raw->files; raw->read && word && *word; word++)
        if (g_file_test(*word, G_FILE_TEST_EXISTS))
            return usage(error,
                         "-r: arguments after the options are a filter, but %s is a file; give captures without -r",
                         *word);
    return true;
}

/* As in tcpdump: arguments after -i or -r are a filter. Otherwise they are captures. */
static void options_take_words(struct check_options *options, struct raw_options *raw)
{
    bool is_filter = options->interface || raw->read;

    if (is_filter && raw->files)
        options->filter = g_strjoinv(" ", raw->files);
    if (raw->read)
        options->files = g_steal_pointer(&raw->read);
    else
        options->files = !is_filter && raw->files ? g_steal_pointer(&raw->files) : g_new0(char *, 1);
}

static bool parse_print(struct check_options *options, const char *value, GError **error)
{
    options->print = options->print_ndjson = strcmp(value, "ndjson") == 0;
    return options->print || usage(error, "--print=%s: choose ndjson, or --print alone for readable lines", value);
}

/* Options that need more than a number or a flag. */
static bool parse_texts(struct check_options *options, const struct raw_options *raw, GError **error)
{
    const struct {
        const char *value;
        bool (*parse)(struct check_options *options, const char *value, GError **error);
    } single[] = {{raw->print_as, parse_print}, {raw->fail_on, options_parse_fail_on},
                  {raw->counts, parse_counts},  {raw->profile, parse_profile},
                  {raw->memory, parse_memory},  {raw->capture_buffer, parse_capture_buffer},
                  {raw->rotate, parse_rotate},  {raw->color, parse_color}};

    for (size_t i = 0; i < G_N_ELEMENTS(single); i++)
        if (single[i].value && !single[i].parse(options, single[i].value, error))
            return false;
    return parse_each(options, raw->assume, parse_assume, error) &&
           parse_each(options, raw->timers, parse_timers, error) &&
           select_rules(options, raw->rules, raw->skip, error) &&
           options_load_waivers(options, raw->waive, raw->waivers, error);
}

static bool raw_options_fit(const struct raw_options *raw, GError **error)
{
    if (raw->progress && raw->no_progress)
        return usage(error, "--progress and --no-progress cannot be combined");
    if (raw->jobs < 1 || raw->jobs > 256)
        return usage(error, "-j: give 1 to 256 threads");
    if (raw->print_as && raw->summary)
        return usage(error, "--summary and --print=ndjson cannot be combined: both write to standard output");
    if (raw->count < 0)
        return usage(error, "-c: give 1 packet or more");
    return raw->max_findings >= 0 || usage(error, "--max-findings: give a number; 0 keeps all");
}

/* Whether waivers were read from this file. */
static bool reads_waivers(const struct check_options *options, const char *path)
{
    for (guint i = 0; i < options->waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(options->waivers, i);

        if (g_str_has_prefix(waiver->where, path) && waiver->where[strlen(path)] == ':')
            return true;
    }
    return false;
}

/* There is something to check, and the options can be combined. */
static bool can_check(const struct check_options *options, GError **error)
{
    if (options->interface && options->files[0])
        return usage(error, "-i captures live and -r reads a file: give only one of them");
    if (!options->interface && !options->files[0])
        return usage(error, "no capture file given; try: iwarp-check FILE.pcapng, or iwarp-check --help");
    if (options->user && !options->interface)
        return usage(error, "-Z needs -i");
    if (options->capture_buffer != 0 && !options->interface)
        return usage(error, "--capture-buffer needs -i");
    if (options->write_waivers && options->rotate_ns != 0)
        return usage(error, "--write-waivers and --rotate cannot be combined");
    if (options->write_waivers && reads_waivers(options, options->write_waivers))
        return usage(error,
                     "--write-waivers: %s is also read by --waivers, so the new list would lack the waivers in it",
                     options->write_waivers);
    return (options->rotate_ns == 0 || can_rotate(options, error)) && (!options->keep || can_keep(options, error)) &&
           (!options->both || can_compare_both(options, error)) && (!options->annotate || can_annotate(options, error));
}

static bool understand(struct check_options *options, struct raw_options *raw, GError **error)
{
    options->list_rules = raw->list_rules;
    options->list_waivers = raw->list_waivers;
    options->list_interfaces = raw->list_interfaces;
    options->version = raw->version;
    options->help = raw->help;
    options->outputs = outputs_of(raw->outputs, error);
    if (!options->outputs || !parse_texts(options, raw, error))
        return false;
    if (options->list_rules && !outputs_have(options->outputs, FORMAT_TEXT) &&
        !outputs_have(options->outputs, FORMAT_JSON))
        return usage(error, "--list-rules supports --format=text and json");
    if (!options->list_rules && outputs_have(options->outputs, FORMAT_JSON))
        return usage(error, "--format=json needs --list-rules; reports have --format=ndjson, one object per line");
    if (!raw_options_fit(raw, error))
        return false;
    options->progress = raw->progress ? ON : raw->no_progress ? OFF : UNKNOWN;
    options->strict_waivers = raw->strict;
    options->exclusive = raw->exclusive;
    options->allow_empty = raw->allow_empty;
    options->print |= raw->print;
    options->quiet = raw->quiet;
    options->count = (uint32_t)raw->count;
    options->summary = raw->summary;
    options->verbose = raw->verbose;
    options->counts_apart |= raw->verbose && !raw->counts;
    options->both = raw->both;
    options->stats = raw->stats || raw->both;
    options->jobs = (unsigned)raw->jobs;
    options->max_findings = (unsigned)raw->max_findings;
    /* merge folds equal findings of parts; an annotated copy shows each finding at its packet. */
    options->fold = options->max_findings > 0 && !options->verbose && !options->annotate && options->rotate_ns == 0;
    if (!words_are_filter(raw, error))
        return false;
    options_take_words(options, raw);
    return options->help || options->version || options->list_rules || options->list_waivers ||
           options->list_interfaces || options->explain || can_check(options, error);
}

/* GOption accepts "-j 2" but not "-j2", which users write. */
static void split_short_options(gchar **out, int argc, char **argv)
{
    bool options_end = false;

    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i];

        options_end |= strcmp(argument, "--") == 0;
        if (i > 0 && !options_end && argument[0] == '-' && argument[1] != '\0' && strchr("cijorwZ", argument[1]) &&
            argument[2] != '\0') {
            *out++ = g_strndup(argument, 2);
            argument += 2;
        }
        /* GOption would take the next word as the value of an option whose value is optional. */
        *out++ = g_str_has_prefix(argument, "--print=") && !options_end
                     ? g_strconcat("--print-as", argument + strlen("--print"), NULL)
                     : g_strdup(argument);
    }
}

static char *quote(int argc, char **argv)
{
    char *printable;
    GString *line = g_string_new("iwarp-check");

    for (int i = 1; i < argc && line->len < COMMAND_LINE_MAX; i++) {
        bool plain = argv[i][strspn(argv[i], "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "-_=.,:/+@%")] == '\0' &&
                     argv[i][0] != '\0';
        g_autofree gchar *quoted = plain ? g_strdup(argv[i]) : g_shell_quote(argv[i]);

        g_string_append_printf(line, " %s", quoted);
    }
    if (line->len >= COMMAND_LINE_MAX) {
        g_string_truncate(line, COMMAND_LINE_MAX);
        g_string_append(line, " ...");
    }
    printable = printable_text(line->str);
    g_string_free(line, TRUE);
    return printable;
}

/* GLib's message ends with the option. */
void options_add_hint(GError *error, const GOptionEntry *entries, const char *help)
{
    const char *space = strrchr(error->message, ' '), *option = space ? space + 1 : error->message;
    const char *name = option + strspn(option, "-");
    struct closest closest = closest_to(name, strcspn(name, "="));
    gchar *message;

    if (g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
        for (; entries->long_name; entries++)
            if (*entries->long_name)
                closest_consider(&closest, entries->long_name);
    if (closest.name)
        message = g_strdup_printf("%s (did you mean --%s?)", error->message, closest.name);
    else
        message = g_strdup_printf("%s; %s lists the options", error->message, help);
    g_free(error->message);
    error->message = message;
}

bool options_parse(struct check_options *options, int argc, char **argv, GError **error)
{
    struct raw_options raw = {.outputs = output_words_new(), .jobs = 1, .max_findings = MAX_FINDINGS_DEFAULT};
    const GOptionEntry entries[] = {
        {"interface", 'i', 0, G_OPTION_ARG_STRING, &options->interface, NULL, NULL},
        {"read", 'r', 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.read, NULL, NULL},
        {"write", 'w', 0, G_OPTION_ARG_FILENAME, &options->keep, NULL, NULL},
        {"relinquish-privileges", 'Z', 0, G_OPTION_ARG_STRING, &options->user, NULL, NULL},
        {"list-interfaces", 'D', 0, G_OPTION_ARG_NONE, &raw.list_interfaces, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_CALLBACK, options_take_format, NULL, NULL},
        {"output", 'o', G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, take_output, NULL, NULL},
        {"counts", 0, 0, G_OPTION_ARG_STRING, &raw.counts, NULL, NULL},
        {"rules", 0, 0, G_OPTION_ARG_STRING_ARRAY, &raw.rules, NULL, NULL},
        {"skip", 0, 0, G_OPTION_ARG_STRING_ARRAY, &raw.skip, NULL, NULL},
        {"fail-on", 0, 0, G_OPTION_ARG_STRING, &raw.fail_on, NULL, NULL},
        {"profile", 0, 0, G_OPTION_ARG_STRING, &raw.profile, NULL, NULL},
        {"waive", 0, 0, G_OPTION_ARG_STRING_ARRAY, &raw.waive, NULL, NULL},
        {"waivers", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.waivers, NULL, NULL},
        {"strict-waivers", 0, 0, G_OPTION_ARG_NONE, &raw.strict, NULL, NULL},
        {"write-waivers", 0, 0, G_OPTION_ARG_FILENAME, &options->write_waivers, NULL, NULL},
        {"list-waivers", 0, 0, G_OPTION_ARG_NONE, &raw.list_waivers, NULL, NULL},
        {"exclusive", 0, 0, G_OPTION_ARG_NONE, &raw.exclusive, NULL, NULL},
        {"allow-empty", 0, 0, G_OPTION_ARG_NONE, &raw.allow_empty, NULL, NULL},
        {"assume", 0, 0, G_OPTION_ARG_STRING_ARRAY, &raw.assume, NULL, NULL},
        {"timers", 0, 0, G_OPTION_ARG_STRING_ARRAY, &raw.timers, NULL, NULL},
        {"annotate", 0, 0, G_OPTION_ARG_FILENAME, &options->annotate, NULL, NULL},
        {"both", 0, 0, G_OPTION_ARG_NONE, &raw.both, NULL, NULL},
        {"list-rules", 0, 0, G_OPTION_ARG_NONE, &raw.list_rules, NULL, NULL},
        {"explain", 0, 0, G_OPTION_ARG_STRING, &options->explain, NULL, NULL},
        {"print", 0, 0, G_OPTION_ARG_NONE, &raw.print, NULL, NULL},
        {"print-as", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &raw.print_as, NULL, NULL},
        {"count", 'c', 0, G_OPTION_ARG_INT, &raw.count, NULL, NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &raw.quiet, NULL, NULL},
        {"summary", 0, 0, G_OPTION_ARG_NONE, &raw.summary, NULL, NULL},
        {"stats", 0, 0, G_OPTION_ARG_NONE, &raw.stats, NULL, NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &raw.verbose, NULL, NULL},
        {"color", 0, 0, G_OPTION_ARG_STRING, &raw.color, NULL, NULL},
        {"progress", 0, 0, G_OPTION_ARG_NONE, &raw.progress, NULL, NULL},
        {"no-progress", 0, 0, G_OPTION_ARG_NONE, &raw.no_progress, NULL, NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &raw.jobs, NULL, NULL},
        {"memory-limit", 0, 0, G_OPTION_ARG_STRING, &raw.memory, NULL, NULL},
        {"capture-buffer", 0, 0, G_OPTION_ARG_STRING, &raw.capture_buffer, NULL, NULL},
        {"rotate", 0, 0, G_OPTION_ARG_STRING, &raw.rotate, NULL, NULL},
        {"max-findings", 0, 0, G_OPTION_ARG_INT, &raw.max_findings, NULL, NULL},
        {"version", 'V', 0, G_OPTION_ARG_NONE, &raw.version, NULL, NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &raw.help, NULL, NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &raw.files, NULL, NULL},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
    };
    GOptionContext *context = g_option_context_new("FILE...");
    GOptionGroup *group = g_option_group_new("", "", "", &raw, NULL);
    gchar **arguments = g_new0(gchar *, 2 * (gsize)argc + 1);
    bool ok;

    memset(options, 0, sizeof *options);
    mpa_options_init(&options->mpa);
    options->fail_on = SEVERITY_ERROR;
    options->profile = "ietf";
    options->command_line = quote(argc, argv);
    split_short_options(arguments, argc, argv);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_group_add_entries(group, entries);
    g_option_context_set_main_group(context, group);
    ok = g_option_context_parse_strv(context, &arguments, error);
    if (!ok && error && *error)
        options_add_hint(*error, entries, "iwarp-check --help");
    ok = ok && understand(options, &raw, error);
    g_option_context_free(context);
    g_strfreev(arguments);
    raw_options_clear(&raw);
    return ok;
}

void options_clear(struct check_options *options)
{
    g_clear_pointer(&options->outputs, g_array_unref);
    g_clear_pointer(&options->annotate, g_free);
    g_clear_pointer(&options->write_waivers, g_free);
    g_clear_pointer(&options->command_line, g_free);
    g_clear_pointer(&options->interface, g_free);
    g_clear_pointer(&options->filter, g_free);
    g_clear_pointer(&options->keep, g_free);
    g_clear_pointer(&options->user, g_free);
    g_clear_pointer(&options->explain, g_free);
    g_clear_pointer(&options->files, g_strfreev);
    if (options->waivers)
        g_ptr_array_unref(options->waivers);
    options->waivers = NULL;
}

bool options_fails(const struct check_options *options, enum rule_severity severity)
{
    return !options->fail_never && severity >= options->fail_on;
}
