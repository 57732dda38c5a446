// SPDX-License-Identifier: GPL-2.0-or-later
/* What rows of suites rpcrdma and nfs share: connections, and NFS Calls in statements. */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/speak/say/words.h"
#include "wire/nfs.h"
#include "wire/octets.h"

#include <string.h>

enum {
    V4 = NFS_ALL_VERSIONS & ~(1 << NFS_V3),
    V41 = 1 << NFS_V41 | 1 << NFS_V42,
    NFS4_BADXDR = 10036,
    WARM_UP = 12 /* Calls */
};

/* Descriptions of statements, by their first words. */
static const struct kind {
    const char *verb;
    const char *prepares; /* that was not possible */
    const char *passed;
    const char *differs; /* what was read */
} kinds[] = {
    {"write", "write the file", "success, and the file holds the octets in order", NULL},
    {"create", "create the link", "success, and the link holds its text", NULL},
    {"setacl", "set the ACL", NULL, NULL},
    {"readlink", "read the link", "success, and the link's text", "expected the link to hold its text; found another"},
    {"read", "read the file", "2999 octets in a chunk of as many",
     "expected the file to hold the octets written; found others"},
};

static const struct kind *calls_kind_of(const char *statement)
{
    unsigned i = 0;

    while (i < G_N_ELEMENTS(kinds) - 1 && !g_str_has_prefix(statement, kinds[i].verb))
        i++;
    return &kinds[i];
}

/* ---- connections ---- */

bool rpcrdma_wish(struct talk *talk, const struct suite_case *row, struct talker_wish *out)
{
    const char *says = row->says && g_str_has_prefix(row->says, "with ") ? row->says : "with";
    g_autofree char *with = g_strndup(says, strcspn(says, ";")), *error = NULL;
    struct statement *statement = statement_of_words(with);
    struct words words = words_of(statement, "case", &error);
    const char *data = words_value(&words, "data");
    g_autoptr(GByteArray) octets = words_octets(&words, data ? data : "");

    words_have(&words, "with");
    *out = (struct talker_wish){.says_private = data != NULL,
                                .private_length = (uint16_t)MIN(octets->len, TALKER_PRIVATE_MAX),
                                .size = (uint32_t)words_number(&words, "inline", 0),
                                .credits = (uint32_t)words_number(&words, "credits", 0),
                                .no_grant = words_have(&words, "no-grant"),
                                .invalidation = words_have(&words, "invalidation"),
                                .may_close = words_have(&words, "may-close"),
                                .again = words_have(&words, "again"),
                                .backchannel = words_have(&words, "backchannel"),
                                .versions = words_have(&words, "v3")    ? 1 << NFS_V3
                                            : words_have(&words, "v4")  ? V4
                                            : words_have(&words, "v41") ? V41
                                                                        : NFS_ALL_VERSIONS};
    if (out->private_length > 0)
        memcpy(out->private_data, octets->data, out->private_length);
    if (!words_end(&words))
        talk_inconclusive(talk, "what is wished cannot be: %s", error);
    statement_unref(statement);
    return !error;
}

/* A connection with the usual wishes, and nothing else. */
static bool connect_once(struct talk *talk)
{
    struct rpc_talker talker;
    bool good = rpc_talker_open(&talker, talk, NULL);

    rpc_talker_close(&talker);
    return good;
}

/* The connection did not come up: with the usual private data it must, or the cause is another. */
static void calls_judge_refusal(struct talk *talk, const char *what)
{
    struct rpc_talker talker;

    if (rpc_talker_open(&talker, talk, &(struct talker_wish){.alone = true})) {
        if (talker.waited)
            talk_inconclusive(talk, "the device refuses any connection for a while: %s", what);
        else
            talk_failed(talk, "expected a connection as with the usual private data; it does not come up: %s", what);
    }
    rpc_talker_close(&talker);
}

static void with_server(struct talk *talk, const struct suite_case *row, const struct talker_wish *wish)
{
    g_autofree char *what = NULL;
    struct rpc_talker talker;
    bool opened = rpc_talker_open(&talker, talk, wish);

    if (opened)
        row->on(&talker, row);
    what = g_strdup(talk_actual(talk));
    rpc_talker_close(&talker);
    if (!opened && wish->says_private && !(row->needs & NEED_NFS) && !rpc_talker_failed_here(&talker))
        calls_judge_refusal(talk, what);
}

void rpcrdma_once(struct talk *talk, const struct suite_case *row)
{
    const bool is_server = talk_is_initiator(talk);
    struct talker_wish wish;

    if (!rpcrdma_wish(talk, row, &wish) ||
        (is_server && row->needs & NEED_NFS && !rpc_talker_first_version(talk, &wish.version)) ||
        (wish.again && !connect_once(talk)))
        return;
    if (is_server)
        with_server(talk, row, &wish);
    else
        rpc_talker_with_client(talk, row, &wish);
}

