// The tab of a model: a farm of which a node died, against what hbdb check says.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import path from "node:path";
import { check, clean, HBDB, open, PLACE, same, TOP } from "./lib.mjs";

const ENV = { ...process.env, XDG_STATE_HOME: path.join(PLACE, "state"), OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
const MODEL = path.join(TOP, "examples/models/farm.hbm");
const MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", "4"];
const run = (program, ...args) => spawnSync(program, args, { cwd: PLACE, env: ENV, encoding: "utf8", timeout: 300000 });

async function view(recording, ...more) {
	const child = spawn(HBDB, ["view", recording, "--no-browser", ...more], { cwd: PLACE, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
	process.on("exit", () => child.exitCode === null && child.kill("SIGTERM"));
	const url = await new Promise((done, fail) => {
		child.stdout.once("data", (d) => done(String(d).trim()));
		child.on("exit", (code) => fail(new Error(`hbdb view ended with ${code}`)));
	});
	return { url, end: () => new Promise((done) => (child.on("exit", done), child.kill("SIGTERM"))) };
}

async function tab(page) {
	await page.waitForFunction(() => document.querySelector("#tab-model"));
	await page.locator("#tab-model").click();
	await page.waitForFunction(() => document.querySelector("table.keys tbody tr"));
}

export default async function model() {
	execFileSync("mpicc.openmpi", ["-g", "-O0", "-I" + TOP + "/include", "-o", path.join(PLACE, "tasks"), TOP + "/tests/models/programs/farm.c"]);
	run(HBDB, "record", "--check", "-o", "tasks.hbdb", "--", ...MPIRUN, "./tasks", "crash");
	const said = run(HBDB, "check", "--json", "--category", "model", "--model", MODEL, "tasks.hbdb").stdout.trim().split("\n").map((l) => JSON.parse(l));
	const sum = said.find((o) => o.model), first = said.find((o) => o.finding);
	const served = await view("tasks.hbdb", "--model", MODEL), at = await open(served.url), { page } = at;
	await tab(page);
	same("a row for each place where a key stopped", await page.locator("table.keys tbody tr").allTextContents(), sum.rows.map((r) => Object.values(r.keys).join("") + r.process + r.in));
	check("its findings are those of hbdb check", (await page.locator(".finding p").first().textContent()) === first.sentence);
	await page.locator("table.keys button", { hasText: /^7$/ }).click();
	await page.waitForFunction(() => document.querySelector("svg.key"));
	const dot = run(HBDB, "graph", "--dot", "--model", MODEL, "--key", "7", "tasks.hbdb").stdout;
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
