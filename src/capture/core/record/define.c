/* Definitions that hold for the whole process stand in a lane of their own. */
#include <string.h>

#include "format/remark/remark.h"
#include "capture/core/layer.h"
#include "capture/core/record/record.h"

#if defined(__aarch64__)
#define HB__PROCESSOR "aarch64"
#elif defined(__arm__)
#define HB__PROCESSOR "arm"
#elif defined(__i386__)
#define HB__PROCESSOR "i386"
#elif defined(__powerpc64__)
#define HB__PROCESSOR "ppc64"
#elif defined(__riscv)
#define HB__PROCESSOR "riscv64"
#elif defined(__s390x__)
#define HB__PROCESSOR "s390x"
#elif !defined(__x86_64__)
#error "a processor that has no name here and in hbdb-recording(5) yet"
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hb__lane definitions = {.number = HB_LANE_DEFINITIONS, .storing = true};
static bool function_told[HB_FUNCTIONS_MOST], values_told[HB_FUNCTIONS_MOST];

/* A note of what was called after MPI_Finalize changes a unit that has its checksum. */
static bool reopen(struct hb__lane *lane)
{
	bool summed = lane->unit && lane->unit->closed;
	if (summed)
		HB_STORE(lane->unit, closed, 0, __ATOMIC_RELEASE);
	return summed;
}

static void put(uint8_t kind, const uint8_t *body, size_t n)
{
	if (!hb__row_room(&definitions, n + 2 + HB_UV_MAX))
		return;
	bool summed = reopen(&definitions);
	uint8_t *w = definitions.w;
	*w++ = HB_ROW_DEF;
	*w++ = kind;
	w = hb_put_uv(w, n);
	memcpy(w, body, n);
	hb__row_commit(&definitions, w + n);
	if (summed)
		hb__unit_sum(definitions.unit);
}

static uint8_t *text(uint8_t *w, const char *s)
{
	size_t n = strlen(s);
	return hb_put_str(w, s, n > 1024 ? 1024 : n);
}

/* With the lock. */
static void define_layer(struct hb__layer *layer)
{
	if (!layer || layer->told)
		return;
	layer->told = true;
	unsigned free = hb__layers_functions();
	uint8_t body[64], *w = text(body, layer->name);
	w = hb_put_uv(w, layer->functions ? layer->first : free);
	w = hb_put_uv(w, layer->functions ? layer->functions : HB_FUNCTIONS_MOST - free);
	put(HB_DEF_LAYER, body, (size_t)(w - body));
}

