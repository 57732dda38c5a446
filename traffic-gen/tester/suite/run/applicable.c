// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/applicable.h"

#include "traffic-gen/tester/suite/run/case.h"

static const struct {
    unsigned needs; /* set of enum suite_need: at least one is missing */
    const char *what, *service;
} kinds[] = {
    {NEED_RPC | NEED_NFS, "RPC-over-RDMA", "an NFS server (--service=nfs)"},
    {NEED_ECHO | NEED_RECEIVES | NEED_REGIONS | NEED_WORDS, "memory and an echo advertised in the private data",
     "iwarp-target or a service like it"},
    {NEED_WIRE, "segments of our own TCP", "a run with --wire=IF"},
    {NEED_ENHANCED | NEED_PEER_TO_PEER, "the enhanced connection setup of RFC 6581", "a service of MPA revision 2"},
};

static void report_missing(struct suite_report *report, const unsigned missing[G_N_ELEMENTS(kinds)])
{
    for (unsigned k = 0; k < G_N_ELEMENTS(kinds); k++)
        if (missing[k] > 0)
            suite_report_add_missing(report, missing[k], kinds[k].what, kinds[k].service);
}

GArray *cases_of_service(const struct talk_run *run, const GArray *chosen, bool declared, struct suite_report *report)
{
    const unsigned services =
        NEED_RPC | NEED_NFS | NEED_WIRE | (declared ? NEED_ECHO | NEED_RECEIVES | NEED_REGIONS | NEED_WORDS : 0);
    GArray *about = g_array_new(FALSE, FALSE, sizeof(struct chosen_case));
    unsigned left_out[G_N_ELEMENTS(kinds)] = {0};

    for (guint i = 0; i < chosen->len; i++) {
        const struct chosen_case *each = &g_array_index(chosen, struct chosen_case, i);
        unsigned lacks = each->row->needs & services & ~(run->has | run->services), k = 0;

        if (!lacks) {
            g_array_append_val(about, *each);
            continue;
        }
        while (!(lacks & kinds[k].needs))
            k++;
        left_out[k] += (each->row->duts & run->dut) != 0; /* other cases are about the other role */
    }
    report_missing(report, left_out);
    return about;
}

static const char *sign_text(enum talk_sign sign)
{
    switch (sign) {
    case SIGN_READ:
        return "it answers zero-length Reads";
    case SIGN_REGION:
        return "it answers Reads of its memory";
    case SIGN_ECHO:
        return "it echoes what is sent to it";
    case SIGN_RPC:
        return "it answers NULL Calls";
    case SIGN_SPEAKS:
        return "it speaks by itself";
    case SIGN_UNKNOWN:
    case SIGN_TCP:
        break;
    }
    return "only its TCP's acknowledgements";
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
    report_missing(report, missing);
    report->chosen = chosen->len;
    report->start_up = run->rpc_device ? g_strdup(run->rpc_device) : startup_text(&run->terms);
    report->sign = g_strdup(sign_text(run->sign));
}
