// Search, filter, groups, cones, bookmarks, the address, the keyboard.
import { address, check, clean, crossing, FILES, near, open, pixel, places, rgb, same, settled } from "./lib.mjs";
import { makeMock } from "./mock.mjs";

const chosen = (page) => page.evaluate(() => window.hbdb.app.choice.at);
const known = (page, at) => page.waitForFunction((at) => window.hbdb.app.event?.at === at, at);

async function search(page, mock) {
	await page.keyboard.press("/");
	await page.keyboard.type("function:recv rank:2");
	await settled(page);
	const wanted = mock.run.lines[2].filter((e) => e.fn === mock.run.functions.indexOf("MPI_Recv")).length;
	same("search finds what there is", await page.evaluate(() => window.hbdb.app.hits.length), wanted);
	await page.keyboard.press("Enter");
	await page.waitForFunction(() => window.hbdb.app.event);
	const first = await chosen(page);
	await page.keyboard.press("Enter");
	await page.waitForFunction((first) => window.hbdb.app.event && window.hbdb.app.choice.at !== first, first);
	const second = await chosen(page);
	check("Enter goes from hit to hit", first.startsWith("2:") && second.startsWith("2:") && Number(second.slice(2)) > Number(first.slice(2)), `${first} ${second}`);
	await page.keyboard.press("Shift+Enter");
	await known(page, first);
	await settled(page);
	same("Shift+Enter goes back", await chosen(page), first);
	check("which of how many is told", (await page.locator(".hits").textContent()).endsWith(` of ${wanted}`), await page.locator(".hits").textContent());
	await page.keyboard.press("Escape");
	same("Escape goes to the graph", await page.evaluate(() => document.activeElement.id), "graph");
}

