/* The database of the complex: news that come twice, ends, nodes that come back, holds, deaths of the writer. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "system/complex/complex.h"

static hb_complex *fresh(const char *name)
{
	hb_complex *c;
	hb_error err;
	if (!check(!hb_complex_open(check_path(name), &c, &err), "%s is made", name))
		exit(1);
	return c;
}

static bool count_row(void *user, cJSON *row)
{
	++*(int *)user;
	cJSON_Delete(row);
	return true;
}

static int count(hb_complex *c, const char *what)
{
	int n = 0;
	hb_complex_rows(c, what, &(hb_complex_filter){0}, count_row, &n, NULL);
	return n;
}

struct kinds {
	char text[512];
};

static bool add_kind(void *user, cJSON *row)
{
	struct kinds *k = user;
	size_t n = strlen(k->text);
	snprintf(k->text + n, sizeof k->text - n, "%s%s", n ? " " : "", cJSON_GetObjectItem(row, "kind")->valuestring);
	cJSON_Delete(row);
	return true;
}

static bool kinds_are(hb_complex *c, const char *wanted)
{
	struct kinds k = {0};
	hb_complex_rows(c, "events", &(hb_complex_filter){0}, add_kind, &k, NULL);
	if (strcmp(k.text, wanted) != 0)
		printf("    events: %s\n    wanted: %s\n", k.text, wanted);
	return !strcmp(k.text, wanted);
}

static hb_status tell(hb_complex *c, int64_t node, const char *json, hb_complex_end_kind kind, int64_t *ret)
{
	cJSON *p = cJSON_Parse(json);
	hb_status status = hb_complex_process(c, node, p, kind, ret, NULL);
	cJSON_Delete(p);
	return status;
}

static bool state_is(hb_complex *c, const char *what, int64_t number, const char *wanted)
{
	cJSON *row = hb_complex_row(c, what, number);
	const char *state = cJSON_GetStringValue(cJSON_GetObjectItem(row, "state"));
	bool good = state && !strcmp(state, wanted);
	if (!good)
		printf("    state: %s\n", state ? state : "none");
	cJSON_Delete(row);
	return good;
}

#define P "{\"pid\":7,\"began\":70,\"boot\":\"b\",\"name\":\"3\",\"rank\":3,\"world\":0,\"recording\":\"/r.hbdb\""

static int64_t add_node(hb_complex *c, const char *name)
{
	int64_t node = 0;
	hb_complex_node(c, name, "local", "localhost", NULL);
	hb_complex_node_find(c, name, &node, NULL);
	return node;
}

static void test_twice(void)
{
	hb_complex *c = fresh("twice");
	int64_t node = add_node(c, "n1"), one, other;
	check(!tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, &one), "a process is told of");
	check(!tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, &other) && one == other,
		"a second time: the same one");
	check(kinds_are(c, "start"), "and one event");
	tell(c, node, P ",\"state\":\"waiting\",\"call\":\"MPI_Recv\"}", HB_ENDS_NOT, NULL);
	tell(c, node, P ",\"state\":\"stopped\"}", HB_ENDS_NOT, NULL);
	tell(c, node, P ",\"state\":\"stopped\"}", HB_ENDS_NOT, NULL);
	tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, NULL);
	check(kinds_are(c, "start stop go"), "a stop and its end are events, a call is none");
	tell(c, node, P ",\"state\":\"ended\",\"signal\":9}", HB_ENDS_NOT, NULL);
	tell(c, node, P ",\"signal\":9}", HB_ENDS_DEATH, NULL);
	tell(c, node, P ",\"signal\":9}", HB_ENDS_DEATH, NULL);
	check(kinds_are(c, "start stop go death"), "a death that is told three times, in two ways, is one");
	tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, NULL);
	check(state_is(c, "processes", one, "ended"), "nobody comes back from his end");
	check(tell(c, node, "{\"pid\":7,\"began\":70}", HB_ENDS_NOT, NULL) == HB_E_ARGUMENT,
		"a process without boot is none");
	check(!tell(c, node, "{\"pid\":7,\"began\":71,\"boot\":\"b\",\"state\":\"running\"}", HB_ENDS_NOT, &other) &&
			other != one,
		"its number, given out again, is another one");
	cJSON *finding =
		cJSON_Parse("{\"news\":\"finding\",\"id\":\"HB-X\",\"text\":\"it's wrong\",\"folder\":\"/r.hbdb\"}");
	int before = count(c, "events");
	hb_complex_news(c, node, finding, NULL);
	hb_complex_news(c, node, finding, NULL);
	check(count(c, "events") == before + 1, "a finding that is told twice is one");
	cJSON_Delete(finding);
	hb_complex_close(c);
}

/* An agent that was begun when a process had ended knows its log, and not when it began. */
static void test_after_its_end(void)
{
	static const char *const logged = ",\"boot\":\"b\",\"recording\":\"/r.hbdb\",\"log\":\"rank.3.log\",";
	hb_complex *c = fresh("after");
	char known[200], late[200], other[200];
	int64_t node = add_node(c, "n1"), one, same, third;
	snprintf(known, sizeof known, "{\"pid\":7,\"began\":70%s\"state\":\"running\"}", logged);
	snprintf(late, sizeof late, "{\"pid\":7,\"began\":0%s\"state\":\"ended\",\"how\":\"died\"}", logged);
	snprintf(other, sizeof other, "{\"pid\":8,\"began\":0%s\"state\":\"ended\",\"how\":\"died\"}", logged);
	tell(c, node, known, HB_ENDS_NOT, &one);
	tell(c, node, known, HB_ENDS_DEATH, NULL);
	tell(c, node, late, HB_ENDS_DEATH, &same);
	check(same == one && kinds_are(c, "start death"),
		"a death that a later agent finds in the log is not told twice");
	check(!tell(c, node, other, HB_ENDS_DEATH, &third) && third != one && kinds_are(c, "start death death"),
		"that of another process is");
	check(!tell(c, node, other, HB_ENDS_DEATH, &same) && same == third && kinds_are(c, "start death death"),
		"once, too");
	hb_complex_close(c);
	c = fresh("meanwhile");
	node = add_node(c, "n1");
	tell(c, node, known, HB_ENDS_NOT, &one);
	tell(c, node, late, HB_ENDS_NOT, NULL);
	check(state_is(c, "processes", one, "ended") && count(c, "processes") == 1 && kinds_are(c, "start death"),
		"who died while no agent was there has ended, and is no second one");
	hb_complex_close(c);
}

