// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/stack/stack.h"

#include "engine/packet/path_trouble.h"
#include "engine/rdma/rdma.h"
#include "engine/rdma/rdma_rdmap.h"
#include "engine/rdma/ulp_choice.h"
#include "engine/rdma/ulp_signs.h"
#include "engine/stack/ulps.h"
#include "wire/invariant.h"

struct stack {
    struct stack_setup setup;
    struct arena *arena; /* shared by the layers */
    struct tcp_pair *tcp;
    struct mpa_connection *mpa;
    struct rdmap_connection *rdmap;
    const struct ulp_kind *kind; /* of the guest */
    void *guest;                 /* the upper layer; NULL before the first event that may concern it */
    bool follows;                /* the guest needs further parts */
    struct ulp_choice *choice;   /* NULL: closed, or not opened yet */
    struct rdma_terms terms;
    bool skipped[2];
    uint64_t received[2]; /* by side: how far the guest was informed */
    struct {
        bool any, bare;  /* bare: a RST without ACK */
        uint64_t offset; /* from its sequence number */
        bool acked_known;
        uint64_t acked;
    } closing[2]; /* the latest FIN or RST, by side */
    struct path_trouble path;
    bool memory_lacking;
};

static const struct stack_taps no_taps;

#define TAP(stack, what, ...)                                                                                          \
    do {                                                                                                               \
        if ((stack)->setup.taps->what)                                                                                 \
            (stack)->setup.taps->what((stack)->setup.ctx, __VA_ARGS__);                                                \
    } while (0)

static bool stack_has(const struct stack *stack, enum stack_layer layer)
{
    return stack->setup.options->first <= layer && layer <= stack->setup.options->last;
}

static bool stack_is_sound(const struct stack *stack)
{
    return (!stack->guest || stack->kind) && (!stack->choice || stack->guest) &&
           (!stack->follows || (stack->guest && stack->kind->part)) && stack->terms.initiator_side >= -1 &&
           stack->terms.initiator_side < 2;
}

void stack_options_init(struct stack_options *options, const struct mpa_options *mpa)
{
    *options = (struct stack_options){.first = STACK_TCP, .last = STACK_ULP, .ulps = ulps};
    if (mpa)
        options->mpa = *mpa;
    else
        mpa_options_init(&options->mpa);
    options->rdmap = (struct rdmap_options){.profile = options->mpa.profile,
                                            .t_react = options->mpa.t_react,
                                            .t_close = options->mpa.t_close,
                                            .t_idle = options->mpa.t_idle,
                                            .payload_only = options->mpa.payload_only};
    options->ulp = (struct ulp_options){
        .profile = options->mpa.profile, .t_react = options->mpa.t_react, .payload_only = options->mpa.payload_only};
}

/* Passes an event to the guest, if there is one with a handler. */
#define GUEST(stack, what, ...)                                                                                        \
    do {                                                                                                               \
        if ((stack)->guest && (stack)->kind->what)                                                                     \
            (stack)->kind->what((stack)->guest, __VA_ARGS__);                                                          \
    } while (0)

/* ---- the upper layer ---- */

static const void *own_of(const struct stack *stack, const struct ulp_kind *kind)
{
    for (const struct ulp_own *own = stack->setup.options->own; own && own->kind; own++)
        if (own->kind == kind)
            return own->own;
    return NULL;
}

static void make_guest(struct stack *stack, const struct ulp_kind *kind)
{
    const struct ulp_host host = {.kind = kind,
                                  .options = &stack->setup.options->ulp,
                                  .own = own_of(stack, kind),
                                  .ctx = stack->setup.ctx,
                                  .said = stack->setup.taps->said,
                                  .verdict = stack->setup.verdict,
                                  .arena = stack->arena};

    stack->kind = kind;
    stack->guest = kind->begin(&host);
    stack->follows = stack->guest && kind->part;
    stack->memory_lacking |= !stack->guest;
    stack->received[0] = stack->received[1] = 0;
    GUEST(stack, ports, stack->setup.port);
    GUEST(stack, terms, &stack->terms);
    for (unsigned side = 0; side < 2; side++)
        if (stack->skipped[side])
            GUEST(stack, skipped, side);
    INVARIANT(stack->kind == kind && (stack->guest || stack->memory_lacking));
}

static void stack_free_guest(struct stack *stack)
{
    if (stack->guest && stack->kind->free)
        stack->kind->free(stack->guest);
    stack->guest = NULL;
}

