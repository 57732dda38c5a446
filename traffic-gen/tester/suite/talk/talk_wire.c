// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/talk/talk_wire.h"

#include "traffic-gen/tester/suite/talk/talk_internal.h"

static const int64_t slice_ns = 2 * INT64_C(1000000);

bool talk_hold(struct talk *talk)
{
    if (!talk_is_sending(talk) || !talk_delivered(talk) || !talk_is_sending(talk))
        return false;
    wire_hold(talk->connection.fd, true);
    return true;
}

void talk_let_go(struct talk *talk)
{
    if (talk->connection.fd >= 0)
        wire_hold(talk->connection.fd, false);
}

void talk_put(struct talk *talk, const struct wire_put *put, const char *what)
{
    g_autofree char *caption = NULL;

    if (!talk_is_sending(talk))
        return;
    caption = g_strdup_printf("segment at %" G_GINT64_FORMAT ": %s", put->from, what);
    talk_note(talk, true, put->n > 0 ? put->p : NULL, put->n, caption);
    wire_put_segment(talk->connection.fd, put);
}

bool talk_await_ack(struct talk *talk, uint64_t offset)
{
    const int64_t until = MIN(talk_now() + talk_t_react(talk), talk->job.deadline);

    while (talk_is_sending(talk) &&
           talk->connection.out_offset - MIN(wire_unacknowledged(talk->connection.fd), talk->connection.out_offset) <
               offset) {
        if (talk_now() >= until)
            return false;
        talk_receive(talk, talk_now() + slice_ns);
    }
    return talk_is_sending(talk);
}

void talk_narrow(struct talk *talk, uint16_t mtu)
{
    g_autofree char *caption = g_strdup_printf("ICMP: the path takes no more than %u octets", mtu);

    if (!talk_is_sending(talk))
        return;
    talk_note(talk, true, NULL, 0, caption);
    wire_narrow(talk->connection.fd, mtu);
}
