/* Contents that nothing compares: counted by the calls that move them. */
#include "calls/meaning.h"
#include "internal.h"

/* Of windows and files: no event has a check of them, and many are no events. */
static bool moves(const hb_function *f)
{
	unsigned n = 0;
	const hb_meaning *means = hb_meaning_of(f->name, f->cls);
	const struct hb__param *p = hb_parameters_of(means, &n);
	for (unsigned i = 0; i < n; i++)
		if ((means->cls == HB_RMA || means->cls == HB_IO) && (p[i].kind == HB_P_SBUF || p[i].kind == HB_P_RBUF))
			return true;
	return false;
}

/* Its processes store in each other's memory without a call. */
static bool shares(const hb_function *f) { return hb_meaning_of(f->name, f->cls)->flavor == HB_FLAVOR_SHARED; }

static uint64_t count(const hb_log *log, bool (*is)(const hb_function *f))
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < hb_log_get_info(log)->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		n += f && f->name && f->calls && is(f) ? f->calls : 0;
	}
	return n;
}

uint64_t hb__unseen(const hb_log *log) { return count(log, moves); }
uint64_t hb__shared_windows(const hb_log *log) { return count(log, shares); }
