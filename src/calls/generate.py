#!/usr/bin/env python3
"""Writes the wrappers of one MPI library from mpi.calls.

usage: generate.py TABLE (ids|wrappers) FAMILY HEADER-NAMES OUTPUT

`ids` writes the enumeration of all functions; `wrappers` one wrapper per row
that the library declares. HEADER-NAMES is a file with the preprocessed mpi.h.
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
}
LARGE = {"count": "MPI_Count", "counts": "const MPI_Count *", "displs": "const MPI_Aint *", "disp": "MPI_Count"}
RECORDED = {
    "count": "NUMBER", "size": "NUMBER", "nreq": "NUMBER", "key": "NUMBER", "cnt": "NUMBER",
    "offset": "NUMBER", "color": "COLOR", "dest": "RANK", "source": "RANK", "root": "RANK", "tag": "TAG",
    "comm": "COMM", "commptr": "COMM", "dtype": "DATATYPE", "op": "OP", "win": "WIN", "file": "FILE",
    "counts": "DIGEST", "dtypes": "DIGEST_TYPES",
}
ROLE = {
    "sbuf": "SBUF", "rbuf": "RBUF", "dest": "DEST", "source": "SOURCE", "comm": "COMM", "newcomm": "NEWCOMM",
    "commptr": "COMMPTR", "newtype": "NEWTYPE", "typeptr": "TYPEPTR", "opptr": "OPPTR", "winptr": "WINPTR",
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
	.wide = {wide}, .nrecorded = {nrecorded}, .recorded = {{{recorded}}}, .param = params_{name},
	.role = {{{roles}}}, .invoke = invoke_{name},
}};

HB__EXPORT int hb_{name}({wide_params}) __asm__("{name}");
int hb_{name}({wide_params})
{{
	if (unlikely(hb__foreign))
		return ((int (*)({wide_types}))hb__next[HB_ENTRY_MPI][HB_FN_{name}])({names});
	uintptr_t a[] = {{{pack}}};
	return hb__wrap(&fn_{name}, a, HB_ENTRY_MPI, HB__CALLER);
}}

HB__EXPORT int hb_P{name}({wide_params}) __asm__("P{name}");
int hb_P{name}({wide_params})
{{
	if (unlikely(hb__foreign))
		return ((int (*)({wide_types}))hb__next[HB_ENTRY_PMPI][HB_FN_{name}])({names});
	uintptr_t a[] = {{{pack}}};
	return hb__wrap(&fn_{name}, a, HB_ENTRY_PMPI, HB__CALLER);
}}
"""

# The few that return a value: counted, and MPI_Wtime replayed, by one function per type.
VALUE = """
static const struct hb__fn fn_{name} = {{
	.name = "{name}", .id = HB_FN_{name}, .cls = HB_{cls}, .flags = {flags},
	.role = {{{roles}}},
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
    def __init__(self, name, cls, flags, params, wide=False):
        self.name, self.cls, self.flags, self.params, self.wide = name, cls, flags, params, wide
        self.known = None  # the types that the header has; None: all that are asked for

    def ctype(self, kind):
        if kind.startswith("as("):
            ctype = kind[3:-1]
        else:
            ctype = LARGE[kind] if self.wide and kind in LARGE else CTYPE[kind]
        if self.known is None or set(re.findall(r"MPIX?_\w+", ctype)) <= self.known:
            return ctype
        return "uintptr_t"  # a whole register: passed on as it comes


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
        params = params_of(parts[2] if len(parts) > 2 else "", family)
        rows.append(Row(parts[0], cls, flags, params))
        if "large" in flags:
            rows.append(Row(parts[0] + "_c", cls, flags, params, wide=True))
    return rows


def param_of(name, kind):
    known = {"as(MPI_Request)": "REQVAL", "as(MPI_Comm)": "PEER", "as(const MPI_Status *)": "STATUSIN",
             "as(const MPI_Aint *)": "AINTS", "as(const MPI_Count *)": "CNTS", "anyints": "INTPTR"}
    return f'{{HB_P_{known.get(kind, "AS" if kind.startswith("as(") else kind.upper())}, "{name}"}}'


def emit(row):
    types = [row.ctype(kind) for _, kind in row.params]
    names = [name for name, _ in row.params]
    decl = [f"__typeof__({t}) {n}" for t, n in zip(types, names)]
    roles, recorded = {}, []
    for i, (name, kind) in enumerate(row.params):
        if kind in RECORDED:
            recorded.append(f'{{{i}, HB_ARG_{RECORDED[kind]}, "{name}"}}')
        if kind in ROLE:
            roles.setdefault(ROLE[kind], i)
        for k, first, last in (("count", "COUNT", "LAST_COUNT"), ("dtype", "TYPE", "LAST_TYPE"), ("tag", "TAG", "LAST_TAG")):
            if kind == k:
                roles.setdefault(first, i)
                roles[last] = i
    assert len(recorded) <= 12 and len(names) <= 20, row.name
    role_text = ", ".join(f"[HB_R_{r}] = {i + 1}" for r, i in roles.items())
    flags = " | ".join(dict.fromkeys(FLAGS[f] for f in row.flags if f in FLAGS)) or "0"
    value = next((f for f in row.flags if f in RETURNS), None)
    fields = dict(name=row.name, cls=row.cls.upper(), flags=flags, roles=role_text or "0",
                  params=", ".join(decl) or "void", types=", ".join(f"__typeof__({t})" for t in types) or "void",
                  names=", ".join(names))
    if value:
        return VALUE.format(ret=RETURNS[value], kind=value, **fields)
    return WRAPPER.format(
        nargs=len(names), wide=int(row.wide), param=", ".join(param_of(*p) for p in row.params) or "{0}",
        nrecorded=len(recorded), recorded=", ".join(recorded) or "{0}",
        pack=", ".join(f"(uintptr_t)(__typeof__({t})){n}" for n, t in zip(names, types)) or "0",
        wide_params=", ".join(f"uintptr_t {n}" for n in names) or "void",
        wide_types=", ".join("uintptr_t" for _ in names) or "void",
        unpack=", ".join(f"(__typeof__({t}))a[{i}]" for i, t in enumerate(types)), **fields)


def main():
    table, what, family, header, output = sys.argv[1:]
    rows = read(table, family)
    with open(output, "w") as out:
        if what == "ids":
            every = sorted({r.name for r in read(table, "openmpi")} | {r.name for r in read(table, "mpich")})
            out.write("#pragma once\nenum hb__function_id {\n" + "".join(f"\tHB_FN_{n},\n" for n in every) + "\tHB_FN_COUNT\n};\n")
            out.write("#define HB_FUNCTION_NAMES \\\n" + "".join(f'\t"{n}", \\\n' for n in every) + "\n")
            return
        text = open(header).read()
        declared = set(re.findall(r"\b(MPIX?_\w+)\s*\(", text))
        out.write('#include "capture/wrap/wrap.h"\n#include "mpi_ids.h"\n')
        emitted = [r for r in rows if r.name in declared or ("later" in r.flags and not r.wide)]
        for row in emitted:
            row.known = None if row.name in declared else set(re.findall(r"\bMPIX?_\w+", text))
        for row in emitted:
            out.write(emit(row))
        out.write("\nconst struct hb__fn *const hb__fns[HB_FN_COUNT] = {\n"
                  + "".join(f"\t[HB_FN_{r.name}] = &fn_{r.name},\n" for r in emitted) + "};\n")


main()
