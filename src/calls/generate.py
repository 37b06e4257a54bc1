#!/usr/bin/env python3
"""Writes the wrappers of one MPI library from mpi.calls.

usage: generate.py TABLE (ids|meanings|parameters|wrappers) FAMILY HEADER-NAMES OUTPUT

`ids` writes the enumeration of all functions; `meanings` what each means, `parameters` what each takes (meaning.h);
`wrappers` one wrapper per row that the library declares. HEADER-NAMES is a file with the preprocessed mpi.h.
"""
import re
import sys

CTYPE = {
    "sbuf": "const void *", "rbuf": "void *", "count": "int", "size": "int", "counts": "const int *",
    "displs": "const int *", "dtype": "MPI_Datatype", "dtypes": "const MPI_Datatype *", "dest": "int",
    "source": "int", "root": "int", "tag": "int", "comm": "MPI_Comm", "newcomm": "MPI_Comm *",
    "commptr": "MPI_Comm *", "op": "MPI_Op", "opptr": "MPI_Op *", "newtype": "MPI_Datatype *",
    "typeptr": "MPI_Datatype *", "request": "MPI_Request *", "newreq": "MPI_Request *",
    "reqs": "MPI_Request *", "nreq": "int", "status": "MPI_Status *", "statuses": "MPI_Status *",
    "flag": "int *", "index": "int *", "indices": "int *", "outcount": "int *", "message": "MPI_Message *",
    "newmsg": "MPI_Message *", "win": "MPI_Win", "winptr": "MPI_Win *", "file": "MPI_File",
    "fileptr": "MPI_File *", "info": "MPI_Info", "infoptr": "MPI_Info *", "group": "MPI_Group",
    "groupptr": "MPI_Group *", "errh": "MPI_Errhandler", "errhptr": "MPI_Errhandler *",
    "session": "MPI_Session", "sessionptr": "MPI_Session *", "color": "int", "key": "int", "int": "int", "icount": "int",
    "intptr": "int *", "cintptr": "const int *", "anyints": "const int *", "aint": "MPI_Aint", "aintptr": "MPI_Aint *",
    "disp": "MPI_Aint", "offset": "MPI_Offset", "offsetptr": "MPI_Offset *", "cnt": "MPI_Count",
    "cntptr": "MPI_Count *", "cstr": "const char *", "str": "char *", "ptr": "void *", "pptr": "void *",
    "keyval": "int", "keyvalptr": "int *", "newkeyval": "int *", "lent": "MPI_Datatype *", "newtypes": "MPI_Datatype *",
    "members": "const int *", "ranks": "const int *", "ranges": "int (*)[3]", "grid": "const int *", "nodes": "const int *",
    "neighbors": "const int *", "perdim": "const int *", "order": "int", "partition": "int", "keys": "MPI_Info",
    "partners": "MPI_Group", "fence": "int",
}
LARGE = {"count": "MPI_Count", "counts": "const MPI_Count *", "displs": "const MPI_Aint *", "disp": "MPI_Count"}
RECORDED = {
    "count": "NUMBER", "size": "NUMBER", "partition": "NUMBER", "nreq": "NUMBER", "key": "NUMBER", "cnt": "NUMBER",
    "offset": "NUMBER", "color": "COLOR", "dest": "RANK", "source": "RANK", "root": "RANK", "tag": "TAG",
    "comm": "COMM", "commptr": "COMM", "dtype": "DATATYPE", "op": "OP", "win": "WIN", "file": "FILE",
    "counts": "DIGEST", "dtypes": "DIGEST_TYPES", "partners": "DIGEST_GROUP", "fence": "FENCE",
}
ROLE = {
    "sbuf": "SBUF", "rbuf": "RBUF", "dest": "DEST", "source": "SOURCE", "comm": "COMM", "newcomm": "NEWCOMM",
    "commptr": "COMMPTR", "newtype": "NEWTYPE", "lent": "NEWTYPE", "typeptr": "TYPEPTR", "opptr": "OPPTR", "winptr": "WINPTR",
    "fileptr": "FILEPTR", "request": "REQUEST", "newreq": "NEWREQ", "nreq": "NREQ", "reqs": "REQS",
    "status": "STATUS", "statuses": "STATUSES", "flag": "FLAG", "index": "INDEX", "indices": "INDICES",
    "outcount": "OUTCOUNT", "message": "MESSAGE", "newmsg": "NEWMSG", "win": "WIN", "file": "FILE",
}
FLAGS = {"event": "HB_EVENT", "nonblocking": "HB_EVENT | HB_NONBLOCKING", "persistent": "HB_EVENT | HB_PERSISTENT",
         "poll": "HB_POLL", "start": "HB_START", "matched": "HB_MATCHED"}
