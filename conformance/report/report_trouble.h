/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "What happened" (conformance/trouble/trouble.h) in reports. */
#ifndef IWARP_CONFORMANCE_REPORT_REPORT_TROUBLE_H
#define IWARP_CONFORMANCE_REPORT_REPORT_TROUBLE_H

#include "conformance/model/report.h"
#include "conformance/report/terminal.h"

struct html_page;

enum trouble_said {
    SAID_HEAD,    /* "What happened (times are UTC)"; or that nothing happened, and then nothing follows */
    SAID_CAPTURE, /* the capture, if there are several */
    SAID_BETWEEN, /* "10.9.0.1 and 10.9.0.2:20049" */
    SAID,         /* "frame 154, 07:34:50.123: OPEN was not answered for 60 s" */
    SAID_NEXT,    /* "next: ...", advice */
};

/* Line by line, a readable number of lines; `all`: everything. Nothing for a report without connections or trouble. */
void trouble_say(const struct report *report, bool all,
                 void (*line)(void *ctx, enum trouble_said what, const char *text), void *ctx);

/* Everything in one line, "client ..., server ..., 07:34:50.123 frame 154, connection 3: ..."; g_free() it. */
gchar *trouble_text(const struct trouble *trouble);

void trouble_write_text(const struct report *report, const struct terminal *terminal);
void trouble_write_html(struct html_page *page);

#endif
