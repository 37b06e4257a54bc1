// The graph: pixels of known runs, zoom, pan, pointing, themes, speed.
import { address, check, clean, FILES, frames, live, near, open, pixel, places, rgb, same, settled } from "./lib.mjs";
import { makeMock, Mock } from "./mock.mjs";
import { farm } from "./made.mjs";

const SEND = rgb("#6aabe3"), RECEIVE = rgb("#f0ae47"), RACE = rgb("#cc4a00"), RING = rgb("#57bd9e"), CHOSEN = rgb("#0b57c9"), WHITE = [255, 255, 255];

async function pixels() {
	const mock = new Mock(farm(4, 60), FILES), at = await open((await mock.listen()) + "#from=20&to=70"), { page } = at;
	const where = await places(page), boxes = mock.view(new URLSearchParams({ axis: "logical", from: 22, to: 68, columns: 800 })).boxes;
	let wrong = [], seen = 0;
	for (const [line, event, x0, x1, waited, , kind] of boxes.filter((b) => b[2] > 22 && b[3] < 68)) {
		const colour = kind === 1 ? SEND : kind === 2 ? RECEIVE : null, got = await pixel(page, where.x((x0 + waited + x1) / 2), where.y(line) + 8);
		if (colour) {
			seen++;
			if (!near(got, colour)) {
				wrong.push(`${line}:${event} ${got}`);
			}
		}
	}
	check(`a box is where its event is, in the colour of its kind (${seen})`, seen > 40 && wrong.length === 0, wrong.join("\n"));
	const gap = boxes.find((b) => b[0] === 0 && b[2] > 30);
	check("between events there is none", near(await pixel(page, where.x(gap[3] + 0.5), where.y(0) + 8), WHITE, 12));
	const raced = boxes.find((b) => b[7] & 1 && b[2] > 25), place = where.y(0) - 16;
	check("what raced has a bar above", near(await pixel(page, where.x((raced[2] + raced[3]) / 2), place), RACE), String(await pixel(page, where.x((raced[2] + raced[3]) / 2), place)));
	const waits = boxes.find((b) => b[4] >= 4 && b[2] > 25 && b[3] < 66), row = [];
	for (let i = 0; i < 24; i++) {
		row.push(await pixel(page, where.x(waits[2] + waits[4] * 0.8) + i, where.y(waits[0]) + 8));
	}
	check("waiting is pale and hatched", row.some((p) => near(p, rgb("#fdf0da"), 10)) && row.some((p) => !near(p, rgb("#fdf0da"), 10)) && !row.every((p) => near(p, RECEIVE)));
	const arrow = mock.view(new URLSearchParams({ axis: "logical", from: 30, to: 60, columns: 800 })).arrows.find((a) => a[0] === 0 && a[3] === 1 && a[2] > 30 && !(a[8] & 32));
	await page.mouse.click(where.box.x + where.x(arrow[2]), where.box.y + where.y(0));
	await page.waitForFunction(() => window.hbdb.app.event);
	await settled(page);
	const y0 = where.y(0) + 15, y1 = where.y(1) - 15, middle = [where.x((arrow[2] + arrow[5]) / 2), (y0 + y1) / 2], found = [];
	for (let dx = -3; dx <= 3; dx++) {
		found.push(await pixel(page, middle[0] + dx, middle[1], "overlay"));
	}
	check("the arrow of a chosen send goes to its receive", found.some((p) => p[3] > 120 && near(p, CHOSEN, 40)), JSON.stringify(found));
	same("a click chooses the event that is there", await page.evaluate(() => window.hbdb.app.choice.at), `0:${arrow[1]}`);
	check("what is chosen is said to those who cannot see", (await live(page)).startsWith(`0:${arrow[1]}  MPI_Send(`), await live(page));
	await clean("pixels", at);
	await at.close();
	mock.close();
}

async function collectives() {
	const mock = makeMock(FILES, "mixed", 8, 12), at = await open((await mock.listen()) + "#from=0&to=60"), { page } = at, where = await places(page);
	const view = mock.view(new URLSearchParams({ axis: "logical", from: 0, to: 60, columns: 800 })), ring = view.collectives.find((r) => r[2].length === 8 && r[2][0][2] > 5);
	const part = ring[2][3], x = where.x(part[3]), between = (where.y(3) + where.y(4)) / 2, got = await pixel(page, x, between), ground = await pixel(page, where.x(part[3] + 0.5), between);
	check("a collective is one shape across its processes", near(await pixel(page, x, where.y(3) + 7), RING) && !near(got, ground, 6) && got[1] > got[0], `${got} ${ground}`);
	const pair = view.arrows.find((a) => a[8] & 8), y = (where.y(pair[0]) + where.y(pair[3])) / 2, s = view.boxes.find((b) => b[0] === pair[0] && b[1] === pair[1]), r = view.boxes.find((b) => b[0] === pair[3] && b[1] === pair[4]);
	const upright = where.x((Math.max(s[2], r[2]) + Math.min(s[3], r[3])) / 2), columns = [];
	for (let dx = -4; dx <= 4; dx++) {
		columns.push(near(await pixel(page, upright + dx, y - 6), rgb("#1f5f99"), 70));
	}
	check("a synchronous pair is joined by an upright double line", columns.filter(Boolean).length >= 2, JSON.stringify(columns));
	await clean("collectives", at);
	await at.close();
	mock.close();
}

