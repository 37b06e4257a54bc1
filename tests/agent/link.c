/* A link to an agent, as those use it who wait for its answers. usage: link HBDB */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/socket/unix.h"
#include "base/task.h"
#include "system/link/link.h"

#define PATIENCE 60

static int passed, failed;
static char *hbdb;

static void check(bool right, const char *what)
{
	if (right)
		passed++;
	else
		failed++;
	if (!right)
		printf("FAIL %s\n", what);
}

static hb_link *open_link(void)
{
	char word[] = "agent";
	char *argv[] = {hbdb, word, NULL};
	hb_link_options options = {.argv = argv, .error = -1, .seconds = PATIENCE};
	hb_link *link;
	hb_error err;
	if (hb_link_open(&options, &link, &err)) {
		printf("FAIL a link: %s\n0 passed, 1 failed\n", err.message);
		exit(1);
	}
	return link;
}

static size_t read_all(int fd, char *to, size_t size)
{
	size_t n = 0;
	for (ssize_t got; n < size && (got = read(fd, to + n, size - n)) > 0;)
		n += (size_t)got;
	return n;
}

static void asks(void)
{
	hb_link *link = open_link();
	hb_error err;
	cJSON *peer = hb_link_peer(link), *answer;
	check(!strcmp(hb_wire_text(peer, "hbdb"), "agent"), "who is there");
	cJSON_Delete(peer);
	check(!hb_link_ask(link, "ps", NULL, PATIENCE, &answer, &err) &&
			cJSON_IsArray(cJSON_GetObjectItem(answer, "processes")),
		"an answer");
	cJSON_Delete(answer);
	check(hb_link_ask(link, "dance", NULL, PATIENCE, &answer, &err) == HB_E_ARGUMENT &&
			strstr(err.message, "dance"),
		"a refusal, in the agent's words");
	hb_link_close(link);
}

struct feeder {
	int fd;
	size_t n;
};

static void *feed(void *user)
{
	struct feeder *f = user;
	char piece[4096];
	memset(piece, 'x', sizeof piece);
	for (size_t at = 0; at < f->n; at += sizeof piece)
		if (send(f->fd, piece, sizeof piece, MSG_NOSIGNAL) < 0)
			break;
	shutdown(f->fd, SHUT_WR);
	return NULL;
}

/* Eight at once, 4 MiB through each. */
static void streams(void)
{
	enum { N = 8, BYTES = 4 << 20 };
	static char program[] = "cat";
	char *argv[] = {program, NULL};
	hb_link *link = open_link();
	struct feeder feeder[N];
	pthread_t thread[N];
	hb_stream *stream[N];
	hb_error err;
	char *got = malloc(BYTES + 1);
	bool right = true;
	for (int i = 0; i < N; i++) {
		feeder[i].n = BYTES;
		check(!hb_link_run(link, argv, NULL, NULL, &feeder[i].fd, &stream[i], &err), "a command that is run");
		pthread_create(&thread[i], NULL, feed, &feeder[i]);
	}
	for (int i = 0; i < N; i++) {
		right &= read_all(feeder[i].fd, got, BYTES + 1) == BYTES;
		for (int k = 0; k < BYTES; k++)
			right &= got[k] == 'x';
		pthread_join(thread[i], NULL);
		hb_link_end end = hb_stream_wait(stream[i], PATIENCE);
		right &= end.over && end.status == 0 && !*end.why;
		hb_stream_close(stream[i]);
		close(feeder[i].fd);
	}
	check(right, "32 MiB through eight commands at once");
	free(got);
	hb_link_close(link);
}

