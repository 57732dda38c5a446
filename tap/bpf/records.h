/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of octets, wherever the kernel has them. Included by the only file of programs. Records are reserved in one
 * ring buffer for all processors, which keeps their order. Functions that loop are global (not static), so that the
 * verifier checks each once, not at each call.
 */
#ifndef IWARP_TAP_BPF_RECORDS_H
#define IWARP_TAP_BPF_RECORDS_H

#include "tap/bpf/kernel.h"
#include "tap/event.h"

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <stdbool.h>

enum {
    SMALL = 512,
    SMALL_FIRST = 128, /* of two parts */
    BLOCKS_MAX = 17,   /* of one buffer */
    ENTRIES_MAX = 300, /* of one segment, or of one XDR buffer */
    PAGE = 4096,
    RING = 1 << 26,
    MANY = RING / 16,
    KNOWN = 1024,
};

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, RING);
} ring SEC(".maps");

/* Set before loading. */
const volatile __u32 snap = TAP_BLOCK; /* octets of a block that are reported */
const volatile bool chunks = true;     /* with the octets of chunks */

__u64 lost = 0; /* records for which the ring had no room */

/* Where the kernel's direct map and its array of pages begin; only on x86-64. */
extern const void page_offset_base __ksym __weak;
extern const void vmemmap_base __ksym __weak;

/* ---- structures ---- */

/*
 * Each read of the kernel's memory costs some 20 ns, however little it reads, so what lies together is read together:
 * COPY fills an array with the octets of an object that begin at a member, and OF takes another member from there. If
 * the running kernel has this member elsewhere, OF reads it.
 */
#define COPY(copy, object, first)                                                                                      \
    bpf_probe_read_kernel(copy, sizeof(copy), (const void *)(object) + bpf_core_field_offset((object)->first))
#define OF(copy, object, first, member)                                                                                \
    ({                                                                                                                 \
        __u64 at_ = bpf_core_field_offset((object)->member) - bpf_core_field_offset((object)->first);                  \
                                                                                                                       \
        at_ <= sizeof(copy) - sizeof((object)->member) ? *(typeof((object)->member) *)((void *)(copy) + at_)           \
                                                       : BPF_CORE_READ(object, member);                                \
    })

/* ---- records ---- */

struct message {
    struct tap_event event;
    const void *from, *then; /* then: see put_two() */
    bool has_addresses;
    bool ends; /* put_entries(): nothing follows the last entry */
};

struct small_record {
    struct tap_event event;
    __u8 octets[SMALL];
};

struct large_record {
    struct tap_event event;
    __u8 octets[TAP_BLOCK];
};

/* Connections whose addresses were reported; where two have the same slot, they are reported more often. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, KNOWN);
    __type(key, __u32);
    __type(value, __u64);
} known SEC(".maps");

static __always_inline __u64 *known_slot(__u64 connection)
{
    __u32 slot = (connection >> 6) % KNOWN;

    return bpf_map_lookup_elem(&known, &slot);
}

/* Set-up and end have the addresses always, messages if they are not known, and what belongs to a message never. */
static __always_inline bool needs_addresses(enum tap_kind kind, __u64 connection)
{
    __u64 *slot;

    if (kind < TAP_HEAD)
        return true;
    if (kind != TAP_HEAD && kind != TAP_RECEIVED && kind != TAP_WRITE && kind != TAP_READ)
        return false;
    slot = known_slot(connection);
    return !slot || *slot != connection;
}

static __always_inline void begin(struct message *m, enum tap_kind kind, struct rdma_cm_id *id, __u64 of, bool server)
{
    __builtin_memset(m, 0, sizeof *m);
    m->event.time_ns = bpf_ktime_get_ns();
    m->event.connection = (__u64)id;
    m->event.of = of;
    m->event.kind = kind;
    m->event.server = server;
    m->event.first = 1;
    m->has_addresses = needs_addresses(kind, (__u64)id);
    if (!m->has_addresses)
        return;
    bpf_probe_read_kernel(m->event.local, TAP_SOCKADDR, __builtin_preserve_access_index(&id->route.addr.src_addr));
    bpf_probe_read_kernel(m->event.peer, TAP_SOCKADDR, __builtin_preserve_access_index(&id->route.addr.dst_addr));
}

/*
 * Copies n octets, at most `size`; unreadable octets are omitted. The verifier knows the bound only of the register
 * that is compared, so the compiler must not compare another register.
 */
static __always_inline void fill(struct tap_event *event, void *octets, __u64 n, __u32 size, const void *from)
{
    event->n = 0;
    if (n == 0)
        return;
    barrier_var(n);
    if (n > size)
        n = size;
    if (!bpf_probe_read_kernel(octets, n, from))
        event->n = n;
}

