// SPDX-License-Identifier: GPL-2.0-or-later
/* --both in the text report: the path between a client and a server, and where slow Calls waited. */
#include "conformance/model/between.h"
#include "conformance/report/report_stats.h"
#include "conformance/stats/units.h"

#include <inttypes.h>

enum { BOTH_INDENT = 2 };

static const char *const both_ends[BETWEEN_ENDS] = {[BETWEEN_CLIENT] = "client", [BETWEEN_SERVER] = "server"};

static const char *both_time(int64_t ns, char text[UNITS_SIZE])
{
    return units_time((uint64_t)MAX(ns, 0), text);
}

static void write_way(const struct between *between, unsigned from, const struct terminal *terminal)
{
    const struct between_way *way = &between->way[from];
    char median[UNITS_SIZE], most[UNITS_SIZE];
    g_autoptr(GString) frames = g_string_new("");

    terminal_line(terminal, BOTH_INDENT,
                  "from the %s to the %s: %" PRIu64 " packets in both captures, half of them within %s, the slowest in "
                  "%s (frame %" PRIu32 " of the client's capture, %" PRIu32 " of the server's)",
                  both_ends[from], both_ends[1 - from], way->both, both_time(way->median_ns, median),
                  both_time(way->most_ns, most), way->most_frame[BETWEEN_CLIENT], way->most_frame[BETWEEN_SERVER]);
    if (between->few)
        return;
    for (unsigned i = 0; i < MIN(way->lost, BETWEEN_FRAMES); i++)
        g_string_append_printf(frames, "%s%" PRIu32, i > 0 ? ", " : "", way->lost_frame[i]);
    if (way->lost > 0)
        terminal_line(terminal, BOTH_INDENT + 2,
                      "%" PRIu64 " packet%s never came to the %s: frame%s %s%s of the %s's capture; next: look at the "
                      "counters of the switches between them",
                      way->lost, way->lost == 1 ? "" : "s", both_ends[1 - from], way->lost == 1 ? "" : "s", frames->str,
                      way->lost > BETWEEN_FRAMES ? " ..." : "", both_ends[from]);
    if (way->uncaptured > 0)
        terminal_line(terminal, BOTH_INDENT + 2, "%" PRIu64 " packet%s came to the %s, but the %s's capture lacks %s",
                      way->uncaptured, way->uncaptured == 1 ? "" : "s", both_ends[1 - from], both_ends[from],
                      way->uncaptured == 1 ? "it" : "them");
}

static void write_slow(const struct between *between, const struct stat_slow *slow, const struct terminal *terminal)
{
    const struct between_packet *call = between_at(between, BETWEEN_CLIENT, slow->frame);
    const struct between_packet *reply = between_at(between, BETWEEN_CLIENT, slow->reply_frame);
    g_autofree gchar *name = stats_row_label(&slow->key);
    char all[UNITS_SIZE], there[UNITS_SIZE], way[UNITS_SIZE];
    int64_t at_server;

    if (slow->key.reverse || !call || !reply || call->peer == 0 || reply->peer == 0)
        return;
    at_server = reply->peer_ns - call->peer_ns;
    terminal_line(terminal, BOTH_INDENT,
                  "slow: %s in frame %" PRIu32 " of the client's capture took %s: %s at the server (frames %" PRIu32
                  " to %" PRIu32 " of its capture), %s on the way",
                  name, slow->frame, units_time(slow->latency, all), both_time(at_server, there), call->peer,
                  reply->peer, both_time((int64_t)slow->latency - at_server, way));
}

static void write_slow_calls(const struct report *report, const struct terminal *terminal)
{
    const struct report_capture *client = g_ptr_array_index(report->captures, BETWEEN_CLIENT);

    for (guint i = 0; i < client->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(client->connections, i);
        const struct statistics *statistics = connection->statistics;

        for (unsigned k = 0; statistics && k < statistics->n_slowest; k++)
            write_slow(report->between, &statistics->slowest[k], terminal);
    }
}

static void write_clocks(const struct between *between, const struct terminal *terminal)
{
    char ahead[UNITS_SIZE];

    terminal_line(terminal, BOTH_INDENT,
                  "the server's clock is %s %s than the client's, if both ways take equally long",
                  units_time((uint64_t)ABS(between->ahead_ns), ahead), between->ahead_ns < 0 ? "earlier" : "later");
}

void both_write_text(const struct report *report, const struct terminal *terminal)
{
    const struct between *between = report->between;

    if (!between)
        return;
    terminal_gap(terminal);
    terminal_line(terminal, 0, "Between the client's capture and the server's:");
    for (unsigned end = 0; end < BETWEEN_ENDS; end++)
        if (between->full[end])
            terminal_line(terminal, BOTH_INDENT, "only the first %d packets of the %s's capture are compared",
                          BETWEEN_PACKETS_MAX, both_ends[end]);
    if (!between->timed) {
        terminal_line(terminal, BOTH_INDENT,
                      "the captures do not have packets of both ways in common; next: capture at both ends at the same "
                      "time, with whole headers, and where no device changes addresses");
        return;
    }
    if (between->ahead_ns == 0 && between->way[0].most_ns == 0 && between->way[1].most_ns == 0) {
        terminal_line(terminal, BOTH_INDENT, "each packet has the same time in both: they are copies of one capture");
        return;
    }
    write_clocks(between, terminal);
    for (unsigned from = 0; from < BETWEEN_ENDS; from++)
        write_way(between, from, terminal);
    if (between->few)
        terminal_line(
            terminal, BOTH_INDENT,
            "most packets of one capture are not in the other, so nothing is said about lost packets; next: "
            "switch off TSO and GRO at both ends (ethtool -K IFACE tso off gro off), or capture at the switch");
    write_slow_calls(report, terminal);
}
