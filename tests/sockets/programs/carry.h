/* What the programs of this folder share: bytes that say themselves who sent them, and the file of truth.
 *
 * A sender cuts what it sends into blocks. Each begins with a header: the channel, made of who sends - a number of its own of each process, or
 * thread, that is the same in every run, so that a replay sends the same - and a number that it counts, the place of the block in the channel, and its length; what follows is filler that can be computed from these. Who receives knows from
 * the bytes alone whose they are, whichever way they took, and sees every byte that is another one.
 *
 * With TRUTH=FILE in the environment each call that moved bytes appends a line, in the order of the calls of its thread:
 *   out PID TID stream|datagram BYTES CHANNEL AT    it sent the bytes [AT, AT + BYTES) of CHANNEL
 *   in PID TID stream|datagram BYTES WAY FROM       it received the bytes [FROM, FROM + BYTES) that came this way (- 0: a datagram of no bytes)
 *   is WAY FROM BYTES CHANNEL AT                    these bytes are [AT, AT + BYTES) of CHANNEL
 * The file is opened for each piece of text that is appended to it: some of the programs close all their descriptors. */
#ifndef CARRY_H
#define CARRY_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct header {
	uint32_t magic, who, number, length;
	uint64_t at;
};

enum { HEADER = sizeof(struct header), MAGIC = 0x6862c0de };

struct carry { /* what one sender sends */
	uint32_t who, number;
	uint64_t at;
};

struct way { /* what one receiver receives */
	uint32_t who, number;
	uint64_t at; /* so many bytes came */
	struct header now;
	uint32_t had; /* bytes of the block `now` that came */
};

#define STREAM "stream"
#define DATAGRAM "datagram"

static pthread_mutex_t truth_lock = PTHREAD_MUTEX_INITIALIZER;
static char truth_text[1 << 16];
static size_t truth_bytes;
static _Thread_local uint32_t carry_who, channels_made;
static pid_t truth_of; /* whose the text is: a child that was forked has none */

static void give_up(const char *what)
{
	fprintf(stderr, "%s: %s (errno %d)\n", what, strerror(errno), errno);
	_exit(4);
}

/* Before _exit and exec, where nobody else does it. */
static inline void truth_flush(void)
{
	const char *path = getenv("TRUTH");
	if (truth_bytes && truth_of == getpid() && path) {
		int saved = errno, fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0 || write(fd, truth_text, truth_bytes) != (ssize_t)truth_bytes)
			give_up(path);
		close(fd);
		errno = saved;
	}
	truth_bytes = 0;
}

static void truth_line(const char *word, const char *kind, uint64_t bytes, uint32_t who, uint32_t number, uint64_t at)
{
	if (!getenv("TRUTH"))
		return;
	pthread_mutex_lock(&truth_lock);
	if (truth_of != getpid()) {
		if (!truth_of)
			atexit(truth_flush);
		truth_bytes = 0;
		truth_of = getpid();
	}
	char *to = truth_text + truth_bytes;
	size_t room = sizeof truth_text - truth_bytes;
	int n = who ? snprintf(to, room, "%s %d %d %s %llu %u.%u %llu\n", word, getpid(), gettid(), kind,
			      (unsigned long long)bytes, who, number, (unsigned long long)at)
		    : snprintf(to, room, "%s %d %d %s 0 - 0\n", word, getpid(), gettid(), kind);
	truth_bytes += (size_t)n;
	if (truth_bytes > sizeof truth_text - 256)
		truth_flush();
	pthread_mutex_unlock(&truth_lock);
}

static void truth_is(const struct way *w, uint64_t from, uint64_t bytes, uint64_t at)
{
	if (!getenv("TRUTH"))
		return;
	pthread_mutex_lock(&truth_lock);
	truth_bytes += (size_t)snprintf(truth_text + truth_bytes, sizeof truth_text - truth_bytes,
		"is %u.%u %llu %llu %u.%u %llu\n", w->who, w->number, (unsigned long long)from,
		(unsigned long long)bytes, w->now.who, w->now.number, (unsigned long long)at);
	if (truth_bytes > sizeof truth_text - 256)
		truth_flush();
	pthread_mutex_unlock(&truth_lock);
}

