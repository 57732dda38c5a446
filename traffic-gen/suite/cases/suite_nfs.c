// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite nfs: what the upper-layer binding (RFC 8267) demands from an NFSv4 server. Symbolic links are created and read
 * with each minor version: their text is DDP-eligible in both directions, and they need no open state.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    NF4LNK = 5,
    TEXT = 1300,
    INSERTED_TEXT = 1200, /* the lengths differ between stimuli */
    TOO_LONG_TEXT = 1400,
    LIMIT = 16, /* segments that a server must accept: section 6.4.2 */
};

static const char *text(void)
{
    static char octets[TOO_LONG_TEXT + 1];
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < TOO_LONG_TEXT; i++)
            octets[i] = (char)('a' + i * 7 % 26);
        g_once_init_leave(&made, 1);
    }
    return octets;
}

enum { V4 = NFS_ALL_VERSIONS & ~(1 << NFS_V3) };

/* ---- COMPOUNDs ---- */

/* Creates a link of that name; the data after its text go inline (its name, no attributes). */
static void add_create(struct xdr_out *out, const char *name, uint32_t n)
{
    xdr_out_words(out, NFS_OP_CREATE, NF4LNK);
    xdr_out_eligible(out, text(), n);
    xdr_out_opaque(out, name, (uint32_t)strlen(name));
    xdr_out_words(out, 0, 0);
}

static void begin_create(struct rpc_talker *talker, struct xdr_out *out, uint32_t n)
{
    g_strlcpy(talker->name, rpc_talker_new_name(talker), sizeof talker->name);
    rpc_talker_begin_nfs(talker, out, 0, talker->root, talker->root_n, 1);
    add_create(out, talker->name, n);
}

static void begin_readlink(struct rpc_talker *talker, struct xdr_out *out)
{
    rpc_talker_begin_nfs(talker, out, 0, talker->root, talker->root_n, 2);
    xdr_out_u32(out, NFS_OP_LOOKUP);
    xdr_out_opaque(out, talker->name, (uint32_t)strlen(talker->name));
    xdr_out_u32(out, NFS_OP_READLINK);
}

/* Creates the link by a Call that needs no chunks. False: verdict is set (inconclusive). */
static bool has_link(struct rpc_talker *talker, uint32_t n)
{
    struct xdr_out out;

    begin_create(talker, &out, n);
    rpc_talker_call(talker, &out, NULL);
    if (rpc_talker_status(talker) == 0)
        return true;
    talk_inconclusive(talker->talk, "cannot create the link: %s", rpc_talker_result_words(talker));
    return false;
}

static bool holds_text(struct rpc_talker *talker, const struct rpc_end_how *how, uint32_t n)
{
    struct xdr_out out;

    begin_readlink(talker, &out);
    if (!rpc_talker_succeeds(talker, &out, how))
        return false;
    if (talker->reply.n_items == 1 && talker->reply.items[0].n == n &&
        memcmp(talker->reply.p + talker->reply.items[0].at, text(), n) == 0)
        return true;
    talk_failed(talker->talk, "expected the link to hold its text; found another");
    return false;
}

/* ---- cases ---- */

enum { INSERTED, BODY, DATA, BOTH, READ_SEGMENTS };

static void create_one(struct rpc_talker *talker, const struct suite_case *row)
{
    static const struct rpc_end_how hows[] = {
        [INSERTED] = {.reduce = true, .reply_max = 8000},
        [BODY] = {.long_call = true, .reply_max = 8000},
        [DATA] = {.reduce = true, .reply_max = 8000},
        [BOTH] = {.reduce = true, .long_call = true, .reply_max = 8000},
        [READ_SEGMENTS] = {.reduce = true, .segments = LIMIT, .reply_max = 8000},
    };
    const struct rpc_end_how whole = {.reply_max = 2 * TEXT};
    uint32_t n = row->variant == INSERTED ? INSERTED_TEXT : TEXT;
    struct xdr_out out;

    begin_create(talker, &out, n);
    if (rpc_talker_succeeds(talker, &out, &hows[row->variant]) && holds_text(talker, &whole, n))
        talk_passed(talker->talk, "success, and the link holds its text");
}

static void create(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, V4, NULL, create_one);
}

enum { WRITE_CHUNK, WRITE_SEGMENTS, REPLY_SEGMENTS };

static void read_link_one(struct rpc_talker *talker, const struct suite_case *row)
{
    static const struct rpc_end_how hows[] = {
        [WRITE_CHUNK] = {.results = {TEXT}, .reply_max = 8000},
        [WRITE_SEGMENTS] = {.results = {TEXT}, .segments = LIMIT, .reply_max = 8000},
        [REPLY_SEGMENTS] = {.segments = LIMIT, .reply_max = 8000},
    };

    if (has_link(talker, TEXT) && holds_text(talker, &hows[row->variant], TEXT))
        talk_passed(talker->talk, "success, and the link's text");
}

static void read_link(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, V4, NULL, read_link_one);
}

