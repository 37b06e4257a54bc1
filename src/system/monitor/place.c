/* The place: a file with the number and the time of an event. By the time one sees that a database is another one: its numbers begin anew. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place.h"

bool hb_place_open(hb_place *p, const char *path)
{
	char text[64] = "", end;
	*p = (hb_place){.path = path, .event = -1};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT;
	ssize_t n = read(fd, text, sizeof text - 1);
	int error = errno;
	close(fd);
	errno = n < 0 ? error : EINVAL;
	return n > 0 && sscanf(text, "%" SCNd64 " %" SCNd64 "%c", &p->event, &p->time, &end) == 3 && end == '\n' &&
	       p->event >= 0;
}

static bool replace(const hb_place *p)
{
	char text[64], new[4096];
	int n = snprintf(text, sizeof text, "%" PRId64 " %" PRId64 "\n", p->event, p->time);
	if (snprintf(new, sizeof new, "%s.new", p->path) >= (int)sizeof new) {
		errno = ENAMETOOLONG;
		return false;
	}
	int fd = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	bool whole = write(fd, text, (size_t)n) == n;
	int error = whole ? 0 : errno;
	if (close(fd) || !whole || rename(new, p->path)) {
		errno = error ? error : errno;
		return false;
	}
	return true;
}

bool hb_place_keep(hb_place *p)
{
	p->unwritten = p->unwritten && !replace(p);
	return !p->unwritten;
}

/* A disk that is full must not have an event told again and again, nor hold up those behind it. */
void hb_place_told(hb_place *p, int64_t event, int64_t time)
{
	p->event = event;
	p->time = time;
	p->unwritten = true;
	hb_place_keep(p);
}

static const char last_sql[] = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'event'), 0)";

bool hb_place_check(hb_place *p, hb_reader *r)
{
	hb_told told;
	if (p->opened == hb_reader_opened(r))
		return true;
	int64_t last = hb_reader_number(r, last_sql, -1);
	if (last < 0)
		return false;
	if (p->event < 0) {
		int there = last ? hb_reader_event(r, last, false, &told) : 0;
		if (there < 0)
			return false;
		int64_t time = there ? told.time : 0;
		hb_told_free(there ? &told : &(hb_told){0});
		hb_place_told(p, last, time);
	} else {
		int there = p->event && p->event <= last ? hb_reader_event(r, p->event, false, &told) : 0;
		if (there < 0)
			return false;
		/* a number that is not there was removed after a time, and means nothing */
		bool other = p->event > last || (there && told.time != p->time);
		hb_told_free(there ? &told : &(hb_told){0});
		if (other)
			hb_place_told(p, 0, 0);
	}
	p->opened = hb_reader_opened(r);
	return true;
}
