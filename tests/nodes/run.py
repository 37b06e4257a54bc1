#!/usr/bin/env python3
"""Recording over several nodes, on machines made of namespaces: both MPIs over ssh, Slurm, and nodes that vanish.

usage: tests/nodes/run.py [--only bed|record|levels|clocks|hangs|slurm|vanish|replay|first|sockets|given|traced|ended|replay-slurm|debug|debug-calls|debug-many|debug-slurm|debug-killed|debug-lost|manager|kept|stopped]
"""
import argparse
import json
import os
import time

import again
import bed
import controlled
import kept
import managed
import slurm
from common import FAR, HBDB, PROGRAMS, check, build, end, files, finish, has, hbdb, launched, manifest, record, refused, said, same

NODES = ["n1", "n2", "n3", "n4"]


def test_bed(nodes, programs):
    """The machines themselves, before hbdb comes in."""
    for mpi, program in programs.items():
        for _ in range(8):  # MPICH: see common.STUCK
            done = nodes.run(["timeout", "-k", "5", "15"] + launched(mpi, NODES, program, "3"))
            if done.returncode == 0 or mpi == "openmpi":
                break
        check("%s runs on four nodes" % mpi, done.returncode == 0 and all(" on n%d\n" % i in done.stderr + "\n" for i in range(1, 5)), said(done))
    nodes["n2"].run(["sh", "-c", "echo own > /tmp/only-here"])
    check("a folder is a machine's own", nodes["n3"].run(["test", "-e", "/tmp/only-here"]).returncode != 0)
    nodes["n2"].kill()
    check("one that is gone does not answer", nodes.run(["ssh", "-o", "ConnectTimeout=2", "n2", "true"]).returncode == 255)
    nodes["n2"].start()
    same("its disk outlives it", nodes.run(["ssh", "n2", "cat", "/tmp/only-here"]).stdout, "own\n")


