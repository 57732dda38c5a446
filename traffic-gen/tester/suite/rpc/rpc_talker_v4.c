// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The talker's introduction to an NFSv4 server: SETCLIENTID for minor version 0 (RFC 7530 sections 16.33 and 16.34),
 * EXCHANGE_ID, CREATE_SESSION and RECLAIM_COMPLETE from minor version 1 on (RFC 8881 sections 18.35, 18.36 and 18.51).
 * Owners and verifiers are new on each connection, so that a server takes each for a new client, unless it should
 * recognise us.
 */
#include "traffic-gen/tester/suite/rpc/rpc_talker_v4.h"

#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

enum {
    REQUESTS_MAX = 64,
    GRACE_MAX = 100, /* seconds: Linux has 90 */
};

static const int64_t second = INT64_C(1000000000);

/* ---- Calls ---- */

/* Whatever the result, the next Call does not depend on whether the server executed this one. */
static void next_slot(struct talker_v4 *v4)
{
    if (v4->slot + 1 < v4->slots) {
        v4->slot++;
    } else {
        v4->slot = 0;
        v4->sequence++;
    }
}

struct asking {
    struct rpc_talker *talker;
    const struct talker_request *request;
    const struct nfs_template *procedure;
    char *words;
    bool has_session;
};

static bool path_name(void *context, unsigned op, const char *name, struct nfs_given *given)
{
    const struct asking *asking = context;

    if (!asking->request->path || strcmp(name, "name") != 0)
        return false;
    given->p = asking->request->path[op - asking->has_session - 1];
    given->n = (uint32_t)strlen(given->p);
    return true;
}

static void say_client(struct nfs_fields *fields, const struct talker_v4 *v4)
{
    nfs_fields_number(fields, "clientid", v4->client_id);
    nfs_fields_hyper(fields, "confirm", v4->confirm);
    nfs_fields_number(fields, "csa_seqid", v4->client_sequence);
    nfs_fields_octets(fields, "sessionid", v4->session, sizeof v4->session);
    nfs_fields_number(fields, "sequenceid", v4->sequence);
    nfs_fields_number(fields, "slotid", v4->slot);
    nfs_fields_number(fields, "highest", v4->slot);
    nfs_fields_number(fields, "seqid", v4->has_session ? 0 : v4->open_sequence);
    nfs_fields_stateid(fields, v4->stateid);
}

/* Writes the arguments, again for each repetition: slots, owners and verifiers change. */
static void put_arguments(struct asking *asking, struct xdr_out *out)
{
    struct rpc_talker *talker = asking->talker;
    const struct talker_request *request = asking->request;
    struct nfs_fields fields;
    char owner[48];

    nfs_fields_init(&fields);
    fields.special = path_name;
    fields.context = asking;
    say_client(&fields, &talker->v4);
    if (request->on_file)
        nfs_fields_octets(&fields, "handle", talker->files.file, talker->files.file_n);
    else
        nfs_fields_octets(&fields, "handle", talker->files.root, talker->files.root_n);
    if (request->name) {
        nfs_fields_text(&fields, "name", request->name);
        nfs_fields_text(&fields, "owner", request->name);
        nfs_fields_text(&fields, "path", request->name);
    }
    if (request->data) {
        nfs_fields_octets(&fields, "data", request->data, request->n);
        nfs_fields_octets(&fields, "link", request->data, request->n);
        nfs_fields_number(&fields, "len", request->n);
        nfs_fields_number(&fields, "count", request->n);
    } else {
        nfs_fields_number(&fields, "mode", 0644);
    }
    if (request->introduces) {
        const bool drawn = talker->v4.owner == 0;

        nfs_fields_hyper(&fields, "verifier", drawn ? random_next(&talker->random) : talker->v4.verifier);
        g_snprintf(owner, sizeof owner, "iwarp-gen test %016" G_GINT64_MODIFIER "x",
                   drawn ? random_next(&talker->random) : talker->v4.owner);
        nfs_fields_text(&fields, "id", owner);
    }
    nfs_fields_put(&fields, asking->procedure, asking->words, out);
    nfs_fields_clear(&fields);
    if (asking->has_session)
        next_slot(&talker->v4);
    talker->v4.open_sequence += request->counts;
}

static void put_call(struct asking *asking, struct xdr_out *out)
{
    const struct nfs_template *procedure = asking->procedure;

    rpc_talker_begin(asking->talker, out, procedure->program, procedure->version, procedure->number);
    put_arguments(asking, out);
}

static bool v4_take(const struct asking *asking, struct xdr *x)
{
    struct nfs_results results;
    bool ok = nfs_results_read(&results, asking->procedure, asking->words, x) &&
              asking->request->take(asking->talker, &results);

    nfs_results_clear(&results);
    return ok;
}

static uint32_t v4_ask(struct asking *asking)
{
    const struct rpc_end_how how = {.reply_max = 4000};
    struct rpc_talker *talker = asking->talker;

    for (unsigned tries = 0;; tries++) {
        struct xdr_out out;
        struct xdr results;
        uint32_t status;

        put_call(asking, &out);
        if (!rpc_talker_call(talker, &out, &how) || (status = rpc_talker_status(talker)) == UINT32_MAX)
            return UINT32_MAX;
        if (status == 0 && asking->request->take)
            return rpc_talker_results(talker, &results) && v4_take(asking, &results) ? 0 : UINT32_MAX;
        if ((status != NFS4ERR_DELAY && status != NFS4ERR_GRACE) || tries >= GRACE_MAX || talker->fed_end)
            return status;
        talk_extend(talker->talk, second);
        rpc_talker_pump(talker, second, NULL);
    }
}

