// SPDX-License-Identifier: GPL-2.0-or-later
/* From what was sent to port 111 to the history of the pair of addresses. */
#include "engine/rpcrdma/rpcrdma_history_lookups.h"

void rpcrdma_history_rpcbind(struct rpcrdma_history *history, const struct addressed_segment *segment, bool tcp)
{
    const struct tcp_segment *s = &segment->segment;
    const uint8_t *p = s->payload;
    size_t n = s->captured;
    struct rpcbind_lookup lookup;
    bool cut = s->captured < s->length;

    while (n > 0 || cut) {
        enum rpcbind_question question = RPCBIND_UNREADABLE;

        if (n == 0) {
            cut = false;
        } else if (tcp) {
            question = rpcbind_decode_record(&lookup, &p, &n);
        } else {
            question = rpcbind_decode(&lookup, p, n);
            n = 0;
        }
        rpcrdma_history_lookup(history, &segment->source, &segment->destination, nfs_lookup_about(question, &lookup),
                               s->frame, s->time_ns);
    }
}