RETURNS = {"double": "double", "aint": "MPI_Aint"}

# The wrapper of every function that returns an error code. Its parameters are whole registers, under an assembler
# name: in a program of the other library (hb__foreign) handles have another width, and go through untouched.
WRAPPER = """
static int invoke_{name}(hb__function f, uintptr_t *a)
{{
	(void)a;
	return ((int (*)({types}))f)({unpack});
}}

static const struct hb__param params_{name}[] = {{{param}}};

static const struct hb__fn fn_{name} = {{
	.name = "{name}", .id = HB_FN_{name}, .cls = HB_{cls}, .flags = {flags}, .nargs = {nargs},
	.nanswers = {nanswers}, .answer = {{{answers}}},
	.wide = {wide}, .nrecorded = {nrecorded}, .recorded = {{{recorded}}}, .param = params_{name},
	.role = {{{roles}}}, .invoke = invoke_{name}, .means = &hb_meanings[HB_FN_{name}],
}};

{inlined} int any_{name}({params_first}const hb__function *at, const void *pc, const void *cfa)
{{
	if (unlikely(hb__foreign))
		return {call};{ordered}
	uintptr_t a[] = {{{pack}}};{carried}
	return hb__wrap(&fn_{name}, a, at, pc, cfa);
}}

static inline __attribute__((always_inline)) int go_{name}(
	const hb__function *at, const void *pc, const void *cfa{more_params})
{{{quick}
	return any_{name}({names_first}at, pc, cfa);
}}

HB__EXPORT int hb_{name}({wide_params}) __asm__("{name}");
int hb_{name}({wide_params})
{{
	return go_{name}(&hb__next[HB_ENTRY_MPI][HB_FN_{name}], HB__CALLER{more_names});
}}

HB__EXPORT int hb_P{name}({wide_params}) __asm__("P{name}");
int hb_P{name}({wide_params})
{{
	return go_{name}(&hb__next[HB_ENTRY_PMPI][HB_FN_{name}], HB__CALLER{more_names});
}}
"""

# The quick way (capture/mpi/wrap/quick/quick.h) of what is called often, by the shape of the function: what has to be so beside the
# lane's word, and what is done then. {call}: the library's function. Names in braces: the parameters, by their kinds.
EXPECTED = """
	struct hb__lane *lane = hb__self;
	struct hb__slot *s;
	if (likely(lane && !(lane->word & {unusual}) && (s = lane->last->after)->quick == &fn_{name} && s->pc == pc &&
		    s->epoch == hb__epoch{same}{asked})) {{{does}
	}}"""
CHOICE_OR_NOT = """
	if (lane && (lane->word & {unusual}) == HB__WORD_LIMIT(HB__AT_ORDER) && lane->control->calls[HB_FN_{name}]{no_choice}) {{
		hb__counted_begin(lane, HB_FN_{name});{counted}
	}}"""
# At level order, of a call that is no choice: it is counted, and its requests are tracked.
COUNTED = """
		return hb__counted_end(lane, {call});"""
COUNTED_POST = """
		int code = {call};
		if (likely(code == MPI_SUCCESS))
			{track};
		return hb__counted_end(lane, code);"""
STATUS_THERE = " && HB__ANSWERS({status}, MPI_STATUS_IGNORE)"
STATUSES_THERE = " && HB__ANSWERS({statuses}, MPI_STATUSES_IGNORE)"
SEVERAL = " && (unsigned){nreq} <= HB__QUICK_REQUESTS && {reqs}"
WILD = "((int){source} == MPI_ANY_SOURCE || (int){last_tag} == MPI_ANY_TAG)"
APART = ("wait", "waitall")  # where that takes a call it stands apart from the quick way, which need not save registers for it
ORDER = {  # what makes it no choice, and what is done
    "send": ("", COUNTED), "meeting": ("", COUNTED), "collective": ("", COUNTED), "cast": ("", COUNTED),
    "post send": ("", COUNTED_POST.replace("{track}", "hb__quick_track(lane, (const MPI_Request *){newreq})")),
    "post receive": ("", COUNTED_POST.replace("{track}", "hb__counted_receive(lane, (const MPI_Request *){newreq}, (int){source}, (int){last_tag})")),
    "receive": (" && !" + WILD, COUNTED), "exchange": (" && !" + WILD, COUNTED),
    "wait": (" && {request}" + STATUS_THERE + " && !hb__completes_choice(1, (const MPI_Request *){request})", """
		return hb__counted_wait(lane, *at, (MPI_Request *){request}, (MPI_Status *){status});"""),
    "waitall": (SEVERAL + STATUSES_THERE + " && !hb__completes_choice((int){nreq}, (const MPI_Request *){reqs})", """
		return hb__counted_waitall(lane, *at, (int){nreq}, (MPI_Request *){reqs}, (MPI_Status *){statuses});"""),
}
BEGIN = "\n\t\thb__quick_begin(lane, s, HB_FN_{name});"
STATUS = """
		MPI_Status own, *st = (MPI_Status *){status} == MPI_STATUS_IGNORE ? &own : (MPI_Status *){status};
		{status} = (uintptr_t)st;"""
