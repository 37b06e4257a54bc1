// For the tests of the page: counting checks, the browser, what must not happen on any page, pixels.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const TOP = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const PAGE = path.join(TOP, "src/view/page");
export const BUILD = process.env.BUILD ?? path.join(TOP, "build");
export const HBDB = process.env.HBDB ?? path.join(BUILD, "hbdb");
export const PLACE = fs.mkdtempSync(path.join(os.tmpdir(), "hbdb-page-"));
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync"];
const OWN = /willReadFrequently/; // said because of what these tests read
const LONG = 120000; // milliseconds for what takes a moment
let passed = 0, failed = 0;

export function check(name, good, detail = "") {
	if (good) {
		passed++;
		console.log("ok " + name);
	} else {
		failed++;
		console.log("FAIL " + name);
		for (const line of String(detail).trimEnd().split("\n").slice(0, 30)) {
			console.log("    " + line);
		}
	}
}

export function same(name, got, wanted) {
	const a = JSON.stringify(got), b = JSON.stringify(wanted);
	check(name, a === b, `got:    ${a}\nwanted: ${b}`);
}

export function finish() {
	fs.rmSync(PLACE, { recursive: true, force: true });
	console.log(`${passed} passed, ${failed} failed`);
	process.exitCode = failed ? 1 : 0;
}

export const bundle = (...args) => execFileSync("python3", [path.join(PAGE, "bundle.py"), ...args], { encoding: "utf8" }).trim();
export const MODULES = bundle("modules");
export const FILES = path.join(PLACE, "files");
const { chromium } = createRequire(import.meta.url)(path.join(MODULES, "playwright-core"));
let browser;

export async function launch() {
	browser = await chromium.launch({ executablePath: "/usr/bin/chromium", headless: true, args: FLAGS, timeout: LONG });
}

export async function quit() {
	await browser?.close();
}

// A page, and what went wrong on it: console errors, exceptions, violations of the content policy, requests to elsewhere.
export async function open(url, { width = 1600, height = 900, dark = false, settle = settled } = {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
	context.setDefaultTimeout(LONG);
	const page = await context.newPage(), wrong = [], origin = url.startsWith("file:") ? "file://" : new URL(url).origin;
	page.on("console", (m) => /error|warning/.test(m.type()) && !OWN.test(m.text()) && wrong.push(`${m.type()}: ${m.text()}`));
	page.on("pageerror", (e) => wrong.push("exception: " + e.message));
	page.on("request", (r) => !r.url().startsWith(origin + "/") && !r.url().startsWith("data:") && wrong.push("request: " + r.url()));
	await page.addInitScript(watched);
	await page.goto(url);
	await settle(page);
	return { page, wrong, close: () => context.close() };
}

export async function clean(name, { page, wrong }) {
	same(`${name}: no error, no violation, no request to elsewhere`, [...wrong, ...(await page.evaluate(() => window.violations))], []);
}

// Runs in the page, before its script: counts what is under way, answers of the server and what was put off for a moment. Not the
// question for changes of a replay, which is always open, nor what only takes back a notice after seconds.
function watched() {
	window.violations = [];
	document.addEventListener("securitypolicyviolation", (e) => window.violations.push(e.violatedDirective + " " + e.blockedURI));
	const { fetch, setTimeout, clearTimeout } = window, { json } = Response.prototype, soon = new Set();
	let asked = 0;
	const counted = (promise) => {
		asked++;
		return promise.finally(() => asked--);
	};
	window.fetch = (url, init) => (/^state\b/.test(url) ? fetch(url, init) : counted(fetch(url, init)));
	Response.prototype.json = function () {
		return /\/state$/.test(new URL(this.url).pathname) ? json.call(this) : counted(json.call(this));
	};
	window.setTimeout = (run, delay = 0) => {
		const id = setTimeout(() => {
			soon.delete(id);
			run();
		}, delay);
		if (delay < 1000) {
			soon.add(id);
		}
		return id;
	};
	window.clearTimeout = (id) => {
		soon.delete(id);
		clearTimeout(id);
	};
	window.rests = () => Boolean(window.hbdb?.app.run?.ready && window.hbdb.app.scene) && asked === 0 && soon.size === 0;
}

// What was asked for has come and is drawn, and the address says it.
export async function settled(page) {
	do {
		await page.waitForFunction(() => window.rests());
		await frames(page);
	} while (!(await page.evaluate(() => window.rests())));
}

// Waits for what happens outside of the page; what holds then.
export async function until(holds) {
	for (const end = Date.now() + LONG; ;) {
		const got = holds();
		if (got || Date.now() > end) {
			return got;
		}
		await new Promise((done) => setTimeout(done, 20));
	}
}

export async function frames(page) {
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
}

// [r, g, b] of the picture (or overlay, with alpha) at x, y of the graph.
export async function pixel(page, x, y, layer = "picture") {
	return page.evaluate(([x, y, layer]) => {
		const c = document.getElementById(layer), k = c.width / c.clientWidth;
		return [...c.getContext("2d").getImageData(Math.round(x * k), Math.round(y * k), 1, 1).data].slice(0, layer === "picture" ? 3 : 4);
	}, [x, y, layer]);
}

export const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
export const near = (a, b, by = 24) => [0, 1, 2].every((i) => Math.abs(a[i] - b[i]) <= by);

// Where a value of the axis, and a line, stand in the graph: from the address alone, as a user could work it out.
export async function places(page) {
	await settled(page);
	const given = new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
	const box = await page.locator("#graph").boundingBox(), rows = await page.evaluate(() =>
		[...document.querySelectorAll("#labels .row.line")].map((e) => ({ name: e.querySelector(".name").textContent, y: e.getBoundingClientRect().top, h: e.offsetHeight })));
	const from = Number(given.get("from")), to = Number(given.get("to"));
	return {
		box, given,
		x: (value) => ((value - from) / (to - from)) * box.width,
		y: (name) => {
			const row = rows.find((r) => r.name === String(name));
			return row.y - box.y + row.h / 2;
		},
	};
}

// In logical time a cut passes half a step behind the event it is after, and through the one it is inside of.
export const crossing = (c) => c.logical + { nothing: -0.5, after: 0.5, inside: 0, end: 0.5 }[c.stop];
export const address = (page) => settled(page).then(() => page.evaluate(() => location.hash.slice(1)));
export const notice = (page) => page.waitForFunction(() => document.querySelector("#notices p")?.textContent).then((text) => text.jsonValue());
export const live = (page) => page.locator("#live").textContent();
