"""Another machine for tests, as far as ssh can tell: a server on loopback with a key and a home of its own.

It reads another list of users than /etc/passwd, so that nobody's ~/.ssh is touched.
"""
import os
import pwd
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import ports  # noqa: E402


class Server:
    """with Server(folder) as server: server.command(...) is what runs something there; its home is server.home."""

    def __init__(self, folder):
        self.folder, self.home = folder, os.path.join(folder, "home")
        os.makedirs(os.path.join(self.home, ".ssh"), mode=0o700)
        os.chmod(self.home, 0o700)
        for command in (["dropbearkey", "-t", "ed25519", "-f", "host"], ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "key"]):
            subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        os.rename(os.path.join(folder, "key.pub"), os.path.join(self.home, ".ssh", "authorized_keys"))
        self.user = pwd.getpwuid(os.getuid())
        with open(os.path.join(folder, "passwd"), "w") as f:
            f.write("%s:x:%d:%d::%s:/bin/sh\n" % (self.user.pw_name, self.user.pw_uid, self.user.pw_gid, self.home))

    def __enter__(self):
        self.port = ports.free()
        other_users = dict(os.environ, LD_PRELOAD="libnss_wrapper.so", NSS_WRAPPER_PASSWD=os.path.join(self.folder, "passwd"), NSS_WRAPPER_GROUP="/etc/group",
                           PATH=os.environ["PATH"] + ":/usr/sbin")
        self.log = open(os.path.join(self.folder, "server.log"), "wb")
        self.server = subprocess.Popen(["dropbear", "-F", "-E", "-s", "-p", "127.0.0.1:%d" % self.port, "-r", "host", "-P", "pid"], env=other_users,
                                       cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        while not self.listens():
            if self.server.poll() is not None:
                with open(self.log.name, errors="replace") as f:
                    raise RuntimeError("the ssh server ended: " + f.read())
            time.sleep(0.05)
        return self

    def listens(self):
        with socket.socket() as one:
            return not one.connect_ex(("127.0.0.1", self.port))

    def command(self, text):
        """For a shell: runs TEXT there, in its home."""
        return ("ssh -F none -i %s/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes -p %d "
                "%s@127.0.0.1 '%s'" % (self.folder, self.port, self.user.pw_name, text))

    def __exit__(self, *_):
        self.server.kill()
        self.server.wait()
        self.log.close()