FAILED = """
		int code = {call};
		if (unlikely(code != MPI_SUCCESS))
			return hb__quick_%s;
		uint64_t exit = hb__counter_tick();"""
QUICK = {
    # The buffer is still the library's when it returns: what it holds is looked at then, and no argument has to be kept for the call.
    "send": ("HB__UNUSUAL_ALONE", "", BEGIN + FAILED % "send_failed(lane, s, {buffer}, code)" + """
		return hb__quick_sent(lane, s, exit, {buffer});"""),
    "post send": ("HB__UNUSUAL", "", BEGIN + FAILED % "send_failed(lane, s, {buffer}, code)" + """
		hb__quick_track(lane, (const MPI_Request *){newreq});
		return hb__quick_sent(lane, s, exit, {buffer});"""),
    "post receive": ("HB__UNUSUAL", "", BEGIN + FAILED % "failed(lane, s, 0, NULL, code)" + """
		hb__quick_track_receive(lane, s, (const MPI_Request *){newreq}, {source_at}, {tag_at});
		return hb__quick_end(lane, s, exit, 0, 0);"""),
    "exchange": ("HB__UNUSUAL_ALONE", STATUS_THERE, """
		uint16_t check = hb__quick_sends(s, {buffer});""" + STATUS + BEGIN + """
		return hb__quick_received(lane, s, check, st, {call});"""),
    "receive": ("HB__UNUSUAL_ALONE", STATUS_THERE, STATUS + BEGIN + """
		return hb__quick_received(lane, s, 0, st, {call});"""),
    "meeting": ("HB__UNUSUAL_COLLECTIVE", "", BEGIN + FAILED % "failed(lane, s, 0, NULL, code)" + """
		return hb__quick_end(lane, s, exit, 0, 0);"""),
    # Neither what is given in place nor what one buffer for both held is still there when the library has returned.
    "collective": ("HB__UNUSUAL_COLLECTIVE", " && (const void *){buffer} != MPI_IN_PLACE && {buffer} != {out}",
        BEGIN + FAILED % "collective_failed(lane, s, {buffer}, {out}, code)" + """
		return hb__quick_collected(lane, s, exit, {buffer}, {out});"""),
    # With one buffer: what goes in is there afterwards, too.
    "cast": ("HB__UNUSUAL_COLLECTIVE", "", BEGIN + FAILED % "cast_failed(lane, s, {buffer}, code)" + """
		return hb__quick_cast(lane, s, exit, {buffer});"""),
    "wait": ("HB__UNUSUAL", " && {request}" + STATUS_THERE, """
		return hb__quick_wait(lane, s, *at, (MPI_Request *){request}, (MPI_Status *){status});"""),
    "waitall": ("HB__UNUSUAL", SEVERAL + STATUSES_THERE, """
		return hb__quick_waitall(lane, s, *at, (int){nreq}, (MPI_Request *){reqs}, (MPI_Status *){statuses});"""),
    "waitany": ("HB__UNUSUAL", SEVERAL + " && {index}" + STATUS_THERE, """
		return hb__quick_waitany(lane, s, *at, (int){nreq}, (MPI_Request *){reqs}, (int *){index}, (MPI_Status *){status});"""),
    "waitsome": ("HB__UNUSUAL", SEVERAL + " && {outcount} && {indices}" + STATUSES_THERE, """
		return hb__quick_waitsome(
			lane, s, *at, (int){nreq}, (MPI_Request *){reqs}, (int *){outcount}, (int *){indices}, (MPI_Status *){statuses});"""),
}

# Polls of several requests.
POLLS = {
    "testall": (" && {flag}" + STATUSES_THERE, "(int *){flag}, (MPI_Status *){statuses}"),
    "testany": (" && {flag} && {index}" + STATUS_THERE, "(int *){index}, (int *){flag}, (MPI_Status *){status}"),
    "testsome": (" && {outcount} && {indices}" + STATUSES_THERE, "(int *){outcount}, (int *){indices}, (MPI_Status *){statuses}"),
}
POLL_SEVERAL = """
	struct hb__lane *lane = hb__self;
	if (likely(lane && !(lane->word & HB__UNUSUAL_POLL) && lane->control->calls[HB_FN_{name}]{asked})) {{
		struct hb__asker who = {{&fn_{name}, *at, pc, cfa}};
		return hb__quick_{shape}(lane, &who, (int){nreq}, (MPI_Request *){reqs}, {given});
	}}"""

