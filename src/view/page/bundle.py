#!/usr/bin/python3
"""Bundles the page with esbuild and writes its bytes as C.

usage: bundle.py modules            the folder of the tools (made when it is not there), printed
       bundle.py build C_FILE       page.h's tables, into C_FILE
       bundle.py files FOLDER       the same as files, for tests without a build

The tools are downloaded once for each content of package-lock.json, into build/page/ of the source tree, whatever the build
folder is: several of them share it. Nothing is written beside the sources.
"""
import base64
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
STORE = os.path.join(TOP, "build", "page")
CSP = ("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'")
MARK = "@DATA@"


def die(text):
    sys.exit("bundle.py: " + text)


def install(folder):
    """npm ci in a folder of its own, which gets its name only when everything is there."""
    new = folder + ".new"
    shutil.rmtree(new, ignore_errors=True)
    os.makedirs(new)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(HERE, name), new)
    if not shutil.which("npm"):
        die("there is no npm: install nodejs and npm (./dev build does), then build again")
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=new,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        die("npm ci failed, which needs the network once:\n" + done.stdout.decode(errors="replace")[-3000:])
    os.rename(new, folder)


def modules():
    with open(os.path.join(HERE, "package-lock.json"), "rb") as f:
        key = hashlib.sha256(f.read()).hexdigest()[:16]
    folder = os.path.join(STORE, key)
    os.makedirs(STORE, exist_ok=True)
    with open(os.path.join(STORE, "lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.isdir(folder):
            install(folder)
    return os.path.join(folder, "node_modules")


def esbuild(entry, *options):
    tool = os.path.join(modules(), "esbuild", "bin", "esbuild")
    done = subprocess.run(["node", tool, entry, "--minify", "--charset=utf8", "--log-level=warning", *options], cwd=HERE,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        die("esbuild failed on " + entry)
    return done.stdout


def digest(part):
    return base64.b64encode(hashlib.sha256(part).digest()).decode()


def alone(html, script, style):
    """The page in one file: what stands before and behind the data."""
    script = script.strip().replace(b"</script", b"<\\/script")
    style = style.strip()
    policy = '<meta http-equiv="Content-Security-Policy" content="%s">' % (CSP % (digest(script), digest(style)))
    html = html.replace('<meta charset="utf-8">', '<meta charset="utf-8">' + policy)
    html = html.replace('<link rel="stylesheet" href="page.css">', "<style>" + style.decode() + "</style>")
    html = html.replace('<script src="page.js" defer></script>', "")
    html = html.replace("</body>", '<script type="application/json" id="data">' + MARK + "</script><script>"
                        + script.decode() + "</script></body>")
    if html.count(MARK) != 1 or html.count("<style>") != 1:
        die("page.html is not what alone() expects")
    return [part.encode() for part in html.split(MARK)]


def c_array(name, part):
    lines = [",".join(str(b) for b in part[i:i + 40]) for i in range(0, len(part), 40)]
    return "static const unsigned char %s[] = {%s};\n" % (name, ",\n".join(lines))


def page_files():
    """(name, type, bytes) of all."""
    script = esbuild("main.ts", "--bundle", "--format=iife", "--target=es2022")
    style = esbuild("page.css")
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as f:
        html = f.read()
    head, tail = alone(html, script, style)
    return [("page.html", "text/html; charset=utf-8", html.encode()), ("page.js", "text/javascript; charset=utf-8", script),
            ("page.css", "text/css; charset=utf-8", style), ("alone.head", "", head), ("alone.tail", "", tail)]


def build(path):
    files = page_files()
    text = ['/* Made by src/view/page/bundle.py. */\n#include "view/page/page.h"\n\n']
    for i, (_, _, part) in enumerate(files):
        text.append(c_array("file%d" % i, part))
    text.append("const struct hb_page_file hb_page_files[] = {\n")
    for i, (name, kind, part) in enumerate(files):
        text.append('\t{"%s", "%s", file%d, %d},\n' % (name, kind, i, len(part)))
    text.append("};\nconst size_t hb_page_files_n = sizeof(hb_page_files) / sizeof(hb_page_files[0]);\n")
    with open(path, "w", encoding="ascii") as f:
        f.write("".join(text))


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, _, part in page_files():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(part)


if sys.argv[1:] == ["modules"]:
    print(modules())
elif len(sys.argv) == 3 and sys.argv[1] == "build":
    build(sys.argv[2])
elif len(sys.argv) == 3 and sys.argv[1] == "files":
    write(sys.argv[2])
else:
    sys.exit(__doc__)
