/* The complex as OpenMetrics 1.0, or as Prometheus' text format 0.0.4 for who does not read that. */
#ifndef HBDB_MONITOR_METRICS_H
#define HBDB_MONITOR_METRICS_H

#include "../tool.h"
#include "system/monitor/reader.h"
#include "view/view.h"

#define HB_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define HB_PROMETHEUS "text/plain; version=0.0.4; charset=utf-8"

typedef struct hb_metrics {
	hb_reader *reader; /* the caller's */
	uint64_t opened;   /* of the connection that was prepared */
} hb_metrics;

/* Counters of events go on from one call to the next, whatever the manager removes of its old events meanwhile. False: hb_reader_why. */
bool hb__metrics_text(hb_metrics *metrics, bool openmetrics, hb_text *out);

#endif