# A poll that says no has no slot.
POLL = """
	struct hb__lane *lane = hb__self;
	if (likely(lane && !(lane->word & {unusual}) && lane->control->calls[HB_FN_{name}] && {flag}{asked})) {{{was}""" + STATUS + """
		lane->control->calls[HB_FN_{name}]++;
		lane->depth = 1;
		int code = {call};
		if (likely(code == MPI_SUCCESS && !*(const int *){flag})) {{
			lane->control->polls++;
			lane->depth = 0;
			return code;
		}}
		uintptr_t a[] = {{{pack}}};
		return {rest}, code);
	}}"""

# At level racing.
CARRIED = """
	struct hb__lane *carries = hb__self;
	if (carries && carries->word == HB__WORD_CARRIED && carries->control->calls[HB_FN_{name}]{asked}"""
CARRIED_SEND = CARRIED + ")\n\t\treturn hb__carried_send(carries, &fn_{name}, a, *at);"
CARRIED_RECEIVE = CARRIED + """) {{
		bool choice = (int){source} != MPI_PROC_NULL && {wild};
		struct hb__slot *slot = choice ? hb__slot_of_function(carries, &fn_{name}) : NULL;
		if (likely(slot || !choice))
			return hb__carried_recv(carries, &fn_{name}, a, *at, slot);
	}}"""

# The few that return a value: counted, and MPI_Wtime replayed, by one function per type.
VALUE = """
static const struct hb__fn fn_{name} = {{
	.name = "{name}", .id = HB_FN_{name}, .cls = HB_{cls}, .flags = {flags},
	.role = {{{roles}}}, .means = &hb_meanings[HB_FN_{name}],
}};

HB__EXPORT {ret} {name}({params})
{{
	hb__function f = hb__value_enter(&fn_{name}, HB_ENTRY_MPI, HB__CALLER);
	return hb__{kind}_leave(&fn_{name}, ((__typeof__({ret} (*)({types})))f)({names}), HB__CALLER);
}}

HB__EXPORT {ret} P{name}({params})
{{
	hb__function f = hb__value_enter(&fn_{name}, HB_ENTRY_PMPI, HB__CALLER);
	return hb__{kind}_leave(&fn_{name}, ((__typeof__({ret} (*)({types})))f)({names}), HB__CALLER);
}}
"""


class Row:
    def __init__(self, name, cls, flags, columns, params, wide=False):
        self.name, self.cls, self.flags, self.params, self.wide = name, cls, flags, params, wide
        self.columns = columns
        self.known = None  # the types that the header has; None: all that are asked for

    def ctype(self, kind):
        if kind.startswith("as("):
            ctype = kind[3:-1]
        else:
            ctype = LARGE[kind] if self.wide and kind in LARGE else CTYPE[kind]
        if self.known is None or set(re.findall(r"MPIX?_\w+", ctype)) <= self.known:
            return ctype
        return "uintptr_t"  # a whole register: passed on as it comes


def columns_of(text):
    """The words KEY=VALUE or KEY="VALUE" at the beginning, and what is behind them."""
    columns = {}
    while m := re.match(r'(\w+)=(?:"([^"]*)"|(\S+))\s*', text):
        columns[m[1]] = m[2] or m[3]
        text = text[m.end():]
    return columns, text


def params_of(text, family):
    """Yields (name, kind); a kind may contain spaces inside as(...)."""
    found = []
    for m in re.finditer(r"(\w+):((?:openmpi=|mpich=)?(?:as\((?:[^()]|\([^()]*\))*\)|\w+)(?:\|(?:openmpi=|mpich=)(?:as\((?:[^()]|\([^()]*\))*\)|\w+))*)", text):
        name, kind = m.groups()
        if "=" in kind and not kind.startswith("as("):
            kind = dict(k.split("=", 1) for k in kind.split("|"))[family]
        found.append((name, kind))
    return found


def read(path, family):
    rows = []
    for number, line in enumerate(open(path), 1):
        line = line.split("#")[0].strip() if not '"' in line else line.strip()
        if not line or line.startswith("#"):
            continue
        only = re.search(r"\s@(openmpi|mpich)\s*$", line)
        if only:
            line = line[:only.start()]
            if only.group(1) != family:
                continue
        parts = line.split(None, 2)
        cls, *flags = parts[1].split(",")
        if cls == "unsupported":
            continue
        columns, rest = columns_of(parts[2] if len(parts) > 2 else "")
        params = params_of(rest, family)
        rows.append(Row(parts[0], cls, flags, columns, params))
        if "large" in flags:
            rows.append(Row(parts[0] + "_c", cls, flags, columns, params, wide=True))
    return rows


