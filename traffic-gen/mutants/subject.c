// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/mutants/subject.h"

#include "support/advert.h"
#include "traffic-gen/mutants/subject_rpc.h"

#include <string.h>

enum { REGION_SIZE = 65536, RECEIVE_SIZE = 4096, READS = 16, RECEIVES_MAX = 4096, ECHO = 1, SEED = 5040 };

static const int64_t t_default = INT64_C(10) * 1000000000;
static const uint64_t region_base = 0x10000;

struct subject {
    struct subject_options options;
    struct mutant mutant;
    struct memory *memory;
    uint8_t octets[REGION_COUNT][REGION_SIZE];
    struct advert advert;
    struct qp *qp;
    uint32_t flags;          /* of the test's words */
    struct subject_rpc *rpc; /* alone */
};

static void make_memory(struct subject *subject)
{
    static const unsigned rights[REGION_COUNT] = {
        [REGION_ALL] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC,
        [REGION_READ_ONLY] = MEMORY_REMOTE_READ,
        [REGION_WRITE_ONLY] = MEMORY_REMOTE_WRITE,
        [REGION_FOREIGN] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE,
        [REGION_GONE] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE,
    };

    subject->memory = memory_new(SEED);
    subject->advert.n = REGION_COUNT;
    for (unsigned i = 0; i < REGION_COUNT; i++) {
        struct advert_memory *told = &subject->advert.regions[i];

        told->address = region_base * (i + 1);
        told->length = REGION_SIZE;
        told->stag = memory_register(subject->memory, subject->octets[i], REGION_SIZE, told->address, rights[i], true);
    }
    /* It exists, and is not associated with this stream. */
    memory_bind(subject->memory, subject->advert.regions[REGION_FOREIGN].stag, subject->octets);
    memory_invalidate(subject->memory, subject->advert.regions[REGION_GONE].stag);
}

/* What the other end says of its wishes. */
static void take_words(struct subject *subject, const struct mpa_end_terms *terms)
{
    struct advert_wish wish;

    if (!advert_wish_decode(&wish, terms->peer_data, terms->peer_length)) {
        qp_repost(subject->qp, 1); /* they may come in a Send */
        return;
    }
    subject->flags = wish.flags & ~(subject->options.how ? subject->options.how->ignored_flags : 0);
    qp_repost(subject->qp, MIN(wish.receives, RECEIVES_MAX));
}

static void on_requested(void *ctx, const struct mpa_end_terms *terms)
{
    static const char sorry[] = "IWT1: not acceptable";
    struct subject *subject = ctx;
    struct mpa_end *mpa = qp_mpa(subject->qp);

    take_words(subject, terms);
    if (subject->flags & ADVERT_SILENT)
        return;
    if (subject->flags & (ADVERT_REJECT | ADVERT_REJECT_DATA))
        mpa_end_set_private_data(mpa, (const uint8_t *)sorry,
                                 subject->flags & ADVERT_REJECT_DATA ? sizeof(sorry) - 1 : 0);
    mpa_end_reply(mpa, !(subject->flags & (ADVERT_REJECT | ADVERT_REJECT_DATA)));
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    static const char hello[] = "hello";
    struct subject *subject = ctx;

    if (terms->role != MPA_END_INITIATOR)
        return;
    take_words(subject, terms);
    if (subject->flags & ADVERT_REJECT)
        qp_close(subject->qp, false);
    else
        qp_post(subject->qp, &(struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)hello, .n = sizeof(hello) - 1});
}

/* Our words in a Send ask for the advertisement. */
static bool is_asked(struct subject *subject, const struct qp_message *message)
{
    struct advert_wish wish;

    if (message->n != ADVERT_WISH_LEN || !advert_wish_decode(&wish, message->p, message->n))
        return false;
    subject->flags = (subject->flags & ~ADVERT_ECHO) | (wish.flags & ADVERT_ECHO);
    return true;
}

