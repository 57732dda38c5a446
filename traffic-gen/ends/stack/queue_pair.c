// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs of all providers. */
#include "traffic-gen/ends/stack/queue_pair.h"

#include <glib.h>

struct qp *qp_new(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                  const struct qp_events *events)
{
    const struct qp_provider *provider = stream->provider ? stream->provider : &qp_software;

    return provider->make(options, memory, stream, events);
}

void qp_free(struct qp *qp)
{
    qp->provider->free(qp);
}

void qp_start(struct qp *qp)
{
    qp->provider->start(qp);
}

void qp_tick(struct qp *qp)
{
    qp->provider->tick(qp);
}

bool qp_post(struct qp *qp, const struct qp_work *work)
{
    return qp->provider->post(qp, work);
}

void qp_repost(struct qp *qp, unsigned receives)
{
    qp->provider->repost(qp, receives);
}

unsigned qp_pending(const struct qp *qp)
{
    return qp->provider->pending(qp);
}

void qp_close(struct qp *qp, bool reset)
{
    qp->provider->close(qp, reset);
}

void qp_terminate(struct qp *qp, unsigned layer, unsigned etype, unsigned code)
{
    qp->provider->terminate(qp, layer, etype, code);
}

bool qp_closed(const struct qp *qp)
{
    return qp->provider->closed(qp);
}

const struct mpa_end_terms *qp_terms(const struct qp *qp)
{
    return qp->provider->terms(qp);
}

char *qp_terminate_text(bool ours, const struct rdmap_terminate *terminate)
{
    return g_strdup_printf("%s sent a Terminate: layer %u, error type %u, code %#04x", ours ? "this end" : "the peer",
                           terminate->layer, terminate->etype, terminate->code);
}

const char *qp_status_text(enum qp_status status)
{
    static const char *const texts[] = {
        [QP_OK] = "done",
        [QP_FLUSHED] = "the connection ended before the work was done",
        [QP_REMOTE_ACCESS] = "the peer refused access to its memory",
        [QP_REMOTE_INVALID] = "the peer refused the request as invalid",
        [QP_REMOTE_ERROR] = "the peer could not carry out the request",
        [QP_NO_RECEIVE] = "the peer had no Receive buffer",
        [QP_NO_ANSWER] = "the peer does not acknowledge",
        [QP_LOCAL_ACCESS] = "the peer accessed memory of this side without rights",
        [QP_LOCAL_LENGTH] = "a message does not fit its Receive buffer",
        [QP_LOCAL_ERROR] = "the device failed",
    };

    return texts[status];
}
