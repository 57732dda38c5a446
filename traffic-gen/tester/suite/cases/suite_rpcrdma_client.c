// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma, for clients: Replies, errors, Calls in the reverse direction (RFC 8167), and access to memory that the
 * device offered. Until the stimulus our side is its NFS server.
 */
#include "traffic-gen/tester/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "wire/nfs.h"

#include <string.h>

enum { REMOTE_PROTECTION = 1 /* error type of a Terminate */ };
enum { BURST_MAX = 32, FILES = 13 /* Calls before one is made */, LATE_CALLS = 4 };

/* ---- Replies ---- */

static bool is_over(const struct rpc_talker *talker)
{
    return talker->terminated || talker->fed_end;
}

/* Neither the message nor the silence after it may disturb the client. */
void rpcrdma_client_goes_on(struct rpc_talker *talker, const struct suite_case *row)
{
    if (!calls_say(talker, row))
        return;
    if (talker->server.hold)
        rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    rpc_talker_judge_continues(talker, NULL);
}

static unsigned times_heard(const struct rpc_talker *talker, uint32_t xid)
{
    unsigned times = 0;

    for (guint i = 0; i < talker->heard->len; i++) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        times += heard->call && heard->header.xid == xid;
    }
    return times;
}

/* This answer ends the Call, but not the others, and the client does not repeat the Call unchanged. */
void rpcrdma_client_answered(struct rpc_talker *talker, const struct suite_case *row)
{
    uint32_t xid;

    if (!calls_say(talker, row))
        return;
    xid = talker->xid;
    rpc_talker_drop(talker, rpc_talker_held(talker));
    talker->server.served++;
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    rpc_talker_judge_continues(talker, NULL);
    if (times_heard(talker, xid) > 1)
        talk_failed(talker->talk, "expected the answered Call not to be repeated; it came again with its XID");
}

/*
 * A Reply whose chunks are not those of the Call is ignored, and the Call is still pending; or the Call is over, in
 * error: the document words neither. In the second case its memory is closed, and the next message, a Write into this
 * memory, ends the connection. The Reply itself must not end the connection.
 */
void rpcrdma_client_wrong_chunk(struct rpc_talker *talker, const struct suite_case *row)
{
    const int64_t a_while = talk_t_react(talker->talk) / 2;

    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, a_while, NULL);
    if (is_over(talker)) {
        if (!rpc_talker_judge_unmounted(talker))
            talk_failed(talker->talk, "expected the Reply to end at most its Call; the device ended the connection%s",
                        talker->terminated && !talker->port->is_blind ? " with a Terminate" : "");
        return;
    }
    rpc_talker_say(talker, "put write0.0 most=32");
    rpc_talker_pump(talker, a_while, is_over);
    if (is_over(talker))
        talk_passed(talker->talk, "the Call is over: a Write into its chunk is refused (%s)",
                    rpc_talker_end_words(talker));
    else
        rpc_talker_judge_continues(
            talker, "a Reply with a chunk that was not offered, a Write into the Call's chunk, the Reply");
}

/* ---- the same answer again and again ---- */

enum { REFUSED_MAX = 5 };

/*
 * The results that a Call of NFS version 2 or 3 asks for, and how much room there is for its Reply. The binding lets
 * some Calls of NFSACL and of version 4 be repeated with more room.
 */
struct asked {
    const uint8_t *p; /* the arguments; NULL: not inline, or another program */
    size_t n;
    uint64_t room; /* of its Reply chunk */
};

static struct asked asked_of(const struct talker_heard *call)
{
    const size_t at = call->header.header_len;
    struct asked asked = {0};
    struct rpcrdma_chunk chunk;
    struct rpc_message header;

    if (call->header.has_reply) {
        chunk = rpcrdma_reply_chunk(&call->header);
        for (uint32_t i = 0; i < chunk.n; i++)
            asked.room += rpcrdma_segment_at(&chunk, call->p, i).length;
    }
    if (call->header.proc == RPCRDMA_MSG && rpc_decode(&header, call->p + at, call->n - at) == RPC_OK &&
        header.prog == NFS_PROGRAM && header.vers <= 3) {
        asked.p = call->p + at + header.header_len;
        asked.n = call->n - at - header.header_len;
    }
    return asked;
}

struct refused {
    uint32_t xids[REFUSED_MAX];
    unsigned n;
};

/* Waiting Calls that the row describes are answered as the row says; all others are served. */
static void refuse_some(struct rpc_talker *talker, const struct suite_case *row, struct refused *refused)
{
    const char *begin = strchr(row->says, '(') + 1;
    g_autofree char *answer = g_strndup(begin, strcspn(begin, ")"));

    while (talker->server.n_held > 0) {
        const struct talker_heard *call = rpc_talker_find_call(talker, talker->server.held[0].xid);

        talker->xid = talker->server.held[0].xid;
        if (call && refused->n < REFUSED_MAX && calls_awaited(row)(call) && rpc_talker_say(talker, "%s", answer)) {
            refused->xids[refused->n++] = talker->xid;
            rpc_talker_drop(talker, 0);
            talker->server.served++;
        } else {
            rpc_talker_answer(talker, 0);
        }
    }
}

static bool is_same_with_more_room(const struct asked *before, const struct talker_heard *call)
{
    const struct asked after = asked_of(call);

    return call->call && after.p && after.n == before->n && after.room > before->room &&
           memcmp(after.p, before->p, after.n) == 0;
}

