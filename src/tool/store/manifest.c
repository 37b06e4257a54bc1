/* manifest.json: written with cJSON when a run starts, and again when it has ended. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/growing/growing.h"
#include "logs.h"
#include "find.h"
#include "manifest.h"

#define MANIFEST_VERSION 1
#define MANIFEST_MAX (16u << 20) /* bytes; more is not a manifest */

void hb__manifest_node_free(hb_manifest_node *node)
{
	free(node->name);
	free(node->host);
	free(node->folder);
	free(node->slurm);
	*node = (hb_manifest_node){0};
}

void hb__manifest_free(hb_manifest *m)
{
	for (size_t i = 0; i < m->nnodes; i++)
		hb__manifest_node_free(&m->node[i]);
	free(m->node);
	hb__strings_free(&m->command);
	hb__strings_free(&m->environment);
	char *all[] = {m->id, m->version, m->folder, m->mpi, m->level, m->started, m->replay_of, m->program.path,
		m->imported_from, m->imported_file, m->imported_with, m->died_first, m->data_ranks, m->traced};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		free(all[i]);
	*m = (hb_manifest){0};
}

bool hb__manifest_has_calls(const hb_manifest *m)
{
	return !m->level || !strcmp(m->level, "events") || !strcmp(m->level, "data");
}

bool hb__manifest_has_inputs(const hb_manifest *m)
{
	return (m->level && !strcmp(m->level, "data")) || m->layers & HB_LAYER_INPUTS;
}

unsigned hb__manifest_layers(const hb_manifest *m)
{
	unsigned before = HB_LAYER_MPI | HB_LAYER_USER | HB_LAYER_THREADS;
	return m->layers ? m->layers : before | (hb__manifest_has_inputs(m) ? HB_LAYER_INPUTS : 0);
}

/* Variables that change how the program or MPI behaves; others may hold secrets. */
static bool matters(const char *variable)
{
	static const char *const begin[] = {"OMPI_", "OPAL_", "PMIX_MCA_", "PRTE_", "MPICH_", "MPIR_CVAR_", "HYDRA_",
		"UCX_", "FI_", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "LD_LIBRARY_PATH=", "LD_PRELOAD=",
		"PYTHONPATH=", "PYTHONHASHSEED=", "VIRTUAL_ENV=", "PATH=", "LANG=", "LC_", "TZ=", "MALLOC_",
		"SLURM_NTASKS="};
	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		if (!strncmp(variable, begin[i], strlen(begin[i])))
			return true;
	return false;
}

/* What is preloaded is handed on in another way. */
bool hb__manifest_sets(const char *variable) { return strncmp(variable, "LD_PRELOAD=", 11) != 0 && matters(variable); }

char *hb__new_id(void)
{
	unsigned char byte[HB_ID_LENGTH / 2];
	char text[HB_ID_LENGTH + 1];
	if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte)
		return NULL;
	for (size_t i = 0; i < sizeof byte; i++)
		snprintf(text + 2 * i, 3, "%02x", byte[i]);
	return hb__copy(text);
}

void hb__manifest_begin(hb_manifest *m, char **command)
{
	struct timespec now;
	struct tm utc;
	char text[64], folder[PATH_MAX];
	for (char **c = command; *c; c++)
		hb__push(&m->command, *c);
	for (char **e = environ; *e; e++)
		if (matters(*e))
			hb__push(&m->environment, *e);
	clock_gettime(CLOCK_REALTIME, &now);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
	m->started = hb__format("%s.%03ldZ", text, now.tv_nsec / 1000000);
	m->folder = hb__copy(getcwd(folder, sizeof folder) ? folder : "/");
	m->version = hb__copy(HBDB_VERSION);
	m->id = hb__new_id();
}

/* A ring did not hold all that there was. */
static bool gave_up(const char *recording)
{
	hb_logs logs;
	hb_log_head head;
	bool any = false;
	if (hb__list_logs(recording, &logs))
		return false;
	for (size_t i = 0; i < logs.n; i++)
		any = any || (!hb_log_head_read(logs.at[i].path, &head, NULL) && head.gave_up);
	hb__close_logs(&logs);
	return any;
}

