/* What can never be: it is said when a file is read, and not when somebody has waited for it in vain. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/reactions/inside.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

int64_t hb__when_whole(hb__when_reader *r, const char *what, int64_t least, int64_t most)
{
	char *text = strdup(r->word.text ? r->word.text : "");
	double number = hb__when_number_here(r, what);
	if (!r->failed && (number != floor(number) || number < (double)least || number > (double)most))
		hb__when_wrong_before(r, "%s is a whole number from %lld to %lld, not '%.40s'", what, (long long)least,
			(long long)most, text ? text : "");
	free(text);
	return r->failed ? least : (int64_t)number;
}

char *hb__when_named(hb__when_reader *r, const char *of)
{
	char what[64];
	snprintf(what, sizeof what, "the name of a %s", of);
	char *name = hb__when_name(r, what);
	if (!r->failed && (strspn(name, LETTERS) != strlen(name) || strlen(name) > 63 || *name == '-'))
		hb__when_wrong_before(
			r, "no %s is called '%.63s': a name is letters, digits and . _ -, 63 at most", of, name);
	return name;
}

/* Whether both are about the same thing, and it is the only one of this name. */
static bool about_one(const hb__when_condition *a, const hb__when_condition *b)
{
	const char *x = a->kind == HB__PROGRAM_IS ? a->program : a->node,
		   *y = b->kind == HB__PROGRAM_IS ? b->program : b->node;
	bool node = a->kind == HB__NODE_IS || a->kind == HB__NODE_HAS;
	return a->kind == b->kind && (node || a->kind == HB__PROGRAM_IS) && x && y && !strcmp(x, y) &&
	       (a->kind != HB__NODE_HAS || !strcmp(a->what, b->what));
}

static bool exclude(const hb__when_condition *a, const hb__when_condition *b)
{
	if (!about_one(a, b))
		return false;
	if (a->kind != HB__NODE_HAS)
		return strcmp(a->what, b->what) != 0;
	return a->over != b->over && (a->over > 0 ? a->limit >= b->limit : b->limit >= a->limit);
}

void hb__when_check_conditions(hb__when_reader *r, const hb__when_rule *rule)
{
	size_t happenings = 0;
	for (size_t i = 0; i < rule->nconditions && !r->failed; i++) {
		const hb__when_condition *c = &rule->condition[i];
		happenings += c->kind < HB__PROCESS_IS;
		if ((c->kind == HB__NODE_HAS || c->kind == HB__RATE || c->kind == HB__SPEED) &&
			(c->limit < 0 || (c->over < 0 && c->limit <= 0)))
			hb__when_wrong_before(r, "nothing is under 0: condition %zu of this rule is %s so", i + 1,
				c->over > 0 ? "always" : "never");
		for (size_t k = 0; k < i; k++)
			if (exclude(&rule->condition[k], c))
				hb__when_wrong_before(
					r, "conditions %zu and %zu of this rule never hold together", k + 1, i + 1);
	}
	if (rule->within && (!happenings || rule->nconditions < 2))
		hb__when_wrong_before(r,
			"'within TIME' is for what happens, joined by 'and' with something else; a state holds or does not");
}

/* "it" is the process of the event, or the program. */
void hb__when_check_action(hb__when_reader *r, const hb__when_rule *rule, const hb_action *a)
{
	bool it = a->kind == HB_ACTION_STOP || a->kind == HB_ACTION_STOP_ALL || a->kind == HB_ACTION_STOP_PAST ||
		  a->kind == HB_ACTION_DEBUGGER || a->kind == HB_ACTION_KEEP ||
		  ((a->kind == HB_ACTION_END || a->kind == HB_ACTION_RESTART) && !a->nwords);
	for (size_t i = 0; i < rule->nconditions; i++)
		it = it && (rule->condition[i].kind == HB__NODE_IS || rule->condition[i].kind == HB__NODE_HAS);
	if (it)
		hb__when_wrong_before(r,
			"this rule is about nodes alone: there is no process and no program to which this could be done");
	if (a->kind == HB_ACTION_COMMAND && a->nwords && !*a->words[0])
		hb__when_wrong_before(r, "an empty word is no command");
}

bool hb__when_is_place(const char *where)
{
	char *end;
	if (!strncmp(where, "unix:/", 6) || !strncmp(where, "unix:@", 6))
		return where[6] != 0;
	const char *colon = strncmp(where, "udp:", 4) ? NULL : strrchr(where + 4, ':');
	long port = colon && colon > where + 4 && colon[1] >= '0' && colon[1] <= '9' ? strtol(colon + 1, &end, 10) : 0;
	return port > 0 && port < 65536 && !*end;
}
