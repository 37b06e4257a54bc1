// Which lines are shown, in which order, and where: y in pixels from the top of the first.
import { numbers, ranges, type Choice } from "./choice";
import type { Run } from "./types";

export interface Slot {
	line: number;
	y: number;
	h: number;
	squeezed: boolean; // a line of a folded group
	stands: boolean; // for lines that behave alike
}

// Where the spans of a line are: below its events, the outermost first.
export interface Track { line: number; y: number; each: number; depth: number }

export interface Row {
	kind: "line" | "head" | "fold";
	y: number;
	h: number;
	name: string;
	lines: number[];
	group: string; // its name; "" when lines are not grouped
}

export interface Rows {
	rows: Row[];
	slots: Slot[]; // in the order of y
	at: (Slot | undefined)[]; // by line; none where another line stands for it
	near: (Slot | undefined)[]; // the same, or the slot of the line that stands for it
	tracks: Track[]; // in the order of y
	height: number;
}

export const HEAD = 20;
const SPAN = 15, DEEPEST = 6, BELOW = 3; // pixels of a span; how many that lie in each other have a row each; pixels below them
const LEAST = 6, MOST = 140, FOLD = 30, STANDS = 16; // pixels of a line; of a folded group, of one line for those alike

interface Group { name: string; lines: number[]; folded: boolean }

const MANY = 64; // lines up to which each has its own row unless somebody wants them folded

export function grouping(run: Run, choice: Choice): string {
	return choice.by === "" ? (run.lines.length > MANY && run.alike?.length < run.lines.length ? "alike" : "none") : choice.by;
}

function groupOf(run: Run, by: string, line: number): string {
	const process = run.lines[line]!.process;
	if (by === "host") {
		return run.processes[process]?.host ?? "host not known";
	}
	const size = Math.max(1, Number(by) || 1), first = Math.floor(process / size) * size;
	return `${first} to ${Math.min(first + size, run.processes.length) - 1}`;
}

// Where each line of a list that the server gave belongs: kept for the run.
const kinds = new WeakMap<Run, Map<number, number>>();

function kindsOf(run: Run): Map<number, number> {
	const known = kinds.get(run) ?? new Map((run.alike ?? []).flatMap((list, i) => numbers(list, run.lines.length - 1).map((line) => [line, i] as const)));
	kinds.set(run, known);
	return known;
}

// 1-62, or the names of threads as they are.
function nameOf(run: Run, lines: number[]): string {
	const own = lines.map((line) => run.lines[line]!.name);
	return own.every((name) => /^\d+$/.test(name)) ? ranges(own.map(Number)) : own.length > 2 ? `${own[0]} to ${own[own.length - 1]}` : own.join(",");
}

export function ordered(run: Run, choice: Choice): number[] {
	const hidden = new Set(choice.hidden), seen = new Set<number>();
	const order: number[] = [];
	for (const line of [...choice.order, ...run.lines.keys()]) {
		if (line < run.lines.length && !seen.has(line)) {
			seen.add(line);
			order.push(line);
		}
	}
	return order.filter((line) => !hidden.has(line));
}

function grouped(run: Run, choice: Choice): Group[] {
	const lines = ordered(run, choice), by = grouping(run, choice), chosen = new Set(choice.folded);
	if (by === "none") {
		return lines.map((line) => ({ name: "", lines: [line], folded: false }));
	}
	const alike = by === "alike" ? kindsOf(run) : null, groups = new Map<string, number[]>();
	for (const line of lines) {
		const name = alike ? String(alike.get(line) ?? "line " + line) : groupOf(run, by, line), list = groups.get(name);
		if (list) {
			list.push(line);
		} else {
			groups.set(name, [line]);
		}
	}
	return [...groups].map(([key, list]) => {
		const name = alike ? nameOf(run, list) : key;
		// of those that behave alike one stands for all until they are wanted; one alone is an ordinary line
		return alike ? { name: list.length > 1 ? name : "", lines: list, folded: list.length > 1 && !chosen.has(name) } : { name, lines: list, folded: chosen.has(name) };
	});
}

// Lower where lines are low, too.
function spanHeight(each: number): number {
	return each >= 20 ? SPAN : Math.max(3, Math.floor(each / 2));
}

const deep = (run: Run, line: number) => Math.min(DEEPEST, run.lines[line]!.spans ?? 0);

function rowHeight(run: Run, groups: Group[], alike: boolean, choice: Choice, room: number): number {
	if (choice.row) {
		return choice.row;
	}
	let rest = room, lines = 0, spans = 0;
	for (const group of groups) {
		const fold = group.folded && !alike;
		rest -= fold ? FOLD : group.name && !group.folded ? HEAD : 0;
		lines += fold ? 0 : group.folded ? 1 : group.lines.length;
		const shown = fold ? [] : group.folded ? group.lines.slice(0, 1) : group.lines;
		spans += shown.reduce((n, line) => n + deep(run, line), 0);
	}
	rest -= Math.min(spans * SPAN, rest / 2);
	return Math.max(LEAST, Math.min(MOST, Math.floor(rest / Math.max(1, lines))));
}

export function layRows(run: Run, choice: Choice, room: number): Rows {
	const groups = grouped(run, choice), alike = grouping(run, choice) === "alike", each = rowHeight(run, groups, alike, choice, room);
	const result: Rows = { rows: [], slots: [], at: [], near: [], tracks: [], height: 0 };
	let y = 0;
	const put = (line: number, top: number, h: number, how: Partial<Slot> = {}) => {
		const slot = { line, y: top, h, squeezed: false, stands: false, ...how };
		result.slots.push(slot);
		result.at[line] = result.near[line] = slot;
		return slot;
	};
	// Spans have rows of their own, below the line's.
	const putSpans = (line: number) => {
		const depth = deep(run, line), one = spanHeight(each);
		if (depth) {
			result.tracks.push({ line, y, each: one, depth });
			y += depth * one + BELOW;
		}
	};
	for (const { name, lines, folded } of groups) {
		if (folded) {
			const h = alike ? Math.max(each, STANDS) : FOLD;
			result.rows.push({ kind: "fold", y, h, name, lines, group: name });
			if (alike) {
				const slot = put(lines[0]!, y, h, { stands: true });
				lines.forEach((line) => (result.near[line] = slot));
			} else {
				lines.forEach((line, i) => put(line, y + 3 + ((FOLD - 6) * i) / lines.length, (FOLD - 6) / lines.length, { squeezed: true }));
			}
			y += h;
			if (alike) {
				putSpans(lines[0]!);
			}
			continue;
		}
		if (name) {
			result.rows.push({ kind: "head", y, h: HEAD, name, lines, group: name });
			y += HEAD;
		}
		for (const line of lines) {
			result.rows.push({ kind: "line", y, h: each, name: run.lines[line]!.name, lines: [line], group: name });
			put(line, y, each);
			y += each;
			putSpans(line);
		}
	}
	result.height = y;
	return result;
}

// The slot at y; between slots the nearest one.
export function slotAt(rows: Rows, y: number): Slot | undefined {
	let low = 0, high = rows.slots.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (rows.slots[middle]!.y <= y) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	return rows.slots[low];
}

// The row of spans at y, and how deep there.
export function trackAt(rows: Rows, y: number): { track: Track; depth: number } | undefined {
	const track = rows.tracks.find((t) => y >= t.y && y < t.y + t.depth * t.each + BELOW);
	return track && { track, depth: Math.min(track.depth - 1, Math.floor((y - track.y) / track.each)) };
}