static void open_choice(struct stack *stack)
{
    if (stack->kind->owns && stack->kind->owns(stack->guest))
        return;
    stack->choice = ulp_choice_new(stack->setup.options->ulps, stack->arena);
    if (!stack->choice)
        return;
    ulp_choice_ports(stack->choice, stack->setup.port);
    ulp_choice_terms(stack->choice, &stack->terms);
    for (unsigned side = 0; side < 2; side++)
        if (stack->skipped[side])
            ulp_choice_skipped(stack->choice, side);
    INVARIANT(stack_is_sound(stack));
}

/* Makes the presumed guest at the first event that may concern it; false: not in this stack, or out of memory. */
static bool has_guest(struct stack *stack)
{
    if (!stack->guest && !stack->memory_lacking && stack_has(stack, STACK_ULP)) {
        make_guest(stack, stack->setup.options->ulps[0]);
        if (stack->guest)
            open_choice(stack);
    }
    INVARIANT(stack_is_sound(stack) && (!stack->guest || stack_has(stack, STACK_ULP)));
    return stack->guest != NULL;
}

/* Called when another kind is certain. */
static void replace_guest(struct stack *stack, const struct ulp_kind *kind)
{
    stack_free_guest(stack);
    make_guest(stack, kind);
    if (stack->guest)
        ulp_choice_introduce(stack->choice, kind, stack->guest);
    stack->choice = NULL;
    INVARIANT(stack_is_sound(stack) && (stack->kind == kind || !stack->guest));
}

/* Closes the choice if possible, after the presumed guest received the event. */
static void close_choice(struct stack *stack)
{
    if (ulp_choice_closed(stack->choice) || (stack->kind->owns && stack->kind->owns(stack->guest)))
        stack->choice = NULL;
    INVARIANT(stack_is_sound(stack));
}

static inline void follow_part(struct stack *stack, const struct rdma_part *part)
{
    if (stack->follows)
        stack->follows = stack->kind->part(stack->guest, part);
    INVARIANT(stack_is_sound(stack));
}

/* Called while the choice is open. */
static void choose_by_part(struct stack *stack, const struct rdma_part *part)
{
    const struct ulp_kind *kind = ulp_choice_part(stack->choice, part);

    if (kind) {
        replace_guest(stack, kind);
        return;
    }
    follow_part(stack, part);
    if (part->kind == RDMA_SEND) /* no other part decides */
        close_choice(stack);
    INVARIANT(stack_is_sound(stack));
}

static inline void give_part(struct stack *stack, const struct rdma_part *part)
{
    if (stack->choice)
        choose_by_part(stack, part);
    else
        follow_part(stack, part);
}

static void give_private_data(struct stack *stack, const struct rdma_private_data *data)
{
    const struct ulp_kind *kind = stack->choice ? ulp_choice_private_data(stack->choice, data) : NULL;

    if (kind) {
        replace_guest(stack, kind);
        return;
    }
    GUEST(stack, private_data, data);
    if (stack->choice)
        close_choice(stack);
    INVARIANT(stack_is_sound(stack) && stack->guest);
}

void stack_terms(struct stack *stack, const struct rdma_terms *terms)
{
    stack->terms = *terms;
    GUEST(stack, terms, terms);
    if (stack->choice)
        ulp_choice_terms(stack->choice, terms);
    INVARIANT(stack_is_sound(stack));
}

void stack_ports(struct stack *stack, const uint16_t port[2])
{
    stack->setup.port[0] = port[0];
    stack->setup.port[1] = port[1];
    GUEST(stack, ports, port);
    if (stack->choice)
        ulp_choice_ports(stack->choice, port);
}

void stack_private_data(struct stack *stack, const struct rdma_private_data *data)
{
    TAP(stack, private_data, data);
    if (has_guest(stack))
        give_private_data(stack, data);
}

void stack_part(struct stack *stack, const struct rdma_part *part)
{
    TAP(stack, part, part);
    if (has_guest(stack))
        give_part(stack, part);
}

void stack_refusal(struct stack *stack, const struct rdma_refusal *refusal)
{
    TAP(stack, refusal, refusal);
    if (has_guest(stack))
        GUEST(stack, refusal, refusal);
}

