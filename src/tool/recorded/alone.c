/* One process of a recording by itself. */
#include "alone.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <hbdb/data.h>

#include "../show/inert.h"
#include "../store/replayed/folder.h"
#include "system/platforms/platform.h"

#define BEGINNING ((uint64_t)1 << 20) /* bytes of the raw form */

extern char **environ;

/* The bytes of a piece as a text, NUL behind it. NULL: they cannot be read. */
static char *text_of(hb_data *data, const hb_data_item *item, uint32_t what, uint64_t *ret_bytes)
{
	for (uint32_t i = 0; i < item->pieces; i++) {
		const hb_data_piece *p = &item->piece[i];
		if (p->what != what)
			continue;
		char *text = hb__alloc((size_t)p->bytes + 1);
		*ret_bytes = p->bytes;
		if (!hb_data_read(data, p, 0, p->bytes, text, NULL))
			return text;
		free(text);
		break;
	}
	return NULL;
}

static bool take_command(hb_data *data, const hb_data_item *item, hb_manifest *m)
{
	uint64_t n = 0, length = 0, other = 0;
	char *arguments = text_of(data, item, 1, &n), *folder = text_of(data, item, 2, &length),
	     *program = text_of(data, item, 3, &other);
	if (arguments && n) {
		hb__strings_free(&m->command);
		for (uint64_t at = 0; at < n; at += strlen(arguments + at) + 1)
			hb__push(&m->command, arguments + at);
	}
	if (folder && length) {
		free(m->folder);
		m->folder = hb__copy(folder);
	}
	/* the job's command was a script, perhaps: what is known of that file says nothing of this process's */
	if (program && m->program.path && strcmp(program, m->program.path)) {
		free(m->program.path);
		m->program = (hb_program_digest){0};
	}
	bool good = arguments && n;
	free(arguments);
	free(folder);
	free(program);
	return good;
}

/* In which of the file's threads it stands is not known. */
static bool find_command(hb_data *data, hb_manifest *m)
{
	uint64_t thread, items;
	bool found = false;
	for (uint32_t i = 0; !found && !hb_data_thread(data, i, &thread, &items); i++) {
		hb_data_cursor *cursor;
		hb_data_item item;
		if (hb_data_cursor_open(data, thread, 0, &cursor, NULL))
			continue;
		while (!found && hb_data_cursor_next(cursor, &item, NULL) == 1)
			if (item.name && !strcmp(item.name, "process:command"))
				found = take_command(data, &item, m);
		hb_data_cursor_close(cursor);
	}
	return found;
}

