// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/chaos/chaos.h"

#include "traffic-gen/explore/pairs/reduce.h"
#include "traffic-gen/tester/suite/rpc/rpc_talker_v4.h"
#include "traffic-gen/tester/suite/run/user_command.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"
#include "wire/nfs.h"
#include "wire/octets.h"

#include <inttypes.h>
#include <string.h>

enum {
    SLOTS_MIN = 4,
    OTHER_HANDLE = 0x5A5A5A00,
    VERSION_UNKNOWN = 9,
    UNSTABLE = 0, /* stable_how4 */
    FILE_SYNC = 2,
    ENDED_MAX = 5,       /* successive connections on which a Call gets no answer */
    TRIES_MIN = 3,       /* least connections to try, even if a slow server needs the whole time */
    REDUCE_AT_ONCE = 32, /* steps, or groups of steps, that are removed separately */
};

static const int64_t retry_ns = 50 * INT64_C(1000000), patience_ns = 5 * INT64_C(1000000000),
                     delay_ns = 60 * INT64_C(1000000000),
                     /* Times after a restart: until connections are accepted, and until the grace period is over. */
    return_ns = 60 * INT64_C(1000000000), grace_ns = 120 * INT64_C(1000000000);
static const struct suite_case row = {
    .rule = RULE_RPCR_3_4_5_07, .needs = NEED_NFS, .expected = "exactly one execution"};

/* The client, whose session outlives its connections. */
struct chaos {
    const struct chaos_server *server;
    struct talk_run *run;
    struct chaos_outcome *outcome;
    struct chaos_world world;
    /* Restarts of the server. */
    bool restarted;     /* since the session was made: the server may have forgotten it */
    bool is_lost;       /* the server has forgotten it */
    bool doubtful;      /* the Call may have been executed in the lost session */
    bool restarted_now; /* in this step */
    int64_t last_start; /* when the latest restart was over */
    /* For each block: it is uncommitted; the verifier of its WRITE; it must be written again. */
    struct {
        bool is_unstable, is_lost;
        uint64_t verifier;
    } blocks[CHAOS_BLOCKS];
    /* The connection. */
    struct talk *talk; /* NULL: not connected */
    struct rpc_talker talker;
    /* State that the next connection takes over. */
    bool has_session;
    struct talker_v4 v4;
    uint8_t root[NFS_HANDLE_MAX], file[NFS_HANDLE_MAX];
    uint32_t root_n, file_n, slot, sequence, xid;
    GPtrArray *names; /* char *: files to be removed */
    char *folders[CHAOS_FOLDERS];
    enum rpc_answer answer; /* of the latest Call */
};

