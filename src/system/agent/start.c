/* Programs that are started and outlive the agent.
 *
 * A program's parent is a process of its own, the keeper, which only waits for its end and writes down how that was: so that an agent that was killed and came back,
 * or another one, can tell. In the folder `started/HOST.SPACE` of the agent's state there is a file PID.BEGAN for each program: machines and containers may share that
 * state, and a number means a process in one space of processes of one machine only. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/task.h"
#include "system/agent/inside.h"

#define REMEMBERED_S 86400 /* after its end */
#define FOLDER 3500        /* bytes of a path of one: names of files go behind it */

/* ---- files ---- */

static bool write_whole(const char *folder, const char *name, const cJSON *object)
{
	char path[PATH_MAX], part[PATH_MAX + 8], *text = cJSON_PrintUnformatted(object);
	bool fine = false;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(part, sizeof part, "%s.part", path);
	int fd = text ? open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	if (fd >= 0) {
		size_t n = strlen(text);
		fine = write(fd, text, n) == (ssize_t)n && !close(fd) && !rename(part, path);
	}
	cJSON_free(text);
	return fine;
}

static cJSON *read_whole(const char *folder, const char *name)
{
	char path[PATH_MAX], *text = NULL;
	struct stat is;
	cJSON *object = NULL;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode) && is.st_uid == getuid() && is.st_size < 1 << 20 &&
		(text = malloc((size_t)is.st_size + 1))) {
		ssize_t n = read(fd, text, (size_t)is.st_size);
		if (n > 0)
			object = cJSON_ParseWithLength(text, (size_t)n);
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return object;
}

static bool folder_of(const hb_agent *agent, char *ret, size_t size)
{
	const char *state = agent->options.state;
	char host[HOST_NAME_MAX + 1] = "";
	struct stat space;
	if (!state || gethostname(host, sizeof host - 1) || strchr(host, '/') || stat("/proc/self/ns/pid", &space) ||
		(size_t)snprintf(ret, size, "%s/started/%s.%llu", state, host, (unsigned long long)space.st_ino) >=
			size)
		return false;
	for (char *slash = ret + strlen(state); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(ret, 0700);
		*slash = '/';
	}
	return !mkdir(ret, 0700) || errno == EEXIST;
}

/* ---- what was started ---- */

/* How it is: a keeper that was killed has left no word. */
static void complete(cJSON *o)
{
	int64_t pid, began, status;
	hb_task task;
	const char *boot = hb_wire_text(o, "boot");
	if (hb_wire_number(o, "status", &status) || !hb_wire_number(o, "pid", &pid) ||
		!hb_wire_number(o, "began", &began))
		return;
	bool there = boot && !strcmp(boot, hb_boot_id()) && hb_task_read((int32_t)pid, 0, &task) &&
		     task.began == (uint64_t)began && !strchr("ZX", task.state);
	cJSON *now = there ? hb_agent_describe((int32_t)pid) : NULL, *field;
	cJSON_DeleteItemFromObjectCaseSensitive(o, "state");
	if (!now) {
		cJSON_AddStringToObject(o, "state", there ? "running" : "gone");
		return;
	}
	while ((field = now->child)) {
		cJSON_DetachItemViaPointer(now, field);
		cJSON_DeleteItemFromObjectCaseSensitive(o, field->string);
		cJSON_AddItemToObject(o, field->string, field);
	}
	cJSON_Delete(now);
}

cJSON *hb_agent_started(hb_agent *agent)
{
	char folder[FOLDER];
	cJSON *list = cJSON_CreateArray();
	DIR *d = folder_of(agent, folder, sizeof folder) ? opendir(folder) : NULL;
	for (const struct dirent *e; d && (e = readdir(d));) {
		int64_t ended;
		size_t n = strlen(e->d_name);
		if (e->d_name[0] == '.' ||
			(n > 4 && (!strcmp(e->d_name + n - 4, ".out") || !strcmp(e->d_name + n - 5, ".part"))))
			continue;
		cJSON *o = read_whole(folder, e->d_name);
		if (o && hb_wire_number(o, "ended", &ended) && ended + REMEMBERED_S < time(NULL)) {
			unlinkat(dirfd(d), e->d_name, 0);
			cJSON_Delete(o);
			o = NULL;
		}
		if (!cJSON_IsObject(o)) {
			cJSON_Delete(o);
			continue;
		}
		complete(o);
		cJSON_AddItemToArray(list, o);
	}
	if (d)
		closedir(d);
	return list;
}

/* ---- the keeper ---- */