static void test_agreement(void)
{
	hb_complex *c = fresh("agreement");
	int64_t node = add_node(c, "n1"), one, other;
	tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, &one);
	tell(c, node, "{\"pid\":8,\"began\":71,\"boot\":\"b\",\"state\":\"running\"}", HB_ENDS_NOT, &other);
	cJSON *ps = cJSON_Parse(
		"[" P
		",\"state\":\"stopped\"}, {\"pid\": 1}, {\"pid\":9,\"began\":9,\"boot\":\"b\",\"state\":\"running\"}]");
	check(!hb_complex_ps(c, node, ps, NULL), "what a node has is put in as a whole");
	check(state_is(c, "processes", one, "stopped") && state_is(c, "processes", other, "running"),
		"who is not there is missing");
	check(count(c, "processes") == 3, "who is new is there");
	cJSON *hello = cJSON_Parse("{\"boot\":\"another\"}");
	hb_complex_node_state(c, node, "up", "", hello, NULL);
	cJSON_Delete(hello);
	check(!hb_complex_ps(c, node, ps, NULL) && state_is(c, "processes", other, "gone"),
		"and gone, when the machine was started anew");
	int before = count(c, "events");
	check(!hb_complex_ps(c, node, ps, NULL) && count(c, "events") == before, "a second time: nothing new");
	cJSON_Delete(ps);
	tell(c, node, "{\"pid\":8,\"began\":71,\"boot\":\"b\",\"status\":3}", HB_ENDS_EXIT, NULL);
	check(state_is(c, "processes", other, "ended"), "who was gone may turn out to have ended");
	cJSON *none = cJSON_CreateArray();
	hello = cJSON_Parse("{\"boot\":\"a third\"}");
	tell(c, node, "{\"pid\":9,\"began\":9,\"boot\":\"b\",\"state\":\"running\"}", HB_ENDS_NOT, &one);
	hb_complex_node_state(c, node, "up", "", hello, NULL);
	hb_complex_ps(c, node, none, NULL);
	cJSON_Delete(hello);
	cJSON_Delete(none);
	check(state_is(c, "processes", one, "gone"), "another one is gone");
	tell(c, node, "{\"pid\":9,\"began\":9,\"boot\":\"b\",\"state\":\"running\"}", HB_ENDS_NOT, &one);
	check(state_is(c, "processes", one, "running"), "or to be there after all");
	tell(c, node, "{\"pid\":9,\"began\":9,\"boot\":\"b\",\"state\":\"gone\"}", HB_ENDS_NOT, &one);
	check(state_is(c, "processes", one, "running"), "an agent that says gone for a moment is not believed at once");
	before = count(c, "events");
	hb_complex_node_state(c, node, "down", "no answer", NULL, NULL);
	hb_complex_node_state(c, node, "down", "no answer", NULL, NULL);
	check(count(c, "events") == before + 1, "a state of a node is told once");
	check(!hb_complex_node_remove(c, "n1", NULL) && !count(c, "processes"), "a node is removed with its processes");
	check(add_node(c, "n2") != node, "its number is not given out again");
	hb_complex_close(c);
}

