// SPDX-License-Identifier: GPL-2.0-or-later
/* Registered memory: bounds, rights, the end of the Tagged Offsets, invalidation. */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/memory.h"

static uint8_t octets[64];

static enum memory_status reach(const struct memory *memory, uint32_t stag, uint64_t to, uint64_t n, unsigned rights)
{
    uint8_t *at = NULL;
    enum memory_status status = memory_access(memory, stag, to, n, rights, &at);

    assert_int_equal(status == MEMORY_OK, at != NULL);
    return status;
}

UNIT_TEST(bounds)
{
    struct memory *memory = memory_new(1);
    uint32_t stag = memory_register(memory, octets, 64, 0x1000, MEMORY_REMOTE_WRITE, false);
    static const struct {
        uint64_t to, n;
        enum memory_status status;
    } cases[] = {
        {0x1000, 64, MEMORY_OK},      {0x1000, 65, MEMORY_BOUNDS},       {0x0FFF, 1, MEMORY_BOUNDS},
        {0x103F, 1, MEMORY_OK},       {0x1040, 1, MEMORY_BOUNDS},        {0x1040, 0, MEMORY_OK},
        {0x1041, 0, MEMORY_BOUNDS},   {0, 0x1000, MEMORY_BOUNDS},        {UINT64_MAX, 1, MEMORY_BOUNDS},
        {UINT64_MAX, 2, MEMORY_WRAP}, {0x1000, UINT64_MAX, MEMORY_WRAP}, {0, UINT64_MAX, MEMORY_BOUNDS},
    };
    uint8_t *at;

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_int_equal(reach(memory, stag, cases[i].to, cases[i].n, MEMORY_REMOTE_WRITE), cases[i].status);
    assert_int_equal(reach(memory, stag + 1, 0x1000, 1, MEMORY_REMOTE_WRITE), MEMORY_NO_STAG);
    assert_int_equal(memory_access(memory, stag, 0x1010, 4, 0, &at), MEMORY_OK);
    assert_ptr_equal(at, octets + 16);
    memory_free(memory);
}

UNIT_TEST(the_last_tagged_offset)
{
    struct memory *memory = memory_new(1);
    uint32_t stag = memory_register(memory, octets, 64, UINT64_MAX - 15, MEMORY_REMOTE_READ, false);

    assert_int_equal(reach(memory, stag, UINT64_MAX - 15, 16, MEMORY_REMOTE_READ), MEMORY_OK);
    assert_int_equal(reach(memory, stag, UINT64_MAX - 15, 17, MEMORY_REMOTE_READ), MEMORY_WRAP);
    assert_int_equal(reach(memory, stag, UINT64_MAX, 1, MEMORY_REMOTE_READ), MEMORY_OK);
    assert_int_equal(reach(memory, stag, UINT64_MAX, 2, MEMORY_REMOTE_READ), MEMORY_WRAP);
    memory_free(memory);
}

UNIT_TEST(rights)
{
    struct memory *memory = memory_new(1);

    for (unsigned have = 0; have < 8; have++) {
        uint32_t stag = memory_register(memory, octets, 64, 0, have, false);

        for (unsigned want = 0; want < 8; want++)
            assert_int_equal(reach(memory, stag, 0, 8, want), (have & want) == want ? MEMORY_OK : MEMORY_ACCESS);
        assert_int_equal(reach(memory, stag, 4, 8, MEMORY_REMOTE_ATOMIC),
                         have & MEMORY_REMOTE_ATOMIC ? MEMORY_UNALIGNED : MEMORY_ACCESS);
    }
    memory_free(memory);
}

UNIT_TEST(invalidation)
{
    struct memory *memory = memory_new(7);
    uint32_t kept = memory_register(memory, octets, 64, 0, MEMORY_REMOTE_READ, false);
    uint32_t given = memory_register(memory, octets, 64, 0, MEMORY_REMOTE_READ, true);

    assert_int_not_equal(kept, given);
    assert_false(memory_may_invalidate(memory, NULL, kept));
    assert_true(memory_may_invalidate(memory, NULL, given));
    assert_true(memory_bind(memory, given, state));
    assert_true(memory_may_invalidate(memory, state, given));
    assert_false(memory_may_invalidate(memory, memory, given));
    assert_true(memory_invalidate(memory, given));
    assert_false(memory_invalidate(memory, given));
    assert_false(memory_may_invalidate(memory, state, given));
    assert_false(memory_bind(memory, given, state));
    assert_int_equal(reach(memory, given, 0, 1, 0), MEMORY_NO_STAG);
    assert_int_equal(reach(memory, kept, 0, 1, 0), MEMORY_OK);
    memory_free(memory);
}