void stack_copy(struct stack *stack, const struct rdma_copy *copy)
{
    if (!stack->setup.verdict->off)
        rdma_judge_copy(stack->setup.verdict, copy);
    if (copy->difference)
        GUEST(stack, doubt, copy);
    INVARIANT(stack_is_sound(stack));
}

void stack_received(struct stack *stack, unsigned side, uint64_t offset)
{
    stack->received[side & 1u] = offset;
    GUEST(stack, received, side, offset);
}

void stack_missed(struct stack *stack, unsigned side, uint64_t offset)
{
    GUEST(stack, missed, side, offset);
}

void stack_lossy(struct stack *stack)
{
    if (stack->guest && stack->kind->lossy)
        stack->kind->lossy(stack->guest);
}

void stack_closing(struct stack *stack, const struct rdma_closing *closing)
{
    GUEST(stack, closing, closing);
}

/* The other side has acknowledged octets that were not captured. One sequence number may belong to a FIN. */
static bool lacks_octets(const struct stack *stack, unsigned side)
{
    const struct tcp_side_facts *facts = tcp_pair_facts(stack->tcp, side);

    return facts->acked > facts->next + 1;
}

static void stack_note_closing(struct stack *stack, unsigned side)
{
    struct rdma_closing closing = {.bare = stack->closing[side].bare,
                                   .silent = stack->path.side[side].silent,
                                   .choked = {stack->path.side[0].choked, stack->path.side[1].choked},
                                   .resent = stack->path.resent,
                                   .resent_ns = stack->path.resent_ns};

    if (stack->tcp) {
        const struct tcp_side_facts *mine = tcp_pair_facts(stack->tcp, side);
        const struct tcp_side_facts *other = tcp_pair_facts(stack->tcp, other_side(side));

        /*
         * Without knowledge of the connection, a reset takes its sequence number from the ACK that it answers (RFC 9293
         * section 3.10.7.1).
         */
        closing.forgotten = closing.bare && mine->acked_known && stack->closing[side].offset <= mine->acked;
        closing.missing[side] = lacks_octets(stack, side) || stack->closing[side].offset > mine->next + 1;
        closing.missing[other_side(side)] = lacks_octets(stack, other_side(side));
        closing.acked = other->acked_known ? other->acked : 0;
    }
    stack_closing(stack, &closing);
}

/* ---- events going up, from the layers of this stack or through its entrance ---- */

static void stack_give_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct stack *stack = ctx;

    TAP(stack, startup, event);
    if (has_guest(stack)) {
        struct rdma_private_data data = rdma_private_data_of_mpa(event);

        give_private_data(stack, &data);
    }
}

static void give_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    struct stack *stack = ctx;
    struct rdma_terms terms;

    TAP(stack, changed, phase, parameters);
    if (stack->rdmap)
        rdmap_connection_parameters(stack->rdmap, phase, parameters);
    terms = rdma_terms_of_mpa(parameters);
    stack_terms(stack, &terms);
}

/* Runs for each packet, so it is inlined. */
static inline void stack_take_acked(struct stack *stack, unsigned side, bool known, uint64_t acked)
{
    if (stack->rdmap)
        rdmap_connection_acked(stack->rdmap, side, known, acked);
    if (known && acked > stack->received[side & 1u]) /* most packets of a sending side acknowledge nothing new */
        stack_received(stack, side, acked);
}

static void give_acked(void *ctx, unsigned side, bool known, uint64_t acked)
{
    stack_take_acked(ctx, side, known, acked);
}

static void stack_give_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct stack *stack = ctx;

    TAP(stack, fpdu, event);
    if (stack->rdmap)
        rdmap_connection_fpdu(stack->rdmap, event);
}

static void give_segment(void *ctx, const struct rdmap_segment_event *event)
{
    struct stack *stack = ctx;
    bool any = has_guest(stack);

    TAP(stack, segment, event);
    if (any && (stack->follows || stack->choice)) {
        struct rdma_part part;

        rdma_part_of_rdmap(&part, event);
        give_part(stack, &part);
    }
    INVARIANT(stack_is_sound(stack));
}

static void give_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    struct stack *stack = ctx;

    TAP(stack, terminate, event);
    if (has_guest(stack)) {
        struct rdma_refusal refusal = rdma_refusal_of_rdmap(event);

        stack_note_closing(stack, refusal.place.side & 1u);
        GUEST(stack, refusal, &refusal);
    }
}

