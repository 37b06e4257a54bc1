/* Which MPI library a program file asks for: DT_NEEDED, followed through the
 * libraries as the loader would find them. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls/meaning.h"
#include "family.h"

#define LIBRARIES_MAX 600 /* programs with more are not searched to the end */

const char *hb__mpi_name(hb_mpi mpi)
{
	return mpi == HB_MPI_OPENMPI ? "Open MPI" : mpi == HB_MPI_MPICH ? "MPICH" : "an unknown MPI";
}

const char *hb__mpi_key(hb_mpi mpi)
{
	return mpi == HB_MPI_OPENMPI ? "openmpi" : mpi == HB_MPI_MPICH ? "mpich" : "unknown";
}

hb_mpi hb__mpi_from_key(const char *key)
{
	return !key                      ? HB_MPI_UNKNOWN
	       : !strcmp(key, "openmpi") ? HB_MPI_OPENMPI
	       : !strcmp(key, "mpich")   ? HB_MPI_MPICH
					 : HB_MPI_UNKNOWN;
}

static bool is_program(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *hb__find_program(const char *name)
{
	if (strchr(name, '/'))
		return is_program(name) ? hb__copy(name) : NULL;
	const char *path = getenv("PATH");
	path = path ? path : "/usr/local/bin:/usr/bin:/bin";
	for (const char *p = path, *end; *name && p; p = *end ? end + 1 : NULL) {
		end = strchrnul(p, ':');
		char *full = end == p ? hb__format("./%s", name) : hb__format("%.*s/%s", (int)(end - p), p, name);
		if (is_program(full))
			return full;
		free(full);
	}
	return NULL;
}

/* What is still to be searched, and where. */
struct search {
	hb_strings libraries; /* names needed so far; each once */
	hb_strings paths;     /* of the file that needed it: its $ORIGIN and run path count */
	hb_strings folders;   /* of the system */
};

static void folders_from_conf(hb_strings *folders, const char *conf, int depth)
{
	char line[1024], word[1024];
	FILE *f = depth < 4 ? fopen(conf, "r") : NULL;
	while (f && fgets(line, sizeof line, f)) {
		if (line[0] == '/' && sscanf(line, "%1023[^ \t\n#]", word) == 1)
			hb__push(folders, word);
		else if (sscanf(line, "include %1023s", word) == 1 && !strcmp(word, "/etc/ld.so.conf.d/*.conf")) {
			FILE *list = popen("ls /etc/ld.so.conf.d/*.conf 2>/dev/null", "r");
			while (list && fgets(word, sizeof word, list)) {
				word[strcspn(word, "\n")] = 0;
				folders_from_conf(folders, word, depth + 1);
			}
			if (list)
				pclose(list);
		}
	}
	if (f)
		fclose(f);
}

static void add_path_list(hb_strings *folders, const char *list, const char *origin)
{
	for (const char *p = list, *end; p && *p; p = *end ? end + 1 : NULL) {
		end = strpbrk(p, ":;");
		end = end ? end : p + strlen(p);
		char *one = hb__format("%.*s", (int)(end - p), p);
		char *at = strstr(one, "$ORIGIN");
		size_t skip = 7;
		if (!at && (at = strstr(one, "${ORIGIN}")))
			skip = 9;
		char *full = at ? hb__format("%.*s%s%s", (int)(at - one), one, origin, at + skip) : hb__copy(one);
		if (*full)
			hb__push(folders, full);
		free(full);
		free(one);
	}
}

static void need(struct search *s, const char *name, const char *run_path)
{
	for (size_t i = 0; i < s->libraries.n; i++)
		if (!strcmp(s->libraries.at[i], name))
			return;
	if (s->libraries.n >= LIBRARIES_MAX)
		return;
	hb__push(&s->libraries, name);
	hb__push(&s->paths, run_path);
}

static void read_dynamic(struct search *s, Elf *elf, const char *path)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	char real[PATH_MAX], *run_path = hb__copy("");
	snprintf(real, sizeof real, "%s", path);
	char *slash = strrchr(real, '/');
	if (slash)
		*slash = 0;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		size_t n = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
		GElf_Dyn dyn;
		for (int pass = 0; pass < 2; pass++)
			for (size_t i = 0; i < n && gelf_getdyn(data, (int)i, &dyn); i++) {
				const char *text = elf_strptr(elf, header.sh_link, dyn.d_un.d_val);
				if (!pass && text && (dyn.d_tag == DT_RPATH || dyn.d_tag == DT_RUNPATH)) {
					hb_strings folders = {0};
					add_path_list(&folders, text, slash ? real : ".");
					for (size_t k = 0; k < folders.n; k++) {
						char *more = hb__format("%s%s:", run_path, folders.at[k]);
						free(run_path);
						run_path = more;
					}
					hb__strings_free(&folders);
				} else if (pass && text && dyn.d_tag == DT_NEEDED)
					need(s, text, run_path);
			}
	}
	free(run_path);
}

