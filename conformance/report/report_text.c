// SPDX-License-Identifier: GPL-2.0-or-later
/* The text report: verdict first, then what was found where, last what was looked at and what was not. */
#include "conformance/check/procedure.h"
#include "conformance/report/report_parts.h"

#include <inttypes.h>
#include <string.h>

/* Unless --verbose. */
enum {
    FINDINGS_SHOWN = 10, /* per rule and connection */
    PROCEDURES_SHOWN = 16,
};

/* ---- a connection ---- */

static void write_parameters(const struct report_connection *connection, FILE *out)
{
    static const char *const crc[] = {"not known", "off", "on"};
    const struct mpa_parameters *mpa = &connection->parameters;

    if (mpa->request_seen || mpa->reply_seen)
        fprintf(out, "    MPA revision %u, markers %s, CRC %s", mpa->revision, markers_text(connection),
                crc[mpa->crc + 1]);
    else
        fprintf(out, "    MPA without its start, markers %s, CRC %s", markers_text(connection), crc[mpa->crc + 1]);
    if (mpa->peer_to_peer)
        fprintf(out, ", peer-to-peer (RTR%s%s%s%s)", mpa->rtr & MPA_RTR_SEND ? " Send" : "",
                mpa->rtr & MPA_RTR_WRITE ? " Write" : "", mpa->rtr & MPA_RTR_READ ? " Read" : "",
                mpa->rtr == 0 ? " none in common" : "");
    if (mpa->ird_ord_known)
        fprintf(out, ", IRD %u, ORD %u", mpa->ird, mpa->ord);
    if (mpa->rejected)
        fputs(", rejected", out);
    fprintf(out, ", %s\n", connection->complete ? "complete" : "not captured completely");
}

static void write_ib(const struct report_connection *connection, FILE *out)
{
    g_autofree gchar *terms = report_ib_terms_text(connection->ib);
    g_autofree gchar *trouble = report_ib_trouble_text(connection->ib);

    fprintf(out, "    %s, %s\n", terms, connection->complete ? "complete" : "not captured completely");
    if (trouble)
        fprintf(out, "    %s\n", trouble);
}

static void write_counts(const struct report_connection *connection, FILE *out)
{
    const char *separator = ": ";

    fprintf(out, "    %" PRIu64 " %s to the responder, %" PRIu64 " to the initiator",
            connection->fpdus[DIR_TO_RESPONDER], connection->ib ? "packets" : "FPDUs",
            connection->fpdus[DIR_TO_INITIATOR]);
    for (unsigned opcode = 0; opcode < OPERATION_COUNT; opcode++) {
        const char *name = report_operation_name(opcode);

        if (connection->operations[opcode] == 0 || !name)
            continue;
        fprintf(out, "%s%" PRIu64 " %s", separator, connection->operations[opcode], name);
        separator = ", ";
    }
    fputc('\n', out);
}

static void write_call(const struct rpcrdma_procedure_count *count, FILE *out)
{
    char label[PROCEDURE_LABEL_SIZE];

    procedure_label(count->program, count->version, count->procedure, label);
    fprintf(out, "%" PRIu64 " %s%s", count->calls, label, count->reverse ? " (reverse)" : "");
    if (count->errors > 0)
        fprintf(out, " (%" PRIu64 " RDMA_ERROR)", count->errors);
    if (count->calls > count->replies + count->errors)
        fprintf(out, " (%" PRIu64 " without Reply)", count->calls - count->replies - count->errors);
}

static void write_rpcrdma(const struct report_rpcrdma *rpcrdma, bool all, FILE *out)
{
    uint64_t by_send = 0, by_read = 0, by_write = 0, others = rpcrdma->other_calls;
    const char *separator = " ";

    fputs("    RPC-over-RDMA:", out);
    for (guint i = 0; i < rpcrdma->calls->len; i++) {
        const struct rpcrdma_procedure_count *count = &g_array_index(rpcrdma->calls, struct rpcrdma_procedure_count, i);

        by_send += count->inline_octets;
        by_read += count->read_octets;
        by_write += count->written_octets;
        if (!all && i >= PROCEDURES_SHOWN) {
            others += count->calls;
            continue;
        }
        fputs(separator, out);
        write_call(count, out);
        separator = ", ";
    }
    if (others > 0)
        fprintf(out, "%s%" PRIu64 " other", separator, others);
    else if (rpcrdma->calls->len == 0)
        fputs(" no calls", out);
    fprintf(out, "; octets: %" PRIu64 " inline, %" PRIu64 " by Read, %" PRIu64 " by Write\n", by_send, by_read,
            by_write);
}

