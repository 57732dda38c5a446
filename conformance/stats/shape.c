// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/shape.h"

#define MEMBER(name, type, structure, member)                                                                          \
    {                                                                                                                  \
        name, type, offsetof(structure, member), NULL, 0                                                               \
    }
#define COUNTS(structure, names, n)                                                                                    \
    {                                                                                                                  \
        "counts", STAT_COUNTS, offsetof(structure, n), names, sizeof(names) / sizeof *(names)                          \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, STAT_COUNTS, 0, NULL, 0                                                                                  \
    }

const struct stat_member stat_members[] = {
    MEMBER("from_start", STAT_TRUTH, struct statistics, from_start),
    MEMBER("whole", STAT_TRUTH, struct statistics, whole),
    MEMBER("first", STAT_FIRST, struct statistics, first_ns),
    MEMBER("last", STAT_LAST, struct statistics, last_ns),
    MEMBER("round_trip", STAT_KNOWN_COUNT, struct statistics, round_trip),
    MEMBER("round_trip_to_responder", STAT_KNOWN_COUNT, struct statistics, round_trip_far),
    MEMBER("mtu", STAT_KNOWN_NUMBER, struct statistics, mtu),
    MEMBER("gaps", STAT_HISTOGRAM, struct statistics, gaps),
    MEMBER("longest_gap_frame", STAT_KNOWN_NUMBER, struct statistics, longest_gap_frame),
    END,
};

const struct stat_member stat_calls_members[] = {
    COUNTS(struct stat_calls, call_count_names, n),
    MEMBER("latency", STAT_HISTOGRAM, struct stat_calls, time[CALL_LATENCY]),
    MEMBER("to_first_operation", STAT_HISTOGRAM, struct stat_calls, time[CALL_TO_FIRST]),
    MEMBER("moving_data", STAT_HISTOGRAM, struct stat_calls, time[CALL_MOVING]),
    MEMBER("last_operation_to_reply", STAT_HISTOGRAM, struct stat_calls, time[CALL_TO_REPLY]),
    MEMBER("first", STAT_FIRST, struct stat_calls, first_ns),
    MEMBER("last", STAT_LAST, struct stat_calls, last_ns),
    MEMBER("slowest_frame", STAT_KNOWN_NUMBER, struct stat_calls, slowest_frame),
    END,
};

const struct stat_member stat_credits_members[] = {
    COUNTS(struct stat_credits, credit_count_names, n),
    MEMBER("granted_min", STAT_NUMBER, struct stat_credits, granted_least),
    MEMBER("granted_max", STAT_NUMBER, struct stat_credits, granted_most),
    MEMBER("granted_last", STAT_NUMBER, struct stat_credits, granted_last),
    MEMBER("requested_last", STAT_NUMBER, struct stat_credits, requested_last),
    MEMBER("in_use", STAT_HISTOGRAM, struct stat_credits, in_use),
    MEMBER("limit_reached", STAT_HISTOGRAM, struct stat_credits, limit),
    MEMBER("next_call_after_limit", STAT_HISTOGRAM, struct stat_credits, released),
    MEMBER("pauses", STAT_HISTOGRAM, struct stat_credits, pauses),
    END,
};

const struct stat_member stat_operations_members[] = {
    MEMBER("count", STAT_COUNT, struct stat_operations, count),
    MEMBER("octets", STAT_COUNT, struct stat_operations, octets),
    MEMBER("parts", STAT_COUNT, struct stat_operations, parts),
    MEMBER("unanswered", STAT_COUNT, struct stat_operations, unanswered),
    MEMBER("sizes", STAT_HISTOGRAM, struct stat_operations, sizes),
    MEMBER("moving", STAT_HISTOGRAM, struct stat_operations, moving),
    MEMBER("first_response", STAT_HISTOGRAM, struct stat_operations, first),
    MEMBER("response", STAT_HISTOGRAM, struct stat_operations, answered),
    MEMBER("first", STAT_FIRST, struct stat_operations, first_ns),
    MEMBER("last", STAT_LAST, struct stat_operations, last_ns),
    END,
};

const struct stat_member stat_reads_members[] = {
    COUNTS(struct stat_reads, read_count_names, n),
    MEMBER("limit", STAT_KNOWN_NUMBER, struct stat_reads, limit),
    MEMBER("outstanding_max", STAT_NUMBER, struct stat_reads, most),
    MEMBER("outstanding", STAT_HISTOGRAM, struct stat_reads, outstanding),
    END,
};

const struct stat_member stat_carrier_members[] = {
    COUNTS(struct stat_carrier, carrier_count_names, n),
    MEMBER("largest", STAT_NUMBER, struct stat_carrier, segment_most),
    MEMBER("sizes", STAT_HISTOGRAM, struct stat_carrier, sizes),
    MEMBER("fpdus_per_segment", STAT_HISTOGRAM, struct stat_carrier, per_segment),
    MEMBER("late", STAT_HISTOGRAM, struct stat_carrier, late),
    MEMBER("acknowledged", STAT_HISTOGRAM, struct stat_carrier, acked),
    END,
};
