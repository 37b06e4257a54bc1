/* Function, place and times of any event: the model keeps none of these. They are asked for in any order, and a log
 * decodes in blocks, so they are read in pieces and kept. */
#include <stdlib.h>

#include "events.h"

#define PIECE 16384u /* events; a seek decodes a block of the log, of up to 65536 */

struct hb_facts {
	const hb_model *model;
	hb_fact ***piece; /* by line, then by (event - 1) / PIECE */
	uint32_t lines;
};

static uint32_t pieces(const hb_line *line) { return (line->events + PIECE - 1) / PIECE; }

hb_facts *hb__facts_open(const hb_model *model)
{
	hb_facts *f = hb__alloc(sizeof *f);
	f->model = model;
	f->lines = hb_model_get_info(model)->lines;
	f->piece = hb__alloc(f->lines * sizeof *f->piece);
	return f;
}

void hb__facts_close(hb_facts *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->lines; i++) {
		for (uint32_t k = 0; f->piece[i] && k < pieces(&hb_model_lines(f->model)[i]); k++)
			free(f->piece[i][k]);
		free(f->piece[i]);
	}
	free(f->piece);
	free(f);
}

static void keep(hb_fact *fact, const hb_row *row, bool returned)
{
	*fact = (hb_fact){row->enter, row->exit, row->function, row->site, returned};
}

/* Some pieces from the one wanted on: the block that a seek decodes is used. */
static void fill(hb_facts *f, const hb_line *line, hb_fact **piece, uint32_t first)
{
	hb_log *log = hb_model_processes(f->model)[line->process].log;
	uint64_t number = (uint64_t)first * PIECE + 1, end = number + 4 * PIECE;
	hb_fact *at = NULL;
	hb_cursor *cursor;
	hb_lane_info lane;
	hb_row row;
	if (!log || hb_cursor_open(log, line->lane, number, &cursor, NULL))
		return;
	for (; number <= line->events && number < end; number++) {
		if ((number - 1) % PIECE == 0) {
			uint32_t k = (uint32_t)((number - 1) / PIECE);
			if (piece[k])
				break;
			uint64_t left = line->events - number + 1;
			at = piece[k] = hb__alloc((left < PIECE ? left : PIECE) * sizeof *at);
		}
		hb_fact *one = &at[(number - 1) % PIECE];
		if (line->inside && number == line->events) {
			if (!hb_log_lane(log, line->lane, &lane) && !hb_cursor_slot(cursor, lane.inside_slot, &row)) {
				keep(one, &row, false);
				one->enter = lane.inside_enter;
				one->exit = 0;
			} else
				one->function = HB_NO;
			break;
		}
		if (hb_cursor_next(cursor, &row, NULL) != 1)
			break;
		keep(one, &row, true);
	}
	hb_cursor_close(cursor);
}

bool hb__fact(hb_facts *f, hb_at at, hb_fact *ret)
{
	*ret = (hb_fact){.function = HB_NO};
	if (at.line >= f->lines || !at.event)
		return false;
	const hb_line *line = &hb_model_lines(f->model)[at.line];
	if (at.event > line->events)
		return false;
	if (!f->piece[at.line])
		f->piece[at.line] = hb__alloc(pieces(line) * sizeof **f->piece);
	hb_fact **piece = f->piece[at.line];
	uint32_t k = (at.event - 1) / PIECE;
	if (!piece[k])
		fill(f, line, piece, k);
	if (!piece[k])
		return false;
	*ret = piece[k][(at.event - 1) % PIECE];
	return true;
}
