"""What is played: unmodified programs of Debian, each with a client. See drive.py for what `d` can."""
import os
import pwd
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = {}


class Scene:
    """needs: programs. quick: of few seconds. files(), before(): outside of what is recorded. interface: of which the capture is made."""
    needs, quick, interface, go = (), False, "lo", False

    def files(self, folder, run):
        """Makes the files that are there already when the scene begins. It is called once: each run, also a replay, has a copy of them."""

    def before(self, folder, run):
        """Makes what else is there."""

    def play(self, d):
        raise NotImplementedError


def scene(cls):
    SCENES[cls.__name__.lower()] = cls()
    return cls


def as_user(name, command):
    return ["setpriv", "--reuid=" + name, "--regid=%d" % pwd.getpwnam(name).pw_gid, "--clear-groups"] + command


def give(folder, user):
    who = pwd.getpwnam(user)
    for base, _, names in os.walk(folder):
        for path in [base] + [os.path.join(base, n) for n in names]:
            os.chown(path, who.pw_uid, who.pw_gid)


@scene
class Memcached(Scene):
    needs = ("memcached", "memccp", "memccat", "memcstat", "memcslap")

    def play(self, d):
        d.start(["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", "11211", "-t", "2"], ("tcp", 11211))
        for i in range(3):
            d.run(["memccp", "--servers=127.0.0.1", d.path("key%d" % i, "value %d\n" % i * 200)])
            d.run(["memccat", "--servers=127.0.0.1", "key%d" % i], has="value %d" % i, show=True)
        d.run(["memcslap", "--servers=127.0.0.1", "--concurrency=3", "--execute-number=60", "--test=set"], has="Time total")
        d.run(["memcstat", "--servers=127.0.0.1"], has="cmd_set")