static void broken(struct chaos *chaos, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void broken(struct chaos *chaos, const char *format, ...)
{
    va_list args;

    if (chaos->outcome->end != CHAOS_KEPT)
        return;
    va_start(args, format);
    chaos->outcome->what = g_strdup_vprintf(format, args);
    va_end(args);
    chaos->outcome->end = CHAOS_BROKEN;
}

static void no_server(struct chaos *chaos, const char *why)
{
    if (chaos->outcome->end != CHAOS_KEPT)
        return;
    chaos->outcome->what = g_strdup(why);
    chaos->outcome->end = CHAOS_NO_SERVER;
}

/* How long the server may delay a Call. */
static int64_t t_delay(const struct chaos *chaos)
{
    return chaos->outcome->restarts > 0 ? grace_ns : delay_ns;
}

static void delayed(struct chaos *chaos)
{
    broken(chaos, "expected the Call to be executed at some time; found NFS4ERR_DELAY or NFS4ERR_GRACE for %d s",
           (int)(t_delay(chaos) / INT64_C(1000000000)));
}

static bool chaos_goes_on(const struct chaos *chaos)
{
    return chaos->outcome->end == CHAOS_KEPT && !suite_stopped;
}

/* ---- connections ---- */

/* The session stays; nothing is cleaned up on this connection. */
static void chaos_forget(struct rpc_talker *talker)
{
    talker->files.file_n = talker->files.root_n = 0;
    talker->v4.has_session = false;
    g_ptr_array_set_size(talker->files.names, 0);
}

static void disconnect(struct chaos *chaos)
{
    if (!chaos->talk)
        return;
    chaos_forget(&chaos->talker);
    rpc_talker_close(&chaos->talker);
    g_clear_pointer(&chaos->talk, talk_end_job);
}

static bool try_connect(struct chaos *chaos, char **why)
{
    const struct talker_wish wish = {.version = NFS_V41};

    chaos->talk = talk_begin_job(chaos->run, &row, 1, NULL);
    if (rpc_talker_open(&chaos->talker, chaos->talk, &wish))
        return true;
    g_free(*why);
    *why = g_strdup(talk_actual(chaos->talk) ? talk_actual(chaos->talk) : "no connection");
    disconnect(chaos);
    return false;
}

/* The talker has used the first slots. */
static void begin_slot(struct chaos *chaos)
{
    chaos->slot = chaos->v4.slots - 1;
    chaos->sequence = 1;
}

/* The first connection makes the session and the file; later connections use both. */
static bool chaos_take_up(struct chaos *chaos)
{
    struct rpc_talker *talker = &chaos->talker;

    if (chaos->has_session) {
        talker->v4 = chaos->v4;
        return true;
    }
    while (!chaos->v4.owner)
        chaos->v4.owner = random_next(&talker->random);
    talker->v4.owner = chaos->v4.owner;
    talker->v4.verifier = random_next(&talker->random);
    if (!rpc_talker_file(talker) || !talker->v4.has_session || talker->v4.slots < SLOTS_MIN) {
        no_server(chaos, talk_actual(chaos->talk) ? talk_actual(chaos->talk) : "its sessions have less than 4 slots");
        return false;
    }
    chaos->v4 = talker->v4;
    memcpy(chaos->root, talker->files.root, chaos->root_n = talker->files.root_n);
    memcpy(chaos->file, talker->files.file, chaos->file_n = talker->files.file_n);
    g_ptr_array_add(chaos->names, g_strdup(talker->files.name));
    for (unsigned i = 0; i < CHAOS_FOLDERS; i++)
        chaos->folders[i] = g_strdup(rpc_talker_new_name(talker));
    begin_slot(chaos);
    chaos->xid = talker->xids;
    chaos->has_session = true;
    return true;
}

static bool connect_again(struct chaos *chaos)
{
    const int64_t until =
        MAX(talk_now() + patience_ns, chaos->outcome->restarts > 0 ? chaos->last_start + return_ns : 0);
    g_autofree char *why = NULL;
    unsigned tries = 0;

    do {
        if (try_connect(chaos, &why)) {
            chaos->outcome->connections++;
            return chaos_take_up(chaos);
        }
        g_usleep((gulong)(retry_ns / 1000));
    } while ((++tries < TRIES_MIN || talk_now() < until) && chaos_goes_on(chaos));
    if (chaos->has_session)
        broken(chaos, "expected the server to accept connections; found: %s", why ? why : "nothing");
    else
        no_server(chaos, why ? why : "stopped");
    return false;
}

static bool chaos_is_usable(const struct chaos *chaos)
{
    return chaos->talk && talk_is_whole(chaos->talk) && !chaos->talker.fed_end && !chaos->talker.terminated;
}

/* Reconnects the same client after a restart of the server. False: no answer, or a broken invariant. */
static bool recover(struct chaos *chaos)
{
    struct rpc_talker *talker = &chaos->talker;
    uint32_t status;

    talker->v4 = (struct talker_v4){.owner = chaos->v4.owner, .verifier = chaos->v4.verifier};
    memcpy(talker->files.root, chaos->root, talker->files.root_n = chaos->root_n);
    memcpy(talker->files.file, chaos->file, talker->files.file_n = chaos->file_n);
    g_strlcpy(talker->files.name, g_ptr_array_index(chaos->names, 0), sizeof talker->files.name);
    status = talker_recover(talker);
    if (status == 0) {
        chaos->v4 = talker->v4;
        begin_slot(chaos);
        chaos->is_lost = chaos->restarted = false;
    } else if (status != UINT32_MAX) {
        broken(chaos, "expected the server to take its client up again after the restart; found %s",
               rpc_talker_result_words(talker));
    }
    return status == 0;
}

static bool be_connected(struct chaos *chaos)
{
    for (unsigned tries = 0; tries < ENDED_MAX && chaos_goes_on(chaos); tries++) {
        if (!chaos_is_usable(chaos)) {
            disconnect(chaos);
            if (!connect_again(chaos))
                return false;
        }
        if (!chaos->is_lost || recover(chaos))
            return true;
        disconnect(chaos);
    }
    broken(chaos,
           "expected the server to take its client up again after the restart; the connection ended %d times in "
           "a row",
           ENDED_MAX);
    return false;
}

/* ---- Calls ---- */

/* One COMPOUND, kept until it is answered. */
struct request {
    GByteArray *octets;
    uint32_t position; /* position of a WRITE's octets */
    uint32_t n;        /* their number; the COMPOUND ends with them */
};

/* The server must cache each for retries. */
static const char *const calls[] = {
    [CHAOS_WRITE] = "sequence:cachethis=1,putfh,write",
    [CHAOS_READ] = "sequence:cachethis=1,putfh,read",
    [CHAOS_MAKE] = "sequence:cachethis=1,putfh,create:objtype=2:masks=0", /* NF4DIR, no attributes */
    [CHAOS_REMOVE] = "sequence:cachethis=1,putfh,remove",
    [CHAOS_COMMIT] = "sequence:cachethis=1,putfh,commit", /* from offset 0, count 0: the whole file */
};

static void say_file(const struct chaos *chaos, struct nfs_fields *fields, const struct chaos_step *step,
                     const uint8_t block[CHAOS_BLOCK])
{
    const bool is_write = step->operation == CHAOS_WRITE;

    nfs_fields_octets(fields, "handle", chaos->file, chaos->file_n);
    nfs_fields_stateid(fields, chaos->v4.stateid);
    nfs_fields_number(fields, "offset", is_write ? (uint64_t)step->which * CHAOS_BLOCK : 0);
    nfs_fields_number(fields, "count", step->operation == CHAOS_COMMIT ? 0 : CHAOS_BLOCKS * CHAOS_BLOCK);
    nfs_fields_number(fields, "stable", step->unstable ? UNSTABLE : FILE_SYNC);
    nfs_fields_octets(fields, "data", block, CHAOS_BLOCK);
}

static void make_request(struct chaos *chaos, const struct chaos_step *step, struct request *out)
{
    const struct nfs_template *compound = nfs_procedure_template("nfs41.compound");
    uint8_t block[CHAOS_BLOCK];
    struct nfs_fields fields;
    struct xdr_out xdr;

    rpc_talker_begin(&chaos->talker, &xdr, compound->program, compound->version, compound->number);
    xdr_out_set_u32(&xdr, 0, ++chaos->xid);
    memset(block, step->pattern, sizeof block);
    nfs_fields_init(&fields);
    nfs_fields_octets(&fields, "sessionid", chaos->v4.session, sizeof chaos->v4.session);
    nfs_fields_number(&fields, "sequenceid", chaos->sequence);
    nfs_fields_number(&fields, "slotid", chaos->slot);
    nfs_fields_number(&fields, "highest", chaos->slot);
    if (step->operation == CHAOS_WRITE || step->operation == CHAOS_READ || step->operation == CHAOS_COMMIT) {
        say_file(chaos, &fields, step, block);
    } else {
        nfs_fields_octets(&fields, "handle", chaos->root, chaos->root_n);
        nfs_fields_text(&fields, "name", chaos->folders[step->which]);
    }
    nfs_fields_put(&fields, compound, calls[step->operation], &xdr);
    nfs_fields_clear(&fields);
    *out = (struct request){.octets = g_byte_array_ref(xdr.octets)};
    if (xdr.n_items > 0) {
        out->position = (uint32_t)xdr.items[0].at;
        out->n = xdr.items[0].n;
    }
    xdr_out_free(&xdr);
}

static void chaos_send_request(struct chaos *chaos, const struct request *request, const char *words)
{
    const struct xdr_out out = {
        .octets = request->octets, .items = {{.at = request->position, .n = request->n}}, .n_items = request->n > 0};

    rpc_talker_say_call(&chaos->talker, &out, words);
}

/* Makes the second half of the octets unreadable. */
static void send_in_part(struct chaos *chaos, const struct request *request)
{
    g_autofree char *words = g_strdup_printf("read=%u+rest read1.handle^%d", request->n / 2, OTHER_HANDLE);

    chaos_send_request(chaos, request, words);
}

/* The Reply's XDR from its COMPOUND status on. False: no Reply, or incomplete. */
static bool reply_of(struct chaos *chaos, const struct request *request, struct xdr *results)
{
    const uint32_t xid = get_be32(request->octets->data);

    chaos->answer = rpc_talker_await(&chaos->talker, xid, talk_t_close(chaos->talk));
    return chaos->answer == RPC_ANSWER_SUCCESS &&
           rpc_talker_heard_results(rpc_talker_find(&chaos->talker, xid), results);
}

/* ---- faults of the connection ---- */

/* Runs the user's command. */
static void restart(struct chaos *chaos)
{
    g_autofree char *address = g_strdup_printf("IWARP_DEVICE=%s", chaos->server->address), *why = NULL;
    const char *const variables[] = {address, NULL};

    if (!user_command_run(chaos->server->restart, variables, chaos->server->t_restart, &why)) {
        g_autofree char *text = g_strdup_printf("--restart-command: %s", why);

        no_server(chaos, text);
    }
    chaos->restarted = chaos->restarted_now = true;
    chaos->outcome->restarts++;
    chaos->last_start = talk_now();
}

/* Faults before the Call. */
static void disturb_before(struct chaos *chaos, enum chaos_fault fault)
{
    static const uint8_t half[] = {0, 100, 0x41, 0x43, 0, 0, 0, 0, 0, 0};

    if (fault == CHAOS_HALF_SENT)
        talk_write(chaos->talk, half, sizeof half);
    if (fault == CHAOS_HALF_SENT || fault == CHAOS_RESET_BEFORE)
        talk_reset(chaos->talk);
    if (fault == CHAOS_RESTART_BEFORE)
        restart(chaos);
    if (fault == CHAOS_MALFORMED) {
        rpc_talker_say(&chaos->talker, "call null xid=%u h.vers=%d", chaos->xid + 0x80000000, VERSION_UNKNOWN);
        rpc_talker_await(&chaos->talker, chaos->talker.xid, talk_t_react(chaos->talk)); /* ERR_VERS, or the end */
    }
}

/* Faults after the Call: whether it was executed is then unknown. */
static void disturb_after(struct chaos *chaos, enum chaos_fault fault, const struct request *request)
{
    if (fault == CHAOS_RESET_AFTER)
        talk_reset(chaos->talk);
    else if (fault == CHAOS_RESTART_AFTER)
        restart(chaos);
    else if (fault == CHAOS_FIN_AFTER)
        talk_finish(chaos->talk);
    else if (fault == CHAOS_READ_FAILS) /* our end refuses the Read, and the connection ends */
        rpc_talker_await(&chaos->talker, get_be32(request->octets->data), talk_t_react(chaos->talk));
}

/* ---- a step ---- */

/* Compares the file with the model. */
static bool file_right(const struct chaos_world *world, const uint8_t *p, uint32_t n)
{
    if (n != world->written * CHAOS_BLOCK)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (p[i] != world->blocks[i / CHAOS_BLOCK])
            return false;
    }
    return true;
}

