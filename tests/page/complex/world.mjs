// The complex that the page is tested with (world.py), and hbdb complex.
import { spawn } from "node:child_process";
import path from "node:path";
import readline from "node:readline";
import { check, HBDB, open, PLACE, TOP, until } from "../lib.mjs";

const children = [];
process.on("exit", () => children.forEach((child) => child.exitCode === null && child.kill("SIGTERM")));

// do(VERB, ARGUMENT...): what world.py answers.
export async function begin() {
	const child = spawn("python3", [path.join(TOP, "tests/page/complex/world.py")], { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" } });
	const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended = new Promise((done) => child.on("exit", done));
	children.push(child);
	const world = {
		env: process.env,
		async do(...what) {
			child.stdin.write(JSON.stringify(what) + "\n");
			const { value, done } = await lines.next();
			if (done) {
				throw new Error(`world.py ended at ${what}`);
			}
			const { answer, env } = JSON.parse(value);
			world.env = env;
			return answer;
		},
		async end() {
			child.stdin.end();
			await ended;
		},
	};
	return world;
}

// hbdb complex: its address, and a way to end it.
export async function serve(world, ...more) {
	const child = spawn(HBDB, ["complex", "--no-browser", ...more], { cwd: PLACE, env: world.env, stdio: ["ignore", "pipe", "pipe"] });
	const ended = new Promise((done) => child.on("exit", done));
	let said = "";
	children.push(child);
	child.stderr.on("data", (d) => (said += d));
	const url = await new Promise((done, fail) => {
		child.stdout.once("data", (d) => done(String(d).trim()));
		child.on("exit", (code) => fail(new Error(`hbdb complex ended with ${code}: ${said}`)));
	});
	return { url, end: async (signal = "SIGTERM") => (child.kill(signal), ended) };
}

export const show = (url, more = {}) => open(url, { settle: (page) => page.waitForSelector("#shown h1"), ...more });

// Waits until this holds in the page; said otherwise.
export async function sees(page, name, holds, argument = null) {
	try {
		await page.waitForFunction(holds, argument, { timeout: 1000 * Number(process.env.PATIENCE ?? 60) });
		check(name, true);
	} catch {
		check(name, false, await page.evaluate(() => document.body.innerText));
	}
}

// Of an answer of world.py that changes.
export async function waits(name, ask, holds) {
	const end = Date.now() + 60000;
	let got = await ask();
	for (; !holds(got) && Date.now() < end; got = await ask()) {
		await new Promise((done) => setTimeout(done, 50));
	}
	check(name, holds(got), JSON.stringify(got));
	return got;
}

export { until };
