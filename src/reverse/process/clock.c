/* What the recorder in the process counts: its clock, a data symbol, and the function that it calls at a chosen event. */
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../inside.h"

/* As the recorder has it (src/capture). */
typedef struct hb_alone_clock {
	uint64_t version, events, stop_at, cut, spare[4];
} hb_alone_clock;

/* The symbols of one file that is loaded at `base`. */
static void look_in(hb_reverse *r, Elf *elf, uint64_t base)
{
	GElf_Ehdr header;
	GElf_Shdr section;
	if (!gelf_getehdr(elf, &header))
		return;
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		if (!gelf_getshdr(s, &section) || (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB))
			continue;
		Elf_Data *data = elf_getdata(s, NULL);
		GElf_Sym symbol;
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, section.sh_link, symbol.st_name);
			uint64_t at = symbol.st_value + (header.e_type == ET_DYN ? base : 0);
			if (!name || symbol.st_shndx == SHN_UNDEF)
				continue;
			if (!strcmp(name, "hb_alone_clock"))
				r->clock = at;
			else if (!strcmp(name, "hb_alone_reached"))
				r->reached = at;
			else if (!strcmp(name, "hb_alone_look")) {
				r->look = at;
				r->look_end = at + symbol.st_size;
			}
		}
	}
}

void hb__find_clock(hb_reverse *r)
{
	char *maps;
	r->clock = r->reached = r->look = r->look_end = 0;
	elf_version(EV_CURRENT);
	if (!hb__maps(r->now.pid, &maps))
		return;
	char *save = NULL;
	for (char *line = strtok_r(maps, "\n", &save); line && !(r->clock && r->reached);
		line = strtok_r(NULL, "\n", &save)) {
		unsigned long long from, to, offset;
		char path[64];
		int n = 0;
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &from, &to, &offset, &n) < 3 || offset ||
			line[n] != '/')
			continue;
		/* by what is mapped, whatever has the name now */
		snprintf(path, sizeof path, "/proc/%d/map_files/%llx-%llx", (int)r->now.pid, from, to);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = open(line + n, O_RDONLY | O_CLOEXEC);
		Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
		if (elf)
			look_in(r, elf, from);
		elf_end(elf);
		if (fd >= 0)
			close(fd);
	}
	free(maps);
	hb_alone_clock clock;
	if (r->clock && (hb__read(&r->now, r->clock, &clock, sizeof clock) != sizeof clock || clock.version != 1)) {
		hb__note(r,
			"The recorder in the process counts its events in a way that this version of hbdb does not know: "
			"there are no events to go to.");
		r->clock = 0;
	}
	if (!r->clock || !r->reached)
		r->clock = r->reached = 0;
}

uint64_t hb__event(const hb_reverse *r, const hb_copy *c)
{
	uint64_t n = 0;
	if (r->clock && hb__read(c, r->clock + offsetof(hb_alone_clock, events), &n, sizeof n) != sizeof n)
		return 0;
	return n;
}

uint64_t hb__counter(const hb_reverse *r) { return r->clock + offsetof(hb_alone_clock, events); }

uint64_t hb__asked(const hb_reverse *r, const hb_copy *c)
{
	uint64_t event = 0;
	if (r->clock && hb__read(c, r->clock + offsetof(hb_alone_clock, stop_at), &event, sizeof event) != sizeof event)
		return 0;
	return event;
}

bool hb__cut(const hb_reverse *r, const hb_copy *c)
{
	uint64_t cut = 0;
	return r->clock && hb__read(c, r->clock + offsetof(hb_alone_clock, cut), &cut, sizeof cut) == sizeof cut && cut;
}

void hb__stop_at(const hb_reverse *r, const hb_copy *c, uint64_t event)
{
	/* before its library is loaded there is nothing to write to */
	if (r->clock)
		hb__write(c, r->clock + offsetof(hb_alone_clock, stop_at), &event, sizeof event);
}
