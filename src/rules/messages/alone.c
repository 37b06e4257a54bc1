/* Messages that nobody received, and receives that nothing was sent for: of processes that said with MPI_Finalize that they
 * are through with it. What is still blocked is the business of the rules of deadlock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/messages/messages.h"

#define MOST 400 /* that are looked at; those that follow are mostly from the same lines */

/* MPI_Comm_create_group is called by some members only, and after it the model may take a communicator of its parent for two. */
static bool some_made_communicators(const struct hb__letters *l)
{
	for (uint32_t p = 0; p < l->info->processes; p++)
		if (l->process[p].log && hb_log_calls(l->process[p].log, HB_DOES_BIRTH_OF_GROUP))
			return true;
	return false;
}

/* A world is never taken for another communicator. */
static bool is_world(const hb_group *g) { return !strncmp(g->name, "WORLD", strlen("WORLD")) && !strchr(g->name, '.'); }

/* Whether this member is sure to know the communicator as the others do. */
static bool sure(const struct hb__letters *l, uint32_t group, uint32_t process)
{
	return group < l->info->groups && (!l->loose || is_world(&hb_model_groups(l->m)[group])) &&
	       hb_model_shares(l->m, group, process);
}

/* Which processes are through with it, and which receives a finding was about. */
struct alone {
	struct hb__letters *l;
	bool *over, *told;
};

static bool is_of(const uint32_t *member, uint32_t n, uint32_t process)
{
	for (uint32_t i = 0; i < n; i++)
		if (member[i] == process)
			return true;
	return false;
}

/* Whoever could send what a receive from anybody takes is through: of an intercommunicator the other side. */
static bool all_over(const struct alone *a, const hb_spec *s)
{
	const hb_group *g = &hb_model_groups(a->l->m)[s->group];
	bool remote = g->remote_size && is_of(g->member, g->size, s->process);
	const uint32_t *from = remote ? g->remote : g->member;
	for (uint32_t i = 0, n = remote ? g->remote_size : g->size; i < n; i++)
		if (from[i] == HB_NO || !a->over[from[i]] || !sure(a->l, s->group, from[i]))
			return false;
	return true;
}

/* Through MPI_Finalize, and nobody sends to it any more. */
static bool waits_in_vain(const struct alone *a, uint32_t receive)
{
	const struct hb__letters *l = a->l;
	const hb_receive *v = &l->receive[receive];
	const hb_spec *s = &l->spec[v->spec];
	if (!(v->flags & HB_PENDING) || !v->post || v->send != HB_NO || v->flags & (HB_CANCEL_ASKED | HB_AMBIGUOUS) ||
		!a->over[s->process] || !sure(l, s->group, s->process))
		return false;
	bool senders = s->any_source
			       ? all_over(a, s)
			       : s->source < l->info->processes && a->over[s->source] && sure(l, s->group, s->source);
	const hb_line *line = &l->line[v->line];
	return senders && !(line->inside && line->events == v->post) && !hb__letter_maybe_came(l, receive);
}

/* A receive is told once: with the message that it was meant for, by itself, or as a request that is not completed. */
static hb_status told(struct alone *a, uint32_t receive)
{
	const hb_spec *s = &a->l->spec[a->l->receive[receive].spec];
	a->told[receive] = true;
	return a->l->info->open ? HB_OK : hb__told_waiting(a->l->c, s->process, s->site, a->l->err);
}

/* What goes through sockets and pipes may be lost, and need not be read. */
static hb_status tell_unread(struct hb__letters *l, uint32_t send)
{
	const hb_channel *c = &l->channel[l->send[send].channel];
	const char *from = hb__letter_name(l, c->source), *to = hb__letter_name(l, c->dest);
	char role[160];
	snprintf(role, sizeof role, "sends %llu bytes to %s%.60s", (unsigned long long)hb_send_bytes(l->m, send),
		hb_rank_word(to), to);
	hb_point point = hb__letter_send_point(l, send, role);
	return hb__finding(l->c, HB_MESSAGE_UNREAD, l->send[send].flags & HB_AMBIGUOUS,
		"If it matters, receive it before the process ends, or have it answered and send it again.", &point, 1,
		l->err, "%s%s sends %llu bytes over %s, and %s%s ends without having received them", hb_rank_word(from),
		from, (unsigned long long)hb_send_bytes(l->m, send), hb_model_group_name(l->m, c->group),
		hb_rank_word(to), to);
}

