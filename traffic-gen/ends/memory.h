/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registered memory: regions by STag with access rights and bounds (RFC 5040 section 5, RFC 5041 section 3.2). One
 * table is one Protection Domain: STags of others are unknown here.
 *
 * By default the software's queue pairs look here for each access. With a device attached, the device serves the peer's
 * accesses by itself, and chooses STags and Tagged Offsets.
 */
#ifndef IWARP_TRAFFIC_ENDS_MEMORY_H
#define IWARP_TRAFFIC_ENDS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_right { MEMORY_REMOTE_READ = 1, MEMORY_REMOTE_WRITE = 2, MEMORY_REMOTE_ATOMIC = 4 };

enum memory_status {
    MEMORY_OK,
    MEMORY_NO_STAG,
    MEMORY_FOREIGN, /* of another stream */
    MEMORY_BOUNDS,
    MEMORY_ACCESS,
    MEMORY_WRAP,
    MEMORY_UNALIGNED,
};

struct memory;

struct memory *memory_new(uint64_t seed); /* STags are drawn from it */
void memory_free(struct memory *memory);

/* How a device knows regions. */
struct memory_device {
    void *ctx;
    /*
     * The region octets[0..n), n may be 0, with these rights; invalidable: the peer's Send with Invalidate may end it.
     * Returns the device's handle and fills in *stag, which the peer uses, or the queue pair for its own sinks; the
     * Tagged Offsets are addresses. NULL: the device cannot.
     */
    void *(*enter)(void *ctx, uint8_t *octets, uint64_t n, unsigned rights, bool invalidable, uint32_t *stag);
    /* Access ends; frees the handle. */
    void (*leave)(void *ctx, void *handle);
};

/* Before the first region; copied. NULL: every region ends, and the device is attached no more. */
void memory_attach(struct memory *memory, const struct memory_device *device);

/*
 * Registers octets[0..n), borrowed, as the Tagged Offsets from base on; rights is a set of enum memory_right. Returns
 * the STag; 0 only when a device refuses. invalidable: the peer's Send with Invalidate may end it (RFC 5040 section
 * 5.3). What would exceed the Tagged Offset 2^64 - 1 is left out. A device ignores base: ask memory_base().
 */
uint32_t memory_register(struct memory *memory, uint8_t *octets, uint64_t n, uint64_t base, unsigned rights,
                         bool invalidable);
/* The Tagged Offset where the region begins; 0 when there is no such STag. */
uint64_t memory_base(const struct memory *memory, uint32_t stag);
/* The device's, of a region; NULL: there is none. */
void *memory_handle(const struct memory *memory, uint32_t stag);
/* The same under an STag of the caller's choice, which no device allows. False when it is taken. */
bool memory_register_as(struct memory *memory, uint32_t stag, uint8_t *octets, uint64_t n, uint64_t base,
                        unsigned rights, bool invalidable);
/*
 * Ends a region, at the peer's request or this side's own; at the return nobody has access. False when there is none.
 */
bool memory_invalidate(struct memory *memory, uint32_t stag);
/*
 * From now on only one stream's peer may use the region (RFC 5041 section 8.2): that of a queue pair is its struct qp.
 * NULL: every stream of the Protection Domain. False when there is no such STag.
 */
bool memory_bind(struct memory *memory, uint32_t stag, const void *stream);
bool memory_may_invalidate(const struct memory *memory, const void *stream, uint32_t stag);

/*
 * *out: the octets [to, to + n) of the STag, when all of them may be accessed that way. rights is a set, 0 for this
 * side's own use. For MEMORY_REMOTE_ATOMIC the offset into the region must be a multiple of 8: regions count as
 * beginning at an aligned address (RFC 7306 section 8.2). On failure *out is unchanged.
 */
enum memory_status memory_access(const struct memory *memory, uint32_t stag, uint64_t to, uint64_t n, unsigned rights,
                                 uint8_t **out);
/* The same for the peer of a stream. */
enum memory_status memory_access_by(const struct memory *memory, const void *stream, uint32_t stag, uint64_t to,
                                    uint64_t n, unsigned rights, uint8_t **out);

#endif
