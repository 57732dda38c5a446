// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: chunks in every form that a responder must accept (RFC 8166 sections 3.4, 3.5), and forms that it must
 * not. What it put together is read back from NFS version 3 files created for that.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/ends/memory.h"
#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    DATA = 2999,
    OTHER_DATA = DATA - 1, /* the lengths differ between stimuli */
    LARGE = 2 * DATA,      /* more than our inline thresholds */
    INLINE_DATA = 501,     /* fits into any Send */
    GETATTR = 1,           /* of version 3 */
    LOOKUP = 3,
};

static const uint8_t *data(void)
{
    static uint8_t octets[LARGE];
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < sizeof octets; i++)
            octets[i] = (uint8_t)(i * 31 + i / 251);
        g_once_init_leave(&made, 1);
    }
    return octets;
}

/* ---- Calls of NFS ---- */

/* Creates the file as a client would that keeps to the sizes. False: verdict is set (inconclusive). */
static bool has_file(struct rpc_talker *talker, uint32_t n)
{
    struct xdr_out out;

    if (!rpc_talker_file(talker))
        return false;
    rpc_talker_begin_write(talker, &out, n);
    xdr_out_eligible(&out, data(), n);
    rpc_talker_call(talker, &out, &(struct rpc_end_how){.reduce = true, .reply_max = 400});
    if (rpc_talker_status(talker) == 0)
        return true;
    talk_inconclusive(talker->talk, "cannot write the file: %s", rpc_talker_result_words(talker));
    return false;
}

/* The file's first n octets are those of data(). */
static bool holds_data(struct rpc_talker *talker, uint32_t n, uint32_t chunk)
{
    const struct rpc_end_how how = {.results = {chunk}, .reply_max = 400};
    struct xdr_out out;

    rpc_talker_begin_read(talker, &out, n);
    if (!rpc_talker_succeeds(talker, &out, &how))
        return false;
    if (talker->reply.n_items == 1 && talker->reply.items[0].n == n &&
        memcmp(talker->reply.p + talker->reply.items[0].at, data(), n) == 0)
        return true;
    talk_failed(talker->talk, "expected the file to hold the octets written; found others");
    return false;
}

/* ---- what must be accepted ---- */

enum { SEGMENTS, ORDER, LONG_AND_CHUNK, INLINE };

static void write_chunked_one(struct rpc_talker *talker, const struct suite_case *row)
{
    static const struct rpc_end_how hows[] = {
        [SEGMENTS] = {.reduce = true, .segments = 3, .reply_max = 400},
        [ORDER] = {.reduce = true, .segments = 4, .reply_max = 400},
        [LONG_AND_CHUNK] = {.reduce = true, .long_call = true, .reply_max = 400},
        [INLINE] = {0},
    };
    const uint32_t n = row->variant == INLINE ? INLINE_DATA : DATA;
    struct xdr_out out;

    if (!rpc_talker_file(talker))
        return;
    rpc_talker_begin_write(talker, &out, n);
    xdr_out_eligible(&out, data(), n);
    if (rpc_talker_succeeds(talker, &out, &hows[row->variant]) && holds_data(talker, n, (uint32_t)xdr_padded(n)))
        talk_passed(talker->talk, "success, and the file holds the octets in order");
}

static void write_chunked(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, NULL, write_chunked_one);
}

/* A Call from the template; the stimulus' NULL Call is in our memory from octet 0 on. */
static void null_long(struct talk *talk, const struct suite_case *row)
{
    static const char *const texts[] = {
        "XID 00000001 00000008 00000001 00000001 00000000 R:40 00000000 00000000 00000000",
        "XID 00000001 00000008 00000001 00000001 00000000 R:12 00000001 00000000 R:8@12 00000001 00000000 R:20@20 "
        "00000000 00000000 00000000",
    };
    struct rpc_talker talker;

    if (rpc_talker_open(&talker, talk, NULL)) {
        GByteArray *call = rpc_talker_octets(&talker, "NULL"),
                   *octets = rpc_talker_octets(&talker, texts[row->variant]);

        memcpy(talker.region, call->data, call->len);
        rpc_talker_send(&talker, octets->data, octets->len);
        rpcrdma_judge(&talker, RPC_ANSWER_SUCCESS, rpc_talker_await(&talker, talker.xid, talk_t_close(talk)));
        g_byte_array_unref(call);
        g_byte_array_unref(octets);
    }
    rpc_talker_close(&talker);
}

