// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/findings.h"

#include <epan/wmem_scopes.h>

#include <string.h>

/*
 * By rule, for all layers of this plugin; NULL: the rule has no findings of its own. Wireshark keeps pointers to these.
 */
static ei_register_info *infos[RULE_COUNT];
static expert_field experts[RULE_COUNT];

static const struct {
    const char *name, *title, *blurb;
    int wireshark;
} severities[] = {
    [SEVERITY_NOTE] = {"note", "Note", "A finding that the standards allow, but that is unusual", PI_NOTE},
    [SEVERITY_WARNING] = {"warning", "Warning", "A finding that deviates from what the standards recommend or state",
                          PI_WARN},
    [SEVERITY_ERROR] = {"error", "Error", "A finding that violates the standards", PI_ERROR},
};

/* ---- header fields ---- */

static hf_register_info findings_field(int *id, const char *title, const char *name, enum ftenum type,
                                       const char *blurb)
{
    hf_register_info info = {id, {title, name, type, BASE_NONE, NULL, 0, blurb, HFILL}};

    return info;
}

static const char *below(const char *protocol, const char *name)
{
    return wmem_strdup_printf(wmem_epan_scope(), "%s.rule.%s", protocol, name);
}

void findings_register(struct finding_fields *fields, int id, const char *protocol, const char *related)
{
    enum { RULE, RELATED, ANY, TEXT, SEVERITIES, N = SEVERITIES + SEVERITY_ERROR + 1 };
    hf_register_info *info = wmem_alloc_array(wmem_epan_scope(), hf_register_info, N);

    info[RULE] = findings_field(&fields->rule, "Rule", wmem_strdup_printf(wmem_epan_scope(), "%s.rule", protocol),
                                FT_STRING, "Id of a rule that is violated here");
    info[RELATED] = findings_field(&fields->related, "See also", below(protocol, related), FT_FRAMENUM,
                                   "Another frame that the finding is about");
    info[ANY] = findings_field(&fields->any, "Finding", "iwarp.finding", FT_STRING,
                               "Id of a rule of any layer that is violated here");
    info[TEXT] = findings_field(&fields->text, "Finding in words", "iwarp.finding.text", FT_STRING,
                                "Severity, rule, and what was expected and found");
    for (unsigned i = 0; i < array_length(severities); i++)
        info[SEVERITIES + i] = findings_field(&fields->severity[i], severities[i].title,
                                              below(protocol, severities[i].name), FT_NONE, severities[i].blurb);
    proto_register_field_array(id, info, N);
}

/* ---- expert infos ---- */

/* MPA-4.1-05 as a name in filters: some versions of Wireshark could take "-05" for a subtraction. */
static const char *findings_name_of(const char *protocol, const struct rule *rule)
{
    char *name = g_ascii_strdown(rule->id, -1);
    const char *all = below(protocol, g_strdelimit(name, "-.", '_'));

    g_free(name);
    return all;
}

static bool findings_has_findings(const struct rule *rule, const char *layer)
{
    return rule->judged == RULE_JUDGED && strcmp(rule->layer, layer) == 0;
}

void findings_register_layer(expert_module_t *module, const char *protocol, const char *layer)
{
    ei_register_info *info;
    int n = 0;

    for (unsigned id = 0; id < RULE_COUNT; id++)
        n += findings_has_findings(&rule_catalogue[id], layer);
    info = wmem_alloc_array(wmem_epan_scope(), ei_register_info, (size_t)n);
    n = 0;
    for (unsigned id = 0; id < RULE_COUNT; id++) {
        const struct rule *rule = &rule_catalogue[id];

        if (!findings_has_findings(rule, layer))
            continue;
        experts[id] = (expert_field)EI_INIT;
        infos[id] = &info[n];
        info[n++] =
            (ei_register_info){&experts[id],
                               {findings_name_of(protocol, rule), PI_PROTOCOL, severities[rule->severity].wireshark,
                                wmem_strdup_printf(wmem_epan_scope(), "%s: %s", rule->id, rule->text), EXPFILL}};
    }
    expert_register_field_array(module, info, n);
}

/*
 * A part of a rule may be weaker than the rule, and so is its finding. Wireshark takes the severity from here, and the
 * user may have changed the severity of the rule: so it is replaced only if the finding requires this.
 */
static void add_expert(packet_info *pinfo, proto_item *at, const struct remark *remark)
{
    const struct rule *rule = &rule_catalogue[remark->rule];
    expert_field_info *info = infos[remark->rule] ? &infos[remark->rule]->eiinfo : NULL;
    int usual;

    if (!info) /* the rule's layer was not registered: only the fields show the finding */
        return;
    usual = info->severity;
    if (remark->severity != rule->severity)
        info->severity = severities[remark->severity].wireshark;
    expert_add_info_format(pinfo, at, &experts[remark->rule], "%s: %s", rule->id, remark->message);
    info->severity = usual;
}

/* ---- in the packet list ---- */

static struct {
    uint32_t frame;
    unsigned n;
    enum rule_id rule; /* of the gravest */
    enum rule_severity severity;
} drawn; /* of the frame that is being dissected */

static void findings_note(const packet_info *pinfo, const struct remark *remark)
{
    if (drawn.frame != pinfo->num)
        drawn.n = 0;
    drawn.frame = pinfo->num;
    if (drawn.n++ > 0 && remark->severity <= drawn.severity)
        return;
    drawn.rule = remark->rule;
    drawn.severity = remark->severity;
}

void findings_mark(packet_info *pinfo)
{
    if (drawn.n == 0 || drawn.frame != pinfo->num)
        return;
    col_append_fstr(pinfo->cinfo, COL_INFO, " [%s %s", severities[drawn.severity].name, rule_catalogue[drawn.rule].id);
    if (drawn.n > 1)
        col_append_fstr(pinfo->cinfo, COL_INFO, ", %u more", drawn.n - 1);
    col_append_str(pinfo->cinfo, COL_INFO, "]");
    drawn.n = 0;
}

/* ---- in the tree ---- */

static void findings_hidden(proto_item *item)
{
    proto_item_set_generated(item);
    proto_item_set_hidden(item);
}

static const char *findings_words(wmem_allocator_t *pool, const struct remark *remark)
{
    return wmem_strdup_printf(pool, "%s %s: %s", severities[remark->severity].name, rule_catalogue[remark->rule].id,
                              remark->message);
}

void findings_draw(const struct finding_fields *fields, packet_info *pinfo, proto_item *at, tvbuff_t *tvb,
                   const struct remark *remark)
{
    const struct rule *rule = &rule_catalogue[remark->rule];
    proto_tree *tree = proto_item_get_subtree(at);
    const char *text = !tree ? "" : findings_words(pinfo->pool, remark);

    findings_note(pinfo, remark);
    add_expert(pinfo, at, remark);
    proto_item_set_generated(proto_tree_add_string(tree, fields->rule, tvb, 0, 0, rule->id));
    findings_hidden(proto_tree_add_string(tree, fields->any, tvb, 0, 0, rule->id));
    findings_hidden(proto_tree_add_string(tree, fields->text, tvb, 0, 0, text));
    findings_hidden(proto_tree_add_item(tree, fields->severity[remark->severity], tvb, 0, 0, ENC_NA));
    if (remark->related_frame != 0)
        proto_item_set_generated(proto_tree_add_uint(tree, fields->related, tvb, 0, 0, remark->related_frame));
}