static void chaos_judge_read(struct chaos *chaos, struct xdr *reply)
{
    struct nfs_results results;
    const uint8_t *p = NULL;
    uint32_t n = 0;

    if (nfs_results_read(&results, nfs_procedure_template("nfs41.compound"), "sequence,putfh,read", reply))
        p = nfs_results_octets(&results, "data", &n);
    if (!p)
        broken(chaos, "expected the octets of the file; found a Reply that cannot be decoded");
    else if (!file_right(&chaos->world, p, n))
        broken(chaos, "expected the octets that were written and acknowledged; found others (%u octets)", n);
    nfs_results_clear(&results);
}

/* Data was written less durably than requested; a server may do more (RFC 8881 section 18.32.3). */
static void chaos_judge_write(struct chaos *chaos, const struct chaos_step *step, struct xdr *reply)
{
    struct nfs_results results;
    uint64_t committed;

    if (!nfs_results_read(&results, nfs_procedure_template("nfs41.compound"), calls[CHAOS_WRITE], reply)) {
        broken(chaos, "expected the result of a WRITE; found a Reply that cannot be decoded");
    } else {
        committed = nfs_results_number(&results, "committed", UNSTABLE);
        if (committed < (step->unstable ? UNSTABLE : FILE_SYNC))
            broken(chaos, "expected a WRITE with FILE_SYNC4; found that it was committed as %" PRIu64, committed);
        chaos->blocks[step->which].is_unstable = committed == UNSTABLE;
        chaos->blocks[step->which].is_lost = false;
        chaos->blocks[step->which].verifier = nfs_results_hyper(&results, "verf");
    }
    nfs_results_clear(&results);
}