/* Informs the layers above RDMAP. */
static void skip_messages(void *ctx, unsigned side)
{
    struct stack *stack = ctx;

    stack->skipped[side & 1u] = true;
    GUEST(stack, skipped, side);
    if (stack->choice)
        ulp_choice_skipped(stack->choice, side);
    INVARIANT(stack->skipped[side & 1u] && stack_is_sound(stack));
}

static void give_skipped(void *ctx, unsigned side)
{
    struct stack *stack = ctx;

    if (stack->rdmap)
        rdmap_connection_skipped(stack->rdmap, side); /* calls skip_messages() if messages are affected */
    else
        skip_messages(stack, side);
}

static void stack_give_unclosed(void *ctx, unsigned side)
{
    struct stack *stack = ctx;

    if (stack->rdmap)
        rdmap_connection_unclosed(stack->rdmap, side);
}

static void stack_give_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    struct stack *stack = ctx;

    TAP(stack, end, side, reset, place);
    if (stack->rdmap)
        rdmap_connection_end(stack->rdmap, side, reset, place);
    GUEST(stack, end, side, reset, place);
    INVARIANT(stack_is_sound(stack));
}

/*
 * Neither close was captured. The other side's acknowledgments may cover a FIN or uncaptured octets, and so show that a
 * close was sent.
 */
static void note_unseen_close(struct stack *stack)
{
    struct rdma_closing closing = {.resent = stack->path.resent, .resent_ns = stack->path.resent_ns};

    for (unsigned side = 0; side < 2; side++) {
        const struct tcp_side_facts *facts = tcp_pair_facts(stack->tcp, side);

        closing.missing[side] = facts->acked_known && facts->acked > facts->next;
    }
    if (closing.missing[0] || closing.missing[1])
        stack_closing(stack, &closing);
}

/* ---- MPA ---- */

static void stack_on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why,
                             const struct place *place)
{
    struct stack *stack = ctx;

    TAP(stack, skipped, side, from, to, why, place);
    give_skipped(stack, side);
}

static void stack_on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters,
                             const struct place *place)
{
    (void)place;
    give_changed(ctx, phase, parameters);
}

/* ---- TCP ---- */

static enum path_sign sign_of(const struct stack *stack, const struct tcp_segment *segment, uint64_t offset)
{
    if (offset + segment->length > tcp_pair_facts(stack->tcp, segment->side & 1u)->highest)
        return PATH_NEW;
    return segment->length > 1 ? PATH_AGAIN : PATH_SIGN_OF_LIFE; /* a single repeated octet is a keep-alive */
}

static void stack_on_unsent_acked(void *ctx, const struct tcp_segment *segment, uint64_t offset, uint64_t acked)
{
    const struct stack *stack = ctx;

    if (stack->mpa)
        mpa_connection_unsent_acked(stack->mpa, segment, offset, acked);
}

static void stack_on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                             uint64_t acked)
{
    struct stack *stack = ctx;

    path_trouble_packet(&stack->path, segment->side & 1u, sign_of(stack, segment, offset), segment->time_ns);
    if (!(segment->flags & TCP_RST))
        stack->path.side[segment->side & 1u].choked = segment->window == 0;
    TAP(stack, tcp_segment, segment, offset, acked_known, acked);
    if (!stack->mpa)
        return;
    if (segment->flags & (TCP_FIN | TCP_RST)) {
        unsigned side = segment->side & 1u;

        stack->closing[side].any = true;
        stack->closing[side].bare = (segment->flags & (TCP_RST | TCP_ACK)) == TCP_RST;
        stack->closing[side].offset = offset;
        stack->closing[side].acked_known = acked_known;
        stack->closing[side].acked = acked;
    }
    mpa_connection_segment(stack->mpa, segment, offset, acked_known, acked);
    if (segment->length == 0)
        stack_take_acked(stack, segment->side, acked_known, acked);
}

static void on_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                      const struct octets_origin *origin)
{
    struct stack *stack = ctx;

    TAP(stack, octets, side, offset, p, n, origin);
    if (!stack->mpa)
        return;
    stack_take_acked(stack, side, origin->acked_known, origin->acked);
    mpa_connection_octets(stack->mpa, side, offset, p, n, origin);
}

static void stack_on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                          const struct octets_origin *next)
{
    struct stack *stack = ctx;

    TAP(stack, hole, side, from, to, cause, next);
    if (!stack->mpa)
        return;
    mpa_connection_hole(stack->mpa, side, from, to, cause, next);
    /* MPA reports only what it skips beyond the hole; the layers above must learn about the hole in any case. */
    give_skipped(stack, side);
}

