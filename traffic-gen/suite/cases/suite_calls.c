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

bool rpcrdma_wish(struct talk *talk, const struct suite_case *row, struct rpcrdma_wish *out)
{
    const char *says = row->says && g_str_has_prefix(row->says, "with ") ? row->says : "with";
    g_autofree char *with = g_strndup(says, strcspn(says, ";")), *error = NULL;
    g_auto(GStrv) list = g_strsplit(with, " ", -1);
    struct statement *statement = statement_new(INITIATOR, NULL);
    struct words words;
    const char *data;

    for (unsigned i = 1; list[i]; i++)
        statement_add_word(statement, list[i]);
    words = words_of(statement, "case", &error);
    data = words_value(&words, "data");
    *out = (struct rpcrdma_wish){.versions = words_have(&words, "v4") ? V4 : NFS_ALL_VERSIONS,
                                 .data = words_octets(&words, data ? data : ""),
                                 .wish = {.size = (uint32_t)words_number(&words, "inline", 0),
                                          .credits = (uint32_t)words_number(&words, "credits", 0),
                                          .no_grant = words_have(&words, "no-grant"),
                                          .invalidation = words_have(&words, "invalidation"),
                                          .may_close = words_have(&words, "may-close")}};
    if (data) {
        out->wish.private_data = out->data->data;
        out->wish.private_length = (uint16_t)out->data->len;
    }
    if (!words_end(&words))
        talk_inconclusive(talk, "what is wished cannot be: %s", error);
    statement_unref(statement);
    return !error;
}

void rpcrdma_wish_clear(struct rpcrdma_wish *wish)
{
    g_byte_array_unref(wish->data);
}

void rpcrdma_on_connection(struct talk *talk, const struct suite_case *row,
                           void (*one)(struct rpc_talker *talker, const struct suite_case *row))
{
    struct rpcrdma_wish wish;
    struct rpc_talker talker;

    bool good = rpcrdma_wish(talk, row, &wish);

    if (good && !talk_is_initiator(talk)) {
        rpc_talker_with_client(talk, row, &wish.wish, one);
    } else if (good) {
        if (rpc_talker_open(&talker, talk, &wish.wish))
            one(&talker, row);
        rpc_talker_close(&talker);
    }
    rpcrdma_wish_clear(&wish);
}

void rpcrdma_once(struct talk *talk, const struct suite_case *row)
{
    rpcrdma_on_connection(talk, row, row->on);
}

void rpcrdma_each_version(struct talk *talk, const struct suite_case *row)
{
    struct rpcrdma_wish wish;

    if (rpcrdma_wish(talk, row, &wish))
        rpc_talker_each_version(talk, row, wish.versions, &wish.wish, row->on);
    rpcrdma_wish_clear(&wish);
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
