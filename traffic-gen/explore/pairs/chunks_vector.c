// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a vector of chunk lists against an NFS server: a WRITE to a new file, a READ of it, and NULL Calls. */
#include "traffic-gen/explore/pairs/chunks_model.h"
#include "traffic-gen/explore/pairs/exchange.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/rpc/rpc_talker.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "wire/nfs.h"
#include "wire/octets.h"

#include <string.h>

enum {
    LENGTH_MAX = 8192,
    REPLY_MAX = 400,                 /* octets of a Reply without its data */
    REPLY_WHOLE = LENGTH_MAX + 1024, /* with its data: more than any inline size */

};

/* A vector, on its connection. */
struct chunks {
    struct rpc_talker *talker;
    struct chunks_plan plan;
};

/* ---- verdicts ---- */

/* The result of a Call; `fewer`: the octets of a success. 0: the connection is over, or there is no answer. */
static unsigned vector_outcome_of(const struct rpc_talker *talker, bool fewer)
{
    if (talker->reply.n == 0 || talker->reply.result == RPC_END_LOST || talker->reply.result == RPC_END_GARBAGE)
        return 0;
    if (talker->reply.result != RPC_END_REPLIED || rpc_talker_status(talker) != 0)
        return CHUNKS_ERROR;
    return fewer ? CHUNKS_FEWER : CHUNKS_SUCCESS;
}

static const char *outcome_words(unsigned outcomes)
{
    if (outcomes == CHUNKS_SUCCESS)
        return "success";
    if (outcomes & CHUNKS_SUCCESS)
        return "success, fewer octets, or an error";
    return outcomes & CHUNKS_FEWER ? "fewer octets, or an error" : "an error";
}

static bool vector_judge(struct chunks *chunks, unsigned outcome, unsigned outcomes, enum rule_id rule,
                         const char *what)
{
    if (outcome & outcomes)
        return true;
    pairs_failed(chunks->talker->talk, rule, "expected %s of the %s; found %s", outcome_words(outcomes), what,
                 outcome & CHUNKS_FEWER ? "fewer octets" : rpc_talker_result_words(chunks->talker));
    return false;
}

/* ---- WRITE ---- */

static bool write_by_end(struct chunks *chunks)
{
    static const char *const words[] = {[CALL_IS_INLINE] = " keep",
                                        [CALL_IS_CHUNK] = " read",
                                        [CALL_IS_LONG] = " pz keep",
                                        [CALL_IS_BOTH] = " pz read"};
    const struct chunks_plan *plan = &chunks->plan;
    enum rule_id rule;
    unsigned outcomes = chunks_of_write(plan, &rule);

    return rpc_talker_say(chunks->talker, "write len=%u%s segments=%u reply=%d", plan->length, words[plan->call],
                          plan->segments, REPLY_MAX) &&
           vector_judge(chunks, vector_outcome_of(chunks->talker, false), outcomes, rule, "WRITE");
}

/* The Read chunk, with or without the roundup. */
static GString *read_words(const struct chunks_plan *plan)
{
    const uint32_t pad = -plan->length % 4, each = plan->length / plan->segments;
    GString *words = g_string_new("read=");
    uint32_t n = plan->segments;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t octets = i + 1 < n ? each : plan->length - each * i;

        if (i + 1 == n && plan->form == FORM_IS_PADDED)
            octets += pad;
        if (i + 1 == n && plan->form == FORM_IS_SHORT)
            octets -= MIN(octets - 1, CHUNKS_MISSING);
        g_string_append_printf(words, "%s%u", i > 0 ? "+" : "", octets);
    }
    if (plan->form == FORM_IS_PAD && pad > 0) {
        g_string_append_printf(words, "+%u", pad);
        n++;
    }
    for (uint32_t i = 0; i < n && plan->form == FORM_IS_FAR; i++)
        g_string_append_printf(words, " read%u.pos+%d", i, CHUNKS_FAR);
    g_string_append_printf(words, " credit=%u", plan->credits);
    return words;
}

static bool judge_by_hand(struct chunks *chunks, enum rpc_answer answer)
{
    struct talk *talk = chunks->talker->talk;
    enum rule_id rule;
    const bool wants_success = chunks_of_write(&chunks->plan, &rule) & CHUNKS_SUCCESS;
    const bool is_error = answer == RPC_ANSWER_GARBAGE || answer == RPC_ANSWER_ERR_CHUNK ||
                          answer == RPC_ANSWER_RPC_ERROR ||
                          (answer == RPC_ANSWER_SUCCESS && rpc_talker_heard_status(chunks->talker) != 0);

    if (wants_success && answer == RPC_ANSWER_SUCCESS && !is_error)
        return true;
    if (!wants_success && answer == RPC_ANSWER_SUCCESS && !is_error)
        talk_inconclusive(talk, "a Reply as if nothing were wrong: the device may have understood the Call");
    else if (!wants_success && is_error)
        talk_passed(talk, "%s", rpc_answer_words(answer));
    else
        pairs_failed(talk, rule, "expected %s of the WRITE; found %s", wants_success ? "success" : "an error",
                     answer == RPC_ANSWER_SUCCESS ? "an NFS error" : rpc_answer_words(answer));
    return false;
}