/* Most have it in the beginning: what they read before MPI_Init stands before it. */
static bool command_of(const char *path, hb_manifest *m)
{
	hb_data *data;
	bool found = false;
	if (!hb_data_open_beginning(path, BEGINNING, &data, NULL)) {
		found = find_command(data, m);
		hb_data_close(data);
	}
	if (!found && !hb_data_open(path, &data, NULL)) {
		found = find_command(data, m);
		hb_data_close(data);
	}
	return found;
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* What stands in front of the program in the command that was recorded, when that is this runner; NULL: it is not. */
static char **recorded_runner(const hb_strings *recorded, const char *runner, const char *program)
{
	if (!recorded->n || strcmp(file_of(recorded->at[0]), runner))
		return NULL;
	for (size_t i = 1; i < recorded->n; i++)
		if (!strcmp(file_of(recorded->at[i]), file_of(program))) {
			char **words = hb__alloc((i + 1) * sizeof *words);
			for (size_t k = 0; k < i; k++)
				words[k] = hb__copy(recorded->at[k]);
			return words;
		}
	return NULL;
}

/* A program of another processor is begun by what runs such programs: as it was recorded, or as its platform says. */
static int put_runner(const hb_processor *processor, const hb_strings *recorded, hb_manifest *m)
{
	struct utsname here;
	if (!processor || (!uname(&here) && !strncmp(here.machine, processor->name, strlen(processor->name))))
		return 0;
	char why[HB_PLATFORM_WHY], **names = hb_platform_names(), **words = NULL;
	for (char **n = names; n && *n && !words; n++) {
		hb_platform *p = hb_platform_load(*n, why);
		if (p && p->runner && p->processor && !strcmp(p->processor, processor->name)) {
			words = recorded_runner(recorded, p->runner, m->command.at[0]);
			const char *const nothing[] = {NULL};
			words = words ? words : hb_platform_words(p->start, NULL, nothing, why);
		}
		hb_platform_free(p);
	}
	hb_platform_words_free(names);
	if (!words)
		return hb__fail_with(HB_EXIT_USAGE,
			"%s is a program for %s, and no platform says what runs it: give the command after the name, as in NAME -- qemu-%s COMMAND",
			hb__tame(m->command.at[0]), processor->name, processor->name);
	hb_strings all = {0};
	for (char **w = words; w && *w; w++)
		hb__push(&all, *w);
	hb_platform_words_free(words);
	for (size_t i = 0; i < m->command.n; i++)
		hb__push(&all, m->command.at[i]);
	hb__strings_free(&m->command);
	m->command = all;
	return 0;
}

int hb__alone_command(const char *recording, const char *name, hb_manifest *m, bool *ret_found)
{
	hb_logs logs;
	int code = hb__open_logs(recording, &logs);
	*ret_found = false;
	if (!code && m->layers & HB_LAYER_SOCKETS && !(m->level && !strcmp(m->level, "data")))
		code = hb__fail_with(HB_EXIT_USAGE,
			"the recording does not have what came into %s%s over sockets and pipes: record with --level data to replay it alone",
			hb_rank_word(name), name);
	for (size_t i = 0; !code && !*ret_found && logs.worlds.name && i < logs.n; i++) {
		size_t begins = i;
		if (strcmp(logs.worlds.name[i], name))
			continue;
		/* one that fork made is had by running the one that forked */
		for (size_t of; (of = hb__forked_from(&logs, begins)) < logs.n;)
			begins = of;
		char *path = hb_data_path(logs.at[begins].path);
		hb_strings recorded = m->command;
		m->command = (hb_strings){0};
		*ret_found = path && command_of(path, m);
		if (*ret_found)
			code = put_runner(hb_log_processor(logs.at[begins].log), &recorded, m);
		else
			m->command = recorded, recorded = (hb_strings){0};
		hb__strings_free(&recorded);
		free(path);
	}
	hb__close_logs(&logs);
	return code; /* what is missing is said where the contents are unpacked */
}

int hb__alone_talks(const hb_manifest *m, const char *name)
{
	bool data = m->level && !strcmp(m->level, "data");
	return data || !(hb__manifest_layers(m) & HB_LAYER_SOCKETS)
		       ? 0
		       : hb__fail_with(HB_EXIT_USAGE,
				 "the recording does not have what came into %s%s over sockets and pipes: record with --level data to replay it alone",
				 hb_rank_word(name), name);
}

void hb__put_under(const char *tool, char *const *command, hb_strings *ret)
{
	*ret = (hb_strings){0};
	char *words = hb__copy(tool), *next = words;
	for (char *word; (word = strsep(&next, " "));)
		if (*word)
			hb__push(ret, word);
	free(words);
	for (; command && *command; command++)
		hb__push(ret, *command);
}

static bool of_launcher(const char *variable)
{
	static const char *const begins[] = {
		"OMPI_", "PMIX_", "PMI_", "PRTE_", "ORTE_", "HYDRA_", "HYDI_", "MPI_LOCAL", "SLURM_", "MPIEXEC_"};
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (!strncmp(variable, begins[i], strlen(begins[i])))
			return true;
	return false;
}

void hb__alone_environment(void)
{
	for (char **v = environ; v && *v;) {
		char *name = hb__copy(*v);
		name[strcspn(name, "=")] = 0;
		if (of_launcher(name) && !unsetenv(name))
			v = environ; /* the others have moved */
		else
			v++;
		free(name);
	}
}
