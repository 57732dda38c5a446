// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-check: judges the iWARP conversations in captures. */
#include "conformance/merge/merge.h"
#include "conformance/options/catalogue.h"
#include "conformance/options/options.h"
#include "conformance/run.h"
#include "support/stderr_line.h"
#include "waivers/rule_hint.h"
#include "waivers/shipped.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int main_trouble(const char *message)
{
    stderr_line("iwarp-check", "%s", message);
    return CHECK_TROUBLE;
}

static int main_explain(const char *id)
{
    const struct rule *rule = rule_find(id);

    if (!rule) {
        g_autofree gchar *hint = rule_hint(id, "; --list-rules lists the ids");
        g_autofree gchar *message = g_strdup_printf("--explain: no rule '%s'%s", id, hint);

        return main_trouble(message);
    }
    catalogue_explain(stdout, rule);
    return CHECK_PASS;
}

static int main_list_rules(const struct check_options *options)
{
    if (outputs_have(options->outputs, FORMAT_JSON))
        catalogue_list_json(stdout, options->rules.listed);
    else
        catalogue_list_text(stdout, options->rules.listed);
    return CHECK_PASS;
}

static int main_run(const struct check_options *options)
{
    if (options->help) {
        fputs(options_help, stdout);
        return CHECK_PASS;
    }
    if (options->version) {
        puts("iwarp-check " IWARP_KIT_VERSION " (iwarp-kit)");
        return CHECK_PASS;
    }
    if (options->explain)
        return main_explain(options->explain);
    if (options->list_rules)
        return main_list_rules(options);
    if (options->list_waivers) {
        g_autofree char *list = shipped_list();

        fputs(list, stdout);
        return CHECK_PASS;
    }
    if (options->list_interfaces)
        return (int)run_list_interfaces();
    return (int)run_check(options);
}

int main(int argc, char **argv)
{
    struct check_options options;
    GError *error = NULL;
    int status;

    setlocale(LC_CTYPE, "");
    if (argc > 1 && strcmp(argv[1], "merge") == 0)
        return merge_run(argc - 1, argv + 1);
    if (options_parse(&options, argc, argv, &error)) {
        status = main_run(&options);
    } else {
        status = main_trouble(error->message);
        g_error_free(error);
    }
    options_clear(&options);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = main_trouble(g_strerror(errno));
    return status;
}