void hb__define_function(const struct hb__fn *fn)
{
	if (likely(__atomic_load_n(&function_told[fn->id], __ATOMIC_ACQUIRE)))
		return;
	hb__ring_function(fn);
	uint8_t body[1024], *w = body;
	w = hb_put_uv(w, fn->id);
	*w++ = fn->cls;
	w = text(w, fn->name);
	unsigned n = hb__config.order ? 0 : fn->nrecorded;
	w = hb_put_uv(w, n);
	for (unsigned i = 0; i < n; i++) {
		unsigned kind = fn->recorded[i].kind;
		*w++ = hb__is_digest(kind)                                      ? HB_RECORDED_DIGEST
		       : kind == HB_RECORDED_COLOR || kind == HB_RECORDED_FENCE ? HB_RECORDED_NUMBER
										: (uint8_t)kind;
		w = text(w, fn->recorded[i].name);
	}
	pthread_mutex_lock(&lock);
	define_layer(hb__layer_of_function(fn->id));
	if (!function_told[fn->id])
		put(HB_DEF_FUNCTION, body, (size_t)(w - body));
	__atomic_store_n(&function_told[fn->id], true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

void hb__define_values(unsigned function, unsigned n, const uint8_t *type, const char *const *name)
{
	static uint8_t body[16384]; /* 16 names of 200 bytes fit */
	pthread_mutex_lock(&lock);
	if (n && !values_told[function]) {
		uint8_t *w = hb_put_uv(body, function);
		w = hb_put_uv(w, n);
		for (unsigned i = 0; i < n; i++) {
			*w++ = type[i];
			w = text(w, name[i]);
		}
		put(HB_DEF_VALUES, body, (size_t)(w - body));
	}
	values_told[function] = true;
	pthread_mutex_unlock(&lock);
}

void hb__define_text(uint32_t number, const char *s)
{
	uint8_t body[1100], *w = text(hb_put_uv(body, number), s);
	pthread_mutex_lock(&lock);
	put(HB_DEF_TEXT, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

void hb__define_datatype(int number, uint64_t size, const char *name)
{
	uint8_t body[1100], *w = hb_put_uv(body, (uint64_t)number);
	w = hb_put_uv(w, size);
	w = text(w, name);
	pthread_mutex_lock(&lock);
	put(HB_DEF_DATATYPE, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

void hb__define_signature(
	int number, uint64_t elements, uint64_t digest, const struct hb__signature_run *run, unsigned n)
{
	static uint8_t body[4 * HB_UV_MAX + HB__SIGNATURE_RUNS * 2 * HB_UV_MAX];
	pthread_mutex_lock(&lock);
	uint8_t *w = hb_put_uv(body, (uint64_t)number);
	w = hb_put_uv(w, elements);
	w = hb_put_uv(w, digest);
	n = n > HB__SIGNATURE_RUNS ? HB__SIGNATURE_RUNS : n;
	w = hb_put_uv(w, n);
	for (unsigned i = 0; i < n; i++) {
		w = hb_put_uv(w, run[i].basic);
		w = hb_put_uv(w, run[i].elements);
	}
	put(HB_DEF_SIGNATURE, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

void hb__define_op(int number, const char *name)
{
	uint8_t body[1100], *w = hb_put_uv(body, (uint64_t)number);
	w = text(w, name);
	pthread_mutex_lock(&lock);
	put(HB_DEF_OP, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

/* Digests do not see zeros in front: {1} and {0, 1} have the same. Of those that two arrays have, nothing is known. */
void hb__define_array(uint64_t digest, const int64_t *value, int n)
{
	static struct {
		uint64_t digest;
		uint64_t content; /* 0: of two arrays */
	} told[1024];             /* by a part of the digest; one that lost its place is told again */
	static uint8_t body[HB__ARRAY_MAX * HB_UV_MAX + 2 * HB_UV_MAX];
	uint64_t content = (uint64_t)n + UINT64_C(0xa0761d6478bd642f), at = digest % 1024;
	for (int i = 0; i < n; i++) {
		content = (content ^ (uint64_t)value[i]) * 0x9e3779b97f4a7c15u;
		content ^= content >> 29;
	}
	content |= 1;
	pthread_mutex_lock(&lock);
	bool again = told[at].digest == digest, other = again && told[at].content && told[at].content != content;
	if (!again || other) {
		n = other ? 0 : n;
		told[at].digest = digest;
		told[at].content = other ? 0 : content;
		uint8_t *w = hb_put_uv(body, digest);
		w = hb_put_uv(w, (uint64_t)n);
		for (int i = 0; i < n; i++)
			w = hb_put_sv(w, value[i]);
		put(HB_DEF_ARRAY, body, (size_t)(w - body));
	}
	pthread_mutex_unlock(&lock);
}

void hb__define_origin(unsigned kind, int number, struct hb__origin from)
{
	uint8_t body[4 * HB_UV_MAX], *w = hb_put_uv(body, (uint64_t)number);
	w = hb_put_uv(w, HB_RECORDED_COMM + kind);
	w = hb_put_uv(w, from.lane);
	w = hb_put_uv(w, from.nth);
	pthread_mutex_lock(&lock);
	put(HB_DEF_ORIGIN, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

#define MEMBERS 5000 /* of a communicator, in one definition */

static uint8_t *members(uint8_t *w, const int *member, int n)
{
	w = hb_put_uv(w, (uint64_t)n);
	for (int i = 0, before = 0; i < n; before = member[i++])
		w = hb_put_sv(w, (int64_t)member[i] - before);
	return w;
}

/* With the lock: those that did not fit into the definition of their communicator. */
static void more_members(uint8_t *body, int comm, int side, const int *member, int n)
{
	for (int some; n > 0; member += some, n -= some) {
		some = n < MEMBERS ? n : MEMBERS;
		uint8_t *w = hb_put_uv(hb_put_uv(body, (uint64_t)comm), (uint64_t)side);
		w = members(w, member, some);
		put(HB_DEF_MEMBERS, body, (size_t)(w - body));
	}
}

void hb__define_comm(const struct hb__comm_told *comm)
{
	static uint8_t body[30000]; /* a definition must fit a unit */
	int all = comm->member ? comm->size : 0, others = comm->remote ? comm->remote_size : 0, n = all, m = others;
	if (n + m > MEMBERS)
		n = n > MEMBERS / 5 * 4 ? MEMBERS / 5 * 4 : n, m = m > MEMBERS / 5 ? MEMBERS / 5 : m;
	pthread_mutex_lock(&lock);
	uint8_t *w = hb_put_uv(body, (uint64_t)comm->number);
	w = hb_put_sv(w, comm->parent);
	w = hb_put_uv(w, comm->index);
	w = hb_put_sv(w, comm->leader);
	w = hb_put_uv(w, (uint64_t)comm->rank);
	w = hb_put_uv(w, comm->inter);
	w = members(w, comm->member, n);
	if (comm->inter)
		w = members(w, comm->remote, m);
	put(HB_DEF_COMM, body, (size_t)(w - body));
	more_members(body, comm->number, 0, comm->member + n, all - n);
	if (comm->inter)
		more_members(body, comm->number, 1, comm->remote + m, others - m);
	pthread_mutex_unlock(&lock);
}

/* Of the one that most programs are for nothing is told. With the lock. */
static void define_processor(void)
{
#if !defined(__x86_64__)
	uint8_t body[64], *w = text(body, HB__PROCESSOR);
	*w++ = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
	w = hb_put_uv(w, 8 * sizeof(void *));
	put(HB_DEF_PROCESSOR, body, (size_t)(w - body));
#endif
}

void hb__define_process(const struct hb__process_told *process)
{
	uint8_t body[2200], *w = text(body, process->world);
	w = hb_put_uv(w, process->spawned ? 1 : process->forked ? 2 : 0);
	w = text(w, process->maker);
	w = hb_put_sv(w, process->maker_rank);
	w = hb_put_uv(w, hb__log_began());
	pthread_mutex_lock(&lock);
	put(HB_DEF_PROCESS, body, (size_t)(w - body));
	define_processor();
	pthread_mutex_unlock(&lock);
}

void hb__define_place(const struct hb__ancestor *ancestor, unsigned n)
{
	uint8_t body[HB__ANCESTORS_MOST * (3 * HB_UV_MAX + sizeof ancestor->name)], *w = hb_put_uv(body, n);
	for (unsigned i = 0; i < n; i++) {
		w = hb_put_uv(w, ancestor[i].started);
		w = hb_put_uv(w, ancestor[i].pid);
		w = text(w, ancestor[i].name);
	}
	pthread_mutex_lock(&lock);
	put(HB_DEF_PLACE, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

void hb__define_network(uint64_t number)
{
	uint8_t body[HB_UV_MAX], *w = hb_put_uv(body, number);
	pthread_mutex_lock(&lock);
	put(HB_DEF_NETWORK, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

void hb__define_bridge(const struct hb__bridge *b)
{
	if (b->comm < 0)
		return;
	uint8_t body[1200], *w = hb_put_uv(body, (uint64_t)b->comm);
	w = hb_put_uv(w, b->kind);
	w = hb_put_sv(w, b->root);
	w = hb_put_uv(w, b->entered);
	w = hb_put_uv(w, b->returned);
	w = text(w, b->port ? b->port : "");
	pthread_mutex_lock(&lock);
	put(HB_DEF_BRIDGE, body, (size_t)(w - body));
	pthread_mutex_unlock(&lock);
}

void hb__define_remark(const uint8_t *body, size_t bytes, bool *told)
{
	pthread_mutex_lock(&lock);
	if (!*told)
		put(HB_DEF_REMARK, body, bytes);
	__atomic_store_n(told, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

void hb__row_lane_note(struct hb__lane *lane, const char *note)
{
	size_t n = strlen(note);
	n = n > 1000 ? 1000 : n;
	if (!hb__row_room(lane, n + 2 + HB_UV_MAX))
		return;
	bool summed = reopen(lane);
	uint8_t *w = lane->w;
	*w++ = HB_ROW_NOTE;
	hb__row_commit(lane, hb_put_str(w, note, n));
	if (summed)
		hb__unit_sum(lane->unit);
}

static void put_remark(struct hb__lane *lane, const uint8_t *head, size_t n, const uint8_t *rest, size_t m)
{
	if (!hb__row_room(lane, n + m))
		return;
	bool summed = reopen(lane);
	memcpy(lane->w, head, n);
	memcpy(lane->w + n, rest, m);
	hb__row_commit(lane, lane->w + n + m);
	if (summed)
		hb__unit_sum(lane->unit);
}

void hb__row_remark(struct hb__lane *lane, const uint8_t *head, size_t n, const uint8_t *rest, size_t m)
{
	if (lane) {
		put_remark(lane, head, n, rest, m);
		return;
	}
	pthread_mutex_lock(&lock);
	put_remark(&definitions, head, n, rest, m);
	pthread_mutex_unlock(&lock);
}

void hb__definitions_sum(void)
{
	pthread_mutex_lock(&lock);
	if (definitions.unit && definitions.storing && !hb__log_discards())
		hb__unit_sum(definitions.unit);
	pthread_mutex_unlock(&lock);
}

void hb__row_note(const char *note)
{
	pthread_mutex_lock(&lock);
	hb__row_lane_note(&definitions, note);
	pthread_mutex_unlock(&lock);
}

void hb__name_note(const char *what, int number, const char *name)
{
	static char last[200]; /* a program may say it again in every step */
	char note[sizeof last];
	snprintf(note, sizeof note, HB_NAME_BEGIN "%s %d %.150s", what, number, name);
	pthread_mutex_lock(&lock);
	bool again = !strcmp(note, last);
	memcpy(last, note, sizeof last);
	if (!again)
		hb__row_lane_note(&definitions, note);
	pthread_mutex_unlock(&lock);
}

bool hb__definitions_room(void) { return definitions.w && definitions.end - definitions.w > 4096; }

void hb__definitions_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	definitions = (struct hb__lane){.number = HB_LANE_DEFINITIONS, .storing = true};
}

/* ---- call sites ---- */

#define SITES 8192u /* places; a power of two */
static const void *site_pc[SITES];
static uint32_t site_number[SITES], sites;
static uintptr_t module_base[512];
static uint32_t modules;

static uint32_t define_module(const char *path, uintptr_t base)
{
	for (uint32_t i = 0; i < modules; i++)
		if (module_base[i] == base)
			return i;
	if (modules == sizeof module_base / sizeof *module_base)
		return UINT32_MAX;
	uint8_t body[1400], *w = hb_put_uv(body, modules);
	w = hb_put_uv(w, base);
	w = text(w, path);
	w = text(w, hb__build_id(base));
	put(HB_DEF_MODULE, body, (size_t)(w - body));
	module_base[modules] = base;
	return modules++;
}

/* On arm the lowest bit of a return address says in which of two forms the code is written, and is no part of it. */
static uintptr_t address_of(const void *pc)
{
#if defined(__arm__)
	return (uintptr_t)pc & ~(uintptr_t)1;
#else
	return (uintptr_t)pc;
#endif
}

uint32_t hb__define_site(const void *pc)
{
	uint32_t at = (uint32_t)((uintptr_t)pc * 0x9e3779b97f4a7c15u >> 40) % SITES, number = 0;
	pthread_mutex_lock(&lock);
	while (site_pc[at] && site_pc[at] != pc)
		at = (at + 1) % SITES;
	const char *path;
	uintptr_t base, end;
	if (site_pc[at]) {
		number = site_number[at];
	} else if (sites < SITES - 1 && hb__module_of(pc, &path, &base, &end)) {
		uint32_t module = define_module(path, base);
		if (module != UINT32_MAX) {
			site_pc[at] = pc;
			site_number[at] = number = ++sites;
			uint8_t body[3 * HB_UV_MAX], *w = hb_put_uv(body, number);
			w = hb_put_uv(w, module);
			w = hb_put_uv(w, address_of(pc) - base);
			put(HB_DEF_SITE, body, (size_t)(w - body));
		}
	}
	pthread_mutex_unlock(&lock);
	return number;
}

void hb__definitions_again(void)
{
	memset(function_told, 0, sizeof function_told);
	memset(values_told, 0, sizeof values_told);
	memset(site_pc, 0, sizeof site_pc);
	sites = modules = 0;
	hb__texts_again();
}
