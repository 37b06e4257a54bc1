// What is not a call and not a message: spans of the program itself, order that windows make; what a model says of a run. With recorded
// programs.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { check, clean, HBDB, near, open, pixel, PLACE, places, rgb, same, TOP } from "./lib.mjs";

const ENV = { ...process.env, XDG_STATE_HOME: path.join(PLACE, "state"), OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
const run = (program, ...args) => execFileSync(program, args, { cwd: PLACE, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120000 });
const SHADES = ["#dfe3f7", "#f6e3d3", "#dcefd9", "#f3dcec", "#e9e6cf", "#d5edf0"].map(rgb), EACH = 15, ORDER = 128;

const PROGRAM = `
#include <hbdb/event.h>
#include <mpi.h>
#include <pthread.h>
static int memory[4];
static void *work(void *unused)
{
	for (int i = 0; i < 3; i++) {
		HB_BEGIN("piece", hb_integer("number", i));
		hb_event("inside");
		hb_end("piece");
	}
	return unused;
}
int main(int argc, char **argv)
{
	int rank, level, other, one = 1;
	pthread_t thread;
	MPI_Group world, group;
	MPI_Win win;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	hb_begin("outer");
	for (int i = 0; i < 3; i++) {
		hb_begin("step");
		MPI_Barrier(MPI_COMM_WORLD);
		hb_begin("inner");
		hb_end("inner");
		hb_end("step");
	}
	hb_end("outer");
	if (rank == 1) {
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
	}
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	other = 1 - rank;
	MPI_Group_incl(world, 1, &other, &group);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (rank == 0) {
		MPI_Win_start(group, 0, win);
		MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Win_free(&win);
	hb_begin("without an end");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
`;

async function view(recording, ...more) {
	const child = spawn(HBDB, ["view", recording, "--no-browser", ...more], { cwd: PLACE, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
	process.on("exit", () => child.exitCode === null && child.kill("SIGTERM"));
	const ended = new Promise((done) => child.on("exit", (code) => done(code)));
	const url = await new Promise((done, fail) => {
		child.stdout.once("data", (d) => done(String(d).trim()));
		child.on("exit", (code) => fail(new Error(`hbdb view ended with ${code}`)));
	});
	return { url, end: async () => (child.kill("SIGTERM"), ended), get: async (what) => (await fetch(url + what)).json() };
}

function written(functions, spans, thread) {
	same("spans are as the program is written", spans.filter((s) => s[0] === 0).map((s) => [functions[s[6]], s[5], s[2] > 0]),
		[["outer", 0, true], ["without an end", 0, false], ...Array(3).fill(["step", 1, true]), ...Array(3).fill(["inner", 2, true])]);
	same("those of a thread, too", spans.filter((s) => s[0] === thread).map((s) => [functions[s[6]], s[5], s[7]]), Array(3).fill(["piece", 0, 1]));
}

// What the program is written to do, from its events as the server tells them.
async function answers(served, axis) {
	const whole = (await served.get("run")), { functions, lines, span } = whole, [first, last] = span[axis];
	const { spans, boxes, arrows } = await served.get(`view?axis=${axis}&from=${first}&to=${last}&columns=4000`), x = new Map(boxes.map((b) => [`${b[0]}:${b[1]}`, b]));
	// in time what is narrow shares a bar with others
	const thread = lines.findIndex((l) => l.name === "1.1"), alone = spans.filter((s) => s[7] === 1), all = spans.reduce((n, s) => n + s[7], 0), wrong = alone.filter(([line, begin, end, x0, x1]) => {
		const b = x.get(`${line}:${begin}`), e = x.get(`${line}:${end || lines[line].events}`);
		return x0 !== b[2] || x1 !== e[3];
	});
	if (axis === "logical") {
		written(functions, spans, thread);
	}
	check(`${axis}: from the begin's enter to the end's exit (${alone.length})`, all === 19 && wrong.length === 0, JSON.stringify(wrong));
	same(`${axis}: lines say how deep`, lines.map((l) => l.spans ?? 0), lines.map((_, i) => (i === thread ? 1 : 3)));
	const narrow = await served.get(`view?axis=${axis}&from=${first}&to=${last}&columns=1`), merged = narrow.spans.reduce((n, s) => n + s[7], 0);
	check(`${axis}: those narrower than a column share one, and none is lost`, narrow.spans.length < all && merged === all, JSON.stringify(narrow.spans));
	return { functions, lines, spans, boxes, arrows, thread };
}

async function bars(served, { spans, functions }) {
	const seen = spans.filter((s) => s[0] === 0 && s[2]), from = seen[0][3] - 2, to = seen[0][4] + 2;
	const at = await open(`${served.url}#from=${from}&to=${to}`), { page } = at, where = await places(page);
	const row = await page.evaluate(() => [...document.querySelectorAll("#labels .row.line")].map((e) => e.getBoundingClientRect().bottom)[0]), top = row - where.box.y;
	const middle = (s) => where.x((s[3] + s[4]) / 2), wrong = [];
	for (const s of seen) {
		// beside the name, which begins at the left
		const got = await pixel(page, where.x(s[4]) - 3, top + s[5] * EACH + 4), wanted = SHADES[s[6] % SHADES.length];
		if (!near(got, wanted, 6)) {
			wrong.push(`${functions[s[6]]} at depth ${s[5]}: ${got}, not ${wanted}`);
		}
	}
	check("each span is a bar below its line, the inner ones below the outer", seen.length === 7 && wrong.length === 0, wrong.join("\n"));
	const steps = seen.filter((s) => s[5] === 1), between = await pixel(page, where.x((steps[0][4] + steps[1][3]) / 2 + 0), top + 2 * EACH + 7);
	check("nothing where none is", near(between, [255, 255, 255], 4), String(between));
	const outer = seen[0], named = [];
	for (let x = 4; x < 40; x++) {
		named.push(await pixel(page, where.x(outer[3]) + x, top + EACH / 2));
	}
	check("its name stands in it", named.some((p) => p[0] < 120), JSON.stringify(named));
	if (process.env.SHOT) {
		await page.screenshot({ path: process.env.SHOT });
	}
	await page.mouse.move(where.box.x + middle(steps[1]), where.box.y + top + EACH * 1.5);
	await page.waitForFunction(() => /span step/.test(document.getElementById("tip").textContent));
	check("pointing at it names it", true);
	await page.mouse.click(where.box.x + middle(steps[1]), where.box.y + top + EACH * 1.5);
	await page.waitForFunction((name) => window.hbdb.app.event?.at === name, `0:${steps[1][1]}`);
	await page.waitForFunction(() => /Span step/.test(document.getElementById("body").textContent));
	const body = await page.locator("#body").textContent();
	check("a click opens its begin and where it ends", body.includes(`0:${steps[1][2]}`) && /begin step/.test(body), body);
	check("the legend has it", /span of the program/.test(await page.locator("#legend").textContent()));
	await clean("spans", at);
	await at.close();
}

async function threads(served, { spans, thread }) {
	const own = spans.filter((s) => s[0] === thread), at = await open(`${served.url}#from=${own[0][3] - 2}&to=${own[2][4] + 2}`), { page } = at, where = await places(page);
	const bottom = await page.evaluate(() => [...document.querySelectorAll("#labels .row.line")].find((e) => e.querySelector(".name").textContent === "1.1").getBoundingClientRect().bottom);
	const got = [];
	for (const s of own) {
		got.push(await pixel(page, where.x(s[4]) - 3, bottom - where.box.y + 4));
	}
	check("bars of a thread below its line", got.every((p) => near(p, SHADES[own[0][6] % SHADES.length], 6)), JSON.stringify(got));
	await at.close();
}

async function order(served, { arrows, boxes, functions }) {
	const name = (line, event) => functions[boxes.find((b) => b[0] === line && b[1] === event)[5]], own = arrows.filter((a) => a[8] & ORDER);
	same("what a window orders is an arrow", own.map((a) => [name(a[0], a[1]), name(a[3], a[4]), a[6]]), [["MPI_Win_complete", "MPI_Win_wait", -1]]);
	const [a] = own, at = await open(`${served.url}#from=${a[2] - 6}&to=${a[5] + 6}&at=0:${a[1]}`), { page } = at;
	await page.waitForFunction(() => /Order without a message/.test(document.getElementById("body").textContent));
	check("the event tells it", (await page.locator("#body").textContent()).includes("access epoch that was completed"));
	const told = await page.locator("#body").textContent();
	check("what the recorder saw there", /emarks? of the recorder/.test(told) && /winsync.*kind=complete/.test(told), told);
	check("and so does the legend", /order without a message/.test(await page.locator("#legend").textContent()));
	await clean("order by a window", at);
	await at.close();
	run(HBDB, "graph", "layers.hbdb", "--around", `0:${a[1]}`, "--events", "40", "-o", "order.svg");
	const svg = fs.readFileSync(path.join(PLACE, "order.svg"), "utf8");
	check("hbdb graph draws it, too", /class="order"/.test(svg) && svg.includes("access epoch completed") && svg.includes("order without a message"), svg.slice(0, 2000));
}

const MODEL = path.join(TOP, "tests/models/farm.hbm");
// What it says, however it ends.
const any = (program, ...args) => spawnSync(program, args, { cwd: PLACE, env: ENV, encoding: "utf8", timeout: 300000 });

async function tab(page) {
	await page.waitForFunction(() => document.querySelector("#tab-model"));
	await page.locator("#tab-model").click();
	await page.waitForFunction(() => document.querySelector("table.keys tbody tr"));
}

// The tab of a model: a farm of which a node died, against what hbdb check says.
async function model() {
	run("mpicc.openmpi", "-g", "-O0", "-I" + TOP + "/include", "-o", "tasks", TOP + "/tests/models/programs/farm.c");
	any(HBDB, "record", "--check", "-o", "tasks.hbdb", "--", "mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4", "./tasks", "crash");
	const said = any(HBDB, "check", "--json", "--category", "model", "--model", MODEL, "tasks.hbdb").stdout.trim().split("\n").map((l) => JSON.parse(l));
	const sum = said.find((o) => o.model), first = said.find((o) => o.finding);
	const served = await view("tasks.hbdb", "--model", MODEL), at = await open(served.url), { page } = at;
	await tab(page);
	same("a row for each place where a key stopped", await page.locator("table.keys tbody tr").allTextContents(), sum.rows.map((r) => Object.values(r.keys).join("") + r.process + r.in));
	check("its findings are those of hbdb check", (await page.locator(".finding p").first().textContent()) === first.sentence);
	await page.locator("table.keys button", { hasText: /^7$/ }).click();
	await page.waitForFunction(() => document.querySelector("svg.key"));
	const dot = any(HBDB, "graph", "--dot", "--model", MODEL, "--key", "7", "tasks.hbdb").stdout;
	const words = [...dot.matchAll(/^ +n\d+ \[label="(.*?)\\n/gm)].map((m) => m[1]).sort();
	same("the graph of a key has the boxes of hbdb graph --key", (await page.locator("svg.key .box text:not(.more)").allTextContents()).sort(), words);
	same("what should come next is marked", await page.locator("svg.key .box.expected text").allTextContents(), ["end of compute", "should come"]);
	const box = page.locator("svg.key .box", { hasText: "begin of compute" }), event = await box.getAttribute("data-at");
	await box.click();
	await page.waitForFunction((event) => window.hbdb.app.choice.at === event, event);
	check("a click chooses the event in the graph of the run", /^3:\d+$/.test(event), event);
	await page.locator(".body button", { hasText: "a box for each process" }).click();
	await page.waitForFunction(() => document.querySelectorAll("svg.key .box").length === 3);
	same("coalesced: a box for each process", await page.locator("svg.key .box.expected").count(), 1);
	await clean("the tab of a model", at);
	await at.close();
	await served.end();
	const bare = await view("tasks.hbdb"), without = await open(bare.url);
	await without.page.waitForFunction(() => window.hbdb.app.run?.ready);
	same("without a model there is no such tab", await without.page.locator("#tab-model").count(), 0);
	await clean("a page without a model", without);
	await without.close();
	await bare.end();
}

export default async function layers() {
	fs.writeFileSync(path.join(PLACE, "layers.c"), PROGRAM);
	run("mpicc.openmpi", "-g", "-O0", "-pthread", "-I", path.join(TOP, "include"), "-o", "layers", "layers.c");
	run(HBDB, "record", "--check", "-o", "layers.hbdb", "--", "mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "2", "./layers");
	const served = await view("layers.hbdb"), logical = await answers(served, "logical");
	await answers(served, "physical");
	await bars(served, logical);
	await threads(served, logical);
	await order(served, logical);
	same("hbdb view ends", await served.end(), 0);
	await model();
}
