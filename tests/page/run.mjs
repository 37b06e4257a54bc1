// The tests of the page of hbdb view, in Chromium without a display.
// usage: node tests/page/run.mjs [GROUP...]
import { spawnSync } from "node:child_process";
import path from "node:path";
import * as lib from "./lib.mjs";

const GROUPS = ["build", "graph", "panels", "stop", "alone", "layers", "sockets/talk", "compare/maps", "real"];

function types() {
	const done = spawnSync(process.execPath, [path.join(lib.MODULES, "typescript/bin/tsc"), "-p", lib.PAGE], { encoding: "utf8" });
	lib.check("the types are right", done.status === 0, done.stdout + done.stderr);
}

async function size() {
	const fs = await import("node:fs");
	const bytes = ["page.html", "page.js", "page.css"].reduce((n, name) => n + fs.statSync(path.join(lib.FILES, name)).size, 0);
	lib.check(`the page, its script and style take less than 115 KB (${bytes})`, bytes < 115 * 1000);
	const lock = fs.readFileSync(path.join(lib.PAGE, "package-lock.json"), "utf8");
	lib.check("the lock file names no address", !/https?:/.test(lock));
	const sources = ["", "core", "draw", "panel"].flatMap((d) => fs.readdirSync(path.join(lib.PAGE, d)).filter((n) => n.endsWith(".ts")).map((n) => path.join(d, n)));
	const built = fs.readFileSync(path.join(lib.PAGE, "meson.build"), "utf8");
	lib.same("every source is one that the build looks at", sources.filter((s) => !built.includes(`'${s}'`)), []);
	const text = sources.map((s) => fs.readFileSync(path.join(lib.PAGE, s), "utf8")).join("\n");
	lib.check("nothing makes HTML or code from text", !/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function/.test(text));
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : GROUPS;
lib.bundle("files", lib.FILES);
types();
await size();
await lib.launch();
try {
	for (const group of wanted) {
		try {
			await (await import(`./${group}.mjs`)).default();
		} catch (error) {
			lib.check(`${group} runs to its end`, false, error.stack);
		}
	}
} finally {
	await lib.quit();
}
lib.finish();
process.exit();
