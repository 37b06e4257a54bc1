"""Runs one benchmark program once: bare, under `hbdb record` or under `hbdb replay`."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
PROGRAMS = os.path.join(HERE, "programs")
LINE = re.compile(r"^bench: (\S+) (\S+) (\S+)$", re.M)
CHECK = re.compile(r"^(check: .*)$", re.M)
RESULT = re.compile(r"^(result: .*)$", re.M)


class Failure(Exception):
    """A run that did not do what it should; the text says which and why."""


class Outcome:
    """What one run printed, and what `hbdb record` left behind."""

    def __init__(self, output, finished):
        self.values = {m[1]: float(m[2]) for m in LINE.finditer(output)}
        self.checks = CHECK.findall(output)
        self.results = RESULT.findall(output)
        self.output = output
        self.tail = finished - self.values["end"] if "end" in self.values else None
        self.events = self.bytes = None


class Runner:
    def __init__(self, folder, hbdb, nice):
        self.folder, self.nice = folder, nice
        self.hbdb = hbdb if hbdb and os.access(hbdb, os.X_OK) else None
        self.cores = len(os.sched_getaffinity(0))
        self.environment = dict(
            os.environ, LC_ALL="C.UTF-8", OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PATH="/usr/sbin:/usr/bin:/sbin:/bin")
        for name in [n for n in self.environment if n.startswith("HBDB_") or n == "LD_PRELOAD"]:
            del self.environment[name]

    def library(self, mpi):
        """The capture library of an MPI, beside the program as in docs/CONTRACTS.md."""
        name = f"libhbdb-{mpi}.so"
        for folder in (".", "../lib/hbdb"):
            path = self.hbdb and os.path.join(os.path.dirname(self.hbdb), folder, name)
            if path and os.path.exists(path):
                return os.path.normpath(path)
        return None

    def launcher(self, mpi, ranks):
        command = [f"mpirun.{mpi}", "-n", str(ranks)]
        if mpi == "openmpi" and ranks > self.cores:
            command[1:1] = ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
        return command

    def execute(self, command, timeout=90, environment=None, folder=None):
        """Runs a command. Returns (standard output and error, the time of day when it ended)."""
        process = subprocess.Popen(
            ["nice", "-n", str(self.nice)] + command, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder or self.folder,
            env={**self.environment, **(environment or {})}, start_new_session=True)
        try:
            output = process.communicate(timeout=timeout)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.end(process)
            raise Failure(f"not done after {timeout} s: {' '.join(command)}") from None
        except BaseException:  # an interrupt must not leave the run behind
            self.end(process)
            raise
        finished = time.time()
        if process.returncode:
            last = " | ".join(output.strip().splitlines()[-3:])
            raise Failure(f"exit status {process.returncode}: {' '.join(command)}: {last}")
        return output, finished

    @staticmethod
    def end(process):
        """The session that the run was given, and nothing else."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.communicate(timeout=3)
                return
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def run(self, variant, command, recording, environment=None):
        """One run; variant is bare, order, events, racing, check, or replay of an existing recording."""
        if variant == "replay":
            command = [self.hbdb, "replay", recording]
        elif variant != "bare":
            how = ["--check"] if variant == "check" else ["--level", variant]
            command = [self.hbdb, "record", "-o", recording] + how + ["--"] + command
        output, finished = self.execute(command, environment=environment)
        return Outcome(output, finished)

    def weigh(self, outcome, recording):
        """Sets outcome.events and .bytes, those of the logs of a recording."""
        output, _ = self.execute([self.hbdb, "info", "--json", recording])
        info = json.loads(output)
        events = info.get("events")
        if events is None:
            events = sum(p["events"] for p in info["processes"])
        logs = [e.stat().st_size for e in os.scandir(recording) if e.name.endswith(".log")]
        outcome.events, outcome.bytes = events, sum(logs)

    def recording(self, variant):
        """Where the recording of a variant lies; a replay uses that of level events."""
        return os.path.join(self.folder, f"bench-{'events' if variant == 'replay' else variant}.hbdb")

    @staticmethod
    def forget(recording):
        shutil.rmtree(recording, ignore_errors=True)

    def compile(self, mpis):
        """Builds every program into the folder: NAME.MPI, clocks, alloc.so, span.so."""
        flags = ["-std=gnu17", "-O2", "-g", "-I" + os.path.join(os.path.dirname(PROGRAMS), "..", "include")]
        plain = {"clocks": [], "alloc.so": ["-fPIC", "-shared"], "span.so": ["-fPIC", "-shared"]}
        for target, extra in plain.items():
            folder = os.path.join(PROGRAMS, "preloaded") if extra else PROGRAMS
            source = os.path.join(folder, target.split(".")[0] + ".c")
            self.execute(["gcc"] + flags + extra + ["-I" + PROGRAMS, source, "-o", target, "-ldl"])
        for mpi in mpis:
            for name in ("pingpong", "stream", "poll", "steal", "halo", "amr", "farm", "calls"):
                source = os.path.join(PROGRAMS, name + ".c")
                self.execute([f"mpicc.{mpi}"] + flags + [source, "-o", f"{name}.{mpi}", "-lm", "-ldl"])
