/* Makes a recording of a run that never was: bench/generate/README.md. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hbdb/format.h>

#include "sim.h"

struct options {
	const char *name, *pattern;
	uint32_t ranks, jobs;
	int64_t events;
	uint64_t seed;
	bool raw;
};

static const struct pattern *const patterns[] = {&farm_pattern, &halo_pattern, &alltoall_pattern, &random_pattern};

static int usage(FILE *to)
{
	fprintf(to,
		"usage: generate -o NAME.hbdb [-p farm|halo|alltoall|random] [-n RANKS] [-e EVENTS] [-s SEED] [-j JOBS] [--raw]\n"
		"  ranks 2 to %d, events about EVENTS in all (1e6 is understood); JOBS processes seal the logs\n"
		"  prints what a right analysis finds, as JSON\n",
		MOST_RANKS);
	return to == stdout ? 0 : 2;
}

static const struct pattern *find_pattern(const char *name)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (!strcmp(patterns[i]->name, name))
			return patterns[i];
	return NULL;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool write_manifest(const struct options *o)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/manifest.json", o->name);
	FILE *f = fopen(path, "w");
	if (!f)
		return false;
	fprintf(f,
		"{\n\t\"format\": \"hbdb-recording\",\n\t\"version\": 1,\n\t\"hbdb\": \"generate\",\n"
		"\t\"command\": [\"generate\", \"-p\", \"%s\", \"-n\", \"%" PRIu32 "\", \"-e\", \"%" PRId64
		"\", \"-s\", \"%" PRIu64 "\"],\n"
		"\t\"folder\": \"/\",\n\t\"started\": \"2023-11-14T22:13:20.000Z\",\n\t\"mpi\": \"openmpi\",\n"
		"\t\"level\": \"events\",\n\t\"contents\": true,\n\t\"aslr\": false,\n\t\"environment\": {},\n"
		"\t\"processes\": %" PRIu32 ",\n\t\"exit_status\": 0,\n\t\"seconds\": 1\n}\n",
		o->pattern, o->ranks, o->events, o->seed, o->ranks);
	return fclose(f) == 0;
}

/* ---- sealing ---- */

static bool seal_log(const struct options *o, uint32_t rank)
{
	char raw[4096], sealed[4096 + 8];
	hb_error err = {0};
	snprintf(raw, sizeof raw, "%s/rank.%u.log", o->name, rank);
	snprintf(sealed, sizeof sealed, "%s.sealed", raw);
	if (hb_log_seal(raw, sealed, NULL, NULL, &err)) {
		fprintf(stderr, "generate: %s: %s\n", raw, err.message);
		return false;
	}
	return !rename(sealed, raw);
}

/* Every jobs-th log, in so many processes. */
static bool seal_all(const struct options *o)
{
	bool ok = true;
	for (uint32_t job = 0; job < o->jobs; job++) {
		pid_t pid = fork();
		if (pid < 0)
			return false;
		if (pid)
			continue;
		for (uint32_t rank = job; rank < o->ranks && ok; rank += o->jobs)
			ok = seal_log(o, rank);
		_exit(!ok);
	}
	for (uint32_t job = 0; job < o->jobs; job++) {
		int status;
		ok = wait(&status) > 0 && status == 0 && ok;
	}
	return ok;
}

static uint64_t size_of(const struct options *o)
{
	uint64_t bytes = 0;
	for (uint32_t rank = 0; rank < o->ranks; rank++) {
		char path[4096];
		struct stat st;
		snprintf(path, sizeof path, "%s/rank.%u.log", o->name, rank);
		if (!stat(path, &st))
			bytes += (uint64_t)st.st_size;
	}
	return bytes;
}

/* ---- all of it ---- */

static int generate(const struct options *o)
{
	struct sim sim = {.logs = {o->name, o->pattern, o->ranks, 0, false},
		.pattern = find_pattern(o->pattern),
		.size = o->ranks,
		.events = o->events,
		.random = o->seed * 0x9e3779b97f4a7c15u + 1};
	double begin = now(), played, sealed;
	if (mkdir(o->name, 0777) || !write_manifest(o)) {
		fprintf(stderr, "generate: %s: %s\n", o->name, strerror(errno));
		return 1;
	}
	bool ok = sim_open(&sim) && sim_play(&sim);
	sim_close(&sim);
	played = now();
	uint64_t raw = sim.logs.bytes;
	ok = ok && (o->raw || seal_all(o));
	sealed = now();
	if (!ok) {
		fprintf(stderr, "generate: %s is not complete\n", o->name);
		return 1;
	}
	const struct tally *t = &sim.tally;
	printf("{\"pattern\": \"%s\", \"ranks\": %" PRIu32 ", \"events\": %" PRIu64 ", \"sends\": %" PRIu64
	       ", \"receives\": %" PRIu64 ", \"probes\": %" PRIu64 ", \"collectives\": %" PRIu64
	       ", \"matched\": %" PRIu64 ", \"unreceived\": %" PRIu64 ", \"cancelled\": %" PRIu64
	       ", \"wildcards\": %" PRIu64 ", \"digest\": \"%016" PRIx64 "\", \"raw_bytes\": %" PRIu64
	       ", \"bytes\": %" PRIu64 ", \"seconds\": %.3f, \"sealing\": %.3f}\n",
		o->pattern, o->ranks, t->events, t->sends, t->receives, t->probes, t->collectives, t->matched,
		t->sends - t->matched, t->cancelled, t->wildcards, t->digest, raw, size_of(o), played - begin,
		sealed - played);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {{"raw", no_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'}, {0}};
	struct options o = {.pattern = "farm", .ranks = 4, .events = 1000000, .seed = 1, .jobs = 1};
	for (int c; (c = getopt_long(argc, argv, "o:p:n:e:s:j:h", longs, NULL)) != -1;)
		switch (c) {
		case 'o':
			o.name = optarg;
			break;
		case 'p':
			o.pattern = optarg;
			break;
		case 'n':
			o.ranks = (uint32_t)atoi(optarg);
			break;
		case 'e':
			o.events = (int64_t)atof(optarg);
			break;
		case 's':
			o.seed = strtoull(optarg, NULL, 10);
			break;
		case 'j':
			o.jobs = (uint32_t)atoi(optarg);
			break;
		case 'r':
			o.raw = true;
			break;
		default:
			return usage(c == 'h' ? stdout : stderr);
		}
	if (o.ranks > MOST_MADE && !strcmp(o.pattern, "random"))
		return usage(stderr);
	if (!o.name || !find_pattern(o.pattern) || o.ranks < 2 || o.ranks > MOST_RANKS || o.events < 1 ||
		o.events > 2000000000 || !o.jobs || o.jobs > 64 || optind < argc)
		return usage(stderr);
	return generate(&o);
}
