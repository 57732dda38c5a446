// SPDX-License-Identifier: GPL-2.0-or-later
/* Times are UTC: WASI knows no other zone. */
#include <glib.h>

#include <time.h>

struct _GDateTime {
    gint64 seconds; /* since 1970 */
};

enum { FIRST_YEAR = 1, LAST_YEAR = 9999 };

/* Days since 1970 before that day, by eras of 400 years. */
static gint64 days_before(gint64 year, gint month, gint day)
{
    gint64 y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    gint64 of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

GDateTime *g_date_time_new_from_unix_utc(gint64 seconds)
{
    GDateTime *time;

    if (seconds < days_before(FIRST_YEAR, 1, 1) * 86400 || seconds >= days_before(LAST_YEAR + 1, 1, 1) * 86400)
        return NULL;
    time = g_new0(GDateTime, 1);
    time->seconds = seconds;
    return time;
}

GDateTime *g_date_time_new_now_utc(void)
{
    return g_date_time_new_from_unix_utc(time(NULL));
}

GDateTime *g_date_time_new_now_local(void)
{
    return g_date_time_new_now_utc();
}

void g_date_time_unref(GDateTime *time)
{
    g_free(time);
}

/* The reverse. */
static void civil_of(gint64 days, gint *year, gint *month, gint *day)
{
    gint64 z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    gint64 y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    gint64 of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;

    *day = (gint)(of_year - (153 * m + 2) / 5 + 1);
    *month = (gint)(m < 10 ? m + 3 : m - 9);
    *year = (gint)(y + era * 400 + (*month <= 2));
}

/* The conversions that the tree uses. */
gchar *g_date_time_format(GDateTime *time, const gchar *format)
{
    gint64 days = (time->seconds >= 0 ? time->seconds : time->seconds - 86399) / 86400;
    gint of_day = (gint)(time->seconds - days * 86400), year, month, day;
    GString *text = g_string_new(NULL);

    civil_of(days, &year, &month, &day);
    for (; *format; format++) {
        const struct {
            gchar letter;
            gint value, width;
        } known[] = {
            {'Y', year, 4},       {'m', month, 2}, {'d', day, 2}, {'H', of_day / 3600, 2}, {'M', of_day / 60 % 60, 2},
            {'S', of_day % 60, 2}};

        if (*format != '%') {
            g_string_append_c(text, *format);
            continue;
        }
        format++;
        for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
            if (known[i].letter == *format)
                g_string_append_printf(text, "%0*d", known[i].width, known[i].value);
    }
    return g_string_free(text, FALSE);
}

gboolean g_date_valid_dmy(GDateDay day, GDateMonth month, GDateYear year)
{
    static const guint8 days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    gboolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= days[month] + (month == 2 && leap);
}
