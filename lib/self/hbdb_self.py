"""Self-monitoring of a Python program: streams of events, sensors and actuators of libhbdb-self (include/hbdb/self.h says what each does).

    import hbdb_self
    with hbdb_self.Stream("run.trace"):
        step = hbdb_self.Event("step")
        step(42)                    # an integer, a text, bytes, a float (as a text), or nothing
        load = hbdb_self.value("load", 0, 100)
        load.on(hbdb_self.NOTIFY)
        load.set(93.5)

    for event in hbdb_self.read("run.trace"):
        print(event.time, event.name, event.data)

One file, which needs the library alone: it is looked for where HBDB_SELF_LIBRARY says, then by its name.
"""
import collections
import ctypes
import os
import struct

_lib = ctypes.CDLL(os.environ.get("HBDB_SELF_LIBRARY", "libhbdb-self.so"), use_errno=True)

LOOP, UNTIL_FULL, FLUSH, APPEND = 1, 2, 3, 4
CALL, NOTIFY, STOP_THREAD, STOP_PROCESS, ABORT, RESTART, DEBUG = range(1, 8)
NAME_MAX, DATA_MAX = 63, 8192


class _Attr(ctypes.Structure):
    _fields_ = [("magic", ctypes.c_uint32), ("policies", ctypes.c_int * 3), ("sizes", ctypes.c_size_t * 3),
                ("times", ctypes.c_long * 4), ("texts", ctypes.c_char * 128)]


