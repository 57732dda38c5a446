// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/annotate/annotate.h"

#include "conformance/annotate/annotate_copy.h"
#include "conformance/input/unpack.h"
#include "conformance/options/options.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_trouble.h"
#include "support/output_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
    COMMENTS_MAX = 50, /* per packet: Wireshark shows each comment on its own line */
    BUFFER = 256 << 10,
};

/* ---- the texts ---- */

/* A finding, or trouble. */
struct remark {
    const struct report_connection *connection;
    const struct report_finding *finding;
    const struct trouble *trouble; /* NULL: a finding */
};

static uint32_t frame_of(const struct remark *remark)
{
    return remark->trouble ? remark->trouble->frame : remark->finding->frame;
}

struct remarks {
    GArray *all; /* struct remark, by frame */
    guint next;
};

static gint annotate_by_frame(gconstpointer a, gconstpointer b)
{
    const struct remark *first = a, *second = b;

    if (frame_of(first) != frame_of(second))
        return frame_of(first) < frame_of(second) ? -1 : 1;
    if (first->trouble || second->trouble) /* trouble precedes findings, in the order of the report */
        return !second->trouble ? -1 : !first->trouble ? 1 : (int)first->trouble->kind - (int)second->trouble->kind;
    if (first->connection->id != second->connection->id)
        return first->connection->id < second->connection->id ? -1 : 1;
    return first->finding < second->finding ? -1 : first->finding > second->finding;
}

static GArray *annotate_collect(const struct report_capture *capture)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct remark));

    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        for (guint j = 0; j < connection->findings->len; j++) {
            struct remark remark = {connection, &g_array_index(connection->findings, struct report_finding, j), NULL};

            g_array_append_val(all, remark);
        }
    }
    for (guint i = 0; i < capture->troubles->list->len; i++) {
        struct remark remark = {.trouble = g_ptr_array_index(capture->troubles->list, i)};

        if (remark.trouble->frame != 0)
            g_array_append_val(all, remark);
    }
    g_array_sort(all, annotate_by_frame);
    return all;
}

/* "MPA-4.1-05 error: expected ...; found ... (RFC 5044 section 4.1, MUST; connection 1, to the responder; ...)" */
static gchar *remark_text(const struct remark *remark)
{
    const struct report_finding *finding = remark->finding;
    const struct rule *rule;
    GString *text;
    gchar *printable;

    if (remark->trouble) {
        g_autofree gchar *words = trouble_text(remark->trouble);
        g_autofree gchar *happened = g_strdup_printf("what happened: %s", words);

        return printable_text(happened);
    }
    rule = &rule_catalogue[finding->rule];
    text = g_string_new(NULL);
    g_string_append_printf(
        text, "%s %s%s: %s (%s section %s, %s; connection %" PRIu32 ", to the %s, stream offset %" PRIu64, rule->id,
        finding->waiver ? "waived " : "", rule_severity_name(finding->severity), finding->message, rule->document,
        rule->section, rule->level, remark->connection->id, receiver_text(finding), finding->offset);
    if (finding->first_frame != 0 && finding->first_frame != finding->frame)
        g_string_append_printf(text, ", from frame %" PRIu32, finding->first_frame);
    if (finding->related_frame != 0)
        g_string_append_printf(text, ", see frame %" PRIu32, finding->related_frame);
    g_string_append_c(text, ')');
    if (finding->waiver && finding->waiver->why)
        g_string_append_printf(text, " [waived: %s]", finding->waiver->why);
    printable = printable_text(text->str);
    g_string_free(text, TRUE);
    return printable;
}

static void add_texts(void *ctx, uint32_t frame, GPtrArray *texts)
{
    struct remarks *remarks = ctx;
    unsigned left_out = 0;

    for (; remarks->next < remarks->all->len; remarks->next++) {
        const struct remark *remark = &g_array_index(remarks->all, struct remark, remarks->next);

        if (frame_of(remark) > frame)
            break;
        if (texts->len < COMMENTS_MAX)
            g_ptr_array_add(texts, remark_text(remark));
        else
            left_out++;
    }
    if (left_out > 0)
        g_ptr_array_add(texts, g_strdup_printf("iwarp-check: %u more remarks on this frame", left_out));
}

