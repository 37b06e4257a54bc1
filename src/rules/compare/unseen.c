/* Contents that no digest is made of, and no check: counted by the calls that move them. */
#include "calls/meaning.h"
#include "internal.h"

static bool has_parameter(const hb_meaning *means, uint8_t kind)
{
	unsigned n = 0;
	const struct hb__param *p = hb_parameters_of(means, &n);
	for (unsigned i = 0; i < n; i++)
		if (p[i].kind == kind)
			return true;
	return false;
}

/* Of windows and files. What is given has a digest, and so have what a request brings and what was read and is told by a status; what a window
 * is asked for comes with a later call, and the second half of a read knows its buffer no more. */
static bool is_unseen(const hb_function *f, bool digests)
{
	const hb_meaning *means = hb_meaning_of(f->name, f->cls);
	bool brings = has_parameter(means, HB_P_RBUF);
	if (means->cls != HB_RMA && means->cls != HB_IO)
		return false;
	if (!digests)
		return brings || has_parameter(means, HB_P_SBUF);
	bool later = means->cls == HB_IO ? !has_parameter(means, HB_P_STATUS) : true;
	return brings && later && !(means->flags & HB_NONBLOCKING);
}

uint64_t hb__unseen(const hb_log *log, bool digests)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < hb_log_get_info(log)->functions; i++) {
		const hb_function *f = hb_log_function(log, i);
		n += f && f->name && f->calls && is_unseen(f, digests) ? f->calls : 0;
	}
	return n;
}
