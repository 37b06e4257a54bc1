/* Reads command lines by the tables of options.h, and prints them as help. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/world/world.h"
#include "options.h"
#include "terminal.h"

const hb_option hb__common_options[] = {
	{"color", 0, HB_OPTION_CHOICE, "auto|always|never", "use colour; auto: only on a terminal"},
	{"no-pager", 0, HB_OPTION_FLAG, NULL, "do not use a pager for long output"},
	{"help", 'h', HB_OPTION_FLAG, NULL, "print this help"},
	{0},
};

const hb_command *hb__command(const char *name)
{
	for (const hb_command *c = hb__commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int place(const hb_command *command, const char *name, size_t length, char letter)
{
	for (int i = 0; command->options[i].name; i++) {
		const hb_option *o = &command->options[i];
		if (name ? strlen(o->name) == length && !strncmp(o->name, name, length) : letter && o->letter == letter)
			return i;
	}
	return -1;
}

static bool among(const char *words, const char *word)
{
	size_t n = strlen(word);
	for (const char *p = words; p && n; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (!strncmp(p, word, n) && (p[n] == '|' || !p[n]))
			return true;
	return false;
}

/* ---- did you mean ---- */

/* Letters to insert, leave away, change or swap, without regard to case. */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), row[3][80];
	if (n >= 80 || m >= 80)
		return SIZE_MAX;
	for (size_t k = 0; k <= m; k++)
		row[0][k] = k;
	for (size_t i = 1; i <= n; i++) {
		size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
		now[0] = i;
		for (size_t k = 1; k <= m; k++) {
			bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[k - 1]);
			size_t least = last[k - 1] + !same;
			least = last[k] + 1 < least ? last[k] + 1 : least;
			least = now[k - 1] + 1 < least ? now[k - 1] + 1 : least;
			bool swapped = i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1];
			now[k] = swapped && before[k - 2] + 1 < least ? before[k - 2] + 1 : least;
		}
	}
	return row[n % 3][m];
}

void hb__guess(hb_guess *g, const char *candidate)
{
	size_t d = distance(g->word, candidate), n = strlen(g->word);
	/* a beginning is near, however long the rest is */
	if (n > 1 && !strncasecmp(candidate, g->word, n))
		d = 1;
	if (d > (n < 3 ? 1 : n / 3) || strlen(candidate) >= sizeof g->best || (*g->best && d >= g->distance))
		return;
	snprintf(g->best, sizeof g->best, "%s", candidate);
	g->distance = d;
}

const char *hb__guessed(hb_guess *g)
{
	static char text[96];
	snprintf(text, sizeof text, *g->best ? "; did you mean '%s'?" : "", g->best);
	return text;
}

int hb__no_command(const char *word)
{
	hb_guess g = {.word = word};
	for (const hb_command *c = hb__commands; c->name; c++)
		hb__guess(&g, c->name);
	return hb__fail_with(
		HB_EXIT_USAGE, "there is no command '%s'%s; 'hbdb help' lists them all", word, hb__guessed(&g));
}

/* ---- options ---- */

static int wrong_choice(const hb_command *command, const hb_option *o, const char *value)
{
	hb_guess g = {.word = value};
	char *words = hb__copy(o->value), *rest = words;
	for (char *word; (word = strsep(&rest, "|"));)
		hb__guess(&g, word);
	free(words);
	return hb__fail_with(HB_EXIT_USAGE, "%s --%s takes one of %s, not '%s'%s", command->name, o->name, o->value,
		value, hb__guessed(&g));
}

static int check(const hb_command *command, const hb_option *o, const char *value)
{
	char *end;
	if (o->kind == HB_OPTION_CHOICE && !among(o->value, value))
		return wrong_choice(command, o, value);
	if (o->kind == HB_OPTION_NUMBER || o->kind == HB_OPTION_MAYBE) {
		errno = 0;
		strtoull(value, &end, 10);
		if (errno || *end || value[0] < '0' || value[0] > '9')
			return hb__fail_with(
				HB_EXIT_USAGE, "%s --%s takes a number, but got '%s'", command->name, o->name, value);
	}
	if (!*value)
		return hb__fail_with(HB_EXIT_USAGE, "%s --%s needs a value: %s", command->name, o->name, o->value);
	return 0;
}

