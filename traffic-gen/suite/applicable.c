// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/applicable.h"

#include "traffic-gen/suite/case.h"

static const struct {
    unsigned needs; /* set of enum suite_need: any of them is missing */
    const char *what, *service;
} kinds[] = {
    {NEED_RPC | NEED_NFS, "RPC-over-RDMA", "an NFS server, said with --service=nfs"},
    {NEED_ECHO | NEED_RECEIVES | NEED_REGIONS | NEED_WORDS, "memory and an echo that the private data tell of",
     "iwarp-target, or a service like it"},
    {NEED_ENHANCED | NEED_PEER_TO_PEER, "the enhanced set-up of RFC 6581", "one of revision 2"},
};

static const char *sign_text(enum talk_sign sign)
{
    switch (sign) {
    case SIGN_READ:
        return "it answers Reads of no octets";
    case SIGN_REGION:
        return "it answers Reads of its memory";
    case SIGN_ECHO:
        return "it sends back what is sent to it";
    case SIGN_RPC:
        return "it answers NULL Calls";
    case SIGN_SPEAKS:
        return "it speaks by itself";
    case SIGN_UNKNOWN:
    case SIGN_TCP:
        break;
    }
    return "its TCP acknowledges, nothing else shows it";
}

void report_applicable(const struct talk_run *run, const GArray *chosen, struct suite_report *report)
{
    unsigned missing[G_N_ELEMENTS(kinds)] = {0};

    for (guint i = 0; i < chosen->len; i++) {
        const struct suite_case *row = g_array_index(chosen, struct chosen_case, i).row;
        unsigned k = 0;

        if (!case_cannot(run, row)) {
            report->can_run++;
            continue;
        }
        while (k < G_N_ELEMENTS(kinds) - 1 && !(row->needs & kinds[k].needs & ~(run->has | run->services)))
            k++;
        missing[k]++;
    }
    for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++) {
        if (missing[k] > 0)
            suite_report_add_missing(report, missing[k], kinds[k].what, kinds[k].service);
    }
    report->chosen = chosen->len;
    report->start_up = startup_text(&run->terms);
    report->sign = g_strdup(sign_text(run->sign));
}