/* A new verifier: the server may have lost uncommitted data (RFC 8881 section 18.3.3). */
static void judge_commit(struct chaos *chaos, struct xdr *reply)
{
    struct nfs_results results;

    if (!nfs_results_read(&results, nfs_procedure_template("nfs41.compound"), calls[CHAOS_COMMIT], reply))
        broken(chaos, "expected the result of a COMMIT; found a Reply that cannot be decoded");
    for (unsigned i = 0; i < CHAOS_BLOCKS && chaos_goes_on(chaos); i++) {
        chaos->blocks[i].is_lost =
            chaos->blocks[i].is_unstable && chaos->blocks[i].verifier != nfs_results_hyper(&results, "verf");
        chaos->blocks[i].is_unstable = false;
    }
    nfs_results_clear(&results);
}

static void judge_step(struct chaos *chaos, const struct chaos_step *step, struct xdr *results, bool again)
{
    const uint32_t due = chaos_apply(&chaos->world, step);
    const size_t at = results->at;
    uint32_t status = UINT32_MAX;

    xdr_u32(results, &status);
    results->at = at;
    if (status != due && !(chaos->doubtful && status == chaos_apply_again(&chaos->world, step)))
        broken(chaos, "expected NFS status %u; found %u%s", due, status,
               again ? " in answer to the same Call again: it was executed twice, or not at all" : "");
    else if (step->operation == CHAOS_READ)
        chaos_judge_read(chaos, results);
    else if (step->operation == CHAOS_WRITE)
        chaos_judge_write(chaos, step, results);
    else if (step->operation == CHAOS_COMMIT)
        judge_commit(chaos, results);
}

