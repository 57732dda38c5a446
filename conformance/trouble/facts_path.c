// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/facts_path.h"

enum { TCP_ECE = 0x40, OPCODE_CNP = 0x81 };

/* Acknowledgements that are repeatedly this late are held back on purpose: networks rarely cause such delays. */
static const int64_t held_least_ns = 30000000, held_most_ns = 600000000, prompt_ns = 1000000;

/* Earlier retransmissions are not noticed. */
static const int64_t stalled_least_ns = 100000000;

/* ---- sizes ---- */

/* at: the first octet, or the PSN. A retransmission of the first waiting packet begins at the same place. */
static void take_sent(struct trouble_sizes *sizes, uint64_t at, uint32_t size, struct trouble_event event)
{
    if (sizes->waiting && at == sizes->at) {
        sizes->again++;
        sizes->last = event;
    } else if (!sizes->waiting) {
        sizes->waiting = true;
        sizes->at = at;
        sizes->size = size;
        sizes->again = 0;
        sizes->first = sizes->last = event;
        sizes->sent_most = 0;
    }
    sizes->latest = at;
    sizes->sent_most = size > sizes->sent_most ? size : sizes->sent_most;
}

/* all: no packet waits any longer. */
static void path_take_acked(struct trouble_sizes *sizes, bool all)
{
    uint32_t size = all ? sizes->sent_most : sizes->size;

    sizes->acked_most = size > sizes->acked_most ? size : sizes->acked_most;
    sizes->waiting = false;
}

/* ---- packets that are retransmitted ---- */

static void path_await(struct trouble_stall *stall, bool again, struct trouble_event event)
{
    stall->again |= again;
    if (stall->waiting)
        return;
    stall->waiting = true;
    stall->since = event;
}

static void note_stall(struct trouble_stall *stall, int64_t time_ns)
{
    int64_t took = time_ns - stall->since.time_ns;

    stall->again = false;
    if (took < stalled_least_ns)
        return;
    stall->n++;
    stall->sum_ns += (uint64_t)took;
    if ((uint64_t)took <= stall->longest_ns)
        return;
    stall->longest_ns = (uint64_t)took;
    stall->first = stall->since;
}

/* New data are acknowledged. all: no packet waits any longer. */
static void proceed(struct trouble_stall *stall, bool all, struct trouble_event event)
{
    if (stall->again)
        note_stall(stall, event.time_ns);
    stall->waiting = !all;
    stall->since = event;
}

/* ---- TCP ---- */

static void end_window(struct trouble_window *window, int64_t time_ns)
{
    uint64_t closed = time_ns > window->since.time_ns ? (uint64_t)(time_ns - window->since.time_ns) : 0;

    if (window->since.frame != 0 && closed >= window->longest_ns) {
        window->longest_ns = closed;
        window->first = window->since;
    }
    window->since.frame = 0;
}

/* The window was closed, or reopened. */
static __attribute__((noinline)) void path_take_window(struct trouble_window *window, const struct tcp_segment *segment)
{
    if (segment->flags & (TCP_SYN | TCP_RST))
        return;
    if (segment->window == 0) {
        if (window->since.frame == 0)
            window->since = (struct trouble_event){segment->frame, segment->time_ns};
    } else
        end_window(window, segment->time_ns);
}

static __attribute__((noinline)) void note_delay(struct trouble_delay *delay, uint32_t frame, int64_t now)
{
    if (delay->n++ == 0)
        delay->first = (struct trouble_event){frame, now};
    delay->sum_ns += delay->late_ns;
}

/*
 * A segment without payload may be a late acknowledgement; if data of the other side follow at once, they waited for
 * it.
 */
static void take_delay(struct trouble_delay *mine, struct trouble_delay *theirs, const struct tcp_segment *segment)
{
    int64_t now = segment->time_ns, took;

    if (segment->length > 0) {
        if (mine->acked_ns != 0 && now - mine->acked_ns < prompt_ns)
            note_delay(mine, segment->frame, now);
        mine->sent_ns = now;
        mine->acked_ns = theirs->acked_ns = 0;
        theirs->sent_ns = 0; /* this side sends data, so nobody waits for it */
    } else if (theirs->sent_ns != 0) {
        took = now - theirs->sent_ns;
        theirs->acked_ns = took >= held_least_ns && took < held_most_ns ? now : 0;
        theirs->late_ns = (uint64_t)took;
        theirs->sent_ns = 0;
    }
}

