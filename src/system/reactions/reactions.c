/* A file of reactions from its text to its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/grow.h"
#include "system/reactions/inside.h"

#define LARGEST (1u << 20) /* bytes of a file */

static void free_rule(hb__when_rule *rule)
{
	for (size_t i = 0; i < rule->nconditions; i++) {
		hb__when_condition *c = &rule->condition[i];
		free(c->process);
		free(c->program);
		free(c->node);
		free(c->what);
		free(c->model);
		free(c->sample);
		for (size_t k = 0; k < c->nseries; k++)
			free(c->series[k].sample);
		free(c->series);
	}
	for (size_t i = 0; i < rule->naction; i++) {
		for (size_t k = 0; k < rule->action[i].nwords; k++)
			free(rule->action[i].words[k]);
		free(rule->action[i].words);
		free(rule->action[i].whom);
	}
	free((char *)rule->shown.condition);
	free((char *)rule->shown.action);
	free(rule->condition);
	free(rule->action);
}

void hb_reactions_close(hb_reactions *reactions)
{
	for (size_t i = 0; reactions && i < reactions->nrules; i++)
		free_rule(&reactions->rule[i]);
	if (reactions) {
		free(reactions->rule);
		free(reactions->file);
	}
	free(reactions);
}

static void read_rule(hb__when_reader *r)
{
	if (!HB_GROW(r->to->rule, r->to->room, r->to->nrules + 1)) {
		hb__when_wrong(r, "out of memory");
		return;
	}
	hb__when_rule *rule = &r->to->rule[r->to->nrules++];
	*rule = (hb__when_rule){.shown.line = r->word.line};
	hb__when_need(r, "when");
	size_t from = r->word.from;
	hb__when_read_condition(r, rule);
	rule->shown.condition = hb__when_written(r, from);
	if (!hb__when_takes_word(r, "do"))
		hb__when_none(r);
	from = r->word.from;
	bool more = true;
	while (more && !r->failed) {
		hb__when_read_action(r, rule);
		more = r->word.comma;
		if (more)
			hb__when_next(r);
	}
	rule->shown.action = hb__when_written(r, from);
	rule->shown.actions = rule->action;
	rule->shown.nactions = rule->naction;
	/* a reaction is known by its line */
	if (!r->failed && r->to->nrules > 1 && rule[-1].shown.line == rule->shown.line)
		hb__when_wrong(r, "each 'when' begins on a line of its own");
}

hb_status hb_reactions_parse(const char *file, const char *text, hb_reactions **ret_reactions, hb_error *err)
{
	hb_reactions *reactions = calloc(1, sizeof *reactions);
	*ret_reactions = NULL;
	if (!reactions || !(reactions->file = strdup(file))) {
		hb_reactions_close(reactions);
		return HB_E_MEMORY;
	}
	if (!strncmp(text, "\xef\xbb\xbf", 3)) /* an editor says that it is UTF-8 */
		text += 3;
	hb__when_reader r = {.file = file, .text = text, .line = 1, .column = 1, .err = err, .to = reactions};
	hb__when_next(&r);
	while (!r.failed && r.word.text)
		read_rule(&r);
	free(r.word.text);
	if (r.failed) {
		hb_reactions_close(reactions);
		return HB_E_ARGUMENT;
	}
	*ret_reactions = reactions;
	return HB_OK;
}

static hb_status unreadable(const char *file, const char *why, hb_error *err)
{
	if (err) {
		*err = (hb_error){.status = HB_E_SYSTEM};
		snprintf(err->message, sizeof err->message, "%.150s: %s", file, why);
	}
	return HB_E_SYSTEM;
}

hb_status hb_reactions_read(const char *file, hb_reactions **ret_reactions, hb_error *err)
{
	struct stat st;
	*ret_reactions = NULL;
	FILE *f = fopen(file, "re");
	if (!f || fstat(fileno(f), &st)) {
		int error = errno;
		if (f)
			fclose(f);
		return unreadable(file, strerror(error), err);
	}
	char *text = S_ISREG(st.st_mode) && st.st_size <= LARGEST ? calloc(1, (size_t)st.st_size + 1) : NULL;
	size_t n = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	if (!text)
		return unreadable(file, "this is no file of reactions: not a file, or more than 1 MiB", err);
	hb_status status = strlen(text) == n ? hb_reactions_parse(file, text, ret_reactions, err)
					     : unreadable(file, "this is no text: there is a null byte in it", err);
	free(text);
	return status;
}

size_t hb_reactions_count(const hb_reactions *reactions) { return reactions->nrules; }
const hb_reaction *hb_reactions_at(const hb_reactions *reactions, size_t index)
{
	return &reactions->rule[index].shown;
}
void hb_reactions_last(hb_reactions *reactions, size_t index, int64_t last) { reactions->rule[index].last = last; }

bool hb_reactions_holds(const hb_reactions *reactions, size_t index) { return reactions->rule[index].held; }
void hb_reactions_held(hb_reactions *reactions, size_t index, bool holds) { reactions->rule[index].held = holds; }

bool hb_reactions_look_back(const hb_reactions *reactions)
{
	for (size_t i = 0; i < reactions->nrules; i++)
		for (size_t k = 0; k < reactions->rule[i].nconditions; k++) {
			const hb__when_condition *c = &reactions->rule[i].condition[k];
			if (reactions->rule[i].within || c->kind == HB__RATE || (c->kind == HB__SENSOR && c->over))
				return true;
		}
	return false;
}

bool hb_reactions_model(const hb_reactions *reactions, size_t index, const char **ret_file, const char **ret_program)
{
	for (size_t i = 0; i < reactions->nrules; i++)
		for (size_t k = 0; k < reactions->rule[i].nconditions; k++) {
			const hb__when_condition *c = &reactions->rule[i].condition[k];
			if (c->model && !index--) {
				*ret_file = c->model;
				*ret_program = c->program;
				return true;
			}
		}
	return false;
}

bool hb_reactions_finding(
	const hb_reactions *reactions, size_t index, const char **ret_id, int *ret_line, int *ret_column)
{
	for (size_t i = 0; i < reactions->nrules; i++)
		for (size_t k = 0; k < reactions->rule[i].nconditions; k++) {
			const hb__when_condition *c = &reactions->rule[i].condition[k];
			if (c->line && !index--) {
				*ret_id = c->what;
				*ret_line = c->line;
				*ret_column = c->column;
				return true;
			}
		}
	return false;
}
