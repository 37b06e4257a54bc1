/* Buffers that were written, read or given to another call while an operation on them was pending. */
#include <stdio.h>
#include <string.h>

#include "rules/lifecycle/parts.h"

static bool is_about(const hb_remark *r, hb_request_name request)
{
	switch (r->word) {
	case HB_REMARK_TOUCHED:
		return hb_remark_same_request(r->touch->req, request);
	case HB_REMARK_BUFFER_FREED:
		return hb_remark_same_request(r->block->req, request);
	case HB_REMARK_OVERLAP:
		return hb_remark_same_request(r->overlap->req, request) ||
		       hb_remark_same_request(r->overlap->other, request);
	default:
		return false;
	}
}

/* A remark of this kind is about the request: it was told, and is why the buffer changed. */
static bool has_remark(const hb_case *c, const hb_remark *r, hb_request_name request, enum hb_remark_word word)
{
	for (size_t i = 0; i < c->remarks->n && request.told; i++) {
		const hb_remark *s = &c->remarks->at[i];
		if (s->word == word && s->process == r->process && is_about(s, request))
			return true;
	}
	return false;
}

hb_status hb__told_written(hb_case *c, const hb_remark *r, hb_error *err)
{
	hb_request_name req = r->written->req;
	/* the processor has seen the very access: better than a digest */
	if (has_remark(c, r, req, HB_REMARK_TOUCHED) || has_remark(c, r, req, HB_REMARK_OVERLAP) ||
		has_remark(c, r, req, HB_REMARK_BUFFER_FREED))
		return HB_OK;
	const char *fn = r->call->fn;
	const char *made = r->written->madefn;
	if (r->written->receives) {
		hb_point places[] = {
			hb__other_point(r, r->written->made, r->written->madefn, "receives into the buffer"),
			hb__call_point(c, r, "the next call: the buffer has changed since the previous call")};
		return hb__finding(c, HB_BUFFER_TOUCHED, false,
			"Read and write the buffer only after the request has completed (MPI_Wait, MPI_Test).", places,
			2, err, "rank %s changes the buffer of %s before it has completed", hb__named_of(c, r), made);
	}
	hb_point points[] = {hb__other_point(r, r->written->made, r->written->madefn, "sends the buffer"),
		hb__call_point(c, r, "completes it: the buffer has changed")};
	bool mapped = r->written->mapped;
	return hb__finding(c, HB_BUFFER_WRITTEN, false,
		mapped ? "Write to the buffer only after the request has completed (MPI_Wait, MPI_Test), or send a copy."
		       : "Give the memory back only after the request has completed.",
		points, 2, err,
		mapped ? "rank %s changes the buffer of %s before %s completes it"
		       : "rank %s gives the buffer of %s back to the system before %s completes it",
		hb__named_of(c, r), made, fn);
}

/* Its string functions read whole words, past what they were given: that says nothing of the memory beside it. */
static bool in_libc(const hb_case *c, const hb_remark *r)
{
	const hb_log *log = hb_model_processes(c->model)[r->process].log;
	const hb_site *site = hb_log_site(log, r->touch->by);
	const hb_module *module = site ? hb_log_module(log, site->module) : NULL;
	const char *name = module ? strrchr(module->path, '/') : NULL;
	return name && (!strncmp(name, "/libc.so", 8) || !strncmp(name, "/libc-", 6));
}

hb_status hb__told_touched(hb_case *c, const hb_remark *r, hb_error *err)
{
	if (r->touch->what != HB_WHAT_REQUEST)
		return HB_OK;
	bool receive = r->touch->writes;
	if ((receive && in_libc(c, r)) || has_remark(c, r, r->touch->req, HB_REMARK_BUFFER_FREED))
		return HB_OK;
	hb_point access =
		hb__other_point(r, r->touch->by, "", receive ? "accesses the buffer" : "writes to the buffer");
	hb_point points[] = {access,
		hb__other_point(r, r->touch->made, "", receive ? "receives into the buffer" : "sends the buffer"),
		hb__call_point(c, r, "the next call: the request has not completed before this call")};
	if (receive)
		return hb__finding(c, HB_BUFFER_TOUCHED, false,
			"Read and write the buffer only after the request has completed (MPI_Wait, MPI_Test).", points,
			3, err, "rank %s accesses a receive buffer while the receive is pending", hb__named_of(c, r));
	return hb__finding(c, HB_BUFFER_WRITTEN, false,
		"Write to the buffer only after the request has completed (MPI_Wait, MPI_Test), or send a copy.",
		points, 3, err, "rank %s writes to a send buffer while the send is pending", hb__named_of(c, r));
}

hb_status hb__told_overlap(hb_case *c, const hb_remark *r, hb_error *err)
{
	const char *fn = r->call->fn;
	const char *made = r->overlap->madefn;
	const char *arg = r->overlap->arg;
	long long bytes = (long long)r->overlap->bytes;
	bool writes = r->overlap->writes;
	hb_point points[] = {hb__call_point(c, r, writes ? "writes to the same memory" : "reads the same memory"),
		hb__other_point(r, r->overlap->made, r->overlap->madefn, "is pending")};
	return hb__finding(c, HB_BUFFER_OVERLAP, false,
		"Complete the pending operation first, or use another buffer: no other operation may use memory that a pending operation writes, or write memory that it reads.",
		points, 2, err, "rank %s: %s (%s) %s %lld byte%s of the buffer of a pending %s", hb__named_of(c, r), fn,
		arg, writes ? "receives into" : "sends from", bytes, bytes == 1 ? "" : "s", made);
}
