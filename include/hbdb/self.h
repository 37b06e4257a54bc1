/* Self-monitoring: streams of events with the semantics of POSIX trace, sensors that watch the program from inside, and what they set off.
 *
 * Stands alone: link with libhbdb-self (pkg-config hbdb-self); no agent, no MPI, nothing else of hbdb is needed. C99 and C++; hbdb/self/self.f90 is the
 * same for Fortran, hbdb_self.py for Python. docs/system/self.md has a tutorial, and tells of each function how far it does what the standard asks for.
 *
 * The functions hb_posix_trace_... are those of the Trace option of IEEE Std 1003.1-2008 with its Trace Event Filter, Trace Inherit and Trace Log
 * options: arguments, results and error numbers are the standard's, so that what it says is not said here again. hbdb/self/trace.h gives them the
 * standard's own names. All return 0 or an error number, but where their type says otherwise, and may be called by any thread;
 * hb_posix_trace_event also in a handler of signals. */
#ifndef HBDB_SELF_H
#define HBDB_SELF_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
#define HB_RESTRICT __restrict
extern "C" {
#else
#define HB_RESTRICT restrict
#endif

/* ---- limits ---- */

#define HB_TRACE_EVENT_NAME_MAX 63  /* characters of the name of a type of events */
#define HB_TRACE_NAME_MAX 64        /* of the name of a stream, with its terminator */
#define HB_TRACE_SYS_MAX 16         /* active streams of a process at a time */
#define HB_TRACE_USER_EVENT_MAX 960 /* types of events of a process, the unnamed one among them */
#define HB_TRACE_EVENT_IDS 1024     /* identifiers of types are below this */
#define HB_TRACE_DATA_MAX 8192 /* bytes of data of an event: the most that hb_posix_trace_attr_setmaxdatasize takes */

/* ---- types ---- */

typedef uint32_t hb_trace_id_t;
typedef uint32_t hb_trace_event_id_t;
typedef struct hb_trace_event_set_t {
	uint64_t word[HB_TRACE_EVENT_IDS / 64];
} hb_trace_event_set_t;

/* To be looked at through the functions only. */
typedef struct hb_trace_attr_t {
	uint32_t magic;
	int inheritance, log_full_policy, stream_full_policy;
	size_t stream_size, log_size, max_data_size;
	struct timespec created, resolution;
	char name[HB_TRACE_NAME_MAX], version[HB_TRACE_NAME_MAX];
} hb_trace_attr_t;

struct hb_posix_trace_event_info {
	hb_trace_event_id_t posix_event_id;
	pid_t posix_pid;
	void *posix_prog_address;
	int posix_truncation_status;
	struct timespec posix_timestamp;
	pthread_t posix_thread_id;
};

struct hb_posix_trace_status_info {
	int posix_stream_status;
	int posix_stream_full_status;
	int posix_stream_overrun_status;
	int posix_stream_flush_status;
	int posix_stream_flush_error;
	int posix_log_overrun_status;
	int posix_log_full_status;
};

/* ---- constants ---- */

enum { /* policies */
	HB_POSIX_TRACE_LOOP = 1,
	HB_POSIX_TRACE_UNTIL_FULL,
	HB_POSIX_TRACE_FLUSH,
	HB_POSIX_TRACE_APPEND,
	HB_POSIX_TRACE_CLOSE_FOR_CHILD,
	HB_POSIX_TRACE_INHERITED
};
enum { /* states */
	HB_POSIX_TRACE_RUNNING = 1,
	HB_POSIX_TRACE_SUSPENDED,
	HB_POSIX_TRACE_FULL,
	HB_POSIX_TRACE_NOT_FULL,
	HB_POSIX_TRACE_OVERRUN,
	HB_POSIX_TRACE_NO_OVERRUN,
	HB_POSIX_TRACE_FLUSHING,
	HB_POSIX_TRACE_NOT_FLUSHING
};
enum { HB_POSIX_TRACE_NOT_TRUNCATED, HB_POSIX_TRACE_TRUNCATED_RECORD, HB_POSIX_TRACE_TRUNCATED_READ };
enum { /* of hb_posix_trace_eventset_fill */
	HB_POSIX_TRACE_WOPID_EVENTS = 1,
	HB_POSIX_TRACE_SYSTEM_EVENTS,
	HB_POSIX_TRACE_ALL_EVENTS
};
enum { HB_POSIX_TRACE_SET_EVENTSET = 1, HB_POSIX_TRACE_ADD_EVENTSET, HB_POSIX_TRACE_SUB_EVENTSET };

/* Types of events of the system. Their data: ERROR an int, the error number; START a hb_trace_event_set_t, the filter; STOP an int, 1 when the stream
 * stopped by itself; FILTER two hb_trace_event_set_t, the old filter and the new one; the others none. */
enum {
	HB_POSIX_TRACE_ERROR = 1,
	HB_POSIX_TRACE_START,
	HB_POSIX_TRACE_STOP,
	HB_POSIX_TRACE_OVERFLOW,
	HB_POSIX_TRACE_RESUME,
	HB_POSIX_TRACE_FILTER,
	HB_POSIX_TRACE_FLUSH_START,
	HB_POSIX_TRACE_FLUSH_STOP,
	HB_POSIX_TRACE_UNNAMED_USEREVENT = HB_TRACE_EVENT_IDS - HB_TRACE_USER_EVENT_MAX
};

/* ---- attributes ---- */

int hb_posix_trace_attr_init(hb_trace_attr_t *attr);
int hb_posix_trace_attr_destroy(hb_trace_attr_t *attr);
int hb_posix_trace_attr_getclockres(const hb_trace_attr_t *attr, struct timespec *resolution);
int hb_posix_trace_attr_getcreatetime(const hb_trace_attr_t *attr, struct timespec *createtime);
int hb_posix_trace_attr_getgenversion(const hb_trace_attr_t *attr, char *genversion);
int hb_posix_trace_attr_getname(const hb_trace_attr_t *attr, char *tracename);
int hb_posix_trace_attr_setname(hb_trace_attr_t *attr, const char *tracename);
int hb_posix_trace_attr_getinherited(const hb_trace_attr_t *HB_RESTRICT attr, int *HB_RESTRICT inheritancepolicy);
int hb_posix_trace_attr_setinherited(hb_trace_attr_t *attr, int inheritancepolicy);
int hb_posix_trace_attr_getlogfullpolicy(const hb_trace_attr_t *HB_RESTRICT attr, int *HB_RESTRICT logpolicy);
int hb_posix_trace_attr_setlogfullpolicy(hb_trace_attr_t *attr, int logpolicy);
int hb_posix_trace_attr_getstreamfullpolicy(const hb_trace_attr_t *HB_RESTRICT attr, int *HB_RESTRICT streampolicy);
int hb_posix_trace_attr_setstreamfullpolicy(hb_trace_attr_t *attr, int streampolicy);
int hb_posix_trace_attr_getlogsize(const hb_trace_attr_t *HB_RESTRICT attr, size_t *HB_RESTRICT logsize);
int hb_posix_trace_attr_setlogsize(hb_trace_attr_t *attr, size_t logsize);
int hb_posix_trace_attr_getstreamsize(const hb_trace_attr_t *HB_RESTRICT attr, size_t *HB_RESTRICT streamsize);
int hb_posix_trace_attr_setstreamsize(hb_trace_attr_t *attr, size_t streamsize);
int hb_posix_trace_attr_getmaxdatasize(const hb_trace_attr_t *HB_RESTRICT attr, size_t *HB_RESTRICT maxdatasize);
int hb_posix_trace_attr_setmaxdatasize(hb_trace_attr_t *attr, size_t maxdatasize);
int hb_posix_trace_attr_getmaxsystemeventsize(const hb_trace_attr_t *HB_RESTRICT attr, size_t *HB_RESTRICT eventsize);
int hb_posix_trace_attr_getmaxusereventsize(
	const hb_trace_attr_t *HB_RESTRICT attr, size_t data_len, size_t *HB_RESTRICT eventsize);

/* ---- streams ---- */

/* Of the calling process: pid is 0 or its own. Another process cannot be traced from outside: EPERM. */
int hb_posix_trace_create(pid_t pid, const hb_trace_attr_t *HB_RESTRICT attr, hb_trace_id_t *HB_RESTRICT trid);
/* file_desc: a regular file, open for writing, which is overwritten from its beginning and may be closed afterwards. EBUSY: another stream is in it. Where the file can be read by
 * this process, too, the stream itself lies in it, and nothing that was recorded is lost when the process is killed; else what was flushed stays. */
int hb_posix_trace_create_withlog(
	pid_t pid, const hb_trace_attr_t *HB_RESTRICT attr, int file_desc, hb_trace_id_t *HB_RESTRICT trid);
int hb_posix_trace_flush(hb_trace_id_t trid);
int hb_posix_trace_shutdown(hb_trace_id_t trid);
int hb_posix_trace_clear(hb_trace_id_t trid);
int hb_posix_trace_start(hb_trace_id_t trid);
int hb_posix_trace_stop(hb_trace_id_t trid);
int hb_posix_trace_get_attr(hb_trace_id_t trid, hb_trace_attr_t *attr);
int hb_posix_trace_get_status(hb_trace_id_t trid, struct hb_posix_trace_status_info *statusinfo);
int hb_posix_trace_get_filter(hb_trace_id_t trid, hb_trace_event_set_t *set);
int hb_posix_trace_set_filter(hb_trace_id_t trid, const hb_trace_event_set_t *set, int how);

int hb_posix_trace_open(int file_desc, hb_trace_id_t *trid);
int hb_posix_trace_rewind(hb_trace_id_t trid);
int hb_posix_trace_close(hb_trace_id_t trid);

/* ---- events ---- */

void hb_posix_trace_event(hb_trace_event_id_t event_id, const void *HB_RESTRICT data_ptr, size_t data_len);
int hb_posix_trace_eventid_open(const char *HB_RESTRICT event_name, hb_trace_event_id_t *HB_RESTRICT event_id);
int hb_posix_trace_trid_eventid_open(
	hb_trace_id_t trid, const char *HB_RESTRICT event_name, hb_trace_event_id_t *HB_RESTRICT event);
int hb_posix_trace_eventid_equal(hb_trace_id_t trid, hb_trace_event_id_t event1, hb_trace_event_id_t event2);
int hb_posix_trace_eventid_get_name(hb_trace_id_t trid, hb_trace_event_id_t event, char *event_name);
int hb_posix_trace_eventtypelist_getnext_id(
	hb_trace_id_t trid, hb_trace_event_id_t *HB_RESTRICT event, int *HB_RESTRICT unavailable);
int hb_posix_trace_eventtypelist_rewind(hb_trace_id_t trid);

int hb_posix_trace_eventset_add(hb_trace_event_id_t event_id, hb_trace_event_set_t *set);
int hb_posix_trace_eventset_del(hb_trace_event_id_t event_id, hb_trace_event_set_t *set);
int hb_posix_trace_eventset_empty(hb_trace_event_set_t *set);
int hb_posix_trace_eventset_fill(hb_trace_event_set_t *set, int what);
int hb_posix_trace_eventset_ismember(
	hb_trace_event_id_t event_id, const hb_trace_event_set_t *HB_RESTRICT set, int *HB_RESTRICT ismember);

int hb_posix_trace_getnext_event(hb_trace_id_t trid, struct hb_posix_trace_event_info *HB_RESTRICT event,
	void *HB_RESTRICT data, size_t num_bytes, size_t *HB_RESTRICT data_len, int *HB_RESTRICT unavailable);
int hb_posix_trace_timedgetnext_event(hb_trace_id_t trid, struct hb_posix_trace_event_info *HB_RESTRICT event,
	void *HB_RESTRICT data, size_t num_bytes, size_t *HB_RESTRICT data_len, int *HB_RESTRICT unavailable,
	const struct timespec *HB_RESTRICT abs_timeout);
int hb_posix_trace_trygetnext_event(hb_trace_id_t trid, struct hb_posix_trace_event_info *HB_RESTRICT event,
	void *HB_RESTRICT data, size_t num_bytes, size_t *HB_RESTRICT data_len, int *HB_RESTRICT unavailable);

/* ---- beyond the standard ---- */

/* A stream whose log is the file `path` (made, or overwritten), running. attr NULL: the defaults. 0 or an error number, also that of opening the file. */
int hb_self_open(const char *path, const hb_trace_attr_t *attr, hb_trace_id_t *ret_trid);
/* How many events found no room in an active stream since it was made or cleared. (Those that a loop has overwritten had found one.) */
int hb_self_lost(hb_trace_id_t trid, uint64_t *ret_lost);

/* ---- sensors ----
 *
 * A sensor trips when what it watches becomes bad, and recovers when it becomes good again. Both are events of all running streams of the process,
 * with the sensor's name as their type and a line of text as their data ("tripped value=105 low=0 high=100"). When it trips, what was attached to
 * it is done, once each time, by the thread that noticed. Sensors are never freed: a program has few of them, made at its beginning.
 *
 * NULL: the name is empty or longer than HB_TRACE_EVENT_NAME_MAX, a limit makes no sense, or there is no memory. All functions on a sensor that is
 * NULL do nothing. */
typedef struct hb_sensor hb_sensor;

/* Trips on each hb_self_assert that is false. */
hb_sensor *hb_self_assertion(const char *name);
/* A value within [low, high]; a NaN is not. */
hb_sensor *hb_self_value(const char *name, double low, double high);
/* How often something happens in a second: hb_self_count says it did; looked at by hb_self_check, over at least `seconds` each time. */
hb_sensor *hb_self_rate(const char *name, double low, double high, double seconds);
/* Trips when hb_self_beat was not called for `seconds`, counted from here on; looked at by hb_self_check. */
hb_sensor *hb_self_heartbeat(const char *name, double seconds);
/* The memory that the process has in use (resident), in bytes, at most `most`; looked at by hb_self_check. */
hb_sensor *hb_self_memory(const char *name, double most);
/* The stack that the calling thread has in use, in bytes, at most `most`; looked at by hb_self_depth. */
hb_sensor *hb_self_stack(const char *name, double most);

/* Fast paths: a comparison and a store while nothing trips. By any thread, but not in a handler of signals (hb_self_beat and hb_self_count may be). */
int hb_self_assert(hb_sensor *sensor, int condition); /* returns condition */
void hb_self_set(hb_sensor *sensor, double value);
void hb_self_count(hb_sensor *sensor, uint64_t n);
void hb_self_beat(hb_sensor *sensor);
void hb_self_depth(hb_sensor *sensor);

/* Looks at rates, heartbeats and memory; how many sensors are tripped now. */
int hb_self_check(void);
/* A thread that does so every `seconds`, until the process ends or seconds is 0. 0 or an error number. Not inherited by fork. */
int hb_self_watch(double seconds);

/* The last value, and whether it is bad. */
double hb_self_last(const hb_sensor *sensor);
int hb_self_is_tripped(const hb_sensor *sensor);

/* ---- actuators ---- */

enum {
	HB_SELF_CALL = 1,     /* the function is called */
	HB_SELF_NOTIFY,       /* a datagram, see hb_self_notify */
	HB_SELF_STOP_THREAD,  /* the thread that noticed waits until hb_self_go (of another thread, or a debugger) */
	HB_SELF_STOP_PROCESS, /* SIGSTOP */
	HB_SELF_ABORT,        /* abort(): a core, and the streams' logs as they are */
	HB_SELF_RESTART, /* the program begins again (exec), with its arguments; logs of streams are closed before */
	HB_SELF_DEBUG /* a debugger is asked for (as HB_SELF_NOTIFY, KIND debug), else the command that attaches one is printed; then as STOP_PROCESS */
};
typedef void hb_self_action(hb_sensor *sensor, const char *name, double value, void *user);
/* Attaches one more actuator, at most 8, done in this order. function and user: of HB_SELF_CALL. 0, EINVAL, or ENOSPC: there are 8. */
int hb_self_on(hb_sensor *sensor, int what, hb_self_action *function, void *user);
/* Lets all threads go on that were stopped by HB_SELF_STOP_THREAD; how many. */
int hb_self_go(void);

/* Sends "hbdb-self 1 PID KIND NAME VALUE TEXT" to the Unix datagram socket that the variable HBDB_SELF_NOTIFY names (docs/system/self.md). Never waits. KIND is
 * a word; blanks in NAME become underlines; TEXT may be empty. 0, ENOENT: the variable is not set; else why it was not sent. */
int hb_self_notify(const char *kind, const char *name, double value, const char *text);

#ifdef __cplusplus
}
#endif
#endif
