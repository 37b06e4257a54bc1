/* The platform files: reading, what is refused, and lines that become commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "system/platforms/platform.h"

/* A file with this text, as the user's own platform `name`. */
static void write_file(const char *name, const char *text)
{
	char file[80];
	snprintf(file, sizeof file, "hbdb/platforms/%s.platform", name);
	FILE *f = fopen(check_path(file), "w");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void refused(const char *text, const char *says)
{
	char why[HB_PLATFORM_WHY];
	write_file("wrong", text);
	hb_platform *p = hb_platform_load("wrong", why);
	check(!p && strstr(why, says), "%s: not refused with %s, but: %s", text, says, why);
	hb_platform_free(p);
}

static void test_refused(void)
{
	refused("pick = x\n", "wrong.platform:1: there is no key pick");
	refused("# c\n\nreach ssh\n", ":3: a line is KEY = VALUE");
	refused("gdb = a\ngdb = b\n", ":2: gdb stands twice");
	refused("word = 64\nword = 64\n", ":2: word stands twice");
	refused("gdb =\n", "gdb has no value");
	refused("byte-order = middle\n", "little or big");
	refused("word = 16\n", "32 or 64");
	refused("reach = ssh {host} {quoted}\n", "{host} has no meaning here");
	refused("list = sinfo {node}\n", "{node} has no meaning here");
	refused("reach = sh -c x{command}\n", "{command} is a word by itself");
	refused("reach = sh -c \"{command}\n", "a double quote is not closed");
	refused("reach = ssh {node}\n", ":1: reach has neither {command} nor {quoted}");
	refused("start = qemu-x\n", ":1: start has neither {command} nor {quoted}");
	refused("stub = QEMU_GDB\n", ":1: stub is VARIABLE={socket}");
	char why[HB_PLATFORM_WHY];
	check(!hb_platform_load("nowhere", why) && strstr(why, "there is no platform nowhere"), "%s", why);
	check(!hb_platform_load("/nowhere/x", why) && strstr(why, "No such file"), "%s", why);
}

static void test_read(void)
{
	char why[HB_PLATFORM_WHY];
	write_file("mine",
		"# a board\n processor = s390x\nbyte-order=big\n\tword = 32 \nrunner = run-it\nstub = IT={socket}\n"
		"reach = ssh -p 22 {node} {quoted}\nstart = run-it \"-L/a b\" {command}");
	hb_platform *p = hb_platform_load("mine", why);
	check(p, "%s", why);
	if (!p)
		return;
	check(!strcmp(p->name, "mine") && !strcmp(p->processor, "s390x") && p->big_endian && p->word == 32,
		"its values");
	check(!p->gdb && !p->list && !p->library, "what it does not say");
	char *stub = hb_platform_stub(p, "/tmp/s");
	check(stub && !strcmp(stub, "IT=/tmp/s"), "stub: %s", stub ? stub : "none");
	free(stub);
	hb_platform_free(p);
}

/* The words, with | between them. */
static void is_words(const char *line, const char *node, const char *const *command, const char *wanted)
{
	char why[HB_PLATFORM_WHY], all[1024] = "";
	char **words = hb_platform_words(line, node, command, why);
	for (char **w = words; w && *w; w++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", w == words ? "" : "|", *w);
	const char *got = words ? all : why;
	check(!strcmp(got, wanted), "%s: %s, not %s", line ? line : "nothing", got, wanted);
	hb_platform_words_free(words);
}

static void test_words(void)
{
	static const char *const command[] = {"echo", "a b", "it's", "", "$x;*", "A=1", NULL}, *const empty[] = {NULL};
	is_words(NULL, NULL, command, "echo|a b|it's||$x;*|A=1");
	is_words("{command}", NULL, empty, "");
	is_words("ssh {node} {quoted}", "n1", command, "ssh|n1|echo 'a b' 'it'\\''s' '' '$x;*' 'A=1'");
	is_words("  srun\t--nodelist={node}  {command} ", "n1", command, "srun|--nodelist=n1|echo|a b|it's||$x;*|A=1");
	is_words("x \"a  b\" \"\" {quoted}!", NULL, empty, "x|a  b||!");
	is_words("ssh {node} {command}", NULL, command, "the platform wants the address of a node");
	is_words("ssh {node} {command}", "-oProxyCommand=x", command,
		"the address of a node is not empty and begins with no -");
	is_words("ssh {node} {command}", "n1", NULL, "the platform wants a command");
	is_words("{odd} {", NULL, NULL, "{odd}|{");
}

/* What a shell makes of the quoted command is the command. */
static void test_shell(void)
{
	static const char *const command[] = {
		"printf", "%s|", "a b", "it's", "", "$HOME", "`id`", "\\", "\"", "new\nline", "-x", "\xff", NULL};
	char got[256] = "", *quoted = hb_platform_quoted(command);
	FILE *f = quoted ? popen(quoted, "r") : NULL; /* by /bin/sh */
	size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;
	got[n] = 0;
	if (f)
		pclose(f);
	check(!strcmp(got, "a b|it's||$HOME|`id`|\\|\"|new\nline|-x|\xff|"), "a shell reads %s", got);
	free(quoted);
}

/* The files that hbdb brings can be read, and the user's own stands in front of them. */
static void test_known(const char *known)
{
	char why[HB_PLATFORM_WHY], path[4200];
	static const char *const names[] = {"container", "local", "podman", "qemu-aarch64", "qemu-armhf", "qemu-ppc64",
		"qemu-riscv64", "qemu-s390x", "slurm", "ssh"};
	/* with what a node is reached, where that is another one: an empty file would be this machine */
	static const char *const by[][2] = {
		{"container", "nsenter "}, {"podman", "podman "}, {"slurm", "srun "}, {"ssh", "ssh "}};
	static const char *const command[] = {"true", NULL};
	for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
		snprintf(path, sizeof path, "%s/%s.platform", known, by[i][0]);
		hb_platform *p = hb_platform_load(path, why);
		check(p && p->reach && !strncmp(p->reach, by[i][1], strlen(by[i][1])), "%s is reached by %s", by[i][0],
			by[i][1]);
		hb_platform_free(p);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s.platform", known, names[i]);
		hb_platform *p = hb_platform_load(path, why);
		check(p, "%s: %s", names[i], why);
		char **words = p ? hb_platform_words(p->reach, "node", command, why) : NULL;
		check(words, "%s: %s", names[i], why);
		check(!p || !p->stub == !p->runner, "%s: a runner without a stub", names[i]);
		hb_platform_words_free(words);
		hb_platform_free(p);
	}
	write_file("ssh", "reach = mine {node} {command}\n");
	hb_platform *p = hb_platform_load("ssh", why);
	check(p && p->reach && !strcmp(p->reach, "mine {node} {command}"), "the user's own ssh: %s", why);
	hb_platform_free(p);
	char **all = hb_platform_names();
	size_t mine = 0;
	for (char **n = all; n && *n; n++)
		mine += !strcmp(*n, "ssh") || !strcmp(*n, "mine") || !strcmp(*n, "wrong");
	check(mine == 3, "%zu of the three names", mine);
	hb_platform_words_free(all);
}

int main(void)
{
	mkdir(check_path("hbdb"), 0700);
	mkdir(check_path("hbdb/platforms"), 0700);
	setenv("XDG_CONFIG_HOME", check_folder, 1);
	test_refused();
	test_read();
	test_words();
	test_shell();
	test_known(HB_KNOWN);
	check_clean();
	return check_end();
}
