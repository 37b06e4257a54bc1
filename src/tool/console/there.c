/* A command on a node, through the manager: what it reads and writes is what we read and write. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "console.h"

#define PIECE 16384

struct there {
	hb_asker *console;
	int fd;    /* our end of the channel */
	bool over; /* the other side has said how it ended ... */
	int64_t status;
	char *error;
	int unwritten; /* errno: what it wrote could not be passed on */
	/* from our standard input, and not taken yet */
	bool input; /* more may come */
	char piece[PIECE];
	size_t n;
};

static void ended(void *user, uint32_t channel, const cJSON *how)
{
	struct there *t = user;
	(void)channel;
	const char *error = hb_wire_text(how, "error");
	t->over = true;
	t->error = error ? hb__copy(error) : NULL;
	if (!hb_wire_number(how, "status", &t->status) && !error)
		t->error = hb__copy("nobody can tell how it ended");
}

static bool write_out(const char *p, size_t n)
{
	for (ssize_t done; n; p += done, n -= (size_t)done) {
		done = write(1, p, n);
		if (done < 0 && errno != EINTR)
			return false;
		done = done < 0 ? 0 : done;
	}
	return true;
}

/* What we read goes there, as far as there is room; the end of it, too. */
static void pass_in(struct there *t, bool readable, bool room)
{
	if (readable && !t->n) {
		ssize_t n = read(0, t->piece, PIECE);
		if (n > 0)
			t->n = (size_t)n;
		else if (!n || errno != EINTR)
			t->input = false;
		if (!t->input)
			shutdown(t->fd, SHUT_WR);
	}
	if (t->n && room) {
		ssize_t n = send(t->fd, t->piece, t->n, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			t->n = 0; /* nobody takes it any more */
			t->input = false;
		} else if (n > 0) {
			memmove(t->piece, t->piece + n, t->n -= (size_t)n);
		}
	}
}

/* Until all that it wrote has been passed on, and how it ended is known. False: the manager is gone, or nobody takes what it writes. */
static bool pass(struct there *t)
{
	char piece[PIECE];
	bool output = true;
	while (output || !t->over) {
		struct pollfd at[3] = {{hb_wire_fd(hb__asker_wire(t->console)), POLLIN, 0},
			{output || t->n ? t->fd : -1, (short)((output ? POLLIN : 0) | (t->n ? POLLOUT : 0)), 0},
			{t->input && !t->n ? 0 : -1, POLLIN, 0}};
		const char *why;
		poll(at, 3, -1);
		if (!hb__asker_there(t->console, 0, &why) && !t->over) {
			t->error = hb__format("the manager: %s", why);
			return false;
		}
		pass_in(t, at[2].revents, at[1].revents & (POLLOUT | POLLHUP | POLLERR));
		ssize_t n = output && at[1].revents & (POLLIN | POLLHUP) ? read(t->fd, piece, PIECE) : -1;
		if (n > 0 && !write_out(piece, (size_t)n)) {
			t->unwritten = errno;
			return false;
		}
		if (!n) {
			/* it has ended, and reads nothing more */
			output = t->input = false;
			t->n = 0;
			shutdown(t->fd, SHUT_WR);
		}
	}
	return true;
}

int hb__run_there(hb_asker *console, const char *node, char *const *argv)
{
	struct there t = {.console = console, .input = true};
	hb_wire *wire = hb__asker_wire(console);
	cJSON *ask = cJSON_CreateObject(), *words = cJSON_AddArrayToObject(ask, "command");
	uint32_t channel = hb_wire_channel(wire);
	int end[2];
	for (; *argv; argv++)
		cJSON_AddItemToArray(words, cJSON_CreateString(*argv));
	cJSON_AddStringToObject(ask, "node", node);
	cJSON_AddNumberToObject(ask, "channel", channel);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end)) {
		cJSON_Delete(ask);
		return hb__fail_with(HB_EXIT_USAGE, "cannot make a socket: %s", strerror(errno));
	}
	t.fd = end[1];
	int code = 0;
	if (!hb_wire_join(wire, channel, end[0], end[0], false, ended, &t)) {
		cJSON_Delete(ask);
		code = hb__fail_with(HB_EXIT_USAGE, "the connection to the manager takes no channel");
	}
	code = code ? code : hb__asker_ask(console, "run", ask, NULL);
	bool passed = code || pass(&t);
	if (!passed && t.unwritten == EPIPE)
		code = 128 + SIGPIPE; /* whoever reads our output is gone, and knows it */
	else if (!passed && t.unwritten)
		code = hb__fail_with(HB_EXIT_USAGE, "cannot write the output: %s", strerror(t.unwritten));
	else if (!code)
		code = t.error ? hb__fail_with(HB_EXIT_USAGE, "%s: %s", node, t.error) : (int)t.status;
	if (!t.over)
		hb_wire_cut(wire, channel);
	close(t.fd);
	free(t.error);
	return code;
}