/* Results of a Call. */
enum asked {
    ASKED_DONE,
    ASKED_ENDED, /* the connection is over: we broke it, or the server ended it */
    ASKED_LATER, /* the server wants the same Call again, for example because it still executes it */
    ASKED_ANEW,  /* the server wants a new Call */
    ASKED_LOST,  /* the same in a new session: the server was restarted */
};

/*
 * RFC 8881 section 15.1.1.3: after NFS4ERR_DELAY from SEQUENCE, the retry is the same request; else a new one. Section
 * 8.4.2.1: after a restart the session is gone, and there is a grace period.
 */
static enum asked chaos_asked_of(const struct chaos *chaos, struct xdr results)
{
    uint32_t status = 0, tag = 0, n = 0;

    if (!xdr_u32(&results, &status) || !xdr_u32(&results, &tag) || tag != 0 || !xdr_u32(&results, &n))
        return ASKED_DONE;
    if (status == NFS4ERR_DELAY)
        return n == 1 ? ASKED_LATER : ASKED_ANEW;
    if (status == NFS4ERR_GRACE && chaos->outcome->restarts > 0)
        return ASKED_ANEW;
    if ((status == NFS4ERR_BADSESSION || status == NFS4ERR_DEADSESSION) && n == 1 && chaos->restarted)
        return ASKED_LOST;
    return ASKED_DONE;
}

static enum asked ask_once(struct chaos *chaos, const struct chaos_step *step, const struct request *request,
                           bool again)
{
    const bool breaks =
        !again && !chaos->restarted_now &&
        (step->fault == CHAOS_RESET_AFTER || step->fault == CHAOS_FIN_AFTER || step->fault == CHAOS_RESTART_AFTER);
    enum asked asked;
    struct xdr results;

    chaos_send_request(chaos, request, "");
    if (breaks) {
        disturb_after(chaos, step->fault, request);
        return ASKED_ENDED;
    }
    if (reply_of(chaos, request, &results)) {
        asked = chaos_asked_of(chaos, results);
        if (asked == ASKED_DONE)
            judge_step(chaos, step, &results, again);
        return asked;
    }
    if (!chaos_is_usable(chaos))
        return ASKED_ENDED;
    broken(chaos, "expected a Reply with SUCCESS to the Call; found %s within %.1f s, and the connection is whole",
           rpc_answer_words(chaos->answer), (double)talk_t_close(chaos->talk) / 1e9);
    return ASKED_DONE;
}

