/* The socket of the manager, and who comes in by it. */
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/grow.h"
#include "system/manager/inside.h"

#define BEHIND (1u << 20) /* bytes: who has so much to read gets no more news before he has */

const char *hb_manager_folder_wrong(const char *socket, bool shared)
{
	char folder[512];
	struct stat st;
	const char *slash = strrchr(socket, '/');
	if (!slash || (size_t)(slash - socket) >= sizeof folder)
		return "is no absolute path";
	snprintf(folder, sizeof folder, "%.*s", slash == socket ? 1 : (int)(slash - socket), socket);
	if (lstat(folder, &st))
		return errno == ENOENT ? "its folder is not there" : "its folder cannot be looked at";
	if (!S_ISDIR(st.st_mode))
		return "what it stands in is no folder (a symbolic link is none, either)";
	if (st.st_uid != getuid() && !(shared && !st.st_uid))
		return "its folder belongs to another user";
	if (st.st_mode & (shared ? 022 : 077))
		return shared ? "others may write in its folder" : "others may enter its folder";
	return NULL;
}

static hb_status fail(hb_error *err, hb_status status, const char *what, const char *path)
{
	*err = (hb_error){.status = status, .sys = errno};
	snprintf(err->message, sizeof err->message, "%.150s: %.90s", path, what);
	return status;
}

hb_status hb__door_open(struct hb_manager *m, hb_error *err)
{
	const char *path = m->options.socket, *wrong = hb_manager_folder_wrong(path, m->nallowed > 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat st;
	if (wrong)
		return fail(err, HB_E_ARGUMENT, wrong, path);
	if (strlen(path) >= sizeof address.sun_path)
		return fail(err, HB_E_ARGUMENT, "the path is too long for a socket", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	/* What a manager that was killed has left is taken away; what is no socket of ours is not. */
	if (!lstat(path, &st)) {
		if (!S_ISSOCK(st.st_mode) || st.st_uid != getuid())
			return fail(err, HB_E_ARGUMENT, "this is no socket of this user's: it is left alone", path);
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		bool taken = fd >= 0 && (!connect(fd, (struct sockaddr *)&address, sizeof address) || errno == EAGAIN);
		close(fd);
		if (taken)
			return fail(err, HB_E_ARGUMENT, "another manager listens there", path);
		unlink(path);
	}
	m->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	mode_t before = umask(m->nallowed ? 0111 : 0177);
	bool bound = m->listener >= 0 && !bind(m->listener, (struct sockaddr *)&address, sizeof address) &&
		     !listen(m->listener, 64);
	umask(before);
	return bound && hb__manager_watch(m, m->listener, EPOLLIN) ? HB_OK
								   : fail(err, HB_E_SYSTEM, strerror(errno), path);
}

void hb__door_close(struct hb_manager *m)
{
	if (m->listener < 0)
		return;
	/* while it is still taken: behind that it may be another manager's */
	unlink(m->options.socket);
	close(m->listener);
}

/* ---- who comes ---- */

static bool is_allowed(const struct hb_manager *m, uid_t uid)
{
	bool may = uid == getuid();
	for (size_t i = 0; i < m->nallowed; i++)
		may |= m->allowed[i] == uid;
	return may;
}

static void add_console(struct hb_manager *m, int fd, uid_t uid)
{
	static const hb_wire_calls calls = {.asked = hb__console_asked};
	struct hb__console *c = HB_GROW(m->console, m->console_room, m->nconsoles + 1) ? calloc(1, sizeof *c) : NULL;
	const struct passwd *user = getpwuid(uid);
	if (!c) {
		close(fd);
		return;
	}
	*c = (struct hb__console){.manager = m, .number = ++m->consoles};
	if (user)
		snprintf(c->user, sizeof c->user, "%s", user->pw_name);
	else
		snprintf(c->user, sizeof c->user, "%u", uid);
	if (hb_wire_open(fd, fd, false, "manager", &calls, c, &c->wire, NULL)) {
		free(c);
		return;
	}
	m->console[m->nconsoles++] = c;
	hb__manager_watch(m, hb_wire_fd(c->wire), EPOLLIN);
}

void hb__let_in(struct hb_manager *m)
{
	struct ucred who;
	socklen_t n = sizeof who;
	int fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	bool known = !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n);
	if (known && is_allowed(m, who.uid) && m->nconsoles < HB__CONSOLES) {
		add_console(m, fd, who.uid);
		return;
	}
	close(fd);
	const struct passwd *user = known ? getpwuid(who.uid) : NULL;
	if (known && !is_allowed(m, who.uid))
		hb__manager_note(m, "refused", "warning", 0, 0, 0,
			"user %s (%u), process %d, was refused at the manager's socket", user ? user->pw_name : "?",
			who.uid, who.pid);
	else
		hb__manager_note(m, "refused", "warning", 0, 0, 0,
			"a connection to the manager's socket was refused: there are %zu already", m->nconsoles);
}

static bool own_hold(void *user, cJSON *row)
{
	cJSON *mine = user;
	cJSON_AddItemToArray(mine, row);
	return true;
}

/* What it held only while it was there. */
static void let_go(struct hb_manager *m, const struct hb__console *c)
{
	char who[96];
	cJSON *rows = cJSON_CreateArray();
	const cJSON *row;
	snprintf(who, sizeof who, "%s/%d", c->user, c->number);
	hb_complex_rows(m->complex, "holds", &(hb_complex_filter){0}, own_hold, rows, NULL);
	cJSON_ArrayForEach(row, rows) if (!strcmp(hb__manager_text(row, "who"), who)) hb_complex_release(
		m->complex, hb__manager_int(row, "process"), hb__manager_int(row, "program"), who, NULL);
	cJSON_Delete(rows);
}

void hb__console_end(struct hb_manager *m, size_t index)
{
	struct hb__console *c = m->console[index];
	m->console[index] = m->console[--m->nconsoles];
	let_go(m, c);
	hb_wire_close(c->wire);
	free(c);
}

static bool tell_row(void *user, cJSON *row)
{
	struct hb__console *c = user;
	c->told = hb__manager_int(row, "event");
	hb_wire_shorten(row);
	hb_wire_news(c->wire, "event", row);
	c->full = hb_wire_waiting(c->wire) > BEHIND;
	return !c->full;
}

void hb__consoles_tell(struct hb_manager *m)
{
	int64_t last = -1;
	for (size_t i = 0; i < m->nconsoles;) {
		struct hb__console *c = m->console[i];
		if (hb_wire_waiting(c->wire) > HB__FLOOD) {
			hb__manager_say(m, "a console of %s asks and does not read: it is let go", c->user);
			hb__console_end(m, i);
			continue;
		}
		i++;
		if (!c->follows || hb_wire_waiting(c->wire) > BEHIND)
			continue;
		if (last < 0)
			last = hb_complex_last_event(m->complex);
		if (c->told < last)
			hb_complex_rows(m->complex, "events", &(hb_complex_filter){.since = c->told ? c->told : -1},
				tell_row, c, NULL);
	}
}
