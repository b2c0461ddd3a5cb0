// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: rules, which are the actions that the handlers of connection managers run for an event.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "tools/testing/modules/kscript/kscript.h"

#define MAX_ACTIONS	16

/* One action; the actions of an event run in the order of the list. */
struct rule {
	struct list_head entry;
	char name[KS_NAME_LEN];
	char event[KS_NAME_LEN];
	char command[];
};

static char *next_word(char **line)
{
	char *word;

	do {
		word = strsep(line, " \t");
	} while (word && !*word);
	return word;
}

/* Adds a rule. @line has the form "X EVENT COMMAND...". */
int ks_rule_on(struct ks_session *s, char *line)
{
	char *name = next_word(&line), *event = next_word(&line);
	struct rule *rule;

	if (!name || !event || !line || strlen(name) >= KS_NAME_LEN ||
	    strlen(event) >= KS_NAME_LEN)
		return -EINVAL;
	line = strim(line);
	if (!*line)
		return -EINVAL;
	rule = kzalloc(struct_size(rule, command, strlen(line) + 1), GFP_KERNEL);
	if (!rule)
		return -ENOMEM;
	strscpy(rule->name, name, KS_NAME_LEN);
	strscpy(rule->event, event, KS_NAME_LEN);
	strcpy(rule->command, line);
	spin_lock_irq(&s->lock);
	list_add_tail(&rule->entry, &s->rules);
	spin_unlock_irq(&s->lock);
	return 0;
}

static bool is_for(const struct rule *rule, const char *name, const char *event)
{
	return !strcmp(rule->name, name) && !strcmp(rule->event, event);
}

int ks_rule_off(struct ks_session *s, char *line)
{
	char *name = next_word(&line), *event = next_word(&line);
	struct rule *rule, *next;

	if (!name || !event)
		return -EINVAL;
	spin_lock_irq(&s->lock);
	list_for_each_entry_safe(rule, next, &s->rules, entry) {
		if (!is_for(rule, name, event))
			continue;
		list_del(&rule->entry);
		kfree(rule);
	}
	spin_unlock_irq(&s->lock);
	return 0;
}

void ks_rules_clear(struct ks_session *s)
{
	struct rule *rule, *next;

	spin_lock_irq(&s->lock);
	list_for_each_entry_safe(rule, next, &s->rules, entry) {
		list_del(&rule->entry);
		kfree(rule);
	}
	spin_unlock_irq(&s->lock);
}

/*
 * Copies the actions of @name for @event, because rules may change while the actions run. Returns
 * the number of actions.
 */
static int collect(struct ks_session *s, const char *name, const char *event, char **actions)
{
	struct rule *rule;
	int n = 0;

	spin_lock_irq(&s->lock);
	list_for_each_entry(rule, &s->rules, entry) {
		if (!is_for(rule, name, event) || n == MAX_ACTIONS)
			continue;
		actions[n] = kstrdup(rule->command, GFP_ATOMIC);
		if (actions[n])
			n++;
	}
	spin_unlock_irq(&s->lock);
	return n;
}

/*
 * Returns whether the command @word works on an identifier that its arguments @rest do not name.
 * The command then works on the handler's identifier.
 */
static bool takes_subject(const char *word, const char *rest)
{
	static const char *const words[] = { "accept", "reject", "disconnect", "destroy" };
	const char *end;

	if (match_string(words, ARRAY_SIZE(words), word) < 0)
		return false;
	rest = rest ? skip_spaces(rest) : "";
	end = rest + strcspn(rest, " \t");
	return !*rest || memchr(rest, '=', end - rest) || !strcmp(rest, "abrupt");
}

/*
 * Returns the command line with @subject in place of each "." and of a missing name, or NULL if
 * there is no memory. The caller frees the line.
 */
static char *expand(const char *word, char *rest, const char *subject)
{
	char *line, *next;
	size_t used;

	line = kmalloc(KS_MAX_LINE, GFP_KERNEL);
	if (!line)
		return NULL;
	used = scnprintf(line, KS_MAX_LINE, "%s%s%s", word,
			 takes_subject(word, rest) ? " " : "",
			 takes_subject(word, rest) ? subject : "");
	while ((next = next_word(&rest)))
		used += scnprintf(line + used, KS_MAX_LINE - used, " %s",
				  strcmp(next, ".") ? next : subject);
	return line;
}

/*
 * The result of a handler is N for "return ret=N", -1 for "return" without ret=, -EINVAL if N is
 * malformed, and 0 without such an action.
 */
int ks_rules_run(struct ks_session *s, const char *name, const char *event, const char *subject)
{
	char *actions[MAX_ACTIONS], *rest, *word, *line, *text;
	bool returned = false;
	int i, n, did, ret = 0;

	n = collect(s, name, event, actions);
	if (!n)
		n = collect(s, "*", event, actions);
	for (i = 0; i < n; i++) {
		rest = actions[i];
		if (!returned && !strncmp(rest, "return", 6) && (!rest[6] || rest[6] == ' ')) {
			returned = true;
			ret = -1;
			text = strstr(rest, "ret=");
			if (text && kstrtoint(text + 4, 0, &ret))
				ret = -EINVAL;
		} else if (!returned) {
			word = next_word(&rest);
			line = expand(word, rest, subject);
			did = line ? s->command(s, line, true) : -ENOMEM;
			kfree(line);
			ks_report(s, "did %s %s %s ret=%d", name, event, word, did);
		}
		kfree(actions[i]);
	}
	return ret;
}
