// The page against hbdb view itself: a recorded farm and its replay, a million events, a page in one file.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { address, BUILD, check, clean, frames, HBDB, near, open, pixel, PLACE, places, rgb, same, settled, TOP } from "./lib.mjs";

const ENV = { ...process.env, XDG_STATE_HOME: path.join(PLACE, "state"), OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" };
const MPIRUN = ["mpirun.openmpi", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n"];
const run = (program, ...args) => execFileSync(program, args, { cwd: PLACE, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 120000 });

// hbdb view of a recording: its address, and a way to end it.
async function view(recording, ...more) {
	const child = spawn(HBDB, ["view", recording, "--no-browser", ...more], { cwd: PLACE, env: ENV, stdio: ["ignore", "pipe", "pipe"] });
	process.on("exit", () => child.exitCode === null && child.kill("SIGTERM"));
	let said = "";
	child.stderr.on("data", (d) => (said += d));
	const ended = new Promise((done) => child.on("exit", (code) => done(code)));
	const url = await new Promise((done, fail) => {
		child.stdout.once("data", (d) => done(String(d).trim()));
		child.on("exit", (code) => fail(new Error(`hbdb view ended with ${code}: ${said}`)));
	});
	return { url, end: async () => (child.kill("SIGTERM"), ended), get: async (what) => (await fetch(url + what)).json() };
}

async function graph(served) {
	const at = await open(served.url + "#from=100&to=140"), { page } = at, where = await places(page);
	const { boxes } = await served.get("view?axis=logical&from=101&to=139&columns=800"), wrong = [];
	const wanted = { 1: rgb("#6aabe3"), 2: rgb("#f0ae47") };
	for (const [line, event, x0, x1, , , kind] of boxes.filter((b) => b[2] > 101 && b[3] < 139)) {
		const got = await pixel(page, where.x(x1), where.y(line) + 8);
		if (wanted[kind] && !near(got, wanted[kind])) {
			wrong.push(`${line}:${event} at ${x0} ${got}`);
		}
	}
	check(`every event of a recording is where it is (${boxes.length})`, boxes.length > 60 && wrong.length === 0, wrong.join("\n"));
	const box = boxes.find((b) => b[0] === 0 && b[6] === 2 && b[2] > 115), name = `0:${box[1]}`;
	await page.mouse.click(where.box.x + where.x(box[3]), where.box.y + where.y(0));
	await page.waitForFunction((name) => window.hbdb.app.event?.at === name, name);
	await settled(page);
	const text = run(HBDB, "dump", "farm.hbdb", "--rank", "0", "--from", String(box[1]), "--to", String(box[1])).trim().replace(/\s+/g, " ");
	same("its text is that of hbdb dump", (await page.locator("#body .text").textContent()).trim().replace(/\s+/g, " "), text);
	check("its source is shown", /MPI_Recv/.test(await page.locator(".source .here").textContent()));
	await page.keyboard.press("/");
	await page.keyboard.type("function:Recv rank:0");
	await settled(page);
	const all = run(HBDB, "dump", "farm.hbdb", "--plain", "--rank", "0").split("\n").filter((l) => l.includes(" MPI_Recv(")).length;
	const told = await page.evaluate(() => window.hbdb.app.hits.length + (window.hbdb.app.more ? "+" : ""));
	check("search finds as many as hbdb dump has", told === String(all) || told.endsWith("+"), `${told} ${all}`);
	await page.keyboard.press("Escape");
	await page.keyboard.press("Escape");
	await clean("graph of a recording", at);
	await at.close();
	return name;
}

const state = (page) => page.evaluate(() => window.hbdb.app.state);
const arrived = (page) => page.waitForFunction(() => {
	const s = window.hbdb.app.state;
	return s?.running && s.reached !== null && s.processes.length > 0 && s.processes.every((p) => p.arrival !== "underway");
});

async function replay(served, name) {
	const at = await open(served.url + `#from=100&to=140&at=${name}`), { page } = at;
	await page.waitForFunction(() => window.hbdb.app.event);
	await page.locator("#graph").focus();
	await page.keyboard.press("b");
	await page.waitForFunction(() => window.hbdb.app.cone);
	await page.keyboard.press("r");
	await arrived(page);
	const { cut } = await served.get(`cone?at=${name}`), { processes } = await state(page);
	same("every process stands after its event of the cut", processes.map((p) => [p.rank, p.life, p.event]), cut.map((c) => [c.line, "held", c.event]));
	await settled(page);
	const labels = await page.locator("#labels .doing").allTextContents();
	same("and its line says so", labels, cut.map((c) => `held after ${c.event}`));
	const where = await places(page), c = cut.find((c) => c.line === 0), seen = [];
	for (let dx = -3; dx <= 3; dx++) {
		seen.push(await pixel(page, where.x(c.logical + 0.5) + dx, where.y(0) - 30, "overlay"));
	}
	check("the cut is drawn there", seen.some((p) => p[3] > 150 && near(p, rgb("#c81e3a"), 60)), JSON.stringify(seen));
	await page.locator(".states button", { hasText: /^0$/ }).click();
	await page.waitForSelector(".variables tr");
	await settled(page);
	const frame = await page.locator(".frame:not(.ours)").allTextContents();
	check("its stack is that of the program", frame.includes("manage") && frame.includes("main"), frame.join("\n"));
	check("the line where it stands is shown", (await page.locator(".source .here").textContent()).includes("MPI_Recv"));
	check("and its variables", /results/.test(await page.locator(".variables").textContent()), await page.locator(".variables").textContent());
	await settled(page);
	await page.locator(".ask input").fill("6 * 7");
	await page.locator(".ask input").press("Enter");
	await page.waitForFunction(() => /= 42/.test(document.querySelector("#body").textContent));
	check("an expression is evaluated", true);
	await page.locator("#graph").focus();
	await page.keyboard.press(".");
	const after = name.replace(/\d+$/, (n) => Number(n) + 1);
	await page.waitForFunction((n) => window.hbdb.app.choice.at === n && window.hbdb.app.state?.processes[0]?.event === Number(n.split(":")[1]), after);
	check("the next event is run to", true);
	await page.keyboard.press(",");
	await page.waitForFunction((n) => window.hbdb.app.choice.at === n && window.hbdb.app.state?.processes[0]?.event === Number(n.split(":")[1]) && window.hbdb.app.state.processes[0].life === "held", name);
	check("the previous one by replaying", true);
	await arrived(page);
	await page.locator('.states input[aria-label="choose 2"]').check();
	const two = (await state(page)).processes[2].event;
	await page.locator(".buttons button", { hasText: /^go 2$/ }).click();
	await page.waitForFunction((n) => window.hbdb.app.state.processes[2].event > n || window.hbdb.app.state.processes[2].life === "running", two);
	const others = (await state(page)).processes.filter((p) => p.rank !== 2).map((p) => p.life);
	same("one goes on, the others stand", others, ["held", "held", "held"]);
	await page.locator('.states input[aria-label="choose 2"]').uncheck();
	await page.locator("#graph").focus();
	await page.keyboard.press("g");
	await page.waitForFunction(() => !window.hbdb.app.state.running || window.hbdb.app.state.processes.every((p) => p.life === "exited"));
	check("all go on to the end", true);
	await clean("replay", at);
	await at.close();
}

async function million() {
	run(path.join(BUILD, "bench/generate/generate"), "-o", "big.hbdb", "-p", "random", "-n", "64", "-e", "1e6");
	const served = await view("big.hbdb"), at = await open(served.url), { page } = at;
	await settled(page);
	const shown = await page.evaluate(() => window.hbdb.app.scene.view);
	check("a million events are shown as densities", shown.events > 900000 && shown.densities.length === 64 && shown.hidden > 900000);
	const where = await places(page);
	await page.mouse.move(where.box.x + where.box.width * 0.4, where.box.y + 300);
	for (let i = 0; i < 40; i++) {
		await page.mouse.wheel(0, -120);
	}
	await settled(page);
	const close = await page.evaluate(() => ({ boxes: window.hbdb.app.scene.view.boxes.length, hidden: window.hbdb.app.scene.view.hidden }));
	check("and one by one from near", close.boxes > 50 && close.hidden === 0, JSON.stringify(close));
	await page.mouse.click(where.box.x + where.box.width * 0.4, where.box.y + where.y(20));
	await page.locator("#graph").focus();
	await page.evaluate(() => window.hbdb.actions.chooseNear(20, window.hbdb.app.valueAt(window.hbdb.app.width / 2)));
	await page.waitForFunction(() => window.hbdb.app.event);
	await settled(page);
	for (const key of ["n", "n", "m", "c"]) {
		await page.keyboard.press(key);
		await settled(page);
	}
	await page.waitForFunction(() => window.hbdb.app.cone);
	same("the cone has a border on every line", await page.evaluate(() => window.hbdb.app.cone.cut.length), 64);
	await page.keyboard.press("f");
	await settled(page);
	await clean("a million events", at);
	await at.close();
	await served.end();
}

async function inFile() {
	run(HBDB, "view", "farm.hbdb", "--html", "part.html", "--around", "0:200", "--events", "300");
	const file = path.join(PLACE, "part.html"), at = await open("file://" + file), { page } = at;
	const boxes = await page.evaluate(() => window.hbdb.app.scene.view.boxes.length);
	check(`a page in a file holds a part (${boxes} events)`, boxes > 100 && boxes <= 320);
	await page.evaluate(() => window.hbdb.actions.choose("0:200"));
	await page.waitForFunction(() => window.hbdb.app.event);
	await page.locator("#graph").focus();
	await page.keyboard.press("c");
	await page.waitForFunction(() => window.hbdb.app.cone);
	await page.keyboard.press("a");
	await settled(page);
	check("with details, cone and both axes", (await address(page)).includes("axis=physical") && /MPI_/.test(await page.locator("#body .text").textContent()));
	check("in a few hundred kilobytes", fs.statSync(file).size < 2e6, String(fs.statSync(file).size));
	await clean("a page in a file", at);
	await at.close();
}

export default async function real() {
	run("mpicc.openmpi", "-g", "-O1", "-o", "farm", path.join(TOP, "examples/farm.c"));
	run(HBDB, "record", "-o", "farm.hbdb", "--", ...MPIRUN, "4", "./farm");
	const served = await view("farm.hbdb");
	await replay(served, await graph(served));
	same("hbdb view ends when asked to", await served.end(), 0);
	await million();
	await inFile();
}
