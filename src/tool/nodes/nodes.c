/* Connections to the agents of the nodes that a job runs on. */
#include "nodes.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../show/inert.h"
#include "../store/find.h"
#include "../store/logs.h"

#define HELLO_S 30 /* that a login may take */
#define ANSWER_S 60

char **hb__reach(const char *node, bool slurm, char ret_why[HB_PLATFORM_WHY])
{
	char self[PATH_MAX], host[HOST_NAME_MAX + 1];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	self[n > 0 ? n : 0] = 0;
	const char *const agent[] = {self, "agent", NULL};
	bool here = !gethostname(host, sizeof host) && !strcmp(host, node);
	hb_platform *platform = hb_platform_load(here ? "local" : slurm ? "slurm" : "ssh", ret_why);
	char **words = platform ? hb_platform_words(platform->reach, node, agent, ret_why) : NULL;
	hb_platform_free(platform);
	return words;
}

/* ---- connecting, to all at the same time ---- */

struct opening {
	pthread_t thread;
	bool runs;
	hb_node *node;
	bool slurm;
	char boot[64];
};

/* A command that reaches a node may end while it is written to. Commands that are begun later, the job's, take no handler over. */
static void on_nothing(int sig) { (void)sig; }

void hb__catch_pipes(void)
{
	struct sigaction now;
	if (!sigaction(SIGPIPE, NULL, &now) && now.sa_handler == SIG_DFL)
		signal(SIGPIPE, on_nothing);
}

char *hb__node_connect(const char *node, bool slurm, hb_link **ret)
{
	char why[HB_PLATFORM_WHY] = "";
	char **argv = hb__reach(node, slurm, why);
	const hb_link_options options = {.argv = argv, .error = -1, .seconds = HELLO_S};
	hb_error err;
	*ret = NULL;
	if (!argv)
		return hb__copy(why);
	hb_status status = hb_link_open(&options, ret, &err);
	hb_platform_words_free(argv);
	return status ? hb__copy(err.message) : NULL;
}

static void *open_one(void *user)
{
	struct opening *o = user;
	o->node->lost = hb__node_connect(o->node->name, o->slurm, &o->node->link);
	if (!o->node->lost) {
		cJSON *peer = hb_link_peer(o->node->link);
		const char *host = hb_wire_text(peer, "host"), *boot = hb_wire_text(peer, "boot");
		o->node->host = hb__copy(host ? host : o->node->name);
		strncpy(o->boot, boot ? boot : "", sizeof o->boot - 1);
		cJSON_Delete(peer);
	}
	return NULL;
}

static void drop(hb_nodes *nodes, size_t i)
{
	hb_node *node = &nodes->at[i];
	if (node->link)
		hb_link_close(node->link);
	free(node->name);
	free(node->host);
	free(node->lost);
	memmove(node, node + 1, (nodes->n - i - 1) * sizeof *node);
	nodes->n--;
}

/* Two names of one machine. */
static void drop_doubles(hb_nodes *nodes, struct opening *o)
{
	for (size_t i = 0; i < nodes->n; i++)
		for (size_t k = i + 1; k < nodes->n;)
			if (nodes->at[i].host && nodes->at[k].host && !strcmp(nodes->at[i].host, nodes->at[k].host) &&
				!strcmp(o[i].boot, o[k].boot)) {
				drop(nodes, k);
				memmove(&o[k], &o[k + 1], (nodes->n - k) * sizeof *o);
			} else
				k++;
}

static bool is_here(const char *name)
{
	char host[HOST_NAME_MAX + 1];
	return !strcmp(name, "localhost") || !strncmp(name, "127.", 4) ||
	       (!gethostname(host, sizeof host) && !strcmp(name, host));
}

int hb__nodes_open(const hb_hosts *hosts, hb_nodes *ret)
{
	size_t elsewhere = 0;
	*ret = (hb_nodes){0};
	for (size_t i = 0; i < hosts->name.n; i++)
		elsewhere += !is_here(hosts->name.at[i]);
	if (!elsewhere)
		return 0;
	hb__catch_pipes();
	ret->at = hb__alloc(hosts->name.n * sizeof *ret->at);
	ret->slurm = hosts->slurm ? hb__copy(hosts->slurm) : NULL;
	struct opening *o = hb__alloc(hosts->name.n * sizeof *o);
	for (; ret->n < hosts->name.n; ret->n++) {
		ret->at[ret->n] = (hb_node){.name = hb__copy(hosts->name.at[ret->n])};
		o[ret->n] = (struct opening){.node = &ret->at[ret->n], .slurm = hosts->slurm != NULL};
	}
	for (size_t i = 0; i < ret->n; i++)
		o[i].runs = !pthread_create(&o[i].thread, NULL, open_one, &o[i]);
	for (size_t i = 0; i < ret->n; i++)
		if (o[i].runs)
			pthread_join(o[i].thread, NULL);
		else
			ret->at[i].lost = hb__copy("no thread could be started");
	drop_doubles(ret, o);
	free(o);
	int code = 0;
	for (size_t i = 0; i < ret->n; i++)
		if (ret->at[i].lost)
			code = hb__fail_with(
				HB_EXIT_USAGE, "the node %s cannot be reached: %s", ret->at[i].name, ret->at[i].lost);
	if (code) {
		hb__nodes_close(ret);
		hb__say("--local off needs no agents: then all nodes must see the folder of the recording");
	}
	return code;
}