static struct asking asking_of(struct rpc_talker *talker, const struct talker_request *request)
{
    static const char *const compounds[NFS_VERSIONS] = {
        [NFS_V40] = "nfs40.compound", [NFS_V41] = "nfs41.compound", [NFS_V42] = "nfs42.compound"};
    const char *procedure = talker->files.version == NFS_V3 ? request->procedure : compounds[talker->files.version];
    const bool has_session = talker->v4.has_session;

    return (struct asking){.talker = talker,
                           .request = request,
                           .procedure = nfs_procedure_template(procedure),
                           .words = g_strconcat(has_session ? "sequence," : "", request->words, NULL),
                           .has_session = has_session};
}

uint32_t talker_ask(struct rpc_talker *talker, const struct talker_request *request)
{
    struct asking asking = asking_of(talker, request);
    uint32_t status = v4_ask(&asking);

    g_free(asking.words);
    return status;
}

void talker_put(struct rpc_talker *talker, const struct talker_request *request, struct xdr_out *out)
{
    struct asking asking = asking_of(talker, request);

    put_call(&asking, out);
    g_free(asking.words);
}

/* ---- minor version 0 ---- */

static bool take_client(struct rpc_talker *talker, const struct nfs_results *results)
{
    talker->v4.client_id = nfs_results_number(results, "clientid", 0);
    talker->v4.confirm = nfs_results_hyper(results, "confirm");
    talker->v4.client_sequence = (uint32_t)nfs_results_number(results, "eir_seqid", 0);
    return true;
}

static uint32_t set_client_id(struct rpc_talker *talker)
{
    /* Nobody listens for callbacks, so the server grants no delegations. */
    static const struct talker_request introduce = {.words = "setclientid:addr=0.0.0.0.0.0:ident=0",
                                                    .introduces = true,
                                                    .take = take_client},
                                       confirm = {.words = "setclientid_confirm"};
    uint32_t status = talker_ask(talker, &introduce);

    return status == 0 ? talker_ask(talker, &confirm) : status;
}

/* ---- minor versions 1 and 2 ---- */

static bool take_session(struct rpc_talker *talker, const struct nfs_results *results)
{
    struct talker_v4 *v4 = &talker->v4;
    uint32_t n;

    if (!nfs_results_copy(results, "sessionid", v4->session, sizeof v4->session, &n))
        return false;
    v4->slots = (uint32_t)CLAMP(nfs_results_number(results, "fmaxreqs", 1), 1, REQUESTS_MAX);
    v4->sequence = 1;
    v4->has_session = true;
    return true;
}

static const struct talker_request reclaim_complete = {.words = "reclaim_complete"};

/* A Reply cached for retries, if a Call asks for caching, has 4096 octets at most. */
#define FORE       ":fmaxreq=1052672:fmaxresp=1052672:fmaxcached=4096:fmaxops=16:fmaxreqs=64"
#define BACK(size) ":bmaxreq=" size ":bmaxresp=" size ":bmaxcached=4096:bmaxops=16:bmaxreqs=64"

static uint32_t make_session(struct rpc_talker *talker)
{
    static const struct talker_request introduce = {
        .words = "exchange_id:flags=0", .introduces = true, .take = take_client};
    const struct talker_request session = {.words = talker->files.has_backchannel
                                                        ? "create_session:flags=2" FORE BACK("4096")
                                                        : "create_session:flags=0" FORE BACK("65536"),
                                           .take = take_session};
    uint32_t status = talker_ask(talker, &introduce);

    return status == 0 ? talker_ask(talker, &session) : status;
}

static uint32_t begin_session(struct rpc_talker *talker)
{
    uint32_t status = make_session(talker);

    return status == 0 ? talker_ask(talker, &reclaim_complete) : status;
}

static bool take_open(struct rpc_talker *talker, const struct nfs_results *results)
{
    return nfs_results_stateid(results, talker->v4.stateid);
}

uint32_t talker_recover(struct rpc_talker *talker)
{
    /* CLAIM_PREVIOUS, or CLAIM_FH for a server that has nothing to reclaim; without a delegation. */
    const struct talker_request reclaim = {.words = "putfh,open:claim=1:share_access=0x403",
                                           .on_file = true,
                                           .name = talker->files.name,
                                           .take = take_open},
                                open = {.words = "putfh,open:claim=4:share_access=0x403",
                                        .on_file = true,
                                        .name = talker->files.name,
                                        .take = take_open};
    uint32_t status = make_session(talker), reclaimed;

    if (status != 0)
        return status;
    reclaimed = talker_ask(talker, &reclaim);
    status = reclaimed == UINT32_MAX ? reclaimed : talker_ask(talker, &reclaim_complete);
    if (status == NFS4ERR_COMPLETE_ALREADY) /* by an earlier attempt, whose answer was lost */
        status = 0;
    if (status == 0 && reclaimed != 0)
        status = talker_ask(talker, &open);
    talker->v4.is_known = status == 0;
    return status;
}

/* ---- both ---- */

uint32_t talker_meet(struct rpc_talker *talker)
{
    uint32_t status = 0;

    if (!talker->v4.is_known && talker->files.version != NFS_V3)
        status = talker->files.version == NFS_V40 ? set_client_id(talker) : begin_session(talker);
    talker->v4.is_known = status == 0;
    return status;
}

void talker_part(struct rpc_talker *talker)
{
    static const struct talker_request end_session = {.words = "destroy_session"},
                                       end_client = {.words = "destroy_clientid"};

    /* Other state of minor version 0 disappears when the lease expires. */
    if (!talker->v4.has_session)
        return;
    talker->v4.has_session = false;
    if (talker_ask(talker, &end_session) == 0)
        talker_ask(talker, &end_client);
}
