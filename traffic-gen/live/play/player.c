// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/play/player.h"

enum { OWN, PEER };

struct player {
    const struct plan_side *own, *peer;
    struct live_socket *socket;
    const struct stream *stream;
    int64_t timeout_ns, last_ns; /* last_ns: time of the last progress */
    struct units units;
    unsigned next;    /* index of the next step */
    int64_t ready_at; /* time of the next step; 0: its gate is closed */
    uint64_t same;    /* octets of the peer's stream that match the plan */
    bool peer_fin, peer_reset, finished;
    char *trouble;
};

struct player *player_new(const struct plan *plan, unsigned side, struct live_socket *socket, int64_t timeout_ns)
{
    struct player *player = g_new0(struct player, 1);

    player->own = &plan->sides[side];
    player->peer = &plan->sides[!side];
    player->socket = socket;
    player->stream = live_stream(socket);
    player->units.streams[OWN] = player->own->frame;
    player->timeout_ns = timeout_ns;
    player->last_ns = live_now();
    return player;
}

void player_free(struct player *player)
{
    g_free(player->trouble);
    g_free(player);
}

/* ---- the peer's progress ---- */

static bool has_come(const struct player *player, const struct plan_gate *gate)
{
    const struct units_stream *stream = &player->units.streams[PEER];
    bool units =
        stream->n > gate->units || (stream->n == gate->units && stream->offset - stream->boundary >= gate->octets);

    return (units || (player->same == stream->offset && player->same >= gate->offset)) &&
           (!gate->fin || player->peer_fin);
}

static bool all_has_come(const struct player *player)
{
    return player->peer->reset ? player->peer_reset : has_come(player, &player->peer->all);
}

static char *what_is_awaited(const struct player *player)
{
    unsigned n = player->units.streams[PEER].n;

    if (n < player->peer->units->len)
        return g_strdup_printf("its unit %u (%s)", n + 1,
                               unit_name(g_array_index(player->peer->units, struct unit_kind, n)));
    if (player->peer->reset)
        return g_strdup("its RST");
    return g_strdup(player->peer->all.fin && !player->peer_fin ? "its FIN" : "more octets of it");
}

static void player_give_up(struct player *player, char *trouble)
{
    if (player->trouble)
        g_free(trouble);
    else
        player->trouble = trouble;
    player->finished = true;
    player->stream->close(player->stream->ctx, true);
}

static void check_unit(struct player *player)
{
    const GArray *planned = player->peer->units;
    struct unit_kind kind = units_last(&player->units, PEER);
    unsigned index = player->units.streams[PEER].n - 1;

    if (index >= planned->len) {
        player_give_up(player, g_strdup_printf("expected the end of the peer's stream; found unit %u (%s)", index + 1,
                                               unit_name(kind)));
        return;
    }

    struct unit_kind expected = g_array_index(planned, struct unit_kind, index);

    if (kind.what == expected.what && kind.rejected == expected.rejected && kind.opcode == expected.opcode)
        return;

    g_autofree char *found = g_strdup(unit_name(kind));

    player_give_up(player, g_strdup_printf("expected the peer's unit %u to be %s; found %s", index + 1,
                                           unit_name(expected), found));
}

/* ---- steps ---- */

static void player_finish(struct player *player)
{
    if (player->finished || !all_has_come(player))
        return;
    player->finished = true;
    player->stream->close(player->stream->ctx, false); /* if the script left it open; otherwise does nothing */
}

static bool player_is_due(struct player *player, const struct plan_step *step)
{
    if (player->ready_at == 0) {
        if (!has_come(player, &step->gate) || (step->acked && live_unacknowledged(player->socket) > 0))
            return false;
        player->ready_at = live_now() + step->delay_ns;
    }
    return live_now() >= player->ready_at;
}

