/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wasi-libc has no such header, and these tests never jump. */
