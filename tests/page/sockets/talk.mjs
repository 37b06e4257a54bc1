// Processes that talk over sockets and pipes, of a recording that was written call by call: kinds of calls, names of processes, whom they
// talked to that is not recorded.
import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { BUILD, check, clean, HBDB, open, PLACE, same } from "../lib.mjs";

const KIND = { local: 0, send: 1, receive: 2, completion: 3, probe: 4 };

async function view(recording) {
	const child = spawn(HBDB, ["view", recording, "--no-browser"], { cwd: PLACE, stdio: ["ignore", "pipe", "pipe"] });
	let said = "";
	await new Promise((found) => child.stdout.on("data", (data) => {
		said += data;
		if (/http\S+/.test(said)) {
			found();
		}
	}));
	return { url: said.match(/http\S+/)[0], end: () => new Promise((over) => child.on("exit", over) && child.kill("SIGTERM")) };
}

export default async function talk() {
	execFileSync(path.join(BUILD, "tests/sockets/synthetic/make_recording"), ["talk.hbdb"], { cwd: PLACE });
	const served = await view("talk.hbdb"), at = await open(served.url), { page } = at;
	const told = await page.evaluate(() => {
		const { run, scene } = window.hbdb.app;
		return { mpi: run.mpi, outside: run.outside, kinds: scene.view.boxes.map((b) => [run.functions[b[5]], b[6]]) };
	});
	const body = await page.locator("#body").textContent();
	check("whom they talked to that is not recorded", told.outside.some((o) => o.name === "udp 192.0.2.9:53") && /Not recorded.*udp 192\.0\.2\.9:53/.test(body), body);
	check("and no library of MPI", !told.mpi && !/MPI/.test(body), body);
	for (const [name, kind] of [["sendto", "send"], ["write", "send"], ["connect", "send"], ["read", "receive"], ["accept", "receive"], ["poll", "probe"], ["fork", "local"]]) {
		const found = told.kinds.filter(([f]) => f === name);
		same(`${name} is drawn as ${kind}`, [found.length > 0, found.every(([, k]) => k === KIND[kind])], [true, true]);
	}
	await page.evaluate(() => { location.hash = "#at=server:7"; });
	await page.waitForFunction(() => /Raced/.test(document.getElementById("body").textContent));
	const event = await page.locator("#body").textContent();
	check("a message is of a process by its name", /from client#2/.test(event) && /from client\b/.test(event), event);
	await clean("processes that talk", at);
	await at.close();
	same("hbdb view ends", await served.end(), 0);
}