def test_record(nodes, programs):
    for mpi, program in programs.items():
        name = "/tmp/%s.hbdb" % mpi
        begin = time.monotonic()
        done = record(nodes, name, launched(mpi, NODES, program, "5", each=2), mpi=mpi)
        check("%s: recorded over four nodes (%.1f s)" % (mpi, time.monotonic() - begin),
              done.returncode == 0 and "8 processes, 164 events" in done.stderr, said(done))
        same("%s: a file for each node" % mpi, files(nodes, name), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
        same("%s: nothing stays on the nodes" % mpi, [f for n in NODES for f in files(nodes, "/tmp", n) if f.startswith("hbdb-")], [])
        same("%s: the manifest names the nodes" % mpi, [(n["name"], n["host"], n.get("missing")) for n in manifest(nodes, name)["nodes"]],
             [(n, n, None) for n in NODES])
        has("%s: verify" % mpi, hbdb(nodes, "verify", name).stdout, "whole, 8 logs, 164 events")
        done = hbdb(nodes, "races", name)
        has("%s: races" % mpi, done.stdout, "of 35 wildcard receives")
        has("%s: dump" % mpi, hbdb(nodes, "dump", "--plain", name).stdout, "0:2 MPI_Recv(", "7:2 MPI_Send(")
        for command in (["info"], ["sql", "SELECT count(*) FROM events"], ["order", "1:2", "0:60"], ["graph", "-o", "/tmp/g.svg", "--around", "0:9"],
                        ["export", "--to", "csv", "-o", "/tmp/%s.csv" % mpi]):
            words = command + [name] if command[0] != "sql" else ["sql", name, command[1]]
            done = hbdb(nodes, *words)
            check("%s: %s" % (mpi, command[0]), done.returncode == 0, said(done))
        done = hbdb(nodes, "minimize", name, "-o", "/tmp/%s-small.hbdb" % mpi)
        check("%s: minimize" % mpi, done.returncode == 0, said(done))
    nodes["n3"].run(["mount", "-t", "tmpfs", "none", os.path.dirname(HBDB)])
    done = record(nodes, "/tmp/without.hbdb", launched("openmpi", NODES, programs["openmpi"], "5"))
    check("a node without hbdb: says which, and what is missing there",
          done.returncode == 2 and "n3" in done.stderr and "there is no hbdb there, at the path that it has here" in done.stderr, said(done))
    nodes["n3"].run(["umount", os.path.dirname(HBDB)])


def test_levels(nodes, programs):
    program = launched("openmpi", NODES[:2], programs["openmpi"], "5", each=2)
    done = record(nodes, "/tmp/data.hbdb", program, "--level", "data")
    check("level data", done.returncode == 0 and "contents of 4 processes" in done.stderr, said(done))
    has("level data: verify", hbdb(nodes, "verify", "/tmp/data.hbdb").stdout, "4 logs", "bytes of contents")
    same("level data: a file for each node", files(nodes, "/tmp/data.hbdb"), ["manifest.json", "node.n1.hbn", "node.n2.hbn"])
    done = hbdb(nodes, "replay", "--trust", "--alone", "3", "/tmp/data.hbdb", node=None)
    check("level data: a process of another node is replayed alone here", done.returncode == 0 and "no difference" in done.stderr, said(done))
    done = record(nodes, "/tmp/racing.hbdb", program, "--level", "racing")
    check("level racing", done.returncode == 0 and "wildcard receives are kept" in done.stderr, said(done))
    check("level racing: its logs are files of their own", "rank.3.log" in files(nodes, "/tmp/racing.hbdb"), files(nodes, "/tmp/racing.hbdb"))
    done = record(nodes, "/tmp/raw.hbdb", program, "--keep-raw")
    check("--keep-raw", done.returncode == 0 and "rank.3.log" in files(nodes, "/tmp/raw.hbdb"), said(done))
    done = record(nodes, "/srv/off.hbdb", program, "--local", "off", "-o", "/srv/off.hbdb")
    check("--local off with a folder that all see", done.returncode == 0 and "rank.3.log" in files(nodes, "/srv/off.hbdb"), said(done))
    done = record(nodes, "/tmp/else.hbdb", program, "--local", "/dev/shm")
    check("--local FOLDER", done.returncode == 0 and manifest(nodes, "/tmp/else.hbdb")["nodes"][0]["folder"].startswith("/dev/shm/hbdb-"), said(done))
    done = record(nodes, "/tmp/no.hbdb", program, "--local", "/nowhere")
    check("--local of a folder that is not there", done.returncode == 2 and "--local chooses another one" in done.stderr, said(done))
    done = record(nodes, "/tmp/no.hbdb", launched("openmpi", ["n1", "nobody"], programs["openmpi"]))
    check("a node that is not there", done.returncode == 2 and "the node nobody cannot be reached" in done.stderr, said(done))
    same("... leaves no recording", nodes.run(["ls", "/tmp/no.hbdb"]).returncode, 2)


def wait_for_work(nodes, count, node="n2"):
    """Until the processes of a node have written logs."""
    bed.wait_for("logs on " + node, lambda: nodes[node].run(["sh", "-c", "ls /tmp/hbdb-*/rank.*.log"]).stdout.count(".log") == count)


def vanish(nodes, program, name, how):
    """A recording of which n2 is lost in the middle: (status, what hbdb said)."""
    process = nodes.front.start_command([HBDB, "record", "-o", name, "--"] + launched("openmpi", NODES, program, "200", "20", each=2),
                                        stdout=-1, stderr=-1, text=True)
    try:
        wait_for_work(nodes, 2)
        time.sleep(0.5)  # some messages more; nothing rests on it
        how()
        out, err = process.communicate(timeout=FAR)
    finally:
        end(process)
    return process.returncode, out + err


def test_vanish(nodes, programs):
    name = "/tmp/gone.hbdb"
    begin = time.monotonic()
    status, text = vanish(nodes, programs["openmpi"], name, nodes["n2"].kill)
    check("a node that is killed: the status is the command's (%.1f s)" % (time.monotonic() - begin), status not in (0, 2, 3), "%d %s" % (status, text))
    has("... and it is said which", text, "the node n2 is lost", "ranks 2-3 are missing", "hbdb record --fetch")
    same("the others are there", files(nodes, name), ["manifest.json", "node.n1.hbn", "node.n3.hbn", "node.n4.hbn"])
    done = hbdb(nodes, "dump", "--rank", "0", "--plain", name)
    check("the rest can be used", done.returncode in (0, 3) and "0:2 MPI_Recv" in done.stdout, said(done))
    done = hbdb(nodes, "info", name)
    has("info says which node is missing", done.stdout, "n2", "missing")
    done = hbdb(nodes, "verify", name)
    check("verify says that it is not whole", done.returncode == 3 and "n2" in done.stderr, said(done))
    done = hbdb(nodes, "record", "--fetch", name)
    check("--fetch while it is gone", done.returncode == 3 and "the node n2 is lost" in done.stderr, said(done))
    nodes["n2"].start()
    done = hbdb(nodes, "record", "--fetch", name)
    check("--fetch when it is back", done.returncode == 0 and "8 processes" in done.stderr, said(done))
    same("... and all are there", files(nodes, name), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
    done = hbdb(nodes, "record", "--fetch", name)
    check("... once", done.returncode == 2 and "nothing to fetch" in done.stderr, said(done))
    begin = time.monotonic()

    def unplugged():
        nodes["n3"].unplug()
        time.sleep(1)
        nodes.front.run(["pkill", "-KILL", "mpirun"])  # Open MPI waits for a node that says nothing for minutes: its user does not

    status, text = vanish(nodes, programs["openmpi"], "/tmp/unplugged.hbdb", unplugged)
    has("a node whose cable is pulled (%.1f s)" % (time.monotonic() - begin), text, "the node n3 is lost", "ranks 4-5 are missing")
    nodes["n3"].plug()
    nodes["n3"].run(["pkill", "-9", "talk"])
    done = hbdb(nodes, "record", "--fetch", "/tmp/unplugged.hbdb")
    check("... is fetched when it is back", done.returncode == 0 and "8 processes" in done.stderr, said(done))


EARLY = "SELECT count(*) AS n FROM messages WHERE state = 'received' AND send_enter > done_exit"


def test_clocks(nodes, programs):
    """n2 is 2.5 s ahead and 400 ppm fast, n3 4 ms behind and slow: as far as programs there can tell."""
    shift = nodes.build_program(os.path.join(PROGRAMS, "clock.c"), "clock.so", "cc", "-shared", "-fPIC")
    wrapper = nodes.put("shifted.sh", """#!/bin/sh
case $(hostname) in
n2) export SHIFT_NS=2500000000 SHIFT_PPM=400;;
n3) export SHIFT_NS=-4000000 SHIFT_PPM=-30;;
esac
export LD_PRELOAD=$LD_PRELOAD:%s
exec "$@"
""" % shift)
    name = "/tmp/clocks.hbdb"
    done = record(nodes, name, launched("openmpi", NODES, wrapper, programs["openmpi"], "100", "30", each=2), "--mpi", "openmpi")
    check("recorded with clocks that differ", done.returncode == 0 and "8 processes" in done.stderr, said(done))
    clocks = json.loads(nodes.run(["cat", name + "/clocks.json"]).stdout)
    of = {c["host"]: c for c in clocks["hosts"]}
    check("n2 is set back by 2.5 s", abs(of["n2"]["shift_ns"] + 2.5e9) < 3e6, clocks)
    check("n3 is set forward by 4 ms", abs(of["n3"]["shift_ns"] - 4e6) < 5e5, clocks)
    check("n2's drift is seen", abs(of["n2"]["rate"] + 400e-6) < 100e-6, clocks)
    same("no message arrives before it was sent", hbdb(nodes, "sql", name, EARLY, "--json").stdout.count('"n":0'), 1)
    has("info shows it", hbdb(nodes, "info", name).stdout, "clocks        of 4 nodes", "n2               -2.")
    nodes.run(["mv", name + "/clocks.json", "/tmp/aside"])
    check("... which without the correction many do", '"n":0' not in hbdb(nodes, "sql", name, EARLY, "--json").stdout)


def test_hangs(nodes, programs):
    """Two ranks on different nodes wait for each other: no node alone could tell."""
    stuck = build(nodes, "stuck.c", "stuck")["openmpi"]
    command = launched("openmpi", NODES, stuck, each=2)
    begin = time.monotonic()
    done = record(nodes, "/tmp/watched.hbdb", command, "--watch=5", "--on-hang", "kill")
    check("record --watch sees a deadlock over nodes (%.1f s)" % (time.monotonic() - begin),
          done.returncode == 1 and "the job hangs" in done.stderr and "HB-DEADLOCK-CYCLE" in done.stderr and "ranks 0 and 7" in done.stderr, said(done))
    same("... whose recording has all", files(nodes, "/tmp/watched.hbdb"), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
    done = hbdb(nodes, "check", "/tmp/watched.hbdb")
    has("... and says the same", done.stdout, "HB-DEADLOCK-CYCLE", "ranks 0 and 7")
    done = hbdb(nodes, "check", "--", *command)
    check("check runs over nodes", done.returncode == 1 and "HB-DEADLOCK-CYCLE" in done.stdout, said(done))
    process = nodes.front.start_command([HBDB, "record", "-o", "/tmp/hung.hbdb", "--"] + command, stdout=-1, stderr=-1, text=True)
    try:
        wait_for_work(nodes, 2)
        done = hbdb(nodes, "hang", "/tmp/hung.hbdb")
        check("hang sees it, too", done.returncode == 1 and "ranks 0 and 7" in done.stdout, said(done))
        check("... and of what brings it the logs nothing is heard", "exec cat" not in done.stderr, said(done))
        for words in (["dump"], ["check"], ["verify"]):
            done = hbdb(nodes, *words, "/tmp/hung.hbdb")
            check("%s of it: its logs are on its nodes still" % words[0], done.returncode == 3 and "write on their nodes (n1, n2, n3, n4)" in done.stderr and
                  "nothing was recorded" not in done.stderr, said(done))
        done = hbdb(nodes, "hang", "--stacks", "/tmp/hung.hbdb")
        has("hang --stacks says whose it does not read", done.stdout, "not of 8 processes on other machines")
    finally:
        nodes.front.run(["pkill", "-TERM", "mpirun"])
        process.communicate(timeout=FAR)
        end(process)
    same("nothing is left of it", [f for f in files(nodes, "/tmp") if f.startswith("hbdb-")], [])


def test_slurm(nodes, programs):
    srun = ["srun", "--mpi=pmix", "-n", "8", "-N", "4", "--overcommit"]
    with slurm.Slurm(nodes):
        done = nodes.run(srun + [programs["openmpi"], "3"], timeout=FAR)
        check("srun", done.returncode == 0, said(done))
        done = record(nodes, "/tmp/srun.hbdb", srun + [programs["openmpi"], "5"])
        check("record of srun: nodes that Slurm chooses", done.returncode == 0 and "8 processes, 164 events" in done.stderr, said(done))
        same("... a file for each", files(nodes, "/tmp/srun.hbdb"), ["manifest.json"] + ["node.%s.hbn" % n for n in NODES])
        end = time.monotonic() + FAR  # Slurm takes its time to complete a job
        while nodes.run(["squeue", "-h"]).stdout and time.monotonic() < end:
            time.sleep(0.1)
        same("... and they are given back", nodes.run(["squeue", "-h"]).stdout, "")
        kept.in_slurm(nodes, srun)
        script = nodes.put("job.sh", "#!/bin/sh\ncd /srv\n%s record -o batch.hbdb -- srun --mpi=pmix -n 4 %s 5\n" % (HBDB, programs["openmpi"])
                           + "%s record -o mpirun.hbdb -- mpirun.openmpi --allow-run-as-root --oversubscribe -n 4 --map-by node %s 5\n" % (HBDB, programs["openmpi"]))
        done = nodes.run(["sbatch", "-W", "-N", "2", "--ntasks-per-node=2", "-o", "/srv/job.out", script], timeout=FAR)
        out = nodes.run(["cat", "/srv/job.out"]).stdout
        check("sbatch of a script with record in it", done.returncode == 0 and out.count("4 processes") == 2, said(done) + out)
        for name in ("batch", "mpirun"):
            same("... %s: a file for each node" % name, files(nodes, "/srv/%s.hbdb" % name), ["manifest.json", "node.n1.hbn", "node.n2.hbn"])
        done = nodes.run(["hostname"])


GROUPS = {"bed": test_bed, "record": test_record, "levels": test_levels, "clocks": test_clocks, "hangs": test_hangs, "slurm": test_slurm,
          "vanish": test_vanish, **again.GROUPS, **controlled.GROUPS, **managed.GROUPS,
          **kept.GROUPS}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", action="append", choices=list(GROUPS))
    only = parser.parse_args().only
    try:
        with bed.Nodes(NODES, shared=True) as nodes:
            programs = build(nodes)
            for name, test in GROUPS.items():
                if not only or name in only:
                    test(nodes, programs)
    except bed.Refused as error:
        refused(bed, error)
    finish()


if __name__ == "__main__":
    os.environ["PATH"] = os.environ["PATH"].replace("/usr/lib/ccache:", "")
    main()