/* GETATTR has no eligible result: the Write chunk comes back unused. */
static void unused_chunk(struct talk *talk, const struct suite_case *row)
{
    struct rpc_talker talker;

    (void)row;
    if (rpc_talker_open(&talker, talk, NULL)) {
        GByteArray *octets = rpc_talker_octets(
            &talker, "XID 00000001 00000008 00000000 00000000 00000001 00000001 W:100 00000000 00000000 NULL");
        enum rpc_answer answer;

        rpc_talker_send(&talker, octets->data, octets->len);
        answer = rpc_talker_await(&talker, talker.xid, talk_t_react(talk));
        rpcrdma_judge(&talker, RPC_ANSWER_SUCCESS, answer);
        if (answer == RPC_ANSWER_SUCCESS) {
            const struct talker_heard *heard = rpc_talker_find(&talker, talker.xid);
            struct rpcrdma_chunk chunk = rpcrdma_write_begin(&heard->header);

            while (rpcrdma_write_next(&heard->header, heard->p, &chunk)) {
                for (uint32_t i = 0; i < chunk.n; i++) {
                    if (rpcrdma_segment_at(&chunk, heard->p, i).length > 0)
                        talk_failed(talk, "expected an unused Write chunk in the Reply; found %u octets",
                                    rpcrdma_segment_at(&chunk, heard->p, i).length);
                }
            }
        }
        g_byte_array_unref(octets);
    }
    rpc_talker_close(&talker);
}

static void odd_write_chunk_one(struct rpc_talker *talker, const struct suite_case *row)
{
    (void)row;
    if (has_file(talker, DATA) && holds_data(talker, DATA, DATA))
        talk_passed(talker->talk, "%u octets in a chunk of as many", DATA);
}

static void odd_write_chunk(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, NULL, odd_write_chunk_one);
}

/* ---- WRITE with Read chunks of our own ---- */

enum { PAD_SEGMENT, PAD_EXTENDED, TOO_SHORT, BEYOND };
enum { BEYOND_BY = 1000 };

/* The NFS status in the answer to the stimulus; UINT32_MAX: none. */
static uint32_t status_heard(const struct rpc_talker *talker)
{
    const struct talker_heard *heard = rpc_talker_find(talker, talker->xid);
    struct rpc_message reply;
    struct xdr x;
    uint32_t status;

    if (!heard || heard->header.proc != RPCRDMA_MSG ||
        rpc_decode(&reply, heard->p + heard->header.header_len, heard->n - heard->header.header_len) != RPC_OK)
        return UINT32_MAX;
    x = xdr_begin(heard->p + heard->header.header_len, heard->n - heard->header.header_len);
    x.at = reply.header_len;
    return xdr_u32(&x, &status) ? status : UINT32_MAX;
}

static void write_by_hand_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_read_segment reads[2];
    struct rpcrdma_plan plan = {.vers = RPCRDMA_VERSION, .credit = 8, .reads = reads, .n_reads = 1};
    enum rpc_answer answer;
    struct xdr_out out;
    uint32_t position;

    if (!rpc_talker_file(talker))
        return;
    rpc_talker_begin_write(talker, &out, DATA);
    xdr_out_u32(&out, DATA);
    position = (uint32_t)xdr_out_at(&out);
    memcpy(talker->region, data(), DATA);
    reads[0] = (struct rpcrdma_read_segment){position, rpc_talker_segment(talker, false, 0, DATA)};
    reads[1] = (struct rpcrdma_read_segment){position, rpc_talker_segment(talker, false, DATA, 4 - DATA % 4)};
    if (row->variant == PAD_SEGMENT)
        plan.n_reads = 2;
    else if (row->variant == PAD_EXTENDED)
        reads[0].target.length = DATA + 4 - DATA % 4;
    else if (row->variant == BEYOND)
        reads[0].position += BEYOND_BY;
    else
        reads[0].target.length = DATA - 1000;
    plan.xid = get_be32(out.octets->data);
    rpc_talker_send_plan(talker, &plan, out.octets->data, out.octets->len);
    xdr_out_free(&out);
    answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    if (row->variant < TOO_SHORT) {
        rpcrdma_judge(talker, RPC_ANSWER_SUCCESS, answer);
        if (answer == RPC_ANSWER_SUCCESS)
            holds_data(talker, DATA, (uint32_t)xdr_padded(DATA));
    } else if (answer != RPC_ANSWER_SUCCESS) {
        rpcrdma_judge(talker, RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK | RPC_ANSWER_RPC_ERROR, answer);
    } else if (status_heard(talker) == 0) {
        talk_inconclusive(talker->talk, "a Reply as if nothing were wrong: the device may have understood the Call");
    } else {
        talk_passed(talker->talk, "NFS status %u", status_heard(talker));
    }
}

static void write_by_hand(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, NULL, write_by_hand_one);
}

