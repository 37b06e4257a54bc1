/* The clocks of several nodes against each other, from messages alone.
 *
 * A clock of another node runs ahead, or behind, by an amount that may grow with time. A message says that it was sent before it was received:
 * a bound of the difference from one side at that time, and messages in the other direction one from the other side. The difference is taken for a line, and
 * the line that leaves most room to both sides is looked for; of those that leave half of that the one with the least drift is taken, as a few messages in a
 * short time tell little of drift. (The corridor between messages in both directions: A. Duda, G. Harrus, Y. Haddad, G. Bernard, "Estimating global time in
 * distributed systems", ICDCS 1987; R. Hofmann, U. Hilgers, "Theory and tool for estimating global time in parallel and distributed systems", PDP 1998.) */
#ifndef HBDB_CLOCKS_FIT_H
#define HBDB_CLOCKS_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is added to a clock that says t (ns): shift + rate * (t - origin). */
typedef struct hb_clock_line {
	double shift, rate;
	bool known; /* false: no messages in both directions connect it with the first clock, and nothing is added */
} hb_clock_line;

#define HB_DRIFT_MOST 5e-4 /* of a clock that is not broken */

/* It was sent when clock `from` said `sent`, and received when clock `to` said `got`: ns. */
typedef struct hb_clock_message {
	uint32_t from, to;
	int64_t sent, got;
} hb_clock_message;

/* A line for each of n clocks; that of clock 0 adds nothing. False: out of memory. */
bool hb__fit_clocks(const hb_clock_message *message, size_t messages, size_t n, int64_t origin, hb_clock_line *ret);

/* Shifts of clocks that differ by constants, so that all bounds hold: value[to] - value[from] >= least. They are the least ones that are not negative.
 * False: there are none (a circle of messages would have to arrive before it was sent), or no memory. */
typedef struct hb_clock_bound {
	uint32_t from, to;
	double least;
} hb_clock_bound;
bool hb__fit_shifts(const hb_clock_bound *bound, size_t bounds, double *value, size_t n);

#endif
