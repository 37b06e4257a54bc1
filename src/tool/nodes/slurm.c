/* Nodes that srun would ask Slurm for: asked for before it, so that they are known, and stay until they have been asked for what they hold. */
#include "slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options of srun that say which nodes, and of what, for how long; all others are about what runs there. */
static const char *const with_value[] = {"n", "N", "c", "t", "p", "A", "w", "x", "J", "q", "C", "G", "m", "B", "d", "M",
	"ntasks", "nodes", "cpus-per-task", "time", "time-min", "partition", "account", "nodelist", "exclude",
	"job-name", "qos", "constraint", "gpus", "gres", "mem", "mem-per-cpu", "mem-per-gpu", "mincpus",
	"ntasks-per-node", "ntasks-per-core", "ntasks-per-socket", "ntasks-per-gpu", "cpus-per-gpu", "gpus-per-node",
	"gpus-per-socket", "gpus-per-task", "reservation", "distribution", "extra-node-info", "dependency", "clusters",
	"licenses", "nodefile", "tmp", "begin", "deadline", "sockets-per-node", "cores-per-socket", "threads-per-core",
	"wckey", "comment", NULL};
static const char *const flags[] = {
	"O", "s", "overcommit", "oversubscribe", "exclusive", "contiguous", "use-min-nodes", NULL};

static bool in(const char *word, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncmp(*list, word, n))
			return true;
	return false;
}

/* The words of an option that begins at argv[i] and salloc is to have, too: 0, 1 or 2. */
static size_t words_of(char **argv, size_t i)
{
	const char *word = argv[i];
	if (word[0] != '-' || !word[1])
		return 0;
	if (word[1] != '-') /* -n4 or -n 4 */
		return in(word + 1, 1, with_value) ? (word[2] || !argv[i + 1] ? 1 : 2)
						   : in(word + 1, strlen(word + 1), flags);
	size_t n = strcspn(word + 2, "=");
	if (in(word + 2, n, with_value))
		return word[2 + n] || !argv[i + 1] ? 1 : 2;
	return in(word + 2, n, flags);
}

int hb__slurm_allocate(const hb_command_line *line, char **argv, hb_hosts *ret)
{
	static const char granted[] = "Granted job allocation ";
	char text[4096];
	hb_strings words = {0};
	hb__push(&words, "salloc");
	hb__push(&words, "--no-shell");
	for (size_t i = line->launcher_at + 1; argv[i] && (!line->program_at || i < line->program_at);) {
		size_t n = words_of(argv, i);
		for (size_t k = 0; k < n; k++)
			hb__push(&words, argv[i + k]);
		i += n ? n : 1;
	}
	int trouble = hb__answer_of(words.at, text, sizeof text);
	hb__strings_free(&words);
	const char *at = strstr(text, granted);
	if (trouble || !at) { /* srun may be one that needs none, or says itself what is wrong */
		text[strcspn(text, "\n")] = 0;
		hb__say("Slurm tells no nodes beforehand (%s): all processes write into the folder of the recording, which every node must see",
			trouble > 0 ? "there is no salloc" : text);
		return 0;
	}
	at += strlen(granted);
	ret->slurm = hb__format("%.*s", (int)strspn(at, "0123456789"), at);
	char *const nodes[] = {
		(char *)"squeue", (char *)"-h", (char *)"-o", (char *)"%N", (char *)"-j", ret->slurm, NULL};
	trouble = hb__answer_of(nodes, text, sizeof text);
	text[strcspn(text, "\n")] = 0;
	int code = !trouble && *text ? hb__expand_hosts(text, ret)
				     : hb__fail_with(HB_EXIT_USAGE, "cannot tell which nodes job %s has: squeue: %s",
					       ret->slurm, text);
	if (code)
		hb__slurm_release(ret->slurm);
	return code;
}

void hb__slurm_release(const char *job)
{
	char text[1024];
	char *const cancel[] = {(char *)"scancel", (char *)job, NULL};
	if (hb__answer_of(cancel, text, sizeof text))
		hb__say("job %s of Slurm stays: scancel: %s", job, text);
}
