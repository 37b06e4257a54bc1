/* hbdb completion: scripts for bash, zsh and fish, made from the table. */
#include <stdio.h>
#include <string.h>

#include "options.h"

const hb_option hb__completion_options[] = {{0}};

static bool takes_command(const hb_command *c)
{
	return c->kind == HB_OPERANDS_COMMAND || c->kind == HB_OPERANDS_BOTH || c->kind == HB_OPERANDS_NAMES ||
	       c->kind == HB_OPERANDS_VERB;
}

/* Nothing follows it as a word of its own. */
static bool stands_alone(const hb_option *o) { return o->kind == HB_OPTION_FLAG || o->kind == HB_OPTION_MAYBE; }

static bool takes_recording(const hb_command *c)
{
	return c->kind == HB_OPERANDS_RECORDING || c->kind == HB_OPERANDS_BOTH || c->kind == HB_OPERANDS_WORDS ||
	       c->kind == HB_OPERANDS_NAMES || c->kind == HB_OPERANDS_VERB;
}

/* The first operand is one of these words, which the row of the table names: "a|b|c NAME". Each with `before` in front, `after` behind. */
static void each_word(const hb_command *c, const char *before, const char *after)
{
	if (c->kind != HB_OPERANDS_SHELL && c->kind != HB_OPERANDS_VERB)
		return;
	for (const char *p = c->operands; *p && *p != ' ';) {
		size_t n = strcspn(p, "| ");
		printf("%s%.*s%s", before, (int)n, p, after);
		p += n + (p[n] == '|');
	}
}

/* The options of a command, then those that others have, too. */
static void each_option(const hb_command *c, void (*print)(const hb_command *, const hb_option *))
{
	for (const hb_option *o = c->options; o->name; o++)
		print(c, o);
	for (const hb_option *o = hb__common_options; o->name; o++)
		if (hb__takes(c, o))
			print(c, o);
}

static void bash_value(const hb_command *c, const hb_option *o)
{
	(void)c;
	if (stands_alone(o))
		return;
	printf("\t\t[[ $last == --%s", o->name);
	if (o->letter)
		printf(" || $last == -%c", o->letter);
	printf(" ]] && { ");
	if (o->kind == HB_OPTION_CHOICE) {
		printf("COMPREPLY=($(compgen -W '");
		for (const char *p = o->value; *p; p++)
			putchar(*p == '|' ? ' ' : *p);
		printf("' -- \"$word\")); ");
	} else if (o->kind == HB_OPTION_RECORDING)
		printf("COMPREPLY=($(compgen -d -- \"$word\")); ");
	printf("return; }\n");
}

static void bash_name(const hb_command *c, const hb_option *o)
{
	(void)c;
	printf("--%s ", o->name);
}

/* Options first, then NAME.hbdb or the words that the operand takes. */
static void bash_case(const hb_command *c)
{
	printf("\t%s)\n", c->name);
	each_option(c, bash_value);
	printf("\t\toptions='");
	each_option(c, bash_name);
	printf("'\n\t\twords='");
	each_word(c, "", " ");
	for (const hb_command *t = hb__commands; c->kind == HB_OPERANDS_TOPIC && t->name; t++)
		printf("%s ", t->name);
	printf("'\n\t\t%s;;\n", takes_recording(c) ? "names=1 " : "");
}

/* Their names, with | between. */
static void bash_names(bool (*which)(const hb_command *))
{
	const char *between = "";
	for (const hb_command *c = hb__commands; c->name; c++)
		if (which(c)) {
			printf("%s%s", between, c->name);
			between = "|";
		}
}

static bool begins_command(const hb_command *c) { return c->kind == HB_OPERANDS_COMMAND; }

static void print_bash(void)
{
	printf("# bash completion for hbdb: source <(hbdb completion bash)\n_hbdb()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} options= words= names= i\n"
	       "\tCOMPREPLY=()\n\tif ((COMP_CWORD == 1)); then\n\t\tCOMPREPLY=($(compgen -W '");
	for (const hb_command *c = hb__commands; c->name; c++)
		printf("%s ", c->name);
	printf("--help --version' -- \"$word\"))\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n\t");
	bash_names(takes_command);
	printf(")\n\t\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	       "\t\t\t[[ ${COMP_WORDS[i]} == -- ]] || continue\n"
	       "\t\t\tif declare -F _command_offset >/dev/null; then _command_offset $((i + 1))\n"
	       "\t\t\telse COMPREPLY=($(compgen -c -f -- \"$word\")); fi\n"
	       "\t\t\treturn\n\t\tdone ;;\n\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (const hb_command *c = hb__commands; c->name; c++)
		bash_case(c);
	printf("\tesac\n\tif [[ $word == -* ]]; then\n"
	       "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n\t\treturn\n\tfi\n"
	       "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
	       "\t[[ $names ]] && COMPREPLY+=($(compgen -d -- \"$word\" | grep '\\.hbdb$'))\n"
	       "\tif [[ ${COMP_WORDS[1]} == @(");
	bash_names(begins_command);
	printf(") ]]; then COMPREPLY+=($(compgen -c -- \"$word\")); fi\n}\n"
	       "complete -o filenames -F _hbdb hbdb\n");
}

static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (*text == ':' || *text == '[' || *text == ']')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const hb_command *c, const hb_option *o)
{
	(void)c;
	printf(" \\\n\t\t\t");
	if (o->letter)
		printf("'(-%c --%s)'{-%c,--%s}", o->letter, o->name, o->letter, o->name);
	else
		printf("'--%s'", o->name);
	printf("'[");
	zsh_text(o->help);
	printf("]");
	if (o->kind == HB_OPTION_CHOICE) {
		printf(":value:(");
		for (const char *p = o->value; *p; p++)
			putchar(*p == '|' ? ' ' : *p);
		printf(")");
	} else if (o->kind == HB_OPTION_RECORDING)
		printf(":recording:_files -/");
	else if (!stands_alone(o)) {
		printf(":");
		zsh_text(o->value);
		printf(":");
	}
	printf("'");
}

