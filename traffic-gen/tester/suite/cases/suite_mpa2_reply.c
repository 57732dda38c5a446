// SPDX-License-Identifier: GPL-2.0-or-later
/* Replies that the Initiator must answer with a Terminate (RFC 6581 sections 9.1 to 9.3); they depend on its Request.
 */
#include "traffic-gen/tester/suite/cases/suite_mpa2.h"

/* ORD is one more than the IRD of the Request. */
static char *bad_ord(struct talk *talk, const struct mpa_enhanced *request)
{
    if (request->ird < MPA_IRD_ORD_NOT_NEGOTIATED - 1)
        return g_strdup_printf("mpa.ord=%u", request->ird + 1);
    talk_not_applicable(talk, "the device's Request has IRD %u: no Reply can ask for more", request->ird);
    return NULL;
}

/* RTR types that the Request does not offer. */
static char *bad_rtr(struct talk *talk, const struct mpa_enhanced *request)
{
    if (request->peer_to_peer && request->rtr != ALL_RTR)
        return g_strdup_printf("mpa.rtr=%u", ALL_RTR & ~request->rtr);
    talk_not_applicable(talk, request->peer_to_peer ? "the device offers all RTR types: every Reply has one in common"
                                                    : "the device's Request is not for peer-to-peer mode");
    return NULL;
}

char *mpa2_bad_reply(struct talk *talk, enum bad_reply bad, const struct mpa_enhanced *request)
{
    if (bad == BAD_ORD)
        return bad_ord(talk, request);
    if (bad == BAD_RTR)
        return bad_rtr(talk, request);
    return g_strdup(request->peer_to_peer ? "mpa.a=0 mpa.rtr=0" : "mpa.a=1 mpa.rtr=7"); /* the other model */
}