@scene
class Redis(Scene):
    needs, quick = ("redis-server", "redis-cli", "redis-benchmark"), True

    def play(self, d):
        d.start(["redis-server", "--port", "6379", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"], ("tcp", 6379))
        d.run(["redis-cli", "set", "a", "hello"], has="OK", show=True)
        d.run(["redis-cli", "get", "a"], has="hello", show=True)
        d.run(["redis-benchmark", "-q", "-n", "400", "-c", "5", "-t", "set,get,lpush"], has=("SET", "GET", "LPUSH"))


@scene
class Nginx(Scene):
    needs = ("nginx", "curl", "ab")
    CONF = """daemon off; worker_processes 2; pid %(f)s/nginx.pid; error_log %(f)s/error.log; user nobody nogroup;
events { worker_connections 64; }
http { access_log off; client_body_temp_path %(f)s/1; proxy_temp_path %(f)s/2; fastcgi_temp_path %(f)s/3; uwsgi_temp_path %(f)s/4; scgi_temp_path %(f)s/5;
server { listen 127.0.0.1:8080; root %(f)s/www; sendfile on; } }
"""

    def play(self, d):
        os.mkdir(d.path("www"))
        os.chmod(d.folder, 0o755)
        d.path("www/index.html", "<p>page</p>\n" * 1000)
        d.start(["nginx", "-p", d.folder, "-e", d.path("error.log"), "-c", d.path("nginx.conf", self.CONF % {"f": d.folder})], ("tcp", 8080))
        d.run(["curl", "-s", "http://127.0.0.1:8080/"], has="<p>page</p>", show=True)
        d.run(["ab", "-n", "100", "-c", "4", "http://127.0.0.1:8080/"], has="Failed requests:        0")
        d.run(["ab", "-k", "-n", "100", "-c", "4", "http://127.0.0.1:8080/"], has="Failed requests:        0")


@scene
class Postgresql(Scene):
    needs = ("psql", "pgbench", "setpriv")
    BIN = sorted(os.path.join("/usr/lib/postgresql", v, "bin") for v in os.listdir("/usr/lib/postgresql"))[-1] if os.path.isdir(
        "/usr/lib/postgresql") else "/usr/lib/postgresql/none"

    def files(self, folder, run):
        data = os.path.join(folder, "data")
        os.mkdir(data)
        give(data, "postgres")
        run(as_user("postgres", [self.BIN + "/initdb", "-D", data, "--no-sync", "-A", "trust", "-E", "UTF8", "--locale=C"]))

    def play(self, d):
        where = ["-h", "127.0.0.1", "-U", "postgres"]
        d.start(as_user("postgres", [self.BIN + "/postgres", "-D", d.path("data"), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off",
                                     "-c", "unix_socket_directories=" + d.path("data")]), ("tcp", 5432))
        d.run(["psql"] + where + ["-c", "CREATE TABLE t (a int, b text)", "-c", "INSERT INTO t SELECT i, 'row ' || i FROM generate_series(1, 500) i",
                                  "-c", "SELECT count(*), min(b), max(b) FROM t"], has="500", show=True)
        d.run(["pgbench"] + where + ["-i", "-q", "-s", "1", "postgres"])
        d.run(["pgbench"] + where + ["-c", "3", "-j", "2", "-t", "20", "postgres"], has="actually processed: 60/60")
        d.run(["psql", "-h", d.path("data"), "-U", "postgres", "-t", "-c", "SELECT count(*) FROM pgbench_history"], has="60", show=True)


@scene
class Dnsmasq(Scene):
    needs, quick = ("dnsmasq", "dig"), True

    def play(self, d):
        d.start(["dnsmasq", "-k", "-C", "/dev/null", "--no-resolv", "--no-hosts", "--user=nobody", "--listen-address=127.0.0.1", "--pid-file=" + d.path("pid"),
                 "--address=/one.test/10.1.2.3", "--txt-record=two.test,a text", "--port=53"], ("udp", 53))
        for i in range(4):
            d.run(["dig", "+short", "@127.0.0.1", "h%d.one.test" % i], has="10.1.2.3", show=True)
        d.run(["dig", "+short", "+tcp", "@127.0.0.1", "one.test"], has="10.1.2.3", show=True)
        d.run(["dig", "+short", "@127.0.0.1", "two.test", "TXT", "one.test", "A"], has=("a text", "10.1.2.3"), show=True)


@scene
class Tftp(Scene):
    needs, quick = ("atftpd", "atftp", "tftp"), True

    def play(self, d):
        os.mkdir(d.path("files"))
        os.chmod(d.folder, 0o755)
        d.path("files/a", "".join("line %d\n" % i for i in range(2000)))
        os.chmod(d.path("files"), 0o777)
        d.start(["atftpd", "--daemon", "--no-fork", "--user", "nobody.nogroup", "--bind-address", "127.0.0.1", "--port", "69", "--logfile", "-", d.path("files")],
                ("udp", 69))
        d.run(["atftp", "--get", "-r", "a", "-l", d.path("got"), "127.0.0.1", "69"])
        d.run(["cmp", d.path("files/a"), d.path("got")])
        d.run(["tftp", "-m", "binary", "127.0.0.1", "69", "-c", "get", "a", d.path("got2")])
        d.run(["cmp", d.path("files/a"), d.path("got2")])
        d.run(["atftp", "--put", "-r", "b", "-l", d.path("got"), "127.0.0.1", "69"])
        d.run(["cmp", d.path("files/a"), d.path("files/b")])


@scene
class Iperf3_Tcp(Scene):
    needs = ("iperf3",)
    how = ["-n", "4M"]

    def play(self, d):
        server = d.start(["iperf3", "-s", "-1", "-B", "127.0.0.1"], ("tcp", 5201))
        d.run(["iperf3", "-c", "127.0.0.1"] + self.how, has="receiver")
        server.wait(timeout=60)


@scene
class Iperf3_Udp(Iperf3_Tcp):
    quick = True
    how = ["-u", "-b", "20M", "-l", "1000", "-k", "500"]


@scene
class Babeld(Scene):
    """Two routers, each in a network of its own, over IPv6 multicast."""
    needs, interface = ("babeld", "ip", "unshare"), "v0"
    START = 'ip link set %s up && exec babeld -d 1 -I %s -S %s -h 1 -H 1 -C "redistribute local if %s allow" %s'

    def before(self, folder, run):
        run(["ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"])
        run(["ip", "link", "set", "v0", "up"])

    def play(self, d):
        def start(own):
            return self.START % (own, d.path(own + ".pid"), d.path(own + ".state"), own, own)
        there = d.start(["unshare", "-n", "sh", "-c", "ip link set lo up; echo >%s; until ip link show v1 >/dev/null 2>&1; do sleep 0.05; done; ip addr add 10.77.0.2/32 dev v1; %s"
                         % (d.path("apart"), start("v1"))], d.path("apart"))
        d.run(["ip", "link", "set", "v1", "netns", str(there.pid)])
        d.run(["ip", "addr", "add", "10.77.0.1/32", "dev", "v0"])
        d.start(["sh", "-c", start("v0")], d.path("v0.pid"))
        d.run(["sh", "-c", "for i in $(seq 600); do ip route show | grep '10.77.0.2 ' && exit 0; sleep 0.1; done; exit 1"], has="10.77.0.2 ")


@scene
class Coturn(Scene):
    needs = ("turnserver", "turnutils_uclient", "turnutils_peer")

    def play(self, d):
        d.start(["turnserver", "-c", d.path("turn.conf", ""), "-n", "-L", "127.0.0.1", "-E", "127.0.0.1", "-p", "3478", "-a", "-u", "me:secret", "-r", "realm.test",
                 "--allow-loopback-peers", "--no-cli", "--no-tls", "--no-dtls", "-m", "1", "--min-port", "50000", "--max-port", "50100", "--log-file", "stdout",
                 "--pidfile", d.path("pid"), "-b", d.path("db")], ("udp", 3478))
        d.start(["turnutils_peer", "-L", "127.0.0.1", "-p", "3480"], ("udp", 3480))
        d.run(["turnutils_uclient", "-u", "me", "-w", "secret", "-e", "127.0.0.1", "-r", "3480", "-n", "8", "-m", "2", "-c", "127.0.0.1"], has="tot_recv_msgs=16")


@scene
class Mosquitto(Scene):
    needs = ("mosquitto", "mosquitto_pub", "mosquitto_sub")

    def play(self, d):
        d.start(["mosquitto", "-c", d.path("conf", "listener 1883 127.0.0.1\nallow_anonymous true\nlog_type subscribe\nlog_dest stderr\nuser nobody\n")], ("tcp", 1883))
        log = d.servers[0][2]
        d.start(["mosquitto_sub", "-t", "a/#", "-C", "6", "-v", "-q", "1", "-i", "listener"])
        subscriber, _, out = d.servers[-1]
        d.wait_for(log, "listener 1 a/#")
        for i in range(6):
            d.run(["mosquitto_pub", "-t", "a/%d" % i, "-m", "message %d" % i, "-q", str(i % 3)])
        subscriber.wait(timeout=60)
        d.run(["cat", out], has=["a/%d message %d" % (i, i) for i in range(6)], show=True)


@scene
class Ssh(Scene):
    needs = ("/usr/sbin/sshd", "ssh", "ssh-keygen")
    CONF = """Port 2222
ListenAddress 127.0.0.1
HostKey %(f)s/host
AuthorizedKeysFile %(f)s/key.pub
PidFile %(f)s/sshd.pid
PermitRootLogin yes
StrictModes no
UsePAM no
PasswordAuthentication no
"""

    def files(self, folder, run):
        os.makedirs("/run/sshd", exist_ok=True)
        for name in ("host", "key"):
            run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", os.path.join(folder, name)])

    def play(self, d):
        d.start(["/usr/sbin/sshd", "-D", "-e", "-f", d.path("conf", self.CONF % {"f": d.folder})], ("tcp", 2222))
        login = ["ssh", "-p", "2222", "-i", d.path("key"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "BatchMode=yes",
                 "-o", "LogLevel=ERROR", "-F", "/dev/null", "127.0.0.1"]
        d.run(login + ["echo hello; seq 3"], has="hello\n1\n2\n3\n", show=True)
        with open(d.path("sent", "".join("line %d\n" % i for i in range(3000))), encoding="utf-8") as lines:
            d.run(login + ["sort -n | wc -l"], has="3000", show=True, stdin=lines)


@scene
class Asyncio(Scene):
    needs, quick = ("/usr/bin/python3",), True

    def play(self, d):
        d.start(["/usr/bin/python3", os.path.join(HERE, "async_talk.py"), "server", "8765"], ("tcp", 8765))
        d.run(["/usr/bin/python3", os.path.join(HERE, "async_talk.py"), "client", "8765", "6", "10"], has="60 answers", show=True)


@scene
class Node(Scene):
    needs = ("node", "curl")

    def play(self, d):
        d.start(["node", os.path.join(HERE, "serve.mjs"), "8081"], ("tcp", 8081))
        for i in range(4):
            d.run(["curl", "-s", "-d", "what %d" % i, "http://127.0.0.1:8081/echo"], has="what %d" % i, show=True)


@scene
class Etcd(Scene):
    needs, go = ("etcd", "etcdctl"), True

    def play(self, d):
        d.start(["etcd", "--data-dir", d.path("data"), "--listen-client-urls", "http://127.0.0.1:2379", "--advertise-client-urls", "http://127.0.0.1:2379",
                 "--listen-peer-urls", "http://127.0.0.1:2380"], ("tcp", 2379))
        env = dict(os.environ, ETCDCTL_API="3")
        d.run(["etcdctl", "put", "a", "hello"], has="OK", show=True, env=env)
        d.run(["etcdctl", "get", "a"], has="hello", show=True, env=env)


@scene
class Snmp(Scene):
    needs, quick = ("snmpd", "snmpbulkwalk"), True

    def play(self, d):
        d.start(["snmpd", "-f", "-Lo", "-C", "-c", d.path("conf", "rocommunity public 127.0.0.1\nsysLocation somewhere\n"), "-p", d.path("pid"), "udp:127.0.0.1:1161"],
                ("udp", 1161))
        d.run(["snmpbulkwalk", "-v2c", "-c", "public", "127.0.0.1:1161", "1.3.6.1.2.1.1"], has="somewhere")


@scene
class Socat(Scene):
    """From UDP over TCP to a Unix socket and a program behind it."""
    needs, quick = ("socat",), True

    def play(self, d):
        d.start(["socat", "UNIX-LISTEN:%s,fork" % d.path("end"), "EXEC:tr a-z A-Z"], d.path("end"))
        d.start(["socat", "TCP-LISTEN:9001,bind=127.0.0.1,fork", "UNIX-CONNECT:" + d.path("end")], ("tcp", 9001))
        for i in range(3):
            with open(d.path("words", "some words %d\n" % i * 50), encoding="utf-8") as words:
                d.run(["socat", "-t", "60", "-", "TCP:127.0.0.1:9001"], has="SOME WORDS %d" % i, show=True, stdin=words)


def missing(one):
    return [name for name in one.needs if not shutil.which(name)]