static void test_programs(void)
{
	hb_complex *c = fresh("programs");
	int64_t node = add_node(c, "n1"), program, process;
	hb_error err;
	cJSON *bad = cJSON_Parse("{\"name\":\"solver\",\"node\":\"n9\",\"command\":[\"true\"]}");
	check(hb_complex_program(c, bad, &err) == HB_E_ARGUMENT && strstr(err.message, "n9"),
		"a node that is not there is refused");
	cJSON_ReplaceItemInObject(bad, "node", cJSON_CreateString("n1"));
	check(!hb_complex_program(c, bad, &err), "a program is added");
	cJSON_ReplaceItemInObject(bad, "command", cJSON_CreateString("true; rm"));
	check(hb_complex_program(c, bad, &err) == HB_E_ARGUMENT, "a command is words");
	cJSON_Delete(bad);
	hb_complex_program_find(c, "solver", &program, NULL);
	tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, &process);
	check(!hb_complex_program_begun(c, program, process, "/r.hbdb", NULL, NULL) &&
			state_is(c, "programs", program, "running"),
		"it is begun");
	check(hb_complex_program_remove(c, "solver", NULL) == HB_E_ARGUMENT, "it is not removed while it runs");
	tell(c, node, P ",\"status\":3}", HB_ENDS_EXIT, NULL);
	check(state_is(c, "programs", program, "failed"), "it failed");
	check(hb_complex_hold(c, process, 0, "anna/1", "looking", NULL) == HB_E_ARGUMENT, "who has ended is not held");
	tell(c, node, "{\"pid\":8,\"began\":1,\"boot\":\"b\",\"recording\":\"/r.hbdb\",\"state\":\"running\"}",
		HB_ENDS_NOT, &process);
	check(!hb_complex_hold(c, process, 0, "anna/1", "looking", NULL), "a process is held");
	check(!hb_complex_may(c, process, program, "anna/1", NULL), "who holds it may move it");
	check(hb_complex_may(c, 0, program, "bert/2", &err) == HB_E_ARGUMENT && strstr(err.message, "anna/1") &&
			strstr(err.message, "looking"),
		"another one may not, and is told who and why");
	check(hb_complex_hold(c, 0, program, "bert/2", "too", NULL) == HB_E_ARGUMENT, "nor hold the program");
	check(hb_complex_release(c, process, 0, "bert/2", NULL) == HB_E_ARGUMENT, "nor release it");
	check(!hb_complex_release(c, process, 0, "anna/1", NULL) && !hb_complex_may(c, 0, program, "bert/2", NULL),
		"released");
	hb_complex_hold(c, process, 0, "anna/1", "looking", NULL);
	hb_complex_consoles_gone(c, NULL);
	check(!count(c, "holds"), "consoles of a manager that died hold nothing");
	hb_complex_hold(c, process, 0, "anna", "looking", NULL);
	check(!hb_complex_consoles_gone(c, NULL) && count(c, "holds") == 1, "users do");
	tell(c, node, "{\"pid\":8,\"began\":1,\"boot\":\"b\",\"status\":0}", HB_ENDS_EXIT, NULL);
	check(!count(c, "holds"), "until it ends");
	hb_complex_close(c);
}

static void tell_part(hb_complex *c, int64_t node, const char *part)
{
	char text[200];
	snprintf(text, sizeof text, "{\"news\":\"recording\",\"folder\":\"/r.hbdb\",\"part\":\"%s\"}", part);
	cJSON *news = cJSON_Parse(text);
	hb_complex_news(c, node, news, NULL);
	cJSON_Delete(news);
}

static bool belongs(hb_complex *c, int64_t process, int64_t program)
{
	cJSON *row = hb_complex_row(c, "processes", process);
	bool does = (int64_t)cJSON_GetNumberValue(cJSON_GetObjectItem(row, "program")) == program;
	cJSON_Delete(row);
	return does;
}