UNIT_TEST(streams)
{
    struct memory *memory = memory_new(7);
    uint32_t stag = memory_register(memory, octets, 64, 0, MEMORY_REMOTE_READ, false);
    int mine = 0, other = 0;
    uint8_t *at;

    assert_int_equal(memory_access_by(memory, &other, stag, 0, 64, MEMORY_REMOTE_READ, &at), MEMORY_OK);
    memory_bind(memory, stag, &mine);
    assert_int_equal(memory_access_by(memory, &mine, stag, 0, 64, MEMORY_REMOTE_READ, &at), MEMORY_OK);
    assert_int_equal(memory_access_by(memory, &other, stag, 0, 64, MEMORY_REMOTE_READ, &at), MEMORY_FOREIGN);
    assert_int_equal(memory_access_by(memory, &other, stag, 0, 65, MEMORY_REMOTE_WRITE, &at), MEMORY_FOREIGN);
    assert_int_equal(memory_access_by(memory, &other, stag + 1, 0, 1, 0, &at), MEMORY_NO_STAG);
    assert_int_equal(memory_access(memory, stag, 0, 64, MEMORY_REMOTE_READ, &at), MEMORY_OK);
    memory_bind(memory, stag, NULL);
    assert_int_equal(memory_access_by(memory, &other, stag, 0, 64, MEMORY_REMOTE_READ, &at), MEMORY_OK);
    memory_free(memory);
}

UNIT_TEST(stags)
{
    struct memory *one = memory_new(5), *same = memory_new(5), *other = memory_new(6);
    bool differs = false;

    for (unsigned i = 0; i < 100; i++) {
        uint32_t stag = memory_register(one, octets, 64, 0, 0, false);

        assert_int_not_equal(stag, 0);
        assert_int_equal(stag, memory_register(same, octets, 64, 0, 0, false));
        differs |= stag != memory_register(other, octets, 64, 0, 0, false);
        assert_false(memory_register_as(one, stag, octets, 64, 0, 0, false));
    }
    assert_true(differs);
    assert_true(memory_register_as(one, 0, octets, 64, 0, 0, false));
    memory_free(one);
    memory_free(same);
    memory_free(other);
}

/* ---- a device ---- */

struct device {
    unsigned entered, left;
    uint32_t stag;
    bool refuses;
};

static void *on_enter(void *ctx, uint8_t *p, uint64_t n, unsigned region_rights, bool invalidable, uint32_t *stag)
{
    struct device *device = ctx;

    assert_ptr_equal(p, octets);
    assert_int_equal(n, sizeof octets);
    assert_int_equal(region_rights, MEMORY_REMOTE_READ);
    assert_true(invalidable);
    device->entered += !device->refuses;
    *stag = device->stag;
    return device->refuses ? NULL : device;
}

static void on_leave(void *ctx, void *handle)
{
    struct device *device = ctx;

    assert_ptr_equal(handle, device);
    device->left++;
}

static uint32_t enter(struct memory *memory)
{
    return memory_register(memory, octets, sizeof octets, 0x1000, MEMORY_REMOTE_READ, true);
}

/* The device chooses the STag, and Tagged Offsets are addresses; each region leaves it once. */
UNIT_TEST(of_a_device)
{
    struct device device = {.stag = 0x1234};
    struct memory *memory = memory_new(1);
    uint8_t *at;

    memory_attach(memory, &(struct memory_device){.ctx = &device, .enter = on_enter, .leave = on_leave});
    assert_int_equal(enter(memory), 0x1234);
    assert_int_equal(memory_base(memory, 0x1234), (uintptr_t)octets);
    assert_ptr_equal(memory_handle(memory, 0x1234), &device);
    assert_int_equal(memory_access(memory, 0x1234, (uintptr_t)octets + 8, 56, MEMORY_REMOTE_READ, &at), MEMORY_OK);
    assert_ptr_equal(at, octets + 8);
    assert_int_equal(reach(memory, 0x1234, (uintptr_t)octets + 8, 57, MEMORY_REMOTE_READ), MEMORY_BOUNDS);
    assert_false(memory_register_as(memory, 7, octets, sizeof octets, 0, 0, false));
    /* An STag twice, and 0, are not valid. */
    assert_int_equal(enter(memory), 0);
    device.stag = 0;
    assert_int_equal(enter(memory), 0);
    assert_int_equal(device.left, 2);
    device.refuses = true;
    assert_int_equal(enter(memory), 0);
    assert_int_equal(device.left, 2);
    device = (struct device){.entered = device.entered, .left = device.left, .stag = 0x5678};
    assert_int_equal(enter(memory), 0x5678);
    assert_true(memory_invalidate(memory, 0x1234));
    assert_int_equal(device.left, 3);
    assert_false(memory_invalidate(memory, 0x1234));
    assert_null(memory_handle(memory, 0x1234));
    assert_int_equal(memory_base(memory, 0x1234), 0);
    memory_free(memory);
    assert_int_equal(device.left, 4);
    assert_int_equal(device.entered, 4);
}
