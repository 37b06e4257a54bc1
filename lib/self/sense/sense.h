/* Sensors and what they set off. */
#ifndef HBDB_SELF_SENSE_H
#define HBDB_SELF_SENSE_H

#include "../state.h"

enum hb__kind { HB__ASSERTION, HB__VALUE, HB__RATE, HB__HEARTBEAT, HB__MEMORY, HB__STACK };
enum { HB__ACTIONS = 8 };

struct hb_sensor {
	char name[HB_TRACE_EVENT_NAME_MAX + 1];
	hb_trace_event_id_t id;
	enum hb__kind kind;
	double low, high, seconds; /* seconds: a rate is taken over at least so many */
	_Atomic double value;
	_Atomic uint32_t tripped;
	_Atomic uint64_t count; /* of a rate */
	_Atomic uint64_t beat;  /* of a heartbeat: nanoseconds of CLOCK_MONOTONIC */
	uint64_t from, counted; /* of a rate: when it was last taken, and the count then */
	pthread_mutex_t lock;   /* of the two, and of the actions */
	struct hb__action {
		int what;
		hb_self_action *function;
		void *user;
	} action[HB__ACTIONS];
	_Atomic unsigned actions;
	struct hb_sensor *next;
};

/* A sensor has tripped: what is attached to it is done. */
void hb__act(struct hb_sensor *sensor, double value) HIDDEN;
/* It has recovered: who was notified is again. */
void hb__act_recovered(struct hb_sensor *sensor, double value) HIDDEN;

#endif
