// The build of the page: where it is made already it needs neither Node nor the network, and outside of the tree it leaves the tree alone.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { check, MODULES, PAGE, PLACE, same } from "./lib.mjs";

// Every file and folder with its contents and its time.
function listing(folder) {
	return fs.readdirSync(folder, { recursive: true }).filter((name) => !name.includes("node_modules")).sort().map((name) => {
		const stat = fs.statSync(path.join(folder, name));
		return `${name} ${stat.isDirectory() ? "" : stat.size} ${stat.mtimeMs}`;
	});
}

export default async function build() {
	const tree = path.join(PLACE, "tree"), page = path.join(tree, "src/view/page"), bare = path.join(PLACE, "bare");
	fs.cpSync(PAGE, page, { recursive: true });
	fs.mkdirSync(path.join(tree, "build/page"), { recursive: true });
	const tools = path.dirname(MODULES);
	fs.symlinkSync(tools, path.join(tree, "build/page", path.basename(tools)));
	fs.mkdirSync(bare);
	fs.symlinkSync("/usr/bin/python3", path.join(bare, "python3"));
	const run = (node, ...args) => spawnSync("/usr/bin/python3", [path.join(page, "bundle.py"), ...args], { encoding: "utf8", env: { ...process.env, PATH: node ? process.env.PATH : bare } });
	const file = (name) => path.join(PLACE, name), bytes = (name) => fs.readFileSync(file(name), "latin1");

	same("a page that was never made is known as such", run(false, "made").status, 1);
	const without = run(false, "build", file("no.c"));
	check("without Node it cannot be made then, and what is missing is said", without.status !== 0 && /install nodejs and npm/.test(without.stderr), without.stderr);
	same("it is made", run(true, "build", file("first.c")).status, 0);
	check("into tables in C", bytes("first.c").includes("hb_page_files[]"));
	const again = run(false, "build", file("second.c"));
	check("and once more without Node, the same", again.status === 0 && bytes("second.c") === bytes("first.c") && run(false, "made").status === 0, again.stderr);

	const before = listing(tree), outside = path.join(PLACE, "outside");
	fs.mkdirSync(outside);
	const far = run(false, "build", file("third.c"), outside);
	check("a build folder elsewhere takes it from the tree", far.status === 0 && bytes("third.c") === bytes("first.c"), far.stderr);
	fs.appendFileSync(path.join(page, "page.css"), "\n.never { color: red; }\n");
	same("other sources: it has to be made anew", run(false, "made").status, 1);
	const changed = listing(tree).filter((line) => !line.startsWith("src/view/page/page.css "));
	const elsewhere = run(true, "build", file("fourth.c"), outside);
	check("a build folder elsewhere keeps what it made with itself", elsewhere.status === 0 && fs.readdirSync(path.join(outside, "page")).some((n) => n.startsWith("made-")), elsewhere.stderr);
	same("and the tree is as it was", listing(tree).filter((line) => !line.startsWith("src/view/page/page.css ")), changed);
	check("nothing was written before either", before.length === changed.length + 1, `${before.length} ${changed.length}`);
	same("elsewhere it needs no Node the second time", run(false, "build", file("fifth.c"), outside).status, 0);
}