/* The processes of a recording write elsewhere on each node. */
static void test_parts(void)
{
	hb_complex *c = fresh("parts");
	int64_t node = add_node(c, "n1"), far = add_node(c, "n2"), program, process, other, earlier;
	cJSON *solver = cJSON_Parse("{\"name\":\"solver\",\"node\":\"n1\",\"command\":[\"true\"]}");
	hb_complex_program(c, solver, NULL);
	cJSON_Delete(solver);
	hb_complex_program_find(c, "solver", &program, NULL);
	tell(c, node, P ",\"state\":\"running\"}", HB_ENDS_NOT, &process);
	hb_complex_program_begun(c, program, process, "/r.hbdb", NULL, NULL);
	tell_part(c, far, "/tmp/claimed");
	tell(c, far, "{\"pid\":7,\"began\":1,\"boot\":\"f\",\"recording\":\"/tmp/claimed\",\"state\":\"running\"}",
		HB_ENDS_NOT, &other);
	check(!belongs(c, other, program),
		"where a program's processes write is not believed of a node where it was not begun");
	tell_part(c, node, "/tmp/part");
	tell(c, far, "{\"pid\":8,\"began\":1,\"boot\":\"f\",\"recording\":\"/tmp/part\",\"state\":\"running\"}",
		HB_ENDS_NOT, &earlier);
	check(belongs(c, earlier, program), "who writes into the part of another node is of the program");
	hb_complex_program_begun(c, program, process, "/s.hbdb", NULL, NULL);
	tell(c, far, "{\"pid\":9,\"began\":1,\"boot\":\"f\",\"recording\":\"/tmp/part\",\"state\":\"running\"}",
		HB_ENDS_NOT, &other);
	check(!belongs(c, other, program), "until the next run");
	hb_complex_close(c);
}

static void test_prune(void)
{
	hb_complex *c = fresh("prune");
	int64_t node = add_node(c, "n1"), old, held;
	tell(c, node, P ",\"status\":0}", HB_ENDS_EXIT, &old);
	tell(c, node, "{\"pid\":8,\"began\":1,\"boot\":\"b\",\"state\":\"running\"}", HB_ENDS_NOT, &held);
	tell(c, node, "{\"pid\":9,\"began\":1,\"boot\":\"b\",\"state\":\"running\"}", HB_ENDS_NOT, NULL);
	tell(c, node, "{\"pid\":8,\"began\":1,\"boot\":\"b\",\"status\":0}", HB_ENDS_EXIT, &held);
	int64_t last = hb_complex_last_event(c);
	check(!hb_complex_prune(c, last, hb_complex_now() - 1000000, NULL) && count(c, "events") == 1 &&
			count(c, "processes") == 3,
		"events before a number are removed, and no process that ended a moment ago");
	check(!hb_complex_prune(c, last, hb_complex_now() + 1000000, NULL) && count(c, "processes") == 1,
		"processes that ended before a time are");
	check(hb_complex_last_event(c) == last, "numbers of events go on");
	hb_complex_close(c);
}

static void test_files(void)
{
	hb_complex *c;
	hb_error err;
	struct stat st;
	const char *path = check_path("foreign");
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	check(write(fd, "this is a text and no database, whatever one may think of it, and it is long enough", 83) ==
				83 &&
			!close(fd),
		"a text");
	check(hb_complex_open(path, &c, &err) == HB_E_FOREIGN && !c, "is no database: %s", err.message);
	c = fresh("rights");
	check(!stat(check_path("rights-wal"), &st) && !(st.st_mode & 077) && !stat(check_path("rights"), &st) &&
			!(st.st_mode & 077),
		"the files are their owner's alone");
	hb_complex_close(c);
	check(hb_complex_open(check_path("no/such/folder"), &c, &err) == HB_E_SYSTEM, "a folder that is not there: %s",
		err.message);
}

/* A writer that is killed at a random moment. Each turn adds an event and raises a mark as one: they always agree. */
static void test_deaths(void)
{
	const char *path = check_path("deaths");
	hb_complex *c;
	int good = 0;
	for (int i = 0; i < 40; i++) {
		pid_t child = fork();
		if (!child) {
			for (int64_t n = 0; !hb_complex_open(path, &c, NULL) && n < 100000;) {
				for (n = hb_complex_mark(c, "n") + 1;; n++) {
					hb_complex_begin(c, NULL);
					hb_complex_event(c,
						&(hb_complex_happened){.kind = "note", .weight = "note", .text = "a"},
						NULL, NULL);
					hb_complex_set_mark(c, "n", n, NULL);
					hb_complex_end(c, true, NULL);
				}
			}
			_exit(1);
		}
		usleep((useconds_t)(random() % 20000));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (!hb_complex_open(path, &c, NULL)) {
			good += hb_complex_mark(c, "n") == count(c, "events");
			hb_complex_close(c);
		}
	}
	check(good == 40, "of 40 deaths of the writer %d left both halves of its last change, or none", good);
}

int main(void)
{
	test_twice();
	test_after_its_end();
	test_agreement();
	test_programs();
	test_parts();
	test_prune();
	test_files();
	test_deaths();
	check_clean();
	return check_end();
}
