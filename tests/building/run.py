#!/usr/bin/python3
"""A build outside of the tree writes nothing into the tree; the page needs no Node where it was made before.

usage: tests/building/run.py

Works on a copy of the files that belong to the tree. What the compiler does is not repeated: only the steps that run
scripts of ours are, as these choose where they write.
"""
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUNDLE = "src/view/page/bundle.py"
counts = {True: 0, False: 0}


def check(name, good, detail=""):
    counts[bool(good)] += 1
    print("ok %s" % name if good else "FAIL %s: %s" % (name, detail))


def run(command, cwd, **more):
    """The environment of a user: nothing that keeps Python from leaving its files beside the sources."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(command, cwd=cwd, env=dict(env, **more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def copy(folder):
    """What a fresh clone has, with what is changed and not yet committed."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=TOP, stdout=subprocess.PIPE,
                           check=True).stdout.decode().split("\0")
    for name in names:
        if name and os.path.lexists(os.path.join(TOP, name)):
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy2(os.path.join(TOP, name), os.path.join(folder, name), follow_symlinks=False)


def state(folder):
    """Every file and folder, with what changes when it is written."""
    found = {}
    for base, dirs, files in os.walk(folder):
        for name in dirs + files:
            path = os.path.join(base, name)
            about = os.lstat(path)
            found[os.path.relpath(path, folder)] = (about.st_mode, about.st_size if name in files else 0,
                                                    about.st_mtime_ns if name in files else 0, about.st_ino)
    return found


def difference(before, after):
    return ", ".join(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))[:8])


def lend_page(build):
    """The tools of the page without the network: those of this tree. Where they were never needed: the page itself."""
    tools = subprocess.run([sys.executable, os.path.join(TOP, BUNDLE), "tools"], stdout=subprocess.PIPE, text=True,
                           check=False).stdout.strip()
    shelf = os.path.join(build, "page")
    os.makedirs(shelf)
    if tools and shutil.which("node"):
        os.symlink(tools, os.path.join(shelf, os.path.basename(tools)))
        return True
    for name in os.listdir(os.path.join(TOP, "build/page")):
        if name.startswith("made-") and name.endswith(".c"):
            shutil.copy2(os.path.join(TOP, "build/page", name), shelf)
    return False


def custom_targets(build):
    """What scripts make: not the manuals, which scdoc makes, nor the links to what the compiler makes. Names at the top are
    such links; others there are meson's own commands, `install` among them."""
    _, text = run(["ninja", "-t", "targets", "rule", "CUSTOM_COMMAND"], build)
    # those of src/tool/ are printed by the program, which would have to be compiled first
    return [t for t in text.split() if "/" in t and not t.startswith("src/tool/") and not t.endswith((".1", ".5", ".7"))]


def outside(tree, build):
    before = state(tree)
    fresh = lend_page(build)
    status, text = run(["meson", "setup", build, tree], tree)
    check("meson setup outside of the tree", status == 0, text[-500:])
    targets = custom_targets(build) if status == 0 else []
    status, text = run(["ninja"] + targets, build)
    check("everything that scripts make is made there", status == 0 and len(targets) > 5, "%d targets: %s" % (len(targets), text[-500:]))
    made = [n for n in os.listdir(os.path.join(build, "page")) if n.startswith("made-")]
    check("the page is kept there" if fresh else "the page of before is used (its tools were never needed here)", made, "nothing in page/")
    after = state(tree)
    check("nothing is written into the tree", before == after, difference(before, after))


def without_node(tree, build, work):
    """A path that has Python and no Node."""
    tools = os.path.join(work, "tools")
    os.makedirs(tools)
    os.symlink(sys.executable, os.path.join(tools, "python3"))
    target = os.path.join(work, "page_files.c")
    bundle = [os.path.join(tools, "python3"), os.path.join(tree, BUNDLE)]
    status, text = run(bundle + ["build", target, build], tree, PATH=tools)
    check("a page that was made before needs no Node", status == 0 and os.path.getsize(target) > 10000, text)
    status, text = run(bundle + ["made", build], tree, PATH=tools)
    check("and this is known beforehand", status == 0, text)
    with open(os.path.join(tree, "src/view/page/page.css"), "a", encoding="utf-8") as f:
        f.write("\n")
    status, text = run(bundle + ["build", target, build], tree, PATH=tools)
    check("changed sources without Node: an error that says what to install", status == 1 and "install nodejs and npm" in text, text)
    status, text = run(bundle + ["made", build], tree, PATH=tools)
    check("this, too, is known beforehand", status == 1, text)


def main():
    work = tempfile.mkdtemp(prefix="hbdb-building-")
    try:
        tree, build = os.path.join(work, "tree"), os.path.join(work, "build")
        copy(tree)
        outside(tree, build)
        without_node(tree, build, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("%d passed, %d failed" % (counts[True], counts[False]))
    return 1 if counts[False] else 0


sys.exit(main())
