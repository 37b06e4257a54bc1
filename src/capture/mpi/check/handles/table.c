/* Which handles live, and which have ended. */
#include <string.h>

#include "capture/mpi/check/handles/handles.h"
#include "capture/mpi/family/family.h"

enum hb_what hb__what_word(enum hb__what what)
{
	static const enum hb_what words[HB__H_KINDS] = {[HB__H_REQUEST] = HB_WHAT_REQUEST,
		[HB__H_COMM] = HB_WHAT_COMM,
		[HB__H_DATATYPE] = HB_WHAT_DATATYPE,
		[HB__H_GROUP] = HB_WHAT_GROUP,
		[HB__H_OP] = HB_WHAT_OP,
		[HB__H_WIN] = HB_WHAT_WIN,
		[HB__H_FILE] = HB_WHAT_FILE,
		[HB__H_INFO] = HB_WHAT_INFO,
		[HB__H_ERRHANDLER] = HB_WHAT_ERRHANDLER,
		[HB__H_KEYVAL] = HB_WHAT_KEYVAL,
		[HB__H_MESSAGE] = HB_WHAT_MESSAGE,
		[HB__H_SESSION] = HB_WHAT_SESSION};
	return words[what];
}

static struct hb__map handles;
static struct hb__making *unused;
uint64_t hb__handles_ended;

uintptr_t hb__handle_at(enum hb__what what, const void *at)
{
	switch (what) {
	case HB__H_REQUEST:
		return (uintptr_t) * (const MPI_Request *)at;
	case HB__H_COMM:
		return (uintptr_t) * (const MPI_Comm *)at;
	case HB__H_DATATYPE:
		return (uintptr_t) * (const MPI_Datatype *)at;
	case HB__H_GROUP:
		return (uintptr_t) * (const MPI_Group *)at;
	case HB__H_OP:
		return (uintptr_t) * (const MPI_Op *)at;
	case HB__H_WIN:
		return (uintptr_t) * (const MPI_Win *)at;
	case HB__H_FILE:
		return (uintptr_t) * (const MPI_File *)at;
	case HB__H_INFO:
		return (uintptr_t) * (const MPI_Info *)at;
	case HB__H_ERRHANDLER:
		return (uintptr_t) * (const MPI_Errhandler *)at;
	case HB__H_MESSAGE:
		return (uintptr_t) * (const MPI_Message *)at;
	case HB__H_KEYVAL:
		return (uintptr_t) * (const int *)at;
	case HB__H_SESSION: /* a type that not every library has: an integer where all handles are */
		return sizeof(MPI_Comm) == sizeof(int) ? (uintptr_t) * (const int *)at : *(const uintptr_t *)at;
	default:
		return 0;
	}
}

enum hb__what hb__handle_of_param(const struct hb__fn *fn, unsigned i, bool *ret_pointer)
{
	static const struct {
		uint8_t what;
		bool pointer;
	} kinds[] = {
		[HB_P_COMM] = {HB__H_COMM, false},
		[HB_P_NEWCOMM] = {HB__H_COMM, true},
		[HB_P_COMMPTR] = {HB__H_COMM, true},
		[HB_P_DTYPE] = {HB__H_DATATYPE, false},
		[HB_P_NEWTYPE] = {HB__H_DATATYPE, true},
		[HB_P_TYPEPTR] = {HB__H_DATATYPE, true},
		[HB_P_OP] = {HB__H_OP, false},
		[HB_P_OPPTR] = {HB__H_OP, true},
		[HB_P_WIN] = {HB__H_WIN, false},
		[HB_P_WINPTR] = {HB__H_WIN, true},
		[HB_P_FILE] = {HB__H_FILE, false},
		[HB_P_FILEPTR] = {HB__H_FILE, true},
		[HB_P_INFO] = {HB__H_INFO, false},
		[HB_P_INFOPTR] = {HB__H_INFO, true},
		[HB_P_GROUP] = {HB__H_GROUP, false},
		[HB_P_GROUPPTR] = {HB__H_GROUP, true},
		[HB_P_ERRH] = {HB__H_ERRHANDLER, false},
		[HB_P_ERRHPTR] = {HB__H_ERRHANDLER, true},
		[HB_P_MESSAGE] = {HB__H_MESSAGE, true},
		[HB_P_NEWMSG] = {HB__H_MESSAGE, true},
		[HB_P_SESSION] = {HB__H_SESSION, false},
		[HB_P_SESSIONPTR] = {HB__H_SESSION, true},
		[HB_P_KEYS] = {HB__H_INFO, false},
		[HB_P_KEYVAL] = {HB__H_KEYVAL, false},
		[HB_P_KEYVALPTR] = {HB__H_KEYVAL, true},
		[HB_P_NEWKEYVAL] = {HB__H_KEYVAL, true},
		[HB_P_KINDS] = {HB__H_NONE, false},
	};
	unsigned kind = fn->param[i].kind;
	*ret_pointer = kinds[kind].pointer;
	return (enum hb__what)kinds[kind].what;
}

