// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/report_ib.h"
#include "engine/core/words.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *transport, *name;
} names[] = {
    [IB_BELOW_IPV4_UDP] = {"roce2", "RoCE v2"},
    [IB_BELOW_IPV6_UDP] = {"roce2", "RoCE v2"},
    [IB_BELOW_GRH] = {"roce1", "RoCE v1"},
    [IB_BELOW_LRH] = {"infiniband", "InfiniBand"},
    [IB_BELOW_LRH_GRH] = {"infiniband", "InfiniBand"},
    [IB_BELOW_TAP] = {"tap", "kernel tap"},
};

const char *report_ib_transport_name(enum ib_below below)
{
    return names[below].transport;
}

struct report_ib *report_ib_new(const struct ib_connection *connection, unsigned initiator, enum ib_below below,
                                const struct icrc_counts *icrc)
{
    const struct ib_rc_counts *counts = ib_rc_counts(connection->rc);
    struct report_ib *ib = g_new0(struct report_ib, 1);

    *ib = (struct report_ib){.below = below,
                             .mtu = connection->tapped ? 0 : ib_rc_path_mtu(connection->rc),
                             .request_seen = connection->request_seen,
                             .reply_seen = connection->reply_seen,
                             .rejected = connection->rejected,
                             .reject_reason = connection->reject_reason,
                             .icrc = *icrc};
    for (unsigned role = 0; role < 2; role++) {
        unsigned side = role == 0 ? initiator : other_side(initiator);

        ib->qp_known[role] = connection->qp_known[side] && !connection->tapped;
        ib->qp[role] = connection->qp[side];
        ib->ird[role] = connection->ird[side];
        ib->ord[role] = connection->ord[side];
        ib->retransmitted[role] = counts->retransmitted[side];
        ib->repeated_responses[role] = counts->repeated_responses[side];
        ib->holes[role] = counts->holes[side];
        ib->icrc.taken[role] = icrc->taken[side];
        ib->rnr_naks[role] = counts->rnr_naks[side];
        memcpy(ib->naks[role], counts->naks[side], sizeof ib->naks[role]);
    }
    return ib;
}

static void add_qp(GString *text, const struct report_ib *ib, unsigned role)
{
    if (ib->qp_known[role])
        g_string_append_printf(text, "0x%" PRIx32, ib->qp[role]);
    else
        g_string_append(text, "unknown");
}

static void add_numbers(GString *text, const struct report_ib *ib)
{
    g_string_append(text, ", queue pairs ");
    add_qp(text, ib, 0);
    g_string_append(text, " and ");
    add_qp(text, ib, 1);
    if (ib->mtu > 0)
        g_string_append_printf(text, ", path MTU %u", ib->mtu);
}

gchar *report_ib_terms_text(const struct report_ib *ib)
{
    GString *text = g_string_new(names[ib->below].name);

    if (ib->below == IB_BELOW_TAP)
        g_string_append(text, ", timed by its host, transport not recorded");
    else
        add_numbers(text, ib);
    if (ib->request_seen && ib->reply_seen)
        g_string_append_printf(text, ", initiator IRD %u ORD %u, responder IRD %u ORD %u", ib->ird[0], ib->ord[0],
                               ib->ird[1], ib->ord[1]);
    if (!ib->request_seen && !ib->rejected)
        g_string_append(text, ", capture starts mid-connection");
    if (ib->rejected && ib->reject_reason == 0)
        g_string_append(text, ", rejected (reason not captured)");
    else if (ib->rejected)
        g_string_append_printf(text, ", rejected (reason %u)", ib->reject_reason);
    return g_string_free(text, FALSE);
}

static void ib_add_pair(GString *text, const uint64_t pair[2], const char *what)
{
    if (pair[0] + pair[1] > 0)
        g_string_append_printf(text, "%s%s: %" PRIu64 " by the initiator, %" PRIu64 " by the responder",
                               text->len > 0 ? "; " : "", what, pair[0], pair[1]);
}

gchar *report_ib_trouble_text(const struct report_ib *ib)
{
    GString *text = g_string_new(NULL);
    uint64_t ignored = ib->icrc.wrong - ib->icrc.taken[0] - ib->icrc.taken[1];

    ib_add_pair(text, ib->retransmitted, "retransmitted requests");
    ib_add_pair(text, ib->repeated_responses, "repeated Read response packets");
    for (unsigned code = 0; code < G_N_ELEMENTS(ib->naks[0]); code++) {
        const uint64_t pair[2] = {ib->naks[0][code], ib->naks[1][code]};
        g_autofree gchar *what = g_strdup_printf("NAKs (%s)", ib_nak_name((uint8_t)(0x60 | code)));

        ib_add_pair(text, pair, what);
    }
    ib_add_pair(text, ib->rnr_naks, "RNR NAKs");
    ib_add_pair(text, ib->holes, "holes in the capture");
    for (unsigned role = 0; role < 2; role++)
        if (ib->icrc.taken[role] > 0)
            g_string_append_printf(
                text, "%sICRC of the %s ignored, because %" PRIu64 " of its packets have a wrong ICRC",
                text->len > 0 ? "; " : "", role == 0 ? "initiator" : "responder", ib->icrc.taken[role]);
    if (ignored > 0)
        g_string_append_printf(text, "%s%" PRIu64 " packet%s with a wrong ICRC ignored, the first in frame %" PRIu32,
                               text->len > 0 ? "; " : "", ignored, plural(ignored), ib->icrc.first_wrong);
    if (text->len > 0)
        return g_string_free(text, FALSE);
    g_string_free(text, TRUE);
    return NULL;
}

struct endpoint report_ib_endpoint(const struct ib_address *address, uint16_t port)
{
    struct endpoint endpoint = {.port = port};

    if (address->kind == IB_ADDRESS_LID)
        endpoint.ip = 0;
    else
        endpoint.ip = address->kind == IB_ADDRESS_IPV4 ? 4 : 6;
    memcpy(endpoint.address, address->octets, sizeof endpoint.address);
    return endpoint;
}
