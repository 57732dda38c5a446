// SPDX-License-Identifier: GPL-2.0-or-later
/* State on which client and server do not agree. */
#include "conformance/trouble/saying.h"

#include <inttypes.h>
#include <string.h>

/* RFC 8881 section 18.46.3. */
static const struct {
    uint32_t flag;
    const char *name, *next;
} flags[] = {
    {0x2, "CB_GSS_CONTEXTS_EXPIRING", "the client has to set new credentials for callbacks (BACKCHANNEL_CTL)"},
    {0x4, "CB_GSS_CONTEXTS_EXPIRED", "the client has to set new credentials for callbacks (BACKCHANNEL_CTL)"},
    {0x8, "EXPIRED_ALL_STATE_REVOKED", "the client has to free each stateid, and to open its files again"},
    {0x10, "EXPIRED_SOME_STATE_REVOKED", "the client has to test its stateids, and to free those that were revoked"},
    {0x20, "ADMIN_STATE_REVOKED", "the client has to test its stateids, and to free those that were revoked"},
    {0x40, "RECALLABLE_STATE_REVOKED", "the client has to test its stateids, and to free those that were revoked"},
    {0x80, "LEASE_MOVED", "the client has to look at each file system for one that moved"},
    {0x100, "RESTART_RECLAIM_NEEDED", "the client has to reclaim its state, and to send RECLAIM_COMPLETE"},
    {0x400, "BACKCHANNEL_FAULT", "the client has to make another session"},
    {0x800, "DEVID_CHANGED", "the client has to get its device ids again (GETDEVICEINFO)"},
    {0x1000, "DEVID_DELETED", "the client has to drop the device ids and to return their layouts"},
};

static void say_flags(const struct saying *saying, const struct trouble_facts *facts)
{
    const struct trouble_state *state = facts->state;
    const char *next = "look at the logs of both sides";
    uint64_t lasted = time_from(state->flagged.first.time_ns, state->flagged.last.time_ns);
    GString *text = g_string_new("SEQUENCE reports ");
    const char *separator = "";
    struct trouble *trouble;
    char time[UNITS_SIZE];

    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (!(state->flags & flags[i].flag))
            continue;
        g_string_append_printf(text, "%s%s", separator, flags[i].name);
        separator = ", ";
        next = flags[i].next;
    }
    g_string_append_printf(text, " in %" PRIu32 " Replies since frame %" PRIu32 ", for %s", state->flagged.n,
                           state->flagged.first.frame, units_time(lasted, time));
    if (state->tested > 0) {
        g_string_append_printf(text, ": the client sent %" PRIu32 " TEST_STATEID and FREE_STATEID about ",
                               state->tested);
        g_string_append(text, state->others ? "several stateids, the first " : "the stateid ");
        for (unsigned i = 0; i < STATEID_LEN; i++)
            g_string_append_printf(text, i == 4 ? ":%02x" : "%02x", state->stateid[i]);
        g_string_append(text, state->over ? ", until the flag was gone" : ", and the flag stays: a loop");
    } else if (!state->over) {
        g_string_append(text, ": no request of the client has changed this");
    }
    trouble = say(saying, TROUBLE_STATE, facts, state->flagged.first, g_string_free(text, FALSE));
    trouble->count = state->flagged.n;
    trouble->time = lasted;
    say_next(trouble,
             g_strdup_printf("%s; after that, the server has to clear the flag: update the side that does not do so; "
                             "unmounting ends the loop",
                             next));
}

bool state_says(const struct saying *saying, const char *what)
{
    return saying->stays && (strcmp(what, "FREE_STATEID") == 0 || strcmp(what, "TEST_STATEID") == 0);
}

void say_state(struct saying *saying)
{
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);
        const struct trouble_behind *behind = facts->state ? &facts->state->behind : NULL;

        if (behind && trouble_state_stays(facts->state) && !saying->stays) {
            saying->stays = true;
            say_flags(saying, facts);
        }
        if (behind && behind->what && !facts->hole)
            say_next(say(saying, TROUBLE_STATE, facts, behind->event,
                         g_strdup_printf("the client sent %s in frame %" PRIu32 " with seqid %" PRIu32
                                         " of a layout, after it had accepted the recall with seqid %" PRIu32
                                         " (CB_LAYOUTRECALL in frame %" PRIu32 ")",
                                         behind->what, behind->event.frame, behind->seqid, behind->due,
                                         behind->recalled.frame)),
                     g_strdup("the client has to send LAYOUTCOMMIT before it accepts the recall, or with the seqid of "
                              "the recall, and LAYOUTRETURN after the answer (RFC 8881 sections 12.5.3 and 12.5.5): "
                              "update the client"));
    }
}
