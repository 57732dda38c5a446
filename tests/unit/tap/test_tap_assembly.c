// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks of records become whole things, and blocks that are lost do no harm. */
#include "tap/assembly.h"
#include "tests/unit/support/support.h"

#include <string.h>

static struct tap_event event_of(enum tap_kind kind, uint64_t of, uint32_t n, uint32_t total, bool first)
{
    return (struct tap_event){
        .connection = 1, .of = of, .kind = kind, .n = n, .length = n, .total = total, .first = first, .server = 1};
}

static struct tap_event of_client(enum tap_kind kind, uint64_t of, uint32_t n, uint32_t total, bool first)
{
    struct tap_event event = event_of(kind, of, n, total, first);

    event.server = 0;
    return event;
}

static unsigned missed; /* items of connection 1 */

static void on_missed(void *ctx, const struct tap_event *event)
{
    assert_null(ctx);
    assert_int_equal(event->connection, 1);
    missed++;
}

static struct assembly *assembly_begin(void)
{
    missed = 0;
    return assembly_new(on_missed, NULL);
}

static struct whole *add(struct assembly *assembly, struct tap_event event, const char *octets)
{
    return assembly_add(assembly, &event, (const uint8_t *)octets);
}

static void assert_whole(struct whole *whole, const char *octets, uint64_t length)
{
    assert_non_null(whole);
    assert_int_equal(whole->octets->len, strlen(octets));
    assert_memory_equal(whole->octets->data, octets, strlen(octets));
    assert_int_equal(whole->length, length);
    whole_free(whole);
}

UNIT_TEST(blocks_are_joined)
{
    struct assembly *assembly = assembly_begin();

    assert_null(add(assembly, event_of(TAP_RECEIVED, 5, 3, 5, true), "abc"));
    assert_null(add(assembly, event_of(TAP_RECEIVED, 6, 2, 4, true), "xy")); /* of another Send, in between */
    assert_whole(add(assembly, event_of(TAP_RECEIVED, 5, 2, 5, false), "de"), "abcde", 5);
    assert_whole(add(assembly, event_of(TAP_RECEIVED, 6, 2, 4, false), "zz"), "xyzz", 4);
    assert_whole(add(assembly, event_of(TAP_RECEIVED, 7, 0, 0, true), ""), "", 0);
    assert_int_equal(missed, 0);
    assembly_free(assembly);
}

/* The server maps the body before it posts the head, the client's comes after it. */
UNIT_TEST(the_head_is_first)
{
    struct assembly *assembly = assembly_begin();

    assert_null(add(assembly, event_of(TAP_BODY, 5, 3, 0, true), "def"));
    assert_null(add(assembly, event_of(TAP_BODY, 5, 1, 0, true), "g"));
    assert_whole(add(assembly, event_of(TAP_HEAD, 5, 3, 7, true), "abc"), "abcdefg", 7);
    assert_null(add(assembly, of_client(TAP_HEAD, 5, 3, 5, true), "abc"));
    assert_whole(add(assembly, of_client(TAP_BODY, 5, 2, 0, true), "de"), "abcde", 5);
    assembly_free(assembly);
}

/* The other blocks of an item come at once, or are lost; but a body may wait for its head. */
UNIT_TEST(missing_blocks_are_reported)
{
    struct assembly *assembly = assembly_begin();
    struct tap_event late = event_of(TAP_WRITE, 8, 2, 5, true);

    late.time_ns = 9;
    assert_null(add(assembly, event_of(TAP_BODY, 5, 1, 0, true), "b"));
    assert_null(add(assembly, event_of(TAP_EXPOSED, 5, 1, 1, true), "e"));
    assert_false(assembly_awaits(assembly, 1, 8));
    assert_null(add(assembly, event_of(TAP_RECEIVED, 7, 3, 5, true), "abc"));
    assert_null(add(assembly, late, "de"));
    assert_true(assembly_awaits(assembly, 1, 8) && !assembly_awaits(assembly, 2, 8));
    assembly_give_up(assembly, 1, 8);
    assert_int_equal(missed, 1);
    assert_true(!assembly_awaits(assembly, 1, 8) && assembly_awaits(assembly, 1, 9));
    assembly_forget(assembly, 1, 8);
    assert_int_equal(missed, 1);
    assembly_end(assembly);
    assert_int_equal(missed, 2);
    assembly_free(assembly);
}

