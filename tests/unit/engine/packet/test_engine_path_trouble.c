// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/path_trouble.h"
#include "tests/unit/support/support.h"

enum { C, S };

static const int64_t ms = 1000000;

UNIT_TEST(silence)
{
    struct path_trouble path = {0};

    path_trouble_packet(&path, C, PATH_NEW, 0);
    path_trouble_packet(&path, C, PATH_NEW, 90000 * ms);
    assert_false(path.side[S].silent); /* it was never heard: the capture may lack its side */
    path_trouble_packet(&path, S, PATH_SIGN_OF_LIFE, 90001 * ms);
    path_trouble_packet(&path, C, PATH_NEW, 95000 * ms);
    assert_false(path.side[S].silent);
    path_trouble_packet(&path, C, PATH_AGAIN, 95300 * ms);
    assert_false(path.side[S].silent);
    path_trouble_packet(&path, C, PATH_NEW, 95001 * ms);
    assert_true(path.side[S].silent);
    path_trouble_packet(&path, S, PATH_SIGN_OF_LIFE, 95002 * ms); /* the end itself is a sign of life */
    assert_true(path.side[S].silent);
    path_trouble_packet(&path, S, PATH_NEW, 95003 * ms);
    assert_false(path.side[S].silent);
}

UNIT_TEST(sent_again)
{
    struct path_trouble path = {0};

    path_trouble_packet(&path, C, PATH_NEW, 1000 * ms);
    path_trouble_packet(&path, C, PATH_AGAIN, 1000 * ms + 1000); /* captured twice */
    assert_false(path.resent);
    path_trouble_packet(&path, C, PATH_AGAIN, 1200 * ms);
    assert_true(path.resent);
    assert_int_equal(path.resent_ns, 1200 * ms);
}
