/* Buffers that were written, read or given to another call while an operation on them was pending. */
#include <stdio.h>
#include <string.h>

#include "rules/lifecycle/parts.h"

/* The processor has seen the very access: better than a digest. */
static bool seen_by_guard(const hb_case *c, const hb_remark *r)
{
	uint32_t lane, other;
	int64_t posting, p;
	if (!hb_remark_request(r, "req", &lane, &posting))
		return false;
	for (size_t i = 0; i < c->remarks->n; i++) {
		const hb_remark *s = &c->remarks->at[i];
		if (s->word == HB_REMARK_TOUCHED && s->process == r->process &&
			hb_remark_request(s, "req", &other, &p) && other == lane && p == posting)
			return true;
	}
	return false;
}

static bool same_request(const hb_remark *a, const char *key, uint32_t lane, int64_t posting)
{
	uint32_t other;
	int64_t p;
	return hb_remark_request(a, key, &other, &p) && other == lane && p == posting;
}

/* A remark of this kind is about the same request: it was told, and is why the buffer changed. */
static bool has_remark(const hb_case *c, const hb_remark *r, enum hb_remark_word word)
{
	uint32_t lane;
	int64_t posting;
	if (!hb_remark_request(r, "req", &lane, &posting))
		return false;
	for (size_t i = 0; i < c->remarks->n; i++) {
		const hb_remark *s = &c->remarks->at[i];
		if (s->word == word && s->process == r->process &&
			(same_request(s, "req", lane, posting) || same_request(s, "other", lane, posting)))
			return true;
	}
	return false;
}

hb_status hb__told_written(hb_case *c, const hb_remark *r, hb_error *err)
{
	if (seen_by_guard(c, r) || has_remark(c, r, HB_REMARK_OVERLAP) || has_remark(c, r, HB_REMARK_BUFFER_FREED))
		return HB_OK;
	char fn[64], made[64];
	hb_remark_text(r, "fn", fn, sizeof fn);
	hb_remark_text(r, "madefn", made, sizeof made);
	if (hb_remark_number(r, "receives", 0)) {
		hb_point places[] = {hb__other_point(r, "made", "madefn", "receives into the buffer"),
			hb__call_point(c, r, "the next call: the buffer has changed since the previous call")};
		return hb__finding(c, HB_BUFFER_TOUCHED, false,
			"Read and write the buffer only after the request has completed (MPI_Wait, MPI_Test).", places,
			2, err, "rank %d changes the buffer of %s before it has completed", hb__rank_of(c, r), made);
	}
	hb_point points[] = {hb__other_point(r, "made", "madefn", "sends the buffer"),
		hb__call_point(c, r, "completes it: the buffer has changed")};
	bool mapped = hb_remark_number(r, "mapped", 1);
	return hb__finding(c, HB_BUFFER_WRITTEN, false,
		mapped ? "Write to the buffer only after the request has completed (MPI_Wait, MPI_Test), or send a copy."
		       : "Give the memory back only after the request has completed.",
		points, 2, err,
		mapped ? "rank %d changes the buffer of %s before %s completes it"
		       : "rank %d gives the buffer of %s back to the system before %s completes it",
		hb__rank_of(c, r), made, fn);
}

/* Its string functions read whole words, past what they were given: that says nothing of the memory beside it. */
static bool in_libc(const hb_case *c, const hb_remark *r)
{
	const hb_log *log = hb_model_processes(c->model)[r->process].log;
	const hb_site *site = hb_log_site(log, (uint32_t)hb_remark_number(r, "by", 0));
	const hb_module *module = site ? hb_log_module(log, site->module) : NULL;
	const char *name = module ? strrchr(module->path, '/') : NULL;
	return name && (!strncmp(name, "/libc.so", 8) || !strncmp(name, "/libc-", 6));
}

hb_status hb__told_touched(hb_case *c, const hb_remark *r, hb_error *err)
{
	char what[32];
	if (strcmp(hb_remark_text(r, "what", what, sizeof what), "request") != 0)
		return HB_OK;
	bool receive = hb_remark_number(r, "writes", 0);
	if ((receive && in_libc(c, r)) || has_remark(c, r, HB_REMARK_BUFFER_FREED))
		return HB_OK;
	hb_point access = hb__other_point(r, "by", "", receive ? "accesses the buffer" : "writes to the buffer");
	hb_point points[] = {access,
		hb__other_point(r, "made", "", receive ? "receives into the buffer" : "sends the buffer"),
		hb__call_point(c, r, "the next call: the request has not completed before this call")};
	if (receive)
		return hb__finding(c, HB_BUFFER_TOUCHED, false,
			"Read and write the buffer only after the request has completed (MPI_Wait, MPI_Test).", points,
			3, err, "rank %d accesses a receive buffer while the receive is pending", hb__rank_of(c, r));
	return hb__finding(c, HB_BUFFER_WRITTEN, false,
		"Write to the buffer only after the request has completed (MPI_Wait, MPI_Test), or send a copy.",
		points, 3, err, "rank %d writes to a send buffer while the send is pending", hb__rank_of(c, r));
}

hb_status hb__told_overlap(hb_case *c, const hb_remark *r, hb_error *err)
{
	char fn[64], made[64], arg[48];
	hb_remark_text(r, "fn", fn, sizeof fn);
	hb_remark_text(r, "madefn", made, sizeof made);
	hb_remark_text(r, "arg", arg, sizeof arg);
	long long bytes = (long long)hb_remark_number(r, "bytes", 0);
	bool writes = hb_remark_number(r, "writes", 0);
	hb_point points[] = {hb__call_point(c, r, writes ? "writes to the same memory" : "reads the same memory"),
		hb__other_point(r, "made", "madefn", "is pending")};
	return hb__finding(c, HB_BUFFER_OVERLAP, false,
		"Complete the pending operation first, or use another buffer: no other operation may use memory that a pending operation writes, or write memory that it reads.",
		points, 2, err, "rank %d: %s (%s) %s %lld byte%s of the buffer of a pending %s", hb__rank_of(c, r), fn,
		arg, writes ? "receives into" : "sends from", bytes, bytes == 1 ? "" : "s", made);
}