/* Values of one kind only are compared. MPICH's are 32 bits wide, addresses have 48. */
static uintptr_t key_of(enum hb__what what, uintptr_t value) { return value << 4 | (uintptr_t)what; }

const struct hb__held *hb__handle_find(enum hb__what what, uintptr_t value)
{
	hb__track_lock();
	const struct hb__held *h = hb__map_find(&handles, key_of(what, value));
	hb__track_unlock();
	return h;
}

bool hb__handle_ended(enum hb__what what, uintptr_t value)
{
	const struct hb__held *h = hb__handle_find(what, value);
	return h && !h->made;
}

struct hb__held *hb__handle_known(enum hb__what what, uintptr_t value)
{
	return hb__map_find(&handles, key_of(what, value));
}

struct hb__held *hb__handle_get(enum hb__what what, uintptr_t value)
{
	struct hb__held *h = hb__map_find(&handles, key_of(what, value));
	if (h || !(h = hb__pool(sizeof *h)))
		return h;
	*h = (struct hb__held){.what = what, .value = value};
	return hb__map_put(&handles, key_of(what, value), h) ? h : NULL;
}

void hb__handle_made(struct hb__call *c, enum hb__what what, uintptr_t value, bool quiet)
{
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	struct hb__held *h = hb__handle_get(what, value);
	struct hb__making *m = unused ? unused : hb__pool(sizeof *m);
	if (h && m) {
		if (m == unused)
			unused = m->before;
		*m = (struct hb__making){.before = h->made, .site = site, .fn = c->fn, .quiet = quiet};
		h->made = m;
		h->made_site = site;
		h->made_fn = c->fn;
	}
	hb__track_unlock();
}

void hb__handle_over(struct hb__call *c, enum hb__what what, uintptr_t value, const struct hb__making *made)
{
	uint32_t site = hb__check_site(c);
	hb__track_lock();
	hb__handles_ended++;
	struct hb__held *h = hb__map_find(&handles, key_of(what, value));
	struct hb__making **at = h ? &h->made : NULL;
	while (at && *at && *at != made)
		at = &(*at)->before;
	if (at && *at) {
		struct hb__making *m = *at;
		*at = m->before;
		m->before = unused;
		unused = m;
		h->ended_site = site;
		h->ended_fn = c->fn;
	}
	hb__track_unlock();
}

void hb__handles_alive(void (*visit)(void *user, const struct hb__held *h), void *user)
{
	hb__track_lock();
	for (uint32_t i = 0; i < handles.size; i++) {
		const struct hb__held *h = handles.value[i];
		if (h && h->made)
			visit(user, h);
	}
	hb__track_unlock();
}

#define ENOUGH 50

bool hb__remark_wanted(enum hb_remark_word word, uint32_t site)
{
	static struct hb__map counts;
	uintptr_t key = (uintptr_t)site << 8 | (uintptr_t)word;
	hb__track_lock();
	uintptr_t n = (uintptr_t)hb__map_find(&counts, key) + 1;
	if (n <= ENOUGH)
		hb__map_put(&counts, key, (void *)n);
	hb__track_unlock();
	return n <= ENOUGH;
}
