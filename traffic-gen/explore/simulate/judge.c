// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/judge.h"

#include "conformance/check/check.h"
#include "conformance/options/options.h"

enum { PROFILES = 2 };

struct judge {
    struct check_options options[PROFILES]; /* [1]: RFC 5666 */
};

/* The next packet, as capture_next() returns packets to the checker. */
struct reading_view {
    const struct packets *packets;
    const struct view *view;
    unsigned next;
    int64_t now;
};

static bool judge_parse(struct check_options *options, const char *profile, const char *const *more, GError **error)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);

    g_ptr_array_add(arguments, g_strdup("iwarp-check"));
    g_ptr_array_add(arguments, g_strconcat("--profile=", profile, NULL));
    g_ptr_array_add(arguments, g_strdup("--max-findings=0"));
    for (; more && *more; more++)
        g_ptr_array_add(arguments, g_strdup(*more));
    g_ptr_array_add(arguments, g_strdup("-")); /* a capture, which is never read */
    g_ptr_array_add(arguments, NULL);
    return options_parse(options, (int)arguments->len - 1, (char **)arguments->pdata, error);
}

struct judge *judge_open(const char *const *more, char **error)
{
    static const char *const profiles[PROFILES] = {"ietf", "rfc5666"};
    struct judge *judge = g_new0(struct judge, 1);

    for (unsigned i = 0; i < PROFILES; i++) {
        g_autoptr(GError) why = NULL;

        if (judge_parse(&judge->options[i], profiles[i], more, &why))
            continue;
        *error = g_strdup(why->message);
        judge_close(judge);
        return NULL;
    }
    return judge;
}

void judge_close(struct judge *judge)
{
    for (unsigned i = 0; i < PROFILES; i++)
        options_clear(&judge->options[i]);
    g_free(judge);
}

static bool give_packet(void *ctx, struct packet *packet)
{
    struct reading_view *reading = ctx;
    const struct frame_in_memory *frame;

    if (reading->next == reading->view->shown->len)
        return false;
    frame = packets_frame(reading->packets, view_packet(reading->view, reading->next++));
    reading->now = MAX(reading->now, frame->time_ns);
    packet->time_ns = reading->now;
    packet->data = reading->packets->octets->data + frame->at;
    packet->length = (uint32_t)frame->n;
    packet->captured = (uint32_t)view_captured(reading->view, frame);
    return true;
}

static void judged_finding_clear(gpointer p)
{
    g_free(((struct judged_finding *)p)->message);
}

static void take_findings(GArray *findings, const struct report_connection *connection)
{
    for (unsigned i = 0; i < connection->findings->len; i++) {
        const struct report_finding *found = &g_array_index(connection->findings, struct report_finding, i);
        struct judged_finding finding = {
            .rule = &rule_catalogue[found->rule],
            .severity = found->severity,
            .frame = found->frame,
            .first_frame = found->first_frame,
            .related_frame = found->related_frame,
            .awaited = found->awaited,
        };

        finding.message = g_strdup(found->message);
        g_array_append_val(findings, finding);
    }
}

GArray *judge_view(struct judge *judge, const struct packets *packets, const struct view *view, bool rfc5666,
                   bool *undone)
{
    const struct check_setup setup = {.options = &judge->options[rfc5666], .threads = 1};
    struct reading_view reading = {.packets = packets, .view = view};
    struct capture *source = capture_from(give_packet, &reading);
    struct report_capture *capture = report_capture_new("simulation");
    GArray *findings = g_array_new(FALSE, FALSE, sizeof(struct judged_finding));

    if (!source)
        g_error("not enough memory"); /* as GLib does */
    g_array_set_clear_func(findings, judged_finding_clear);
    check_capture(&setup, source, capture);
    for (unsigned i = 0; i < capture->connections->len; i++)
        take_findings(findings, capture->connections->pdata[i]);
    if (undone)
        *undone = report_capture_undone(capture);
    capture_close(source);
    report_capture_free(capture);
    return findings;
}