static bool write_by_hand(struct chunks *chunks)
{
    struct rpc_talker *talker = chunks->talker;
    g_autoptr(GString) words = read_words(&chunks->plan);

    return rpc_talker_say(talker, "call write len=%u %s", chunks->plan.length, words->str) &&
           judge_by_hand(chunks, rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk)));
}

/* ---- READ ---- */

static bool read_back(struct chunks *chunks)
{
    const struct chunks_plan *plan = &chunks->plan;
    const bool has_write_chunk = plan->reply == REPLY_IS_WRITE || plan->reply == REPLY_IS_BOTH;
    const int reply_max = plan->reply == REPLY_IS_INLINE ? 0 : plan->reply == REPLY_IS_WRITE ? REPLY_MAX : REPLY_WHOLE;
    enum rule_id rule;
    unsigned outcomes = chunks_of_read(plan, &rule), outcome;
    uint32_t n = 0;
    bool right = true;

    if (!rpc_talker_say(chunks->talker, "read len=%u write=%u segments=%u reply=%d", plan->length,
                        has_write_chunk ? plan->room : 0, plan->reply_segments, reply_max))
        return false;
    if (vector_outcome_of(chunks->talker, false) == CHUNKS_SUCCESS)
        right = rpc_talker_holds(chunks->talker, &n);
    outcome = vector_outcome_of(chunks->talker, n < plan->length);
    if (!vector_judge(chunks, outcome, outcomes, rule, "READ"))
        return false;
    if (!right)
        pairs_failed(chunks->talker->talk, RULE_RPCR_3_4_5_07, "expected the octets that were written; found others");
    return right;
}

/* ---- credits ---- */

static bool all_replied(const struct rpc_talker *talker)
{
    return talker->reply.n >= talker->server.wanted;
}

/* The end holds back Calls beyond the current grant (section 3.3.1). */
static bool call_at_once(struct chunks *chunks)
{
    struct rpc_talker *talker = chunks->talker;

    talker->reply.n = 0;
    talker->server.wanted = chunks->plan.calls;
    for (unsigned i = 0; i < chunks->plan.calls; i++) {
        struct rpc_end_message call = {0};
        struct xdr_out out;

        rpc_talker_begin(talker, &out, NFS_PROGRAM, rpc_talker_null_version(talker), 0);
        xdr_out_take(&out, &call);
        rpc_end_call(talker->end, &call, NULL, 1);
        g_free(call.p);
    }
    rpc_talker_pump(talker, talk_t_close(talker->talk), all_replied);
    if (all_replied(talker) && talker->reply.result == RPC_END_REPLIED)
        return true;
    pairs_failed(talker->talk, RULE_RPCR_3_3_1_08, "expected %u NULL Calls at once answered; found %u answers",
                 chunks->plan.calls, talker->reply.result == RPC_END_REPLIED ? talker->reply.n : 0);
    return false;
}

/* ---- a vector ---- */

static void vector_run(struct talk *talk, const struct pairs *pairs, const int *vector)
{
    const struct chunks_plan plan = chunks_plan_of(vector);
    const struct talker_wish wish = {.size = plan.inline_size, .credits = plan.credits, .version = plan.version};
    struct rpc_talker talker;
    struct chunks chunks = {&talker, plan};
    bool by_hand = plan.form > FORM_IS_OWN;

    (void)pairs;
    if (rpc_talker_open(&talker, talk, &wish) && rpc_talker_file(&talker) &&
        (by_hand ? write_by_hand(&chunks) : write_by_end(&chunks)) && read_back(&chunks) && call_at_once(&chunks))
        talk_passed(talk, "the WRITE, the READ and %u NULL Calls were answered as they have to be", plan.calls);
    rpc_talker_close(&talker);
}

/* The versions that the server speaks, as learned. */
static unsigned learn_versions(struct talk_run *run)
{
    static const struct suite_case row = {.rule = RULE_RPCR_3_4_5_07, .needs = NEED_NFS}; /* only a case may ask */
    struct talk *talk = talk_begin_job(run, &row, 1, NULL);

    rpc_talker_learn(talk);
    talk_end_job(talk);
    return run->nfs->spoken & (run->nfs->wanted ? run->nfs->wanted : NFS_ALL_VERSIONS);
}

static bool vector_prepare(struct pairs *pairs, char **why)
{
    unsigned versions;

    if (!(pairs->run->services & NEED_NFS)) {
        *why = g_strdup("the device was not declared an NFS server (--service=nfs)");
        return false;
    }
    versions = learn_versions(pairs->run);
    if (versions == 0) {
        *why = g_strdup("no version of NFS works on the export (--export, --nfs-version)");
        return false;
    }
    chunks_usual(pairs, versions);
    return true;
}

const struct pairs_model pairs_chunks = {
    .name = "chunks",
    .what = "a WRITE, a READ and NULL Calls",
    .parameters = chunks_parameters,
    .n = CHUNKS_PARAMETERS,
    .conditions = chunks_conditions,
    .rule = RULE_RPCR_3_4_5_07,
    .expected = "success with the octets that were written, or an error where chunks are too small (RFC 8166)",
    .duts = DUT_RESPONDER,
    .needs = NEED_NFS,
    .of_messages = true,
    .prepare = vector_prepare,
    .allowed = chunks_allowed,
    .refused = chunks_refused,
    .settle = chunks_settle,
    .run = vector_run,
};