UNIT_TEST(a_body_that_was_never_posted_is_left_out)
{
    struct assembly *assembly = assembly_begin();

    assert_null(add(assembly, event_of(TAP_BODY, 5, 4, 0, true), "old!"));
    assert_null(add(assembly, event_of(TAP_BODY, 5, 2, 0, true), "de"));
    assert_whole(add(assembly, event_of(TAP_HEAD, 5, 3, 5, true), "abc"), "abcde", 5);
    assembly_free(assembly);
}

UNIT_TEST(a_lost_block_drops_its_thing_only)
{
    struct assembly *assembly = assembly_begin();

    assert_null(add(assembly, event_of(TAP_RECEIVED, 5, 3, 9, true), "abc")); /* the rest is lost */
    assert_whole(add(assembly, event_of(TAP_RECEIVED, 5, 2, 2, true), "xy"), "xy", 2);
    assert_int_equal(missed, 1);
    assembly_free(assembly);
}

/* The kernel uses the memory of a Send again for the next one. */
UNIT_TEST(parts_of_two_sends_are_not_joined)
{
    struct assembly *assembly = assembly_begin();

    assert_null(add(assembly, event_of(TAP_BODY, 5, 1, 0, true), "b")); /* another block of it is missing */
    assert_null(add(assembly, event_of(TAP_HEAD, 5, 2, 5, true), "hh"));
    assert_null(add(assembly, event_of(TAP_BODY, 5, 2, 0, true), "BB"));
    assert_int_equal(missed, 1);
    assert_whole(add(assembly, event_of(TAP_HEAD, 5, 2, 4, true), "HH"), "HHBB", 4);

    assert_null(add(assembly, event_of(TAP_BODY, 5, 2, 0, true), "bb"));
    assembly_note_loss(assembly); /* the first head, or the second body */
    assert_null(add(assembly, event_of(TAP_HEAD, 5, 2, 4, true), "HH"));
    assembly_forget(assembly, 1, UINT64_MAX);

    assert_null(add(assembly, of_client(TAP_BODY, 5, 2, 0, true), "bb")); /* its head is lost */
    assert_null(add(assembly, of_client(TAP_HEAD, 5, 2, 4, true), "HH"));
    assert_whole(add(assembly, of_client(TAP_BODY, 5, 2, 0, true), "BB"), "HHBB", 4);

    assert_null(add(assembly, event_of(TAP_EXPOSED, 5, 2, 0, true), "ee"));
    assembly_note_loss(assembly);
    assert_null(add(assembly, event_of(TAP_EXPOSED, 5, 2, 0, false), "EE"));
    assert_whole(assembly_take(assembly, 1, 5, TAP_EXPOSED), "", 4);
    assembly_free(assembly);
}

UNIT_TEST(cut_octets_end_what_is_known)
{
    struct assembly *assembly = assembly_begin();
    struct tap_event cut = event_of(TAP_WRITE, 5, 2, 7, true);

    cut.length = 4;
    assert_null(add(assembly, cut, "ab"));
    assert_whole(add(assembly, event_of(TAP_WRITE, 5, 3, 7, false), "efg"), "ab", 7);
    assembly_free(assembly);
}

UNIT_TEST(the_clients_chunks_are_taken)
{
    struct assembly *assembly = assembly_begin();

    assert_null(add(assembly, event_of(TAP_EXPOSED, 5, 3, 0, true), "abc"));
    assert_whole(assembly_take(assembly, 1, 5, TAP_EXPOSED), "abc", 3);
    assert_null(assembly_take(assembly, 1, 5, TAP_EXPOSED));
    assert_null(add(assembly, event_of(TAP_WRITTEN, 5, 3, 0, true), "abc"));
    assembly_forget(assembly, 1, UINT64_MAX);
    assert_null(assembly_take(assembly, 1, 5, TAP_WRITTEN));
    assembly_free(assembly);
}

UNIT_TEST(memory_is_bounded)
{
    struct assembly *assembly = assembly_begin();

    for (unsigned i = 0; i < ASSEMBLY_MAX + 10; i++)
        assert_null(add(assembly, event_of(TAP_RECEIVED, i, 3, 9, true), "abc"));
    assert_int_equal(missed, 10);
    assert_null(assembly_take(assembly, 1, 9, TAP_RECEIVED));
    assert_whole(assembly_take(assembly, 1, 10, TAP_RECEIVED), "abc", 3);
    assembly_free(assembly);
}