static void write_finding(const struct report_finding *finding, int64_t start_ns, FILE *out)
{
    gchar *text = finding_text(finding, start_ns);

    fprintf(out, "      %s\n", text);
    g_free(text);
}

static void write_group(const struct report *report, const struct report_connection *connection,
                        const struct finding_group *group, int64_t start_ns, FILE *out)
{
    const struct report_finding *first = group->first;
    const struct rule *rule = &rule_catalogue[first->rule];
    gchar *aliases = aliases_text(report->options, first->rule);
    unsigned count = 0;

    fprintf(out, "\n    %s  %s section %s, %s: %s%s\n", rule->id, rule->document, rule->section, rule->level,
            rule_severity_name(first->severity), first->waiver ? ", waived" : "");
    fprintf(out, "      %s\n", rule->text);
    if (*aliases != '\0')
        fprintf(out, "      the same is demanded by %s\n", aliases);
    g_free(aliases);
    if (first->waiver)
        fprintf(out, "      waived (%s)%s%s%s%s\n", first->waiver->where, first->waiver->why ? ": " : "",
                first->waiver->why ? first->waiver->why : "", first->waiver->link ? ", " : "",
                first->waiver->link ? first->waiver->link : "");
    for (guint i = group->at; i < connection->findings->len && count < group->n; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (!finding_in_group(finding, group))
            continue;
        if (report->options->verbose || count < FINDINGS_SHOWN)
            write_finding(finding, start_ns, out);
        count++;
    }
    if (!report->options->verbose && count > FINDINGS_SHOWN)
        fprintf(out, "      ... and %u more; --verbose shows all\n", count - FINDINGS_SHOWN);
}

static void write_findings(const struct report *report, const struct report_connection *connection, int64_t start_ns,
                           FILE *out)
{
    GArray *groups = finding_groups(connection);

    for (guint i = 0; i < groups->len; i++)
        write_group(report, connection, &g_array_index(groups, struct finding_group, i), start_ns, out);
    g_array_unref(groups);
    if (connection->not_kept > 0)
        fprintf(out, "\n    %" PRIu64 " more findings were counted but not kept; --max-findings=0 keeps all\n",
                connection->not_kept);
}

static void write_connection(const struct report *report, const struct report_connection *connection, int64_t start_ns,
                             FILE *out)
{
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    gchar *found;

    fprintf(out, "\n  connection %" PRIu32 ": %s -> %s%s, frames %" PRIu32 "-%" PRIu32 "%s: ", connection->id,
            endpoint_text(&connection->initiator, initiator), endpoint_text(&connection->responder, responder),
            connection->roles_known ? "" : " (who is the initiator is not shown)", connection->start_frame,
            connection->end_frame, continuity_text(connection));
    found = found_text(connection->found, connection->waived);
    fputs(found, out);
    g_free(found);
    fputc('\n', out);
    if (connection->ib)
        write_ib(connection, out);
    else
        write_parameters(connection, out);
    write_counts(connection, out);
    if (connection->rpcrdma)
        write_rpcrdma(connection->rpcrdma, report->options->verbose, out);
    write_findings(report, connection, start_ns, out);
}

static void write_capture(const struct report *report, const struct report_capture *capture, FILE *out)
{
    gchar *part = part_text(&capture->part);

    fprintf(out, "\n%s%s%s: %" PRIu64 " packets", capture->file, part ? ", " : "", part ? part : "", capture->packets);
    g_free(part);
    if (capture->dropped > 0)
        fprintf(out, " (%" PRIu64 " dropped by the capture)", capture->dropped);
    fprintf(out, ", %u RDMA connection%s", capture->connections->len, plural(capture->connections->len));
    if (capture->other_connections > 0)
        fprintf(out, ", %" PRIu64 " other", capture->other_connections);
    fputc('\n', out);
    if (capture->trouble)
        fprintf(out, "  %s\n", capture->trouble);
    if (!capture->failed && report->captures->len > 1 && report_nothing_checked(capture))
        fprintf(out, "  %s\n", report_nothing_checked(capture));
    for (guint i = 0; i < capture->connections->len; i++)
        write_connection(report, g_ptr_array_index(capture->connections, i), capture->start_ns, out);
}

