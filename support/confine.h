/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that reads hostile octets needs few files, and no other program, network or process: the kernel refuses
 * everything else.
 */
#ifndef IWARP_SUPPORT_CONFINE_H
#define IWARP_SUPPORT_CONFINE_H

struct confine_to {
    /* NULL-terminated: files to be opened, and directories whose files are to be opened; NULL: none. */
    char *const *inputs;
    char *const *outputs; /* likewise: paths as for output_file_open() */
    const char *scratch;  /* directory for temporary files; NULL: none */
};

/*
 * From here on the calling thread, and threads that it starts, can open nothing else (Landlock), and cannot run
 * programs, create sockets or touch other processes (seccomp); open files stay open. If the kernel lacks one of the
 * two, that part is silently skipped. Call from the first thread, before it starts others.
 */
void confine(const struct confine_to *to);

#endif
