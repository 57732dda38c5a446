// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole of iwarp-check on arbitrary capture octets: libpcap, decapsulation, reassembly, engine, both reports,
 * --print. The input is a capture file.
 */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz_checking.h"

static struct fuzz_checking checking;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct report report;

    if (!fuzz_check(&checking, data, size, &report))
        return 0;
    fuzz_write_reports(&checking, &report);
    report_clear(&report);
    return 0;
}
