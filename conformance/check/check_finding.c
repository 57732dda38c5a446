// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_finding.h"

#include "conformance/model/report_kinds.h"
#include "conformance/options/options.h"

static const struct waiver *find_waiver(const struct check_options *options, const struct check_roles *roles,
                                        const struct finding *finding, enum direction direction)
{
    bool from_initiator = direction == DIR_TO_RESPONDER;
    enum waiver_role role = from_initiator ? WAIVER_INITIATOR : WAIVER_RESPONDER;
    const struct waiver_finding about = {.rule = finding->rule,
                                         .sender = from_initiator ? roles->initiator : roles->responder,
                                         .role = roles->known ? role : WAIVER_ANY_ROLE,
                                         .operation = finding->subject.operation,
                                         .kind = finding->subject.kind,
                                         .message = finding->message};

    return waivers_match(options->waivers, &about);
}

enum check_taking check_take_finding(const struct check_options *options, struct report_connection *report,
                                     const struct check_roles *roles, const struct finding *finding,
                                     enum direction direction, bool keep)
{
    struct report_finding kept = {.rule = finding->rule,
                                  .severity = finding->severity,
                                  .direction = direction,
                                  .side = finding->place.side,
                                  .basis = finding->basis,
                                  .awaited = finding->place.awaited,
                                  .frame = finding->place.frame,
                                  .first_frame = finding->place.first_frame,
                                  .related_frame = finding->related_frame,
                                  .subject = finding->subject,
                                  .time_ns = finding->place.time_ns,
                                  .offset = finding->place.offset};

    if (!options->rules.reported[finding->rule])
        return CHECK_UNREPORTED;
    kept.waiver = find_waiver(options, roles, finding, direction);
    if (kept.waiver)
        report->waived++;
    else
        report->found[finding->severity]++;
    if (!kept.waiver && options_fails(options, finding->severity))
        report_add_failing(report, finding->rule);
    if (options->write_waivers && !kept.waiver && options_fails(options, finding->severity))
        report_kinds_add(&report->kinds, &kept, finding->message);
    if (options->fold && report_fold_finding(report, &kept, finding->message))
        return CHECK_COUNTED;
    if (!keep) {
        report->not_kept++;
        return CHECK_COUNTED;
    }
    report_add_finding(report, &kept, finding->message);
    return CHECK_KEPT;
}

void check_drop_finding(const struct check_options *options, struct report_connection *report, guint i)
{
    const struct report_finding dropped = g_array_index(report->findings, struct report_finding, i);

    if (report->kinds && !dropped.waiver && options_fails(options, dropped.severity))
        report_kinds_drop(report->kinds, &dropped);
    if (dropped.more > 0) /* one of several equal findings */
        g_array_index(report->findings, struct report_finding, i).more--;
    else
        g_array_remove_index(report->findings, i);
    g_clear_pointer(&report->folds, g_hash_table_unref);
    if (dropped.waiver) {
        report->waived--;
        return;
    }
    report->found[dropped.severity]--;
    if (options_fails(options, dropped.severity))
        report_drop_failing(report, dropped.rule);
}