/*
 * The reader looks by itself, now and then: waking it for each record would cost more than the record. It is woken when
 * MANY records wait, twice as many, and so on, not by the records that come until it runs.
 */
static __always_inline __u64 wake_if_many(void)
{
    __u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);

    return waiting >= MANY && waiting % MANY < sizeof(struct large_record) ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Once the record has its place, before all that rely on it. */
static __always_inline void describe(const struct message *m, struct tap_event *event, __u32 length)
{
    __u64 *slot = m->has_addresses ? known_slot(m->event.connection) : 0;

    if (slot)
        *slot = m->event.connection;
    *event = m->event;
    event->lost = lost;
    event->length = length;
}

/* The next block is not the first of its item. */
static __always_inline void note_lost(struct message *m)
{
    __sync_fetch_and_add(&lost, 1);
    m->event.first = 0;
}

/* One block at m->from + at, of at most TAP_BLOCK octets; of any length if m->from is NULL. */
__noinline int put_block(struct message *m, __u32 at, __u32 length)
{
    __u64 n = length < snap ? length : snap;

    if (!m)
        return 0;
    if (!m->from)
        n = 0;
    if (n <= SMALL) {
        struct small_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);

        if (!record) {
            note_lost(m);
            return 0;
        }
        describe(m, &record->event, length);
        fill(&record->event, record->octets, n, SMALL, m->from + at);
        bpf_ringbuf_submit(record, wake_if_many());
    } else {
        struct large_record *record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);

        if (!record) {
            note_lost(m);
            return 0;
        }
        describe(m, &record->event, length);
        fill(&record->event, record->octets, n, TAP_BLOCK, m->from + at);
        bpf_ringbuf_submit(record, wake_if_many());
    }
    m->event.first = 0;
    return 0;
}

/* The length of octets beyond a limit, without the octets. */
static __always_inline void put_length(struct message *m, __u32 length)
{
    m->from = 0;
    put_block(m, 0, length);
}

/* The octets at m->from, as one or more blocks. */
__noinline int put_octets(struct message *m, __u32 length)
{
    __u32 at = 0;

    if (!m)
        return 0;
    for (int i = 0; i < BLOCKS_MAX; i++) {
        __u32 n = length - at;

        if (n > TAP_BLOCK)
            n = TAP_BLOCK;
        put_block(m, at, n);
        at += n;
        if (at >= length)
            break;
    }
    if (at < length)
        put_length(m, length - at);
    return 0;
}

/*
 * The octets at m->from and then those at m->then, as one record where they fit: two would cost nearly twice as much.
 */
__noinline int put_two(struct message *m, __u32 length, __u32 then_length)
{
    struct small_record *record;
    __u64 n = length, then = then_length;

    if (!m)
        return 0;
    if (length > SMALL_FIRST || then_length > SMALL - SMALL_FIRST || length + then_length > snap) {
        put_octets(m, length);
        if (!then_length)
            return 0;
        m->event.kind = TAP_BODY;
        m->from = m->then;
        return put_octets(m, then_length);
    }
    record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
    if (!record) {
        note_lost(m);
        return 0;
    }
    describe(m, &record->event, length + then_length);
    fill(&record->event, record->octets, n, SMALL_FIRST, m->from);
    barrier_var(n);
    barrier_var(then);
    if (n > SMALL_FIRST)
        n = SMALL_FIRST;
    if (then > SMALL - SMALL_FIRST)
        then = SMALL - SMALL_FIRST;
    if (then > 0 && record->event.n == n && !bpf_probe_read_kernel(record->octets + n, then, m->then))
        record->event.n = n + then;
    bpf_ringbuf_submit(record, wake_if_many());
    m->event.first = 0;
    return 0;
}

/* ---- memory that is not contiguous ---- */

__u64 direct_map = 0, page_map = 0; /* do not change while the kernel runs */

static __always_inline const void *address_of(__u64 page)
{
    if (!&page_offset_base || !&vmemmap_base)
        return 0;
    if (!direct_map || !page_map) {
        bpf_probe_read_kernel(&direct_map, sizeof direct_map, &page_offset_base);
        bpf_probe_read_kernel(&page_map, sizeof page_map, &vmemmap_base);
    }
    return (const void *)(direct_map + (page - page_map) / bpf_core_type_size(struct page) * PAGE);
}

enum entries { PAGES, VECTORS, SCATTERED };

struct walk {
    struct message *m;
    __u64 at;    /* the next entry */
    __u32 left;  /* octets */
    __u32 first; /* PAGES: offset in the first page */
    enum entries entries;
};