static gchar *section_text(const struct report *report, const struct report_capture *capture)
{
    gchar *verdict = verdict_text(report), *text;
    uint64_t left_out = 0;

    for (guint i = 0; i < capture->connections->len; i++)
        left_out += ((const struct report_connection *)g_ptr_array_index(capture->connections, i))->not_kept;
    if (left_out == 0)
        text = g_strdup_printf("iwarp-check " IWARP_KIT_VERSION ", profile %s: %s", report->options->profile, verdict);
    else
        text = g_strdup_printf("iwarp-check " IWARP_KIT_VERSION ", profile %s: %s; %" PRIu64
                               " more findings were counted but not kept (--max-findings)",
                               report->options->profile, verdict, left_out);
    g_free(verdict);
    return text;
}

/* ---- the file ---- */

static bool annotate_trouble(GError **error, const char *name, const char *what)
{
    gchar *shown = g_filename_display_name(name);

    g_set_error(error, CHECK_ERROR, CHECK_ERROR_INPUT, "--annotate: %s: %s", shown, what);
    g_free(shown);
    return false;
}

struct copy {
    FILE *in;
    struct unpack *unpack; /* NULL: in is not compressed */
    struct output_file out;
};

/* Renaming would replace a device by a file, or the original by its copy. */
static bool may_replace(const char *in, const char *out, GError **error)
{
    if (g_file_test(out, G_FILE_TEST_EXISTS) && !g_file_test(out, G_FILE_TEST_IS_REGULAR))
        return annotate_trouble(error, out, "is not a regular file");
    if (output_file_is_input(out, in))
        return annotate_trouble(error, out, "is the capture itself; give another name");
    return true;
}

static bool open_files(struct copy *copy, const char *in, const char *out, GError **error)
{
    FILE *stream;

    copy->in = fopen(in, "rb");
    if (!copy->in)
        return annotate_trouble(error, in, g_strerror(errno));
    setvbuf(copy->in, NULL, _IOFBF, BUFFER);
    stream = unpack_stream(copy->in, NULL, &copy->unpack);
    if (!stream)
        return annotate_trouble(error, in, g_strerror(errno));
    copy->in = stream;
    if (!may_replace(in, out, error))
        return false;
    if (!output_file_open(&copy->out, out))
        return annotate_trouble(error, out, g_strerror(errno));
    setvbuf(copy->out.file, NULL, _IOFBF, BUFFER);
    return true;
}

bool annotate_write(const struct report *report, const char *in, const char *out, GError **error)
{
    const struct report_capture *capture = g_ptr_array_index(report->captures, 0);
    struct remarks remarks = {.all = annotate_collect(capture)};
    gchar *section = section_text(report, capture);
    const struct annotate_comments comments = {.ctx = &remarks, .section = section, .packet = add_texts};
    struct capture_error why = {""};
    struct copy copy = {0};
    bool ok = open_files(&copy, in, out, error);

    if (ok && annotate_copy(copy.in, copy.out.file, &comments, &why) == ANNOTATE_CORRUPT)
        ok = annotate_trouble(error, in, why.text);
    if (ok && copy.unpack && unpack_trouble(copy.unpack) && !unpack_is_truncated(copy.unpack))
        ok = annotate_trouble(error, in, unpack_trouble(copy.unpack));
    if (ok && !output_file_finish(&copy.out))
        ok = annotate_trouble(error, out, g_strerror(errno));
    if (copy.in)
        fclose(copy.in);
    unpack_free(copy.unpack);
    output_file_clear(&copy.out);
    g_free(section);
    g_array_unref(remarks.all);
    return ok;
}