int hb__manifest_runs(const hb_manifest *m, const char *recording, const char *what)
{
	if (m->ring && gave_up(recording))
		return hb__fail_with(HB_EXIT_USAGE,
			"%s is the last part of a run (hbdb record --ring): its beginning is missing, so it cannot be %s",
			hb__short(recording), what);
	if (!m->imported_from)
		return 0;
	if (m->imported_with)
		return hb__fail_with(HB_EXIT_USAGE,
			"%s was made of %s and of a capture file by hbdb import: it cannot be %s; that recording may be",
			hb__short(recording), m->imported_with, what);
	return hb__fail_with(HB_EXIT_USAGE, "%s was made of %s by hbdb import: there is no program that could be %s",
		hb__short(recording), m->imported_file ? m->imported_file : "a file", what);
}

double hb__manifest_end(const hb_manifest *m)
{
	struct tm utc = {0};
	const char *rest = m->started && m->finished ? strptime(m->started, "%Y-%m-%dT%H:%M:%S", &utc) : NULL;
	return rest ? (double)timegm(&utc) + strtod(*rest == '.' ? rest : "0", NULL) + m->seconds : 0;
}

void hb__digest_program(const char *path, hb_program_digest *ret)
{
	struct stat st;
	*ret = (hb_program_digest){0};
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		void *bytes = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
		if (bytes != MAP_FAILED) {
			ret->path = realpath(path, NULL);
			ret->size = (uint64_t)st.st_size;
			ret->mtime = st.st_mtim.tv_sec;
			ret->xxh3 = XXH3_64bits(bytes, (size_t)st.st_size);
			if (bytes)
				munmap(bytes, (size_t)st.st_size);
		}
	}
	close(fd);
}

static void put_program(cJSON *root, const hb_program_digest *p)
{
	char digest[24];
	if (!p->path)
		return;
	snprintf(digest, sizeof digest, "%016llx", (unsigned long long)p->xxh3);
	cJSON *o = cJSON_AddObjectToObject(root, "program");
	cJSON_AddStringToObject(o, "path", p->path);
	cJSON_AddNumberToObject(o, "size", (double)p->size);
	cJSON_AddNumberToObject(o, "modified", (double)p->mtime);
	cJSON_AddStringToObject(o, "xxh3", digest);
}

static void put_layers(cJSON *root, unsigned layers)
{
	hb_strings names = hb__layer_names(layers);
	cJSON *list = cJSON_AddArrayToObject(root, "layers");
	for (size_t i = 0; i < names.n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(names.at[i]));
	hb__strings_free(&names);
}

static void put_nodes(cJSON *root, const hb_manifest *m)
{
	cJSON *list = m->nnodes ? cJSON_AddArrayToObject(root, "nodes") : NULL;
	for (size_t i = 0; i < m->nnodes; i++) {
		cJSON *o = cJSON_CreateObject();
		cJSON_AddStringToObject(o, "name", m->node[i].name);
		if (m->node[i].host)
			cJSON_AddStringToObject(o, "host", m->node[i].host);
		cJSON_AddStringToObject(o, "folder", m->node[i].folder);
		if (m->node[i].missing)
			cJSON_AddBoolToObject(o, "missing", true);
		if (m->node[i].unkept)
			cJSON_AddBoolToObject(o, "unkept", true);
		if (m->node[i].slurm)
			cJSON_AddStringToObject(o, "slurm", m->node[i].slurm);
		cJSON_AddItemToArray(list, o);
	}
}

static void put_end(cJSON *root, const hb_manifest *m)
{
	cJSON_AddNumberToObject(root, "processes", (double)m->processes);
	if (m->kept)
		cJSON_AddBoolToObject(root, "kept", true);
	else
		cJSON_AddNumberToObject(root, "exit_status", m->exit_status);
	cJSON_AddNumberToObject(root, "seconds", m->seconds);
	if (m->open)
		cJSON_AddBoolToObject(root, "open", true);
	if (m->died_first)
		cJSON_AddStringToObject(root, "died_first", m->died_first);
}

