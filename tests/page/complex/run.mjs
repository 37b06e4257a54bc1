// The tests of the page of a complex, in Chromium without a display.
// usage: node tests/page/complex/run.mjs [GROUP...]
import fs from "node:fs";
import path from "node:path";
import * as lib from "../lib.mjs";

const GROUPS = ["live", "many"], MOST = 40000;

function size() {
	const bytes = ["html", "js", "css"].reduce((n, kind) => n + fs.statSync(path.join(lib.FILES, "complex." + kind)).size, 0);
	lib.check(`the page, its script and style take less than ${MOST} bytes (${bytes})`, bytes < MOST);
	const folder = path.join(lib.PAGE, "complex"), built = fs.readFileSync(path.join(lib.PAGE, "meson.build"), "utf8");
	lib.same("every source is one that the build looks at", fs.readdirSync(folder).filter((n) => !built.includes(`'complex/${n}'`)), []);
	const text = fs.readdirSync(folder).filter((n) => n.endsWith(".ts")).map((n) => fs.readFileSync(path.join(folder, n), "utf8")).join("\n");
	lib.check("nothing makes HTML or code from text", !/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function/.test(text));
}

lib.bundle("files", lib.FILES);
size();
await lib.launch();
try {
	for (const group of process.argv.length > 2 ? process.argv.slice(2) : GROUPS) {
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
