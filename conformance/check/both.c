// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/both.h"

#include "conformance/check/two_points.h"

#define AT(packets, i) (&g_array_index(packets, struct between_packet, i))

static bool read_packets(struct between *between, unsigned end, const char *file, struct capture_error *error)
{
    struct capture *capture = capture_open(file, error);
    GArray *packets = between->packets[end];
    struct packet packet;
    struct packet_key key;

    /* The check of the capture says what is wrong with a file that ends too early. */
    while (capture && !between->full[end] && capture_next(capture, &packet, error) == CAPTURE_PACKET) {
        if (!packet_key_of(&packet, &key))
            continue;
        between->full[end] = packets->len == BETWEEN_PACKETS_MAX;
        if (!between->full[end])
            g_array_append_vals(
                packets,
                &(struct between_packet){
                    .hash = key.hash, .time_ns = packet.time_ns, .frame = packet.frame, .forward = key.forward},
                1);
    }
    capture_close(capture);
    return capture != NULL;
}

static gint by_hash(gconstpointer a, gconstpointer b)
{
    const struct between_packet *first = a, *second = b;

    if (first->hash != second->hash)
        return first->hash < second->hash ? -1 : 1;
    return (first->frame > second->frame) - (first->frame < second->frame);
}

static gint both_by_frame(gconstpointer a, gconstpointer b)
{
    const struct between_packet *first = a, *second = b;

    return (first->frame > second->frame) - (first->frame < second->frame);
}

static guint length_of_run(const GArray *packets, guint at)
{
    guint n = 1;

    while (at + n < packets->len && AT(packets, at + n)->hash == AT(packets, at)->hash)
        n++;
    return n;
}

static void pair_up(struct between_packet *packet, struct between_packet *peer)
{
    packet->peer = peer->frame;
    packet->peer_ns = peer->time_ns;
    peer->peer = packet->frame;
    peer->peer_ns = packet->time_ns;
}

/* Equal packets are matched in order: the first in one capture with the first in the other, and so on. */
static void pair_all(GArray *client, GArray *server)
{
    guint i = 0, j = 0;

    while (i < client->len && j < server->len) {
        guint n = length_of_run(client, i), m = length_of_run(server, j);
        uint64_t hash = AT(client, i)->hash, other = AT(server, j)->hash;

        for (guint k = 0; hash == other && k < MIN(n, m); k++)
            pair_up(AT(client, i + k), AT(server, j + k));
        i += hash <= other ? n : 0;
        j += other <= hash ? m : 0;
    }
}

/* The direction of forward packets is the client's if these are later by the server's clock than all others. */
struct delays {
    GArray *of[2]; /* int64_t: server's time minus client's time, by `forward` */
};

static gint by_delay(gconstpointer a, gconstpointer b)
{
    int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;

    return (first > second) - (first < second);
}

static int64_t delay_at(const GArray *delays, guint i)
{
    return g_array_index(delays, int64_t, i);
}

/* The sum of both ways, and twice the difference of the clocks, from the fastest packet of each way. */
static bool both_measure(struct between *between, const struct delays *delays, bool *client_is_forward)
{
    const GArray *to = delays->of[1], *from = delays->of[0];
    int64_t ahead, path;

    if (to->len == 0 || from->len == 0)
        return false;
    *client_is_forward = delay_at(to, to->len / 2) >= delay_at(from, from->len / 2);
    if (!*client_is_forward) {
        to = delays->of[0];
        from = delays->of[1];
    }
    ahead = delay_at(to, 0) + delay_at(from, from->len - 1);
    path = delay_at(to, 0) - delay_at(from, from->len - 1);
    between->ahead_ns = ahead / 2;
    between->way[BETWEEN_CLIENT].median_ns = delay_at(to, to->len / 2) - between->ahead_ns;
    between->way[BETWEEN_SERVER].median_ns = between->ahead_ns - delay_at(from, from->len / 2);
    return path >= 0;
}