static cJSON *as_json(const hb_manifest *m)
{
	cJSON *root = cJSON_CreateObject();
	cJSON_AddStringToObject(root, "format", "hbdb-recording");
	cJSON_AddNumberToObject(root, "version", MANIFEST_VERSION);
	cJSON_AddStringToObject(root, "hbdb", m->version);
	if (m->id)
		cJSON_AddStringToObject(root, "id", m->id);
	cJSON *list = cJSON_AddArrayToObject(root, "command");
	for (size_t i = 0; i < m->command.n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(m->command.at[i]));
	cJSON_AddStringToObject(root, "folder", m->folder);
	cJSON_AddStringToObject(root, "started", m->started);
	cJSON_AddStringToObject(root, "mpi", m->mpi);
	cJSON_AddStringToObject(root, "level", m->level);
	if (m->layers)
		put_layers(root, m->layers);
	if (m->layers & HB_LAYERS_FOUND)
		cJSON_AddBoolToObject(root, "found", true);
	if (m->data_ranks)
		cJSON_AddStringToObject(root, "data_ranks", m->data_ranks);
	cJSON_AddBoolToObject(root, "contents", m->contents);
	if (m->whole)
		cJSON_AddStringToObject(root, "digests", "whole");
	if (m->traced)
		cJSON_AddStringToObject(root, "traced", m->traced);
	cJSON_AddBoolToObject(root, "aslr", m->aslr);
	if (m->shake_us)
		cJSON_AddNumberToObject(root, "shake_us", (double)m->shake_us);
	if (m->ring)
		cJSON_AddNumberToObject(root, "ring", (double)m->ring);
	if (m->replay_of)
		cJSON_AddStringToObject(root, "replay_of", m->replay_of);
	if (m->imported_from) {
		cJSON *imported = cJSON_AddObjectToObject(root, "imported");
		cJSON_AddStringToObject(imported, "from", m->imported_from);
		cJSON_AddStringToObject(imported, "file", m->imported_file);
		if (m->imported_with)
			cJSON_AddStringToObject(imported, "with", m->imported_with);
	}
	put_program(root, &m->program);
	put_nodes(root, m);
	cJSON *environment = cJSON_AddObjectToObject(root, "environment");
	for (size_t i = 0; i < m->environment.n; i++) {
		char *name = hb__copy(m->environment.at[i]), *value = strchr(name, '=');
		*value++ = 0;
		cJSON_AddStringToObject(environment, name, value);
		free(name);
	}
	if (m->finished)
		put_end(root, m);
	return root;
}

int hb__manifest_write(const hb_manifest *m, const char *recording)
{
	cJSON *root = as_json(m);
	char *text = cJSON_Print(root);
	cJSON_Delete(root);
	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	char *path = hb__format("%s/manifest.json", recording), *next = hb__format("%s.new", path);
	FILE *f = fopen(next, "we");
	bool ok = f && fprintf(f, "%s\n", text) > 0;
	if (f)
		ok = !fclose(f) && ok;
	ok = ok && !rename(next, path);
	int error = errno;
	if (!ok)
		unlink(next);
	free(text);
	free(path);
	free(next);
	errno = error;
	return ok ? 0 : -1;
}

static char *text_of(const cJSON *root, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
	return cJSON_IsString(item) ? hb__copy(item->valuestring) : NULL;
}

static double number_of(const cJSON *root, const char *name, double otherwise)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
	return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static void read_nodes(const cJSON *root, hb_manifest *ret)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "nodes"))
	{
		hb_manifest_node node = {text_of(item, "name"), text_of(item, "host"), text_of(item, "folder"),
			cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "missing")),
			cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "unkept")), text_of(item, "slurm")};
		/* a name is a word of a command that reaches it */
		if (!node.name || !node.folder || *node.name == '-' || *node.folder != '/' ||
			(node.slurm && (!*node.slurm || node.slurm[strspn(node.slurm, "0123456789")]))) {
			hb__manifest_node_free(&node);
			continue;
		}
		ret->node = hb__resize(ret->node, (ret->nnodes + 1) * sizeof *ret->node);
		ret->node[ret->nnodes++] = node;
	}
}

