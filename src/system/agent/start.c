/* Programs that are started and outlive the agent.
 *
 * A program's parent is a process of its own, the keeper, which only waits for its end and writes down how that was: so that an agent that was killed and came back,
 * or another one, can tell. In the folder `started/HOST.SPACE` of the agent's state there is a file PID.BEGAN for each program: machines and containers may share that
 * state, and a number means a process in one space of processes of one machine only. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdarg.h>
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

#define AGAIN_S 1      /* between attempts to write down an end */
#define ATTEMPTS 86400 /* at that */

/* ---- the keeper ---- */

static void tell(int word, cJSON *object)
{
	char *text = cJSON_PrintUnformatted(object);
	if (text)
		dprintf(word, "%s", text);
	cJSON_free(text);
	close(word);
}

__attribute__((format(printf, 3, 4))) static void give_up(int word, int trouble, const char *format, ...)
{
	char text[PATH_MAX + 200];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "trouble", text);
	cJSON_AddNumberToObject(o, "status", trouble == ENOENT ? 127 : 126);
	tell(word, o);
	_exit(1);
}

static int cannot_enter(const char *folder)
{
	struct stat is;
	return stat(folder, &is) ? errno : !S_ISDIR(is.st_mode) ? ENOTDIR : access(folder, X_OK) ? errno : 0;
}

/* Begins it, and writes down that it did: what could not be written down would run without anybody's knowing, so it does not. */
static int32_t begin(
	int word, const char *folder, char *const *argv, const cJSON *ask, cJSON *about, char name[static 64])
{
	char out[PATH_MAX];
	hb_task task;
	const char *cwd = hb_wire_text(ask, "cwd");
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	snprintf(out, sizeof out, "%s/%d.out", folder, getpid());
	unlink(out); /* of an earlier keeper of this number */
	int to = open(out, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (to < 0)
		give_up(word, errno, "cannot start %.200s: its output would go to %s: %s", argv[0], out,
			strerror(errno));
	int trouble = cwd ? cannot_enter(cwd) : 0;
	if (trouble) {
		unlink(out);
		give_up(word, EACCES, "cannot start %.200s: its folder %s: %s", argv[0], cwd, strerror(trouble));
	}
	int32_t pid =
		hb__begin(argv, cwd, cJSON_GetObjectItemCaseSensitive(ask, "environment"), nowhere, to, to, false);
	if (pid < 0) {
		trouble = errno;
		unlink(out);
		give_up(word, trouble, "cannot start %.200s: %s", argv[0], strerror(trouble));
	}
	if (hb_task_read(pid, 0, &task)) {
		snprintf(name, 64, "%d.%llu", pid, (unsigned long long)task.began);
		cJSON_AddNumberToObject(about, "pid", pid);
		cJSON_AddNumberToObject(about, "began", (double)task.began);
		cJSON_AddStringToObject(about, "boot", hb_boot_id());
		cJSON_AddStringToObject(about, "output", out);
		errno = 0;
		if (!hb__started_write(folder, name, about)) {
			trouble = errno ? errno : EIO;
			kill(-pid, SIGKILL);
			unlink(out);
			give_up(word, trouble,
				"%.200s was ended at once, as what was started cannot be written down in %s: %s",
				argv[0], folder, strerror(trouble));
		}
	}
	dup2(nowhere, 0);
	dup2(nowhere, 1);
	dup2(nowhere, 2);
	return pid;
}

static void keep(int word, const char *folder, char *const *argv, const cJSON *ask, cJSON *about)
{
	char name[64] = "";
	int how;
	setsid();
	prctl(PR_SET_NAME, "hbdb-keeper");
	int32_t pid = begin(word, folder, argv, ask, about, name);
	tell(word, about);
	close_range(3, ~0U, 0);
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	cJSON_DeleteItemFromObjectCaseSensitive(about, "state");
	cJSON_AddStringToObject(about, "state", "ended");
	cJSON_AddNumberToObject(about, "status", WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how));
	cJSON_AddNumberToObject(about, "signal", WIFSIGNALED(how) ? WTERMSIG(how) : 0);
	cJSON_AddNumberToObject(about, "ended", (double)time(NULL));
	/* a disk that is full now may have room later */
	for (int i = 0; *name && i < ATTEMPTS && !hb__started_write(folder, name, about); i++)
		sleep(AGAIN_S);
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
		char folder[HB__STARTED_FOLDER];
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

/* All that the keeper says. Free it. */
static cJSON *hear(int word)
{
	size_t n = 0, room = 1 << 16;
	char *text = malloc(room);
	for (ssize_t got; text && (got = read(word, text + n, room - n)) > 0;)
		if ((n += (size_t)got) == room) {
			char *more = realloc(text, room *= 2);
			if (!more)
				break;
			text = more;
		}
	cJSON *said = text ? cJSON_ParseWithLength(text, n) : NULL;
	free(text);
	return said;
}

static cJSON *describe(const cJSON *ask, const char *first, const char *recording)
{
	cJSON *about = cJSON_CreateObject();
	const char *name = hb_wire_text(ask, "name");
	cJSON_AddStringToObject(about, "name", name ? name : first);
	cJSON_AddItemToObject(about, "command", cJSON_Duplicate(cJSON_GetObjectItemCaseSensitive(ask, "command"), 1));
	cJSON_AddStringToObject(about, "state", "running");
	cJSON_AddNumberToObject(about, "since", (double)time(NULL));
	if (*recording)
		cJSON_AddStringToObject(about, "recording", recording);
	if (hb_wire_text(ask, "beginning"))
		cJSON_AddStringToObject(about, "beginning", hb_wire_text(ask, "beginning"));
	return about;
}

void hb__ask_start(hb_agent *agent, hb_wire *wire, uint64_t id, const cJSON *ask)
{
	char folder[HB__STARTED_FOLDER], recording[PATH_MAX];
	int word[2];
	const cJSON *environment = cJSON_GetObjectItemCaseSensitive(ask, "environment");
	char **argv = hb__started_folder(agent, folder, sizeof folder)
			      ? words_of(agent, ask, recording, sizeof recording)
			      : NULL;
	if (!argv || (environment && !cJSON_IsObject(environment)) || pipe2(word, O_CLOEXEC)) {
		hb_wire_refuse(wire, id, 2,
			argv ? "the ask makes no sense, or there are too many open files"
			     : "the ask says no command, or the agent has no folder for its state");
		free(argv);
		return;
	}
	cJSON *about = describe(ask, argv[0], recording);
	pid_t between = fork(); /* so that the keeper is nobody's child here */
	if (!between) {
		if (!fork()) {
			close(word[0]);
			/* where what it says of itself is heard; a variable of the ask's goes before */
			if (agent->options.notify)
				setenv("HBDB_SELF_NOTIFY", agent->options.notify, 0);
			keep(word[1], folder, argv, ask, about);
		}
		_exit(0);
	}
	close(word[1]);
	waitpid(between, NULL, 0);
	cJSON *said = hear(word[0]);
	const char *trouble = hb_wire_text(said, "trouble");
	int64_t status = 126;
	close(word[0]);
	if (cJSON_IsObject(said) && !trouble) {
		cJSON *answer = cJSON_CreateObject();
		cJSON_AddItemToObject(answer, "process", said);
		hb_wire_answer(wire, id, answer);
	} else {
		hb_wire_number(said, "status", &status);
		hb_wire_refuse(wire, id, (int)status, "%s", trouble ? trouble : "whoever was to start it has died");
		cJSON_Delete(said);
	}
	cJSON_Delete(about);
	free(argv);
}
