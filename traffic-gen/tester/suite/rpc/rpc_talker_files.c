// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files for RPC-over-RDMA cases: created in the export's root with the NFS version of the case, and removed at the end.
 */
#include "traffic-gen/tester/suite/rpc/rpc_talker_v4.h"

#include "traffic-gen/ends/nfs/tree/nfs_status.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "wire/nfs.h"

#include <string.h>

enum { RESULT_CONFIRM = 2 };

/* ---- answers ---- */

uint32_t rpc_talker_status(const struct rpc_talker *talker)
{
    struct xdr results;
    uint32_t status;

    return talker->reply.n > 0 && talker->reply.result == RPC_END_REPLIED && rpc_talker_results(talker, &results) &&
                   xdr_u32(&results, &status)
               ? status
               : UINT32_MAX;
}

bool rpc_talker_is_circumstance(uint32_t status)
{
    static const uint32_t statuses[] = {
        1 /* PERM */,   5 /* IO */,     13 /* ACCES */, 28 /* NOSPC */, 30 /* ROFS */,
        69 /* DQUOT */, 70 /* STALE */, NFS4ERR_DELAY,  NFS4ERR_GRACE,  10022 /* STALE_CLIENTID */,
        10052 /* BADSESSION */};

    for (unsigned i = 0; i < G_N_ELEMENTS(statuses); i++) {
        if (statuses[i] == status)
            return true;
    }
    return false;
}

const char *rpc_talker_result_words(struct rpc_talker *talker)
{
    struct rpc_message header;
    uint32_t status = rpc_talker_status(talker);

    if (talker->reply.n == 0 || talker->reply.result == RPC_END_LOST)
        return talker->terminated || talker->fed_end ? rpc_talker_end_words(talker) : "no answer";
    switch (talker->reply.result) {
    case RPC_END_ERR_CHUNK:
        return "RDMA_ERROR with ERR_CHUNK";
    case RPC_END_ERR_VERS:
        return "RDMA_ERROR with ERR_VERS";
    case RPC_END_GARBAGE:
        return "a Reply whose chunks do not fit its results";
    case RPC_END_UNSENT:
        return "nothing: the Call's header exceeds the inline threshold";
    default:
        break;
    }
    if (status != UINT32_MAX)
        g_snprintf(talker->words, sizeof talker->words, "NFS status %u (%s)", status, nfs_status_name(status));
    else if (rpc_decode(&header, talker->reply.message.p, talker->reply.message.n) == RPC_OK &&
             header.reply_stat == RPC_MSG_ACCEPTED && header.accept_stat != RPC_SUCCESS)
        g_snprintf(talker->words, sizeof talker->words, "a Reply with %s", rpc_accept_stat_name(header.accept_stat));
    else
        g_strlcpy(talker->words, "a Reply that rejects the Call", sizeof talker->words);
    return talker->words;
}

bool rpc_talker_succeeded(struct rpc_talker *talker)
{
    if (rpc_talker_status(talker) == 0)
        return true;
    if (rpc_talker_is_circumstance(rpc_talker_status(talker)))
        talk_inconclusive(talker->talk, "the server refuses for another reason: %s", rpc_talker_result_words(talker));
    else
        talk_failed(talker->talk, "expected %s; found %s", talk_job(talker->talk)->row->expected,
                    rpc_talker_result_words(talker));
    return false;
}

/* ---- the root ---- */

bool rpc_talker_root(struct rpc_talker *talker)
{
    const struct nfs_run *nfs = talk_job(talker->talk)->run->nfs;
    uint32_t status;

    if (talker->files.root_n > 0)
        return true;
    if (!(nfs->spoken & 1U << talker->files.version)) {
        talk_not_applicable(talker->talk, "NFS version %s: %s", nfs_version_names[talker->files.version],
                            nfs->version[talker->files.version].why_not);
        return false;
    }
    status = talker_meet(talker);
    if (status != 0) {
        talk_inconclusive(talker->talk, "the server does not accept us as a client of NFS version %s: %s",
                          nfs_version_names[talker->files.version], rpc_talker_result_words(talker));
        return false;
    }
    talker->files.root_n = nfs->version[talker->files.version].root_n;
    memcpy(talker->files.root, nfs->version[talker->files.version].root, talker->files.root_n);
    return true;
}

/* ---- the case's file ---- */