static void on_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                        uint32_t first_frame, const struct tcp_segment *segment)
{
    struct stack *stack = ctx;

    TAP(stack, conflict, side, offset, first, repeated, first_frame, segment);
    if (stack->mpa)
        mpa_connection_conflict(stack->mpa, side, offset, first, repeated, first_frame, segment);
}

static struct place end_place(unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    return (struct place){
        .frame = frame, .first_frame = frame, .time_ns = time_ns, .offset = offset, .side = (uint8_t)side};
}

/*
 * A FIN that is missing in the capture, or comes late, has a sequence number of its own, which `beyond` includes. The
 * layers above learn of the FIN before the close that reveals it.
 */
static void give_fin_shown(struct stack *stack, unsigned side, uint64_t beyond, uint32_t frame, int64_t time_ns)
{
    const struct tcp_side_facts *facts = tcp_pair_facts(stack->tcp, side);
    struct place place = end_place(side, facts->next, frame, time_ns);

    if (facts->fin || facts->highest != facts->next || beyond != facts->next + 1)
        return;
    if (stack->rdmap)
        rdmap_connection_end(stack->rdmap, side, false, &place);
    GUEST(stack, end, side, false, &place);
}

static void stack_end(struct stack *stack, unsigned side, bool reset, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct place place = end_place(side, offset, frame, time_ns);

    if (stack->closing[side].acked_known)
        give_fin_shown(stack, other_side(side), stack->closing[side].acked, frame, time_ns);
    if (reset && stack->closing[side].any)
        give_fin_shown(stack, side, stack->closing[side].offset, frame, time_ns);
    stack_note_closing(stack, side);
    stack_give_end(stack, side, reset, &place);
}

static void stack_on_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct stack *stack = ctx;

    if (stack->mpa)
        mpa_connection_fin(stack->mpa, side, offset, frame, time_ns);
    stack_end(stack, side, false, offset, frame, time_ns);
}

static void stack_on_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    struct stack *stack = ctx;

    if (stack->mpa)
        mpa_connection_reset(stack->mpa, side, frame, time_ns);
    stack_end(stack, side, true, 0, frame, time_ns);
}

/* ---- life ---- */

static bool make_tcp(struct stack *stack)
{
    const struct tcp_pair_events events = {.ctx = stack,
                                           .segment = stack_on_segment,
                                           .unsent_acked = stack_on_unsent_acked,
                                           .octets = on_octets,
                                           .hole = stack_on_hole,
                                           .conflict = on_conflict,
                                           .fin = stack_on_fin,
                                           .reset = stack_on_reset};

    stack->tcp = tcp_pair_new(&stack->setup.options->tcp, &events, stack->arena);
    return stack->tcp != NULL;
}

static bool make_mpa(struct stack *stack)
{
    const struct mpa_events events = {.ctx = stack,
                                      .startup = stack_give_startup,
                                      .fpdu = stack_give_fpdu,
                                      .skipped = stack_on_skipped,
                                      .unclosed = stack_give_unclosed,
                                      .changed = stack_on_changed};

    stack->mpa = mpa_connection_new(&stack->setup.options->mpa, &events, stack->setup.verdict, stack->arena);
    if (!stack->mpa)
        return false;
    mpa_connection_set_tcp(stack->mpa, stack->tcp);
    stack->terms = rdma_terms_of_mpa(mpa_connection_parameters(stack->mpa));
    INVARIANT(stack->terms.initiator_side >= -1 && stack->terms.initiator_side < 2);
    mpa_connection_set_hosts(stack->mpa, stack->setup.host);
    return true;
}

static void stack_on_operation(void *ctx, const struct rdmap_operation *operation, const struct place *place)
{
    struct stack *stack = ctx;

    TAP(stack, operation, operation, place);
}

static bool make_rdmap(struct stack *stack)
{
    const struct rdmap_events events = {.ctx = stack,
                                        .segment = give_segment,
                                        .operation = stack->setup.taps->operation ? stack_on_operation : NULL,
                                        .terminate = give_terminate,
                                        .skipped = skip_messages};

    stack->rdmap = rdmap_connection_new(&stack->setup.options->rdmap, &events, stack->setup.verdict, stack->arena);
    if (!stack->rdmap)
        return false;
    rdmap_connection_set_hosts(stack->rdmap, stack->setup.host);
    return true;
}