/* Of what says nothing and is told nothing. A channel has ended when both sides have said so. */
static hb_link_end end_of(int fd, hb_stream *stream)
{
	char piece[256];
	while (read(fd, piece, sizeof piece) > 0 || errno == EINTR)
		errno = 0;
	close(fd);
	hb_link_end end = hb_stream_wait(stream, ANSWER_S);
	hb_stream_close(stream);
	return end;
}

int hb__nodes_make(hb_nodes *nodes, const char *parent, const char *id)
{
	nodes->folder = hb__format("%s/hbdb-%s", parent, id);
	/* it is for this user alone, whoever else has an account on the node */
	char *const make[] = {(char *)"mkdir", (char *)"-m", (char *)"700", (char *)"--", nodes->folder, NULL};
	for (size_t i = 0; i < nodes->n; i++) {
		hb_node *node = &nodes->at[i];
		hb_stream *stream;
		hb_error err = {0};
		int fd;
		if (hb_link_run(node->link, make, NULL, NULL, &fd, &stream, &err))
			return hb__fail_with(HB_EXIT_USAGE, "%s: %s", node->name, err.message);
		hb_link_end end = end_of(fd, stream);
		if (!end.over || end.status)
			return hb__fail_with(HB_EXIT_USAGE,
				"the folder %s cannot be made on the node %s%s%s; --local chooses another one",
				nodes->folder, node->name, *end.why ? ": " : "", end.why);
	}
	return 0;
}

void hb__nodes_describe(const hb_nodes *nodes, bool all, hb_manifest *m)
{
	for (size_t i = 0; i < m->nnodes; i++)
		hb__manifest_node_free(&m->node[i]);
	m->node = hb__resize(m->node, (nodes->n + 1) * sizeof *m->node);
	m->nnodes = nodes->n;
	for (size_t i = 0; i < nodes->n; i++)
		m->node[i] = (hb_manifest_node){.name = hb__copy(nodes->at[i].name),
			.host = nodes->at[i].host ? hb__copy(nodes->at[i].host) : NULL,
			.folder = hb__copy(nodes->folder),
			.missing = all || nodes->at[i].lost,
			.slurm = nodes->slurm ? hb__copy(nodes->slurm) : NULL};
}

char *hb__ranks_without_logs(const hb_logs *logs)
{
	int32_t size = 0, rank = 0;
	char *text = hb__copy("");
	for (size_t i = 0; i < logs->n && !size; i++) {
		hb_log *log;
		if (logs->at[i].pid || hb_log_open(logs->at[i].path, &log, NULL))
			continue;
		size = hb_log_get_info(log)->library ? hb_log_get_info(log)->size : 0;
		hb_log_close(log);
	}
	for (size_t i = 0; i <= logs->n && rank < size; i++) {
		/* those of the first world, by rank, and then its size */
		if (i < logs->n && logs->at[i].pid)
			continue;
		int32_t next = i < logs->n ? logs->at[i].rank : size;
		if (next > rank) {
			char *more = next - rank > 1 ? hb__format("%s%s%d-%d", text, *text ? "," : "", rank, next - 1)
						     : hb__format("%s%s%d", text, *text ? "," : "", rank);
			free(text);
			text = more;
		}
		rank = next + 1;
	}
	if (*text)
		return text;
	free(text);
	return NULL;
}

size_t hb__nodes_say_lost(const hb_nodes *nodes, const char *recording)
{
	size_t lost = 0;
	for (size_t i = 0; i < nodes->n; i++) {
		if (!nodes->at[i].lost)
			continue;
		lost++;
		hb__say("the node %s is lost: %s", nodes->at[i].name, nodes->at[i].lost);
	}
	if (!lost)
		return 0;
	hb_logs logs;
	char *ranks = hb__list_logs(recording, &logs) ? NULL : hb__ranks_without_logs(&logs);
	if (ranks)
		hb__say("%s %s %s missing", strpbrk(ranks, ",-") ? "ranks" : "rank", ranks,
			strpbrk(ranks, ",-") ? "are" : "is");
	char *word = hb__shell_word(hb__short(recording));
	hb__say("what is left in %s there can be fetched later: hbdb record --fetch %s", nodes->folder, word);
	free(word);
	free(ranks);
	hb__close_logs(&logs);
	return lost;
}

void hb__nodes_close(hb_nodes *nodes)
{
	while (nodes->n)
		drop(nodes, nodes->n - 1);
	free(nodes->at);
	free(nodes->folder);
	free(nodes->slurm);
	*nodes = (hb_nodes){0};
}
