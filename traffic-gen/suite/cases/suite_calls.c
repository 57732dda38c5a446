// SPDX-License-Identifier: GPL-2.0-or-later
/* What rows of suites rpcrdma and nfs share: connections, and NFS Calls in statements. */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/say/words.h"
#include "traffic-gen/suite/talk/talk_internal.h"

#include <string.h>

enum { V4 = NFS_ALL_VERSIONS & ~(1 << NFS_V3) };

/* What is said of a statement, by how it begins. */
static const struct kind {
    const char *verb;
    const char *prepares; /* that was not possible */
    const char *passed;
    const char *differs; /* what was read */
} kinds[] = {
    {"write", "write the file", "success, and the file holds the octets in order", NULL},
    {"create", "create the link", "success, and the link holds its text", NULL},
    {"readlink", "read the link", "success, and the link's text", "expected the link to hold its text; found another"},
    {"read", "read the file", "2999 octets in a chunk of as many",
     "expected the file to hold the octets written; found others"},
};

static const struct kind *kind_of(const char *statement)
{
    unsigned i = 0;

    while (i < G_N_ELEMENTS(kinds) - 1 && !g_str_has_prefix(statement, kinds[i].verb))
        i++;
    return &kinds[i];
}

/* ---- connections ---- */

static bool begins_with_wish(const struct suite_case *row)
{
    return row->says && g_str_has_prefix(row->says, "with ");
}

struct talker_wish rpcrdma_wish(const struct suite_case *row, GByteArray **data)
{
    g_autofree char *with = g_strndup(begins_with_wish(row) ? row->says : "", strcspn(row->says ? row->says : "", ";"));
    g_auto(GStrv) list = g_strsplit(with, " ", -1);
    struct talker_wish wish = {0};

    for (unsigned i = 0; list[i]; i++) {
        const char *value = strchr(list[i], '=');
        uint32_t number = value ? (uint32_t)g_ascii_strtoull(value + 1, NULL, 10) : 0;

        if (g_str_has_prefix(list[i], "inline="))
            wish.size = number;
        if (g_str_has_prefix(list[i], "credits="))
            wish.credits = number;
        if (data && g_str_has_prefix(list[i], "data=")) {
            *data = words_octets(NULL, value + 1);
            wish.private_data = (*data)->data;
            wish.private_length = (uint16_t)(*data)->len;
        }
        wish.no_grant |= strcmp(list[i], "no-grant") == 0;
        wish.invalidation |= strcmp(list[i], "invalidation") == 0;
        wish.may_close |= strcmp(list[i], "may-close") == 0;
    }
    return wish;
}

void rpcrdma_on_connection(struct talk *talk, const struct suite_case *row,
                           void (*one)(struct rpc_talker *talker, const struct suite_case *row))
{
    g_autoptr(GByteArray) data = NULL;
    const struct talker_wish wish = rpcrdma_wish(row, &data);
    struct rpc_talker talker;

    if (!talk_is_initiator(talk)) {
        rpc_talker_with_client(talk, row, &wish, one);
        return;
    }
    if (rpc_talker_open(&talker, talk, &wish))
        one(&talker, row);
    rpc_talker_close(&talker);
}

void rpcrdma_once(struct talk *talk, const struct suite_case *row)
{
    rpcrdma_on_connection(talk, row, row->on);
}

void rpcrdma_each_version(struct talk *talk, const struct suite_case *row)
{
    g_autoptr(GByteArray) data = NULL;
    const struct talker_wish wish = rpcrdma_wish(row, &data);

    rpc_talker_each_version(talk, row, g_str_has_prefix(row->says, "with v4") ? V4 : NFS_ALL_VERSIONS, &wish, row->on);
}

/* ---- statements ---- */

static bool prepare(struct rpc_talker *talker, const char *statement)
{
    if (strcmp(statement, "file") == 0)
        return rpc_talker_file(talker);
    if (!rpc_talker_say(talker, statement))
        return false;
    if (rpc_talker_status(talker) == 0)
        return true;
    talk_inconclusive(talker->talk, "cannot %s: %s", kind_of(statement)->prepares, rpc_talker_result_words(talker));
    return false;
}

bool calls_say(struct rpc_talker *talker, const struct suite_case *row)
{
    g_auto(GStrv) parts = g_strsplit_set(row->says, ";)", -1);

    for (unsigned i = 0; parts[i]; i++) {
        const char *statement = g_strstrip(parts[i]);

        if (*statement == '(')
            return rpc_talker_say(talker, statement + 1);
        if (!g_str_has_prefix(statement, "with ") && !prepare(talker, statement))
            return false;
    }
    return false;
}

/* It has succeeded; if it reads, what was written. */
static bool is_done(struct rpc_talker *talker, const char *statement)
{
    const char *differs = kind_of(statement)->differs;

    if (!rpc_talker_succeeded(talker))
        return false;
    if (!differs || rpc_talker_holds(talker))
        return true;
    talk_failed(talker->talk, "%s", differs);
    return false;
}

bool calls_check(struct rpc_talker *talker, const struct suite_case *row)
{
    g_auto(GStrv) parts = g_strsplit(strchr(row->says, ')') + 1, ";", -1);

    for (unsigned i = 0; parts[i]; i++) {
        const char *statement = g_strstrip(parts[i]);

        if (*statement && !(rpc_talker_say(talker, statement) && is_done(talker, statement)))
            return false;
    }
    return true;
}

/* ---- verdicts ---- */

void calls_succeed(struct rpc_talker *talker, const struct suite_case *row)
{
    const char *stimulus = strchr(row->says, '(') + 1;

    if (calls_say(talker, row) && is_done(talker, stimulus) && calls_check(talker, row))
        talk_passed(talker->talk, "%s", kind_of(stimulus)->passed);
}

void calls_answered(struct rpc_talker *talker, const struct suite_case *row)
{
    if (!calls_say(talker, row))
        return;
    if (talker->replied > 0 && talker->result != RPC_END_LOST)
        talk_passed(talker->talk, "%s", rpc_talker_result_words(talker));
    else
        talk_failed(talker->talk, "expected %s; found %s", row->expected, rpc_talker_result_words(talker));
}

void calls_judged(struct rpc_talker *talker, const struct suite_case *row)
{
    if (calls_say(talker, row))
        rpcrdma_judge(talker, (unsigned)row->variant, rpc_talker_await(talker, talker->xid, 0));
}