/* Whether the file calls MPI_Session_init, but neither MPI_Init nor MPI_Init_thread. */
static bool only_sessions(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	bool sessions = false, init = false;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		GElf_Sym symbol;
		for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
			uint8_t does = name ? hb_meaning_of(name, HB_SPECIAL)->does : HB_DOES_NOTHING;
			sessions = sessions || does == HB_DOES_SESSION_INIT;
			init = init || does == HB_DOES_INIT;
		}
	}
	return sessions && !init;
}

/* Reads one file into the search. */
static bool read_elf(struct search *s, const char *path, hb_program *program)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	GElf_Ehdr header;
	bool ok = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header);
	if (ok && program) {
		size_t n = 0;
		GElf_Phdr segment;
		program->elf = true;
		program->is_static = true;
		program->sessions = only_sessions(elf);
		elf_getphdrnum(elf, &n);
		for (size_t i = 0; i < n; i++)
			if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
				program->is_static = false;
	}
	if (ok)
		read_dynamic(s, elf, path);
	elf_end(elf);
	close(fd);
	return ok;
}

static void follow(struct search *s, size_t i)
{
	hb_strings folders = {0};
	add_path_list(&folders, s->paths.at[i], "");
	const char *env = getenv("LD_LIBRARY_PATH");
	if (env)
		add_path_list(&folders, env, "");
	for (size_t k = 0; k < s->folders.n; k++)
		hb__push(&folders, s->folders.at[k]);
	for (size_t k = 0; k < folders.n; k++) {
		char *full = hb__format("%s/%s", folders.at[k], s->libraries.at[i]);
		bool found = read_elf(s, full, NULL);
		free(full);
		if (found)
			break;
	}
	hb__strings_free(&folders);
}

static void look_at_head(hb_program *program)
{
	char head[2] = {0};
	struct stat st;
	int fd = open(program->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		program->is_script = read(fd, head, 2) == 2 && head[0] == '#' && head[1] == '!';
		close(fd);
	}
	if (!stat(program->path, &st))
		program->is_privileged = (st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0;
}

void hb__look_at_program(const char *name, hb_program *ret)
{
	*ret = (hb_program){.path = hb__find_program(name)};
	if (!ret->path)
		return;
	look_at_head(ret);
	struct search s = {0};
	if (read_elf(&s, ret->path, ret)) {
		folders_from_conf(&s.folders, "/etc/ld.so.conf", 0);
		hb__push(&s.folders, "/lib64");
		hb__push(&s.folders, "/usr/lib64");
		hb__push(&s.folders, "/lib");
		hb__push(&s.folders, "/usr/lib");
	}
	for (size_t i = 0; i < s.libraries.n && !ret->mpi; i++) {
		ret->mpi = hb_mpi_library_of(s.libraries.at[i])->family;
		if (ret->mpi)
			snprintf(ret->library, sizeof ret->library, "%s", s.libraries.at[i]);
		else
			follow(&s, i);
	}
	for (size_t i = 0; i < s.libraries.n; i++)
		ret->sanitized = ret->sanitized || !strncmp(s.libraries.at[i], "libasan.so", 10);
	hb__strings_free(&s.libraries);
	hb__strings_free(&s.paths);
	hb__strings_free(&s.folders);
}
