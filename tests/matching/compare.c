/* Compares the messages that the model matched with those that the processes saw.
 *
 * usage: compare RECORDING.hbdb
 *
 * The recording was made with HBDB_CARRY=serial: notes tell which send each receive got (docs/CONTRACTS.md). Prints a
 * line for every difference and at last the counts. Exit status 0: no receive was matched wrongly. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

enum { RANKS_MAX = 4096 };

struct process {
	hb_log *log;
	int rank;
	unsigned pid;
};

/* What posting number n of a lane is. */
struct posting {
	uint32_t event;
	uint32_t which; /* among the receives that this event posts, from 0 */
	bool receives;
};
struct lane {
	struct posting *at;
	size_t n;
};

struct compare {
	struct process p[RANKS_MAX];
	size_t n;
	hb_model *model;
	struct lane *lanes;      /* by line of the model */
	uint32_t *first_of_line; /* first receive of a line in `order` */
	uint32_t *order;         /* receives by line, then post */
	bool *confirmed;         /* by receive */
	unsigned long same, wrong, lost, unposted, doubted_same, doubted_wrong;
	/* rings: receives of messages that were sent before the recording begins, and others without a match */
	unsigned long before, untold;
};

static void *must(void *p)
{
	if (!p) {
		fprintf(stderr, "compare: out of memory\n");
		exit(3);
	}
	return p;
}

/* ---- the recording ---- */

static void open_logs(struct compare *c, const char *folder)
{
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		struct process *p = &c->p[c->n];
		char path[4096], rest[64] = "";
		hb_error err;
		*p = (struct process){0};
		int got = sscanf(e->d_name, "rank.%d.%63s", &p->rank, rest);
		if (got < 2 || (strcmp(rest, "log") && sscanf(rest, "%u.log", &p->pid) != 1) || c->n + 1 == RANKS_MAX)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (hb_log_open(path, &p->log, &err)) {
			fprintf(stderr, "compare: %s: %s\n", path, err.message);
			exit(3);
		}
		c->n++;
	}
	if (dir)
		closedir(dir);
	if (!c->n) {
		fprintf(stderr, "compare: %s: there is no log\n", folder);
		exit(3);
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	if ((x->pid != 0) != (y->pid != 0))
		return x->pid ? 1 : -1;
	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->pid > y->pid) - (x->pid < y->pid);
}

static void build(struct compare *c)
{
	hb_source *sources = must(calloc(c->n + 1, sizeof *sources));
	hb_error err;
	qsort(c->p, c->n, sizeof *c->p, by_rank);
	for (size_t i = 0; i < c->n; i++)
		sources[i] = (hb_source){.log = c->p[i].log, .rank = c->p[i].rank, .world = c->p[i].pid};
	if (hb_model_build(sources, c->n, NULL, NULL, &c->model, &err)) {
		fprintf(stderr, "compare: %s\n", err.message);
		exit(3);
	}
	free(sources);
}

/* ---- rings: numbers of the notes count from the beginning of the run, those of the model from that of the recording ---- */

static hb_lane_info lane_info(const struct process *p, uint32_t lane)
{
	hb_lane_info info = {0};
	if (hb_log_lane(p->log, lane, &info))
		exit(3);
	return info;
}

static const struct process *process_of_rank(const struct compare *c, int rank)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->p[i].rank == rank && !c->p[i].pid)
			return &c->p[i];
	return NULL;
}

/* ---- postings: which event made which, and what kind it is ---- */

static void post(struct lane *l, struct posting posting)
{
	if (!(l->n & (l->n - 1)))
		l->at = must(realloc(l->at, (l->n ? 2 * l->n : 1) * sizeof *l->at));
	l->at[l->n++] = posting;
}

static bool receiving(const hb_event *ev)
{
	return ev->function && (strstr(ev->function->name, "recv") || strstr(ev->function->name, "Recv") ||
				       strstr(ev->function->name, "probe"));
}

static bool posts_receive(const struct compare *c, uint32_t line, uint32_t event)
{
	uint64_t n;
	const hb_op *op = hb_model_ops(c->model, line, &n);
	for (uint64_t i = 0; i < n; i++)
		if (op[i].event == event && op[i].kind == HB_OP_POST)
			return true;
	return false;
}

static void read_postings(const struct compare *c, uint32_t line, struct lane *l)
{
	const hb_line *at = &hb_model_lines(c->model)[line];
	hb_events *events;
	hb_event ev;
	hb_error err;
	if (hb_events_open(c->p[at->process].log, at->lane, &events, &err))
		exit(3);
	while (hb_events_next(events, &ev, &err) == 1) {
		uint32_t receives = 0;
		for (uint32_t i = 0; i < ev.posts; i++) {
			/* made in another lane: not known here, and no program of the tests does it */
			hb_reference r = i < ev.nanswers ? ev.answers[i].request : (hb_reference){0, -1};
			int64_t back = r.posting - (int64_t)lane_info(&c->p[at->process], at->lane).posted_before;
			struct posting *of =
				r.lane == at->lane && back >= 0 && (size_t)back < l->n ? &l->at[back] : NULL;
			bool is = receiving(&ev);
			if (ev.shape ==
				HB_SHAPE_STARTED) /* as the persistent request that it starts; of one made before: by its message */
				is = of ? of->receives : posts_receive(c, line, (uint32_t)ev.row->number);
			if (ev.shape == HB_SHAPE_MATCHED && of) /* Imrecv: the probe got the message */
				post(l, *of);
			else
				post(l, (struct posting){(uint32_t)ev.row->number, receives, is});
			receives += is;
		}
	}
	hb_events_close(events);
}