/* ---- memory that is gone ---- */

static bool has_ended(const struct rpc_talker *talker)
{
    return talker->fed_end;
}

static void judge_lost_memory(struct rpc_talker *talker)
{
    struct talk *talk = talker->talk;
    enum rpc_answer answer = rpc_talker_await(talker, talker->xid, 0);

    if (answer == RPC_ANSWER_SUCCESS && status_heard(talker) == 0)
        talk_failed(talk, "expected no success: a part of the data cannot be read; found a Reply that says success");
    else if (talker->fed_end)
        talk_passed_by_end(talk, "the connection ends");
    else if (answer != RPC_ANSWER_SILENCE && answer != RPC_ANSWER_GONE)
        talk_passed(talk, "%s", rpc_answer_words(answer));
    else
        talk_failed(talk, "expected the connection to end, or an error; found neither: the requester waits for ever");
}

/* A WRITE whose data are in two segments. By the time of the second Read the memory of that segment is not there. */
static void lost_memory_one(struct rpc_talker *talker, const struct suite_case *row)
{
    enum { PART = 1400 };
    static uint8_t lost[PART];
    struct rpcrdma_read_segment reads[2];
    const struct rpcrdma_plan begun = {.vers = RPCRDMA_VERSION, .credit = 8, .reads = reads, .n_reads = 2};
    struct memory *memory = rpc_end_memory(talker->end);
    struct rpcrdma_plan plan = begun;
    struct xdr_out out;
    uint32_t position, stag;

    (void)row;
    if (!rpc_talker_file(talker))
        return;
    rpc_talker_begin_write(talker, &out, 2 * PART);
    xdr_out_u32(&out, 2 * PART);
    position = (uint32_t)xdr_out_at(&out);
    memcpy(talker->region, data(), PART);
    stag = memory_register(memory, lost, PART, 0, MEMORY_REMOTE_READ, false);
    reads[0] = (struct rpcrdma_read_segment){position, rpc_talker_segment(talker, false, 0, PART)};
    reads[1] =
        (struct rpcrdma_read_segment){position, {.handle = stag, .length = PART, .offset = memory_base(memory, stag)}};
    memory_invalidate(memory, stag);
    plan.xid = get_be32(out.octets->data);
    rpc_talker_send_plan(talker, &plan, out.octets->data, out.octets->len);
    xdr_out_free(&out);
    rpc_talker_pump(talker, talk_t_close(talker->talk), has_ended);
    judge_lost_memory(talker);
}

static void lost_memory(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, NULL, lost_memory_one);
}

/* ---- what must not be reduced ---- */

enum { HANDLE_REDUCED, NAME_REDUCED };
enum { NFS4_BADXDR = 10036, ATTRIBUTES = 1 << 4 /* size */ };

/* The Call up to the item's length word; its octets are left to a Read chunk, then comes *tail. */
static void begin_not_eligible(struct rpc_talker *talker, struct xdr_out *out, int variant, struct xdr_out *tail)
{
    bool is_v3 = talker->version == NFS_V3;

    xdr_out_begin(tail);
    if (variant == HANDLE_REDUCED) {
        rpc_talker_begin_nfs(talker, out, GETATTR, NULL, 0, 2);
        if (!is_v3) {
            xdr_out_u32(out, NFS_OP_PUTFH);
            xdr_out_words(tail, NFS_OP_GETATTR, 1, ATTRIBUTES);
        }
        xdr_out_u32(out, talker->root_n);
    } else {
        rpc_talker_begin_nfs(talker, out, LOOKUP, talker->root, talker->root_n, 1);
        if (!is_v3)
            xdr_out_u32(out, NFS_OP_LOOKUP);
        xdr_out_u32(out, (uint32_t)strlen(talker->name));
    }
}

static void not_eligible_one(struct rpc_talker *talker, const struct suite_case *row)
{
    bool is_handle = row->variant == HANDLE_REDUCED;
    struct rpcrdma_read_segment read;
    const struct rpcrdma_plan plan_of = {.vers = RPCRDMA_VERSION, .credit = 8, .reads = &read, .n_reads = 1};
    struct rpcrdma_plan plan = plan_of;
    struct xdr_out out, tail;
    enum rpc_answer answer;
    uint32_t n;

    if (!rpc_talker_file(talker))
        return;
    n = is_handle ? talker->root_n : (uint32_t)strlen(talker->name);
    begin_not_eligible(talker, &out, row->variant, &tail);
    memcpy(talker->region, is_handle ? (const void *)talker->root : talker->name, n);
    read = (struct rpcrdma_read_segment){(uint32_t)xdr_out_at(&out), rpc_talker_segment(talker, false, 0, n)};
    if (tail.octets->len > 0)
        xdr_out_fixed(&out, tail.octets->data, tail.octets->len);
    plan.xid = get_be32(out.octets->data);
    rpc_talker_send_plan(talker, &plan, out.octets->data, out.octets->len);
    xdr_out_free(&out);
    xdr_out_free(&tail);
    answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    if (answer == RPC_ANSWER_SUCCESS && status_heard(talker) == NFS4_BADXDR)
        talk_passed(talker->talk, "NFS4ERR_BADXDR");
    else
        rpcrdma_judge(talker, RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK | RPC_ANSWER_RPC_ERROR, answer);
}

