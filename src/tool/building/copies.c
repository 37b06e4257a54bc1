/* The section of an object that holds its instrumented copy: written, and read. Objects of 64 bits, least byte first. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "building.h"

#define PART_MAGIC "HBDBWTCH"

struct part {
	char magic[8];
	uint64_t bytes;
};

/* ---- files ---- */

bool hb__bytes_read(const char *path, hb_bytes *ret_bytes)
{
	struct stat st;
	*ret_bytes = (hb_bytes){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	ret_bytes->at = hb__alloc((size_t)st.st_size + 1);
	for (ssize_t n = 1; n > 0 && ret_bytes->n < (size_t)st.st_size;) {
		n = read(fd, ret_bytes->at + ret_bytes->n, (size_t)st.st_size - ret_bytes->n);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n > 0)
			ret_bytes->n += (size_t)n;
	}
	close(fd);
	if (ret_bytes->n == (size_t)st.st_size)
		return true;
	hb__bytes_free(ret_bytes);
	return false;
}

void hb__bytes_free(hb_bytes *bytes)
{
	free(bytes->at);
	*bytes = (hb_bytes){0};
}

bool hb__bytes_write(const char *path, const void *at, size_t n)
{
	FILE *f = fopen(path, "we");
	bool good = f && (!n || fwrite(at, n, 1, f) == 1);
	return (f ? !fclose(f) : false) && good;
}

/* ---- reading ---- */

/* The headers of the sections, which lie within the file and are aligned, as `file` itself is; NULL: it is no such object. Of
 * the copy of an object, which lies anywhere in its section, only the writer asks, when it is a file by itself. */
static Elf64_Shdr *sections_of(hb_bytes file, size_t *ret_n, size_t *ret_names)
{
	const Elf64_Ehdr *e = (const void *)file.at;
	if (file.n < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
		e->e_ident[EI_DATA] != ELFDATA2LSB || e->e_type != ET_REL || e->e_shentsize != sizeof(Elf64_Shdr) ||
		e->e_shoff % 8 || e->e_shoff > file.n || file.n - e->e_shoff < sizeof(Elf64_Shdr))
		return NULL;
	Elf64_Shdr *s = (void *)(file.at + e->e_shoff);
	/* what does not fit into the header stands in the first section */
	*ret_n = e->e_shnum ? e->e_shnum : s->sh_size;
	*ret_names = e->e_shstrndx == SHN_XINDEX ? s->sh_link : e->e_shstrndx;
	if (*ret_n > (file.n - e->e_shoff) / sizeof *s || *ret_names >= *ret_n)
		return NULL;
	const Elf64_Shdr *names = &s[*ret_names];
	return names->sh_offset <= file.n && names->sh_size <= file.n - names->sh_offset ? s : NULL;
}

bool hb__is_object(hb_bytes file)
{
	size_t n, names;
	return sections_of(file, &n, &names) != NULL;
}

hb_bytes hb__copy_section(hb_bytes object)
{
	size_t n, names;
	Elf64_Shdr *s = sections_of(object, &n, &names);
	for (size_t i = 0; s && i < n; i++) {
		size_t at = s[i].sh_name, room = s[names].sh_size;
		const char *name = (const char *)object.at + s[names].sh_offset + at;
		if (at < room && room - at >= sizeof HB_WATCHED_SECTION &&
			!memcmp(name, HB_WATCHED_SECTION, sizeof HB_WATCHED_SECTION) && s[i].sh_type == SHT_PROGBITS &&
			s[i].sh_offset <= object.n && s[i].sh_size <= object.n - s[i].sh_offset)
			return (hb_bytes){object.at + s[i].sh_offset, s[i].sh_size};
	}
	return (hb_bytes){0};
}

bool hb__copy_next(hb_bytes *section, hb_bytes *ret_object)
{
	struct part p;
	if (section->n < sizeof p)
		return false;
	memcpy(&p, section->at, sizeof p);
	if (memcmp(p.magic, PART_MAGIC, sizeof p.magic) || p.bytes > section->n - sizeof p)
		return false;
	*ret_object = (hb_bytes){section->at + sizeof p, p.bytes};
	section->at += sizeof p + p.bytes;
	section->n -= sizeof p + p.bytes;
	return true;
}

/* ---- writing ---- */

/* Behind the object's bytes: the section, the names with one more, the headers with one more. Only where these lie changes in its header. */
static bool put(FILE *f, hb_bytes object, hb_bytes copy)
{
	size_t n, at_names, at = object.n;
	Elf64_Shdr *s = sections_of(object, &n, &at_names);
	Elf64_Ehdr e = *(const Elf64_Ehdr *)object.at;
	Elf64_Shdr *made = hb__alloc((n + 1) * sizeof *made);
	struct part p = {PART_MAGIC, copy.n};
	memcpy(made, s, n * sizeof *made);
	size_t names = made[at_names].sh_size;
	made[n] = (Elf64_Shdr){.sh_name = (Elf64_Word)names,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_EXCLUDE,
		.sh_offset = at,
		.sh_size = sizeof p + copy.n,
		.sh_addralign = 1};
	made[at_names].sh_offset = at += made[n].sh_size;
	made[at_names].sh_size += sizeof HB_WATCHED_SECTION;
	at += made[at_names].sh_size;
	e.e_shoff = (at + 7) / 8 * 8;
	if (e.e_shnum && n + 1 < SHN_LORESERVE)
		e.e_shnum = (Elf64_Half)(n + 1);
	else {
		e.e_shnum = 0;
		made[0].sh_size = n + 1;
	}
	bool good = fwrite(&e, sizeof e, 1, f) == 1 && fwrite(object.at + sizeof e, object.n - sizeof e, 1, f) == 1 &&
		    fwrite(&p, sizeof p, 1, f) == 1 && fwrite(copy.at, copy.n, 1, f) == 1 &&
		    (!names || fwrite(object.at + s[at_names].sh_offset, names, 1, f) == 1) &&
		    fwrite(HB_WATCHED_SECTION, sizeof HB_WATCHED_SECTION, 1, f) == 1 &&
		    (at == e.e_shoff || fwrite("\0\0\0\0\0\0\0", e.e_shoff - at, 1, f) == 1) &&
		    fwrite(made, sizeof *made, n + 1, f) == n + 1;
	free(made);
	return good;
}

/* Into a file beside it that then takes its place: who reads the object sees the old one or the new one, and a cache that shares
 * the file with us keeps its own. */
static const char *replace(const char *path, hb_bytes object, hb_bytes copy)
{
	struct stat st;
	char *beside = hb__format("%s.hbdb-%d", path, (int)getpid());
	FILE *f = fopen(beside, "wxe");
	bool good = f && !stat(path, &st) && !fchmod(fileno(f), st.st_mode & 07777) && put(f, object, copy);
	good = (f ? !fclose(f) : false) && good && !rename(beside, path);
	if (!good && f)
		unlink(beside);
	free(beside);
	return good ? NULL : "its folder cannot be written, or is full";
}

const char *hb__copy_attach(const char *object, const char *copy)
{
	hb_bytes o = {0}, c = {0};
	const char *why = NULL;
	if (!hb__bytes_read(object, &o) || !hb__bytes_read(copy, &c))
		why = "it cannot be read";
	else if (!hb__is_object(o) || !hb__is_object(c))
		why = "it is no object file of 64 bits";
	else if (hb__copy_section(o).n)
		why = NULL; /* a compiler that calls us once more, as `hbdb cc hbdb cc` does */
	else
		why = replace(object, o, c);
	hb__bytes_free(&o);
	hb__bytes_free(&c);
	return why;
}
