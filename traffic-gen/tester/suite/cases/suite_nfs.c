// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite nfs: what the upper-layer binding (RFC 8267) demands from an NFSv4 server. Symbolic links are created and read
 * with each minor version: their text is DDP-eligible in both directions, and they need no open state. A server must
 * accept 16 segments (section 6.4.2); the lengths differ between stimuli.
 */
#include "traffic-gen/tester/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "wire/nfs.h"

/* ---- several eligible results in one COMPOUND (section 6.4.1) ---- */

/* Answers with which section 6.4.2 lets a server report its limits. */
static bool refuses(const struct rpc_talker *talker)
{
    const struct talker_heard *reply = rpc_talker_find(talker, talker->xid);
    const enum rpc_answer answer = reply ? rpc_talker_kind(reply) : RPC_ANSWER_SILENCE;

    return answer == RPC_ANSWER_ERR_CHUNK || answer == RPC_ANSWER_GARBAGE;
}

/* The number of links read before the first operation that must fail. */
static unsigned results_due(const struct rpc_talker *talker)
{
    unsigned n = 0;

    while (n < talker->last.n_wanted && talker->last.wanted[n])
        n++;
    return n;
}

/* The Reply has exactly these results. False: verdict is set. */
static bool has_results(struct rpc_talker *talker, unsigned due)
{
    const bool fails = due < talker->last.n_wanted;
    const uint32_t status = rpc_talker_status(talker);

    if (status != 0 && (!fails || status == UINT32_MAX || rpc_talker_is_circumstance(status)))
        return rpc_talker_succeeded(talker);
    if (status == 0 && fails)
        talk_inconclusive(talker->talk, "the device reads a folder as if it were a link");
    else if (talker->reply.message.n_items != due)
        talk_failed(talker->talk, "expected %u results; found %u", due, talker->reply.message.n_items);
    else if (!rpc_talker_holds_links(talker))
        talk_failed(talker->talk, "expected each result to be the text of its link; found another");
    else
        return true;
    return false;
}

static uint64_t returned_length(const struct rpcrdma_chunk *chunk, const uint8_t *p)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < chunk->n; i++)
        n += rpcrdma_segment_at(chunk, p, i).length;
    return n;
}

/* The k-th chunk holds the k-th result; without such a result, or with an empty one, the chunk is empty. */
static bool are_in_their_chunks(struct rpc_talker *talker, unsigned due)
{
    const struct talker_heard *reply = rpc_talker_find(talker, talker->xid);
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&reply->header);
    bool more = true;

    for (unsigned k = 0; k < RPC_END_ITEMS_MAX && talker->last.chunks[k] > 0; k++) {
        const uint64_t expected = k < due && talker->last.chunks[k] != SIZE_MAX ? talker->last.wanted[k]->n : 0;
        uint64_t n;

        more = more && rpcrdma_write_next(&reply->header, reply->p, &chunk);
        n = more ? returned_length(&chunk, reply->p) : 0;
        if (n != expected) {
            talk_failed(talker->talk, "expected %u octets in Write chunk %u; found %u", (unsigned)expected, k + 1,
                        (unsigned)n);
            return false;
        }
    }
    return true;
}

void nfs_placed(struct rpc_talker *talker, const struct suite_case *row)
{
    unsigned due;

    if (!calls_say(talker, row))
        return;
    due = results_due(talker);
    if (refuses(talker))
        talk_inconclusive(
            talker->talk,
            "no result was placed: the device answers with %s, as it may where such a Call is too complex for it",
            rpc_talker_result_words(talker));
    else if (has_results(talker, due) && are_in_their_chunks(talker, due))
        talk_passed(talker->talk, "%s", row->expected);
}

/* ---- the backchannel (section 6.5.2) ---- */

static bool is_short(const struct rpcrdma_header *header)
{
    return header->status == RPCRDMA_OK && header->proc == RPCRDMA_MSG && header->read.n == 0 && header->write.n == 0 &&
           !header->has_reply;
}

/* Any Call of the server, including NULL. */
void nfs_short_calls_back(struct rpc_talker *talker, const struct suite_case *row)
{
    unsigned n = 0;

    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_react(talker->talk), NULL);
    for (guint i = 0; i < talker->heard->len; i++) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        if (!heard->call)
            continue;
        n++;
        if (!is_short(&heard->header)) {
            talk_failed(talker->talk, "expected Short Calls, as the session allows no others; found one with chunks");
            return;
        }
    }
    if (n == 0)
        talk_inconclusive(talker->talk, "the server makes no Calls in the session's backchannel");
    else if (rpc_talker_alive(talker))
        talk_passed(talker->talk, "%u Short Call%s of the server", n, n == 1 ? "" : "s");
}

/* ---- what goes beside it over TCP (section 5.1) ---- */

static const struct {
    const char *name;
    uint32_t program, version;
} legacy[] = {{"MOUNT", NFS_PROGRAM_MOUNT, 3}, {"NLM", NFS_PROGRAM_NLM, 4}, {"NSM", NFS_PROGRAM_NSM, 1}};

void nfs_beside_over_tcp(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    rpc_talker_learn(talk);
    if (!(talk_job(talk)->run->nfs->spoken & 1U << NFS_V3)) {
        talk_not_applicable(talk, "the server does not serve NFS version 3");
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(legacy); i++) {
        if (!rpc_talker_over_tcp(talk, legacy[i].name, legacy[i].program, legacy[i].version))
            return;
    }
    talk_passed(talk, "MOUNT version 3, NLM version 4 and NSM version 1 answer over TCP");
}
