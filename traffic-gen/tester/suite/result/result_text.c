// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report as text: a summary, a line for each case, and for each failure the expectation, the finding and the
 * transcript.
 */
#include "traffic-gen/tester/suite/result/result.h"

#include <string.h>

enum { HEX_LINE = 32, IDS_NAMED = 6 };

static void print_octets(const char *octets, FILE *out)
{
    size_t n = strlen(octets);

    for (size_t at = 0; at < n; at += 2 * HEX_LINE) {
        fprintf(out, "%24s", "");
        for (size_t i = at; i < MIN(n, at + 2 * HEX_LINE); i += 2)
            fprintf(out, "%s%.2s", i > at && (i / 2) % 4 == 0 ? " " : "", octets + i);
        fputc('\n', out);
    }
}

static void print_failure(const struct case_result *result, FILE *out)
{
    fprintf(out, "    requirement  %s\n", result->requirement);
    fprintf(out, "    source       %s section %s, %s\n", result->document, result->section, result->level);
    fprintf(out, "    stimulus     %s\n", result->stimulus);
    fprintf(out, "    expected     %s\n", result->expected);
    if (result->reduced)
        fprintf(out, "    reduced to   %s\n", result->reduced);
    for (guint i = 0; i < result->steps->len; i++) {
        const struct case_step *step = g_ptr_array_index(result->steps, i);

        if (step->left_out > 0)
            fprintf(out, "               (%u frames left out: --transcript=full shows them, -w records all)\n",
                    step->left_out);
        fprintf(out, "    %9.3f  %u %s %s\n", step->seconds, step->connection,
                step->ours ? "test >    " : "   < device", step->caption);
        if (step->octets)
            print_octets(step->octets, out);
        if (step->octets && strlen(step->octets) < 2 * (size_t)step->n)
            fprintf(out, "%24s... %u octets in all\n", "", step->n);
        if (step->repeated > 0)
            fprintf(out, "%24s%u more like this: --transcript=full shows them\n", "", step->repeated);
    }
}

static const char *text_outcome_text(const struct case_result *result)
{
    if (result->waived && case_result_failed(result))
        return result->outcome == OUTCOME_DIED ? "died, waived" : "failed, waived";
    return case_outcome_names[result->outcome];
}

static void print_result(const struct case_result *result, FILE *out)
{
    fprintf(out, "%-14s %-28s %s%s%s%s%s%s%s\n", text_outcome_text(result), result->id,
            result->actual ? result->actual : "", result->waived ? " [waived: " : "",
            result->waived ? result->waived : "", result->waived ? "]" : "",
            case_result_leans(result) ? " [rests on " : "", case_result_leans(result) ? result->rests_on : "",
            case_result_leans(result) ? "]" : "");
    if (case_result_failed(result))
        print_failure(result, out);
}

/* ---- summary ---- */

static void print_failed_ids(const struct suite_report *report, FILE *out)
{
    unsigned n = 0, failures = suite_report_failures(report);

    fprintf(out, "  fails            %u", failures);
    for (guint i = 0; i < report->results->len && n < IDS_NAMED; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (case_result_failed(result) && !result->waived)
            fprintf(out, "%s%s", n++ ? ", " : ": ", result->id);
    }
    if (failures > n)
        fprintf(out, " and %u more", failures - n);
    fputc('\n', out);
    if (report->known)
        fprintf(out, "                   %s\n", report->known);
}

static void print_sections(const struct suite_report *report, FILE *out)
{
    g_autoptr(GArray) sections = suite_report_sections(report);

    fprintf(out, "\n  %-22s %9s %6s %7s %16s\n", "section", "conforms", "fails", "waived", "cannot be shown");
    for (guint i = 0; i < sections->len; i++) {
        const struct report_section *section = &g_array_index(sections, struct report_section, i);
        g_autofree char *name = g_strdup_printf("%s %s", section->document, section->section);

        fprintf(out, "  %-22s %9u %6u %7u %16u\n", name, section->conforms, section->fails, section->waived,
                section->open);
    }
}

