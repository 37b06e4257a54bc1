// The page of a complex: levels of detail at the left, events at the right.
import { byId, el } from "../panel/dom";
import { ask, complain, copied, pressed } from "./act";
import { known, levelOf, refresh, server } from "./ask";
import { drawEvents, makeFilter } from "./events";
import { complexLevel, nodeLevel, processLevel, programLevel, threadsLevel } from "./levels";
import { plural, total } from "./look";
import { children } from "./made";
import type { Shown } from "./parts";
import { choice, here, level, read, to } from "./where";

const LEVELS = { complex: complexLevel, node: nodeLevel, program: programLevel, process: processLevel, threads: threadsLevel };

// ---- drawing ----

function path(): HTMLElement[] {
	const c = choice.now, p = known.processes[0], link = (href: string, text: string) => el("a", { href }, text), found = [link(to({}), "complex")];
	const process = c.process || c.threads, program = c.program || (process && p ? p.program_name : null), node = c.node || (process && p ? p.node_name : null);
	if (node) {
		found.push(link(to({ node }), "node " + node));
	}
	if (program) {
		found.push(link(to({ program }), "program " + program));
	}
	if (process) {
		found.push(link(to({ process }), "process " + (p?.name ?? "#" + process)));
	}
	if (c.threads) {
		found.push(link(to({ threads: c.threads }), "threads"));
	}
	found[found.length - 1]!.setAttribute("aria-current", "page");
	return found;
}

function above(): string {
	const { process, threads, part, show } = choice.now, p = known.processes[0];
	if (part || show) {
		return here({ part: "", show: "" });
	}
	return threads ? to({ process: threads }) : process && p?.program_name ? to({ program: p.program_name }) : process && p ? to({ node: p.node_name }) : to({});
}

function drawGone(): void {
	const gone = byId("gone"), why = known.gone
		? "The server of this page does not answer: hbdb complex has ended, or is stopped. What stands below was known last. If it was ended, begin it again and open its new address."
		: known.manager !== null ? `The manager is gone: ${known.manager}. What stands below was known last; nothing can be asked for until it is back.` : "";
	gone.hidden = !why;
	if (gone.textContent !== why) {
		gone.textContent = why;
	}
}

// A click is not lost because what it began on is drawn anew.
let down = false, late = false;

function draw(): void {
	if (down) {
		late = true;
		return;
	}
	drawGone();
	drawEvents();
	const c = known.complex;
	if (!c || known.level !== levelOf(choice.now)) {
		return;
	}
	byId("sums").textContent = `${c.sums.nodes.up ?? 0} of ${plural(total(c.sums.nodes), "node")} up, ${c.sums.programs.running ?? 0} of ${plural(total(c.sums.programs), "program")} running`;
	const shown: Shown[] = LEVELS[level(choice.now)](c), parts = shown.filter((s): s is HTMLElement => s instanceof Element);
	children(byId("path"), path());
	const find = byId<HTMLInputElement>("find"), had = byId("shown").contains(document.activeElement), row = document.activeElement?.closest<HTMLElement>("tr[data-key]")?.dataset.key;
	find.parentElement!.hidden = Boolean(choice.now.process || choice.now.threads);
	children(byId("shown"), parts);
	if (had && document.activeElement === document.body) {
		// the button that was pressed is another one now
		(document.querySelector<HTMLElement>(row ? `#shown tr[data-key="${CSS.escape(row)}"] a` : "#shown button, #shown a") ?? byId("level")).focus({ preventScroll: true });
	}
	if (document.activeElement !== find) {
		find.value = choice.now.find;
	}
	document.title = (document.querySelector("#shown h1")?.textContent ?? "complex") + " - hbdb";
	rove();
}

// ---- the keyboard ----

const picks = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("#shown .pick")];

// Of many squares one is reached by the tabulator, the others from there by the arrows.
function rove(): void {
	const squares = [...document.querySelectorAll<HTMLElement>("#shown .square")], on = squares.find((s) => s === document.activeElement) ?? squares[0];
	for (const square of squares) {
		square.tabIndex = square === on ? 0 : -1;
	}
}

// The nearest one in a direction: of those beyond the edge the one whose middle is least far, across counting double.
function arrow(key: string): boolean {
	const all = picks(), now = document.activeElement as HTMLElement, step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
	if (!step || !all.length) {
		return false;
	}
	const middle = (e: HTMLElement) => {
		const box = e.getBoundingClientRect();
		return [box.x + box.width / 2, box.y + box.height / 2] as const;
	};
	if (!all.includes(now)) {
		all[0]!.focus();
		return true;
	}
	const [x, y] = middle(now), far = (e: HTMLElement) => {
		const [ex, ey] = middle(e), along = (ex - x) * step[0]! + (ey - y) * step[1]!, across = Math.abs((ex - x) * step[1]!) + Math.abs((ey - y) * step[0]!);
		return along > 2 ? along + 2 * across : Infinity;
	};
	const next = all.reduce<[HTMLElement | null, number]>((best, e) => (far(e) < best[1] ? [e, far(e)] : best), [null, Infinity])[0];
	next?.focus();
	return true;
}