static void print_zsh(void)
{
	printf("#compdef hbdb\n# zsh completion for hbdb: hbdb completion zsh >~/.zfunc/_hbdb\n_hbdb()\n{\n"
	       "\tif ((CURRENT == 2)); then\n\t\tlocal -a commands=(\n");
	for (const hb_command *c = hb__commands; c->name; c++) {
		printf("\t\t\t'%s:", c->name);
		zsh_text(c->summary);
		printf("'\n");
	}
	printf("\t\t)\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tlocal command=$words[2]\n"
	       "\tshift words; ((CURRENT--))\n\tcase $command in\n");
	for (const hb_command *c = hb__commands; c->name; c++) {
		printf("\t%s)\n\t\t_arguments -S", c->name);
		each_option(c, zsh_option);
		if (c->kind == HB_OPERANDS_SHELL || c->kind == HB_OPERANDS_VERB) {
			printf(" \\\n\t\t\t'1:%s:(", c->kind == HB_OPERANDS_SHELL ? "shell" : "what to do");
			each_word(c, "", " ");
			printf(")'");
		}
		if (takes_recording(c))
			printf(" \\\n\t\t\t'::recording:_files -/ -g \"*.hbdb\"'");
		if (takes_command(c))
			printf(" \\\n\t\t\t'*::command:_normal'");
		if (c->kind == HB_OPERANDS_TOPIC) {
			printf(" \\\n\t\t\t'::command:(");
			for (const hb_command *t = hb__commands; t->name; t++)
				printf("%s ", t->name);
			printf(")'");
		}
		printf(" ;;\n");
	}
	printf("\tesac\n}\nif [[ $funcstack[1] == _hbdb ]]; then _hbdb \"$@\"; else compdef _hbdb hbdb; fi\n");
}

static void fish_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void fish_option(const hb_command *c, const hb_option *o)
{
	printf("complete -c hbdb -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->kind == HB_OPTION_CHOICE) {
		printf(" -x -a '");
		for (const char *p = o->value; *p; p++)
			putchar(*p == '|' ? ' ' : *p);
		printf("'");
	} else if (!stands_alone(o))
		printf(o->kind == HB_OPTION_RECORDING ? " -r" : " -x");
	printf(" -d ");
	fish_quoted(o->help);
	printf("\n");
}

static void print_fish(void)
{
	printf("# fish completion for hbdb: hbdb completion fish >~/.config/fish/completions/hbdb.fish\n"
	       "complete -c hbdb -f\n");
	for (const hb_command *c = hb__commands; c->name; c++) {
		printf("complete -c hbdb -n __fish_use_subcommand -a %s -d ", c->name);
		fish_quoted(c->summary);
		printf("\n");
		each_option(c, fish_option);
		if (takes_recording(c))
			printf("complete -c hbdb -n '__fish_seen_subcommand_from %s' -a "
			       "'(__fish_complete_directories)'\n",
				c->name);
		if (takes_command(c))
			printf("complete -c hbdb -n '__fish_seen_subcommand_from %s' -F\n", c->name);
		if (c->kind == HB_OPERANDS_SHELL || c->kind == HB_OPERANDS_VERB) {
			printf("complete -c hbdb -n '__fish_seen_subcommand_from %s' -a '", c->name);
			each_word(c, "", " ");
			printf("'\n");
		}
		for (const hb_command *t = hb__commands; c->kind == HB_OPERANDS_TOPIC && t->name; t++)
			printf("complete -c hbdb -n '__fish_seen_subcommand_from %s' -a %s\n", c->name, t->name);
	}
}

int hb__completion(const hb_args *args)
{
	const char *shell = args->operand ? args->operand : "";
	if (!strcmp(shell, "bash"))
		print_bash();
	else if (!strcmp(shell, "zsh"))
		print_zsh();
	else if (!strcmp(shell, "fish"))
		print_fish();
	else
		return hb__fail_with(
			HB_EXIT_USAGE, "completion takes one of bash, zsh, fish%s%s", *shell ? ", not " : "", shell);
	return HB_EXIT_OK;
}
