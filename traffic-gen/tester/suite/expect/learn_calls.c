// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/expect/learn_device.h"

#include "traffic-gen/tester/suite/rpc/rpc_talker.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

/* Checks on a connection. */
static enum device_life calls_exchanges(struct rpc_talker *talker)
{
    struct talk *talk = talker->talk;

    if (talk_is_initiator(talk))
        return DEVICE_ALIVE; /* it answered a NULL Call */
    if (rpc_talker_serve(talker, 1, talk_t_close(talk)))
        return DEVICE_ALIVE;
    talk_inconclusive(talk, talker->fed_end ? "the connection is over" : "it makes no Call");
    return talk_job(talk)->run->sign == SIGN_SPEAKS ? DEVICE_IDLES : DEVICE_ALIVE;
}

enum device_life look_by_calls(struct talk *talk)
{
    struct talk_run *run = talk_job(talk)->run;
    struct rpc_talker talker;
    enum device_life life;

    if (rpc_talker_open(&talker, talk, NULL))
        life = calls_exchanges(&talker);
    else if (talker.open)
        life = DEVICE_IDLES;
    else
        life = talk_job(talk)->open_error == ECONNREFUSED ? DEVICE_REFUSES : DEVICE_VANISHED;
    if (life == DEVICE_ALIVE && talker.server.served > 0 && run->sign == SIGN_UNKNOWN)
        run->sign = SIGN_SPEAKS;
    rpc_talker_close(&talker);
    return life;
}

bool learn_by_calls(struct talk_run *run, char **why)
{
    struct talk *talk = talk_begin_job(run, NULL, 1, NULL);
    enum device_life life;

    life = look_by_calls(talk);
    if (life != DEVICE_ALIVE)
        *why = g_strdup(talk_actual(talk) ? talk_actual(talk) : device_life_text(life));
    else if (run->sign == SIGN_UNKNOWN)
        run->sign = run->dut == DUT_RESPONDER ? SIGN_RPC : SIGN_TCP;
    talk_end_job(talk);
    return life == DEVICE_ALIVE;
}