function toggleFollow(): void {
	known.follow = !known.follow;
	void update();
}

const KEYS: [string, string, () => void][] = [
	["u", "go up one level (the browser's way back works, too)", () => (location.hash = above())],
	["c", "the whole complex", () => (location.hash = to({}))],
	["/", "find by name", () => byId<HTMLInputElement>("find").select()],
	["f", "follow events, or leave the list as it is", toggleFollow],
	["e", "errors only, or all events", () => location.replace(here({ weight: choice.now.weight ? "" : "error" }))],
	["l", "go to the list of events", () => byId("events").focus()],
	["?", "these keys", () => void help()],
];

async function help(): Promise<void> {
	const said = ask({ title: "Keys", text: "Arrows go from one to the next, Enter opens it.", yes: "close", no: "" });
	byId("ask").querySelector("p")!.after(el("dl", { class: "facts" }, ...KEYS.flatMap(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)])));
	await said;
}

function typed(event: KeyboardEvent): void {
	const target = event.target as HTMLElement, writes = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
	if (event.ctrlKey || event.altKey || event.metaKey || byId<HTMLDialogElement>("ask").open) {
		return;
	}
	if (event.key === "Escape") {
		writes ? target.blur() : (location.hash = above());
		return;
	}
	const key = KEYS.find(([k]) => k === event.key);
	if (writes || (target.closest("#events") && event.key.startsWith("Arrow")) || (!key && !arrow(event.key))) {
		return;
	}
	event.preventDefault();
	key?.[2]();
}

// ---- what comes ----

async function update(): Promise<void> {
	try {
		if (!(await refresh())) {
			return;
		}
		known.gone = "";
	} catch (error) {
		// the server refuses in words; without words it is not there
		if (error instanceof TypeError) {
			known.gone = error.message;
		} else {
			complain((error as Error).message);
		}
	}
	draw();
}

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

async function watch(): Promise<void> {
	for (let change = -1; ;) {
		const began = performance.now();
		try {
			const told = await server.get<{ change: number; manager: string | null }>("changes", { since: change });
			if (told.change !== change || known.gone) {
				change = told.change;
				const from = performance.now();
				await update();
				// a large complex changes all the time: it is drawn as often as leaves time for other things
				await pause(Math.max(250, 4 * (performance.now() - from)));
			}
		} catch (error) {
			known.gone = (error as Error).message;
			change = -1;
			draw();
			await pause(Math.max(0, 1000 - (performance.now() - began)));
		}
		if (document.hidden) {
			await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
		}
	}
}

// What threads do changes without a word in the database.
async function look(): Promise<void> {
	for (;;) {
		await pause(1000);
		if (choice.now.threads && !document.hidden && !known.gone && known.manager === null) {
			await update();
		}
	}
}

function chosen(): void {
	const before = level(choice.now), now = read(location.hash);
	const another = before !== level(now) || (["node", "program", "process", "threads"] as const).some((n) => now[n] !== choice.now[n]);
	choice.now = now;
	if (another) {
		byId("level").scrollTop = 0;
		byId("level").focus({ preventScroll: true });
	}
	known.follow ||= another;
	void update();
}

byId("level").append(
	el("label", { class: "find" }, "find ", el("input", { id: "find", type: "search", placeholder: "part of a name", input: (e) => location.replace(here({ find: (e.target as HTMLInputElement).value, part: "" })) })),
	el("div", { id: "shown" }));
makeFilter(toggleFollow);
byId("keys").addEventListener("click", () => void help());
document.addEventListener("click", (event) => {
	const button = (event.target as Element).closest<HTMLButtonElement>("button[data-ask], button[data-copy]");
	if (button) {
		void (button.dataset.copy === undefined ? pressed(button) : copied(button)).then(update);
	}
});
document.addEventListener("pointerdown", () => (down = true));
for (const end of ["pointerup", "pointercancel", "blur"]) {
	window.addEventListener(end, () => {
		down = false;
		if (late) {
			late = false;
			setTimeout(draw);
		}
	});
}
document.addEventListener("keydown", typed);
window.addEventListener("hashchange", chosen);
void watch();
void look();