static int unknown(const hb_command *command, const char *arg)
{
	bool is_long = arg[1] == '-';
	char *name = hb__format("%.*s", (int)strcspn(arg, "="), arg);
	hb_guess g = {.word = is_long ? name : ""};
	for (const hb_option *o = command->options; o->name && is_long; o++) {
		char *whole = hb__format("--%s", o->name);
		hb__guess(&g, whole);
		free(whole);
	}
	char *meant = hb__copy(hb__guessed(&g));
	int code = hb__fail_with(HB_EXIT_USAGE, "%s has no option %s%s; see 'hbdb help %s'%s", command->name, name,
		meant, command->name,
		command->kind == HB_OPERANDS_COMMAND ? " (options of the program belong behind its name)" : "");
	free(meant);
	free(name);
	return code;
}

bool hb__takes(const hb_command *command, const hb_option *common)
{
	return command->length == HB_LONG || strcmp(common->name, "no-pager") != 0;
}

/* An option that every command has, with its value: 1 when it was one, 0 when not, -1 when it is wrong. */
static int read_common(const hb_command *command, char ***p)
{
	for (const hb_option *o = hb__common_options; o->name; o++) {
		const char *arg = **p + 2;
		size_t n = strlen(o->name);
		if (strncmp(arg, o->name, n) != 0 || (arg[n] && arg[n] != '=') || !hb__takes(command, o))
			continue;
		if (o->kind == HB_OPTION_FLAG && !arg[n]) {
			hb__want_pager(false);
			return 1;
		}
		const char *value = arg[n] ? arg + n + 1 : (*p)[1] ? *++*p : "";
		if (o->kind == HB_OPTION_FLAG || check(command, o, value))
			return -1;
		hb__want_colour(value);
		return 1;
	}
	return 0;
}

/* Lasts as long as the arguments: to the end of the program. */
static const char *both(const char *one, const char *other)
{
	static hb_strings kept;
	char *text = hb__format("%s,%s", one, other);
	hb__push(&kept, text);
	free(text);
	return kept.at[kept.n - 1];
}

/* One argument that begins with a dash. Moves *p past the value it takes. */
static int read_option(const hb_command *command, char ***p, hb_args *args, bool *ret_done)
{
	char *arg = **p;
	bool is_long = arg[1] == '-';
	const char *name = is_long ? arg + 2 : NULL;
	const char *equals = is_long ? strchr(name, '=') : NULL;
	size_t length = is_long ? (equals ? (size_t)(equals - name) : strlen(name)) : 0;

	if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
		hb__print_help(command);
		*ret_done = true;
		return 0;
	}
	int common = is_long ? read_common(command, p) : 0;
	if (common)
		return common < 0 ? HB_EXIT_USAGE : 0;
	int i = place(command, name, length, is_long ? 0 : arg[1]);
	if (i < 0)
		return unknown(command, arg);
	const hb_option *o = &command->options[i];
	const char *value = equals ? equals + 1 : !is_long && arg[2] ? arg + 2 : NULL;
	if (o->kind == HB_OPTION_FLAG) {
		if (value)
			return hb__fail_with(HB_EXIT_USAGE, "%s --%s takes no value", command->name, o->name);
		args->value[i] = "";
		return 0;
	}
	if (o->kind == HB_OPTION_MAYBE && !value) {
		args->value[i] = "";
		return 0;
	}
	if (!value) {
		if (!(*p)[1])
			return hb__fail_with(
				HB_EXIT_USAGE, "%s --%s needs a value: %s", command->name, o->name, o->value);
		value = *++*p;
	}
	if (o->kind == HB_OPTION_EACH && args->value[i])
		value = both(args->value[i], value);
	args->value[i] = value;
	return check(command, o, value);
}

static int read_operand(const hb_command *command, const char *arg, hb_args *args)
{
	if (command->kind == HB_OPERANDS_NONE)
		return hb__fail_with(HB_EXIT_USAGE, "%s takes no '%s'", command->name, arg);
	int most = command->kind == HB_OPERANDS_WORDS   ? HB_WORDS_MAX
		   : command->kind == HB_OPERANDS_NAMES ? 2
		   : command->kind == HB_OPERANDS_VERB  ? 3
							: 0;
	if (args->nwords < most) {
		args->word[args->nwords++] = arg;
		return 0;
	}
	if (most)
		return hb__fail_with(
			HB_EXIT_USAGE, "%s takes only %s; '%s' is one too many", command->name, command->operands, arg);
	if (args->operand)
		return hb__fail_with(HB_EXIT_USAGE, "%s takes only one %s; '%s' is one too many%s", command->name,
			command->operands, arg,
			command->kind == HB_OPERANDS_BOTH ? " (a command to run goes after --)" : "");
	args->operand = arg;
	return 0;
}

