// A complex of 1,000 nodes and a program of 4,000 processes, written into a database: drawn quickly, and readable.
import { check, clean, frames, same } from "../lib.mjs";
import { begin, sees, serve, show } from "./world.mjs";

const NODES = 1000, EACH = 4, QUICK = 5; // seconds of work of the page; seen: 0.2 to 0.5

async function grid(page) {
	const session = await page.context().newCDPSession(page), began = Date.now();
	await session.send("Performance.enable");
	await page.reload();
	await page.waitForSelector("#shown .square");
	await frames(page);
	const ms = Date.now() - began, { metrics } = await session.send("Performance.getMetrics"), work = metrics.find((m) => m.name === "TaskDuration").value;
	check(`${NODES} nodes are there after ${ms} ms, ${work.toFixed(2)} s of them work of the page`, work > 0 && work < QUICK);
	const seen = await page.evaluate(() => {
		const all = [...document.querySelectorAll("#shown .square")], boxes = all.map((s) => s.getBoundingClientRect()), level = document.querySelector("#level");
		return {
			n: all.length, least: Math.min(...boxes.map((b) => Math.min(b.width, b.height))), bottom: Math.max(...boxes.map((b) => b.bottom)), across: level.scrollWidth - level.clientWidth,
			apart: new Set(boxes.map((b) => `${b.x} ${b.y}`)).size, down: all.filter((s) => s.textContent === "✕").length, bad: all.filter((s) => s.textContent === "!").length,
			named: all.every((s) => /^n\d+: (up|down)/.test(s.getAttribute("aria-label"))), reached: all.filter((s) => s.tabIndex === 0).length,
		};
	});
	same("each has a square of its own", [seen.n, seen.apart], [NODES, NODES]);
	check("large enough to be hit, all within the window, nothing to the side", seen.least >= 14 && seen.bottom < 900 && seen.across === 0, JSON.stringify(seen));
	same("those that are down, and those with errors, have signs", [seen.down, seen.bad], [NODES / 100, NODES / 50]);
	check("each says its name and state", seen.named);
	same("one of them is reached by the tabulator", seen.reached, 1);
	same("rows count what is wrong in them", await page.locator("#shown .wrong").evaluateAll((all) => all.reduce((n, e) => n + (parseInt(e.textContent) || 0), 0)), NODES / 100 + NODES / 50);
	same("trouble is named", await page.locator("#shown .card").count(), 12);
}

async function around(page) {
	await page.locator("#shown .square[tabindex='0']").focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("ArrowDown");
	same("arrows go along and down", await page.evaluate(() => document.activeElement.dataset.key), "node/n071");
	await page.locator("#shown .chip.down").click();
	await sees(page, "only those that are down, in full", () => document.querySelectorAll("#shown .card.down").length === 11 && !document.querySelector("#shown .square"));
	await page.goBack();
	await page.locator("#shown .strip .name").nth(3).click();
	await sees(page, "a row in full", () => document.querySelectorAll("#shown .card").length === 50 && document.querySelector("#shown .card b").textContent === "n150");
	await page.keyboard.press("u");
	await page.keyboard.press("/");
	await page.keyboard.type("n99");
	await sees(page, "found by a part of the name", () => [...document.querySelectorAll("#shown .card b")].map((e) => e.textContent).join() === "n990,n991,n992,n993,n994,n995,n996,n997,n998,n999");
	await page.keyboard.press("Escape");
}

async function listed(page) {
	await page.keyboard.press("c");
	await sees(page, "the last events are listed", () => document.querySelectorAll("#events li").length === 200);
	await page.locator("#older").click();
	await sees(page, "and those before them, when one wants them", () => document.querySelectorAll("#events li").length === 320 && document.querySelector("#older").hidden);
	await page.locator("#by-at").selectOption("n003");
	await sees(page, "those of one node", () => document.querySelectorAll("#events li").length === 1 && /a process on n003 died/.test(document.querySelector("#events").textContent));
	check("the address says so", /at=n003/.test(page.url()));
}

export default async function many() {
	const world = await begin();
	try {
		const database = await world.do("many", NODES, EACH), served = await serve(world, "--database", database, "--socket", "/nobody/here");
		const at = await show(served.url), { page } = at;
		await grid(page);
		await sees(page, "without a manager the page says so and shows what is known", () => /No manager|manager is gone.*no manager answers/i.test(document.querySelector("#gone:not([hidden])")?.textContent ?? ""));
		await page.locator("#shown .square").nth(20).focus();
		await world.do("touch", database);
		await sees(page, "what changes is drawn", () => document.querySelector("[data-key='node/n500']").textContent === "✕");
		same("and what has the focus keeps it", await page.evaluate(() => document.activeElement.dataset.key), "node/n020");
		await around(page);
		await page.goto(served.url + "#program=solver");
		await sees(page, "a program of many processes: a square each", (n) => document.querySelectorAll("#shown .square").length === n, NODES * EACH);
		same("those that failed have signs", await page.locator("#shown .square.failed").count(), NODES / 50);
		await listed(page);
		await clean("many nodes", at);
		await at.close();
		same("it ends when it is told to", await served.end(), 0);
	} finally {
		await world.end();
	}
}
