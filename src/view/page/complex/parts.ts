// Pieces that several levels show.
import { el } from "../panel/dom";
import { known } from "./ask";
import { counts, plural, sign } from "./look";
import type { States } from "./types";
import { choice, here } from "./where";

export type Shown = HTMLElement | SVGElement | string | null | false;

// A state: its sign and its word.
export const state = (name: string, more = ""): HTMLElement => el("span", { class: "state " + name }, el("i", { "aria-hidden": "true" }, sign(name)), ` ${name}${more}`);

// Counts by state; a click shows only those.
export const tally = (states: States | null, links = false): HTMLElement =>
	el("span", { class: "tally" }, ...counts(states).map(([name, n]) => {
		const said = [el("i", { "aria-hidden": "true" }, sign(name)), ` ${n.toLocaleString("en")} ${name}`], on = choice.now.show === name;
		return links
			? el("a", { class: "chip state " + name, href: here({ show: on ? "" : name, part: "" }), "aria-current": on && "true", "data-key": "chip/" + name }, ...said)
			: el("span", { class: "state " + name }, ...said);
	}));

export const facts = (...rows: [string, Shown][]): HTMLElement =>
	el("dl", { class: "facts" }, ...rows.filter(([, value]) => value !== null && value !== false && value !== "").flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));

export const copy = (command: string, title = "copy this command"): HTMLElement => el("button", { type: "button", class: "copy", title, "data-copy": command }, command);

// What is asked of the manager by a click; without it nothing can be asked.
export const act = (ask: string, on: { program?: string; process?: number; force?: boolean }, text = ask, title = ""): HTMLElement =>
	el("button", {
		type: "button", title, "data-ask": ask, "data-program": on.program, "data-process": on.process, "data-force": on.force, "data-key": `act/${ask}/${on.program ?? on.process}`,
		disabled: known.manager !== null || Boolean(known.gone),
	}, text);

// Somebody else's hold is released by force alone.
export const release = (on: { program?: string; process?: number }, holder: string): HTMLElement =>
	holder === known.complex?.user
		? act("release", on, "release", "others may move it again")
		: act("release", { ...on, force: true }, "release by force…", `${holder} holds it; whose manager it is may take that from him`);

export const held = (holder: string | null, why: string | null): HTMLElement | null =>
	holder === null ? null : el("span", { class: "state held", title: why ?? "" }, el("i", { "aria-hidden": "true" }, "⚑"), ` held by ${holder}${why ? ": " + why : ""}`);

export interface Item {
	key: string;
	href: string;
	state: string; // its sign and colour
	bad: boolean; // something is wrong with it, beside its state
	name: string;
	title: string;
}

const PART = 50;
export const FEW = 64;

const square = (item: Item): HTMLElement =>
	el("a", { class: `pick square ${item.state}${item.bad ? " bad" : ""}`, href: item.href, title: item.title, "aria-label": item.title, "data-key": item.key },
		item.bad && item.state !== "down" ? "!" : sign(item.state));

// Many, as squares in rows of a fixed number; a row is a link to its part in full.
export function squares(items: Item[], what: string): HTMLElement {
	const rows: HTMLElement[] = [];
	for (let i = 0; i < items.length; i += PART) {
		const part = items.slice(i, i + PART), wrong = part.filter((p) => p.bad || p.state === "down" || p.state === "failed").length;
		const name = part.length > 1 ? `${part[0]!.name} to ${part[part.length - 1]!.name}` : part[0]!.name;
		rows.push(el("div", { class: "strip", "data-key": "strip/" + i },
			el("a", { class: "pick name", href: here({ part: String(i / PART + 1) }), title: `show these ${part.length} in full` }, name),
			el("span", { class: "cells" }, ...part.map(square)),
			el("span", { class: "wrong" }, wrong ? `${wrong} with trouble` : "")));
	}
	return el("div", { class: "squares", role: "group", "aria-label": plural(items.length, what, what + (what === "process" ? "es" : "s")) }, ...rows);
}

// Those of the part that is open, when there are many.
export function partOf<T>(list: T[]): T[] {
	const n = Number(choice.now.part);
	return n > 0 ? list.slice((n - 1) * PART, n * PART) : list;
}

export const matches = (name: string): boolean => name.toLowerCase().includes(choice.now.find.toLowerCase());

// ---- a line over time ----

const WIDE = 420, HIGH = 56, SVG = "http://www.w3.org/2000/svg";

export interface Point {
	x: number;
	y: number | null;
}

function line(points: { x: number; y: number }[], most: number): SVGElement {
	const from = points[0]!.x, wide = Math.max(points[points.length - 1]!.x - from, 1e-9), svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "polyline");
	svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("aria-hidden", "true");
	path.setAttribute("points", points.map((p) => `${(((p.x - from) / wide) * WIDE).toFixed(1)},${(HIGH - 2 - (p.y / most) * (HIGH - 6)).toFixed(1)}`).join(" "));
	svg.append(path);
	return svg;
}

// From 0 to the most that was seen; what is seen now in words.
export function chart(name: string, all: Point[], said: (y: number) => string): HTMLElement {
	const points = all.filter((p): p is { x: number; y: number } => p.y !== null), last = points[points.length - 1];
	if (!last || points.length < 2) {
		return el("p", { class: "dim" }, `${name}: comes with the next seconds`);
	}
	const most = Math.max(...points.map((p) => p.y));
	return el("figure", {}, el("figcaption", {}, `${name}: ${said(last.y)} now, at most ${said(most)} in ${Math.round(last.x - points[0]!.x)} s`), line(points, most || 1));
}
