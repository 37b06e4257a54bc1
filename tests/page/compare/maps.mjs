// The tab Compare: what differs from a reference, and the map of the array: by elements where both runs saved them, else by tiles.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { check, clean, HBDB, open, PLACE, same, settled, TOP } from "../lib.mjs";

const ENV = { ...process.env, XDG_STATE_HOME: path.join(PLACE, "state"), OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
const options = { cwd: PLACE, env: ENV, encoding: "utf8", timeout: 120000 };
const SOURCE = path.join(TOP, "tests/reference/programs/grid.c"), ROWS = 24, COLUMNS = 10, WRONG = [17, 3];
const EQUAL = "#f4f6f8";

function hbdb(wanted, ...args) {
	const done = spawnSync(HBDB, args, options);
	check(`hbdb ${args.slice(0, 2).join(" ")} ends with ${wanted}`, done.status === wanted, done.stdout + done.stderr);
	return done.stderr;
}

const job = (ranks, ...args) => ["--", "mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", String(ranks), "./grid", ...args];

async function view(...args) {
	const child = spawn(HBDB, ["view", "--no-browser", ...args], { cwd: PLACE, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
	process.on("exit", () => child.exitCode === null && child.kill("SIGTERM"));
	let said = "";
	child.stderr.on("data", (d) => (said += d));
	const ended = new Promise((done) => child.on("exit", (code) => done(code)));
	const url = await new Promise((done, fail) => {
		child.stdout.once("data", (d) => done(String(d).trim()));
		child.on("exit", (code) => fail(new Error(`hbdb view ended with ${code}: ${said}`)));
	});
	return { url, end: async () => (child.kill("SIGTERM"), ended), ask: (what) => fetch(url + what), said: () => said };
}

// What the picture in the page is made of: its cells that are not equal, in indices of the picture, and the words in it.
async function drawn(page) {
	await settled(page);
	return page.evaluate(({ equal }) => {
		const text = decodeURIComponent(document.querySelector("img.map").src.replace("data:image/svg+xml,", ""));
		const svg = new DOMParser().parseFromString(text, "image/svg+xml"), of = (name, e) => Number(e.getAttribute(name));
		const boxes = [...svg.querySelectorAll(".cells rect")].map((e) => [...["x", "y", "width", "height"].map((name) => of(name, e)), e.getAttribute("fill")]);
		return {
			root: svg.documentElement.tagName, cells: boxes.length, wrong: boxes.filter((b) => b[4] !== equal),
			borders: svg.querySelectorAll(".processes rect").length, words: [...svg.querySelectorAll("text")].map((t) => t.textContent),
			loaded: document.querySelector("img.map").naturalWidth > 0,
		};
	}, { equal: EQUAL });
}

// A click on an element of the array, where a map that begins at `first` and shows `count` has it.
async function press(page, map, [row, column]) {
	const box = await page.locator("img.map").boundingBox(), scale = box.width / map.size[0], [x, y, w, h] = map.plot;
	await page.mouse.click(box.x + scale * (x + (w * (column - map.first[1] + 0.5)) / map.count[1]), box.y + scale * (y + (h * (row - map.first[0] + 0.5)) / map.count[0]));
	await settled(page);
}

// Where one element stands in the picture of a map.
const place = (map, [row, column], rows = 1, columns = 1) => {
	const [x, y, w, h] = map.plot, across = w / map.count[1], down = h / map.count[0];
	return [x + across * (column - map.first[1]), y + down * (row - map.first[0]), across * columns, down * rows];
};
const numbers = (boxes) => boxes.map((b) => b.slice(0, 4).map((n) => Math.round(n * 10) / 10));
const asked = async (served, part = "") => (await served.ask(`map?of=0${part ? "&part=" + part : ""}`)).json();

async function byElements(served) {
	const at = await open(served.url + "#tab=compare"), { page } = at;
	await page.waitForSelector("img.map");
	const whole = await asked(served), all = await drawn(page), row = await page.locator(".differences tbody tr").allTextContents();
	same("the difference is listed: kind, array, point", row, ["checksumgrid1.E"]);
	same("it is the chosen one", await page.locator(".differences tr.here").count(), 1);
	check("and its sentence is there", /^Different checksums for array \("grid", .* at the point 1\.E/.test(await page.locator(".sentence").textContent()));
	check("what was compared is said", /compared: 2 points.*\ndifferent: two.hbdb differs from one.hbdb, first at the point 1.E/.test(await page.locator(".said").textContent()));
	check("the map is an SVG that is shown", all.root === "svg" && all.loaded && all.cells >= ROWS, JSON.stringify(all));
	same("one element differs, where it does", numbers(all.wrong), numbers([place(whole, WRONG)]));
	check("it says which", all.words.some((w) => w.includes("1 of 240 elements differ")) && all.words.some((w) => w.includes("(17, 3)")), all.words.join("\n"));
	same("both processes have a border", all.borders, 2);
	same("nothing leads back from the whole", await page.locator("#body button", { hasText: "whole array" }).count(), 0);
	await press(page, whole, WRONG);
	const [first, count] = [0, 1].map((i) => whole.tile.map((n, d) => (i ? n : Math.floor(WRONG[d] / n) * n)));
	const part = await asked(served, first.map((f, d) => `${f}:${count[d]}`).join(",")), near = await drawn(page);
	check("a click shows its tile alone", near.words.some((w) => w.includes(`1 of ${count[0] * count[1]} elements differ`)) && near.words.includes(String(first[0])), near.words.join("\n"));
	same("with the element in its place there", numbers(near.wrong), numbers([place(part, WRONG)]));
	same("and the border of the one process that has it", near.borders, 1);
	await page.locator("#body button", { hasText: "whole array" }).click();
	same("a button leads back", (await drawn(page)).words, all.words);
	await page.locator("#body button", { hasText: "the point in the graph" }).click();
	await page.waitForFunction((at) => window.hbdb.app.event?.at === at, whole.at);
	const { call } = await (await served.ask(`event?at=${whole.at}`)).json();
	check("the point is an event of the program", /fill/.test(JSON.stringify(call)), JSON.stringify(call));
	await clean("a comparison", at);
	await at.close();
}

async function byTiles(served) {
	const at = await open(served.url + "#tab=compare"), { page } = at;
	await page.waitForSelector("img.map");
	const whole = await asked(served), all = await drawn(page), [rows, columns] = whole.tile, tile = WRONG.map((n, d) => Math.floor(n / whole.tile[d]) * whole.tile[d]);
	same("without elements the tile differs", [whole.tiles, [...new Set(all.wrong.flatMap((b) => [b[0], b[0] + b[2]]))]], [true, [place(whole, tile)[0], place(whole, [0, tile[1] + columns])[0]]]);
	same("in all of its rows", numbers(all.wrong).map((b) => b[1]), numbers(Array.from({ length: rows }, (_, i) => place(whole, [tile[0] + i, tile[1]]))).map((b) => b[1]));
	await press(page, whole, WRONG);
	check("a click shows it alone", (await drawn(page)).words.some((w) => w.includes("1 of 1 tiles differ")));
	await clean("a comparison by tiles", at);
	await at.close();
}

async function refused(served, plain) {
	for (const part of ["0:1", "24:1,0:1", "0:0,0:1", "0:1,0:1,", "0:1,5:9223372036854775807", "-1:2,0:1", "x"]) {
		same(`a part ${part} is none`, (await served.ask(`map?of=0&part=${part}`)).status, 409);
	}
	same("nor is a difference that is not there", (await served.ask("map?of=99")).status, 409);
	const at = await open(plain.url), { page } = at;
	same("without a reference there is no tab", await page.locator("#tab-compare").count(), 0);
	same("and no answer", [(await plain.ask("compare")).status, (await plain.ask("map?of=0")).status], [404, 404]);
	await at.close();
}

export default async function compare() {
	execFileSync("mpicc.openmpi", ["-g", "-O1", "-I", path.join(TOP, "include"), "-o", "grid", SOURCE], options);
	const line = fs.readFileSync(SOURCE, "utf8").split("\n").findIndex((text) => text.includes('.name = "grid"')) + 1;
	fs.mkdirSync(path.join(PLACE, "out"));
	hbdb(0, "compare", "record", "-o", "one.hbdb", "--save", `grid:grid.c:${line}`, "--at", "1.E", ...job(1));
	hbdb(1, "compare", "run", "-o", "two.hbdb", "one.hbdb", ...job(2, "out", "wrong"));
	hbdb(0, "compare", "record", "-o", "sums.hbdb", ...job(1));
	hbdb(0, "record", "-o", "plain.hbdb", ...job(1));
	const message = hbdb(2, "view", "--no-browser", "two.hbdb", "--against", "plain.hbdb");
	same("a reference without traces: the message of compare report", message, hbdb(2, "compare", "report", "plain.hbdb", "two.hbdb"));
	check("a page in a file has no maps", /--against needs the server/.test(hbdb(2, "view", "two.hbdb", "--against", "one.hbdb", "--html", "a.html")));
	const served = await view("two.hbdb", "--against", "one.hbdb"), sums = await view("two.hbdb", "--against", "sums.hbdb"), plain = await view("two.hbdb");
	await byElements(served);
	await byTiles(sums);
	await refused(served, plain);
	same("hbdb view ends when asked to", [await served.end(), await sums.end(), await plain.end()], [0, 0, 0]);
}
