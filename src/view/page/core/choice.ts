// All that the user has chosen: it is what the address holds.
import type { Axis } from "./types";

export interface Choice {
	axis: Axis;
	from: number; // what is to be seen of the axis; from = to: all
	to: number;
	top: number; // pixels scrolled down
	row: number; // pixels per process; 0: as fits
	at: string; // the chosen event
	near: boolean; // come near to it when it is known
	cone: boolean;
	stops: string[]; // breakpoints
	marks: string[]; // bookmarks
	functions: string[]; // only these; none: all
	tag: string;
	group: string;
	hidden: number[]; // lines
	order: number[]; // lines; none: as recorded
	by: string; // how lines are grouped: "" as there are many or few, "none", "alike", "host" or the size of ranges
	folded: string[]; // groups; of lines that behave alike those that are open
	query: string;
	theme: string; // "", "light" or "dark"
	tab: string;
	panel: boolean;
}

export function initial(): Choice {
	return {
		axis: "logical", from: 0, to: 0, top: 0, row: 0, at: "", near: false, cone: false, stops: [], marks: [], functions: [], tag: "",
		group: "", hidden: [], order: [], by: "", folded: [], query: "", theme: "", tab: "event", panel: true,
	};
}

type Value = Choice[keyof Choice];

// Lists of numbers as ranges: 0-3,7.
export function ranges(numbers: number[]): string {
	const parts: string[] = [];
	for (let i = 0; i < numbers.length;) {
		let j = i;
		while (j + 1 < numbers.length && numbers[j + 1] === numbers[j]! + 1) {
			j++;
		}
		parts.push(j > i + 1 ? `${numbers[i]}-${numbers[j]}` : numbers.slice(i, j + 1).join(","));
		i = j + 1;
	}
	return parts.join(",");
}

export function numbers(text: string, end = 1e6): number[] {
	const found: number[] = [];
	for (const part of text.split(",")) {
		const match = /^\s*(\d+)(?:\s*[-:]\s*(\d+))?\s*$/.exec(part);
		if (match) {
			const to = Math.min(Number(match[2] ?? match[1]), end);
			for (let n = Number(match[1]); n <= to; n++) {
				found.push(n);
			}
		}
	}
	return found;
}

// What a process is called: its rank, 3@1, worker#2.
export const called = (p: { rank: number; name?: string }): string => p.name ?? String(p.rank);

// Names of processes, ranks as ranges: 0-3,7,worker#2.
export function names(list: string[], dash = "-"): string {
	const ranks = list.filter((name) => /^\d+$/.test(name)).map(Number), others = list.filter((name) => !/^\d+$/.test(name));
	return [...(ranks.length ? [ranges(ranks).replace(/-/g, dash)] : []), ...others].join(",");
}

// The names that such a text means, of these; unknown: the first part of it that means none.
export function named(text: string, all: string[]): { names: Set<string>; unknown: string } {
	const found = new Set<string>(), known = new Set(all), most = all.reduce((n, name) => (/^\d+$/.test(name) ? Math.max(n, Number(name)) : n), -1);
	let unknown = "";
	for (const part of text.split(",").map((p) => p.trim()).filter(Boolean)) {
		const mine = known.has(part) ? [part] : numbers(part, most).map(String).filter((name) => known.has(name));
		mine.forEach((name) => found.add(name));
		unknown ||= mine.length ? "" : part;
	}
	return { names: found, unknown };
}

function written(value: Value): string {
	if (Array.isArray(value)) {
		return typeof value[0] === "number" ? ranges(value as number[]) : (value as string[]).map((part) => part.replace(/[%,]/g, encodeURIComponent)).join(",");
	}
	return typeof value === "number" ? String(value) : typeof value === "boolean" ? (value ? "1" : "0") : value;
}

const LISTS_OF_NUMBERS = new Set(["hidden", "order"]);

function read(name: keyof Choice, text: string, as: Value): Value | undefined {
	if (Array.isArray(as)) {
		return LISTS_OF_NUMBERS.has(name) ? numbers(text) : text.split(",").filter(Boolean).map(decodeURIComponent);
	}
	if (typeof as === "number") {
		const n = Number(text);
		return Number.isFinite(n) ? n : undefined;
	}
	return typeof as === "boolean" ? text === "1" : text;
}

export function toAddress(choice: Choice): string {
	const usual = initial();
	const parts: string[] = [];
	for (const name of Object.keys(usual) as (keyof Choice)[]) {
		const text = written(choice[name]);
		if (text !== written(usual[name])) {
			parts.push(name + "=" + encodeURIComponent(text).replace(/%(3A|2C|2F)/g, decodeURIComponent));
		}
	}
	return parts.join("&");
}

export function fromAddress(hash: string): Choice {
	const choice = initial();
	for (const part of hash.replace(/^#/, "").split("&")) {
		const equals = part.indexOf("=");
		const name = part.slice(0, equals) as keyof Choice;
		if (equals < 0 || !(name in choice)) {
			continue;
		}
		try {
			const value = read(name, decodeURIComponent(part.slice(equals + 1)), choice[name]);
			if (value !== undefined) {
				(choice as unknown as Record<string, Value>)[name] = value;
			}
		} catch {
			// an address that somebody cut: the rest of it still counts
		}
	}
	if (choice.axis !== "physical") {
		choice.axis = "logical";
	}
	return choice;
}
