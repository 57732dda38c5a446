/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * INVARIANT(holds) states what is true after a function has changed some state, whatever the octets of the input were.
 * Builds for debugging, fuzzing and simulation (IWARP_INVARIANTS) stop where a statement is false, and a proof must
 * show that it is true. Other builds compile the statement but do not evaluate it, so no input can stop a release
 * build. The statement must not have side effects.
 */
#ifndef IWARP_WIRE_INVARIANT_H
#define IWARP_WIRE_INVARIANT_H

#if defined(__CPROVER)
#define INVARIANT(holds) __CPROVER_assert((holds), #holds)
#elif defined(IWARP_INVARIANTS)
#include <stdio.h>
#include <stdlib.h>

static inline void invariant_is_false(const char *file, int line, const char *function, const char *statement)
{
    fprintf(stderr, "%s:%d: %s: the invariant is false: %s\n", file, line, function, statement);
    abort();
}

#define INVARIANT(holds) ((holds) ? (void)0 : invariant_is_false(__FILE__, __LINE__, __func__, #holds))
#else
#define INVARIANT(holds) ((void)(0 && (holds)))
#endif

#endif
