#!/usr/bin/python3
"""The table of commands, their help, the shell completion and the manual pages say the same."""
import os
import re
import subprocess

import lib
from lib import BUILD, TOP, check, has, same


def table():
    rows = re.findall(r'^COMMAND\((\w+), "([^"]*)", (\w+), "([^"]*)", (HB_LONG|HB_SHORT)\)$',
            open(TOP + "/src/tool/commands.def").read(), re.M)
    return {name: (operands, summary, length == "HB_LONG") for name, operands, _, summary, length in rows}


def options_of_code(name):
    """The table stands in the command's own file, or beside what it shares with another program."""
    table = re.compile(r"hb__%s_options\[\] = \{(.*?)\{0\}" % name, re.S)
    for folder, _, files in os.walk(TOP + "/src/tool"):
        for file in files:
            found = file.endswith(".c") and table.search(open(os.path.join(folder, file)).read())
            if found:
                return {o: letter for o, letter in re.findall(r'\{"([\w-]+)", (0|\'\w\')', found.group(1))}
    raise AssertionError("no table of options of " + name)


def options_of_help(text):
    return {long: "'%s'" % short if short else "0"
            for short, long in re.findall(r"^  (?:-(\w), |    )--([\w-]+)", text, re.M)}


def options_of_page(text):
    section = re.search(r"^# OPTIONS\n(.*?)^# ", text, re.S | re.M)
    return {long: "'%s'" % short if short else "0"
            for short, long in re.findall(r"^(?:\*-(\w)\*, )?\*--([\w-]+)\*", section.group(1), re.M)}


def main():
    with lib.Place() as place:
        commands = table()
        check("the table is not empty", len(commands) >= 7, commands)
        status, overview, _ = place.run("help")
        same("help succeeds", status, 0)
        main_page = open(BUILD + "/docs/man/hbdb.1.scd").read()
        paged = re.search(r"^Every command takes.*?through a pager", main_page, re.S | re.M)[0]
        completions = {shell: place.run("completion", shell)[1] for shell in ("bash", "zsh", "fish")}
        for name, (operands, summary, is_long) in commands.items():
            page_path = "%s/docs/man/hbdb-%s.1.scd" % (TOP, name)
            page = open(page_path).read()
            status, text, _ = place.run("help", name)
            same("help %s succeeds" % name, status, 0)
            same("%s -h is the same" % name, place.run(name, "-h"), (0, text, ""))
            same("%s --help is the same" % name, place.run(name, "--help"), (0, text, ""))
            has("the overview names %s" % name, overview, name, summary)
            has("help %s shows its operands" % name, text, operands)
            has("hbdb(1) names %s" % name, main_page, "*%s*\n" % name, "*hbdb-%s*(1)" % name, summary)
            has("hbdb-%s(1) begins as it should" % name, page, "hbdb-%s(1)\n" % name, "hbdb-%s - %s\n" % (name,
                    summary), "# EXAMPLES",
                "*hbdb %s*" % name)
            rendered = subprocess.run(["scdoc"], stdin=open(page_path), capture_output=True, text=True)
            check("hbdb-%s(1) is good scdoc" % name, rendered.returncode == 0, rendered.stderr)
            code = dict(options_of_code(name), color="0", help="'h'")
            if is_long:
                code["no-pager"] = "0"
            same("hbdb(1) says whether %s uses a pager" % name, "*%s*" % name in paged, is_long)
            same("help %s lists the options of the code" % name, options_of_help(text), code)
            same("hbdb-%s(1) lists the options of the code" % name, options_of_page(page), code)
            for option, letter in code.items():
                bash = re.search(r"^\t%s\)\n(.*?);;" % name, completions["bash"], re.S | re.M).group(1)
                has("bash completes %s --%s" % (name, option), bash, "--" + option)
                zsh = re.search(r"^\t%s\)\n(.*?);;" % name, completions["zsh"], re.S | re.M).group(1)
                has("zsh completes %s --%s" % (name, option), zsh, "--" + option)
                line = "-n '__fish_seen_subcommand_from %s' -l %s" % (name, option)
                has("fish completes %s --%s" % (name, option), completions["fish"], line)
        verbs_of_compare(commands)
        check("bash reads its completion", subprocess.run(["bash", "-n"], input=completions["bash"],
                text=True).returncode == 0)
        bash_completes(completions["bash"])
    lib.finish()


def verbs_of_compare(commands):
    """Each verb, and which options it takes, stands in the code, in the table and on the page."""
    code = dict(re.findall(r'^\t\{"(\w+)", hb__compare_\w+, "([^"]*)"\}', open(TOP + "/src/tool/command/job/compare.c").read(), re.M))
    page = open(TOP + "/docs/man/hbdb-compare.1.scd").read()
    same("the table has the verbs of compare", set(commands["compare"][0].split()[0].split("|")), set(code))
    same("hbdb-compare(1) begins with them", set(re.findall(r"^\*hbdb compare (\w+)\*", page[:page.index("# DESCRIPTION")], re.M)), set(code))
    for option, text in re.findall(r"^(?:\*-\w\*, )?\*--([\w-]+)\*.*\n\t(.*(?:\n\t.*)*)", page[page.index("# OPTIONS"):page.index("# EXIT")], re.M):
        takes = {verb for verb, options in code.items() if " %s " % option in options}
        told = re.findall(r"(?:^|[.;] )((?:\w+, )*\w+): ", text) if not text.startswith("...") else last
        if text.startswith("All but"):
            told = [", ".join(set(code) - set(re.findall(r"\w+", text[7:text.index(":")])))]
        last = told
        if takes:
            same("hbdb-compare(1) says which verbs take --%s" % option, {v for t in told for v in t.split(", ") if v in code}, takes)


def bash_completes(script):
    """Asks bash what it would offer."""
    for words, wanted in (("hbdb re", "receive record replay"), ("hbdb record --lev", "--level"), ("hbdb record --level ",
            "order racing events data"),
                          ("hbdb completion ", "bash zsh fish"), ("hbdb compare ", "record run report config zoom find control picture"),
                          ("hbdb compare re", "record report"), ("hbdb help ver", "verify"), ("hbdb dump --js",
                          "--json")):
        parts = words.split(" ")
        quoted = " ".join(repr(p) for p in parts)
        ask = script + "\nCOMP_WORDS=(%s)\nCOMP_CWORD=%d\n_hbdb\necho ${COMPREPLY[*]}\n" % (quoted, len(parts) - 1)
        done = subprocess.run(["bash", "--norc"], input=ask, capture_output=True, text=True)
        same("bash offers for '%s'" % words, sorted(done.stdout.split()), sorted(wanted.split()))


main()