/* A request that was refused has come again under another XID, with more room for its Reply. */
static bool has_grown(const struct rpc_talker *talker, const struct refused *refused)
{
    for (unsigned i = 0; i < refused->n; i++) {
        const struct talker_heard *first = rpc_talker_find_call(talker, refused->xids[i]);
        const struct asked before = asked_of(first);

        for (guint k = 0; before.p && k < talker->heard->len; k++) {
            if (is_same_with_more_room(&before, g_ptr_array_index(talker->heard, k)))
                return true;
        }
    }
    return false;
}

/* A client may ask again for other reasons; but a larger Reply chunk shows that it tries to please the server. */
void rpcrdma_client_refused_again(struct rpc_talker *talker, const struct suite_case *row)
{
    const int64_t until = talk_now() + 2 * talk_t_close(talker->talk);
    struct refused refused = {0};

    if (!calls_say(talker, row))
        return;
    refused.xids[refused.n++] = talker->xid;
    rpc_talker_drop(talker, rpc_talker_held(talker));
    talker->server.hold = true;
    while (refused.n < REFUSED_MAX && talk_now() < until && !is_over(talker)) {
        refuse_some(talker, row, &refused);
        rpc_talker_hear(talker, talk_t_react(talker->talk) / 4);
    }
    rpc_talker_judge_continues(talker, NULL);
    if (has_grown(talker, &refused))
        talk_failed(talker->talk, "expected no request again with a larger Reply chunk; found one");
    else if (talk_has_passed(talker->talk))
        talk_passed(talker->talk, "%u Calls were refused, and the device continues", refused.n);
}

/* ---- the device's memory ---- */

/* Refused by the layer that guards memory, DDP or RDMAP, where the wire is seen; or by a close. */
static void judge_refused_write(struct rpc_talker *talker)
{
    static const struct expected_reason reasons[] = {{RDMAP_LAYER_DDP, EXPECTED_ANY, EXPECTED_ANY},
                                                     {RDMAP_LAYER_RDMA, REMOTE_PROTECTION, EXPECTED_ANY}};
    struct talk *talk = talker->talk;
    const struct rdmap_terminate *terminate = talk_terminate(talk);

    if (terminate && !expect_has_reason(terminate, reasons, G_N_ELEMENTS(reasons)))
        talk_inconclusive(talk, "a Terminate, but of layer %u type %u: not about memory", terminate->layer,
                          terminate->etype);
    else
        talk_passed_by_end(talk, "%s", rpc_talker_end_words(talker));
}

/* After the Reply the memory belongs to the device alone. */
void rpcrdma_client_late_write(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;

    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_close(talk), is_over);
    if (is_over(talker) && rpc_talker_judge_unmounted(talker))
        return;
    if (is_over(talker))
        judge_refused_write(talker);
    else
        talk_failed(talk, "expected a Write into a chunk refused after the Reply; the device accepted it");
    rpc_talker_serve(talker, LATE_CALLS, talk_t_react(talk)); /* so that the recording shows it too */
}

/* ---- the reverse direction ---- */

/* Makes as many Calls as the client grants, while all of its own Calls are pending. */
void rpcrdma_client_callbacks(struct rpc_talker *talker, const struct suite_case *row)
{
    g_autofree char *call = NULL;
    uint32_t n;

    if (!calls_say(talker, row))
        return;
    n = CLAMP(talker->grant, 1, BURST_MAX);
    call = g_strdup_printf(CALL_BACK "%u", n);
    talker->server.hold = true;
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    if (calls_burst(talker, call, talker->xid, n, talk_t_react(talker->talk)))
        rpc_talker_judge_continues(talker, NULL);
}

/* An answer, or a failure; after it another Call, so that the recording shows that none will come. */
void rpcrdma_client_called_back(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    answer = rpc_talker_await(talker, talker->xid, talk_t_react(talker->talk));
    rpcrdma_judge(talker, (unsigned)row->variant, answer);
    if (answer == RPC_ANSWER_SILENCE) {
        rpc_talker_say(talker, CALL_BACK "1 xid=%u", talker->xids + TALKER_XID_BURST + BURST_MAX);
        rpc_talker_await(talker, talker->xid, talk_t_react(talker->talk));
    }
    if (talker->server.n_held > 0)
        rpc_talker_judge_continues(talker, NULL);
}

/* The credits that a Call from the server requests are not a grant. */
void rpcrdma_client_request_is_no_grant(struct rpc_talker *talker, const struct suite_case *row)
{
    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_react(talker->talk), NULL);
    if (talker->server.n_held > talker->server.credits)
        talk_failed(talker->talk, "expected at most the Calls granted; found %u outstanding with a grant of %u",
                    talker->server.n_held, talker->server.credits);
    else if (is_over(talker) && !rpc_talker_judge_unmounted(talker))
        talk_failed(talker->talk, "expected the device to continue; it ended the connection");
    else
        talk_passed(talker->talk, "%u Calls are outstanding, as granted, and no more come", talker->server.n_held);
}

/* ---- other parameters ---- */

static void parameters_as_server(struct rpc_talker *talker, const struct suite_case *row)
{
    if (calls_say(talker, row))
        rpc_talker_judge_continues(talker, NULL);
    else if (talker->fed_end && !rpc_talker_unmounted(talker))
        talk_failed(talker->talk, "expected the device to continue; it ended the connection");
    talker->server.left_early = false; /* the parameters are the stimulus */
}

/* Files are created by a server without this problem. */
void rpcrdma_client_parameters(struct rpc_talker *talker, const struct suite_case *row)
{
    bool good = true;

    if (!talk_is_initiator(talker->talk)) {
        parameters_as_server(talker, row);
        return;
    }
    for (unsigned i = 0; i < FILES && good; i++)
        good = rpc_talker_alive(talker);
    if (good && rpc_talker_file(talker))
        talk_passed(talker->talk, "Calls are answered, and a file is made");
}