int hb__parse(const hb_command *command, char **argv, hb_args *ret_args, bool *ret_done)
{
	*ret_args = (hb_args){.command = command};
	*ret_done = false;
	bool only_operands = false;
	for (char **p = argv; *p; p++) {
		int code = 0;
		bool takes_command = command->kind == HB_OPERANDS_COMMAND || command->kind == HB_OPERANDS_BOTH ||
				     command->kind == HB_OPERANDS_NAMES || command->kind == HB_OPERANDS_VERB;
		if (!strcmp(*p, "--")) {
			if (takes_command) {
				ret_args->rest = p + 1;
				break;
			}
			only_operands = command->kind == HB_OPERANDS_WORDS;
			continue;
		}
		if ((*p)[0] == '-' && (*p)[1] && !only_operands)
			code = read_option(command, &p, ret_args, ret_done);
		else if (command->kind == HB_OPERANDS_COMMAND) {
			ret_args->rest = p;
			break;
		} else
			code = read_operand(command, *p, ret_args);
		if (code || *ret_done)
			return code;
	}
	if (ret_args->rest && !*ret_args->rest)
		return hb__fail_with(HB_EXIT_USAGE, "%s: there is no command after --", command->name);
	return 0;
}

const char *hb__option_value(const hb_args *args, const char *name)
{
	int i = place(args->command, name, strlen(name), 0);
	return i < 0 ? NULL : args->value[i];
}

uint64_t hb__option_number(const hb_args *args, const char *name, uint64_t otherwise)
{
	const char *value = hb__option_value(args, name);
	return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

/* How long the rank, range or name is at the beginning of p; 0: none is there. */
static size_t one_process(const char *p)
{
	size_t n = strspn(p, "0123456789"), more;
	if (!n)
		return strspn(p, HB_PROGRAM_LETTERS "#");
	if (p[n] != '-' && p[n] != '@')
		return n;
	more = strspn(p + n + 1, "0123456789");
	return more ? n + 1 + more : 0;
}

int hb__check_ranks(const char *command, const char *list)
{
	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		size_t n = one_process(p);
		if (!n || (p[n] && p[n] != ','))
			return hb__fail_with(HB_EXIT_USAGE,
				"%s --rank takes ranks, as in 0,2,4-7, or names of processes, but got '%s'", command,
				list);
	}
	return 0;
}

bool hb__has_process(const char *list, int32_t rank, const char *name)
{
	bool ranked = *hb_rank_word(name);
	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
		char *end;
		size_t n = one_process(p);
		if (strlen(name) == n && !memcmp(p, name, n))
			return true;
		if (!ranked || *p < '0' || *p > '9' || memchr(p, '@', n))
			continue;
		long first = strtol(p, &end, 10), last = first;
		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (rank >= first && rank <= last)
			return true;
	}
	return !list;
}

static void print_option(const hb_option *o)
{
	char left[80], letter[6] = "    ";
	if (o->letter)
		snprintf(letter, sizeof letter, "-%c, ", o->letter);
	const char *between = !o->value ? "" : o->kind == HB_OPTION_MAYBE ? "[=" : " ";
	snprintf(left, sizeof left, "%s--%s%s%s%s", letter, o->name, between, o->value ? o->value : "",
		o->kind == HB_OPTION_MAYBE ? "]" : "");
	if (strlen(left) > 30)
		printf("  %s\n  %-30s %s\n", left, "", o->help);
	else
		printf("  %-30s %s\n", left, o->help);
}

static void print_overview(void)
{
	printf("usage: hbdb COMMAND [OPTION...]\n\nRecords a run of an MPI program, and replays exactly that run.\n\n");
	for (const hb_command *c = hb__commands; c->name; c++)
		printf("  %-12s %s\n", c->name, c->summary);
	printf("\n  %-12s %s\n", "--version", "print the version");
	printf("\n'hbdb help COMMAND' explains a command, 'man hbdb-COMMAND' in full.\n");
}

void hb__print_help(const hb_command *command)
{
	if (!command) {
		print_overview();
		return;
	}
	printf("usage: hbdb %s%s %s\n\nhbdb %s: %s\n\n", command->name, command->options[0].name ? " [OPTION...]" : "",
		command->operands, command->name, command->summary);
	for (const hb_option *o = command->options; o->name; o++)
		print_option(o);
	for (const hb_option *o = hb__common_options; o->name; o++)
		if (hb__takes(command, o))
			print_option(o);
	printf("\nThe full description: man hbdb-%s\n", command->name);
}
