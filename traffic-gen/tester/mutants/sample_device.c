// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/mutants/sample_device.h"

#include "support/advert.h"
#include "traffic-gen/tester/mutants/sample_rpc_device.h"

#include <string.h>

enum { REGION_SIZE = 65536, RECEIVE_SIZE = 4096, READS = 16, RECEIVES_MAX = 4096, ECHO = 1, SEED = 5040 };

static const int64_t t_default = INT64_C(10) * 1000000000;
static const uint64_t region_base = 0x10000;

/* Shared by all connections. */
static uint8_t shared_octets[REGION_SIZE];

struct sample_device {
    struct sample_device_options options;
    struct mutant mutant;
    struct memory *memory;
    uint8_t octets[REGION_COUNT][REGION_SIZE];
    struct advert advert;
    struct qp *qp;
    uint32_t flags;                /* of the suite's requests */
    struct sample_rpc_device *rpc; /* alone */
};

static void make_memory(struct sample_device *device)
{
    static const unsigned rights[REGION_COUNT] = {
        [REGION_ALL] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC,
        [REGION_READ_ONLY] = MEMORY_REMOTE_READ,
        [REGION_WRITE_ONLY] = MEMORY_REMOTE_WRITE,
        [REGION_FOREIGN] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE,
        [REGION_GONE] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE,
        [REGION_SHARED] = MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC,
    };

    device->memory = memory_new(SEED);
    device->advert.n = REGION_COUNT;
    for (unsigned i = 0; i < REGION_COUNT; i++) {
        struct advert_memory *told = &device->advert.regions[i];

        told->address = region_base * (i + 1);
        told->length = REGION_SIZE;
        told->stag = memory_register(device->memory, i == REGION_SHARED ? shared_octets : device->octets[i],
                                     REGION_SIZE, told->address, rights[i], true);
    }
    /* It exists, but is not associated with this stream. */
    memory_bind(device->memory, device->advert.regions[REGION_FOREIGN].stag, device->octets);
    memory_invalidate(device->memory, device->advert.regions[REGION_GONE].stag);
}

/* The other end's requests. */
static void device_take_words(struct sample_device *device, const struct mpa_end_terms *terms)
{
    struct advert_wish wish;

    if (!advert_wish_decode(&wish, terms->peer_data, terms->peer_length)) {
        qp_repost(device->qp, 1); /* they may come in a Send */
        return;
    }
    device->flags = wish.flags;
    if (device->options.how && device->options.how->setup.accept_all)
        device->flags &= ~ADVERT_REJECT;
    qp_repost(device->qp, MIN(wish.receives, RECEIVES_MAX));
}

static void device_on_requested(void *ctx, const struct mpa_end_terms *terms)
{
    static const char sorry[] = "IWT1: not acceptable";
    struct sample_device *device = ctx;
    struct mpa_end *mpa = qp_mpa(device->qp);

    device_take_words(device, terms);
    if (device->flags & ADVERT_SILENT)
        return;
    if (device->flags & (ADVERT_REJECT | ADVERT_REJECT_DATA))
        mpa_end_set_private_data(mpa, (const uint8_t *)sorry,
                                 device->flags & ADVERT_REJECT_DATA ? sizeof sorry - 1 : 0);
    mpa_end_reply(mpa, !(device->flags & (ADVERT_REJECT | ADVERT_REJECT_DATA)));
}

static void device_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    static const char hello[] = "hello";
    struct sample_device *device = ctx;

    if (terms->role != MPA_END_INITIATOR)
        return;
    device_take_words(device, terms);
    if (device->flags & ADVERT_REJECT)
        qp_close(device->qp, false);
    else
        qp_post(device->qp, &(struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)hello, .n = sizeof hello - 1});
}

/* Requests in a Send ask for the advertisement. */
static bool is_asked(struct sample_device *device, const struct qp_message *message)
{
    struct advert_wish wish;

    if (message->n != ADVERT_WISH_LEN || !advert_wish_decode(&wish, message->p, message->n))
        return false;
    device->flags = (device->flags & ~ADVERT_ECHO) | (wish.flags & ADVERT_ECHO);
    return true;
}

