// SPDX-License-Identifier: GPL-2.0-or-later
/* The suites, and what their cases have in common. */
#include "traffic-gen/suite/talk/suite.h"

#include <glib.h>

const struct suite *const suites[] = {
    &suite_mpa,           &suite_mpa_cuts,       &suite_mpa_wire,    &suite_mpa_errors,
    &suite_mpa_startup,   &suite_mpa_frames,     &suite_mpa2,        &suite_mpa2_reply,
    &suite_ddp,           &suite_rdmap,          &suite_rdmap_reads, &suite_rdmapx,
    &suite_atomics,       &suite_requester,      &suite_rpcrdma,     &suite_rpcrdma_chunks,
    &suite_rpcrdma_sizes, &suite_rpcrdma_client, &suite_nfs,         NULL};

char *suite_case_id(const struct suite_case *row)
{
    const char *id = rule_catalogue[row->rule].id;

    if (row->name)
        return g_strdup(row->name);
    return row->suffix ? g_strdup_printf("%s/%s", id, row->suffix) : g_strdup(id);
}