struct stack *stack_new(const struct stack_setup *setup)
{
    struct arena *arena = arena_new(setup->pool);
    struct stack *stack = arena ? arena_zeroed(arena, sizeof *stack) : NULL;

    if (!stack) {
        arena_release(arena);
        return NULL;
    }
    stack->arena = arena;
    stack->setup = *setup;
    stack->terms.initiator_side = -1;
    if (!stack->setup.taps)
        stack->setup.taps = &no_taps;
    if ((!stack_has(stack, STACK_TCP) || make_tcp(stack)) && (!stack_has(stack, STACK_MPA) || make_mpa(stack)) &&
        (!stack_has(stack, STACK_RDMAP) || make_rdmap(stack)))
        return stack;
    stack_free(stack);
    return NULL;
}

void stack_free(struct stack *stack)
{
    if (!stack)
        return;
    tcp_pair_free(stack->tcp);
    mpa_connection_free(stack->mpa);
    rdmap_connection_free(stack->rdmap);
    stack_free_guest(stack);
    arena_release(stack->arena);
}

struct tcp_pair *stack_pair(struct stack *stack)
{
    return stack->tcp;
}

void stack_segment(struct stack *stack, const struct tcp_segment *segment)
{
    tcp_pair_segment(stack->tcp, segment);
}

struct stack_entrance stack_entrance(struct stack *stack)
{
    return (struct stack_entrance){.ctx = stack,
                                   .startup = stack_give_startup,
                                   .changed = give_changed,
                                   .acked = give_acked,
                                   .fpdu = stack_give_fpdu,
                                   .skipped = give_skipped,
                                   .end = stack_give_end};
}

void stack_finish(struct stack *stack, int64_t time_ns)
{
    if (stack->tcp) {
        struct rdma_closing closing = {.choked = {stack->path.side[0].choked, stack->path.side[1].choked},
                                       .missing = {lacks_octets(stack, 0), lacks_octets(stack, 1)}};

        tcp_pair_finish(stack->tcp);
        stack_closing(stack, &closing);
    }
    if (stack->mpa)
        mpa_connection_finish(stack->mpa, time_ns);
    if (stack->tcp && !stack->closing[0].any && !stack->closing[1].any)
        note_unseen_close(stack);
    if (stack->rdmap)
        rdmap_connection_finish(stack->rdmap, time_ns);
    GUEST(stack, finish, time_ns);
    INVARIANT(stack_is_sound(stack));
}

void *stack_record(struct stack *stack)
{
    return stack->guest && stack->kind->record ? stack->kind->record(stack->guest) : NULL;
}

/* ---- queries ---- */

size_t stack_size(const struct stack *stack)
{
    return arena_size(stack->arena);
}

struct arena_parked *stack_park(struct stack *stack)
{
    return arena_park(stack->arena);
}

bool stack_lacks_memory(const struct stack *stack)
{
    return stack->memory_lacking ||
           (stack->guest && stack->kind->lacks_memory && stack->kind->lacks_memory(stack->guest));
}

const struct tcp_pair *stack_tcp(const struct stack *stack)
{
    return stack->tcp;
}

const struct mpa_connection *stack_mpa(const struct stack *stack)
{
    return stack->mpa;
}

const struct rdmap_connection *stack_rdmap(const struct stack *stack)
{
    return stack->rdmap;
}

const struct ulp_kind *stack_kind(const struct stack *stack)
{
    return stack->guest ? stack->kind : NULL;
}

void *stack_guest(const struct stack *stack, const struct ulp_kind *kind)
{
    return stack->kind == kind ? stack->guest : NULL;
}

unsigned stack_initiator(const struct stack *stack)
{
    return stack->terms.initiator_side < 0 ? ulp_presumed_opener(stack->setup.options->ulps, stack->setup.port)
                                           : (unsigned)stack->terms.initiator_side;
}

bool stack_roles_known(const struct stack *stack)
{
    return stack->terms.initiator_side >= 0;
}

void stack_restart_counts(struct stack *stack)
{
    if (stack->rdmap)
        rdmap_connection_restart_counts(stack->rdmap);
    if (stack->guest && stack->kind->restart_counts)
        stack->kind->restart_counts(stack->guest);
}