async function moving() {
	const mock = makeMock(FILES, "farm", 8, 400), at = await open(await mock.listen()), { page } = at, box = await page.locator("#graph").boundingBox();
	const range = () => page.evaluate(() => window.hbdb.app.range());
	const all = await range();
	await page.mouse.move(box.x + box.width / 4, box.y + 200);
	const under = await page.evaluate((x) => window.hbdb.app.valueAt(x), box.width / 4);
	await page.mouse.wheel(0, -600);
	await settled(page);
	const after = await range(), still = await page.evaluate((x) => window.hbdb.app.valueAt(x), box.width / 4);
	check("the wheel comes nearer, to where the pointer is", after[1] - after[0] < (all[1] - all[0]) * 0.6 && Math.abs(still - under) < (after[1] - after[0]) / 200, `${under} ${still}`);
	await page.mouse.move(box.x + 700, box.y + 300);
	await page.mouse.down();
	await page.mouse.move(box.x + 500, box.y + 300, { steps: 4 });
	await page.mouse.up();
	await settled(page);
	const panned = await range();
	check("dragging moves along", Math.abs(panned[0] - after[0] - (200 / box.width) * (after[1] - after[0])) < (after[1] - after[0]) / 50, `${after} ${panned}`);
	await page.keyboard.down("Shift");
	await page.mouse.move(box.x + 300, box.y + 300);
	await page.mouse.down();
	await page.mouse.move(box.x + 400, box.y + 350, { steps: 4 });
	await page.mouse.up();
	await page.keyboard.up("Shift");
	await settled(page);
	const boxed = await range();
	check("Shift and a box come nearer to it", Math.abs((boxed[1] - boxed[0]) / (panned[1] - panned[0]) - 100 / box.width) < 0.01, `${panned} ${boxed}`);
	for (const [key, holds, what] of [["-", (a, b) => b[1] - b[0] > (a[1] - a[0]) * 1.3, "- goes away"], ["+", (a, b) => b[1] - b[0] < (a[1] - a[0]) * 0.8, "+ comes nearer"],
		["ArrowRight", (a, b) => b[0] > a[0], "right moves right"], ["ArrowLeft", (a, b) => b[0] < a[0], "left moves left"], ["f", (a, b) => Math.abs(b[0] - all[0]) < 1 && Math.abs(b[1] - all[1]) < 1, "f shows all"]]) {
		const before = await range();
		await page.keyboard.press(key);
		await settled(page);
		const now = await range();
		check(what, holds(before, now), `${before} ${now}`);
	}
	await page.keyboard.press("+");
	await page.keyboard.press("+");
	await settled(page);
	const mini = await page.locator("#minimap").boundingBox(), [a, b] = await range();
	await page.mouse.click(mini.x + mini.width * 0.9, mini.y + 20);
	await settled(page);
	const there = await range();
	check("the small map goes where it is clicked", there[0] > a && Math.abs((there[1] - there[0]) - (b - a)) < 1, `${a} ${there}`);
	await clean("moving", at);
	await at.close();
	mock.close();
}

// Over some hundred columns of a line there are as many pixels of each colour as its mix says.
async function shares(page, mock, where) {
	const density = await page.evaluate(() => window.hbdb.app.scene.view.densities[5]), { from, to } = await page.evaluate(() => window.hbdb.app.scene.view);
	const [a, b] = await page.evaluate(() => window.hbdb.app.range()), height = await page.locator("#labels .row.line").nth(5).evaluate((e) => e.offsetHeight);
	const colours = { 1: rgb("#6aabe3"), 2: rgb("#f0ae47") }, wanted = { 1: 0, 2: 0 }, found = { 1: 0, 2: 0 };
	for (let x = 300; x < 600; x++) {
		const value = a + ((x + 0.5) / where.box.width) * (b - a), i = Math.floor(((value - from) / (to - from)) * density[2].length);
		const digit = (k) => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".indexOf(density[4][7 * i + k]);
		wanted[1] += digit(1) / 63;
		wanted[2] += digit(2) / 63;
	}
	const rows = await page.evaluate(([y, h]) => {
		const c = document.getElementById("picture"), k = c.width / c.clientWidth, data = c.getContext("2d").getImageData(300 * k, Math.round(y * k), 300 * k, Math.round(h * k));
		return { width: data.width, all: [...data.data] };
	}, [where.y(5) - height / 2, height]);
	for (let at = 0; at < rows.all.length; at += 4) {
		for (const kind of [1, 2]) {
			if (near(rows.all.slice(at, at + 3), colours[kind], 3)) {
				found[kind]++;
			}
		}
	}
	const box = Math.max(3, height - (height < 12 ? 2 : 4)), close = (kind) => Math.abs(found[kind] - wanted[kind] * box) < 0.1 * wanted[kind] * box + 20;
	check(`merged columns have the colours of what is in them, as much as there is of each (${found[1]} and ${found[2]} pixels)`, wanted[1] > 30 && wanted[2] > 30 && close(1) && close(2),
		`${JSON.stringify(wanted)} times ${box}: ${JSON.stringify(found)}`);
}

