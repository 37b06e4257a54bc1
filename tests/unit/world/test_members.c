/* Communicators of more members than fit one definition: all of them are known to who reads the log, and messages to the last ones are matched.
 *
 * usage: test_members */
#include <hbdb/format.h>

#include "check.h"
#include "model/model.h"
#include "rawlog.h"

#define PIECE 3000

enum { SEND, RECV };

/* The ranks backwards: rank 0 of it is the last of the world. */
static void define(struct raw_log *r, unsigned n, unsigned rank)
{
	static uint8_t body[30000];
	for (unsigned done = 0; done < n; done += PIECE) {
		unsigned some = n - done < PIECE ? n - done : PIECE;
		uint8_t *p = hb_put_uv(body, 2);
		if (!done) {
			p = hb_put_uv(hb_put_sv(p, 0), 0);
			p = hb_put_uv(hb_put_uv(hb_put_sv(p, n - 1), n - 1 - rank), 0);
		} else
			p = hb_put_uv(p, 0);
		p = hb_put_uv(p, some);
		for (unsigned i = 0; i < some; i++)
			p = hb_put_sv(p, i ? -1 : (int64_t)(n - 1 - done));
		raw_definition(r, RAW_LANES, done ? HB_DEF_MEMBERS : HB_DEF_COMM, body, (size_t)(p - body));
	}
}

static void function(struct raw_log *r, unsigned number, uint8_t cls, const char *name, const char *peer)
{
	const char *const names[] = {"count", peer, "tag", "comm", "datatype"};
	uint8_t b[256], *p = hb_put_uv(b, number);
	*p++ = cls;
	p = hb_put_uv(raw_text(p, name), 5);
	for (uint8_t i = 0; i < 5; i++) {
		*p++ = i;
		p = raw_text(p, names[i]);
	}
	raw_definition(r, RAW_LANES, HB_DEF_FUNCTION, b, (size_t)(p - b));
}

/* Rank 1 sends three messages to the last but one of the communicator; rank 2 gets them. */
static void process(unsigned n, unsigned rank, unsigned peer, const char *path)
{
	const int64_t arguments[] = {1, (int64_t)(n - 1 - peer), 7, 2, 0};
	struct raw_log r;
	raw_begin(&r, HB_LEVEL_EVENTS);
	raw_header(&r)->rank = (int32_t)rank;
	raw_header(&r)->size = (int32_t)n;
	raw_lane(&r, 0, 1);
	raw_module(&r, 0, 0, "/program", "");
	raw_site(&r, 1, 0, 16);
	function(&r, SEND, 1, "MPI_Send", "dest");
	function(&r, RECV, 2, "MPI_Recv", "source");
	raw_datatype(&r, 0, 4, "MPI_INT");
	define(&r, n, rank);
	raw_slot(&r, 0, 0, rank == 1 ? SEND : RECV, 1, 0, 5, arguments);
	for (int i = 0; i < 3; i++)
		raw_event(&r, 0, 0, 10, 10, 0, 0, NULL);
	raw_save(&r, path);
	raw_free(&r);
}

static void job(unsigned n, bool sealed)
{
	hb_log *log[2] = {0};
	hb_model *model = NULL;
	hb_error err = {0};
	hb_source source[2];
	bool good = true;
	for (unsigned i = 0; i < 2; i++) {
		char name[32];
		snprintf(name, sizeof name, "rank.%u.log", i + 1);
		process(n, 1 + i, 2 - i, check_path(name));
		if (sealed)
			good = good && !hb_log_seal(check_path(name), check_path("sealed"), NULL, NULL, &err) &&
			       !hb_log_unseal(check_path("sealed"), check_path(name), UINT64_MAX, &err);
		good = good && !hb_log_open(check_path(name), &log[i], &err);
		const hb_comm *c = good ? hb_log_comm(log[i], 2) : NULL;
		uint32_t right = 0;
		for (uint32_t k = 0; c && k < c->size; k++)
			right += c->member[k] == (int32_t)(n - 1 - k);
		check(c && c->size == n && right == n, "%u members%s: process %u has them all (%u)", n,
			sealed ? ", sealed" : "", i, right);
		source[i] = (hb_source){.log = log[i], .rank = (int32_t)i + 1};
	}
	good = good && !hb_model_build(source, 2, NULL, NULL, &model, &err);
	check(good && hb_model_get_info(model)->matched == 3, "%u members: messages to the last ones are matched (%s)",
		n, err.message);
	hb_model_close(model);
	for (int i = 0; i < 2; i++)
		hb_log_close(log[i]);
}

static void damaged(void)
{
	static const uint8_t bad[][4] = {{5, 0, 1, 0}, {2, 1, 1, 0}, {2, 0, 9, 0}, {2, 0, 1, 0x80}};
	hb_error err = {0};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct raw_log r;
		hb_log *log = NULL;
		raw_begin(&r, HB_LEVEL_EVENTS);
		raw_lane(&r, 0, 1);
		raw_comm(&r, 2, 0, 8, false);
		raw_definition(&r, RAW_LANES, HB_DEF_MEMBERS, bad[i], 4);
		raw_save(&r, check_path("damaged"));
		raw_free(&r);
		hb_status status = hb_log_open(check_path("damaged"), &log, &err);
		const hb_comm *c = status ? NULL : hb_log_comm(log, 2);
		check(status || !c || (c->size == 8 && hb_log_get_info(log)->recovered),
			"members that contradict the page, %zu: the log is damaged, or ends before them", i);
		hb_log_close(log);
	}
}

int main(void)
{
	for (int sealed = 0; sealed < 2; sealed++) {
		job(6000, sealed);
		job(20000, sealed);
	}
	damaged();
	check_clean();
	return check_end();
}
