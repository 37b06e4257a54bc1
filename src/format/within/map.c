/* Mapping a file by its path, also one within a node's file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/internal.h"
#include "format/within/within.h"

/* FILE.hbn/NAME: the length of FILE.hbn; 0: it is no such path. */
static size_t outer(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0, ending = strlen(HB_WITHIN_SUFFIX);
	return n > ending && !strncmp(path + n - ending, HB_WITHIN_SUFFIX, ending) ? n : 0;
}

/* Where NAME stands in FILE.hbn. *ret_file is to be freed, also when that failed. */
static hb_status find(const char *path, char **ret_file, hb_within *ret, hb_error *err)
{
	size_t n = outer(path);
	hb_within_list list;
	*ret_file = strndup(path, n);
	if (!*ret_file)
		return hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
	hb_status status = hb_within_list_open(*ret_file, &list, err);
	if (status)
		return status;
	status = HB_E_SYSTEM;
	for (size_t i = 0; i < list.n && status; i++)
		if (!strcmp(list.at[i].name, path + n + 1)) {
			*ret = list.at[i];
			ret->name = NULL;
			status = HB_OK;
		}
	hb_within_list_close(&list);
	errno = ENOENT;
	return status ? hb__fail(err, status, path, 0, "there is no %s in %s", path + n + 1, *ret_file) : HB_OK;
}

static bool is_within(const char *path)
{
	struct stat st;
	return outer(path) && stat(path, &st) && errno == ENOTDIR;
}

static hb_status map_from(const char *path, int fd, uint64_t offset, uint64_t bytes, hb_mapped *ret, hb_error *err)
{
	uint64_t skip = offset % (uint64_t)sysconf(_SC_PAGESIZE);
	if (!bytes)
		return hb__fail(err, HB_E_DAMAGED, path, 0, "%s is empty", path);
	void *p = mmap(NULL, (size_t)(bytes + skip), PROT_READ, MAP_SHARED, fd, (off_t)(offset - skip));
	if (p == MAP_FAILED)
		return hb__fail(err, HB_E_SYSTEM, path, 0, "cannot map %s", path);
	*ret = (hb_mapped){
		.at = (const uint8_t *)p + skip, .bytes = bytes, .fd = fd, .whole = p, .mapped = bytes + skip};
	return HB_OK;
}

static hb_status map_within(const char *path, void *head, size_t head_bytes, hb_mapped *ret, hb_error *err)
{
	char *file;
	hb_within place;
	hb_status status = find(path, &file, &place, err);
	int fd = status ? -1 : open(file, O_RDONLY | O_CLOEXEC);
	if (!status && fd < 0)
		status = hb__fail(err, HB_E_SYSTEM, path, 0, "cannot open %s", file);
	free(file);
	status = status ? status : map_from(path, fd, place.offset, place.bytes, ret, err);
	if (!status && head)
		memcpy(head, ret->at, place.bytes < head_bytes ? (size_t)place.bytes : head_bytes);
	if (fd >= 0)
		close(fd);
	ret->fd = -1;
	return status;
}

hb_status hb__map(const char *path, void *head, size_t head_bytes, hb_mapped *ret, hb_error *err)
{
	struct stat st;
	*ret = (hb_mapped){.fd = -1};
	if (is_within(path))
		return map_within(path, head, head_bytes, ret, err);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : head ? pread(fd, head, head_bytes, 0) : 0;
	hb_status status = HB_OK;
	if (got < 0 || fstat(fd, &st))
		status = hb__fail(err, HB_E_SYSTEM, path, 0, "cannot open %s", path);
	else if (!S_ISREG(st.st_mode))
		status = hb__fail(err, HB_E_FOREIGN, path, 0, "%s is not a file", path);
	else
		status = map_from(path, fd, 0, (uint64_t)st.st_size, ret, err);
	if (status && fd >= 0)
		close(fd);
	return status;
}

void hb__unmap(hb_mapped *m)
{
	if (m->whole)
		munmap(m->whole, m->mapped);
	if (m->fd >= 0)
		close(m->fd);
	*m = (hb_mapped){.fd = -1};
}

bool hb_within_exists(const char *path)
{
	hb_within place;
	char *file;
	if (!is_within(path))
		return !access(path, F_OK) || errno != ENOENT;
	hb_status status = find(path, &file, &place, NULL);
	free(file);
	return !status;
}

uint64_t hb_within_bytes(const char *path)
{
	hb_within place = {0};
	char *file;
	struct stat st;
	if (!is_within(path))
		return stat(path, &st) ? 0 : (uint64_t)st.st_size;
	hb_status status = find(path, &file, &place, NULL);
	free(file);
	return status ? 0 : place.bytes;
}

hb_status hb_within_copy(const char *from, const char *to, hb_error *err)
{
	hb_mapped m;
	struct hb__out out;
	hb_status status = hb__map(from, NULL, 0, &m, err);
	if (status == HB_E_DAMAGED) /* an empty file is one, too */
		status = HB_OK;
	status = status ? status : hb__out_open(&out, to, err);
	for (uint64_t at = 0, n; at < m.bytes && !status && !out.sys; at += n) {
		n = m.bytes - at < (1 << 20) ? m.bytes - at : 1 << 20;
		hb__bytes_put(&out.b, m.at + at, n);
		hb__out_flush(&out);
	}
	status = status ? status : hb__out_finish(&out, err);
	hb__unmap(&m);
	return status;
}