void rpcrdma_each_version(struct talk *talk, const struct suite_case *row)
{
    struct talker_wish wish;

    if (rpcrdma_wish(talk, row, &wish))
        rpc_talker_each_version(talk, row, &wish);
}

/* ---- until the stimulus, with a client ---- */

/* Serves its Calls until it has made one of each kind. */
static bool warm_up(struct rpc_talker *talker)
{
    rpc_talker_serve(talker, WARM_UP, talk_t_close(talker->talk));
    if (talker->server.served > 0 && !talker->fed_end)
        return true;
    if (!rpc_talker_left_early(talker))
        talk_inconclusive(talker->talk, "the device makes no Calls: keep it busy");
    return false;
}

/* Its Calls wait from here on. */
static bool hold(struct rpc_talker *talker)
{
    talker->server.hold = true;
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    if (talker->server.n_held == 0)
        talk_inconclusive(talker->talk, "the device has no Calls outstanding");
    return talker->server.n_held > 0;
}

static bool has_any(const struct talker_heard *call)
{
    return call != NULL;
}

static bool has_read_chunk(const struct talker_heard *call)
{
    return call->header.read.n > 0;
}

static bool has_write_chunk(const struct talker_heard *call)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&call->header);

    return rpcrdma_write_next(&call->header, call->p, &chunk) && chunk.n > 0;
}

static bool has_write_chunk_v4(const struct talker_heard *call)
{
    const size_t at = call->header.header_len;
    struct rpc_message header;

    return has_write_chunk(call) && rpc_decode(&header, call->p + at, call->n - at) == RPC_OK &&
           header.prog == NFS_PROGRAM && header.vers == 4;
}

static bool has_reply_chunk(const struct talker_heard *call)
{
    return call->header.has_reply && call->header.reply.segments > 0;
}

/* The stimulus is about that Call. */
static bool choose(struct rpc_talker *talker, calls_fits *fits)
{
    for (unsigned i = 0; i < talker->server.n_held; i++) {
        const struct talker_heard *call = rpc_talker_find_call(talker, talker->server.held[i].xid);

        if (call && fits(call)) {
            talker->xid = talker->server.held[i].xid;
            return true;
        }
    }
    return false;
}

/* As many Calls wait as are granted. If the device makes one Call at a time, each has waited a little. */
static bool hold_all(struct rpc_talker *talker)
{
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 200, NULL);
    return talker->server.n_held >= talker->server.credits;
}

/* Serves until such a Call waits, or all do. A device may do other things in between, perhaps for a long time. */
static bool await_call(struct rpc_talker *talker, calls_fits *fits)
{
    int64_t until = talk_now() + 3 * talk_t_close(talker->talk);

    while (talk_now() < until && !talker->fed_end) {
        if (!rpc_talker_wait_calls(talker, 1))
            return false;
        rpc_talker_pump(talker, 0, NULL);
        if (fits ? choose(talker, fits) : hold_all(talker))
            return true;
        while (talker->server.n_held > 0)
            rpc_talker_answer(talker, 0);
    }
    if (rpc_talker_left_early(talker))
        return false;
    if (fits)
        talk_not_applicable(talker->talk, "the device makes no Call with such a chunk");
    else
        talk_inconclusive(talker->talk, "the device never has %u Calls outstanding: keep it busy",
                          talker->server.credits);
    return false;
}

static bool answer(struct rpc_talker *talker)
{
    rpc_talker_answer(talker, rpc_talker_held(talker));
    return true;
}

static bool pause_a_while(struct rpc_talker *talker)
{
    rpc_talker_pump(talker, talk_t_react(talker->talk), NULL);
    return true;
}

/* From here on the stack replies to Calls with chunks by Sends with Invalidate. */
static bool invalidates(struct rpc_talker *talker)
{
    if (talker->peer.tells && talker->peer.data.remote_invalidation)
        return true;
    talk_not_applicable(talker->talk, "the device does not set R");
    return false;
}

/*
 * Once warm, it answers the server's first Call. As patient as at the start: silence makes the case not applicable, so
 * a device that is merely slow must not be taken for one that serves no Calls.
 */
static bool takes_calls(struct rpc_talker *talker, uint32_t xid)
{
    enum rpc_answer found;

    if (!warm_up(talker) || !rpc_talker_say(talker, CALL_BACK "1 xid=%u", talker->xids + xid))
        return false;
    found = rpc_talker_await(talker, talker->xid, MAX(talk_t_react(talker->talk), talk_t_start(talker->talk)));
    talker->xid++;
    if (found & (RPC_ANSWER_SUCCESS | RPC_ANSWER_RPC_ERROR | RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK))
        return true;
    if (found == RPC_ANSWER_GONE)
        talk_failed(talker->talk, "the server's first Call ends the connection");
    else
        talk_not_applicable(talker->talk, "the device answers no Calls from the server on this connection");
    return false;
}