const char *rpc_talker_new_name(struct rpc_talker *talker)
{
    char *name = g_strdup_printf("iwarp-gen-%016" G_GINT64_MODIFIER "x",
                                 random_next(&talker->random) ^ talk_job(talker->talk)->run->seed);

    g_ptr_array_add(talker->files.names, name);
    return name;
}

static bool take_confirmed(struct rpc_talker *talker, const struct nfs_results *results)
{
    talker->v4.open_sequence++;
    return nfs_results_stateid(results, talker->v4.stateid);
}

static bool files_take_file(struct rpc_talker *talker, const struct nfs_results *results)
{
    enum { NONE, NONE_EXT = 3 };
    static const struct talker_request confirm = {
        .words = "putfh,open_confirm", .on_file = true, .take = take_confirmed};
    const uint64_t delegation = nfs_results_number(results, "delegation", NONE);

    if (!nfs_results_copy(results, "handle", talker->files.file, NFS_HANDLE_MAX, &talker->files.file_n))
        return false;
    if (talker->files.version == NFS_V3)
        return true;
    if ((delegation != NONE && delegation != NONE_EXT) || !nfs_results_stateid(results, talker->v4.stateid))
        return false;
    talker->v4.open_sequence++;
    return talker->files.version != NFS_V40 || !(nfs_results_number(results, "rflags", 0) & RESULT_CONFIRM) ||
           talker_ask(talker, &confirm) == 0;
}

static bool make_file(struct rpc_talker *talker)
{
    struct talker_request request = {.procedure = "nfs3.create", .name = talker->files.name, .take = files_take_file};

    if (talker->files.version == NFS_V3)
        request.words = "mode=0644";
    else if (talker->files.version == NFS_V40)
        request.words = "putfh,open:opentype=1:share_access=3,getfh";
    else /* without a delegation: RFC 8881 section 18.16.3 */
        request.words = "putfh,open:opentype=1:share_access=0x403,getfh";
    return talker_ask(talker, &request) == 0;
}

bool rpc_talker_file(struct rpc_talker *talker)
{
    if (!rpc_talker_root(talker))
        return false;
    g_strlcpy(talker->files.name, rpc_talker_new_name(talker), sizeof talker->files.name);
    if (make_file(talker))
        return true;
    talker->files.file_n = 0;
    talk_inconclusive(talker->talk, "cannot create a file in the export's root with NFS version %s: %s",
                      nfs_version_names[talker->files.version], rpc_talker_result_words(talker));
    return false;
}

/* ---- the end of a case ---- */

static bool files_close_file(struct rpc_talker *talker)
{
    static const struct talker_request request = {.words = "putfh,close", .on_file = true, .counts = true};

    return talker_ask(talker, &request) != UINT32_MAX;
}

/* Removes the file; false when that failed. */
static bool rpc_talker_remove(struct rpc_talker *talker, const char *name)
{
    const struct talker_request request = {
        .procedure = "nfs3.remove", .words = talker->files.version == NFS_V3 ? "" : "putfh,remove", .name = name};
    uint32_t status = talker_ask(talker, &request);

    return status == 0 || status == NFS4ERR_NOENT;
}

static bool files_is_usable(const struct rpc_talker *talker)
{
    return talker->open && !talker->fed_end && !talker->terminated && talk_is_open(talker->talk);
}

void rpc_talker_leave(struct rpc_talker *talker)
{
    bool answers = files_is_usable(talker);

    if (answers && talker->files.file_n > 0 && talker->files.version != NFS_V3)
        answers = files_close_file(talker);
    while (answers && talker->files.root_n > 0 && talker->files.names->len > 0) {
        answers = rpc_talker_remove(talker, g_ptr_array_index(talker->files.names, talker->files.names->len - 1));
        if (answers)
            g_ptr_array_set_size(talker->files.names, (gint)talker->files.names->len - 1);
    }
    if (answers && files_is_usable(talker))
        talker_part(talker);
}

void rpc_talker_clear_up(struct talk_run *run, enum nfs_version_at version, GPtrArray *names)
{
    struct rpc_talker talker;
    struct talk *talk = talk_begin_job(run, NULL, 1, NULL);

    if (rpc_talker_open(&talker, talk, &(struct talker_wish){.version = version}) && rpc_talker_root(&talker)) {
        for (guint i = 0; i < names->len && !talker.fed_end; i++)
            rpc_talker_remove(&talker, g_ptr_array_index(names, i));
    }
    rpc_talker_close(&talker);
    talk_end_job(talk);
}
