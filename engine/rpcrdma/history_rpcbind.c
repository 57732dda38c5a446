// SPDX-License-Identifier: GPL-2.0-or-later
/* From what was sent to port 111 to the history of the pair of addresses. */
#include "engine/rpcrdma/history_lookups.h"
#include "wire/nfs.h"
#include "wire/rpcbind.h"

static enum lookup_about about(enum rpcbind_question question, const struct rpcbind_lookup *lookup)
{
    switch (question) {
    case RPCBIND_NOTHING:
        return LOOKUP_ABOUT_OTHERS;
    case RPCBIND_LOOKUP:
        if (lookup->program != NFS_PROGRAM || lookup->program_version != 4)
            return LOOKUP_ABOUT_OTHERS;
        /* The others ask for TCP or UDP, as long as nobody has a protocol number for RDMA. */
        return lookup->version != RPCBIND_PORTMAPPER && rpcbind_is_rdma(lookup) ? LOOKUP_ABOUT_NFS4_RDMA
                                                                                : LOOKUP_MAYBE_NFS4_RDMA;
    case RPCBIND_DUMP:
    case RPCBIND_UNREADABLE:
        break;
    }
    return LOOKUP_MAYBE_NFS4_RDMA;
}

void history_rpcbind(struct history *history, const struct addressed_segment *segment, bool tcp)
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
        history_lookup(history, &segment->source, &segment->destination, about(question, &lookup), s->frame,
                       s->time_ns);
    }
}
