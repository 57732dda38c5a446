// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_parts.h"

#include "conformance/options/options.h"
#include "conformance/print/print.h"
#include "support/printable.h"
#include "support/utc.h"
#include "wire/rdmap.h"

#include <inttypes.h>
#include <string.h>

static const char *const exclusion_texts[EXCLUSION_COUNT] = {
    [INCONCLUSIVE] = "inconclusive: not decided by this capture",
    [NO_OCCASION] = "not exercised by this capture",
    [NO_STIMULUS] = "concerns the reaction to something that did not occur",
    [ACTIVE_ONLY] = "can only be shown by an active test (iwarp-gen test)",
    [ALONG] = "judged with other rules, under whose ids violations are reported (--explain names them)",
    [PERMISSION] = "a permission, which cannot be violated",
    [INSIDE] = "concerns the inside of an endpoint, invisible in captures",
    [NO_RULE_FOR_TRAFFIC] = "concerns documents or administration, not traffic",
    [OTHER_PROFILE] = "applies only with another --profile",
    [OTHER_TRANSPORT] = "applies only on another transport",
    [NOT_SELECTED] = "not selected (--rules, --skip)",
};

const char *exclusion_text(enum exclusion why)
{
    return exclusion_texts[why];
}

enum exclusion exclusion_of(const struct report *report, enum rule_id id, const struct rule_count *count)
{
    const struct check_options *options = report->options;
    const struct rule *rule = &rule_catalogue[id];

    if (!options->rules.shown[id])
        return NOT_SELECTED;
    if (!rule_binds(rule, options->mpa.profile))
        return OTHER_PROFILE;
    if (!rule_binds_on(rule, report->transport))
        return OTHER_TRANSPORT;
    if (count->passed > 0 || count->failed > 0)
        return EXERCISED;
    if (count->inconclusive > 0)
        return INCONCLUSIVE;
    if (rule->judged == RULE_WITH)
        return ALONG;
    if (rule->judged == RULE_PERMISSION)
        return PERMISSION;
    if (rule->observe == OBSERVE_META)
        return NO_RULE_FOR_TRAFFIC;
    if (rule->observe == OBSERVE_ENDPOINT)
        return INSIDE;
    if (rule->judged == RULE_NOT_JUDGED)
        return rule->observe == OBSERVE_REACTION ? ACTIVE_ONLY : INSIDE;
    return rule->observe == OBSERVE_REACTION ? NO_STIMULUS : NO_OCCASION;
}

gchar *report_doubt_text(const struct doubt_at *doubt, const char *file)
{
    const struct doubt_text *text = &doubt_texts[doubt->why];
    g_autofree gchar *where =
        doubt->frame > 0 ? g_strdup_printf(" %s %" PRIu32, text->where, doubt->frame) : g_strdup("");

    return g_strdup_printf("inconclusive: %s%s%s%s", text->reason, where, file ? " of " : "", file ? file : "");
}

gchar *report_rule_doubt_text(const struct report *report, enum rule_id id)
{
    const struct report_doubt *doubt = &report->doubts[id];
    g_autofree gchar *file = doubt->capture && report->captures->len > 1 ? printable_text(doubt->capture->file) : NULL;

    return report->counts[id].inconclusive > 0 ? report_doubt_text(&doubt->first, file) : NULL;
}

gchar *frames_text(uint32_t first, uint32_t last)
{
    return first == last ? g_strdup_printf("frame %" PRIu32, first)
                         : g_strdup_printf("frames %" PRIu32 "-%" PRIu32, first, last);
}

const char *completeness_text(const struct report_connection *connection)
{
    return connection->complete ? "complete" : "packets missing";
}

void add_snapped(GString *text, const struct report_capture *capture)
{
    if (capture->snapped > 0)
        g_string_append_printf(text, ", %" PRIu64 " packet%s cut to %" PRIu32 " octets (snap length)", capture->snapped,
                               plural(capture->snapped), capture->snap_length);
}

bool report_unopened(const struct report_capture *capture)
{
    return capture->failed && capture->packets == 0 && capture->trouble;
}

const char *receiver_text(const struct report_finding *finding)
{
    return (finding->direction == DIR_TO_RESPONDER) != finding->awaited ? "responder" : "initiator";
}

gchar *found_text(const uint64_t found[SEVERITY_COUNT], uint64_t waived)
{
    GString *text = g_string_new(NULL);

    for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
        if (found[severity] > 0)
            g_string_append_printf(text, "%s%" PRIu64 " %s%s", text->len > 0 ? ", " : "", found[severity],
                                   rule_severity_name((enum rule_severity)severity), plural(found[severity]));
    if (text->len == 0)
        g_string_append(text, "no findings");
    if (waived > 0)
        g_string_append_printf(text, ", %" PRIu64 " waived", waived);
    return g_string_free(text, FALSE);
}

/* "every Call was answered": violations did not harm the mount. NULL: not so, or unknown. */
static gchar *answers_text(const struct report *report)
{
    uint64_t calls = 0;

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        if (capture->troubles->holes || capture->dropped > 0 || capture->truncated ||
            capture->troubles->answers + capture->troubles->again < capture->troubles->calls)
            return NULL;
        calls += capture->troubles->calls - MIN(capture->troubles->again, capture->troubles->calls);
    }
    return calls > 0 ? g_strdup("every Call was answered") : NULL;
}

