// SPDX-License-Identifier: GPL-2.0-or-later
/* A request for an operation by the device is read back as written; other octets are refused. */
#include "support/advert.h"
#include "tests/unit/support/support.h"

#include <string.h>

static const struct advert_request request = {
    .operation = ADVERT_CMP_SWAP, .stag = 0x51A0, .address = 0x1008, .data = UINT64_MAX - 1, .compare = 7};

UNIT_TEST(test_request)
{
    static const uint8_t expected[] = {'I', 'W', 'T', 'O', 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0x10, 0x08, 0, 0, 0x51, 0xA0};
    uint8_t words[ADVERT_REQUEST_LEN];
    struct advert_request found;

    advert_request_encode(&request, words);
    assert_memory_equal(words, expected, sizeof expected);
    assert_true(advert_request_decode(&found, words, sizeof words));
    assert_int_equal(found.operation, request.operation);
    assert_int_equal(found.stag, request.stag);
    assert_true(found.address == request.address && found.data == request.data && found.compare == request.compare);
}

UNIT_TEST(test_other_messages)
{
    uint8_t words[ADVERT_REQUEST_LEN + 1] = {0};
    struct advert_request found;

    advert_request_encode(&request, words);
    assert_false(advert_request_decode(&found, words, ADVERT_REQUEST_LEN - 1));
    assert_false(advert_request_decode(&found, words, ADVERT_REQUEST_LEN + 1));
    assert_false(advert_request_decode(&found, NULL, 0));
    words[3] = 'Q';
    assert_false(advert_request_decode(&found, words, ADVERT_REQUEST_LEN));
}