static bool tell(struct subject *subject)
{
    uint8_t words[ADVERT_MAX];
    size_t n = advert_encode(&subject->advert, words);

    return qp_post(subject->qp, &(struct qp_work){.kind = QP_SEND, .cookie = ECHO, .p = words, .n = n});
}

static void on_received(void *ctx, const struct qp_message *message)
{
    struct subject *subject = ctx;
    bool immediate = message->opcode == RDMAP_IMMEDIATE || message->opcode == RDMAP_IMMEDIATE_SE;

    if (is_asked(subject, message)) {
        if (!tell(subject))
            qp_repost(subject->qp, 1);
        return;
    }
    if (!(subject->flags & ADVERT_ECHO) ||
        !qp_post(subject->qp, &(struct qp_work){.kind = immediate ? QP_IMMEDIATE : QP_SEND,
                                                .cookie = ECHO,
                                                .p = message->p,
                                                .n = immediate ? 0 : message->n,
                                                .immediate = message->immediate}))
        qp_repost(subject->qp, 1);
}

/* A Receive is posted anew when its echo is out: what a peer that reads nothing sends is bounded by them. */
static void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct subject *subject = ctx;

    (void)status, (void)original;
    if (cookie == ECHO)
        qp_repost(subject->qp, 1);
}

/* A Request that is not for peer-to-peer mode offers no RTR (RFC 6581 section 9.2). */
static bool may_name_rtr(const struct subject_options *options)
{
    return options->role == DUT_RESPONDER || options->peer_to_peer;
}

struct subject *subject_new(const struct subject_options *options, const struct stream *stream)
{
    const unsigned all = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ;
    struct subject *subject = g_new0(struct subject, 1);
    const struct qp_events events = {.ctx = subject,
                                     .requested = on_requested,
                                     .established = on_established,
                                     .received = on_received,
                                     .completed = on_completed};
    const int64_t t_startup = options->t_startup > 0 ? options->t_startup : t_default;
    const int64_t t_rest = options->t_rest > 0 ? options->t_rest : t_startup;
    uint8_t words[ADVERT_MAX];
    struct qp_options qp = {
        .mpa = {.role = options->role == DUT_RESPONDER ? MPA_END_RESPONDER : MPA_END_INITIATOR,
                .revision = options->revision ? options->revision : 2,
                .markers = options->markers,
                .crc = !options->no_crc,
                .enhanced = !options->plain,
                .enhanced_data = {.peer_to_peer = options->peer_to_peer,
                                  .rtr = may_name_rtr(options) ? options->rtr ? options->rtr : all : 0,
                                  .ird = READS,
                                  .ord = READS},
                .manual = options->role == DUT_RESPONDER,
                .t_startup = t_startup,
                .t_rest = t_rest},
        .receives = options->role == DUT_RESPONDER ? 0 : 1,
        .receive_size = RECEIVE_SIZE,
        .ird = READS,
        .ord = READS,
    };

    subject->options = *options;
    if (options->rpc) {
        subject->rpc = subject_rpc_new(options->role, options->how, t_rest, stream);
        subject->qp = subject_rpc_qp(subject->rpc);
        return subject;
    }
    make_memory(subject);
    qp.mpa.private_data = words;
    qp.mpa.private_length = (uint16_t)advert_encode(&subject->advert, words);
    mutant_prepare(options->how, &qp);
    subject->qp = qp_new(&qp, subject->memory, stream, &events);
    mutant_attach(&subject->mutant, options->how, subject->qp);
    return subject;
}

void subject_free(struct subject *subject)
{
    if (subject->rpc) {
        subject_rpc_free(subject->rpc);
        g_free(subject);
        return;
    }
    qp_free(subject->qp);
    memory_free(subject->memory);
    g_free(subject);
}

struct qp *subject_qp(struct subject *subject)
{
    return subject->qp;
}