def param_of(name, kind):
    known = {"as(MPI_Request)": "REQVAL", "as(MPI_Comm)": "PEER", "as(const MPI_Status *)": "STATUSIN",
             "as(const MPI_Aint *)": "AINTS", "as(const MPI_Count *)": "CNTS", "anyints": "INTPTR", "partners": "GROUP", "fence": "INT"}
    return f'{{HB_P_{known.get(kind, "AS" if kind.startswith("as(") else kind.upper())}, "{name}"}}'


# ---- what a function means ----

BY_CLASS = {"send": "SEND", "recv": "RECEIVE", "complete": "COMPLETE", "probe": "PROBE", "collective": "COLLECTIVE",
            "comm": "COLLECTIVE"}
ON_INTRA = ("WINDOW_MAKE", "FILE_OPEN")
ORDERED_ALL = ("BIRTH", "BIRTH_OF_GROUP", "WINDOW_MAKE", "WINDOW_FREE", "WINDOW_FENCE", "FILE_OPEN")
INHERITED = ("does", "mode", "order", "moves", "fit", "takes", "topology", "flavor", "bridge", "alike", "given", "otf2", "needs", "turn", "tells", "alone")
COLUMNS = INHERITED + ("base", "answers")


class Meaning:
    """Of a row: its own columns, else those of the blocking function, else what its class and its parameters say."""

    def __init__(self, row, rows):
        self.row, self.kinds = row, [kind for _, kind in row.params]
        assert set(row.columns) <= set(COLUMNS), (row.name, row.columns)
        self.plain = row.name[:-2] if row.name.endswith("_c") and row.name[:-2] in rows else row.name
        self.base = self.find_base(rows)
        base = rows[self.base]
        self.columns = {k: v for k, v in base.columns.items() if k in INHERITED} | row.columns
        self.empty, self.in_place = "empty" in base.flags, "in_place" in base.flags
        self.posts = self.find_posts()
        self.does = self.columns.get("does", BY_CLASS.get(row.cls, "nothing")).upper()
        if "matched" in row.flags:
            self.does = "MATCHED_RECEIVE"
        elif self.does == "PROBE" and "newmsg" in self.kinds:
            self.does = "MATCHED_PROBE"
        self.shape = self.find_shape().upper()
        if row.cls == "collective":
            assert {"order", "moves"} <= set(self.columns), row.name + ": a collective needs the columns order and moves"
        implied = "all" if row.cls == "comm" and self.does == "COLLECTIVE" or self.does in ORDERED_ALL else "none"
        self.order = self.columns.get("order", implied).upper()
        self.takes = self.columns.get("takes", "intra" if self.does in ON_INTRA else "any").upper()
        self.topology = self.columns.get("topology", "some" if self.columns.get("fit") == "neighbors" else "none").upper()
        self.needs = self.find_needs()

    def find_base(self, rows):
        if "base" in self.row.columns:
            return self.row.columns["base"]
        plain, tries = self.plain, []
        if "persistent" in self.row.flags:
            tries.append(plain.removesuffix("_init"))
        if "nonblocking" in self.row.flags or "poll" in self.row.flags:
            for prefix in ("MPI_I", "MPI_R"):
                tries.append(re.sub("^%s([a-z])" % prefix, lambda m: "MPI_" + m[1].upper(), plain))
            tries.append(plain.replace("MPI_File_i", "MPI_File_"))
        return next((t for t in tries if t in rows and t != plain), plain)

    def find_posts(self):
        if "start" in self.row.flags:
            return "COUNT" if "nreq" in self.kinds else "ONE"
        return "ONE" if {"nonblocking", "persistent"} & set(self.row.flags) or "newmsg" in self.kinds else "NONE"

    def find_shape(self):
        kinds, row = set(self.kinds), self.row
        if "clock" in row.flags:
            return "clock"
        if "start" in row.flags:
            return "started"
        if "matched" in row.flags:
            return "matched"
        if self.does in ("FREE_REQUEST", "CANCEL"):
            return "request"
        if row.cls == "complete":
            return "any" if "index" in kinds else "some" if "indices" in kinds else "all" if "statuses" in kinds else "status"
        if row.cls == "comm" and "newcomm" in kinds:
            return "comm"
        if self.does == "WINDOW_MAKE":
            return "window"
        if self.does == "WINDOW_COMPLETE":
            return "fetched"
        if self.columns.get("turn") in ("lock", "atomic", "pointer"):
            return "turn"
        return "message" if row.cls in ("send", "recv", "probe") and (self.posts == "NONE" or "newmsg" in kinds) else "none"

    def find_needs(self):
        row, does, event = self.row, self.does, {"event", "nonblocking", "persistent"} & set(self.row.flags)
        if self.posts != "NONE" and "newmsg" not in self.kinds or not event and row.cls != "rma":
            return "NOTHING"
        if "needs" in self.columns:
            return self.columns["needs"].upper()
        if does == "SEND":
            return "NOTHING" if self.columns.get("mode") == "buffered" else "RECEIVER"
        if does in ("COMPLETE", "LOOK"):
            return "REQUESTS"
        if does in ("PROBE", "MATCHED_PROBE"):
            return "MESSAGE" if does == "MATCHED_PROBE" and "poll" not in row.flags else "PROBED"
        if does == "RECEIVE":
            return "MESSAGE"
        if row.cls == "io":  # those that are recorded are collective
            return "MEMBERS" if does == "FILE_OPEN" else "OTHERS"
        return "MEMBERS" if self.order != "NONE" or row.cls == "collective" else "NOTHING"

    def text(self):
        quoted = {k: '"%s"' % self.columns[k] if k in self.columns else "NULL" for k in ("alike", "given", "otf2")}
        truths = {"rooted": "root" in self.kinds, "empty": self.empty,
                  "in_place": self.in_place, "frees": "frees" in self.row.flags,
                  "anytime": "anytime" in self.row.flags, "meets": "meets" in self.row.flags,
                  "unfreed": "unfreed" in self.row.flags, "tool": "tool" in self.row.flags, "chooses": "poll" in self.row.flags or self.shape in ("ANY", "SOME")}
        fields = {"name": '"%s"' % self.row.name, "plain": "HB_FN_" + self.plain, "base": "HB_FN_" + self.base,
                  "cls": "HB_" + self.row.cls.upper(), "flags": flags_of(self.row), "does": "HB_DOES_" + self.does,
                  "mode": "HB_MODE_" + self.columns.get("mode", "standard").upper(), "order": "HB_ORDER_" + self.order,
                  "shape": "HB_SHAPE_" + self.shape, "posts": "HB_POSTS_" + self.posts, "needs": "HB_NEEDS_" + self.needs,
                  "tells": "HB_TELLS_" + self.columns.get("tells", "nothing").upper(),
                  "alone": "HB_ALONE_" + self.columns.get("alone", "nothing").upper(),
                  "turn": "HB_TURN_" + self.columns.get("turn", "none").upper(),
                  "fit": "HB_FIT_" + self.columns.get("fit", "none").upper(),
                  "moves": "HB_MOVES_" + self.columns.get("moves", "nothing").upper(),
                  "takes": "HB_TAKES_" + self.takes, "topology": "HB_TOPOLOGY_" + self.topology,
                  "flavor": "HB_FLAVOR_" + self.columns.get("flavor", "none").upper(),
                  "bridge": "HB_BRIDGE_" + self.columns.get("bridge", "none").upper(),
                  **{k: str(v).lower() for k, v in truths.items()}, **quoted}
        return "\t[HB_FN_%s] = {%s},\n" % (self.row.name, ", ".join(".%s = %s" % f for f in fields.items()))


