/* No interface: what the events of the task farm library are called, for the library that tells of them and for what reads them.
 * docs/farm/farm.md says when each comes and what its values are; models of a farm have the same words. */
#ifndef HBDB_FARM_EVENTS_H
#define HBDB_FARM_EVENTS_H

/* Events. */
#define HB_FARM_STARTED "farm"
#define HB_FARM_GENERATED "generated"
#define HB_FARM_TASK_SENT "task_sent"
#define HB_FARM_TASK_RECEIVED "task_received"
#define HB_FARM_RESULT_SENT "result_sent"
#define HB_FARM_RESULT_RECEIVED "result_received"
/* Spans: the user's functions. */
#define HB_FARM_GENERATE "generate"
#define HB_FARM_SPLIT "split"
#define HB_FARM_COMPUTE "compute"
#define HB_FARM_JOIN "join"
#define HB_FARM_RECEIVE "receive"
/* Values of those of a task. */
#define HB_FARM_TASK "task"
#define HB_FARM_SUB "sub"
#define HB_FARM_NODE "node" /* of HB_FARM_STARTED, too */
#define HB_FARM_BYTES "bytes"
/* Values of HB_FARM_STARTED. */
#define HB_FARM_NODES "nodes"
#define HB_FARM_TOPOLOGY "topology"
#define HB_FARM_DEGREE "degree"
#define HB_FARM_DEPTH "depth"
#define HB_FARM_TASKS "tasks" /* of HB_FARM_GENERATED, too */
#define HB_FARM_ROLE "role"

#endif