/* ---- receives ---- */

static const hb_model *sorting;
static int by_post(const void *a, const void *b)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const hb_receive *x = &hb_model_receives(sorting)[i], *y = &hb_model_receives(sorting)[k];
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	if (x->post != y->post)
		return x->post < y->post ? -1 : 1;
	return (i > k) - (i < k);
}

static void index_receives(struct compare *c)
{
	const hb_model_info *info = hb_model_get_info(c->model);
	c->order = must(malloc((info->receives + 1) * sizeof *c->order));
	c->first_of_line = must(calloc(info->lines + 2, sizeof *c->first_of_line));
	c->confirmed = must(calloc(info->receives + 1, sizeof *c->confirmed));
	for (uint32_t i = 0; i < info->receives; i++) {
		c->order[i] = i;
		c->first_of_line[hb_model_receives(c->model)[i].line + 1]++;
	}
	for (uint32_t i = 0; i < info->lines; i++)
		c->first_of_line[i + 1] += c->first_of_line[i];
	sorting = c->model;
	if (info->receives)
		qsort(c->order, info->receives, sizeof *c->order, by_post);
}

static uint32_t receive_of(const struct compare *c, uint32_t line, uint32_t post, uint32_t which)
{
	uint32_t low = c->first_of_line[line], high = c->first_of_line[line + 1];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (hb_model_receives(c->model)[c->order[mid]].post < post)
			low = mid + 1;
		else
			high = mid;
	}
	if (low + which >= c->first_of_line[line + 1])
		return HB_NO;
	uint32_t id = c->order[low + which];
	return hb_model_receives(c->model)[id].post == post ? id : HB_NO;
}

/* ---- notes ---- */

struct note {
	uint32_t lane;   /* of the posting */
	int64_t posting; /* -1: the event itself */
	int32_t rank;    /* of the sender, -1: not known */
	uint32_t from_lane, from_event;
	bool early; /* that event is not there any more */
};

static bool read_note(const hb_note *note, struct note *ret)
{
	char kind[8], which[32], from[48];
	*ret = (struct note){.posting = -1, .rank = -1};
	if (sscanf(note->text, "serial %7s %31s %47s", kind, which, from) != 3)
		return false;
	if (strcmp(which, "-")) {
		long long posting;
		if (sscanf(which, "%u.%lld", &ret->lane, &posting) != 2)
			return false;
		ret->posting = posting;
	}
	return !strcmp(from, "?") || sscanf(from, "%d.%u:%u", &ret->rank, &ret->from_lane, &ret->from_event) == 3;
}

static bool is_right(const struct compare *c, const hb_receive *r, const struct note *told)
{
	const hb_line *lines = hb_model_lines(c->model);
	hb_at at = r->send == HB_NO ? (hb_at){HB_NO, 0} : hb_send_at(c->model, r->send);
	const struct process *from = at.line == HB_NO ? NULL : &c->p[lines[at.line].process];
	return from && from->rank == told->rank && !from->pid && lines[at.line].lane == told->from_lane &&
	       at.event == told->from_event;
}

/* Of a request that was under way when the recording begins: one of those that the event completed. */
static uint32_t receive_under_way(const struct compare *c, uint32_t line, uint64_t done, const struct note *told)
{
	uint32_t found = HB_NO;
	for (uint32_t i = c->first_of_line[line]; i < c->first_of_line[line + 1]; i++) {
		uint32_t id = c->order[i];
		const hb_receive *r = &hb_model_receives(c->model)[id];
		if (r->post || r->done != done || c->confirmed[id])
			continue;
		if (found == HB_NO || is_right(c, r, told))
			found = id;
	}
	return found;
}