def answers_of(row):
    """What it answers that does not follow from its arguments: NAME, or an array NAME[LENGTH]; @ and what its values are, where the
    libraries have different numbers for them."""
    at = {name: i for i, (name, _) in enumerate(row.params)}
    found = re.findall(r"(\w+)(?:\[(\w+)\])?(?:@(\w+))?", row.columns.get("answers", ""))
    return [f"{{{at[name]}, {at[length] + 1 if length else 0}, HB_ANSWERS_{(values or 'number').upper()}}}" for name, length, values in found]


def flags_of(row):
    return " | ".join(dict.fromkeys(FLAGS[f] for f in row.flags if f in FLAGS)) or "0"


def emit(row):
    types = [row.ctype(kind) for _, kind in row.params]
    names = [name for name, _ in row.params]
    decl = [f"__typeof__({t}) {n}" for t, n in zip(types, names)]
    roles, recorded = {}, []
    for i, (name, kind) in enumerate(row.params):
        if kind == "winptr" and "frees" in row.flags:
            recorded.append(f'{{{i}, HB_RECORDED_WIN, "{name}"}}')  # of a constructor it is a result
        elif kind in RECORDED:
            recorded.append(f'{{{i}, HB_RECORDED_{RECORDED[kind]}, "{name}"}}')
        if kind in ROLE:
            roles.setdefault(ROLE[kind], i)
        for k, first, last in (("count", "COUNT", "LAST_COUNT"), ("dtype", "TYPE", "LAST_TYPE"), ("tag", "TAG", "LAST_TAG")):
            if kind == k:
                roles.setdefault(first, i)
                roles[last] = i
    assert len(recorded) <= 12 and len(names) <= 20, row.name
    role_text = ", ".join(f"[HB_R_{r}] = {i + 1}" for r, i in roles.items())
    value = next((f for f in row.flags if f in RETURNS), None)
    fields = dict(name=row.name, cls=row.cls.upper(), flags=flags_of(row), roles=role_text or "0",
                  params=", ".join(decl) or "void", types=", ".join(f"__typeof__({t})" for t in types) or "void",
                  names=", ".join(names))
    if value:
        return VALUE.format(ret=RETURNS[value], kind=value, **fields)
    fields |= dict(call="((int (*)(%s))*at)(%s)" % (", ".join("uintptr_t" for _ in names) or "void", ", ".join(names)),
                   pack=", ".join(f"(uintptr_t)(__typeof__({t})){n}" for n, t in zip(names, types)) or "0")
    quick, ordered = quick_way(row, fields, types)
    # Beside a quick way the other one stands apart, and where the arguments are: the quick one needs no room for them.
    return WRAPPER.format(
        quick=quick, ordered=ordered, carried=carried_way(row), inlined="static __attribute__((noinline))" if quick else "static inline __attribute__((always_inline))",
        params_first="".join(f"uintptr_t {n}, " for n in names), names_first="".join(n + ", " for n in names),
        nanswers=len(answers_of(row)), answers=", ".join(answers_of(row)) or "{0}",
        nargs=len(names), wide=int(row.wide), param=", ".join(param_of(*p) for p in row.params) or "{0}",
        nrecorded=len(recorded), recorded=", ".join(recorded) or "{0}",
        wide_params=", ".join(f"uintptr_t {n}" for n in names) or "void",
        more_params="".join(f", uintptr_t {n}" for n in names), more_names="".join(", " + n for n in names),
        unpack=", ".join(f"(__typeof__({t}))a[{i}]" for i, t in enumerate(types)), **fields)


