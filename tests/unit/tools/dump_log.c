/* Prints all that a log says, a line for each thing: what tests/checks/second_reader.py prints, from our reader. */
#include <inttypes.h>
#include <stdio.h>

#include <hbdb/format.h>

static void numbers(const char *name, const int64_t *v, uint32_t n)
{
	printf(" %s=[", name);
	for (uint32_t i = 0; i < n; i++)
		printf("%s%" PRId64, i ? "," : "", v[i]);
	putchar(']');
}

static void members(const char *name, const int32_t *v, uint32_t n)
{
	printf(" %s=[", name);
	for (uint32_t i = 0; i < n; i++)
		printf("%s%d", i ? "," : "", v[i]);
	putchar(']');
}

static void print_info(const hb_log_info *i)
{
	printf("log sealed=%d rank=%d size=%d pid=%u level=%u state=%u stopped=%u threads=%u library=%u", i->sealed,
		i->rank, i->size, i->pid, i->level, i->state, i->stopped, i->thread_level, i->library);
	printf(" real=%" PRIu64 " mono=%" PRIu64 " lost=%" PRIu64 " recovered=%d tick=%.9g\n", i->origin_real,
		i->origin_mono, i->lost, i->recovered, i->tick_ns);
	printf("host %s\nversion %s\nprogram %s\n", i->host, i->version_text, i->program);
}

static void print_datatype(uint32_t number, const hb_datatype *d)
{
	printf("datatype %u size=%" PRIu64 " %s\n", number, d->size, d->name);
	const hb_signature *s = d->signature;
	if (!s)
		return;
	printf("signature %u elements=%" PRIu64 " digest=%" PRIx64, number, s->elements, s->digest);
	for (uint32_t i = 0; i < s->n; i++)
		printf(" %u:%" PRIu64, s->run[i].basic, s->run[i].elements);
	putchar('\n');
}

static void print_process(const hb_log *log)
{
	const hb_identity *id = hb_log_identity(log);
	if (id)
		printf("process made=%d rank=%d began=%" PRIu64 " world=%s maker=%s\n",
			id->spawned  ? 1
			: id->forked ? 2
				     : 0,
			id->maker_rank, id->began, id->world, id->maker);
	const hb_ancestor *a;
	for (uint32_t k = 0; (a = hb_log_ancestor(log, k)); k++)
		printf("ancestor started=%" PRIu64 " pid=%u %s\n", a->started, a->pid, a->name);
	if (hb_log_network(log))
		printf("network %" PRIu64 "\n", hb_log_network(log));
	const hb_processor *processor = hb_log_processor(log);
	if (processor)
		printf("processor %s big=%u word=%u\n", processor->name, processor->big_endian, processor->word);
	for (uint32_t k = 0; hb_log_text(log, k); k++)
		printf("text %u %s\n", k, hb_log_text(log, k));
	const hb_bridge *b;
	for (uint32_t k = 0; (b = hb_log_bridge(log, k)); k++)
		printf("bridge comm=%u kind=%u root=%d entered=%" PRIu64 " returned=%" PRIu64 " port=%s\n", b->comm,
			b->kind, b->root, b->entered, b->returned, b->port);
}

static void print_definitions(const hb_log *log)
{
	const hb_log_info *i = hb_log_get_info(log);
	for (uint32_t k = 0; k < i->functions; k++) {
		const hb_function *f = hb_log_function(log, k);
		if (!f)
			continue;
		printf("function %u class=%u calls=%" PRIu64 " %s:%s(", k, f->cls, f->calls, f->layer, f->name);
		for (uint32_t a = 0; a < f->nargs; a++)
			printf("%s%s:%u", a ? "," : "", f->arg_name[a], f->arg_kind[a]);
		printf(")(");
		for (uint32_t v = 0; v < f->nvalues; v++)
			printf("%s%s:%u", v ? "," : "", f->value_name[v], f->value_type[v]);
		puts(")");
	}
	for (uint32_t k = 0; k < i->modules; k++) {
		const hb_module *m = hb_log_module(log, k);
		if (m)
			printf("module %u base=%" PRIx64 " id=%s %s\n", k, m->base, m->build_id, m->path);
	}
	for (uint32_t k = 0; k < i->sites; k++) {
		const hb_site *s = hb_log_site(log, k);
		if (s)
			printf("site %u module=%u offset=%" PRIx64 "\n", k, s->module, s->offset);
	}
	for (uint32_t k = 0; k < i->comms; k++) {
		const hb_comm *c = hb_log_comm(log, k);
		if (!c)
			continue;
		printf("comm %u parent=%" PRId64 " index=%" PRIu64 " leader=%" PRId64 " rank=%u flags=%u", k, c->parent,
			c->index, c->leader, c->rank, c->flags);
		members("members", c->member, c->size);
		members("remote", c->remote, c->remote_size);
		putchar('\n');
	}
	for (uint32_t k = 0; k < i->datatypes; k++) {
		const hb_datatype *d = hb_log_datatype(log, k);
		if (d)
			print_datatype(k, d);
	}
	for (uint32_t k = 0; k < i->ops; k++)
		if (hb_log_op(log, k))
			printf("op %u %s\n", k, hb_log_op(log, k));
	print_process(log);
	for (uint32_t k = 0; k < i->notes; k++) {
		const hb_note *n = hb_log_note(log, k);
		printf("note lane=%d event=%" PRIu64 " %s\n", n->lane == HB_NO ? -1 : (int)n->lane, n->event, n->text);
	}
}