static bool takes_first_call(struct rpc_talker *talker)
{
    return takes_calls(talker, TALKER_XID_FIRST);
}

static bool takes_several_calls(struct rpc_talker *talker)
{
    return takes_calls(talker, TALKER_XID_BURST);
}

static const struct step {
    const char *name;
    bool (*take)(struct rpc_talker *talker);
    calls_fits *await;
} steps[] = {
    {"file", rpc_talker_file, NULL},
    {"warm", warm_up, NULL},
    {"hold", hold, NULL},
    {"all", NULL, NULL},
    {"await", NULL, has_any},
    {"await read", NULL, has_read_chunk},
    {"await write", NULL, has_write_chunk},
    {"await write v4", NULL, has_write_chunk_v4},
    {"await reply", NULL, has_reply_chunk},
    {"answer", answer, NULL},
    {"pause", pause_a_while, NULL},
    {"called", takes_several_calls, NULL},
    {"called once", takes_first_call, NULL},
    {"invalidates", invalidates, NULL},
};

/* The step with the most specific name. */
calls_fits *calls_awaited(const struct suite_case *row)
{
    calls_fits *fits = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        if (steps[i].await && strstr(row->says, steps[i].name))
            fits = steps[i].await;
    }
    return fits;
}

/* ---- statements ---- */

/* Whether the server lacks the program, or the file system lacks ACLs. */
static bool is_unserved(const struct rpc_talker *talker)
{
    enum { NOT_SUPPORTED = 10004 };
    struct rpc_message header;

    if (rpc_talker_status(talker) == NOT_SUPPORTED)
        return true;
    return talker->reply.n > 0 && talker->reply.result == RPC_END_REPLIED &&
           rpc_decode(&header, talker->reply.message.p, talker->reply.message.n) == RPC_OK &&
           header.reply_stat == RPC_MSG_ACCEPTED &&
           (header.accept_stat == RPC_PROG_UNAVAIL || header.accept_stat == RPC_PROG_MISMATCH);
}

static bool calls_prepare(struct rpc_talker *talker, const char *statement)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        if (strcmp(statement, steps[i].name) == 0)
            return steps[i].take ? steps[i].take(talker) : await_call(talker, steps[i].await);
    }
    if (!rpc_talker_say(talker, "%s", statement))
        return false;
    if (rpc_talker_status(talker) == 0)
        return true;
    if (is_unserved(talker))
        talk_not_applicable(talker->talk, "the device cannot %s: %s", calls_kind_of(statement)->prepares,
                            rpc_talker_result_words(talker));
    else
        talk_inconclusive(talker->talk, "cannot %s: %s", calls_kind_of(statement)->prepares,
                          rpc_talker_result_words(talker));
    return false;
}

bool calls_say(struct rpc_talker *talker, const struct suite_case *row)
{
    g_auto(GStrv) parts = g_strsplit_set(row->says, ";)", -1);

    for (unsigned i = 0; parts[i]; i++) {
        const char *statement = g_strstrip(parts[i]);

        if (*statement == '(')
            return rpc_talker_say(talker, "%s", statement + 1);
        if (!g_str_has_prefix(statement, "with ") && !calls_prepare(talker, statement))
            return false;
    }
    return true;
}

/* The Call has succeeded; a READ has returned the written octets, or fewer of them. */
static bool is_done(struct rpc_talker *talker, const char *statement, bool or_fewer)
{
    const char *differs = calls_kind_of(statement)->differs;
    uint32_t n = 1;

    if (!rpc_talker_succeeded(talker))
        return false;
    if (differs && !rpc_talker_holds(talker, or_fewer ? &n : NULL))
        talk_failed(talker->talk, "%s", differs);
    else if (n == 0)
        talk_inconclusive(talker->talk, "a READ of no octets");
    else
        return true;
    return false;
}

bool calls_check(struct rpc_talker *talker, const struct suite_case *row)
{
    g_auto(GStrv) parts = g_strsplit(strchr(row->says, ')') + 1, ";", -1);

    for (unsigned i = 0; parts[i]; i++) {
        const char *statement = g_strstrip(parts[i]);

        if (*statement && !(rpc_talker_say(talker, "%s", statement) && is_done(talker, statement, false)))
            return false;
    }
    return true;
}

