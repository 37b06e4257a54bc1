#!/usr/bin/python3
"""Bundles the page with esbuild and writes its bytes as C.

usage: bundle.py modules [ROOT]         the folder of the tools (made when it is not there), printed
       bundle.py build C_FILE [ROOT]    page.h's tables, into C_FILE
       bundle.py tools [ROOT]           the folder that `modules` would make the tools' in, when it is there already
       bundle.py made [ROOT]            status 0 when `build` needs neither Node nor the network
       bundle.py files FOLDER           the same as files, for tests without a build

ROOT is the build folder. What is downloaded and what is made is kept in its page/, or in build/page/ of the source tree when it is
inside the tree, where several build folders share it: the tools once for each content of package-lock.json, the C file once
for each content of the sources. What the source tree has already is used from any build folder; a build outside of the tree
writes nothing into it. Nothing is written beside the sources.
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
SHARED = os.path.join(TOP, "build", "page")
MADE_KEPT = 8  # C files of other contents, for those who go back and forth between branches
CSP = ("default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'")
MARK = "@DATA@"


def die(text):
    sys.exit("bundle.py: " + text)


# ---- where things are kept ----

def store(root):
    """The folder that may be written to."""
    root = os.path.realpath(root) if root else os.path.join(TOP, "build")
    inside = os.path.commonpath([root, os.path.realpath(TOP)]) == os.path.realpath(TOP)
    return SHARED if inside else os.path.join(root, "page")


def known(name, root):
    """A file or folder of this name that is there already; None when there is none."""
    for folder in (SHARED, store(root)):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return None


def locked(folder):
    os.makedirs(folder, exist_ok=True)
    lock = open(os.path.join(folder, "lock"), "w", encoding="ascii")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def digest_of(paths):
    sums = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as f:
            sums.update(hashlib.sha256(os.path.relpath(path, HERE).encode() + b"\0" + f.read()).digest())
    return sums.hexdigest()[:16]


def sources():
    """All that decides what is made; this file, too."""
    found = [os.path.join(folder, name) for folder, _, names in os.walk(HERE) for name in names
             if name.endswith((".ts", ".css", ".html", ".json", ".py")) and "node_modules" not in folder]
    return sorted(found)


# ---- tools ----

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


def key_of_tools():
    with open(os.path.join(HERE, "package-lock.json"), "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()[:16]


def modules(root=None):
    folder = known(key_of_tools(), root)
    if not folder:
        folder = os.path.join(store(root), key_of_tools())
        with locked(store(root)):
            if not os.path.isdir(folder):
                install(folder)
    return os.path.join(folder, "node_modules")


def esbuild(root, entry, *options):
    tool = os.path.join(modules(root), "esbuild", "bin", "esbuild")
    if not shutil.which("node"):
        die("there is no node, and the page was never built from these sources here: install nodejs and npm (./dev build does)")
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


def served(name, html, script, style):
    return [(name + ".html", "text/html; charset=utf-8", html.encode()), (name + ".js", "text/javascript; charset=utf-8", script),
            (name + ".css", "text/css; charset=utf-8", style)]


def complex_files(root):
    """The page of a complex: a script of its own."""
    with open(os.path.join(HERE, "complex", "complex.html"), encoding="utf-8") as f:
        html = f.read()
    return served("complex", html, esbuild(root, "complex/main.ts", "--bundle", "--format=iife", "--target=es2022"),
                  esbuild(root, "complex/complex.css"))


def page_files(root=None):
    """(name, type, bytes) of all."""
    script = esbuild(root, "main.ts", "--bundle", "--format=iife", "--target=es2022")
    style = esbuild(root, "page.css")
    with open(os.path.join(HERE, "page.html"), encoding="utf-8") as f:
        html = f.read()
    head, tail = alone(html, script, style)
    return [*served("page", html, script, style), ("alone.head", "", head), ("alone.tail", "", tail), *complex_files(root)]


def c_text(files):
    text = ['/* Made by src/view/page/bundle.py. */\n#include "view/page/page.h"\n\n']
    for i, (_, _, part) in enumerate(files):
        text.append(c_array("file%d" % i, part))
    text.append("const struct hb_page_file hb_page_files[] = {\n")
    for i, (name, kind, part) in enumerate(files):
        text.append('\t{"%s", "%s", file%d, %d},\n' % (name, kind, i, len(part)))
    text.append("};\nconst size_t hb_page_files_n = sizeof(hb_page_files) / sizeof(hb_page_files[0]);\n")
    return "".join(text)


# ---- the C file ----

def made_name():
    return "made-" + digest_of(sources()) + ".c"


def keep(name, text, root):
    """For the next build of the same sources; the oldest of many go."""
    folder = store(root)
    with locked(folder):
        new = os.path.join(folder, name + ".new")
        with open(new, "w", encoding="ascii") as f:
            f.write(text)
        os.rename(new, os.path.join(folder, name))
        kept = [os.path.join(folder, n) for n in os.listdir(folder) if n.startswith("made-") and n.endswith(".c")]
        for path in sorted(kept, key=os.path.getmtime)[:-MADE_KEPT]:
            os.remove(path)


def build(path, root):
    name = made_name()
    there = known(name, root)
    if there:
        shutil.copyfile(there, path)
        return
    text = c_text(page_files(root))
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    keep(name, text, root)


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name, _, part in page_files():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(part)


def main(what="", *rest):
    if what == "modules" and len(rest) < 2:
        print(modules(*rest))
    elif what == "tools" and len(rest) < 2:
        print(known(key_of_tools(), *rest or [None]) or "")
    elif what == "made" and len(rest) < 2:
        sys.exit(0 if known(made_name(), rest[0] if rest else None) else 1)
    elif what == "build" and len(rest) in (1, 2):
        build(rest[0], rest[1] if len(rest) > 1 else None)
    elif what == "files" and len(rest) == 1:
        write(rest[0])
    else:
        sys.exit(__doc__)


main(*sys.argv[1:])