def shape_of(row):
    """Which quick way a function has; None: its handler sees each call."""
    kinds, flags = [kind for _, kind in row.params], set(row.flags)
    if "event" not in flags or flags & {"persistent", "matched"} or any(RECORDED.get(k, "").startswith("DIGEST") for k in kinds):
        return None
    if row.cls == "send":
        return "post send" if "nonblocking" in flags else "send"
    if row.cls == "recv":
        exchanges, posts = "dest" in kinds, "nonblocking" in flags
        return None if exchanges and posts else "exchange" if exchanges else "post receive" if posts else "receive"
    if row.cls == "probe":
        return None if "newmsg" in kinds else "probed" if "poll" in flags else "receive"
    if row.cls == "collective":
        buffers = sum(kind in ("sbuf", "rbuf") for kind in kinds)
        return None if "newreq" in kinds else ("meeting", "cast", "collective")[buffers]
    shape = {("request", "status"): "wait", ("nreq", "reqs", "statuses"): "waitall",
            ("nreq", "reqs", "index", "status"): "waitany", ("nreq", "reqs", "outcount", "indices", "statuses"): "waitsome",
            ("nreq", "reqs", "flag", "statuses"): "testall", ("nreq", "reqs", "index", "flag", "status"): "testany",
            ("request", "flag", "status"): "tested"}.get(tuple(kinds)) if row.cls == "complete" else None
    return "testsome" if shape == "waitsome" and "poll" in flags else shape


