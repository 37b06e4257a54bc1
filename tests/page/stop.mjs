// Breakpoints, the cut, and what the page shows of a replay, against the stand-in; real.mjs has the real one.
import { address, check, clean, crossing, FILES, near, notice, open, pixel, places, rgb, same, settled, until } from "./lib.mjs";
import { makeMock } from "./mock.mjs";

async function breakpoint(page, mock, where, e, name) {
	const x = where.x((e.l[0] + e.l[1]) / 2), y = where.y(0);
	await page.mouse.dblclick(where.box.x + x, where.box.y + y);
	await page.waitForFunction(() => window.hbdb.app.cone && window.hbdb.app.choice.stops.length === 1);
	await settled(page);
	check("a double click sets a breakpoint", (await address(page)).includes(`stops=${name}`), await address(page));
	const disc = await pixel(page, where.x(e.l[0] - 0.4), y - 14, "overlay");
	check("which is a red disc", near(disc, rgb("#c81e3a"), 30), String(disc));
	const { cut } = mock.cone(new URLSearchParams({ at: name })), c = cut.find((c) => c.line === 3), row = [];
	for (let dx = -2; dx <= 2; dx++) {
		row.push(await pixel(page, where.x(crossing(c)) + dx, where.y(3) - 24, "overlay"));
	}
	check("and its cut a red line", row.some((p) => near(p, rgb("#c81e3a"), 40) && p[3] > 150), JSON.stringify(row));
	const table = await page.locator(".cut tbody tr").allTextContents();
	same("the table says where each stops", table.length, 6);
	check("after, inside, not run, to its end", table[0] === `0after${name}` && table[4].startsWith("4inside"), table.join("\n"));
	return cut;
}

async function running(page, mock, where, e, name, cut) {
	await page.locator("#graph").focus();
	await page.keyboard.press("r");
	await page.waitForFunction(() => window.hbdb.app.state?.running);
	await settled(page);
	same("r runs to the chosen event", mock.posts[0], ["run-to", { at: name }]);
	const lives = await page.locator("#labels .doing").allTextContents();
	check("the lines say what each process does", lives[0] === `held after ${e.event}` && /dead: SIGSEGV/.test(lives[2]) && /blocked in Recv from 0/.test(lives[4]), lives.join("\n"));
	check("how long it took is said", /^All arrived, which took 0.42 s\.$/.test(await page.locator("#told").textContent()));
	const veil = await pixel(page, where.x(crossing(cut[1]) + 6), where.y(1) - 24, "overlay");
	check("what is not run yet is veiled", veil[3] > 80, String(veil));
	await page.locator("#labels .row.line .name", { hasText: /^3$/ }).click();
	await page.waitForSelector(".frames li");
	same("a click on a name shows the stack of the process", await page.locator("#body h3", { hasText: "Stack of" }).textContent(), "Stack of 3");
	await page.locator(".states button", { hasText: /^1$/ }).click();
	await page.waitForFunction(() => /Stack of 1/.test(document.querySelector("#body").textContent) && document.querySelector(".frames li"));
	await page.waitForSelector(".variables tr");
	same("the stack begins at the program's own frame", await page.locator('.frame[aria-current="true"]').textContent(), "master");
	check("source and variables are shown", (await page.locator("#body .source .here").count()) === 1 && (await page.locator(".variables").textContent()).includes("2222.5274"));
	check("what a value says stays text", (await page.locator(".variables img").count()) === 0 && (await page.locator(".variables").textContent()).includes("<img src=x onerror=alert(1)>"));
	await settled(page);
	await page.locator(".ask input").fill("mean * 2");
	await page.locator(".ask input").press("Enter");
	await page.waitForFunction(() => /= \(mean \* 2\)/.test(document.querySelector("#body").textContent));
	check("an expression is printed", true);
}

async function moving(page, mock, e, name) {
	const asked = async (text, act, wanted) => {
		const before = mock.posts.length;
		await act();
		await until(() => mock.posts.length > before);
		await settled(page);
		same(text, mock.posts.slice(before), [wanted]);
	};
	await page.locator('.states input[aria-label="choose 3"]').check();
	await settled(page);
	await page.locator('.states input[aria-label="choose 4"]').check();
	await asked("some go on", () => page.locator(".buttons button", { hasText: /^go 3,4$/ }).click(), ["go", { ranks: "3,4" }]);
	await page.locator("#graph").focus();
	await asked("all go on", () => page.keyboard.press("g"), ["go", { ranks: "0:5" }]);
	await asked("the next event is run to", () => page.keyboard.press("."), ["run-to", { at: `0:${e.event + 1}` }]);
	await asked("and the previous one", () => page.keyboard.press(","), ["run-to", { at: name }]);
	await page.locator(".buttons button", { hasText: /^end$/ }).click();
	await page.waitForFunction(() => !window.hbdb.app.state.running);
}

export default async function stop() {
	const mock = makeMock(FILES, "farm", 6, 80), at = await open((await mock.listen()) + "#from=60&to=130"), { page } = at, where = await places(page);
	await page.locator("#labels .row.line .name", { hasText: /^3$/ }).click();
	const told = await notice(page);
	check("without a replay the name says what has to be done first", /Run to here/.test(told), told);
	const e = mock.run.lines[0].find((e) => e.l[0] > 90 && e.kind === 2), name = `0:${e.event}`;
	const cut = await breakpoint(page, mock, where, e, name);
	await running(page, mock, where, e, name, cut);
	await moving(page, mock, e, name);
	await page.locator("#graph").focus();
	await page.keyboard.press("b");
	await settled(page);
	check("b takes the breakpoint away", !(await address(page)).includes("stops="));
	await clean("stop", at);
	await at.close();
	mock.close();
}
