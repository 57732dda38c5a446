// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/conversation.h"

#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/deviation.h"
#include "traffic-gen/speak/say/operations.h"
#include "traffic-gen/speak/say/verb.h"

enum { BETWEEN_STAGES_NS = 1000000000 };

static const int64_t start_ns = INT64_C(1700000000) * 1000000000;

/* ---- the stage ---- */

static void conversation_free(gpointer p)
{
    struct conversation *c = p;

    operations_free(c->operations);
    for (unsigned role = 0; role < 2; role++) {
        if (c->corked[role])
            g_byte_array_unref(c->corked[role]);
    }
    g_free(c);
}

struct stage *stage_new(struct capture_file *file, uint64_t seed, const struct sim_trouble *trouble,
                        const struct stage_place *place)
{
    struct stage *stage = g_new0(struct stage, 1);

    stage->sim = sim_new(file, start_ns + place->elapsed_ns, seed, trouble);
    stage->carrier = &carrier_mpa;
    stage->first = place->conversations;
    stage->mtu = 1500;
    stage->seed = seed;
    stage->conversations = g_ptr_array_new_with_free_func(conversation_free);
    return stage;
}

struct stage *stage_new_live(const struct carrier *carrier)
{
    struct stage *stage = g_new0(struct stage, 1);

    stage->carrier = carrier;
    stage->conversations = g_ptr_array_new_with_free_func(conversation_free);
    return stage;
}

void stage_leave(const struct stage *stage, struct stage_place *place)
{
    place->elapsed_ns = sim_now(stage->sim) - start_ns + BETWEEN_STAGES_NS;
    place->conversations = stage->first + stage->n_conversations;
}

void stage_free(struct stage *stage)
{
    if (stage->sim)
        sim_free(stage->sim);
    g_ptr_array_unref(stage->conversations);
    g_free(stage);
}

/* Negotiates the terms from both frames: RFC 5044 section 7.1.1, and Appendix C for revision 0. */
static void conversation_negotiate(struct conversation *c)
{
    const struct startup_wish *request = &c->setup.wish[INITIATOR], *reply = &c->setup.wish[RESPONDER];
    bool rdmac = request->revision == 0 || reply->revision == 0;

    c->framing[INITIATOR].markers = rdmac || reply->flags & MPA_FLAG_M;
    c->framing[RESPONDER].markers = rdmac || request->flags & MPA_FLAG_M;
    c->crc = rdmac || (request->flags | reply->flags) & MPA_FLAG_C;
    c->version = rdmac ? 0 : 1;
}

struct conversation *conversation_new(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = g_new0(struct conversation, 1);
    unsigned number = stage->n_conversations++;

    c->stage = stage;
    c->carrier =
        setup->no_mpa ? &carrier_mpa : stage->carrier; /* plain TCP, whatever carries the other conversations */
    c->operations = operations_new();
    c->number = number;
    c->setup = *setup;
    c->plain = setup->plain;
    if (number == 0 && stage->deviation && stage->deviation->sets_up) {
        struct words words = stage->deviation->setup;

        setup_change(&c->setup, &words);
        stage->deviated = !stage->deviation->changes; /* a deviation in the setup alone does not count yet */
    }
    c->side[INITIATOR] = c->setup.responder_opens;
    c->side[RESPONDER] = !c->setup.responder_opens;

    if (c->carrier->connect)
        c->carrier->connect(c);
    conversation_negotiate(c);
    g_ptr_array_add(stage->conversations, c);
    return c;
}

/* ---- writing ---- */

struct sim_how orderly(const struct conversation *c, enum role role)
{
    struct sim_how how = c->how;

    if (!c->early)
        how.received = carrier_all_of_peer(c, role);
    return how;
}

struct sim_how take_how(struct conversation *c, enum role role)
{
    struct sim_how how = orderly(c, role);

    c->how = (struct sim_how){0};
    c->early = false;
    return how;
}

void say_nothing(struct conversation *c, enum role role, int64_t ns)
{
    if (c->over)
        return;
    c->how.delay_ns = ns;

    struct sim_how how = take_how(c, role);

    c->carrier->silence(c, role, &how);
}

/* ---- startup ---- */

static const uint8_t ulp_private_data[MPA_PRIVATE_DATA_MAX] = "private data of the upper layer protocol";

void startup_frame_init(const struct conversation *c, enum role role, struct mpa_startup *frame)
{
    const struct startup_wish *wish = &c->setup.wish[role];

    *frame = (struct mpa_startup){
        .kind = role == INITIATOR ? MPA_REQUEST : MPA_REPLY,
        .flags = wish->flags,
        .revision = wish->revision,
        .has_enhanced = wish->flags & MPA_FLAG_S,
        .enhanced = wish->enhanced,
        .ulp_data = wish->ulp_data ? wish->ulp_data : ulp_private_data,
        .ulp_length = wish->ulp_length,
    };
    mpa_startup_fix_length(frame);
}

void say_request(struct conversation *c)
{
    c->carrier->startup(c, INITIATOR);
}

void say_reply(struct conversation *c)
{
    c->carrier->startup(c, RESPONDER);
}

void say_startup(struct conversation *c)
{
    say_request(c);
    say_reply(c);
}

/* ---- endings ---- */

void say_capturing(struct conversation *c, enum role role, bool on, const struct sim_how *how)
{
    if (c->carrier->capturing)
        c->carrier->capturing(c, role, on, how);
}

void say_fin(struct conversation *c, enum role role)
{
    if (c->doomed)
        say_aftermath(c, c->offender);
    if (c->over)
        return;

    struct sim_how how = take_how(c, role);

    c->carrier->end(c, role, false, &how);
}

void say_reset(struct conversation *c, enum role role)
{
    if (c->over)
        return;

    struct sim_how how = take_how(c, role);

    c->carrier->end(c, role, true, &how);
    c->over = true;
}

void say_close(struct conversation *c, enum role first)
{
    say_fin(c, first);
    say_fin(c, first == INITIATOR ? RESPONDER : INITIATOR);
}

/* Plays the Terminate that the peer sends about the last FPDU of `offender`, and its close. */
static void close_with_terminate(struct conversation *c, enum role offender, uint16_t terminate)
{
    enum role peer = offender == INITIATOR ? RESPONDER : INITIATOR;
    struct message message = {0};

    message_init(c, peer, RDMAP_TERMINATE, &message);
    message_blame(c, peer, terminate, 0, &message);
    say_message(c, peer, &message);
    say_close(c, peer);
}

void say_aftermath(struct conversation *c, enum role offender)
{
    const struct deviation *deviation = c->stage->deviation;

    c->doomed = false;
    if (deviation->aftermath == GOES_ON)
        return;
    uncork(c, offender);
    if (deviation->aftermath == TERMINATED)
        close_with_terminate(c, offender, deviation->terminate);
    else
        say_close(c, offender == INITIATOR ? RESPONDER : INITIATOR);
    c->over = true; /* the rest of the script is left out */
}
