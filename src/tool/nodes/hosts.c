/* Which nodes a launcher is told, by each launcher's own words. */
#include "hosts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(const char *name, size_t n, hb_hosts *ret)
{
	char *text = hb__format("%.*s", (int)n, name), *at = strchr(text, '@');
	const char *host = at ? at + 1 : text; /* who logs in there is the launcher's business */
	bool known = !*host || strspn(host, "0123456789") == strlen(host) || *host == '+';
	for (size_t i = 0; i < ret->name.n && !known; i++)
		known = !strcmp(ret->name.at[i], host);
	if (!known)
		hb__push(&ret->name, host);
	free(text);
}

void hb__add_hosts(const char *list, hb_hosts *ret)
{
	for (const char *p = list; *p; p += strspn(p, ", ")) {
		size_t n = strcspn(p, ", ");
		const char *colon = memchr(p, ':', n);
		add(p, colon ? (size_t)(colon - p) : n, ret);
		p += n;
	}
}

/* A line a host: "n1", "n1 slots=2", "n1:2", "me@n1"; # begins a remark. */
static void add_file(const char *path, hb_hosts *ret)
{
	char line[4096];
	FILE *f = fopen(path, "re");
	if (!f)
		return; /* the launcher says so itself */
	while (fgets(line, sizeof line, f)) {
		const char *p = line + strspn(line, " \t");
		size_t n = strcspn(p, " \t\r\n#:");
		if (n)
			add(p, n, ret);
	}
	fclose(f);
}

int hb__expand_hosts(const char *list, hb_hosts *ret)
{
	static char text[1 << 20];
	char *const argv[] = {(char *)"scontrol", (char *)"show", (char *)"hostnames", (char *)list, NULL};
	if (!strchr(list, '[')) {
		hb__add_hosts(list, ret);
		return 0;
	}
	int trouble = hb__answer_of(argv, text, sizeof text);
	if (trouble)
		return hb__fail_with(HB_EXIT_USAGE, "cannot tell which nodes '%s' are: scontrol show hostnames: %s",
			list, trouble > 0 ? strerror(trouble) : text);
	for (const char *p = text; *p; p += strspn(p, "\n")) {
		size_t n = strcspn(p, "\n");
		add(p, n, ret);
		p += n;
	}
	return 0;
}

/* The value of an option in argv[i], `--name=VALUE`, `--name VALUE` or `-name VALUE`; NULL: it is another option. */
static const char *value_of(char **argv, size_t i, const char *const *names)
{
	const char *word = argv[i] + strspn(argv[i], "-");
	for (; *names && word > argv[i]; names++) {
		size_t n = strlen(*names);
		if (!strncmp(word, *names, n) && (!word[n] || word[n] == '='))
			return word[n] ? word + n + 1 : argv[i + 1];
	}
	return NULL;
}

static int read_words(const hb_command_line *line, char **argv, hb_hosts *ret)
{
	static const char *const lists[] = {"host", "hosts", "H", NULL}, *const nodes[] = {"nodelist", "w", NULL},
				 *const files[] = {"hostfile", "machinefile", "default-hostfile", "f", NULL},
				 *const none[] = {NULL};
	bool srun = line->launcher == HB_LAUNCHER_SRUN,
	     hydra = line->launcher == HB_LAUNCHER_HYDRA || line->launcher == HB_LAUNCHER_RSH;
	bool in_options = true;
	int code = 0;
	for (size_t i = line->launcher_at + 1; argv[i] && !code; i++) {
		/* behind a colon, the options of the next program follow, until a word that is neither an option nor the value of one */
		bool first = line->program_at && i < line->program_at,
		     value = argv[i - 1][0] == '-' || (i > 1 && strstr(argv[i - 2], "mca"));
		if (!strcmp(argv[i], ":"))
			in_options = true;
		else if (!first && argv[i][0] != '-' && !value && strcmp(argv[i - 1], ":") != 0)
			in_options = false;
		else if (i == line->program_at || (!first && argv[i][0] != '-' && !strcmp(argv[i - 1], ":")))
			in_options = false;
		if (!in_options || argv[i][0] != '-')
			continue;
		const char *list = value_of(argv, i, srun ? none : lists),
			   *file = value_of(argv, i, srun ? none : files),
			   *node = value_of(argv, i, srun ? nodes : none);
		if (list)
			hb__add_hosts(list, ret);
		else if (file && (hydra || (argv[i][1] && strcmp(argv[i], "-f")))) /* Open MPI has no -f */
			add_file(file, ret);
		else if (node && strchr(node, '/'))
			add_file(node, ret);
		else if (node)
			code = hb__expand_hosts(node, ret);
	}
	return code;
}

int hb__find_hosts(const hb_command_line *line, char **argv, hb_hosts *ret)
{
	const char *job = getenv("SLURM_JOB_ID"), *nodes = getenv("SLURM_JOB_NODELIST"),
		   *file = getenv("HYDRA_HOST_FILE");
	*ret = (hb_hosts){0};
	if (line->launcher == HB_LAUNCHER_NONE)
		return 0;
	int code = read_words(line, argv, ret);
	if (!code && job && nodes) {
		/* a part of them may be enough, but which: the launcher chooses */
		ret->slurm = hb__copy(job);
		if (!ret->name.n)
			code = hb__expand_hosts(nodes, ret);
	} else if (!code && line->launcher == HB_LAUNCHER_SRUN) {
		hb__strings_free(&ret->name);
		ret->to_come = true;
	} else if (!code && !ret->name.n && file && line->launcher == HB_LAUNCHER_HYDRA)
		add_file(file, ret);
	if (code)
		hb__run_hosts_free(ret);
	return code;
}

void hb__run_hosts_free(hb_hosts *hosts)
{
	hb__strings_free(&hosts->name);
	free(hosts->slurm);
	*hosts = (hb_hosts){0};
}
