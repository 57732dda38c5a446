/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions and the values of suite_words.def. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_WORDS_H
#define IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_WORDS_H

#include "traffic-gen/tester/suite/talk/suite.h"

#define PART(name, suite)
#define EXPECT(word, on, function, ...) void function(struct on *, const struct suite_case *row);
#define JUDGE(word, on, function, ...)  EXPECT(word, on, function)
#define VALUES(set, ...)                enum set { __VA_ARGS__ };
#define NAMES(set, ...)
#include "traffic-gen/tester/suite/cases/suite_words.def"
#undef PART
#undef EXPECT
#undef JUDGE
#undef VALUES
#undef NAMES

#endif
