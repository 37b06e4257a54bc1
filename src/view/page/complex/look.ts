// How states and numbers are shown: each state by a sign and a word, never by a colour alone.
import type { States } from "./types";

export const SIGNS: Record<string, string> = {
	up: "●", down: "✕", unknown: "?", running: "▶", waiting: "◔", stopped: "■", held: "⚑", ended: "○", failed: "✕", gone: "?", begins: "◌", hangs: "!",
	error: "✕", warning: "▲", note: "·",
};
const ORDER = Object.keys(SIGNS);

export const sign = (state: string): string => SIGNS[state] ?? "·";

// Counts by state, in an order that does not change.
export const counts = (states: States | null): [string, number][] =>
	Object.entries(states ?? {}).sort(([a], [b]) => ORDER.indexOf(a) - ORDER.indexOf(b));

export function countOf(list: { how: string }[]): States {
	const found: States = {};
	for (const { how } of list) {
		found[how] = (found[how] ?? 0) + 1;
	}
	return found;
}

export const total = (states: States | null): number => Object.values(states ?? {}).reduce((sum, n) => sum + n, 0);
export const plural = (n: number, one: string, many = one + "s"): string => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

export function bytes(n: number | null): string {
	const units = ["B", "KB", "MB", "GB", "TB"];
	let i = 0, x = n ?? 0;
	for (; x >= 1000 && i < units.length - 1; i++) {
		x /= 1000;
	}
	return n === null ? "not known" : `${x < 10 && i ? x.toFixed(1) : Math.round(x)} ${units[i]}`;
}

export function ago(from: number, now: number): string {
	const s = Math.max(0, (now - from) / 1e6);
	return !from ? "not known" : s < 120 ? `${Math.floor(s)} s` : s < 7200 ? `${Math.floor(s / 60)} min` : s < 172800 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86400)} d`;
}

const two = (n: number) => String(n).padStart(2, "0");

export function clock(us: number): string {
	const d = new Date(us / 1000), day = d.toDateString() === new Date().toDateString() ? "" : `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} `;
	return `${day}${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

export const ending = (status: number | null, signal: number | null): string => (signal ? `by signal ${signal}` : status !== null ? `with status ${status}` : "");
export const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'");
export const words = (command: unknown): string => (Array.isArray(command) ? command.map((w) => quoted(String(w))).join(" ") : "");