bool calls_burst(struct rpc_talker *talker, const char *call, uint32_t xid, uint32_t n, int64_t ns)
{
    for (uint32_t i = 0; i < n; i++)
        rpc_talker_say(talker, "%s xid=%u", call, xid + i);
    for (uint32_t i = 0; i < n; i++) {
        enum rpc_answer found = rpc_talker_await(talker, xid + i, ns);

        if (found == RPC_ANSWER_SILENCE || found == RPC_ANSWER_GONE) {
            talk_failed(talker->talk,
                        "expected an answer to each of %u simultaneous Calls, as granted; number %u has %s", n, i + 1,
                        rpc_talker_found_words(talker, found));
            return false;
        }
        if (found == RPC_ANSWER_NONSENSE) {
            talk_inconclusive(talker->talk, "one of %u simultaneous Calls has %s", n, rpc_answer_words(found));
            return false;
        }
    }
    return true;
}

/* ---- verdicts ---- */

/* Passes after a success if the octets read are those written. */
void calls_succeed(struct rpc_talker *talker, const struct suite_case *row)
{
    const char *stimulus = strchr(row->says, '(') + 1;

    if (calls_say(talker, row) && is_done(talker, stimulus, row->variant == OR_FEWER) && calls_check(talker, row))
        talk_passed(talker->talk, "%s", calls_kind_of(stimulus)->passed);
}

/* Passes with any answer. */
void calls_answered(struct rpc_talker *talker, const struct suite_case *row)
{
    if (!calls_say(talker, row))
        return;
    if (talker->reply.n > 0 && talker->reply.result != RPC_END_LOST)
        talk_passed(talker->talk, "%s", rpc_talker_result_words(talker));
    else
        talk_failed(talker->talk, "expected %s; found %s", row->expected, rpc_talker_result_words(talker));
}

/* The answer. If the row distinguishes NFS errors, a Reply with an NFS error is not a success. */
static enum rpc_answer answer_to(struct rpc_talker *talker, unsigned allowed)
{
    enum rpc_answer answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    uint32_t status = rpc_talker_heard_status(talker);

    if (answer != RPC_ANSWER_SUCCESS || status == 0 || status == UINT32_MAX || !(allowed & RPC_ANSWER_BADXDR))
        return answer;
    return status == NFS4_BADXDR ? RPC_ANSWER_BADXDR : RPC_ANSWER_NFS_ERROR;
}

/* A server may go by rdma_xid alone; but its own Reply has one XID, in both places (RFC 8166 section 4.2.1). */
static bool has_two_xids(const struct talker_heard *reply)
{
    const size_t at = reply->header.header_len;

    return reply->header.status == RPCRDMA_OK && reply->header.proc == RPCRDMA_MSG && reply->n >= at + 4 &&
           get_be32(reply->p + at) != reply->header.xid;
}

static bool has_written(const struct talker_heard *reply)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&reply->header);
    bool written = false;

    while (rpcrdma_write_next(&reply->header, reply->p, &chunk)) {
        for (uint32_t i = 0; i < chunk.n; i++)
            written |= rpcrdma_segment_at(&chunk, reply->p, i).length > 0;
    }
    return written;
}

static const struct suite_verdict *judge_by_lines(struct rpc_talker *talker, const struct suite_case *row,
                                                  enum rpc_answer answer)
{
    const struct talker_heard *reply = rpc_talker_find(talker, talker->xid);
    const unsigned facts = answer | (rpc_talker_heard_status(talker) == 0 ? ANSWER_IS_OK : 0) |
                           (talker->fed_end ? ANSWER_ENDED : 0) | (talker->grant == 0 ? ANSWER_NO_GRANT : 0) |
                           (reply && has_two_xids(reply) ? ANSWER_TWO_XIDS : 0) |
                           (reply && has_written(reply) ? ANSWER_WRITTEN : 0);
    struct reaction reaction = {.facts = facts, .found = rpc_answer_words(answer)};

    return verdict_by_lines(talker->talk, row, &reaction);
}

static bool has_ended(const struct rpc_talker *talker)
{
    return talker->fed_end;
}

/* Judges the answer after the connection has ended, or T_close has passed. */
void calls_until_end(struct rpc_talker *talker, const struct suite_case *row)
{
    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_close(talker->talk), has_ended);
    judge_by_lines(talker, row, rpc_talker_await(talker, talker->xid, 0));
}

/* Judges by the lines of the row; without lines, the answer must be in the set row->variant. After a success come the
 * checks. */
void calls_judged(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    answer = answer_to(talker, (unsigned)row->variant);
    if (!judge_by_lines(talker, row, answer))
        rpcrdma_judge(talker, (unsigned)row->variant, answer);
    if (answer == RPC_ANSWER_SUCCESS)
        calls_check(talker, row);
}
