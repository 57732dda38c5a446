// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/units.h"

#include <stdio.h>

struct unit {
    double size;
    const char *name;
};

/* Chooses the largest unit of which there is at least one. */
static const char *with_unit(double value, const struct unit *units, const char *after, char text[UNITS_SIZE])
{
    double shown;

    while (value < 0.9995 * units->size && units[1].name)
        units++;
    shown = value / units->size;
    snprintf(text, UNITS_SIZE, "%.*f %s%s", shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0, shown, units->name, after);
    return text;
}

const char *units_time(uint64_t ns, char text[UNITS_SIZE])
{
    static const struct unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\302\265s"}, {1, NULL}};

    if (ns == 0)
        snprintf(text, UNITS_SIZE, "0");
    else if (ns < 1000)
        snprintf(text, UNITS_SIZE, "%u ns", (unsigned)ns);
    else
        with_unit((double)ns, units, "", text);
    return text;
}

static const struct unit octet_units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, NULL}};

const char *units_octets(uint64_t octets, char text[UNITS_SIZE])
{
    if (octets < 1000) {
        snprintf(text, UNITS_SIZE, "%u", (unsigned)octets);
        return text;
    }
    return with_unit((double)octets, octet_units, "", text);
}

const char *units_rate(uint64_t octets, uint64_t ns, char text[UNITS_SIZE])
{
    double rate = ns == 0 ? 0 : (double)octets * 1e9 / (double)ns;

    if (ns == 0)
        snprintf(text, UNITS_SIZE, "-");
    else if (rate < 999.5)
        snprintf(text, UNITS_SIZE, "%.0f B/s", rate);
    else
        with_unit(rate, octet_units, "/s", text);
    return text;
}

const char *units_share(uint64_t part, uint64_t whole, char text[UNITS_SIZE])
{
    double percent = whole == 0 ? 0 : 100 * (double)part / (double)whole;

    if (part > 0 && percent < 0.1)
        snprintf(text, UNITS_SIZE, "less than 0.1 %%");
    else if (part < whole && percent >= 99.5)
        snprintf(text, UNITS_SIZE, "over 99 %%");
    else
        snprintf(text, UNITS_SIZE, "%.*f %%", percent > 0 && percent < 9.95 ? 1 : 0, percent);
    return text;
}