static void not_eligible(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, NULL, not_eligible_one);
}

/* ---- what must not be exceeded ---- */

enum { SMALL_REPLY_CHUNK = 64, SMALL_WRITE_CHUNK = 1000, SMALLER_REPLY_CHUNK = 128 };

/* A READ of more than fits inline by either side's sizes. */
static void too_small_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct rpcrdma_segment segment = rpc_talker_segment(talker, true, 0, (uint32_t)row->variant);
    const struct rpcrdma_write_plan chunk = {&segment, 1};
    struct rpcrdma_plan plan = {.vers = RPCRDMA_VERSION, .credit = 8, .writes = &chunk};
    bool is_reply = row->variant != SMALL_WRITE_CHUNK, beyond = false;
    enum rpc_answer answer;
    struct xdr_out out;

    if (!has_file(talker, LARGE))
        return;
    rpc_talker_begin_read(talker, &out, LARGE);
    plan.reply = is_reply ? &chunk : NULL;
    plan.n_writes = !is_reply;
    plan.xid = get_be32(out.octets->data);
    rpc_talker_send_plan(talker, &plan, out.octets->data, out.octets->len);
    xdr_out_free(&out);
    answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    for (int i = row->variant; i < TALKER_REGION; i++)
        beyond |= talker->region[i] != 0;
    if (beyond || (talker->terminated && talker->error == QP_LOCAL_ACCESS))
        talk_failed(talker->talk, "expected nothing past the end of a chunk of %d octets; the device wrote there",
                    row->variant);
    else if (talker->terminated && talker->error == QP_LOCAL_LENGTH)
        talk_failed(talker->talk, "expected %s; found a Send that is too long for our Receive buffer",
                    talker->talk->row->expected);
    else
        rpcrdma_judge(talker, RPC_ANSWER_ERR_CHUNK | RPC_ANSWER_RPC_ERROR | RPC_ANSWER_GARBAGE | RPC_ANSWER_SUCCESS,
                      answer);
}

static void too_small(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, NULL, too_small_one);
}

/* A Reply that exceeds the inline threshold of this connection, without a chunk to put it into. */
static void no_chunk_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct xdr_out out;

    if (!has_file(talker, (uint32_t)row->variant))
        return;
    rpc_talker_begin_read(talker, &out, (uint32_t)row->variant);
    rpc_talker_call(talker, &out, NULL);
    if (talker->replied > 0 && talker->result != RPC_END_LOST)
        talk_passed(talker->talk, "%s",
                    talker->result == RPC_END_REPLIED ? rpc_talker_result_words(talker) : "RDMA_ERROR with ERR_CHUNK");
    else
        talk_failed(talker->talk, "expected %s; found %s", talker->talk->row->expected,
                    rpc_talker_result_words(talker));
}

static void no_chunk(struct talk *talk, const struct suite_case *row)
{
    const struct talker_wish wish = {.size = row->variant == LARGE ? 0 : 1024};

    rpc_talker_each_version(talk, row, NFS_ALL_VERSIONS, &wish, no_chunk_one);
}

#define TAKEN "success"