static void ends(void)
{
	static char shell[] = "sh", c[] = "-c", exits[] = "exit 3", waits[] = "echo $$; exec sleep 1000",
		    nowhere[] = "/nowhere/x";
	char *three[] = {shell, c, exits, NULL}, *sleeps[] = {shell, c, waits, NULL}, *none[] = {nowhere, NULL};
	hb_link *link = open_link();
	hb_stream *stream;
	hb_error err;
	int fd;
	char text[64] = "";
	hb_link_run(link, three, NULL, NULL, &fd, &stream, &err);
	close(fd);
	check(hb_stream_wait(stream, PATIENCE).status == 3, "the status of what was run");
	hb_stream_close(stream);
	check(hb_link_run(link, none, NULL, NULL, &fd, &stream, &err) == HB_E_ARGUMENT &&
			strstr(err.message, "/nowhere/x"),
		"what is not there");
	hb_link_run(link, sleeps, NULL, NULL, &fd, &stream, &err);
	while (!strchr(text, '\n') && read(fd, text + strlen(text), 1) > 0)
		;
	check(!hb_stream_wait(stream, 0).over && hb_task_lives(atoi(text)), "it goes on");
	hb_stream_close(stream);
	close(fd);
	for (double until = hb_seconds() + PATIENCE; hb_task_lives(atoi(text)) && hb_seconds() < until;)
		usleep(2000);
	check(!hb_task_lives(atoi(text)), "who closes a stream ends what was run");
	hb_link_close(link);
}

/* The agent is killed while somebody reads, and another one waits for an answer. */
static void lost(void)
{
	static char shell[] = "sh", c[] = "-c", waits[] = "exec sleep 1000";
	char *sleeps[] = {shell, c, waits, NULL}, byte;
	hb_link *link = open_link();
	hb_stream *stream;
	hb_error err;
	int fd;
	int64_t pid = 0;
	cJSON *peer = hb_link_peer(link);
	hb_wire_number(peer, "pid", &pid);
	cJSON_Delete(peer);
	hb_link_run(link, sleeps, NULL, NULL, &fd, &stream, &err);
	check(!hb_link_lost(link), "it is there");
	kill((pid_t)pid, SIGKILL);
	check(read(fd, &byte, 1) == 0, "who reads gets an end of file");
	hb_link_end end = hb_stream_wait(stream, PATIENCE);
	check(end.over && *end.why, "and why");
	check(hb_link_ask(link, "ps", NULL, PATIENCE, NULL, &err) == HB_E_SYSTEM && *err.message, "who asks is told");
	char *why = hb_link_lost(link);
	check(why && *why, "and everybody else");
	free(why);
	hb_stream_close(stream);
	close(fd);
	hb_link_close(link);
	static char nobody[] = "false";
	char *argv[] = {nobody, NULL};
	hb_link_options options = {.argv = argv, .error = -1, .seconds = PATIENCE};
	check(hb_link_open(&options, &link, &err) == HB_E_SYSTEM && *err.message, "a command that is no agent");
	static char silent[] = "sleep", long_time[] = "1000";
	char *sleeper[] = {silent, long_time, NULL};
	options = (hb_link_options){.argv = sleeper, .error = -1, .seconds = 0.5};
	check(hb_link_open(&options, &link, &err) == HB_E_SYSTEM && strstr(err.message, "no agent answers"),
		"one that says nothing");
}

static int guest[2];
static void dialled(void *user, int fd)
{
	(void)user;
	if (write(guest[1], &fd, sizeof fd) < 0)
		failed++;
}

static void dials(void)
{
	hb_link *link = open_link();
	hb_error err;
	char *where, line[16] = "";
	int fd;
	check(!pipe(guest) && !hb_link_dial(link, NULL, NULL, dialled, NULL, &where, NULL, &err),
		"where processes dial in");
	int process = hb_unix_connect(where + strlen("unix:"), SOCK_STREAM);
	check(write(process, "hello\n", 6) == 6 && read(guest[0], &fd, sizeof fd) == sizeof fd, "one has dialled in");
	check(read(fd, line, sizeof line) == 6 && !strcmp(line, "hello\n"), "what it says");
	check(write(fd, "go *\n", 5) == 5 && read(process, line, sizeof line) == 5, "what it is told");
	close(process);
	check(read(fd, line, sizeof line) == 0, "its end");
	close(fd);
	free(where);
	hb_link_close(link);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	hbdb = argv[1];
	signal(SIGPIPE, SIG_IGN);
	asks();
	streams();
	ends();
	lost();
	dials();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