static hb_status tell_lost(struct alone *a, uint32_t send)
{
	struct hb__letters *l = a->l;
	const hb_channel *c = &l->channel[l->send[send].channel];
	char what[200] = "a message", near[200], on[64], role[200], advice[300];
	hb_data data;
	hb_point point[2];
	if (hb__letter_sent(l, send, &data))
		hb__data_text(&data, what, sizeof what);
	snprintf(role, sizeof role, "sends %.90s to rank %s with tag %d", what, hb__letter_name(l, c->dest), c->tag);
	point[0] = hb__letter_send_point(l, send, role);
	uint32_t like = hb__letter_near_receive(l, send, a->told, near);
	bool both = like != HB_NO && !a->told[like] && waits_in_vain(a, like);
	if (both && told(a, like))
		return HB_E_MEMORY;
	if (like != HB_NO) {
		point[1] = hb__letter_post_point(l, like, near);
		snprintf(advice, sizeof advice,
			"If these two should match, make source, destination, tag and communicator of both calls agree.");
	} else {
		snprintf(advice, sizeof advice,
			"Receive it on rank %s before MPI_Finalize, or do not send it; so far it was only buffered.",
			hb__letter_name(l, c->dest));
	}
	return hb__finding(l->c, HB_MESSAGE_LOST, l->send[send].flags & HB_AMBIGUOUS, advice, point,
		like == HB_NO ? 1 : 2, l->err,
		"rank %s sends %s to rank %s with tag %d%s in %s, and rank %s never receives it%s%s%s",
		hb__letter_name(l, c->source), what, hb__letter_name(l, c->dest), c->tag,
		hb__letter_on(l, c->group, on), hb__letter_send_name(l, send), hb__letter_name(l, c->dest),
		near[0] ? ": " : "", near, both ? ", and no such message is ever sent" : "");
}

static hb_status lost(struct alone *a)
{
	struct hb__letters *l = a->l;
	const bool *over = a->over;
	hb_status status = HB_OK;
	uint32_t told = 0;
	for (uint32_t i = 0; !status && i < l->info->sends && told < MOST; i++) {
		const hb_send *s = &l->send[i];
		const hb_channel *c = &l->channel[s->channel];
		if (s->receive != HB_NO || s->flags & HB_CANCELLED || l->late[i] || c->dest >= l->info->processes ||
			!over[c->dest] || c->source >= l->info->processes)
			continue;
		const hb_line *line = &l->line[s->line];
		if ((line->inside && line->events == s->event) || !sure(l, c->group, c->dest) ||
			hb__letter_maybe_taken(l, i))
			continue; /* it is still being sent; or a receive whose end is not known may have got it */
		told++;
		status = hb_model_groups(l->m)[c->group].untagged ? tell_unread(l, i) : tell_lost(a, i);
	}
	return status;
}

static hb_status tell_missing(struct hb__letters *l, uint32_t receive)
{
	const hb_spec *s = &l->spec[l->receive[receive].spec];
	char from[32], tag[32], on[64], near[200], advice[300];
	hb_point point[2] = {hb__letter_post_point(l, receive, "waits for a message")};
	hb_data room;
	if (hb__letter_room(l, receive, &room)) {
		char text[200];
		hb__data_text(&room, text, sizeof text);
		snprintf(point[0].role, sizeof point[0].role, "has room for %.120s", text);
	}
	uint32_t like = hb__letter_near_send(l, receive, near);
	if (like != HB_NO)
		point[1] = hb__letter_send_point(l, like, near);
	if (near[0])
		snprintf(advice, sizeof advice,
			"If these two should match, make source, destination, tag and communicator of both calls agree.");
	else
		snprintf(advice, sizeof advice,
			"Send such a message, do not post the receive, or cancel the receive and wait for it.");
	return hb__finding(l->c, HB_MESSAGE_MISSING, l->info->open, advice, point, like == HB_NO ? 1 : 2, l->err,
		"rank %s posts a receive from %s with %s%s in %s, and no such message is ever sent%s%s",
		hb__letter_name(l, s->process), hb__letter_from(l, s, from), hb__letter_tag(s->tag, tag),
		hb__letter_on(l, s->group, on), hb__letter_receive_name(l, receive), near[0] ? "; " : "", near);
}

static hb_status missing(struct alone *a)
{
	hb_status status = HB_OK;
	uint32_t n = 0;
	for (uint32_t i = 0; !status && i < a->l->info->receives && n < MOST; i++) {
		if (a->told[i] || !waits_in_vain(a, i))
			continue;
		n++;
		status = tell_missing(a->l, i);
		status = status ? status : told(a, i);
	}
	return status;
}

hb_status hb__letters_alone(struct hb__letters *l)
{
	hb_status status = HB_OK;
	struct alone a = {.l = l,
		.over = calloc((size_t)l->info->processes + 1, sizeof *a.over),
		.told = calloc((size_t)l->info->receives + 1, sizeof *a.told)};
	if (!a.over || !a.told) {
		status = HB_E_MEMORY;
		if (l->err)
			*l->err = (hb_error){.status = HB_E_MEMORY, .message = "out of memory"};
	}
	for (uint32_t p = 0; !status && p < l->info->processes; p++)
		a.over[p] = hb__letter_over(l, p);
	l->loose = some_made_communicators(l);
	if (!status)
		status = lost(&a);
	if (!status)
		status = missing(&a);
	free(a.over);
	free(a.told);
	return status;
}
