/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-check merge A.ndjson B.ndjson...: merges NDJSON reports into one. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_H
#define IWARP_CONFORMANCE_MERGE_MERGE_H

/* argv[0] is "merge". Returns the exit status; errors are reported on standard error. */
int merge_run(int argc, char **argv);

#endif