static void print_value(const hb_remark_field *f, const hb_remark_value *v)
{
	int64_t number[200];
	printf(" %s=", f->name);
	if (f->type == 13)
		printf("%s", f->word[v->number]);
	else if (f->type == 16)
		printf("%.*s", (int)v->bytes, v->text);
	else if (f->type == 17)
		printf("%u.%" PRIu64, v->lane, (uint64_t)v->number);
	else if (f->type < 18)
		printf(f->type == 14 ? "%" PRIu64 : "%" PRId64, v->number);
	for (uint64_t i = 0, n = f->type > 17 ? hb_remark_numbers(v, number, 200) : 0; i < n; i++)
		printf("%s%" PRId64, i ? "," : "[", number[i]);
	if (f->type > 17)
		printf(v->n ? "]" : "[]");
}

static void print_remarks(const hb_log *log)
{
	hb_remark_value value[HB_REMARK_FIELDS_MOST];
	const hb_remark_row *r;
	for (uint64_t k = 0; (r = hb_log_remark(log, k)); k++) {
		const hb_remark_kind *kind = hb_log_remark_kind(log, r->kind);
		printf("remark lane=%d event=%" PRIu64 " kind=%" PRIu64, r->lane == HB_NO ? -1 : (int)r->lane, r->event,
			r->kind);
		if (!hb_remark_read(log, r, value)) {
			puts(" left out");
			continue;
		}
		printf(" %s", kind->word);
		for (uint32_t i = 0; i < kind->fields; i++)
			if (value[i].told)
				print_value(&kind->field[i], &value[i]);
		putchar('\n');
	}
}

static void print_row(const hb_row *r)
{
	printf("%u:%" PRIu64 " function=%u site=%u enter=%" PRIu64 " exit=%" PRIu64 " polls=%" PRIu64
	       " skipped=%" PRIu64 " result=%" PRId64,
		r->lane, r->number, r->function, r->site, r->enter, r->exit, r->polls, r->skipped, r->result);
	if (r->has_digest)
		printf(" check=%04x", r->digest);
	numbers("args", r->arg, r->nargs);
	numbers("results", r->results, r->nresults);
	putchar('\n');
}

static void print_waits(hb_log *log, uint32_t lane, const hb_lane_info *l)
{
	hb_cursor *c;
	hb_row r;
	if (!l->waits && !l->polling)
		return;
	printf(" waits=%" PRIu64 "/", l->waits);
	for (uint32_t i = 0; i < l->nwait; i++)
		printf("%" PRIx64 ",", l->wait[i]);
	if (!l->polling || hb_cursor_open(log, lane, l->events + 1, &c, NULL))
		return;
	if (!hb_cursor_slot(c, l->polling_slot, &r)) {
		printf(" polling=%u site=%u", r.function, r.site);
		numbers("args", r.arg, r.nargs);
	}
	hb_cursor_close(c);
}

static void print_lane(hb_log *log, uint32_t lane)
{
	hb_lane_info l;
	hb_cursor *c;
	hb_row r;
	int more = -1;
	if (hb_log_lane(log, lane, &l))
		return;
	printf("lane %u thread=%" PRIu64 " polls=%" PRIu64 " skipped=%" PRIu64 " events=%" PRIu64, lane, l.thread,
		l.polls, l.skipped, l.events);
	if (l.inside && !hb_cursor_open(log, lane, l.events + 1, &c, NULL)) {
		if (!hb_cursor_slot(c, l.inside_slot, &r)) {
			printf(" inside=%u site=%u enter=%" PRIu64, r.function, r.site, l.inside_enter);
			numbers("args", r.arg, r.nargs);
		}
		hb_cursor_close(c);
	}
	print_waits(log, lane, &l);
	putchar('\n');
	if (!hb_cursor_open(log, lane, 1, &c, NULL)) {
		while ((more = hb_cursor_next(c, &r, NULL)) > 0)
			print_row(&r);
		hb_cursor_close(c);
	}
	if (more < 0)
		puts("damaged");
}

int main(int argc, char **argv)
{
	hb_log *log;
	hb_error e;
	if (argc != 2) {
		fprintf(stderr, "usage: %s LOG\n", argv[0]);
		return 2;
	}
	if (hb_log_open(argv[1], &log, &e)) {
		printf("cannot be read\n");
		fprintf(stderr, "%s\n", e.message);
		return 3;
	}
	print_info(hb_log_get_info(log));
	print_definitions(log);
	print_remarks(log);
	for (uint32_t l = 0; l < hb_log_get_info(log)->lanes; l++)
		print_lane(log, l);
	hb_log_close(log);
	return 0;
}