async function following(page, mock) {
	await page.evaluate(() => window.hbdb.actions.choose("1:3"));
	await known(page, "1:3");
	for (const [key, at] of [["n", "1:4"], ["p", "1:3"], ["m", "0:3"], ["m", "1:3"]]) {
		await page.keyboard.press(key);
		await known(page, at);
		same(`${key} goes to ${at}`, await chosen(page), at);
	}
	await page.keyboard.press("ArrowDown");
	await page.waitForFunction(() => window.hbdb.app.event?.at.startsWith("2:"));
	await page.keyboard.press("ArrowUp");
	await page.waitForFunction(() => window.hbdb.app.event?.at.startsWith("1:"));
	check("down and up go to other processes", true);
	await settled(page);
	const text = await page.locator("#body").textContent();
	check("details have text, source and messages", /MPI_Recv\(count=2/.test(text) && /farm\.c:71/.test(text) && /<b>&amp;/.test(text) && /Message/.test(text), text);
	const arrow = mock.by.get("1:3").find((a) => !(a.flags & 32)), arrived = `${arrow.to.line}:${arrow.to.event}`;
	for (const at of [arrived, `${arrow.from.line}:${arrow.from.event}`]) {
		await page.evaluate((at) => window.hbdb.actions.choose(at), at);
		await known(page, at);
		await settled(page);
		const said = await page.locator("#body").textContent();
		check(`what came with ${at === arrived ? "a receive" : "a send"}: values, amounts, statuses`, /buf, 4\D000 MPI_DOUBLE, 32\D000 bytes0\.5, 1\.5, \.\.\./.test(said) &&
			said.includes(`source=${arrow.from.line} tag=${arrow.tag} bytes=16`) && said.includes(JSON.stringify("<b>\u0000&\"x!")), said);
		same(`${at === arrived ? "it came in there" : "a send tells where it arrived"}`, said.includes("What it carried") && said.includes(`as it arrived at ${arrived}`), at !== arrived);
	}
	check("the line of the call is marked", (await page.locator(".source .here").textContent()).includes("71"));
}

async function cone(page, mock) {
	await page.evaluate(() => window.hbdb.actions.choose("0:30"));
	await known(page, "0:30");
	await page.keyboard.press("c");
	await page.waitForFunction(() => window.hbdb.app.cone);
	await settled(page);
	const where = await places(page), { cut } = mock.cone(new URLSearchParams({ at: "0:30" })), wrong = [];
	const [from, to] = await page.evaluate(() => window.hbdb.app.range()), x = (v) => ((v - from) / (to - from)) * where.box.width;
	for (const c of cut) {
		const row = [];
		for (let dx = -2; dx <= 2; dx++) {
			row.push(await pixel(page, x(crossing(c)) + dx, where.y(c.line) - 20, "overlay"));
		}
		if (!row.some((p) => p[3] > 150 && near(p, rgb("#2456b0"), 40))) {
			wrong.push(`${c.line} ${JSON.stringify(row)}`);
		}
	}
	check("the cut is a line across the processes", wrong.length === 0, wrong.join("\n"));
	const line = cut.find((c) => c.line === 3), past = await pixel(page, x(crossing(line)) - 20, where.y(3) - 22, "overlay"), other = await pixel(page, x(crossing(line)) + 4, where.y(3) - 22, "overlay");
	check("the past is shaded, what follows the cut is not", past[3] > 10 && other[3] < past[3], `${past} ${other}`);
	await page.keyboard.press("k");
	await page.keyboard.press("c");
	same("a bookmark is in the address", /marks=0:30/.test(await address(page)), true);
}

async function filter(page, mock) {
	const recv = mock.run.functions.indexOf("MPI_Recv");
	await page.keyboard.press("h");
	await page.waitForSelector(".checks");
	await page.locator(".checks label", { hasText: "Recv" }).click();
	await settled(page);
	same("only the functions ticked are shown", await page.evaluate(() => [...new Set(window.hbdb.app.scene.view.boxes.map((b) => b[5]))]), [recv]);
	await page.locator(".checks label", { hasText: "Recv" }).click();
	await settled(page);
	const input = page.locator('input[aria-label="processes shown"]');
	await input.fill("0:2,5");
	await input.press("Enter");
	await settled(page);
	same("only the processes named are shown", await page.locator("#labels .row.line .name").allTextContents(), ["0", "1", "2", "5"]);
	check("and asked for", mock.asked.some((q) => q.includes("lines=0%3A2%2C5")), mock.asked.slice(-3).join("\n"));
	await input.fill("1:3");
	await settled(page);
	await input.evaluate((field) => field.setSelectionRange(1, 2));
	await page.evaluate(() => window.hbdb.app.touch("tab"));
	await settled(page);
	same("what is being typed stays when the panel is made anew, and the caret", await input.evaluate((field) => [field.value, field.selectionStart, field.selectionEnd]), ["1:3", 1, 2]);
	await input.press("Enter");
	await settled(page);
	same("and Enter takes it", await page.locator("#labels .row.line .name").allTextContents(), ["1", "2", "3"]);
	await page.locator('#labels .corner button[title="show them again"]').click();
	await settled(page);
	await page.locator('select[aria-label="Group by"]').selectOption("2");
	await settled(page);
	same("processes are grouped", await page.locator("#labels .row.head .name").allTextContents(), ["0 to 1", "2 to 3", "4 to 5"]);
	await page.locator("#labels .row.head .fold").nth(1).click();
	await settled(page);
	same("a folded group is one line", [await page.locator("#labels .row.fold").count(), await page.locator("#labels .row.line").count()], [1, 4]);
	const state = await address(page);
	check("the address has it", /by=2/.test(state) && /folded=2%20to%203/.test(state), state);
	await page.locator('select[aria-label="Group by"]').selectOption("none");
	await settled(page);
}

// 4096 lines of which all but two behave alike; and by hand with few.
async function alike(page, mock) {
	await page.locator("#labels .corner .alike").click();
	await settled(page);
	const rows = () => page.locator("#labels .row").evaluateAll((all) => all.map((e) => e.querySelector(".name").textContent));
	same("lines that behave alike fold into one, the odd ones stay", await rows(), ["0", "1-4", "5"]);
	check("only what has a row is asked for", mock.asked.some((q) => q.includes("lines=0%2C1%2C5")), mock.asked.slice(-3).join("\n"));
	const ends = await page.evaluate(() => {
		const { rows } = window.hbdb.app;
		return [2, 3, 4].map((line) => rows.at[line] === undefined && rows.near[line] === rows.at[1]);
	});
	same("what concerns a line without a row is drawn at the one that stands for it", ends, [true, true, true]);
	await page.locator("#labels .row.fold.alike .name").click();
	await settled(page);
	same("a click opens them", await rows(), ["0", "1-4", "1", "2", "3", "4", "5"]);
	check("the address has it", /by=alike/.test(await address(page)) && /folded=1-4/.test(await address(page)), await address(page));
	await page.locator("#graph").focus();
	await page.evaluate(() => window.hbdb.actions.choose(""));
	await settled(page);
	await page.keyboard.press("o");
	await settled(page);
	same("o folds them again", (await rows()).length, 3);
	await page.evaluate(() => window.hbdb.actions.choose("3:4"));
	await known(page, "3:4");
	await settled(page);
	same("an event that is chosen gets its line", (await rows()).length, 7);
	await page.keyboard.press("l");
	await settled(page);
	same("l gives every process its own line", await rows(), ["0", "1", "2", "3", "4", "5"]);
	await page.locator('select[aria-label="Group by"]').selectOption("none");
	const many = makeMock(FILES, "farm", 4096, 4200), at = await open(await many.listen());
	same("4096 processes are three lines at first sight", await at.page.locator("#labels .row .name").allTextContents(), ["0", "1-4094", "4095"]);
	await clean("4096 processes", at);
	await at.close();
	many.close();
}

async function sums(page, mock) {
	const tab = (name) => page.locator('[role="tab"]', { hasText: name }).click().then(() => settled(page)), functions = () => page.evaluate(() => window.hbdb.app.choice.functions);
	await tab("Profile");
	await page.locator("button", { hasText: "by function" }).click();
	await page.waitForFunction(() => document.querySelectorAll(".profile tbody tr").length > 2 && /^function/.test(document.querySelector(".profile th").textContent));
	const wanted = mock.profile("function").rows, rows = await page.locator(".profile tbody tr").allTextContents();
	same("the profile has a row for each function, the longest first", rows.map((r) => /^[A-Z_a-z]+?(?=\d)/.exec(r)[0]), wanted.map((r) => r.function.replace("MPI_", "")));
	await page.locator(".profile button", { hasText: /^Recv$/ }).click();
	await settled(page);
	same("a click shows only these calls", await functions(), ["MPI_Recv"]);
	await page.locator(".profile button", { hasText: /^Recv$/ }).click();
	await settled(page);
	same("another one all again", await functions(), []);
	await page.locator("button", { hasText: "by place" }).click();
	await page.waitForFunction(() => /<b>farm\.c:71/.test(document.querySelector(".profile")?.textContent ?? ""));
	same("what a recording says stays text", await page.locator(".profile b").count(), 0);
	await tab("Matrix");
	await settled(page);
	const box = await page.locator("canvas.matrix").boundingBox(), at = (i) => ((i + 0.5) / 6);
	const shades = await page.evaluate(() => { const c = document.querySelector("canvas.matrix"), x = c.getContext("2d"); return [[0, 3], [3, 0], [2, 3]].map(([i, j]) => x.getImageData(c.width * (j + 0.5) / 6, c.height * (i + 0.5) / 6, 1, 1).data[0]); });
	check("pairs that sent are dark in the matrix, others are not", shades[0] < 160 && shades[1] < 160 && shades[2] > 230, JSON.stringify(shades));
	await page.mouse.click(box.x + box.width * at(3), box.y + box.height * at(0));
	await settled(page);
	same("a click shows only the two processes", await page.locator("#labels .row.line .name").allTextContents(), ["0", "3"]);
	await page.locator("button", { hasText: "all processes" }).click();
	await settled(page);
	same("and all again", await page.locator("#labels .row.line").count(), 6);
	await tab("Filter");
	await page.waitForSelector('select[aria-label="Communicator"]');
	check("the name of a communicator stays text", (await page.locator("#body img").count()) === 0 && /<img src=x/.test(await page.locator('select[aria-label="Communicator"]').textContent()));
}

async function order(page) {
	const rows = page.locator("#labels .row.line"), a = await rows.nth(0).boundingBox(), c = await rows.nth(2).boundingBox();
	await page.mouse.move(a.x + 60, a.y + a.height / 2);
	await page.mouse.down();
	await page.mouse.move(c.x + 60, c.y + c.height * 0.9, { steps: 6 });
	await page.mouse.up();
	await settled(page);
	same("a name is dragged to another place", (await page.locator("#labels .row.line .name").allTextContents()).slice(0, 3), ["1", "2", "0"]);
	await rows.nth(2).focus();
	await page.keyboard.press("Alt+ArrowUp");
	await settled(page);
	same("and moved by keys", (await page.locator("#labels .row.line .name").allTextContents()).slice(0, 3), ["1", "0", "2"]);
}

async function restored(at, mock, url) {
	const { page } = at;
	await page.evaluate(() => window.hbdb.actions.choose("1:12"));
	await known(page, "1:12");
	await page.locator("#graph").focus();
	await page.keyboard.press("z");
	await page.keyboard.press("c");
	await page.keyboard.press("a");
	await settled(page);
	const hash = await address(page), again = await open(url + "#" + hash);
	await again.page.waitForFunction(() => window.hbdb.app.cone && window.hbdb.app.event);
	await settled(again.page);
	const what = (p) => p.evaluate(() => {
		const { choice, rows } = window.hbdb.app, scene = window.hbdb.app.scene.view;
		return { choice: { ...choice }, rows: rows.rows.map((r) => r.name + r.y), boxes: scene.boxes.length };
	});
	same("the address restores everything", await what(again.page), await what(page));
	check("that is: axis, cone, order, bookmark", /axis=physical/.test(hash) && /cone=1/.test(hash) && /order=1,0,2-5/.test(hash) && /marks=0:30/.test(hash) && /at=1:12/.test(hash), hash);
	await again.page.evaluate(() => (location.hash = "#from=1&to=20&at=2:3"));
	await known(again.page, "2:3");
	await settled(again.page);
	same("a changed address counts at once", await again.page.evaluate(() => [window.hbdb.app.choice.axis, ...window.hbdb.app.range()]), ["logical", 1, 20]);
	for (const bad of ["#from=x&to=%", "#at=9:9&axis=7&order=1e9-2e9&hidden=0-999999999", "#%00&&==&top=-1e99"]) {
		const spoilt = await open(url + bad);
		const drawn = await spoilt.page.evaluate(() => window.hbdb.app.scene !== null), wrong = spoilt.wrong.filter((w) => !/404/.test(w));
		check(`an address that makes no sense does no harm: ${bad}`, drawn && wrong.length === 0, wrong.join("\n"));
		await spoilt.close();
	}
	await clean("restored", again);
	await again.close();
}

async function keyboard(page) {
	await page.locator("#graph").focus();
	await page.keyboard.press("?");
	await settled(page);
	check("? shows the keys", (await page.locator("#help").isVisible()) && (await page.locator("#help dt").count()) > 30);
	await page.keyboard.press("Escape");
	await settled(page);
	check("Escape hides them", !(await page.locator("#help").isVisible()));
	const seen = new Set();
	for (let i = 0; i < 60; i++) {
		await page.keyboard.press("Tab");
		seen.add(await page.evaluate(() => {
			const e = document.activeElement, ring = getComputedStyle(e).outlineStyle;
			return (e.id || e.textContent.slice(0, 12) || e.tagName) + (ring === "none" && e !== document.body ? " WITHOUT OUTLINE" : "");
		}));
	}
	const names = [...seen];
	check("Tab reaches everything, and shows where it is", names.includes("search") && names.includes("graph") && names.some((n) => n.startsWith("tab-")) && !names.some((n) => n.endsWith("OUTLINE")), names.join(" | "));
	await page.locator("#graph").focus();
	await page.keyboard.press("t");
	await settled(page);
	const tab = await page.locator('[role="tab"][aria-selected="true"]').textContent();
	await page.keyboard.press("s");
	await settled(page);
	check("t turns the tabs, s hides the panel", tab.length > 0 && !(await page.locator("#panel").isVisible()));
	await page.keyboard.press("s");
	const roles = await page.evaluate(() => ["application", "tablist", "tabpanel", "list", "status", "alert"].filter((r) => !document.querySelector(`[role="${r}"]`)));
	same("roles are there", roles, []);
}

export default async function panels() {
	const mock = makeMock(FILES, "farm", 6, 80), url = await mock.listen(), at = await open(url), { page } = at;
	await page.locator("#graph").focus();
	await search(page, mock);
	await following(page, mock);
	await cone(page, mock);
	await filter(page, mock);
	await alike(page, mock);
	await sums(page, mock);
	await order(page);
	await restored(at, mock, url);
	await keyboard(page);
	await clean("panels", at);
	await at.close();
	mock.close();
}