def quick_way(row, fields, types):
    """What stands in front of the general way, and in front of the call of its handler there."""
    shape, name = shape_of(row), row.name
    # What is no event goes a short way. Whether its handler is the plain one is asked at run time: the wrapper cannot be wrong about it.
    if row.cls == "local" and fields["flags"] == "0":
        return "\n\tHB__PLAIN(HB_FN_%s, %s);" % (name, fields["call"]), ""
    if not shape:
        return "", ""
    kinds = [kind for _, kind in row.params]
    known = {kind: n for n, kind in reversed(row.params)} | fields  # the first of each kind
    known["last_tag"] = {kind: n for n, kind in row.params}.get("tag")
    if shape in ("probed", "tested"):
        known["unusual"] = "HB__UNUSUAL_PROBE" if shape == "probed" else "HB__UNUSUAL_POLL"
        known["asked"] = (STATUS_THERE + (" && {request}" if shape == "tested" else "")).format(**known)
        known["was"] = "\n\t\tuintptr_t was = (uintptr_t)*(const MPI_Request *){request};".format(**known) if shape == "tested" else ""
        known["rest"] = "hb__quick_%s(lane, &fn_%s, a, pc, cfa, %s" % (shape, name, "was" if shape == "tested" else "st")
        return POLL.format(**known), ""
    if shape in POLLS:
        asked, given = (text.format(**known) for text in (SEVERAL + POLLS[shape][0], POLLS[shape][1]))
        return POLL_SEVERAL.format(shape=shape, asked=asked, given=given, **known), ""
    recorded = [i for i, kind in enumerate(kinds) if kind in RECORDED]
    known["same"] = "".join(f" &&\n\t\t    HB__SAME({types[i]}, s->key[{k}], {row.params[i][0]})" for k, i in enumerate(recorded))
    buffers = [n for n, kind in row.params if kind in ("sbuf", "rbuf")]
    known |= {"buffer": buffers[0], "out": buffers[-1]} if buffers else {"buffer": "0", "out": "0"}
    if shape == "post receive":
        known |= {f"{kind}_at": recorded.index(kinds.index(kind)) for kind in ("source", "tag")}
    unusual, asked, does = QUICK[shape]
    quick = EXPECTED.format(unusual=unusual, asked=asked.format(**known), does=does.format(**known), **known)
    if shape not in ORDER:  # each is a choice
        return quick, ""
    no_choice, counted = (part.format(**known) for part in ORDER[shape])
    ordered = CHOICE_OR_NOT.format(unusual=unusual, no_choice=no_choice, counted=counted, **known)
    return (quick, "\n\tstruct hb__lane *lane = hb__self;" + ordered) if shape in APART else (quick + ordered, "")


def carried_way(row):
    known = {kind: n for n, kind in row.params} | {"name": row.name}
    if shape_of(row) == "send":
        return CARRIED_SEND.format(asked="", **known)
    if shape_of(row) == "receive" and row.cls == "recv":
        wild = WILD.format(last_tag=known["tag"], **known)
        return CARRIED_RECEIVE.format(asked=STATUS_THERE.format(**known), wild=wild, **known)
    return ""


PARAMETERS = """#include <stddef.h>

#include "calls/meaning.h"
#include "mpi_ids.h"

%s
static const struct {
	unsigned n;
	const struct hb__param *at;
} parameters[HB_FN_COUNT] = {
%s};

const struct hb__param *hb_parameters_of(const hb_meaning *means, unsigned *ret_n)
{
	size_t at = (size_t)(means - hb_meanings);
	bool known = means >= hb_meanings && means < hb_meanings + HB_FN_COUNT;
	*ret_n = known ? parameters[at].n : 0;
	return known ? parameters[at].at : NULL;
}
"""


def main():
    table, what, family, header, output = sys.argv[1:]
    rows = read(table, family)
    with open(output, "w") as out:
        if what == "ids":
            every = sorted({r.name for r in read(table, "openmpi")} | {r.name for r in read(table, "mpich")})
            out.write("#pragma once\nenum hb__function_id {\n" + "".join(f"\tHB_FN_{n},\n" for n in every) + "\tHB_FN_COUNT\n};\n")
            return
        if what == "meanings":
            every = {r.name: r for r in read(table, "openmpi") + rows}
            out.write('#include <stddef.h>\n\n#include "calls/meaning.h"\n#include "mpi_ids.h"\n\n'
                      "const hb_meaning hb_meanings[HB_FN_COUNT] = {\n"
                      + "".join(Meaning(every[n], every).text() for n in sorted(every)) + "};\n"
                      + "const unsigned hb_meanings_known = HB_FN_COUNT;\n")
            return
        if what == "parameters":
            every = {r.name: r for r in read(table, "openmpi") + rows}
            out.write(PARAMETERS % ("".join("static const struct hb__param of_%s[] = {%s};\n" % (n, ", ".join(param_of(*p) for p in r.params))
                                            for n, r in sorted(every.items()) if r.params),
                                    "".join("\t[HB_FN_%s] = {%d, of_%s},\n" % (n, len(r.params), n) for n, r in sorted(every.items()) if r.params)))
            return
        text = open(header).read()
        declared = set(re.findall(r"\b(MPIX?_\w+)\s*\(", text))
        out.write('#include "capture/mpi/wrap/quick/quick.h"\n#include "capture/mpi/family/family.h"\n#include "mpi_ids.h"\n')
        emitted = [r for r in rows if r.name in declared or ("later" in r.flags and not r.wide)]
        for row in emitted:
            row.known = None if row.name in declared else set(re.findall(r"\bMPIX?_\w+", text))
        for row in emitted:
            out.write(emit(row))
        out.write("\nconst struct hb__fn *const hb__fns[HB_FN_COUNT] = {\n"
                  + "".join(f"\t[HB_FN_{r.name}] = &fn_{r.name},\n" for r in emitted) + "};\n")


main()
