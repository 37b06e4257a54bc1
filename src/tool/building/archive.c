/* Archives of objects, as ar makes them: common ones and thin ones (ar(5); the long names of GNU). */
#include <ar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "building.h"

#define THIN "!<thin>\n"

bool hb__is_archive(hb_bytes file)
{
	return file.n >= SARMAG && (!memcmp(file.at, ARMAG, SARMAG) || !memcmp(file.at, THIN, SARMAG));
}

void hb__archive_free(hb_member *member, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(member[i].name);
		hb__bytes_free(&member[i].bytes);
	}
	free(member);
}

/* "name/", or "/123": from there to the next "/\n" of the table of long names. */
static char *name_of(const struct ar_hdr *h, hb_bytes names)
{
	char text[sizeof h->ar_name + 1] = "";
	memcpy(text, h->ar_name, sizeof h->ar_name);
	if (*text != '/')
		return hb__format("%.*s", (int)strcspn(text, "/ "), text);
	size_t at = strtoul(text + 1, NULL, 10), end = at;
	while (end < names.n && names.at[end] != '\n')
		end++;
	if (at >= names.n)
		return hb__copy("");
	if (end > at && names.at[end - 1] == '/')
		end--;
	return hb__format("%.*s", (int)(end - at), names.at + at);
}

/* A member of a thin archive is a file, named from the archive's folder. */
static bool thin_member(const char *archive, hb_member *m)
{
	const char *slash = *m->name == '/' ? NULL : strrchr(archive, '/');
	char *path = hb__format("%.*s%s", slash ? (int)(slash + 1 - archive) : 0, archive, m->name);
	bool good = hb__bytes_read(path, &m->bytes);
	free(path);
	return good;
}

bool hb__archive_members(const char *path, hb_bytes archive, hb_member **ret_member, size_t *ret_n)
{
	bool thin = !memcmp(archive.at, THIN, SARMAG);
	hb_bytes names = {0};
	hb_member *member = NULL;
	size_t n = 0;
	for (size_t at = SARMAG; archive.n - at >= sizeof(struct ar_hdr);) {
		const struct ar_hdr *h = (const void *)(archive.at + at);
		char digits[sizeof h->ar_size + 1] = "";
		memcpy(digits, h->ar_size, sizeof h->ar_size);
		size_t bytes = strtoul(digits, NULL, 10), within = archive.n - at - sizeof *h;
		bool table = h->ar_name[0] == '/' && (h->ar_name[1] < '0' || h->ar_name[1] > '9');
		if (memcmp(h->ar_fmag, ARFMAG, 2) || ((table || !thin) && bytes > within))
			goto damaged;
		at += sizeof *h;
		hb_bytes here = {archive.at + at, bytes};
		if (table || !thin)
			at += bytes + bytes % 2 < within ? bytes + bytes % 2 : within;
		if (table && h->ar_name[1] == '/')
			names = here;
		if (table)
			continue;
		member = hb__resize(member, (n + 1) * sizeof *member);
		member[n] = (hb_member){.name = name_of(h, names)};
		if (thin && !thin_member(path, &member[n++]))
			goto damaged;
		if (thin)
			continue;
		member[n].bytes = (hb_bytes){hb__alloc(bytes + 1), bytes};
		memcpy(member[n++].bytes.at, here.at, bytes);
	}
	*ret_member = member;
	*ret_n = n;
	return true;
damaged:
	hb__archive_free(member, n);
	return false;
}
