/* Reading what is in the file of a node. */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/grow.h"
#include "format/internal.h"
#include "format/within/layout.h"
#include "format/within/within.h"

/* A name that stays within the recording, whoever wrote the file. */
static bool is_name(const uint8_t *p, uint64_t n)
{
	return n && n <= HB_WITHIN_NAME_MOST && !memchr(p, '/', n) && !memchr(p, 0, n) && p[0] != '.';
}

static bool add(hb_within_list *list, size_t *cap, const uint8_t *name, uint64_t n, hb_within file)
{
	if (!HB_GROW(list->at, *cap, list->n + 1))
		return false;
	file.name = strndup((const char *)name, n);
	if (!file.name)
		return false;
	list->at[list->n++] = file;
	return true;
}

static void drop_files(hb_within_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->at[i].name);
	free(list->at);
	list->at = NULL;
	list->n = 0;
}

/* The index that the end leads to. HB_E_DAMAGED: there is none that is whole. */
static hb_status by_index(const hb_mapped *m, hb_within_list *ret)
{
	struct hb__within_end end;
	struct hb__within_index index;
	size_t cap = 0;
	if (m->bytes < sizeof end + sizeof index)
		return HB_E_DAMAGED;
	uint64_t last = m->bytes - sizeof end;
	memcpy(&end, m->at + last, sizeof end);
	uint64_t at = le64toh(end.index);
	if (memcmp(end.magic, HB_WITHIN_END, sizeof end.magic) != 0 || at > last - sizeof index)
		return HB_E_DAMAGED;
	memcpy(&index, m->at + at, sizeof index);
	uint64_t bytes = le64toh(index.bytes);
	const uint8_t *entries = m->at + at + sizeof index;
	if (memcmp(index.magic, HB_WITHIN_INDEX, sizeof index.magic) != 0 || bytes > last - at - sizeof index ||
		XXH3_64bits(entries, bytes) != le64toh(index.sum))
		return HB_E_DAMAGED;
	struct hb__in in = {.p = entries, .end = entries + bytes};
	for (uint32_t i = 0; i < le32toh(index.files); i++) {
		struct hb__within_entry e;
		const uint8_t *p = hb__in_bytes(&in, sizeof e);
		if (!p)
			return HB_E_DAMAGED;
		memcpy(&e, p, sizeof e);
		uint64_t n = le32toh(e.name);
		const uint8_t *name = hb__in_bytes(&in, n);
		hb_within file = {.offset = le64toh(e.offset), .bytes = le64toh(e.bytes), .sum = le64toh(e.sum)};
		if (!name || !is_name(name, n) || file.offset > at || file.bytes > at - file.offset)
			return HB_E_DAMAGED;
		if (!add(ret, &cap, name, n, file))
			return HB_E_MEMORY;
	}
	return HB_OK;
}

/* Without an index: head by head, as far as they go. */
static hb_status by_heads(const hb_mapped *m, uint64_t at, hb_within_list *ret)
{
	size_t cap = 0;
	struct hb__within_head h;
	while (m->bytes - at >= sizeof h) {
		memcpy(&h, m->at + at, sizeof h);
		uint64_t n = le32toh(h.name), from = at + sizeof h;
		if (memcmp(h.magic, HB_WITHIN_FILE, sizeof h.magic) != 0 || n > m->bytes - from ||
			!is_name(m->at + from, n))
			break;
		hb_within file = {
			.offset = hb__within_next(from + n), .bytes = le64toh(h.bytes), .sum = le64toh(h.sum)};
		if (file.offset > m->bytes)
			break;
		bool cut = file.bytes > m->bytes - file.offset;
		file.bytes = cut ? m->bytes - file.offset : file.bytes;
		if (!add(ret, &cap, m->at + from, n, file))
			return HB_E_MEMORY;
		at = hb__within_next(file.offset + file.bytes);
		if (cut || at > m->bytes)
			break;
	}
	ret->cut = true;
	snprintf(ret->trouble, sizeof ret->trouble,
		"its index is missing or damaged; %zu files were found without it (offset %llu)", ret->n,
		(unsigned long long)(at < m->bytes ? at : m->bytes));
	return HB_OK;
}

static hb_status read_begin(const char *path, const hb_mapped *m, hb_within_list *ret, uint64_t *ret_at, hb_error *err)
{
	struct hb__within_begin b;
	if (m->bytes < sizeof b.magic || memcmp(m->at, HB_WITHIN_MAGIC, sizeof b.magic) != 0)
		return hb__fail(err, HB_E_FOREIGN, path, 0, "%s is not the file of a node", path);
	if (m->bytes < sizeof b)
		return hb__fail(err, HB_E_DAMAGED, path, m->bytes, "%s ends within its header", path);
	memcpy(&b, m->at, sizeof b);
	if (le32toh(b.version) != HB_WITHIN_VERSION)
		return hb__fail(err, HB_E_VERSION, path, 8, "%s has version %u, known is %u", path, le32toh(b.version),
			HB_WITHIN_VERSION);
	uint64_t n = le32toh(b.node);
	if (n > HB_WITHIN_NAME_MOST || hb__within_next(sizeof b + n) > m->bytes)
		return hb__fail(err, HB_E_DAMAGED, path, 12, "%s has no name of a node", path);
	ret->node = strndup((const char *)m->at + sizeof b, n);
	*ret_at = hb__within_next(sizeof b + n);
	return ret->node ? HB_OK : hb__fail(err, HB_E_MEMORY, path, 0, "out of memory");
}

static hb_status read_list(const char *path, const hb_mapped *m, hb_within_list *ret, hb_error *err)
{
	uint64_t at = 0;
	hb_status status = read_begin(path, m, ret, &at, err);
	if (status)
		return status;
	status = by_index(m, ret);
	if (status == HB_E_DAMAGED) {
		drop_files(ret);
		status = by_heads(m, at, ret);
	}
	return status ? hb__fail(err, status, path, 0, "out of memory") : HB_OK;
}

hb_status hb_within_list_open(const char *path, hb_within_list *ret, hb_error *err)
{
	hb_mapped m;
	*ret = (hb_within_list){0};
	hb_status status = hb__map(path, NULL, 0, &m, err);
	if (status)
		return status;
	status = read_list(path, &m, ret, err);
	hb__unmap(&m);
	if (status)
		hb_within_list_close(ret);
	return status;
}

void hb_within_list_close(hb_within_list *list)
{
	drop_files(list);
	free(list->node);
	*list = (hb_within_list){0};
}

hb_status hb_within_verify(const char *path, hb_error *err)
{
	hb_mapped m;
	hb_within_list list = {0};
	hb_status status = hb__map(path, NULL, 0, &m, err);
	if (status)
		return status;
	status = read_list(path, &m, &list, err);
	if (!status && list.cut)
		status = hb__fail(err, HB_E_DAMAGED, path, 0, "%s", list.trouble);
	for (size_t i = 0; i < list.n && !status; i++)
		if (XXH3_64bits(m.at + list.at[i].offset, list.at[i].bytes) != list.at[i].sum)
			status = hb__fail(err, HB_E_DAMAGED, path, list.at[i].offset,
				"the checksum of %s does not hold", list.at[i].name);
	hb_within_list_close(&list);
	hb__unmap(&m);
	return status;
}