/* A keepalive begins just before the end of what was sent. */
static void take_probe(struct trouble_probe *probe, struct trouble_event event)
{
    if (probe->n++ == 0)
        probe->first = event;
}

void trouble_path_segment(struct trouble_path path[2], const struct tcp_segment *segment, uint64_t offset,
                          bool acked_known, uint64_t acked)
{
    bool second = segment->side & 1u;
    struct trouble_path *mine = second ? path + 1 : path, *theirs = second ? path : path + 1;
    struct trouble_event event = {segment->frame, segment->time_ns};

    if (segment->window == 0 || mine->window.since.frame != 0)
        path_take_window(&mine->window, segment);
    take_delay(&mine->delay, &theirs->delay, segment);
    if ((segment->flags & (TCP_SYN | TCP_ECE)) == TCP_ECE)
        mine->congested++;
    if (acked_known && theirs->stall.waiting && acked > theirs->stall.acked) {
        theirs->stall.acked = acked;
        proceed(&theirs->stall, acked >= theirs->stall.highest, event);
    }
    if (acked_known && theirs->sizes.waiting && acked > theirs->sizes.at)
        path_take_acked(&theirs->sizes, acked > theirs->sizes.latest);
    theirs->probe.n = 0;
    if (segment->length <= 1 && offset < mine->stall.highest && (segment->flags & (TCP_SYN | TCP_FIN | TCP_RST)) == 0)
        take_probe(&mine->probe, event);
    if (segment->length > 0) {
        take_sent(&mine->sizes, offset, segment->length, event);
        if (offset + segment->length > mine->stall.acked)
            path_await(&mine->stall, offset < mine->stall.highest, event);
        if (offset + segment->length > mine->stall.highest)
            mine->stall.highest = offset + segment->length;
    }
}

/* ---- RoCE, InfiniBand ---- */

static void take_nak_not_ready(struct trouble_not_ready *not_ready, const struct ib_packet *packet,
                               struct trouble_event event)
{
    if (not_ready->naks++ == 0)
        not_ready->first = event;
    not_ready->timer_ns = ib_rnr_timer_ns(packet->aeth.syndrome);
    not_ready->psn = packet->bth.psn;
    not_ready->time_ns = event.time_ns;
    not_ready->waiting = true;
}

/* The side that was asked to wait sends again. */
static void take_retry(struct trouble_not_ready *not_ready, int64_t time_ns)
{
    int64_t waited = time_ns - not_ready->time_ns;

    not_ready->waiting = false;
    if (waited >= not_ready->timer_ns - not_ready->timer_ns / 8)
        return;
    if (not_ready->early++ == 0 || waited < not_ready->waited_least_ns)
        not_ready->waited_least_ns = waited;
}

/* The Read Request asks for the rest of the previous Request, although none of its data have come. */
static void path_take_read(struct trouble_read *read, const struct ib_packet *packet, struct trouble_event event)
{
    uint64_t end = packet->reth.address + packet->reth.length;

    if (read->known && !read->answered && packet->reth.rkey == read->rkey && end == read->end &&
        ib_psn_distance(read->psn, packet->bth.psn) > 0) {
        if (read->n++ == 0) {
            read->first = event;
            read->first_psn = read->psn;
            read->continued_psn = packet->bth.psn;
        }
        return;
    }
    if (read->known && packet->bth.psn == read->psn)
        return;
    read->known = true;
    read->answered = false;
    read->psn = packet->bth.psn;
    read->rkey = packet->reth.rkey;
    read->end = end;
}