static void read_fields(const cJSON *root, hb_manifest *ret)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "command")) if (cJSON_IsString(item))
		hb__push(&ret->command, item->valuestring);
	cJSON_ArrayForEach(
		item, cJSON_GetObjectItemCaseSensitive(root, "environment")) if (cJSON_IsString(item) && item->string)
	{
		char *text = hb__format("%s=%s", item->string, item->valuestring);
		if (matters(text))
			hb__push(&ret->environment, text);
		free(text);
	}
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(root, "layers")) if (cJSON_IsString(item))
		ret->layers |= hb__layer_named(item->valuestring, strlen(item->valuestring));
	ret->layers |= cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "found")) ? HB_LAYERS_FOUND : 0;
	ret->version = text_of(root, "hbdb");
	ret->id = text_of(root, "id");
	ret->folder = text_of(root, "folder");
	ret->mpi = text_of(root, "mpi");
	ret->level = text_of(root, "level");
	ret->data_ranks = text_of(root, "data_ranks");
	ret->traced = text_of(root, "traced");
	ret->started = text_of(root, "started");
	ret->replay_of = text_of(root, "replay_of");
	const cJSON *imported = cJSON_GetObjectItemCaseSensitive(root, "imported");
	ret->imported_from = imported ? text_of(imported, "from") : NULL;
	ret->imported_file = imported ? text_of(imported, "file") : NULL;
	ret->imported_with = imported ? text_of(imported, "with") : NULL;
	char *digests = text_of(root, "digests");
	ret->whole = digests && !strcmp(digests, "whole");
	free(digests);
	ret->contents = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "contents"));
	ret->aslr = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "aslr"));
	ret->kept = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "kept"));
	ret->finished = ret->kept || cJSON_GetObjectItemCaseSensitive(root, "exit_status") != NULL;
	ret->open = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "open"));
	ret->processes = (uint64_t)number_of(root, "processes", 0);
	ret->exit_status = (int)number_of(root, "exit_status", 0);
	double first = number_of(root, "died_first", -1); /* before names it was a rank */
	ret->died_first = first >= 0 && first < INT32_MAX ? hb__format("%.0f", first) : text_of(root, "died_first");
	ret->seconds = number_of(root, "seconds", 0);
	ret->shake_us = (uint64_t)number_of(root, "shake_us", 0);
	ret->ring = (uint64_t)number_of(root, "ring", 0);
	read_nodes(root, ret);
	const cJSON *program = cJSON_GetObjectItemCaseSensitive(root, "program");
	ret->program.path = program ? text_of(program, "path") : NULL;
	if (ret->program.path) {
		char *digest = text_of(program, "xxh3");
		ret->program.size = (uint64_t)number_of(program, "size", 0);
		ret->program.mtime = (int64_t)number_of(program, "modified", 0);
		ret->program.xxh3 = digest ? strtoull(digest, NULL, 16) : 0;
		free(digest);
	}
}

static char *whole_file(const char *path, size_t *ret_size)
{
	FILE *f = fopen(path, "re");
	if (!f)
		return NULL;
	char *text = hb__alloc(MANIFEST_MAX + 1);
	*ret_size = fread(text, 1, MANIFEST_MAX, f);
	fclose(f);
	return text;
}

int hb__manifest_read(const char *recording, hb_manifest *ret)
{
	size_t size = 0;
	*ret = (hb_manifest){0};
	char *path = hb__format("%s/manifest.json", recording), *text = whole_file(path, &size);
	int code = -1;
	if (!text) {
		hb__say("%s: %s", path, strerror(errno));
		free(path);
		return -1;
	}
	cJSON *root = cJSON_ParseWithLength(text, size);
	char *format = root ? text_of(root, "format") : NULL;
	double version = root ? number_of(root, "version", 0) : 0;
	if (!root)
		hb__say("%s: damaged at offset %zu: not JSON", path,
			(size_t)(cJSON_GetErrorPtr() ? cJSON_GetErrorPtr() - text : 0));
	else if (!format || strcmp(format, "hbdb-recording"))
		hb__say("%s is not an hbdb manifest", path);
	else if (version > MANIFEST_VERSION)
		hb__say("%s: version %g, this hbdb reads up to %d: use the hbdb that wrote it", path, version,
			MANIFEST_VERSION);
	else {
		read_fields(root, ret);
		code = 0;
	}
	free(format);
	cJSON_Delete(root);
	free(text);
	free(path);
	return code;
}