/* ---- what was looked at ---- */

static enum exclusion why_not(const struct report *report, enum rule_id id)
{
    return exclusion_of(report->options, id, &report->counts[id]);
}

/* "5044 4.3"; of a draft as much as tells it from others: its authors. */
static gchar *source_of(const struct rule *rule)
{
    const char *name = strncmp(rule->document, "RFC ", 4) == 0 ? rule->document + 4 : rule->document;
    const char *author = strncmp(name, "draft-", 6) == 0 ? strchr(name + 6, '-') : NULL;

    return g_strdup_printf("%.*s %s", (int)(author ? author - name : (long)strlen(name)), name, rule->section);
}

static void write_exercised(const struct report *report, FILE *out)
{
    fprintf(out, "\nrules exercised: %u\n", report->exercised);
    if (report->exercised == 0)
        return;
    fprintf(out, "  %-16s %-12s %-10s %10s %10s %12s  %s\n", "rule", "section", "severity", "passed", "failed",
            "inconclusive", "same as");
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];
        const struct rule_count *count = &report->counts[i];
        gchar *section;

        if (why_not(report, (enum rule_id)i) != EXERCISED)
            continue;
        section = source_of(rule);
        fprintf(out, "  %-16s %-12s %-10s %10" PRIu32 " %10" PRIu32 " %12" PRIu32 "%s%s\n", rule->id, section,
                rule_severity_name(rule->severity), count->passed, count->failed, count->inconclusive,
                rule->judged == RULE_SAME ? "  " : "", rule->judged == RULE_SAME ? rule_catalogue[rule->same].id : "");
        g_free(section);
    }
}

static void write_ids(const struct report *report, enum exclusion wanted, FILE *out)
{
    enum { WIDTH = 100, INDENT = 8 };
    int column = WIDTH;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        if (why_not(report, (enum rule_id)i) != wanted)
            continue;
        if (column + 1 + (int)strlen(rule_catalogue[i].id) > WIDTH)
            column = fprintf(out, "%s%*s", column == WIDTH && i == 0 ? "" : "\n", INDENT - 1, "") - 1;
        column += fprintf(out, " %s", rule_catalogue[i].id);
    }
    fputc('\n', out);
}

static void write_not_exercised(const struct report *report, FILE *out)
{
    unsigned counts[EXCLUSION_COUNT] = {0};

    for (size_t i = 0; i < RULE_COUNT; i++)
        counts[why_not(report, (enum rule_id)i)]++;
    fprintf(out, "\nnot exercised: %u of %u rules%s\n", (unsigned)RULE_COUNT - counts[EXERCISED], (unsigned)RULE_COUNT,
            report->options->verbose ? "" : " (--verbose names them)");
    for (int why = EXERCISED + 1; why < EXCLUSION_COUNT; why++) {
        if (counts[why] == 0)
            continue;
        fprintf(out, "  %4u  %s", counts[why], exclusion_text((enum exclusion)why));
        if (report->options->verbose)
            write_ids(report, (enum exclusion)why, out);
        else
            fputc('\n', out);
    }
}

static void write_unused_waivers(const struct report *report, FILE *out)
{
    for (guint i = 0; i < report->unused_waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(report->unused_waivers, i);

        gchar *text = unused_waiver_text(waiver);

        fprintf(out, "%swaiver without use: %s (%s)%s\n", i == 0 ? "\n" : "", waiver->id, text,
                report->options->strict_waivers ? ", which fails under --strict-waivers" : "");
        g_free(text);
    }
}

void report_write_text(const struct report *report, FILE *out)
{
    gchar *verdict = verdict_text(report);

    fprintf(out, "%s\n", verdict);
    g_free(verdict);
    for (guint i = 0; i < report->captures->len; i++)
        write_capture(report, g_ptr_array_index(report->captures, i), out);
    write_unused_waivers(report, out);
    if (report->connections == 0)
        return;
    write_exercised(report, out);
    write_not_exercised(report, out);
}