/* The first line is enough here; other formats have the whole text. */
static void print_origin(const struct suite_report *report, FILE *out)
{
    if (report->device_info)
        fprintf(out, "  its system       %.*s\n", (int)strcspn(report->device_info, "\n"), report->device_info);
    if (report->load)
        fprintf(out, "  under load       %s\n", report->load);
    for (guint i = 0; i < report->soak->len; i++)
        fprintf(out, "  %-16s %s\n", i == 0 ? "soak" : "", (const char *)g_ptr_array_index(report->soak, i));
}

/* Lists each reason once. */
static void print_left_out(const struct suite_report *report, FILE *out)
{
    for (guint i = 0; i < report->left_out->len; i++) {
        g_autofree char *text = left_out_text(g_ptr_array_index(report->left_out, i));

        fprintf(out, "  %-16s %s\n", i == 0 ? "left out" : "", text);
    }
}

static void print_summary(const struct suite_report *report, FILE *out)
{
    g_autofree char *life = suite_report_life(report);
    unsigned repeated, differed, open = suite_report_count(report, OUTCOME_INCONCLUSIVE, false),
                                 not_applicable = suite_report_count(report, OUTCOME_NOT_APPLICABLE, false);

    fprintf(out, "  device           %s\n", life);
    if (report->start_up)
        fprintf(out, "  start-up         %s; %s\n", report->start_up, report->sign ? report->sign : "");
    if (report->layout)
        fprintf(out, "  Terminates       wrong layout: %s; [] shows what they mean\n", report->layout);
    if (report->capture)
        fprintf(out, "  the wire         in %s: iwarp-check judges it\n", report->capture);
    print_origin(report, out);
    print_failed_ids(report, out);
    repeated = suite_report_repeated(report, &differed);
    if (repeated > 0)
        fprintf(out, "  ran again        %u, of which %u had another outcome\n", repeated, differed);
    fprintf(out, "  conforms         %u\n", suite_report_count(report, OUTCOME_PASSED, false));
    fprintf(out, "  cannot be shown  %u: %u inconclusive, %u not applicable\n", open + not_applicable, open,
            not_applicable);
    for (guint i = 0; i < report->missing->len; i++) {
        const struct missing_service *missing = g_ptr_array_index(report->missing, i);

        fprintf(out, "  %u cases need    %s: %s\n", missing->cases, missing->what, missing->service);
    }
    print_left_out(report, out);
    print_sections(report, out);
    fputc('\n', out);
}

void suite_report_text(const struct suite_report *report, FILE *out)
{
    static const enum case_outcome rare[] = {OUTCOME_UNSTABLE, OUTCOME_DIED};

    fprintf(out, "%s as %s, %s, %u cases in %.1f s\n\n", report->device, report->role, report->started,
            report->finished, report->seconds);
    print_summary(report, out);
    for (guint i = 0; i < report->results->len; i++)
        print_result(g_ptr_array_index(report->results, i), out);
    for (guint i = 0; i < report->unused_waivers->len; i++)
        fprintf(out, "waiver %s matches no failure\n", (const char *)g_ptr_array_index(report->unused_waivers, i));
    fprintf(out, "\n%u passed, %u failed, %u failed and waived, ", suite_report_count(report, OUTCOME_PASSED, false),
            suite_report_count(report, OUTCOME_FAILED, false), suite_report_waived(report));
    for (unsigned i = 0; i < G_N_ELEMENTS(rare); i++)
        if (suite_report_count(report, rare[i], false) > 0)
            fprintf(out, "%u %s, ", suite_report_count(report, rare[i], false), case_outcome_names[rare[i]]);
    fprintf(out, "%u inconclusive, %u not applicable", suite_report_count(report, OUTCOME_INCONCLUSIVE, false),
            suite_report_count(report, OUTCOME_NOT_APPLICABLE, false));
    if (report->chosen > report->finished)
        fprintf(out, ", %u not run", report->chosen - report->finished);
    fputc('\n', out);
}