static void take_delays(const struct between *between, struct delays *delays)
{
    const GArray *packets = between->packets[BETWEEN_CLIENT];

    for (unsigned i = 0; i < 2; i++)
        delays->of[i] = g_array_new(FALSE, FALSE, sizeof(int64_t));
    for (guint i = 0; i < packets->len; i++) {
        const struct between_packet *packet = AT(packets, i);
        int64_t delay = packet->peer_ns - packet->time_ns;

        if (packet->peer != 0)
            g_array_append_val(delays->of[packet->forward], delay);
    }
    for (unsigned i = 0; i < 2; i++)
        g_array_sort(delays->of[i], by_delay);
}

static void add_time(struct between_way *way, const struct between_packet *packet, unsigned end, int64_t ns)
{
    if (ns <= way->most_ns && way->most_frame[0] != 0)
        return;
    way->most_ns = ns;
    way->most_frame[end] = packet->frame;
    way->most_frame[1 - end] = packet->peer;
}

/* Packets of one capture, while the other capture was running, too. */
static void both_count(struct between *between, unsigned end, bool client_is_forward)
{
    const GArray *packets = between->packets[end], *others = between->packets[1 - end];
    int64_t shift = end == BETWEEN_CLIENT ? between->ahead_ns : -between->ahead_ns;
    int64_t margin = MAX(between->way[0].most_ns, between->way[1].most_ns);
    int64_t first = AT(others, 0)->time_ns + margin, last = AT(others, others->len - 1)->time_ns - margin;

    for (guint i = 0; i < packets->len; i++) {
        const struct between_packet *packet = AT(packets, i);
        unsigned from = packet->forward == client_is_forward ? BETWEEN_CLIENT : BETWEEN_SERVER;
        struct between_way *way = &between->way[from];
        int64_t there = packet->time_ns + shift;

        if (packet->peer != 0 || there < first || there > last)
            continue;
        if (from != end) {
            way->uncaptured++;
            continue;
        }
        if (way->lost < BETWEEN_FRAMES)
            way->lost_frame[way->lost] = packet->frame;
        way->lost++;
    }
}

static void time_packets(struct between *between, bool client_is_forward)
{
    const GArray *packets = between->packets[BETWEEN_CLIENT];

    for (guint i = 0; i < packets->len; i++) {
        const struct between_packet *packet = AT(packets, i);
        unsigned from = packet->forward == client_is_forward ? BETWEEN_CLIENT : BETWEEN_SERVER;
        int64_t delay = packet->peer_ns - packet->time_ns - between->ahead_ns;

        if (packet->peer == 0)
            continue;
        between->way[from].both++;
        add_time(&between->way[from], packet, BETWEEN_CLIENT, from == BETWEEN_CLIENT ? delay : -delay);
    }
}

static void both_find(struct between *between)
{
    GArray *client = between->packets[BETWEEN_CLIENT], *server = between->packets[BETWEEN_SERVER];
    bool client_is_forward = true;
    struct delays delays;
    uint64_t both;

    g_array_sort(client, by_hash);
    g_array_sort(server, by_hash);
    pair_all(client, server);
    g_array_sort(client, both_by_frame);
    g_array_sort(server, both_by_frame);
    take_delays(between, &delays);
    both = delays.of[0]->len + (uint64_t)delays.of[1]->len;
    between->few = both < MIN(client->len, server->len) / 2;
    between->timed = both_measure(between, &delays, &client_is_forward);
    for (unsigned i = 0; i < 2; i++)
        g_array_unref(delays.of[i]);
    if (!between->timed)
        return;
    time_packets(between, client_is_forward);
    both_count(between, BETWEEN_CLIENT, client_is_forward);
    both_count(between, BETWEEN_SERVER, client_is_forward);
}

struct between *both_compare(char *const files[BETWEEN_ENDS], struct capture_error *error)
{
    struct between *between = g_new0(struct between, 1);

    for (unsigned end = 0; end < BETWEEN_ENDS; end++)
        between->packets[end] = g_array_new(FALSE, FALSE, sizeof(struct between_packet));
    for (unsigned end = 0; end < BETWEEN_ENDS; end++)
        if (!read_packets(between, end, files[end], error)) {
            between_free(between);
            return NULL;
        }
    both_find(between);
    return between;
}
