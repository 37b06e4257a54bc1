// The page against a manager with two agents: levels, events as they come, what is asked of the manager, who is gone and comes back.
import { check, clean, same } from "../lib.mjs";
import { begin, sees, serve, show, waits } from "./world.mjs";

const hash = (page) => page.evaluate(() => location.hash);
const button = (page, what) => page.locator(`#shown button[data-ask="${what}"]`).first();
const factOf = (page, name) => page.evaluate((name) => [...document.querySelectorAll("#shown .facts dt")].find((e) => e.textContent === name)?.nextSibling.textContent ?? "", name);
const shows = (page, name, text) => sees(page, name, (text) => document.querySelector("#shown").textContent.includes(text), text);
const level = (page, title) => sees(page, `the page shows ${title}`, (title) => document.querySelector("#shown h1")?.textContent === title, title);
const of = (world, name) => world.do("table", `SELECT state, runs, process, recording FROM program WHERE name = '${name}'`).then((rows) => rows[0]);

async function levels(world, page) {
	await sees(page, "the complex: its two nodes are up", () => document.querySelectorAll("#shown .card.up").length === 2);
	same("each state is a sign and a word", (await page.locator("#shown .card").first().locator(".state").first().textContent()).trim(), "● up");
	await page.locator("tr[data-key='program/ring'] button[data-ask=begin]").focus();
	await page.keyboard.press("Enter");
	await sees(page, "a program is begun by a key", () => /running/.test(document.querySelector("tr[data-key='program/ring'] .state").textContent));
	same("whose button is another one now keeps his place", await page.evaluate(() => document.activeElement.textContent), "ring");
	await page.keyboard.press("Enter");
	await level(page, "Program ring");
	same("the address says so", await hash(page), "#program=ring");
	await sees(page, "its processes are there by their ranks", () => /rank 0[^]*rank 1/.test(document.querySelector("#shown tbody")?.textContent ?? ""));
	await sees(page, "their events are counted", () => Number([...document.querySelectorAll("#shown tbody tr")].find((r) => /rank 1/.test(r.textContent))?.children[4].textContent.replace(/,/g, "")) > 0);
	await page.locator("#shown a.pick", { hasText: /^rank 1$/ }).click();
	await level(page, "Rank 1 of ring");
	const number = (await hash(page)).match(/^#process=(\d+)$/)?.[1], [[pid]] = await world.do("table", `SELECT pid FROM process WHERE process = ${number}`);
	same("it is the process of that number", await factOf(page, "pid"), String(pid));
	const events = Number((await factOf(page, "events")).replace(/,/g, ""));
	await sees(page, "its events go on while one looks", (before) => Number([...document.querySelectorAll("#shown dt")].find((e) => e.textContent === "events").nextSibling.textContent.replace(/,/g, "")) > before, events);
	await sees(page, "its processor and memory are drawn over time", () => document.querySelectorAll("#shown figure svg polyline").length === 2);
	await page.locator("#shown .facts a[href^='#threads=']").click();
	await level(page, "Threads of rank 1 of ring");
	await sees(page, "what each thread does is told, and where", () => /(inside|computes after) MPI_Sendrecv_replace[^]*ring\.c:\d+[^]*\d s/.test(document.querySelector("#shown tbody")?.textContent ?? ""));
	const lines = () => document.querySelector("#shown tbody")?.textContent;
	await sees(page, "and told anew as it goes on", (before) => document.querySelector("#shown tbody") && document.querySelector("#shown tbody").textContent !== before, await page.evaluate(lines));
	await page.goBack();
	await page.goBack();
	await level(page, "Program ring");
	await page.keyboard.press("u");
	await level(page, "The complex");
	await page.locator("#shown .card").first().focus();
	await page.keyboard.press("ArrowRight");
	await page.keyboard.press("Enter");
	await level(page, "Node n2");
	await page.keyboard.press("c");
	return { number, pid };
}

async function moves(world, page, { number }) {
	const state = () => world.do("table", `SELECT state FROM process WHERE process = ${number}`).then((rows) => rows[0][0]);
	await page.goto(page.url().replace(/#.*/, "") + `#process=${number}`);
	await level(page, "Rank 1 of ring");
	await button(page, "stop").click();
	await waits("a process is stopped by a click", state, (s) => s === "stopped");
	await sees(page, "and shown so", () => /■ stopped/.test(document.querySelector("#shown .facts").textContent));
	await button(page, "go").click();
	await waits("and let go", state, (s) => s === "running" || s === "waiting");
	await world.do("hold", { program: "ring", why: "looking at <b>it</b>" });
	await sees(page, "who holds it is shown, and why, as text", () => /held by \S+\/\d+: looking at <b>it<\/b>/.test(document.querySelector("#shown .facts").textContent));
	await button(page, "stop").click();
	await sees(page, "what the manager refuses is shown in its words", () => /held by \S+\/\d+.*looking at/.test(document.querySelector("#notices").textContent));
	check("and nothing was stopped", (await state()) !== "stopped");
	await page.locator("#notices button").click();
	await button(page, "signal").click();
	await page.locator("#ask button", { hasText: "send it" }).click();
	await sees(page, "so it is with signals", () => /^signal process.*held by \S+\/\d+.*looking at/.test(document.querySelector("#notices p")?.textContent ?? ""));
	await page.locator("#notices button").click();
	await page.goto(page.url().replace(/#.*/, "") + "#program=ring");
	await level(page, "Program ring");
	const holds = () => world.do("table", "SELECT count(*) FROM hold").then(([[n]]) => n);
	await button(page, "release").click();
	await sees(page, "before a hold of somebody else is taken from him one is asked, and told whose it is", () => document.querySelector("#ask").open && /^Release ring by force\?\S+\/\d+ holds it: looking at <b>it<\/b>/.test(document.querySelector("#ask").textContent));
	await page.keyboard.press("Escape");
	same("a no is a no", await holds(), 1);
	await button(page, "release").click();
	await page.locator("#ask button", { hasText: "release it" }).click();
	await waits("a yes releases it", holds, (n) => n === 0);
	await world.do("let_go");
	await page.goto(page.url().replace(/#.*/, "") + `#process=${number}`);
	await level(page, "Rank 1 of ring");
	await sees(page, "a hold that ends is gone", () => !/held by/.test(document.querySelector("#shown").textContent));
	await button(page, "hold").click();
	await page.locator("#ask input").fill("mine");
	await page.keyboard.press("Enter");
	await sees(page, "it is held from here", () => /held by [^/]+: mine/.test(document.querySelector("#shown .facts").textContent));
	same("the manager says so, too", (await world.do("table", "SELECT why FROM hold")).map(([why]) => why), ["mine"]);
	await button(page, "release").click();
	await waits("and released", () => world.do("table", "SELECT count(*) FROM hold"), ([[n]]) => n === 0);
}

async function deaths(world, page, { pid }) {
	await page.keyboard.press("c");
	await page.locator("tr[data-key='program/dies'] button[data-ask=begin]").click();
	await sees(page, "a death is listed as it comes", () => /death[^]*of dies on n2 was killed by signal 11/.test(document.querySelector("#events .event.error")?.textContent ?? ""));
	await page.keyboard.press("e");
	await sees(page, "errors alone, by a key", () => [...document.querySelectorAll("#events li")].every((e) => e.classList.contains("error")));
	check("the address keeps the filter", /weight=/.test(await hash(page)));
	await page.keyboard.press("e");
	await page.locator("#by-kind").selectOption("death");
	await sees(page, "one kind alone", () => document.querySelectorAll("#events li").length === 1);
	const [[event]] = await world.do("table", "SELECT max(event) FROM event WHERE kind = 'death'");
	await page.locator("#events .copy").first().click();
	same("a click copies the command that starts the debugger", await page.evaluate(() => navigator.clipboard.readText()), `hbdb debug --event ${event}`);
	await page.locator("#events a").first().click();
	await sees(page, "the event leads to the process", () => /^Process .* of dies$/.test(document.querySelector("#shown h1").textContent));
	await shows(page, "how it ended is told", "failed by signal 11");
	await page.goto(page.url().replace(/#.*/, "") + "#program=ring");
	process.kill(pid, "SIGKILL");
	await sees(page, "the death of a recorded rank has its recording", () => /hbdb view \S+\.hbdb/.test(document.querySelector("#events .event.error")?.textContent ?? ""));
	const [, , , recording] = await of(world, "ring");
	same("the right one", await page.locator("#events .event.error .copy").nth(1).textContent(), `hbdb view ${recording}`);
	await waits("the program has failed", () => of(world, "ring"), ([state]) => state === "failed");
	await sees(page, "and is shown so", () => /✕ failed/.test(document.querySelector("#shown .facts").textContent));
}

async function ends(world, page) {
	await page.goto(page.url().replace(/#.*/, "") + "#program=sleeper");
	await level(page, "Program sleeper");
	await button(page, "begin").click();
	await waits("another program runs", () => of(world, "sleeper"), ([state]) => state === "running");
	await page.goto(page.url().replace(/#.*/, "") + `#process=${(await of(world, "sleeper"))[2]}`);
	await sees(page, "its process", () => /^Process .* of sleeper$/.test(document.querySelector("#shown h1").textContent));
	await page.locator("#shown .facts a[href^='#threads=']").click();
	await shows(page, "of a process that is not recorded it is said that its threads are not known", "is not recorded: what its threads do is not known");
	await button(page, "signal").click();
	await sees(page, "before a signal is sent one is asked", () => document.querySelector("#ask").open && /^Send a signal to process .* of sleeper\?/.test(document.querySelector("#ask").textContent));
	await page.locator("#ask select").selectOption("10");
	await page.locator("#ask button", { hasText: "send it" }).click();
	await waits("the one that was chosen is sent", () => world.do("table", "SELECT state, signal FROM program WHERE name = 'sleeper'"), ([[state, signal]]) => state === "failed" && signal === 10);
	await page.goto(page.url().replace(/#.*/, "") + "#program=sleeper");
	await level(page, "Program sleeper");
	await button(page, "begin").click();
	await waits("it is begun once more", () => of(world, "sleeper"), ([state, runs]) => state === "running" && runs === 2);
	await sees(page, "as the page shows", () => document.querySelector("#shown button[data-ask=restart]:not(:disabled)"));
	await button(page, "restart").click();
	await page.locator("#ask button", { hasText: "restart it" }).click();
	await waits("it is begun again when one says yes", () => of(world, "sleeper"), ([state, runs]) => state === "running" && runs === 3);
	await sees(page, "the runs are counted", () => /runs3/.test(document.querySelector("#shown .facts").textContent));
	await button(page, "end").click();
	await sees(page, "before something ends one is asked", () => document.querySelector("#ask").open && /^End sleeper\?1 process of it/.test(document.querySelector("#ask").textContent));
	await page.keyboard.press("Escape");
	await sees(page, "one may say no", () => !document.querySelector("#ask").open);
	await world.do("do", "ps");
	same("and a no is a no", (await of(world, "sleeper"))[0], "running");
}

async function gone(world, page, served) {
	await page.goto(page.url().replace(/#.*/, "") + "#node=n2");
	await level(page, "Node n2");
	await world.do("node", "n2", false);
	await sees(page, "a node that is gone is said to be, and why", () => /This node is down .*no route to n2/.test(document.querySelector("#shown .banner")?.textContent ?? ""));
	await world.do("node", "n2", true);
	await sees(page, "and it comes back by itself", () => !document.querySelector("#shown .banner") && /● up/.test(document.querySelector("#shown .facts").textContent));
	await sees(page, "the program there went on meanwhile", () => /▶ running/.test(document.querySelector("tr[data-key='program/sleeper']").textContent));
	await world.do("manager", false);
	await sees(page, "a manager that is gone is said to be", () => /The manager is gone/.test(document.querySelector("#gone:not([hidden])")?.textContent ?? ""));
	check("what was known stays, and nothing can be asked for", (await page.locator("#shown tr[data-key^='process/']").count()) > 0 && (await page.locator("#shown button[data-ask]:not(:disabled)").count()) === 0);
	await world.do("manager", true);
	await sees(page, "and it comes back by itself", () => document.querySelector("#gone").hidden && document.querySelector("#shown button[data-ask]:not(:disabled)"));
	await page.goto(page.url().replace(/#.*/, "") + "#program=sleeper");
	await level(page, "Program sleeper");
	await sees(page, "the node is up again", () => /1 of|2 of 2 nodes up/.test(document.querySelector("#sums").textContent));
	await waits("agents are back", () => world.do("rows", "nodes"), (rows) => rows.length === 2 && rows.every((r) => r.state === "up"));
	await button(page, "end").click();
	await page.locator("#ask button", { hasText: "end it" }).click();
	await waits("what is asked for is done again", () => of(world, "sleeper"), ([state]) => state === "ended");
	// the browser tells its console of each answer that is a refusal: there were two
	same("beside the refusals nothing went wrong on the page", page.whole.wrong.splice(0), Array(2).fill("error: Failed to load resource: the server responded with a status of 409 (Refused)"));
	await clean("the page", page.whole);
	await served.end();
	await sees(page, "a server that has ended is said to have", () => /hbdb complex has ended/.test(document.querySelector("#gone:not([hidden])")?.textContent ?? ""));
}

// The same guard as hbdb view's; tests/view tries more.
async function guarded(url) {
	const { origin } = new URL(url), head = { "Content-Type": "application/json" }, status = async (to, init = {}) => (await fetch(to, init)).status;
	same("without the token there is nothing", await status(origin + "/complex"), 404);
	same("from another page nothing is done", await status(url + "act", { method: "POST", headers: { ...head, Origin: "http://elsewhere.invalid" }, body: "{}" }), 403);
	same("nor from no page", await status(url + "act", { method: "POST", headers: head, body: "{}" }), 403);
	same("what changes something is no GET", await status(url + "act"), 405);
	const act = (body) => status(url + "act", { method: "POST", headers: { ...head, Origin: origin }, body });
	same("only what the page can do is passed on", [await act('{"ask":"run","node":"n1","program":"x"}'), await act('{"ask":"begin"}'), await act("[")], [400, 400, 400]);
	same("the files of the other page are not here", await status(url + "page.js"), 404);
}

export default async function live() {
	const world = await begin();
	try {
		await world.do("begin");
		const served = await serve(world), at = await show(served.url), { page } = at;
		page.whole = at;
		await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(served.url).origin });
		await guarded(served.url);
		const rank = await levels(world, page);
		await moves(world, page, rank);
		await deaths(world, page, rank);
		await ends(world, page);
		await gone(world, page, served);
		await at.close();
	} finally {
		await world.end();
	}
}
