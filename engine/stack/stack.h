/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layers of one connection, connected in one place: TCP segments -> octet streams -> MPA -> DDP and RDMAP -> an
 * upper layer, known here only by its table of functions (engine/rdma/ulp.h) and created when first needed. Each layer
 * receives the events of the layer below, and all layers learn of holes and of the end, whichever layer noticed them.
 * The host watches through taps, one per event; additional events of an upper layer reach the host through its struct
 * ulp_own.
 *
 * Sans-I/O; sides are TCP sides (0, 1).
 */
#ifndef IWARP_ENGINE_STACK_STACK_H
#define IWARP_ENGINE_STACK_STACK_H

#include "engine/ddp_rdmap/rdmap.h"
#include "engine/rdma/ulp.h"
#include "engine/terminate/terminate_hosts.h"

enum stack_layer { STACK_TCP, STACK_MPA, STACK_RDMAP /* and DDP */, STACK_ULP };

struct stack_options {
    enum stack_layer first, last; /* the layers of this stack */
    struct tcp_pair_options tcp;
    struct mpa_options mpa;
    struct rdmap_options rdmap;
    struct ulp_options ulp;
    const struct ulp_kind *const *ulps; /* the possible kinds: engine/stack/ulps.h */
    const struct ulp_own *own;          /* additions of the host for single kinds; NULL: none */
};

/*
 * Sets all layers and kinds; the upper layers inherit MPA's profile, timers and payload_only. mpa NULL:
 * mpa_options_init().
 */
void stack_options_init(struct stack_options *options, const struct mpa_options *mpa);

/*
 * The events that the host wants to see; any may be NULL. Each is called before the layer above receives the event, so
 * that the findings of that layer come after their subject. Meanings: the events of engine/tcp/tcp_pair.h,
 * engine/mpa/mpa.h, engine/ddp_rdmap/rdmap.h and engine/rdma/ulp.h.
 */
struct stack_taps {
    /* TCP */
    void (*tcp_segment)(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                        uint64_t acked);
    void (*hole)(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                 const struct octets_origin *next);
    void (*octets)(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                   const struct octets_origin *origin);
    void (*conflict)(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated, uint32_t first_frame,
                     const struct tcp_segment *segment);
    void (*end)(void *ctx, unsigned side, bool reset, const struct place *place); /* FIN or RST */
    /* MPA */
    void (*startup)(void *ctx, const struct mpa_startup_event *event);
    void (*fpdu)(void *ctx, const struct mpa_fpdu_event *event);
    void (*skipped)(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place);
    void (*changed)(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters);
    /* DDP, RDMAP */
    void (*segment)(void *ctx, const struct rdmap_segment_event *event);
    void (*operation)(void *ctx, const struct rdmap_operation *operation, const struct place *place);
    void (*terminate)(void *ctx, const struct rdmap_terminate_event *event);
    /* From transports other than iWARP: stack_part(), stack_private_data(), stack_refusal(). */
    void (*part)(void *ctx, const struct rdma_part *part);
    void (*private_data)(void *ctx, const struct rdma_private_data *data);
    void (*refusal)(void *ctx, const struct rdma_refusal *refusal);
    /* From guests whose messages the host shows. */
    void (*said)(void *ctx, const struct ulp_said *said);
};

/* Receives the events of layers below the stack's lowest. */
struct stack_entrance {
    void *ctx;
    void (*startup)(void *ctx, const struct mpa_startup_event *event);
    void (*changed)(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters);
    void (*acked)(void *ctx, unsigned side, bool known, uint64_t acked);
    void (*fpdu)(void *ctx, const struct mpa_fpdu_event *event);
    void (*skipped)(void *ctx, unsigned side); /* octets of that side are missing or were skipped */
    void (*end)(void *ctx, unsigned side, bool reset, const struct place *place);
};

struct stack_setup {
    const struct stack_options *options; /* all pointers are borrowed and must outlive the stack */
    const struct stack_taps *taps;       /* NULL: none */
    void *ctx;                           /* passed to the taps */
    struct verdict *verdict;
    uint16_t port[2];              /* TCP ports of the sides; 0: unknown */
    struct terminate_host host[2]; /* by side: the layout of its Terminates */
    struct arena_pool *pool;       /* for the memory of the layers, or NULL */
};

struct stack;

/* NULL when out of memory. */
struct stack *stack_new(const struct stack_setup *setup);
void stack_free(struct stack *stack);

/* A stack that begins with TCP is fed segments by stack_segment(), or through its pair directly. */
struct tcp_pair *stack_pair(struct stack *stack);
void stack_segment(struct stack *stack, const struct tcp_segment *segment);
/* Feeds a stack whose lowest layer is above TCP. */
struct stack_entrance stack_entrance(struct stack *stack);
/*
 * Feed a stack that begins with the upper layer from a transport other than iWARP; holes and ends go through its
 * entrance. stack_terms(): call whenever the terms change.
 */
void stack_terms(struct stack *stack, const struct rdma_terms *terms);
/* Sets the ports of the sides, which a transport other than TCP may learn later. */
void stack_ports(struct stack *stack, const uint16_t port[2]);
void stack_private_data(struct stack *stack, const struct rdma_private_data *data);
void stack_part(struct stack *stack, const struct rdma_part *part);
void stack_closing(struct stack *stack, const struct rdma_closing *closing);
void stack_refusal(struct stack *stack, const struct rdma_refusal *refusal);
void stack_copy(struct stack *stack, const struct rdma_copy *copy);
void stack_received(struct stack *stack, unsigned side, uint64_t offset);
void stack_missed(struct stack *stack, unsigned side, uint64_t offset);
/* The capture dropped packets; call before stack_finish(). */
void stack_lossy(struct stack *stack);
/* The end of the connection or of the capture: judges what depends on the end. Call it once. */
void stack_finish(struct stack *stack, int64_t time_ns);

/* Call after stack_finish(): returns what the guest keeps for later connections; see struct ulp_kind. */
void *stack_record(struct stack *stack);

/* All memory of the stack, including that taken at its beginning. */
size_t stack_size(const struct stack *stack);
/* Parks a stack with a pool, while no events come: see arena_park(), undone by arena_unpark(). */
struct arena_parked *stack_park(struct stack *stack);
/* Whether the upper layer could not be followed for lack of memory. */
bool stack_lacks_memory(const struct stack *stack);
/* The layers; NULL when not part of this stack, or not created yet. */
const struct tcp_pair *stack_tcp(const struct stack *stack);
const struct mpa_connection *stack_mpa(const struct stack *stack);
const struct rdmap_connection *stack_rdmap(const struct stack *stack);
/* The connection's kind so far, possibly presumed; NULL: none. */
const struct ulp_kind *stack_kind(const struct stack *stack);
/* The guest, if it is of this kind; else NULL. */
void *stack_guest(const struct stack *stack, const struct ulp_kind *kind);
/*
 * The Initiator's side; while roles are unknown, the side opposite a well-known port, or the side that opened the TCP
 * connection.
 */
unsigned stack_initiator(const struct stack *stack);
bool stack_roles_known(const struct stack *stack);
/* Resets the counts of all layers, for hosts that report in intervals. */
void stack_restart_counts(struct stack *stack);

#endif