class _Info(ctypes.Structure):
    _fields_ = [("id", ctypes.c_uint32), ("pid", ctypes.c_int), ("address", ctypes.c_void_p), ("truncation", ctypes.c_int),
                ("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long), ("thread", ctypes.c_ulong)]


_action = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double, ctypes.c_void_p)
_pointer, _double, _text = ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p
for _name, _arguments in {"assertion": [_text], "value": [_text, _double, _double], "rate": [_text, _double, _double, _double],
                          "heartbeat": [_text, _double], "memory": [_text, _double], "stack": [_text, _double]}.items():
    getattr(_lib, "hb_self_" + _name).restype = _pointer
    getattr(_lib, "hb_self_" + _name).argtypes = _arguments
_lib.hb_posix_trace_event.restype = None
_lib.hb_posix_trace_event.argtypes = [ctypes.c_uint32, _text, ctypes.c_size_t]
_lib.hb_self_set.argtypes = [_pointer, _double]
_lib.hb_self_assert.argtypes = [_pointer, ctypes.c_int]
_lib.hb_self_count.argtypes = [_pointer, ctypes.c_uint64]
_lib.hb_self_beat.argtypes = _lib.hb_self_depth.argtypes = _lib.hb_self_is_tripped.argtypes = _lib.hb_self_last.argtypes = [_pointer]
_lib.hb_self_last.restype = _double
_lib.hb_self_watch.argtypes = [_double]
_lib.hb_self_on.argtypes = [_pointer, ctypes.c_int, _action, _pointer]
_lib.hb_self_notify.argtypes = [_text, _text, _double, _text]


def _good(error):
    if error:
        raise OSError(error, os.strerror(error))


class Stream:
    """A stream, running; with a path, its log is that file. Sizes are bytes, 0: the default. Shut down by close(), or at the end of `with`."""

    def __init__(self, path=None, stream_policy=0, log_policy=0, stream_size=0, log_size=0, max_data_size=0, name=""):
        attr, self.id = _Attr(), ctypes.c_uint32()
        _good(_lib.hb_posix_trace_attr_init(ctypes.byref(attr)))
        for function, value in (("streamfullpolicy", stream_policy), ("logfullpolicy", log_policy)):
            if value:
                _good(getattr(_lib, "hb_posix_trace_attr_set" + function)(ctypes.byref(attr), value))
        for function, value in (("streamsize", stream_size), ("logsize", log_size), ("maxdatasize", max_data_size)):
            if value:
                _good(getattr(_lib, "hb_posix_trace_attr_set" + function)(ctypes.byref(attr), ctypes.c_size_t(value)))
        _good(_lib.hb_posix_trace_attr_setname(ctypes.byref(attr), name.encode()))
        if path is None:
            _good(_lib.hb_posix_trace_create(0, ctypes.byref(attr), ctypes.byref(self.id)))
            self.start()
        else:
            _good(_lib.hb_self_open(os.fsencode(path), ctypes.byref(attr), ctypes.byref(self.id)))

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def start(self):
        _good(_lib.hb_posix_trace_start(self.id))

    def stop(self):
        _good(_lib.hb_posix_trace_stop(self.id))

    def flush(self):
        _good(_lib.hb_posix_trace_flush(self.id))

    def clear(self):
        _good(_lib.hb_posix_trace_clear(self.id))

    def close(self):
        _good(_lib.hb_posix_trace_shutdown(self.id))

    def lost(self):
        n = ctypes.c_uint64()
        _good(_lib.hb_self_lost(self.id, ctypes.byref(n)))
        return n.value

    def next(self):
        """The next event of a stream without a log; None: there is none now."""
        return _next(self.id, _lib.hb_posix_trace_trygetnext_event)


class Event:
    """A type of events, by its name; called, it is an event."""

    def __init__(self, name):
        self.name, self.id = name, ctypes.c_uint32()
        _good(_lib.hb_posix_trace_eventid_open(name.encode(), ctypes.byref(self.id)))

    def __call__(self, data=b""):
        if isinstance(data, int):
            data = struct.pack("=q", data)
        elif not isinstance(data, (bytes, bytearray)):
            data = str(data).encode()
        _lib.hb_posix_trace_event(self.id, bytes(data), len(data))


Record = collections.namedtuple("Record", "name data time pid thread truncated")


def _next(stream, function):
    info, data, size, unavailable = _Info(), ctypes.create_string_buffer(DATA_MAX), ctypes.c_size_t(), ctypes.c_int()
    _good(function(stream, ctypes.byref(info), data, ctypes.c_size_t(DATA_MAX), ctypes.byref(size), ctypes.byref(unavailable)))
    if unavailable.value:
        return None
    name = ctypes.create_string_buffer(NAME_MAX + 1)
    _lib.hb_posix_trace_eventid_get_name(stream, info.id, name)
    return Record(name.value.decode(errors="replace"), data.raw[:size.value], info.seconds + info.nanoseconds * 1e-9, info.pid, info.thread,
                  info.truncation != 0)


def read(path):
    """The events of a log."""
    stream = ctypes.c_uint32()
    with open(path, "rb") as file:
        _good(_lib.hb_posix_trace_open(file.fileno(), ctypes.byref(stream)))
    try:
        while (event := _next(stream, _lib.hb_posix_trace_getnext_event)) is not None:
            yield event
    finally:
        _lib.hb_posix_trace_close(stream)


class Sensor:
    def __init__(self, sensor):
        if not sensor:
            raise ValueError("no such sensor: its name or its limits make no sense")
        self._sensor, self._kept = sensor, []

    def on(self, what, function=None):
        """function, of CALL: gets the sensor's name and value."""
        act = _action(lambda sensor, name, value, user: function(name.decode(), value)) if function else _action()
        self._kept.append(act)
        _good(_lib.hb_self_on(self._sensor, what, act, None))

    def check(self, condition):
        _lib.hb_self_assert(self._sensor, bool(condition))
        return condition

    def set(self, number):
        _lib.hb_self_set(self._sensor, number)

    def count(self, n=1):
        _lib.hb_self_count(self._sensor, n)

    def beat(self):
        _lib.hb_self_beat(self._sensor)

    def depth(self):
        _lib.hb_self_depth(self._sensor)

    @property
    def last(self):
        return _lib.hb_self_last(self._sensor)

    @property
    def tripped(self):
        return bool(_lib.hb_self_is_tripped(self._sensor))


def _maker(kind):
    def make(name, *limits):
        return Sensor(getattr(_lib, "hb_self_" + kind)(name.encode(), *limits))
    make.__doc__ = "The sensor that hb_self_%s makes." % kind
    return make


assertion, value, rate, heartbeat, memory, stack = map(_maker, ("assertion", "value", "rate", "heartbeat", "memory", "stack"))


def check():
    """Looks at rates, heartbeats and memory; how many sensors are tripped."""
    return _lib.hb_self_check()


def watch(seconds):
    """A thread that does so now and then; 0: no longer."""
    _good(_lib.hb_self_watch(seconds))


def go():
    return _lib.hb_self_go()


def notify(kind, name, number=0, text=""):
    _good(_lib.hb_self_notify(kind.encode(), name.encode(), number, text.encode()))
