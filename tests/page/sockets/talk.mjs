// Processes that talk over sockets and pipes, of a recording that was written call by call: kinds of calls, names of processes, whom they
// talked to that is not recorded.
import { execFileSync, spawn } from "node:child_process";
import path from "node:path";
import { BUILD, check, clean, HBDB, open, pixel, PLACE, same } from "../lib.mjs";

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

// Above the box there is a point with a hole, and under the pointer it is said who is there.
async function pointed(page) {
	const at = await page.evaluate(() => {
		const { app } = window.hbdb, [line, event, x] = app.scene.view.outside[0], slot = app.rows.at[line], box = app.scene.box(line, event);
		const h = Math.min(30, Math.round(slot.h * 0.56)), top = Math.round(app.y(slot.y) + (slot.h - h) / 2);
		return { x: app.x(x), top, in: [(app.x(box[2]) + app.x(box[3])) / 2, top + h / 2] };
	});
	const drawn = [];
	for (let up = 3; up < 10; up++) {
		const row = await Promise.all([...Array(14).keys()].map((x) => pixel(page, at.x - 2 + x, at.top - up)));
		drawn.push(row.some((p) => p.slice(0, 3).every((v) => v < 190)));
	}
	check("an arrow to a point above the call", drawn.every(Boolean), drawn.join(" "));
	const place = await page.locator("#graph").boundingBox();
	await page.mouse.move(place.x + at.in[0], place.y + at.in[1]);
	const tip = await page.locator("#tip").textContent();
	check("and the address under the pointer", /to udp 192\.0\.2\.9:53, not recorded: 30 bytes/.test(tip), tip);
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
	const edges = await page.evaluate(() => window.hbdb.app.scene.view.outside.map(([line, event, , ...rest]) => [window.hbdb.app.nameOf(line, event), ...rest]));
	same("and points at the edge", edges, [["client:3", 0, "udp 192.0.2.9:53", 1, 30], ["client#2:3", 0, "udp 192.0.2.9:53", 1, 30], ["client#2:4", 1, "udp 192.0.2.9:53", 2, 23]]);
	await pointed(page);
	check("and no library of MPI", !told.mpi && !/MPI/.test(body), body);
	for (const [name, kind] of [["sendto", "send"], ["write", "send"], ["connect", "send"], ["read", "receive"], ["accept", "receive"], ["poll", "probe"], ["fork", "local"]]) {
		const found = told.kinds.filter(([f]) => f === name);
		same(`${name} is drawn as ${kind}`, [found.length > 0, found.every(([, k]) => k === KIND[kind])], [true, true]);
	}
	await page.evaluate(() => { location.hash = "#at=server:7"; });
	await page.waitForFunction(() => /Raced/.test(document.getElementById("body").textContent));
	const event = await page.locator("#body").textContent();
	check("a message is of a process by its name", /from client#2/.test(event) && /from client\b/.test(event), event);
	await page.evaluate(() => { location.hash = "#at=client%232:4"; });
	await page.waitForFunction(() => /Not recorded.*from udp 192\.0\.2\.9:53, 2 datagrams, 23 bytes/.test(document.getElementById("body").textContent));
	await clean("processes that talk", at);
	await at.close();
	same("hbdb view ends", await served.end(), 0);
}
