/* hbdb journal */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../monitor/staying.h"
#include "../../options.h"
#include "system/monitor/journal.h"
#include "system/monitor/place.h"

#define PAUSE_MS 250 /* between two looks for new events */

const hb_option hb__journal_options[] = {
	{"database", 0, HB_OPTION_TEXT, "FILE", "the manager's database; default: where hbdb manager keeps it"},
	{"socket", 0, HB_OPTION_TEXT, "PATH", "of the journal; default: /run/systemd/journal/socket"},
	{"place", 0, HB_OPTION_TEXT, "FILE",
		"where it is kept how far the events were written; default: journal.place in the folder of state"},
	{0},
};

struct work {
	hb_reader *reader;
	hb_place place;
	const char *socket;
	int fd;
	char *said; /* what is wrong */
};

static bool wrong(struct work *w, const char *what, int error)
{
	char *text = error ? hb__format("%s: %s", what, strerror(error)) : hb__copy(what);
	hb__say_once(&w->said, text);
	free(text);
	return false;
}

static bool not_kept(struct work *w, int error)
{
	char *what = hb__format(
		"how far events were written is not kept, and they would be written again when hbdb journal begins anew: %s",
		w->place.path);
	wrong(w, what, error);
	free(what);
	return false;
}

static bool write_event(struct work *w, const hb_told *told)
{
	size_t size;
	char *entry = hb_journal_entry(told, &size);
	if (!entry)
		return wrong(w, "an entry of the journal", ENOMEM);
	bool sent = hb_journal_send(w->fd, entry, size);
	int error = errno;
	free(entry);
	if (sent)
		hb_place_told(&w->place, told->event, told->time);
	if (sent)
		return true;
	close(w->fd);
	w->fd = -1;
	return wrong(w, w->socket, error);
}

/* Writes what is new. False: not all of it, and why has been said; it is tried again. */
static bool write_new(struct work *w)
{
	hb_told told;
	int there = 0;
	if (!hb_reader_look(w->reader))
		return wrong(w, hb_reader_why(w->reader), 0);
	if (!hb_place_check(&w->place, w->reader))
		return wrong(w, hb_reader_why(w->reader), 0);
	if (w->fd < 0 && (w->fd = hb_journal_open(w->socket)) < 0)
		return wrong(w, w->socket, errno);
	while (!hb__told_to_end() && (there = hb_reader_event(w->reader, w->place.event, true, &told)) > 0) {
		bool written = write_event(w, &told);
		hb_told_free(&told);
		if (!written)
			return false;
		hb__moves(0);
	}
	if (there < 0)
		return wrong(w, hb_reader_why(w->reader), 0);
	if (!hb_place_keep(&w->place))
		return not_kept(w, errno);
	hb__say_once(&w->said, "");
	return true;
}

int hb__journal(const hb_args *args)
{
	const char *path = hb__option_value(args, "socket");
	struct work w = {.socket = path ? path : HB_JOURNAL, .fd = -1};
	char *database = hb__where_database(hb__option_value(args, "database"));
	char *place = hb__where_state(hb__option_value(args, "place"), "journal.place");
	int code = database && place && (w.reader = hb_reader_new(database)) ? 0 : HB_EXIT_USAGE;
	if (!code && !hb_place_open(&w.place, place))
		code = hb__fail_with(HB_EXIT_USAGE, "%s: %s", place,
			errno == EINVAL
				? "this is no file of hbdb journal; without it the events from now on are written"
				: strerror(errno));
	hb__stay();
	while (!code && !hb__told_to_end()) {
		write_new(&w);
		poll(NULL, 0, hb__moves(PAUSE_MS));
	}
	if (w.fd >= 0)
		close(w.fd);
	hb_reader_free(w.reader);
	free(w.said);
	free(database);
	free(place);
	return code;
}
