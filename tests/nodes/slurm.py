"""Slurm on the machines of a bed: a slurmctld in front, a slurmd on each of the others, all with munge, ended with the bed.

    with bed.Nodes(["n1", "n2", "n3", "n4"]) as nodes, slurm.Slurm(nodes) as cluster:
        nodes.run(["srun", "-N", "4", "hostname"])

Settings, states and logs stand in the bed's folder. SLURM_CONF is in the environment of what runs on the machines.
"""
import os
import shutil
import subprocess

import bed

CPUS = 8  # that each machine says it has; more than there are, for tests start more processes than cores


def possible():
    """None, or why there is no Slurm here."""
    for program in ("/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "srun", "sbatch"):
        if not shutil.which(program):
            return "there is no %s here (packages: slurmctld, slurmd, slurm-client, munge)" % program
    return None


class Slurm:
    def __init__(self, nodes):
        self.nodes, self.daemons = nodes, []
        self.folder, self.inside = os.path.join(nodes.folder, "slurm"), os.path.join(bed.INSIDE, "slurm")

    def __enter__(self):
        why = possible()
        if why:
            raise bed.Refused(why)
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def build(self):
        shutil.rmtree(self.folder, ignore_errors=True)  # of the one before in this bed, which has ended
        os.mkdir(self.folder)
        with open(os.path.join(self.folder, "munge.key"), "wb") as f:
            f.write(os.urandom(1024))
        os.chmod(f.name, 0o400)
        front = self.nodes.front_name
        settings = """ClusterName=bed
SlurmctldHost=%(front)s
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CryptoType=crypto/munge
AuthInfo=socket=/run/munge/socket
StateSaveLocation=%(inside)s/state
SlurmdSpoolDir=/run/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
SlurmdTimeout=20
SlurmctldTimeout=60
KillWait=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
""" % {"front": front, "inside": self.inside}
        for name in self.nodes.names:
            settings += "NodeName=%s CPUs=%d RealMemory=500 State=UNKNOWN\n" % (name, CPUS)
        settings += "PartitionName=all Nodes=%s Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP\n" % ",".join(self.nodes.names)
        with open(os.path.join(self.folder, "slurm.conf"), "w") as f:
            f.write(settings)
        # no control groups: the system may have them in a form that Slurm does not know
        with open(os.path.join(self.folder, "cgroup.conf"), "w") as f:
            f.write("CgroupPlugin=cgroup/v1\nCgroupMountpoint=/run/slurmd/no-groups\nConstrainCores=no\nConstrainRAMSpace=no\n")
        os.mkdir(os.path.join(self.folder, "state"))
        self.nodes.extra["SLURM_CONF"] = self.inside + "/slurm.conf"
        every = [self.nodes.front_name] + [n for n in self.nodes.names if n != front]
        for name in every:
            self.daemon(name, "munged", "--foreground", "--force", "--key-file=%s/munge.key" % self.inside, "--socket=/run/munge/socket",
                        "--pid-file=/run/munge/pid", "--log-file=/run/munge/log", "--seed-file=/run/munge/seed")
        for name in every:
            bed.wait_for("munge on " + name, lambda n=name: not self.nodes[n].run(["test", "-S", "/run/munge/socket"]).returncode)
        self.daemon(front, "slurmctld", "-D")
        for name in self.nodes.names:
            self.begin(name)
        bed.wait_for("Slurm", self.idle)

    def begin(self, name):
        """slurmd on a machine."""
        self.nodes[name].run(["mkdir", "-p", "/run/slurmd"])
        self.daemon(name, "slurmd", "-D", "-N", name)

    def daemon(self, node, program, *options):
        log = open(os.path.join(self.folder, "%s.%s.log" % (program, node)), "ab")
        self.daemons.append((node, program, self.nodes[node].start_command(["/usr/sbin/" + program, *options], folder="/", stdout=log, stderr=log), log))

    def idle(self):
        for node, program, process, log in self.daemons:
            if process.poll() is not None:
                with open(log.name, errors="replace") as f:
                    raise RuntimeError("%s of %s ended: %s" % (program, node, f.read()[-2000:]))
        states = self.nodes.run(["sinfo", "-h", "-N", "-o", "%t"]).stdout.split()
        return states == ["idle"] * len(self.nodes.names)

    def __exit__(self, *_):
        self.nodes.extra.pop("SLURM_CONF", None)
        for _, _, process, log in reversed(self.daemons):
            process.terminate()
        for _, _, process, log in self.daemons:
            try:
                process.wait(timeout=bed.PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log.close()