/* A Read Request. Its sender may repeat several Read Requests, one after another. */
static void take_reading(struct trouble_reading *reading, const struct ib_packet *packet, struct trouble_event event)
{
    uint32_t psn = packet->bth.psn;
    bool newer = !reading->known || ib_psn_distance(reading->highest, psn) > 0;

    if (newer && reading->known && reading->again == 0 && !reading->answered)
        reading->highest = psn; /* the earlier Request still waits */
    else if (newer)
        *reading = (struct trouble_reading){.known = true, .at = psn, .highest = psn, .first = event};
    else if (psn == reading->at)
        reading->again++;
    else if (reading->answered && reading->again == 0)
        *reading =
            (struct trouble_reading){.known = true, .at = psn, .highest = reading->highest, .again = 1, .first = event};
}

static void path_take_data(struct trouble_reading *reading, const struct ib_packet *packet)
{
    if (!reading->known || ib_psn_distance(reading->at, packet->bth.psn) < 0)
        return;
    reading->responses++;
    if (packet->payload_len > reading->octets)
        reading->octets = (uint32_t)packet->payload_len;
    reading->answered |= packet->info->last;
}

static void path_take_response(struct trouble_path *mine, struct trouble_path *theirs, const struct ib_packet *packet,
                               struct trouble_event event)
{
    bool acks = (packet->headers & IB_HAS_AETH) != 0;
    enum ib_aeth_kind kind = acks ? ib_aeth_kind(packet->aeth.syndrome) : IB_AETH_ACK;

    if (kind == IB_AETH_RNR_NAK)
        take_nak_not_ready(&mine->not_ready, packet, event);
    if (kind != IB_AETH_ACK)
        return;
    if (packet->payload_len > 0)
        path_take_data(&theirs->reading, packet);
    theirs->read.answered |= packet->payload_len > 0 && ib_psn_distance(theirs->read.psn, packet->bth.psn) >= 0;
    if (theirs->sizes.waiting && ib_psn_distance((uint32_t)theirs->sizes.at, packet->bth.psn) >= 0)
        path_take_acked(&theirs->sizes, ib_psn_distance((uint32_t)theirs->sizes.latest, packet->bth.psn) >= 0);
    if (theirs->stall.waiting && ib_psn_distance((uint32_t)theirs->stall.acked, packet->bth.psn) >= 0) {
        theirs->stall.acked = (packet->bth.psn + 1) & IB_PSN_MASK;
        proceed(&theirs->stall, ib_psn_distance((uint32_t)theirs->stall.highest, packet->bth.psn) >= 0, event);
    }
}

static void path_take_request(struct trouble_stall *stall, uint32_t psn, struct trouble_event event)
{
    if (!stall->known) {
        stall->known = true;
        stall->acked = stall->highest = psn;
        path_await(stall, false, event);
        return;
    }
    if (ib_psn_distance((uint32_t)stall->acked, psn) >= 0) /* acknowledged packets do not wait */
        path_await(stall, ib_psn_distance((uint32_t)stall->highest, psn) <= 0, event);
    if (ib_psn_distance((uint32_t)stall->highest, psn) > 0)
        stall->highest = psn;
}

void trouble_path_ib(struct trouble_path path[2], unsigned side, const struct ib_packet *packet, uint32_t length,
                     struct trouble_event event)
{
    struct trouble_path *mine = &path[side], *theirs = &path[side ^ 1u];

    mine->congested += packet->bth.opcode == OPCODE_CNP;
    if (!packet->info || ib_service_of(packet->bth.opcode) != IB_RC)
        return;
    if (packet->info->response) {
        path_take_response(mine, theirs, packet, event);
        return;
    }
    if (theirs->not_ready.waiting && packet->bth.psn == theirs->not_ready.psn)
        take_retry(&theirs->not_ready, event.time_ns);
    if (packet->info->message == IB_MESSAGE_READ) {
        path_take_read(&mine->read, packet, event);
        take_reading(&mine->reading, packet, event);
    }
    take_sent(&mine->sizes, packet->bth.psn, length, event);
    path_take_request(&mine->stall, packet->bth.psn, event);
}

void trouble_path_end(struct trouble_path path[2], int64_t until_ns)
{
    for (unsigned side = 0; side < 2; side++)
        end_window(&path[side].window, until_ns);
}
