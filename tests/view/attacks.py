"""Who may ask, and who may not."""
import os
import socket
import threading
import time

from viewer import View, check, same

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'")


def head(view, method="GET", path=None, host=None, more=""):
    path = view.base + "run" if path is None else path
    host = "127.0.0.1:%d" % view.port if host is None else host
    return ("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (method, path, host, more)).encode("latin-1")


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


def hosts(label, v):
    for host, expected in (("127.0.0.1:%d" % v.port, 200), ("localhost:%d" % v.port, 200), ("LOCALHOST:%d" % v.port, 200),
                           ("evil.example:%d" % v.port, 403), ("evil.example", 403), ("127.0.0.1", 403), ("localhost", 403), ("", 403),
                           ("127.0.0.1:%d" % (v.port ^ 1), 403), ("127.0.0.1:%d.evil.example" % v.port, 403), ("[::1]:%d" % v.port, 403),
                           ("0.0.0.0:%d" % v.port, 403), ("2130706433:%d" % v.port, 403)):
        same("%s: Host: %s (DNS rebinding)" % (label, host), status(v.raw(head(v, host=host))), expected)
    same(label + ": no Host", status(v.raw(("GET %srun HTTP/1.0\r\n\r\n" % v.base).encode())), 403)
    twice = head(v, more="Host: evil.example\r\n")
    check(label + ": two Hosts", status(v.raw(twice)) in (400, 403))
    absolute = ("GET http://evil.example%srun HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (v.base, v.port)).encode()
    check(label + ": another host in the request line", status(v.raw(absolute)) in (0, 400, 403, 404), v.raw(absolute)[:200])


def origins(label, v):
    for origin, expected in ((v.origin, 200), ("http://localhost:%d" % v.port, 403), ("http://evil.example", 403), ("null", 403),
                             ("https://127.0.0.1:%d" % v.port, 403), ("http://127.0.0.1:%d" % (v.port ^ 1), 403),
                             ("http://127.0.0.1:%d.evil.example" % v.port, 403), ("", 403)):
        same("%s: GET with Origin: %s" % (label, origin), status(v.raw(head(v, more="Origin: %s\r\n" % origin))), expected)
    for site, expected in (("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403), ("", 403)):
        same("%s: GET of data, Sec-Fetch-Site: %s" % (label, site), status(v.raw(head(v, more="Sec-Fetch-Site: %s\r\n" % site))), expected)
        for page, expect in (("", 200 if site else 403), ("page.js", expected)):
            more = "Sec-Fetch-Site: %s\r\nSec-Fetch-Mode: navigate\r\n" % site
            got = status(v.raw(head(v, path=v.base + page, more=more)))
            expect = 200 if not page else expect
            same("%s: going to '%s', Sec-Fetch-Site: %s" % (label, page, site), got, expect)
    same(label + ": the page as a picture of another page",
         status(v.raw(head(v, path=v.base, more="Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"))), 403)


def tokens(label, v):
    token = v.base.strip("/")
    same(label + ": 128 bits of token", (len(token), set(token) <= set("0123456789abcdef")), (32, True))
    wrong = ("0" if token[0] != "0" else "1") + token[1:]
    for path in ("/", "/run", "/page", "/" + wrong + "/run", "/" + token[:-1] + "/run", "/" + token + "0/run", "/" + token, "//" + token + "/run",
                 "/" + token.upper() + "x/run", "/" + "0" * 32 + "/run", "/favicon.ico", "*"):
        same("%s: %s without the token" % (label, path.replace(token, "TOKEN")), status(v.raw(head(v, path=path))) in (0, 400, 404), True)
    for path in ("../../../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "./run/../../x", "page.js/", "page.ts",
                 "run/", "page.js%00.css", "..\\..\\etc\\passwd", "%c0%ae%c0%ae/etc/passwd", "alone.head", "node_modules/x"):
        answer = v.raw(head(v, path=v.base + path))
        check("%s: %s is not there" % (label, path), status(answer) in (400, 404) and b"root:" not in answer or path.startswith("page.js%00"), answer[:300])


def posts(label, v):
    json_type = "Content-Type: application/json\r\n"
    origin = "Origin: %s\r\n" % v.origin

    def post(more, body=b"{}", path="end", method="POST"):
        return status(v.raw(head(v, method, v.base + path, more=more + "Content-Length: %d\r\n" % len(body)) + body))

    same(label + ": POST is answered", post(origin + json_type), 409)
    same(label + ": POST without Origin", post(json_type), 403)
    same(label + ": POST of another page", post("Origin: http://evil.example\r\n" + json_type), 403)
    same(label + ": POST as a form", post(origin + "Content-Type: application/x-www-form-urlencoded\r\n"), 415)
    same(label + ": POST as text", post(origin + "Content-Type: text/plain\r\n"), 415)
    same(label + ": POST without a type", post(origin), 415)
    same(label + ": GET of what changes something", status(v.raw(head(v, path=v.base + "end"))), 405)
    same(label + ": POST of what is only told", post(origin + json_type, path="run"), 405)
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"):
        got = status(v.raw(head(v, method, v.base + "end", more=origin + json_type)))
        check("%s: %s" % (label, method), got in (400, 403, 404, 405, 501, 411), got)
    for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b"[" * 60000, b'{"at":7}', b'{"at":"' + b"9" * 60000 + b'"}'):
        got = post(origin + json_type, body, "run-to")
        check("%s: body %r" % (label, body[:12]), got in (400, 404, 409), got)
    # what a refused body leaves behind is not taken for another request
    smuggled = head(v, "POST", v.base + "end", more=origin + json_type + "Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n" + head(v)
    answer = v.raw(smuggled)
    check(label + ": no chunked bodies, and one answer", status(answer) in (400, 411) and answer.count(b"HTTP/1.1 ") == 1, answer[:300])


def sizes(label, v):
    origin = "Origin: %s\r\nContent-Type: application/json\r\n" % v.origin
    big = head(v, "POST", v.base + "end", more=origin + "Content-Length: 70000\r\n") + b" " * 70000
    same(label + ": a body of 70000 bytes", status(v.raw(big)) in (413, 0), True)
    claim = head(v, "POST", v.base + "end", more=origin + "Content-Length: 99999999999999\r\n")
    same(label + ": a body that is said to be enormous", status(v.raw(claim)), 413)
    same(label + ": a negative length", status(v.raw(head(v, "POST", v.base + "end", more=origin + "Content-Length: -5\r\n"))) in (400, 411, 413), True)
    for name, data in (("a long header", head(v, more="X: %s\r\n" % ("y" * 20000))), ("many headers", head(v, more="X: y\r\n" * 3000)),
                       ("a long address", head(v, path=v.base + "run?" + "x" * 20000))):
        answer = v.raw(data)
        check("%s: %s is refused" % (label, name), status(answer) in (0, 400, 413, 414, 431), answer[:100])
    for data in (b"\r\n\r\n", b"\0" * 100, b"GET\r\n\r\n", os.urandom(300), b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00"):
        answer = v.raw(data + (b"\r\n\r\n" if data[:1] == b"\x16" else b""))
        check("%s: %r is no request" % (label, data[:8]), status(answer) in (0, 400, 403, 404, 505), answer[:100])
    same(label + ": still there", v.ask("run")[0], 200)


def headers(label, v):
    for path, method in (("run", "GET"), ("", "GET"), ("page.js", "GET"), ("page.css", "GET"), ("nothing", "GET"), ("end", "POST")):
        answer = v.ask(path, method, "{}" if method == "POST" else None)
        h = answer[1]
        same("%s: headers of '%s'" % (label, path),
             (h["Content-Security-Policy"], h["X-Content-Type-Options"], h["Referrer-Policy"], h["Cache-Control"],
              h["Cross-Origin-Resource-Policy"], h.get("Access-Control-Allow-Origin"), h.get("Server")),
             (POLICY, "nosniff", "no-referrer", "no-store", "same-origin", None, None))
    full, short = v.ask("run"), v.ask("run", "HEAD")
    same(label + ": HEAD has no body", (short[0], short[2], short[1]["Content-Type"]), (200, b"", full[1]["Content-Type"]))
    check(label + ": an error tells nothing of the token", v.base.strip("/").encode() not in v.raw(head(v, path="/x")), "")


def slow(label, v):
    """Clients that send nothing, or little, do not keep others waiting."""
    idle = [socket.create_connection(("127.0.0.1", v.port)) for _ in range(30)]
    for s in idle[:15]:
        s.sendall(b"GET " + v.base.encode())
    begin = time.monotonic()
    same(label + ": answered beside 30 slow clients", v.ask("run")[0], 200)
    took = time.monotonic() - begin
    waiting = threading.Thread(target=lambda: v.ask("state?since=1"))
    waiting.start()
    same(label + ": answered beside one that waits for a change", v.ask("run")[0], 200)
    ended = 0
    for s in idle:
        s.settimeout(60)
        try:
            while s.recv(4096):
                pass
            ended += 1
        except ConnectionResetError:
            ended += 1
        s.close()
    same(label + ": slow clients are sent away", ended, 30)
    waiting.join()
    return took


def many(label, v):
    """More connections than threads: all are answered."""
    got = []

    def one():
        got.append(v.ask("run")[0])

    threads = [threading.Thread(target=one) for _ in range(120)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    same(label + ": 120 at once", sorted(set(got)), [200])
    # who goes away in the middle harms nobody
    for _ in range(40):
        s = socket.create_connection(("127.0.0.1", v.port))
        s.sendall(head(v, path=v.base + "view?axis=physical&columns=8000"))
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        s.close()
    same(label + ": still there", v.ask("run")[0], 200)


def only_loopback(label, v):
    own = {line.split()[1] for line in open("/proc/net/tcp").read().splitlines()[1:] if line.split()[3] == "0A"}
    same(label + ": listens on loopback", ["0100007F:%04X" % v.port] ==
         [a for a in own if a.endswith(":%04X" % v.port)], True)


def all_of(label, place, recording, binary):
    with View(place, recording, binary=binary) as v, View(place, recording, binary=binary) as other:
        v.ready()
        other.ready()
        check(label + ": two views have different tokens and ports", v.base != other.base and v.port != other.port)
        same(label + ": the token of one is none of the other", other.ask("run", base=v.base)[0], 404)
        for part in (hosts, origins, tokens, posts, sizes, headers, slow, many, only_loopback):
            part(label, v)
        same(label + ": two at once: both end", (v.end()[0], other.end()[0]), (0, 0))