/*
 * Sends the Call, again on further connections if they break: a server may end a connection at any time, and delay a
 * Call. True: a new Call is needed.
 */
static bool chaos_ask(struct chaos *chaos, const struct chaos_step *step, struct request *request)
{
    const int64_t began = talk_now();
    unsigned ended = 0;
    bool again = step->fault == CHAOS_READ_FAILS;

    while (ended < ENDED_MAX && talk_now() - began < t_delay(chaos)) {
        enum asked asked = be_connected(chaos) ? ask_once(chaos, step, request, again) : ASKED_DONE;

        if (asked == ASKED_LOST) {
            chaos->is_lost = true;
            chaos->doubtful |= again;
        }
        if (asked != ASKED_ENDED && asked != ASKED_LATER)
            return asked != ASKED_DONE;
        again = true;
        if (asked == ASKED_LATER) {
            put_be32(request->octets->data,
                     ++chaos->xid); /* at most one answer on this connection belongs to the Call */
            g_usleep((gulong)(retry_ns / 1000));
        } else {
            disconnect(chaos);
            ended++;
        }
    }
    if (ended == ENDED_MAX)
        broken(chaos, "expected an answer to the Call; the connection ended %d times in a row without one", ENDED_MAX);
    else
        delayed(chaos);
    return false;
}

/* Makes one Call for the step. True: the server needs another. */
static bool chaos_call(struct chaos *chaos, const struct chaos_step *step)
{
    struct request request;
    bool anew;

    make_request(chaos, step, &request);
    if (step->fault == CHAOS_READ_FAILS) {
        send_in_part(chaos, &request);
        disturb_after(chaos, step->fault, &request);
        disconnect(chaos);
    }
    anew = chaos_ask(chaos, step, &request);
    chaos->sequence++;
    g_byte_array_unref(request.octets);
    return anew;
}

static void execute(struct chaos *chaos, const struct chaos_step *step)
{
    const int64_t began = talk_now();

    chaos->doubtful = chaos->restarted_now = false;
    if (!be_connected(chaos))
        return;
    disturb_before(chaos, step->fault);
    while (be_connected(chaos) && chaos_call(chaos, step)) {
        if (talk_now() - began >= t_delay(chaos))
            delayed(chaos);
        g_usleep((gulong)(retry_ns / 1000));
    }
}

/* As for any client whose data must be safe: commits, and writes lost data again. */
static void chaos_commit(struct chaos *chaos)
{
    static const struct chaos_step all = {.operation = CHAOS_COMMIT};
    bool some = false;

    for (unsigned i = 0; i < CHAOS_BLOCKS; i++)
        some |= chaos->blocks[i].is_unstable;
    if (some)
        execute(chaos, &all);
    for (unsigned i = 0; i < CHAOS_BLOCKS && chaos_goes_on(chaos); i++) {
        const struct chaos_step again = {.operation = CHAOS_WRITE, .which = i, .pattern = chaos->world.blocks[i]};

        if (chaos->blocks[i].is_lost)
            execute(chaos, &again);
    }
}

static void chaos_take_step(struct chaos *chaos, const struct chaos_step *step)
{
    if (step->operation == CHAOS_READ)
        chaos_commit(chaos);
    if (chaos_goes_on(chaos))
        execute(chaos, step);
    chaos->outcome->faults += step->fault != CHAOS_CALM;
    chaos->outcome->steps++;
}

/* ---- the whole history ---- */

static void check_all(struct chaos *chaos)
{
    static const struct chaos_step read = {.operation = CHAOS_READ};

    chaos_take_step(chaos, &read);
    for (unsigned i = 0; i < CHAOS_FOLDERS && chaos_goes_on(chaos); i++) {
        const struct chaos_step remove = {.operation = CHAOS_REMOVE, .which = i};

        chaos_take_step(chaos, &remove);
    }
}

