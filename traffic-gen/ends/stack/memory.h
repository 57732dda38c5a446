/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registered memory: regions by STag with access rights and bounds (RFC 5040 section 5, RFC 5041 section 3.2). One
 * table is one Protection Domain, which does not know the STags of other tables.
 *
 * By default the software's queue pairs look up each access here. An attached device serves the peer's accesses itself,
 * and chooses STags and Tagged Offsets.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_MEMORY_H
#define IWARP_TRAFFIC_ENDS_STACK_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_right { MEMORY_REMOTE_READ = 1, MEMORY_REMOTE_WRITE = 2, MEMORY_REMOTE_ATOMIC = 4 };

enum memory_status {
    MEMORY_OK,
    MEMORY_NO_STAG,
    MEMORY_FOREIGN, /* belongs to another stream */
    MEMORY_BOUNDS,
    MEMORY_ACCESS,
    MEMORY_WRAP,
    MEMORY_UNALIGNED,
};

struct memory;

struct memory *memory_new(uint64_t seed); /* STags are random numbers from this seed */
void memory_free(struct memory *memory);

/* How a device registers regions. */
struct memory_device {
    void *ctx;
    /*
     * Registers octets[0..n), n may be 0, with these rights; invalidable: the peer's Send with Invalidate may end the
     * region. Returns the device's handle and fills in *stag, which the peer uses, or the queue pair for its own sinks;
     * Tagged Offsets are addresses. NULL: the device cannot.
     */
    void *(*enter)(void *ctx, uint8_t *octets, uint64_t n, unsigned rights, bool invalidable, uint32_t *stag);
    /* Ends access and frees the handle. */
    void (*leave)(void *ctx, void *handle);
};

/* Call before the first region is registered; `device` is copied. NULL: ends every region and detaches the device. */
void memory_attach(struct memory *memory, const struct memory_device *device);

/*
 * Registers octets[0..n), borrowed, at the Tagged Offsets from base on; rights is a set of enum memory_right. Returns
 * the STag; 0 only when a device refuses. invalidable: the peer's Send with Invalidate may end the region (RFC 5040
 * section 5.3). Octets beyond the Tagged Offset 2^64 - 1 are left out. A device ignores base: ask memory_base().
 */
uint32_t memory_register(struct memory *memory, uint8_t *octets, uint64_t n, uint64_t base, unsigned rights,
                         bool invalidable);
/* The Tagged Offset where the region begins; 0: no such STag. */
uint64_t memory_base(const struct memory *memory, uint32_t stag);
/* The device's handle for a region; NULL: none. */
void *memory_handle(const struct memory *memory, uint32_t stag);
/* The same with an STag that the caller chooses, which no device allows. False when the STag is taken. */
bool memory_register_as(struct memory *memory, uint32_t stag, uint8_t *octets, uint64_t n, uint64_t base,
                        unsigned rights, bool invalidable);
/* Ends a region, as the peer or this side asked; access is over on return. False: no such STag. */
bool memory_invalidate(struct memory *memory, uint32_t stag);
/*
 * Lets only one stream's peer use the region (RFC 5041 section 8.2); a queue pair's stream is its struct qp. NULL:
 * every stream of the Protection Domain. False: no such STag.
 */
bool memory_bind(struct memory *memory, uint32_t stag, const void *stream);
bool memory_may_invalidate(const struct memory *memory, const void *stream, uint32_t stag);

/*
 * Sets *out to the octets [to, to + n) of the STag if the rights allow all of them. rights is a set, 0 for this side's
 * own use. For MEMORY_REMOTE_ATOMIC the offset into the region must be a multiple of 8: regions count as beginning at
 * an aligned address (RFC 7306 section 8.2). On failure *out is unchanged.
 */
enum memory_status memory_access(const struct memory *memory, uint32_t stag, uint64_t to, uint64_t n, unsigned rights,
                                 uint8_t **out);
/* The same for the peer of one stream. */
enum memory_status memory_access_by(const struct memory *memory, const void *stream, uint32_t stag, uint64_t to,
                                    uint64_t n, unsigned rights, uint8_t **out);

#endif
