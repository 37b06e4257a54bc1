/* Serving the page: what its requests wait for, and whether the manager answers. */
#include <errno.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "page.h"

#define LOOK_MS 200 /* between looks at the database, and attempts to reach the manager */
#define WAIT_S 10   /* that a request waits for a change */

struct hb_complex_page {
	const char *database, *socket;
	char user[64]; /* of this process, as the manager knows him */
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	/* guarded by mutex */
	bool ending;
	uint64_t change;
	char *gone; /* why the manager does not answer; NULL: it does */
	/* of the thread that serves */
	sqlite3 *base;
	hb_asker *asker;
};

static volatile sig_atomic_t asked_to_end;

static void on_signal(int sig) { asked_to_end = sig; }

/* ---- answers, in threads of the server ---- */

/* {"change":N,"manager":...} without the braces. */
static void put_head(struct hb_complex_page *p, hb_text *out)
{
	pthread_mutex_lock(&p->mutex);
	hb_text_format(out, "\"change\":%llu,\"manager\":", (unsigned long long)p->change);
	if (p->gone)
		hb_text_json(out, p->gone);
	else
		hb_text_put(out, "null");
	pthread_mutex_unlock(&p->mutex);
	hb_text_put(out, ",\"user\":");
	hb_text_json(out, p->user);
}

static int answer_changes(struct hb_complex_page *p, const hb_view_asked *asked, hb_text *ret)
{
	char text[32];
	struct timespec end;
	hb_view_parameter(asked->query, "since", text, sizeof text);
	uint64_t since = strtoull(text, NULL, 10);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += WAIT_S;
	pthread_mutex_lock(&p->mutex);
	while (!p->ending && p->change == since && pthread_cond_timedwait(&p->changed, &p->mutex, &end) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&p->mutex);
	hb_text_put(ret, "{");
	put_head(p, ret);
	hb_text_put(ret, "}");
	return 200;
}

static int answer(void *user, const hb_view_asked *asked, hb_text *ret)
{
	struct hb_complex_page *p = user;
	if (!strcmp(asked->name, "changes"))
		return answer_changes(p, asked, ret);
	if (!strcmp(asked->name, "act"))
		return hb__answer_act(p->socket, asked, ret);
	if (!strcmp(asked->name, "threads"))
		return hb__answer_threads(p->socket, asked, ret);
	sqlite3 *base = hb__complex_base(p->database, ret);
	if (!base)
		return 503;
	int status = 404;
	if (!strcmp(asked->name, "complex")) {
		hb_text head = {0};
		put_head(p, &head);
		status = hb__answer_complex(base, asked, head.at ? head.at : "\"change\":0", ret);
		free(head.at);
	} else if (!strcmp(asked->name, "processes"))
		status = hb__answer_processes(base, asked, ret);
	else if (!strcmp(asked->name, "events"))
		status = hb__answer_events(base, asked, ret);
	sqlite3_close(base);
	return status;
}

/* ---- what changes ---- */

/* gone: NULL: the manager answers. Taken over. */
static void tell(struct hb_complex_page *p, bool change, char *gone)
{
	pthread_mutex_lock(&p->mutex);
	bool same = gone && p->gone ? !strcmp(gone, p->gone) : !gone && !p->gone;
	free(p->gone);
	p->gone = gone;
	if (change || !same) {
		p->change++;
		pthread_cond_broadcast(&p->changed);
	}
	pthread_mutex_unlock(&p->mutex);
}

/* A number that is another one when somebody else has written; 0: there is no database. */
static int64_t version_of(struct hb_complex_page *p)
{
	sqlite3_stmt *s = NULL;
	int64_t version = 0;
	if (!p->base) {
		hb_text why = {0};
		p->base = hb__complex_base(p->database, &why);
		free(why.at);
	}
	if (p->base && sqlite3_prepare_v2(p->base, "PRAGMA data_version", -1, &s, NULL) == SQLITE_OK &&
		sqlite3_step(s) == SQLITE_ROW)
		version = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return version;
}

/* Waits a little, and says why the manager does not answer (free it), or NULL. */
static char *look_for_manager(struct hb_complex_page *p)
{
	const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};
	const char *why = NULL;
	char *gone = NULL;
	if (!p->asker) {
		p->asker = hb__asker_reach(p->socket, &gone);
		if (!p->asker)
			nanosleep(&moment, NULL);
	} else if (!hb__asker_there(p->asker, LOOK_MS, &why)) {
		gone = hb__format("the manager: %s", why);
		hb__asker_close(p->asker);
		p->asker = NULL;
	}
	return gone;
}

static void watch(struct hb_complex_page *p)
{
	int64_t last = -1;
	while (!asked_to_end) {
		char *gone = look_for_manager(p);
		int64_t version = version_of(p);
		tell(p, version != last, gone);
		last = version;
	}
}

/* ---- serving ---- */

static void take_signals(void)
{
	const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal};
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &action, NULL);
}

static int cannot_serve(uint16_t port, const hb_error *err)
{
	if (err->status == HB_E_SYSTEM && err->sys == EADDRINUSE)
		return hb__fail_with(HB_EXIT_USAGE, "port %u is in use: without --port hbdb takes a free one", port);
	if (err->status == HB_E_SYSTEM && err->sys == EACCES)
		return hb__fail_with(HB_EXIT_USAGE, "you may not use port %u: choose one above 1023", port);
	return hb__fail_with(HB_EXIT_USAGE, "cannot serve the page: %s%s%s", err->message, err->sys ? ": " : "",
		err->sys ? strerror(err->sys) : "");
}

int hb__serve_complex(const char *database, const char *socket, uint16_t port,
	int (*began)(void *user, const hb_view_server *server), void *user)
{
	struct hb_complex_page page = {.database = database,
		.socket = socket,
		.mutex = PTHREAD_MUTEX_INITIALIZER,
		.changed = PTHREAD_COND_INITIALIZER};
	const struct passwd *who = getpwuid(getuid());
	snprintf(page.user, sizeof page.user, "%s", who ? who->pw_name : "?");
	const hb_view_complex complex = {.user = &page, .answer = answer};
	hb_view_server *server = NULL;
	hb_error err = {0};
	if (hb_view_open_complex(&complex, port, &server, &err))
		return cannot_serve(port, &err);
	take_signals();
	int code = began(user, server);
	if (!code)
		watch(&page);
	pthread_mutex_lock(&page.mutex);
	page.ending = true;
	pthread_cond_broadcast(&page.changed);
	pthread_mutex_unlock(&page.mutex);
	hb_view_close(server);
	hb__asker_close(page.asker);
	sqlite3_close(page.base);
	free(page.gone);
	return code;
}