static void keep(int word, const char *folder, char *const *argv, const cJSON *ask, cJSON *about)
{
	char name[64], out[PATH_MAX];
	hb_task task;
	int how, nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	setsid();
	prctl(PR_SET_NAME, "hbdb-keeper");
	snprintf(out, sizeof out, "%s/%d.out", folder, getpid());
	int to = open(out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int32_t pid = hb__begin(argv, hb_wire_text(ask, "cwd"), cJSON_GetObjectItemCaseSensitive(ask, "environment"),
		nowhere, to, to, false);
	int trouble = pid < 0 ? errno : 0;
	if (!trouble && hb_task_read(pid, 0, &task)) {
		snprintf(name, sizeof name, "%d.%llu", pid, (unsigned long long)task.began);
		cJSON_AddNumberToObject(about, "pid", pid);
		cJSON_AddNumberToObject(about, "began", (double)task.began);
		cJSON_AddStringToObject(about, "boot", hb_boot_id());
		cJSON_AddStringToObject(about, "output", out);
		if (!write_whole(folder, name, about))
			trouble = errno ? errno : EIO;
	}
	char *text = cJSON_PrintUnformatted(about);
	if (trouble)
		dprintf(word, "%d", trouble);
	else if (text)
		dprintf(word, "%s", text);
	close(word);
	if (pid < 0) {
		unlink(out);
		_exit(1);
	}
	dup2(nowhere, 0);
	dup2(nowhere, 1);
	dup2(nowhere, 2);
	close_range(3, ~0U, 0);
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	cJSON_DeleteItemFromObjectCaseSensitive(about, "state");
	cJSON_AddStringToObject(about, "state", "ended");
	cJSON_AddNumberToObject(about, "status", WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
	cJSON_AddNumberToObject(about, "signal", WIFSIGNALED(how) ? WTERMSIG(how) : 0);
	cJSON_AddNumberToObject(about, "ended", (double)time(NULL));
	write_whole(folder, name, about);
	_exit(0);
}

/* The command to run: `hbdb record OPTIONS -o PATH -- COMMAND` where it is to be recorded. Free it. */
static char **words_of(const hb_agent *agent, const cJSON *ask, char *recording, size_t size)
{
	char **command = hb_wire_words(ask, "command"), **options = hb_wire_words(ask, "record");
	const cJSON *record = cJSON_GetObjectItemCaseSensitive(ask, "record");
	recording[0] = 0;
	if (!command || !cJSON_IsArray(record)) {
		free(options);
		return command;
	}
	for (size_t i = 0; options && options[i] && options[i + 1]; i++)
		if (!strcmp(options[i], "-o") || !strcmp(options[i], "--output"))
			snprintf(recording, size, "%s", options[i + 1]);
	bool named = *recording;
	if (!named) {
		static unsigned count;
		const char *name = hb_wire_text(ask, "name");
		char folder[FOLDER];
		snprintf(folder, sizeof folder, "%s/recordings", agent->options.state);
		mkdir(folder, 0700);
		snprintf(recording, size, "%s/%.60s-%lld-%d-%u.hbdb", folder,
			name && !strchr(name, '/') && *name != '.' ? name : "program", (long long)time(NULL), getpid(),
			++count);
	}
	const char *first[] = {agent->options.program, "record", named ? NULL : "-o", recording};
	cJSON *all = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(all, "words");
	for (size_t i = 0; i < 4 && first[i]; i++)
		cJSON_AddItemToArray(words, cJSON_CreateString(first[i]));
	for (size_t i = 0; options && options[i]; i++)
		cJSON_AddItemToArray(words, cJSON_CreateString(options[i]));
	cJSON_AddItemToArray(words, cJSON_CreateString("--"));
	for (size_t i = 0; command[i]; i++)
		cJSON_AddItemToArray(words, cJSON_CreateString(command[i]));
	char **argv = hb_wire_words(all, "words");
	cJSON_Delete(all);
	free(command);
	free(options);
	return argv;
}

void hb__ask_start(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	char folder[FOLDER], recording[PATH_MAX], text[65536];
	int word[2];
	size_t n = 0;
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(ask, "environment");
	char **argv =
		folder_of(agent, folder, sizeof folder) ? words_of(agent, ask, recording, sizeof recording) : NULL;
	if (!argv || (environment && !cJSON_IsObject(environment)) || pipe2(word, O_CLOEXEC)) {
		hb_wire_refuse(wire, id, 2,
			argv ? "the ask makes no sense, or there are too many open files"
			     : "the ask says no command, or the agent has no folder for its state");
		free(argv);
		return;
	}
	cJSON *about = cJSON_CreateObject();
	const char *name = hb_wire_text(ask, "name");
	cJSON_AddStringToObject(about, "name", name ? name : argv[0]);
	cJSON_AddItemToObject(about, "command", cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(ask, "command"), 1));
	cJSON_AddStringToObject(about, "state", "running");
	cJSON_AddNumberToObject(about, "since", (double)time(NULL));
	if (*recording)
		cJSON_AddStringToObject(about, "recording", recording);
	pid_t between = fork(); /* so that the keeper is nobody's child here */
	if (!between) {
		if (!fork()) {
			close(word[0]);
			keep(word[1], folder, argv, ask, about);
		}
		_exit(0);
	}
	close(word[1]);
	waitpid(between, NULL, 0);
	for (ssize_t got; n < sizeof text - 1 && (got = read(word[0], text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	text[n] = 0;
	close(word[0]);
	cJSON *said = cJSON_Parse(text);
	if (cJSON_IsObject(said)) {
		cJSON *answer = cJSON_CreateObject();
		cJSON_AddItemToObject(answer, "process", said);
		hb_wire_answer(wire, id, answer);
	} else {
		int trouble = cJSON_IsNumber(said) ? said->valueint : EAGAIN;
		hb_wire_refuse(
			wire, id, trouble == ENOENT ? 127 : 126, "cannot start %s: %s", argv[0], strerror(trouble));
		cJSON_Delete(said);
	}
	cJSON_Delete(about);
	free(argv);
}