static bool advertise(struct sample_device *device)
{
    uint8_t words[ADVERT_MAX];
    size_t n = advert_encode(&device->advert, words);

    return qp_post(device->qp, &(struct qp_work){.kind = QP_SEND, .cookie = ECHO, .p = words, .n = n});
}

/* What the suite requests in a Send. False: not a request. */
static bool perform(struct sample_device *device, const struct qp_message *message)
{
    static const enum qp_kind kinds[] = {
        [ADVERT_FETCH_ADD] = QP_FETCH_ADD, [ADVERT_CMP_SWAP] = QP_CMP_SWAP, [ADVERT_IMMEDIATE_SE] = QP_IMMEDIATE};
    struct advert_request request;

    if (device->options.ignorant || !advert_request_decode(&request, message->p, message->n) ||
        request.operation == 0 || request.operation >= G_N_ELEMENTS(kinds))
        return false;
    return qp_post(device->qp, &(struct qp_work){.kind = kinds[request.operation],
                                                 .cookie = ECHO,
                                                 .solicited = true,
                                                 .remote_stag = request.stag,
                                                 .remote_to = request.address,
                                                 .add_swap = request.data,
                                                 .add_swap_mask = request.operation == ADVERT_CMP_SWAP ? UINT64_MAX : 0,
                                                 .compare = request.compare,
                                                 .compare_mask = UINT64_MAX,
                                                 .immediate = request.data});
}

static void device_on_received(void *ctx, const struct qp_message *message)
{
    struct sample_device *device = ctx;
    bool immediate = message->opcode == RDMAP_IMMEDIATE || message->opcode == RDMAP_IMMEDIATE_SE;

    if (is_asked(device, message)) {
        if (!advertise(device))
            qp_repost(device->qp, 1);
        return;
    }
    if (perform(device, message))
        return;
    if (!(device->flags & ADVERT_ECHO) ||
        !qp_post(device->qp, &(struct qp_work){.kind = immediate ? QP_IMMEDIATE : QP_SEND,
                                               .cookie = ECHO,
                                               .p = message->p,
                                               .n = immediate ? 0 : message->n,
                                               .immediate = message->immediate}))
        qp_repost(device->qp, 1);
}

/* A Receive is reposted when its echo has been sent, which limits a peer that reads nothing. */
static void device_on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct sample_device *device = ctx;

    (void)status, (void)original;
    if (cookie == ECHO)
        qp_repost(device->qp, 1);
}

/* A Request that is not for peer-to-peer mode offers no RTR (RFC 6581 section 9.2). */
static bool may_name_rtr(const struct sample_device_options *options)
{
    return options->role == DUT_RESPONDER || options->peer_to_peer;
}

struct sample_device *sample_device_new(const struct sample_device_options *options, const struct stream *stream)
{
    const unsigned all = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ;
    struct sample_device *device = g_new0(struct sample_device, 1);
    const struct qp_events events = {.ctx = device,
                                     .requested = device_on_requested,
                                     .established = device_on_established,
                                     .received = device_on_received,
                                     .completed = device_on_completed};
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

    device->options = *options;
    if (options->rpc) {
        device->rpc = sample_rpc_device_new(options->role, options->how, options->reads_by_v4, t_rest, stream);
        device->qp = sample_rpc_device_qp(device->rpc);
        return device;
    }
    make_memory(device);
    qp.mpa.private_data = words;
    qp.mpa.private_length = (uint16_t)advert_encode(&device->advert, words);
    mutant_prepare(options->how, &qp);
    device->qp = qp_new(&qp, device->memory, stream, &events);
    mutant_attach(&device->mutant, options->how, device->qp);
    return device;
}

void sample_device_free(struct sample_device *device)
{
    if (device->rpc) {
        sample_rpc_device_free(device->rpc);
        g_free(device);
        return;
    }
    qp_free(device->qp);
    memory_free(device->memory);
    g_free(device);
}

struct qp *sample_device_qp(struct sample_device *device)
{
    return device->qp;
}
