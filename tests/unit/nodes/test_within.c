/* The file of a node: written, listed, opened within, cut and damaged at every byte. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "format/internal.h"
#include "format/within/within.h"

static void put(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n)
		abort();
	close(fd);
}

static size_t get(const char *path, uint8_t *bytes, size_t most)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, most);
	if (n < 0)
		abort();
	close(fd);
	return (size_t)n;
}

static const char *const names[] = {"rank.0.log", "rank.1.17.log", "rank.1.17.data"};
static const char *const contents[] = {"the first file\n", "", "bytes\0 with a null"};
static const size_t lengths[] = {15, 0, 18};

static void make(const char *path)
{
	hb_within_writer w;
	hb_error err;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	hb_within_begin(&w, fd, "a-node");
	for (int i = 0; i < 3; i++) {
		put(check_path("one"), contents[i], lengths[i]);
		hb_within_add(&w, check_path("one"), names[i]);
	}
	check(!hb_within_end(&w, &err), "a file of a node is written");
	close(fd);
}

static bool holds(const char *path, int i)
{
	hb_mapped m;
	hb_error err;
	char *inner;
	if (asprintf(&inner, "%s/%s", path, names[i]) < 0)
		abort();
	hb_status status = hb__map(inner, NULL, 0, &m, &err);
	bool same = lengths[i] ? !status && m.bytes == lengths[i] && !memcmp(m.at, contents[i], lengths[i])
			       : status == HB_E_DAMAGED;
	hb__unmap(&m);
	free(inner);
	return same;
}

static void whole(const char *path)
{
	hb_within_list list;
	hb_error err;
	check(!hb_within_verify(path, &err), "it is whole");
	check(!hb_within_list_open(path, &list, &err) && list.n == 3 && !list.cut && !strcmp(list.node, "a-node"),
		"it lists three files and its node");
	for (size_t i = 0; i < list.n; i++)
		check(!strcmp(list.at[i].name, names[i]) && list.at[i].bytes == lengths[i] &&
				list.at[i].offset % 8 == 0 && holds(path, (int)i),
			"%s has its name, place and bytes", names[i]);
	hb_within_list_close(&list);
	char *none;
	if (asprintf(&none, "%s/rank.7.log", path) < 0)
		abort();
	check(!hb_within_exists(none) && !hb_within_bytes(none), "one that is not in it does not exist");
	free(none);
}

/* Cut at every byte: what stands whole before the cut is found; nothing crashes, and a cut is never whole. */
static void cuts(const char *path)
{
	uint8_t bytes[4096];
	size_t n = get(path, bytes, sizeof bytes);
	int wrong = 0, found = 0;
	for (size_t cut = 0; cut < n; cut++) {
		const char *part = check_path("cut.hbn");
		hb_within_list list;
		hb_error err;
		put(part, bytes, cut);
		wrong += !hb_within_verify(part, &err);
		if (!hb_within_list_open(part, &list, &err)) {
			wrong += !list.cut;
			for (size_t i = 0; i < list.n; i++) {
				bool complete = list.at[i].bytes == lengths[i];
				wrong += strcmp(list.at[i].name, names[i]) != 0 ||
					 (complete && lengths[i] && !holds(part, (int)i));
				found += complete;
			}
			hb_within_list_close(&list);
		}
	}
	check(!wrong && found > (int)n, "cut at each of %zu bytes: %d wrong, %d files found whole", n, wrong, found);
}

/* Each byte changed: it is noticed, unless it is one that only fills. */
static void damage(const char *path)
{
	uint8_t bytes[4096];
	size_t n = get(path, bytes, sizeof bytes), unnoticed = 0;
	for (size_t i = 0; i < n; i++) {
		const char *part = check_path("bad.hbn");
		hb_within_list list;
		hb_error err;
		bytes[i] ^= 0x41;
		put(part, bytes, n);
		unnoticed += !hb_within_verify(part, &err);
		if (!hb_within_list_open(part, &list, &err))
			hb_within_list_close(&list);
		bytes[i] ^= 0x41;
	}
	/* the name of the node, the heads that the index stands for, what fills */
	size_t spare = 6 + 3 * 24 + strlen(names[0]) + strlen(names[1]) + strlen(names[2]) + 8 * 8;
	check(unnoticed <= spare, "each of %zu bytes changed: %zu not noticed, at most %zu may be", n, unnoticed,
		spare);
}

int main(void)
{
	char *path = strdup(check_path("node.hbn"));
	make(path);
	whole(path);
	cuts(path);
	damage(path);
	put(check_path("plain.log"), "x", 1);
	check(hb_within_exists(check_path("plain.log")) && hb_within_bytes(check_path("plain.log")) == 1,
		"a file of its own is one, too");
	free(path);
	check_clean();
	return check_end();
}