static void player_take_step(struct player *player, const struct plan_step *step)
{
    switch (step->what) {
    case PLAN_WRITE:
        player->stream->write(player->stream->ctx, player->own->stream->data + step->from, step->n);
        break;
    case PLAN_SILENCE:
        break;
    case PLAN_FIN:
        player->stream->close(player->stream->ctx, false);
        break;
    case PLAN_RESET:
        player->stream->close(player->stream->ctx, true);
        player->finished = true;
        break;
    }
}

static void player_go_on(struct player *player)
{
    while (!player->finished && player->next < player->own->steps->len &&
           player->stream->room(player->stream->ctx) > 0) {
        const struct plan_step *step = &g_array_index(player->own->steps, struct plan_step, player->next);

        if (!player_is_due(player, step))
            return;
        player->next++;
        player->ready_at = 0;
        player->last_ns = live_now();
        player_take_step(player, step);
    }
    if (player->next == player->own->steps->len)
        player_finish(player);
}

/* ---- events of the connection ---- */

static void player_on_opened(void *ctx)
{
    struct player *player = ctx;

    player->last_ns = live_now();
    player_go_on(player);
}

static void player_on_receive(void *ctx, const uint8_t *p, size_t n)
{
    struct player *player = ctx;
    const GByteArray *planned = player->peer->stream;

    player->last_ns = live_now();
    for (size_t i = 0; i < n; i++) {
        uint64_t at = player->units.streams[PEER].offset + i;

        if (player->same != at || at >= planned->len || planned->data[at] != p[i])
            break;
        player->same++;
    }
    while (n > 0 && !player->finished) {
        unsigned before = player->units.streams[PEER].n;
        size_t taken = units_take(&player->units, PEER, p, n);

        p += taken;
        n -= taken;
        if (player->units.streams[PEER].n > before)
            check_unit(player);
    }
    player_go_on(player);
}

static void player_on_fin(void *ctx)
{
    struct player *player = ctx;

    player->peer_fin = true;
    player->last_ns = live_now();
    if (!player->finished && !has_come(player, &(struct plan_gate){.units = player->peer->all.units,
                                                                   .octets = player->peer->all.octets,
                                                                   .offset = player->peer->all.offset})) {
        g_autofree char *awaited = what_is_awaited(player);

        player_give_up(player, g_strdup_printf("the peer closed the connection instead of sending %s", awaited));
        return;
    }
    player_go_on(player);
}

static void player_on_reset(void *ctx)
{
    struct player *player = ctx;

    player->peer_reset = true;
    if (player->trouble || player->finished)
        return;
    if (!player->peer->reset) {
        g_autofree char *awaited = what_is_awaited(player);

        player->trouble = g_strdup_printf("the peer reset the connection instead of sending %s", awaited);
    }
    player->finished = true;
}

static void player_on_room(void *ctx)
{
    player_go_on(ctx);
}

static void player_on_tick(void *ctx)
{
    struct player *player = ctx;
    int64_t patience = player->timeout_ns + player->peer->silence_ns + MAX(player->ready_at - player->last_ns, 0);

    player_go_on(player);
    if (player->finished || live_now() - player->last_ns < patience)
        return;

    g_autofree char *awaited = what_is_awaited(player);

    player_give_up(player, g_strdup_printf("timed out after %.3g s: the peer did not send %s after %u units",
                                           (double)player->timeout_ns / 1e9, awaited, player->units.streams[PEER].n));
}

void player_events(struct player *player, struct live_events *events)
{
    *events = (struct live_events){.ctx = player,
                                   .opened = player_on_opened,
                                   .receive = player_on_receive,
                                   .receive_fin = player_on_fin,
                                   .receive_reset = player_on_reset,
                                   .room = player_on_room,
                                   .tick = player_on_tick};
}

const char *player_closed(struct player *player, const char *why)
{
    if (!player->trouble && !player->finished) {
        g_autofree char *awaited = what_is_awaited(player);

        player->trouble = why ? g_strdup(why) : g_strdup_printf("the connection ended before %s", awaited);
    }
    return player->trouble;
}