/* Who this process, or thread, is from here on: nobody else may be the same. */
static inline void carry_as(uint32_t who)
{
	carry_who = who;
	channels_made = 0;
}

static inline struct carry carry_begin(void)
{
	if (!carry_who)
		give_up("carry_as was not called");
	return (struct carry){carry_who, ++channels_made, 0};
}

static inline struct way way_begin(void)
{
	if (!carry_who)
		give_up("carry_as was not called");
	return (struct way){.who = carry_who, .number = ++channels_made};
}

static unsigned char filler(const struct header *h, uint32_t i)
{
	return (unsigned char)((h->who * 31 + h->number * 7 + (h->at + i) * 13) >> 2);
}

/* The next block of `n` bytes, HEADER or more. Returns its place in the channel. */
static inline uint64_t carry_block(struct carry *c, void *buf, size_t n)
{
	struct header h = {MAGIC, c->who, c->number, (uint32_t)n, c->at};
	memcpy(buf, &h, HEADER);
	for (uint32_t i = HEADER; i < n; i++)
		((unsigned char *)buf)[i] = filler(&h, i);
	c->at += n;
	return h.at;
}

static inline void told_out(const char *kind, const struct carry *c, uint64_t at, ssize_t n)
{
	if (n > 0)
		truth_line("out", kind, (uint64_t)n, c->who, c->number, at);
	else if (!n && !strcmp(kind, DATAGRAM))
		truth_line("out", kind, 0, 0, 0, 0);
}

static void wrong_byte(const struct way *w, const char *why)
{
	fprintf(stderr, "process %d: byte %llu of what came is wrong: %s\n", getpid(), (unsigned long long)w->at, why);
	truth_flush();
	_exit(3);
}

/* So many bytes came in one call. */
static inline void told_in(const char *kind, struct way *w, const void *buf, ssize_t n)
{
	const unsigned char *byte = buf;
	if (n < 0 || (!n && strcmp(kind, DATAGRAM) != 0))
		return;
	if (!strcmp(kind, DATAGRAM))
		w->had = 0;
	truth_line("in", kind, (uint64_t)n, n ? w->who : 0, w->number, w->at);
	while (n > 0) {
		uint32_t from = w->had < HEADER ? 0 : w->had;
		uint64_t began = w->at + from - w->had; /* the header is told when it is whole */
		while (n > 0 && w->had < HEADER) {
			((unsigned char *)&w->now)[w->had++] = *byte++;
			w->at++, n--;
		}
		if (w->had < HEADER)
			return;
		if (w->now.magic != MAGIC || w->now.length < HEADER)
			wrong_byte(w, "no header of a block");
		while (n > 0 && w->had < w->now.length) {
			if (*byte++ != filler(&w->now, w->had++))
				wrong_byte(w, "the filler is another one");
			w->at++, n--;
		}
		truth_is(w, began, w->had - from, w->now.at + from);
		if (w->had == w->now.length)
			w->had = 0;
	}
}

/* All bytes of one end came: none may be missing from the last block. */
static inline void way_ends(const struct way *w)
{
	if (w->had)
		wrong_byte(w, "the stream ended within a block");
}

/* Reproducible random numbers, for what is to be the same in every run. */
static inline uint32_t chance(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33) % below;
}

/* A pause that is another one in every run. */
static inline void pause_for_chance(uint32_t microseconds)
{
	uint32_t r;
	if (!microseconds)
		return;
	if (syscall(SYS_getrandom, &r, sizeof r, 0) != sizeof r)
		give_up("getrandom");
	usleep(r % microseconds);
}

#endif
