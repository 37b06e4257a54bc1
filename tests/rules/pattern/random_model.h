/* Random models: as a text for the library, and as the sets of partial orders that they stand for, by docs/models.md and nothing else. */
#ifndef TESTS_RULES_PATTERN_RANDOM_MODEL_H
#define TESTS_RULES_PATTERN_RANDOM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* Declared in the text as: m0(k), m1(k) messages, a0(k) an action with an end, e0(k) one without. */
enum { M0, M1, A0, E0, NAMES };

struct label {
	int8_t name, end, process, peer; /* peer: -1 of an action */
	int8_t key;
};

#define MOST_EVENTS 60
struct order { /* a partial order of events */
	int n;
	struct label at[MOST_EVENTS];
	uint64_t before[MOST_EVENTS]; /* those that come before it; closed */
};

struct orders {
	struct order *at;
	int n, room;
	bool too_many; /* then it says nothing */
};

struct model {
	char text[8192];
	int processes;
	struct form *run, *def[2];
};

uint32_t random_below(uint64_t *seed, uint32_t n);
void model_random(struct model *ret_model, uint64_t *seed);
/* All of them, loops taken at most `rounds` times. */
void model_orders(const struct model *model, int rounds, struct orders *ret_orders);
void model_free(struct model *model);
/* Adds what follows from `before`. */
void order_close(struct order *order);

#endif