static __always_inline __u64 entry_of(struct walk *walk, __u32 *offset, __u32 *length)
{
    __u64 page = 0, copy[2];

    if (walk->entries == PAGES) {
        bpf_probe_read_kernel(&page, sizeof page, (const void *)walk->at);
        *offset = walk->first;
        *length = PAGE - walk->first;
        walk->first = 0;
        walk->at += sizeof page;
    } else if (walk->entries == VECTORS) {
        struct bio_vec *vector = (struct bio_vec *)walk->at;

        COPY(copy, vector, bv_page);
        page = (__u64)OF(copy, vector, bv_page, bv_page);
        *offset = OF(copy, vector, bv_page, bv_offset);
        *length = OF(copy, vector, bv_page, bv_len);
        walk->at += bpf_core_type_size(struct bio_vec);
    } else {
        struct scatterlist *entry = (struct scatterlist *)walk->at;

        COPY(copy, entry, page_link);
        page = OF(copy, entry, page_link, page_link);
        if (page & 1) { /* the list continues elsewhere */
            entry = (struct scatterlist *)(page & ~3UL);
            COPY(copy, entry, page_link);
            page = OF(copy, entry, page_link, page_link);
        }
        page &= ~3UL;
        *offset = OF(copy, entry, page_link, offset);
        *length = OF(copy, entry, page_link, length);
        walk->at = (__u64)entry + bpf_core_type_size(struct scatterlist);
    }
    return page;
}

static long put_entry(__u32 i, struct walk *walk)
{
    __u32 offset = 0, length = 0;
    __u64 page = entry_of(walk, &offset, &length);
    const void *from = address_of(page);
    struct message *m = walk->m;

    if (length > walk->left)
        length = walk->left;
    if (length == 0)
        return 1;
    m->from = chunks && from ? from + offset : 0;
    m->event.last = m->ends && length == walk->left;
    put_octets(m, length);
    walk->left -= length;
    return 0;
}

enum { LENGTH_UNKNOWN = ~0u };

struct walk_bounds {
    __u64 at;
    __u32 left, first, n; /* left: LENGTH_UNKNOWN for all n entries */
    enum entries entries;
};

static __always_inline void put_entries(struct message *m, const struct walk_bounds *bounds)
{
    struct walk walk = {m, bounds->at, bounds->left, bounds->first, bounds->entries};

    bpf_loop(bounds->n < ENTRIES_MAX ? bounds->n : ENTRIES_MAX, put_entry, &walk, 0);
    if (walk.left > 0 && bounds->left != LENGTH_UNKNOWN) {
        m->event.last = m->ends;
        put_length(m, walk.left);
    }
}

/* The requested parts of an XDR buffer. */
enum { XDR_HEAD = 1, XDR_PAGES = 2, XDR_TAIL = 4 };

__noinline int put_vector(struct message *m, __u64 at)
{
    struct kvec *vector = (struct kvec *)at;
    __u64 copy[2];
    __u32 n;

    if (!m)
        return 0;
    COPY(copy, vector, iov_base);
    m->from = OF(copy, vector, iov_base, iov_base);
    n = OF(copy, vector, iov_base, iov_len);
    if (n > 0)
        put_octets(m, n);
    return 0;
}

__noinline int put_xdr(struct message *m, __u64 buffer, __u32 parts)
{
    struct xdr_buf *xdr = (struct xdr_buf *)buffer;
    struct walk_bounds bounds = {.entries = PAGES, .n = ENTRIES_MAX};
    __u64 copy[2];

    if (!m)
        return 0;
    if (parts & XDR_HEAD)
        put_vector(m, (__u64)__builtin_preserve_access_index(&xdr->head[0]));
    if (parts & XDR_PAGES) {
        COPY(copy, xdr, pages);
        bounds.left = OF(copy, xdr, pages, page_len);
        bounds.first = OF(copy, xdr, pages, page_base);
        bounds.at = (__u64)(OF(copy, xdr, pages, pages) + bounds.first / PAGE);
        bounds.first %= PAGE;
        if (bounds.left > 0)
            put_entries(m, &bounds);
    }
    if (parts & XDR_TAIL)
        put_vector(m, (__u64)__builtin_preserve_access_index(&xdr->tail[0]));
    return 0;
}

/* The verifier needs a number where the compiler knows a pointer. */
static __always_inline __u64 number_of(const void *p)
{
    __u64 from = (__u64)p, number = 0;

    bpf_probe_read_kernel(&number, sizeof number, &from);
    return number;
}

#endif