/* Beyond what every server must accept; but an answer is due. */
static void beyond_one(struct rpc_talker *talker, const struct suite_case *row)
{
    const struct rpc_end_how how = {
        .reduce = true, .segments = row->variant > 1 ? (unsigned)row->variant : 1, .reply_max = 1000};
    unsigned links = row->variant > 1 ? 1 : 2;
    struct xdr_out out;
    uint32_t xid;

    rpc_talker_begin_nfs(talker, &out, 0, talker->root, talker->root_n, 2 * links - 1);
    for (unsigned i = 0; i < links; i++) {
        if (i > 0) {
            xdr_out_u32(&out, NFS_OP_PUTFH);
            xdr_out_opaque(&out, talker->root, talker->root_n);
        }
        add_create(&out, rpc_talker_new_name(talker), TEXT);
    }
    xid = get_be32(out.octets->data);
    rpc_talker_call(talker, &out, &how);
    rpcrdma_judge(talker, RPC_ANSWER_SUCCESS | RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK,
                  rpc_talker_await(talker, xid, 0));
}

static void beyond(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, V4, NULL, beyond_one);
}

/* A Reply that fits neither inline nor any chunk. */
static void no_room_one(struct rpc_talker *talker, const struct suite_case *row)
{
    struct xdr_out out;

    (void)row;
    begin_create(talker, &out, TOO_LONG_TEXT);
    rpc_talker_call(talker, &out, &(struct rpc_end_how){.reduce = true, .reply_max = 400});
    if (rpc_talker_status(talker) != 0) {
        talk_inconclusive(talker->talk, "cannot create the link: %s", rpc_talker_result_words(talker));
        return;
    }
    begin_readlink(talker, &out);
    rpc_talker_call(talker, &out, NULL);
    if (talker->replied > 0 && talker->result != RPC_END_LOST)
        talk_passed(talker->talk, "%s", rpc_talker_result_words(talker));
    else
        talk_failed(talker->talk, "expected %s; found %s", talker->talk->row->expected,
                    rpc_talker_result_words(talker));
}

static void no_room(struct talk *talk, const struct suite_case *row)
{
    rpc_talker_each_version(talk, row, V4, &(struct talker_wish){.size = 1024}, no_room_one);
}

#define TAKEN "success"

static const struct suite_case tests[] = {
    {RULE_RPCR_3_4_5_08, NULL, DUT_RESPONDER, NEED_NFS, create,
     "a CREATE of a link of 1200 octets in a Read chunk, its name inline after it",
     "success, and the link holds its text", .variant = INSERTED},
    {RULE_NFSULB_6_4_2_04, "body", DUT_RESPONDER, NEED_NFS, create, "a CREATE in a Position-Zero Read chunk", TAKEN,
     .variant = BODY},
    {RULE_NFSULB_6_4_2_04, "data", DUT_RESPONDER, NEED_NFS, create, "a CREATE with a Read chunk", TAKEN,
     .variant = DATA},
    {RULE_NFSULB_6_4_2_04, "both", DUT_RESPONDER, NEED_NFS, create,
     "a CREATE in a Position-Zero Read chunk, its text in another one", TAKEN, .variant = BOTH},
    {RULE_NFSULB_6_4_2_05, "read-segments", DUT_RESPONDER, NEED_NFS, create,
     "a CREATE with a Read chunk of 16 segments", TAKEN, .variant = READ_SEGMENTS},
    {RULE_NFSULB_6_4_2_05, "write", DUT_RESPONDER, NEED_NFS, read_link, "a READLINK with a Write chunk", TAKEN,
     .variant = WRITE_CHUNK},
    {RULE_NFSULB_6_4_2_05, "write-segments", DUT_RESPONDER, NEED_NFS, read_link,
     "a READLINK with a Write chunk of 16 segments", TAKEN, .variant = WRITE_SEGMENTS},
    {RULE_NFSULB_6_4_2_05, "reply-segments", DUT_RESPONDER, NEED_NFS, read_link,
     "a READLINK with a Reply chunk of 16 segments", TAKEN, .variant = REPLY_SEGMENTS},
    {RULE_NFSULB_6_4_2_06, NULL, DUT_RESPONDER, NEED_NFS, beyond, "a CREATE with a Read chunk of 20 segments",
     "success, ERR_CHUNK or GARBAGE_ARGS", .variant = 20},
    {RULE_NFSULB_6_4_2_07, NULL, DUT_RESPONDER, NEED_NFS, beyond, "two CREATEs with a Read chunk each",
     "success, ERR_CHUNK or GARBAGE_ARGS", .variant = 1},
    {RULE_NFSULB_3_1_01, NULL, DUT_RESPONDER, NEED_NFS, no_room,
     "a READLINK of 1400 octets where 1024 fit inline, without chunks", "ERR_CHUNK, or a Reply with an error",
     .variant = 0},
};

const struct suite suite_nfs = {"nfs", tests, G_N_ELEMENTS(tests)};