static const char *const verdicts[] = {
    [CHECK_PASS] = "PASS", [CHECK_FAIL] = "FAIL", [CHECK_TROUBLE] = "ERROR", [CHECK_NOTHING] = "NOTHING TO CHECK"};

static gchar *nothing_text(const struct report *report, const char *trouble)
{
    return g_strdup_printf("%s: %s%s%s%s", verdicts[report->status], trouble ? trouble : "", trouble ? "; " : "",
                           report_nothing_checked(report->captures->pdata[0]),
                           report->status == CHECK_PASS ? " (--allow-empty)" : "");
}

static void add_found(GString *text, const struct report *report, bool trouble)
{
    g_autofree gchar *found = found_text(report->found, report->waived);
    const struct report_capture *first = report->captures->len > 0 ? g_ptr_array_index(report->captures, 0) : NULL;
    const char *none = "no findings"; /* which begins the text if there are none */

    if (report_cut_short(report))
        g_string_append(text, "some connections could not be judged completely; ");
    else if (report->status == CHECK_TROUBLE && report->captures->len == 1 && first->truncated && first->trouble) {
        g_autofree gchar *why = printable_text(first->trouble); /* the text names the file */

        g_string_append_printf(text, "%s; ", why);
    } else if (report->status == CHECK_TROUBLE)
        g_string_append(text, "not all captures could be read; ");
    if (report->empty > 0)
        g_string_append_printf(text, "%u capture%s had nothing to check; ", report->empty, plural(report->empty));
    if (trouble && g_str_has_prefix(found, none)) /* the trouble is what was found */
        g_string_append_printf(text, "no rule was broken%s", found + strlen(none));
    else
        g_string_append(text, found);
    /* If the run fails because of this trouble, the line is the reason, otherwise only a remark. */
    if (report->options->strict_waivers && report->unused_waivers->len > 0)
        g_string_append_printf(text, ", %u unused waiver%s", report->unused_waivers->len,
                               plural(report->unused_waivers->len));
    if (report->expired_waivers->len > 0)
        g_string_append_printf(text, ", %u expired waiver%s", report->expired_waivers->len,
                               plural(report->expired_waivers->len));
    g_string_append_printf(text, " in %" PRIu64 " connection%s, %u rule%s exercised", report->connections,
                           plural(report->connections), report->exercised, plural(report->exercised));
}

/* The first word. A run without a failing finding passes, or fails only because of trouble: trouble is the verdict. */
static const char *verdict_word(const struct report *report)
{
    return report_is_trouble(report) ? "TROUBLE" : verdicts[report->status];
}

gchar *verdict_text(const struct report *report)
{
    g_autofree gchar *trouble = report_trouble(report), *answers = answers_text(report);
    bool only = report_is_trouble(report), good = report->status == CHECK_PASS && !only;
    const char *besides = trouble ? trouble : answers;
    const struct report_capture *first = report->captures->len > 0 ? g_ptr_array_index(report->captures, 0) : NULL;
    GString *text;

    if (report->captures->len == 1 && report_unopened(first)) {
        g_autofree gchar *why = printable_text(first->trouble); /* the text names the file */

        return g_strdup_printf("%s: %s", verdicts[report->status], why);
    }
    if (report->captures->len == 1 && report->empty > 0 && (report->status != CHECK_FAIL || report->incomplete > 0))
        return nothing_text(report, trouble);
    text = g_string_new(verdict_word(report));
    if (good && trouble)
        g_string_append_printf(text, ", but %s", trouble);
    g_string_append(text, ": ");
    if (only)
        g_string_append_printf(text, "%s; ", trouble);
    add_found(text, report, only);
    if (!good && !only && besides)
        g_string_append_printf(text, "; %s", besides);
    return g_string_free(text, FALSE);
}

gchar *finding_place_text(const struct report_finding *finding, int64_t start_ns)
{
    GString *text = g_string_new(NULL);
    char time[PRINT_TIME_SIZE];

    g_string_append_printf(text, "frame %" PRIu32, finding->frame);
    if (finding->first_frame != 0 && finding->first_frame != finding->frame)
        g_string_append_printf(text, " (from %" PRIu32 ")", finding->first_frame);
    if (finding->related_frame != 0)
        g_string_append_printf(text, " (see %" PRIu32 ")", finding->related_frame);
    g_string_append_printf(text, ", %s s", print_time(finding->time_ns, start_ns, time));
    if (start_ns != 0) {
        g_autofree gchar *at = clock_text(finding->time_ns);

        g_string_append_printf(text, " (%s)", at);
    }
    g_string_append_printf(text, ", to the %s", receiver_text(finding));
    return g_string_free(text, FALSE);
}

gchar *finding_more_text(const struct report_finding *finding)
{
    g_autofree gchar *frames = frames_text(finding->more_first, finding->more_last);

    return finding->more > 0 ? g_strdup_printf(" (and %" PRIu32 " more, %s)", finding->more, frames) : g_strdup("");
}