static void clear_up(struct chaos *chaos)
{
    for (unsigned i = 0; i < CHAOS_FOLDERS; i++) {
        if (chaos->folders[i])
            g_ptr_array_add(chaos->names, chaos->folders[i]);
    }
    disconnect(chaos);
    if (chaos->has_session)
        rpc_talker_clear_up(chaos->run, NFS_V41, chaos->names);
    g_ptr_array_unref(chaos->names);
}

void chaos_run(const struct chaos_server *server, const GArray *steps, struct chaos_outcome *outcome)
{
    struct chaos *chaos = g_new0(struct chaos, 1);

    *outcome = (struct chaos_outcome){.end = CHAOS_KEPT};
    chaos->server = server;
    chaos->run = server->run;
    chaos->outcome = outcome;
    chaos->names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < steps->len && chaos_goes_on(chaos); i++)
        chaos_take_step(chaos, &g_array_index(steps, struct chaos_step, i));
    if (chaos_goes_on(chaos))
        check_all(chaos);
    clear_up(chaos);
    g_free(chaos);
}

/* ---- reduction ---- */

struct reduction {
    const struct chaos_server *server;
    const GArray *steps;
    unsigned groups, runs;
    bool is_over; /* there is no server any more, or the run was stopped */
};

/* The steps of these groups. */
static GArray *steps_of(const struct reduction *reduction, uint32_t groups)
{
    GArray *steps = g_array_new(FALSE, FALSE, sizeof(struct chaos_step));

    for (guint i = 0; i < reduction->steps->len; i++) {
        if (groups & UINT32_C(1) << (uint64_t)i * reduction->groups / reduction->steps->len)
            g_array_append_val(steps, g_array_index(reduction->steps, struct chaos_step, i));
    }
    return steps;
}

static bool breaks(struct reduction *reduction, const GArray *steps)
{
    struct chaos_outcome outcome;

    if (reduction->is_over)
        return false;
    chaos_run(reduction->server, steps, &outcome);
    reduction->runs++;
    reduction->is_over = suite_stopped || outcome.end == CHAOS_NO_SERVER;
    g_free(outcome.what);
    return outcome.end == CHAOS_BROKEN;
}

static bool breaks_with_groups(void *ctx, uint32_t groups)
{
    g_autoptr(GArray) steps = steps_of(ctx, groups);

    return breaks(ctx, steps);
}

/* All steps; the others without faults of their connections. */
static GArray *steps_with_faults(const struct reduction *reduction, uint32_t faults)
{
    GArray *steps = steps_of(reduction, UINT32_MAX);

    for (guint i = 0; i < steps->len; i++) {
        if (!(faults & UINT32_C(1) << i))
            g_array_index(steps, struct chaos_step, i).fault = CHAOS_CALM;
    }
    return steps;
}

static bool breaks_with_faults(void *ctx, uint32_t faults)
{
    g_autoptr(GArray) steps = steps_with_faults(ctx, faults);

    return breaks(ctx, steps);
}

static uint32_t all_of(guint n)
{
    return n < REDUCE_AT_ONCE ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

/* Reduces many steps by groups, few steps one by one. */
static GArray *fewer_steps(struct reduction *reduction)
{
    return steps_of(reduction, reduce(all_of(reduction->groups), breaks_with_groups, reduction));
}

GArray *chaos_reduce(const struct chaos_server *server, const GArray *steps, unsigned *runs)
{
    struct reduction reduction = {.server = server};
    GArray *left = g_array_new(FALSE, FALSE, sizeof(struct chaos_step)), *next;
    guint before;

    g_array_append_vals(left, steps->data, steps->len);
    do {
        reduction.steps = left;
        reduction.groups = MIN(left->len, REDUCE_AT_ONCE);
        next = fewer_steps(&reduction);
        before = left->len;
        g_array_unref(left);
        left = next;
    } while (left->len < before && left->len > 1 && !reduction.is_over);
    if (left->len > 0 && left->len <= REDUCE_AT_ONCE && !reduction.is_over) {
        reduction.steps = left;
        reduction.groups = left->len;
        next = steps_with_faults(&reduction, reduce(all_of(reduction.steps->len), breaks_with_faults, &reduction));
        g_array_unref(left);
        left = next;
    }
    *runs = reduction.runs;
    return left;
}
