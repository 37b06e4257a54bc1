/* A message in memory of ours, prefix and contents in one piece. The library itself copies between it and the
 * program's datatype, by a message from this process to itself: so parts of an element arrive, too. */
#include <string.h>
#include <sys/mman.h>

#include "capture/mpi/carry/carry.h"
#include "capture/mpi/family/family.h"

struct hb__stage {
	size_t size;
	void *buf;
	int count;
	MPI_Datatype type; /* a duplicate: the program may free its own */
	int64_t bytes;
	_Alignas(16) uint8_t memory[]; /* prefix, contents */
};

static MPI_Comm to_self;

void hb__stage_begin_process(void) { PMPI(Comm_dup)(hb__known.comm_self, &to_self); }

/* As the program would call it: what stands between may be what makes the memory readable. One thread at a time: both are to get their own. */
static void copy(const void *from, int n, MPI_Datatype type, void *to, int room, MPI_Datatype to_type)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	if (hb__threaded)
		pthread_mutex_lock(&one);
	((__typeof__(&MPI_Sendrecv))hb__next[HB_ENTRY_MPI][HB_FN_MPI_Sendrecv])(
		from, n, type, 0, 0, to, room, to_type, 0, 0, to_self, MPI_STATUS_IGNORE);
	if (hb__threaded)
		pthread_mutex_unlock(&one);
}

bool hb__stage(struct hb__carry *m, const void *buf, int64_t count, MPI_Datatype type, int64_t bytes, bool sends)
{
	size_t size = sizeof(struct hb__stage) + hb__prefix_bytes + (size_t)bytes;
	struct hb__stage *s = bytes + (int64_t)hb__prefix_bytes > INT32_MAX ? NULL : hb__pages(size);
	if (!s)
		return false;
	s->size = size;
	s->buf = (void *)(uintptr_t)buf;
	s->count = (int)count;
	s->bytes = bytes;
	if (PMPI(Type_dup)(type, &s->type) != MPI_SUCCESS) {
		munmap(s, size);
		return false;
	}
	memcpy(s->memory, m->prefix, hb__prefix_bytes);
	m->prefix = (void *)s->memory;
	m->stage = s;
	if (sends) {
		m->prefix->bytes = (uint64_t)bytes;
		copy(buf, (int)count, type, s->memory + hb__prefix_bytes, (int)bytes, hb__known.byte);
	}
	return true;
}

void hb__stage_deliver(struct hb__carry *m)
{
	struct hb__stage *s = m->stage;
	int64_t bytes = hb__prefix_came(m) ? (int64_t)m->prefix->bytes : 0;
	bytes = bytes > s->bytes ? s->bytes : bytes;
	copy(s->memory + hb__prefix_bytes, (int)bytes, hb__known.byte, s->buf, s->count, s->type);
}

void hb__stage_end(struct hb__carry *m)
{
	struct hb__stage *s = m->stage;
	m->stage = NULL;
	PMPI(Type_free)(&s->type);
	munmap(s, s->size);
}