gchar *finding_text(const struct report_finding *finding, int64_t start_ns)
{
    g_autofree gchar *place = finding_place_text(finding, start_ns), *more = finding_more_text(finding);
    g_autofree gchar *expected = finding_expected(finding->message);

    return g_strdup_printf("%s: %s%s%s%s", place, finding_found(finding->message), expected ? "; expected " : "",
                           expected ? expected : "", more);
}

gchar *finding_rule_text(enum rule_id id)
{
    const struct rule *rule = &rule_catalogue[id];

    return g_strdup_printf("%s section %s (%s)", rule->document, rule->section, rule->level);
}

bool finding_in_group(const struct report_finding *finding, const struct finding_group *group)
{
    return finding->rule == group->first->rule && finding->waiver == group->first->waiver;
}

static int group_rank(const struct finding_group *group)
{
    return group->first->waiver ? SEVERITY_COUNT : SEVERITY_ERROR - (int)group->first->severity;
}

static gint parts_by_rank(gconstpointer a, gconstpointer b)
{
    const struct finding_group *first = a, *second = b;
    int difference = group_rank(first) - group_rank(second);

    if (difference != 0)
        return difference;
    return first->at < second->at ? -1 : first->at > second->at;
}

GArray *finding_groups(const struct report_connection *connection)
{
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(struct finding_group));

    for (guint i = 0; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
        struct finding_group group = {finding, i, 1, 0};
        guint known = 0;

        while (known < groups->len && !finding_in_group(finding, &g_array_index(groups, struct finding_group, known)))
            known++;
        if (known == groups->len)
            g_array_append_val(groups, group);
        else
            g_array_index(groups, struct finding_group, known).n++;
        g_array_index(groups, struct finding_group, known).times += 1 + (uint64_t)finding->more;
    }
    g_array_sort(groups, parts_by_rank);
    return groups;
}

gchar *aliases_text(const struct check_options *options, enum rule_id id)
{
    GString *text = g_string_new(NULL);

    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rule_catalogue[i].judged == RULE_SAME && rule_carried_by(&rule_catalogue[i], id) &&
            options->rules.listed[i] && rule_binds(&rule_catalogue[i], options->mpa.profile))
            g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", rule_catalogue[i].id);
    return g_string_free(text, FALSE);
}

gchar *expired_waiver_text(const struct waiver *waiver)
{
    return g_strdup_printf("expired waiver: %s (%s), which was valid until %s", waiver->id, waiver->where,
                           waiver->until);
}

gchar *unused_waiver_text(const struct waiver *waiver)
{
    const struct rule *rule = &rule_catalogue[waiver->rule];
    GString *text = g_string_new(waiver->where);

    for (unsigned i = 0; rule->judged == RULE_WITH && i < rule->n_with; i++)
        g_string_append_printf(text, "%s%s", i == 0 ? "; waive the rules that carry its findings: " : ", ",
                               rule_catalogue[rule->with[i]].id);
    return g_string_free(text, FALSE);
}

gchar *clock_text(int64_t time_ns)
{
    return utc_text(time_ns, 6);
}

gchar *part_text(const struct report_part *part)
{
    gchar *from, *to, *text;

    if (!part->series)
        return NULL;
    from = clock_text(part->from_ns);
    to = clock_text(part->to_ns);
    text = g_strdup_printf("part %u%s, %s to %s", part->number, part->last ? ", the last one" : "", from, to);
    g_free(from);
    g_free(to);
    return text;
}

const char *continuity_text(const struct report_connection *connection)
{
    static const char *const texts[2][2] = {{"", ", goes on"}, {", continued", ", continued, goes on"}};

    return texts[connection->continued][connection->continues];
}

gchar *rtr_text(unsigned rtr)
{
    return g_strdup_printf("RTR%s%s%s%s", rtr & MPA_RTR_SEND ? " Send" : "", rtr & MPA_RTR_WRITE ? " Write" : "",
                           rtr & MPA_RTR_READ ? " Read" : "", rtr == 0 ? " none in common" : "");
}

const char *markers_text(const struct report_connection *connection)
{
    static const char *const texts[3][3] = {
        {"not known", "none to initiator", "to initiator"},
        {"none to responder", "none", "to initiator"},
        {"to responder", "to responder", "both directions"},
    };

    return texts[connection->markers[DIR_TO_RESPONDER] + 1][connection->markers[DIR_TO_INITIATOR] + 1];
}

gchar *operations_text(const struct report_connection *connection)
{
    GString *text = g_string_new(NULL);

    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++) {
        const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);
        uint64_t n = connection->operations[opcode];
        const char *rest;

        if (n == 0 || !info || !info->name)
            continue;
        rest = strstr(info->name, " with ");
        if (!rest)
            rest = info->name + strlen(info->name);
        g_string_append_printf(text, "%s%" PRIu64 " %.*s%s%s", text->len > 0 ? ", " : "", n, (int)(rest - info->name),
                               info->name, strstr(info->name, "Data") ? "" : plural(n), rest);
    }
    return g_string_free(text, FALSE);
}