static void judge(struct compare *c, const struct process *p, const hb_note *note, const struct note *told,
	uint32_t line, uint32_t post, uint32_t which)
{
	uint32_t id = post ? receive_of(c, line, post, which) : receive_under_way(c, line, note->event, told);
	const hb_line *lines = hb_model_lines(c->model);
	if (id == HB_NO) {
		printf("unposted: %d.%u:%llu \"%s\": the model has no receive posted by event %u\n", p->rank,
			note->lane, (unsigned long long)note->event, note->text, post);
		c->unposted++;
		return;
	}
	const hb_receive *r = &hb_model_receives(c->model)[id];
	c->confirmed[id] = true;
	if (told->rank < 0) {
		c->lost++;
		return;
	}
	hb_at at = r->send == HB_NO ? (hb_at){HB_NO, 0} : hb_send_at(c->model, r->send);
	const struct process *from = at.line == HB_NO ? NULL : &c->p[lines[at.line].process];
	bool right = is_right(c, r, told);
	if (told->rank >= 0 && !from && (told->early || hb_log_before(p->log))) {
		*(told->early ? &c->before : &c->untold) += 1;
		return;
	}
	if (r->flags & HB_AMBIGUOUS) {
		c->doubted_same += right;
		c->doubted_wrong += !right;
		return;
	}
	c->same += right;
	c->wrong += !right;
	if (right)
		return;
	printf("wrong: %d.%u:%llu \"%s\": matched with ", p->rank, note->lane, (unsigned long long)note->event,
		note->text);
	if (from)
		printf("%d.%u:%u\n", from->rank, lines[at.line].lane, at.event);
	else
		printf("nothing\n");
}

static void judge_process(struct compare *c, uint32_t process)
{
	const struct process *p = &c->p[process];
	const hb_process *m = &hb_model_processes(c->model)[process];
	for (uint32_t i = 0; i < hb_log_get_info(p->log)->notes; i++) {
		const hb_note *note = hb_log_note(p->log, i);
		struct note told;
		if (strncmp(note->text, "serial ", 7))
			continue;
		uint32_t lane = note->lane;
		bool read = read_note(note, &told);
		const struct process *from = read && told.rank >= 0 ? process_of_rank(c, told.rank) : NULL;
		if (from) {
			hb_lane_info info = lane_info(from, told.from_lane);
			uint64_t before = info.before;
			/* not there any more; or not there yet, where the log of a process that went on ends */
			told.early = told.from_event <= before ||
				     (hb_log_get_info(from->log)->stopped && told.from_event > before + info.events);
			told.from_event -= told.early ? 0 : (uint32_t)before;
		}
		if (!read || lane >= m->nlines || told.lane >= m->nlines) {
			printf("unposted: rank %d: note not understood: %s\n", p->rank, note->text);
			c->unposted++;
			continue;
		}
		if (told.posting < 0) {
			judge(c, p, note, &told, m->first_line + lane, (uint32_t)note->event, 0);
			continue;
		}
		const struct lane *l = &c->lanes[m->first_line + told.lane];
		int64_t at = told.posting - (int64_t)lane_info(p, told.lane).posted_before;
		const struct posting *posting = at >= 0 && (size_t)at < l->n ? &l->at[at] : NULL;
		judge(c, p, note, &told, m->first_line + told.lane, posting ? posting->event : 0,
			posting ? posting->which : 0);
	}
}

/* Messages of the model that no process has confirmed: what is not carried, and what the notes forgot. */
static unsigned long count_unconfirmed(const struct compare *c)
{
	unsigned long n = 0;
	for (uint32_t i = 0; i < hb_model_get_info(c->model)->receives; i++) {
		const hb_receive *r = &hb_model_receives(c->model)[i];
		if (r->send == HB_NO || c->confirmed[i])
			continue;
		const hb_line *line = &hb_model_lines(c->model)[r->line];
		if (n++ < 10)
			printf("unconfirmed: the receive posted by %d.%u:%u, completed by event %u\n",
				c->p[line->process].rank, line->lane, r->post, r->done);
	}
	return n;
}

static void close_all(struct compare *c)
{
	for (uint32_t i = 0; i < hb_model_get_info(c->model)->lines; i++)
		free(c->lanes[i].at);
	free(c->lanes);
	free(c->order);
	free(c->first_of_line);
	free(c->confirmed);
	hb_model_close(c->model);
	for (size_t i = 0; i < c->n; i++)
		hb_log_close(c->p[i].log);
}

int main(int argc, char **argv)
{
	static struct compare c;
	if (argc != 2) {
		fprintf(stderr, "usage: compare RECORDING.hbdb\n");
		return 2;
	}
	open_logs(&c, argv[1]);
	build(&c);
	const hb_model_info *info = hb_model_get_info(c.model);
	c.lanes = must(calloc(info->lines + 1, sizeof *c.lanes));
	for (uint32_t i = 0; i < info->lines; i++)
		read_postings(&c, i, &c.lanes[i]);
	index_receives(&c);
	for (uint32_t i = 0; i < c.n; i++)
		judge_process(&c, i);
	unsigned long unconfirmed = count_unconfirmed(&c);
	for (uint32_t i = 0; i < info->troubles; i++)
		printf("trouble: %s\n", hb_model_trouble(c.model, i));
	printf("same %lu wrong %lu unposted %lu doubted-same %lu doubted-wrong %lu lost %lu unconfirmed %lu\n", c.same,
		c.wrong, c.unposted, c.doubted_same, c.doubted_wrong, c.lost, unconfirmed);
	if (c.before + c.untold)
		printf("sent-before %lu untold %lu\n", c.before, c.untold);
	unsigned long bad = c.wrong + c.unposted;
	close_all(&c);
	return bad ? 1 : 0;
}