static const struct suite_case tests[] = {
    {RULE_RPCR_2_2_4_2_01, "write", DUT_RESPONDER, NEED_NFS, write_chunked,
     "a WRITE of 501 octets without chunks, all inline", "success, and the file holds the octets", .variant = INLINE},
    {RULE_RPCR_4_5_4_03, "memory", DUT_RESPONDER, NEED_NFS, lost_memory,
     "a WRITE with a Read chunk of two segments, of which the second one's memory is gone when it is read",
     "the connection ends, or an error", .variant = 0},
    {RULE_RPCR_3_4_5_07, NULL, DUT_RESPONDER, NEED_NFS, write_chunked, "a WRITE with a Read chunk of four segments",
     "success, and the octets in list order", .variant = ORDER},
    {RULE_RPCR_3_4_5_2_04, "segment", DUT_RESPONDER, NEED_NFS, write_by_hand,
     "a WRITE of 2999 octets with the roundup in a separate segment", TAKEN, .variant = PAD_SEGMENT},
    {RULE_RPCR_3_4_5_2_04, "extended", DUT_RESPONDER, NEED_NFS, write_by_hand,
     "a WRITE of 2999 octets with the roundup in the last segment", TAKEN, .variant = PAD_EXTENDED},
    {RULE_RPCR_3_5_3_15, NULL, DUT_RESPONDER, NEED_RPC, null_long, "a NULL Call in a Position-Zero Read chunk",
     "a Reply with SUCCESS", .variant = 0},
    {RULE_RPCR_3_5_3_16, NULL, DUT_RESPONDER, NEED_RPC, null_long,
     "a NULL Call in a Position-Zero Read chunk of three segments", "a Reply with SUCCESS", .variant = 1},
    {RULE_RPCR_4_3_2_2_08, NULL, DUT_RESPONDER, NEED_RPC, unused_chunk, "a NULL Call with a Write chunk",
     "a Reply with SUCCESS and the chunk unused", .variant = 0},
    {RULE_RPCR_4_5_2_07, NULL, DUT_RESPONDER, NEED_NFS, write_by_hand,
     "a WRITE of 2999 octets whose Read chunk has 1999", "GARBAGE_ARGS, ERR_CHUNK or an NFS error",
     .variant = TOO_SHORT},
    {RULE_RPCR_4_5_2_07, "position", DUT_RESPONDER, NEED_NFS, write_by_hand,
     "a WRITE whose Read chunk has a Position 1000 octets past the message", "GARBAGE_ARGS, ERR_CHUNK or an NFS error",
     .variant = BEYOND},
    {RULE_RPCR_4_5_3_02, NULL, DUT_RESPONDER, NEED_NFS, no_chunk,
     "a READ of 2999 octets where 1024 fit inline, without chunks", "ERR_CHUNK, an error or a short READ",
     .variant = DATA},
    {RULE_RPCR_4_5_3_02, "large", DUT_RESPONDER, NEED_NFS, no_chunk,
     "a READ of 5998 octets where 4096 fit inline, without chunks", "ERR_CHUNK, an error or a short READ",
     .variant = LARGE},
    {RULE_EXP_4_3_02, NULL, DUT_RESPONDER, NEED_NFS, no_chunk,
     "a READ of 2998 octets where 1024 fit inline, without chunks", "ERR_CHUNK, an error or a short READ",
     .variant = OTHER_DATA},
    {RULE_RPCR_4_5_3_03, NULL, DUT_RESPONDER, NEED_NFS, too_small, "a READ of 5998 octets with a Reply chunk of 64",
     "an error, and nothing past the chunk", .variant = SMALL_REPLY_CHUNK},
    {RULE_RPCR_4_5_3_05, NULL, DUT_RESPONDER, NEED_NFS, too_small, "a READ of 5998 octets with a Write chunk of 1000",
     "an error or a short READ, and nothing past the chunk", .variant = SMALL_WRITE_CHUNK},
    {RULE_NFSULB_3_03, NULL, DUT_RESPONDER, NEED_NFS, too_small, "a READ of 5998 octets with a Reply chunk of 128",
     "an error, and nothing past the chunk", .variant = SMALLER_REPLY_CHUNK},
    {RULE_RPCR_6_1_07, NULL, DUT_RESPONDER, NEED_NFS, not_eligible, "a GETATTR whose file handle is in a Read chunk",
     "ERR_CHUNK or an RPC error", .variant = HANDLE_REDUCED},
    {RULE_RPCR_6_1_08, NULL, DUT_RESPONDER, NEED_NFS, not_eligible, "a LOOKUP whose name is in a Read chunk",
     "ERR_CHUNK or an RPC error", .variant = NAME_REDUCED},
    {RULE_EXP_3_2_1_02, NULL, DUT_RESPONDER, NEED_NFS, write_chunked, "a WRITE with a Read chunk of three segments",
     TAKEN, .variant = SEGMENTS},
    {RULE_EXP_3_5_1_01, NULL, DUT_RESPONDER, NEED_NFS, write_chunked,
     "a WRITE in a Position-Zero Read chunk, its data in another one", TAKEN, .variant = LONG_AND_CHUNK},
    {RULE_EXP_3_8_1_03, NULL, DUT_RESPONDER, NEED_NFS, odd_write_chunk,
     "a READ of 2999 octets with a Write chunk of 2999", TAKEN, .variant = 0},
};

const struct suite suite_rpcrdma_chunks = {"rpcrdma", tests, G_N_ELEMENTS(tests)};