async function dense() {
	const mock = makeMock(FILES, "many", 64, 60000), at = await open(await mock.listen()), { page } = at;
	const where = await places(page);
	same("too many events are densities", await page.evaluate(() => [window.hbdb.app.scene.view.boxes.length, window.hbdb.app.scene.densities.size]), [0, 64]);
	const last = await page.locator("#labels .row.line").last().boundingBox(), below = where.box.y + where.box.height;
	check("64 lines fit, to the last", (await page.locator("#labels .row.line").last().textContent()).startsWith("63") && last.y + last.height <= below, `${last.y + last.height} ${below}`);
	check("how many are hidden is told", /merged/.test(await page.locator("#status").textContent()));
	await page.mouse.move(where.box.x + 300, where.box.y + where.y(5));
	await frames(page);
	const tip = await page.locator("#tip").textContent();
	check("and told of each line, with what the column holds", /5: [\d\u202f]+ events merged here\nthis column: .*(send|receive) \d+ %/.test(tip), tip);
	check("the legend explains merged columns", /shares of the time/.test(await page.locator("#legend").textContent()) && /hatched/.test(await page.locator("#legend [title]").getAttribute("title")));
	await shares(page, mock, where);
	await page.mouse.click(where.box.x + 400, where.box.y + where.y(5));
	await page.waitForFunction(() => window.hbdb.app.event);
	await settled(page);
	check("a click on a density chooses the event nearest", /^5:\d+$/.test(await page.evaluate(() => window.hbdb.app.choice.at)));
	const asked = mock.asked.length;
	await page.mouse.move(where.box.x + 500, where.box.y + 300);
	await page.evaluate(() => {
		for (let i = 0; i < 30; i++) {
			document.getElementById("graph").dispatchEvent(new WheelEvent("wheel", { deltaY: -40, clientX: 600, clientY: 300, cancelable: true, bubbles: true }));
		}
	});
	await settled(page);
	const views = mock.asked.slice(asked).filter((q) => q.includes("/view?")).length;
	check(`thirty turns of the wheel are a few requests (${views})`, views >= 1 && views <= 3);
	await clean("dense", at);
	await at.close();
	mock.close();
}

// The address that hbdb view --at prints, and a narrow window.
async function arriving() {
	const mock = makeMock(FILES, "farm", 8, 400), url = await mock.listen(), at = await open(url + "#at=3:40&near=1", { width: 700, height: 600 }), { page } = at;
	await page.waitForFunction(() => window.hbdb.app.event && !window.hbdb.app.choice.near);
	await settled(page);
	const [from, to] = await page.evaluate(() => window.hbdb.app.range()), e = mock.run.lines[3][39], all = mock.span("logical")[1];
	check("near=1 comes near to the event", from < e.l[0] && e.l[1] < to && to - from < all / 4, `${from} ${to} of ${all}`);
	const hash = await address(page);
	check("once: the address then holds what is seen", !hash.includes("near") && hash.includes("from="), hash);
	const box = await page.locator("#search").boundingBox();
	check("a narrow window leaves room to search", box.width > 300 && box.x + box.width < 700, JSON.stringify(box));
	await clean("arriving", at);
	await at.close();
	mock.close();
}

async function themes() {
	const mock = makeMock(FILES, "farm", 4, 40), at = await open(await mock.listen(), { dark: true }), { page } = at;
	const ground = () => pixel(page, 40, 500).then((p) => p.reduce((a, b) => a + b) / 3);
	check("dark where the system is dark", (await ground()) < 60 && (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(20, 24, 29)");
	await page.keyboard.press("d");
	await settled(page);
	check("d turns it light", (await ground()) > 200);
	await page.reload();
	await settled(page);
	check("and the address keeps that", (await ground()) > 200);
	await clean("themes", at);
	await at.close();
	mock.close();
}

// Measured with the picture read back, so that it has been drawn. No limit of time here: ./dev bench has the figures.
async function speed() {
	const mock = makeMock(FILES, "farm", 64, 2400), at = await open(await mock.listen()), { page } = at;
	const took = await page.evaluate(() => {
		const { graph, app } = window.hbdb, c = document.getElementById("picture").getContext("2d"), times = [];
		for (let i = 0; i < 12; i++) {
			const before = performance.now();
			graph.draw();
			c.getImageData(0, 0, 1, 1);
			times.push(performance.now() - before);
		}
		return { least: Math.min(...times), shapes: app.scene.view.boxes.length + app.scene.view.arrows.length };
	});
	check(`drawn: ${took.shapes} shapes in ${took.least.toFixed(1)} ms at best`, took.shapes > 10000 && took.least > 0);
	await at.close();
	mock.close();
}

export default async function graph() {
	await pixels();
	await collectives();
	await moving();
	await dense();
	await arriving();
	await themes();
	await speed();
}
