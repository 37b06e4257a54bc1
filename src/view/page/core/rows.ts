// Which lines are shown, in which order, and where: y in pixels from the top of the first.
import type { Choice } from "./choice";
import type { Run } from "./types";

export interface Slot {
	line: number;
	y: number;
	h: number;
	squeezed: boolean; // a line of a folded group
}

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
	at: (Slot | undefined)[]; // by line
	height: number;
}

export const HEAD = 20;
const LEAST = 11, MOST = 140, FOLD = 30;

interface Group { name: string; lines: number[] }

function groupOf(run: Run, by: string, line: number): string {
	const process = run.lines[line]!.process;
	if (by === "host") {
		return run.processes[process]?.host ?? "host not known";
	}
	const size = Math.max(1, Number(by) || 1), first = Math.floor(process / size) * size;
	return `${first} to ${Math.min(first + size, run.processes.length) - 1}`;
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
	const lines = ordered(run, choice);
	if (!choice.by) {
		return [{ name: "", lines }];
	}
	const groups = new Map<string, number[]>();
	for (const line of lines) {
		const name = groupOf(run, choice.by, line), list = groups.get(name);
		if (list) {
			list.push(line);
		} else {
			groups.set(name, [line]);
		}
	}
	return [...groups].map(([name, lines]) => ({ name, lines }));
}

function rowHeight(groups: Group[], folded: Set<string>, choice: Choice, room: number): number {
	if (choice.row) {
		return choice.row;
	}
	let rest = room, lines = 0;
	for (const group of groups) {
		rest -= folded.has(group.name) && choice.by ? FOLD : choice.by ? HEAD : 0;
		lines += folded.has(group.name) && choice.by ? 0 : group.lines.length;
	}
	return Math.max(LEAST, Math.min(MOST, Math.floor(rest / Math.max(1, lines))));
}

export function layRows(run: Run, choice: Choice, room: number): Rows {
	const groups = grouped(run, choice), folded = new Set(choice.folded), each = rowHeight(groups, folded, choice, room);
	const result: Rows = { rows: [], slots: [], at: [], height: 0 };
	let y = 0;
	const put = (line: number, top: number, h: number, squeezed: boolean) => {
		const slot = { line, y: top, h, squeezed };
		result.slots.push(slot);
		result.at[line] = slot;
	};
	for (const { name, lines } of groups) {
		if (choice.by && folded.has(name)) {
			result.rows.push({ kind: "fold", y, h: FOLD, name, lines, group: name });
			lines.forEach((line, i) => put(line, y + 3 + ((FOLD - 6) * i) / lines.length, (FOLD - 6) / lines.length, true));
			y += FOLD;
			continue;
		}
		if (choice.by) {
			result.rows.push({ kind: "head", y, h: HEAD, name, lines, group: name });
			y += HEAD;
		}
		for (const line of lines) {
			result.rows.push({ kind: "line", y, h: each, name: run.lines[line]!.name, lines: [line], group: choice.by ? name : "" });
			put(line, y, each, false);
			y += each;
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
