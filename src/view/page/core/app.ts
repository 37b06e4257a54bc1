// The one place that knows the run, what the user chose, and what is on the screen. Parts of the page listen to topics.
import { fromAddress, initial, toAddress, type Choice } from "./choice";
import { Loader } from "./load";
import { layRows, type Rows } from "./rows";
import { AROUND, type Scene } from "./scene";
import type { Server } from "./server";
import type { Axis, Cone, EventInfo, Hit, Run, Span, State } from "./types";

export type Topic = "run" | "picture" | "overlay" | "rows" | "chosen" | "choice" | "state" | "hits" | "theme" | "tab";

export const RULER = 26; // pixels above the first line

export interface Place { at: string; line: number; event: number; logical: Span; physical: Span }

export class App {
	choice: Choice;
	run!: Run;
	rows: Rows = { rows: [], slots: [], at: [], near: [], tracks: [], height: 0 };
	scene: Scene | null = null;
	width = 800;
	height = 400;
	event: EventInfo | null = null; // of the chosen one, when it has come
	cone: Cone | null = null; // of the chosen one, when asked for
	hits: Hit[] = [];
	more = false; // there are more hits than these
	state: State | null = null;
	hover: { line: number; event: number } | null = null;
	places = new Map<string, Place>();
	cones = new Map<string, Cone>();
	loader = new Loader(this);
	private listeners = new Map<Topic, (() => void)[]>();
	private told = new Set<Topic>();
	private written = "";
	private timer = 0;

	constructor(readonly server: Server) {
		this.choice = fromAddress(location.hash);
		this.written = location.hash;
	}

	on(topic: Topic, listener: () => void): void {
		this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
	}

	// Listeners are called once per frame, however often a topic was touched; not before there is a run.
	touch(...topics: Topic[]): void {
		if (this.told.size === 0) {
			requestAnimationFrame(() => {
				const told = [...this.told];
				this.told.clear();
				for (const topic of told) {
					if (this.run) {
						this.listeners.get(topic)?.forEach((listener) => listener());
					}
				}
			});
		}
		topics.forEach((topic) => this.told.add(topic));
	}

	// ---- where things are ----

	span(axis: Axis = this.choice.axis): Span {
		const [from, to] = this.run.span[axis];
		return to > from ? [from, to] : [from, from + 1];
	}

	range(): Span {
		const { from, to } = this.choice;
		if (to > from) {
			return [from, to];
		}
		const [first, last] = this.span(), room = (last - first) * 0.015;
		return [first - room, last + room];
	}

	x(value: number): number {
		const [from, to] = this.range();
		return ((value - from) / (to - from)) * this.width;
	}

	valueAt(x: number): number {
		const [from, to] = this.range();
		return from + (x / this.width) * (to - from);
	}

	y(inRows: number): number {
		return inRows - this.choice.top + RULER;
	}

	nameOf(line: number, event: number): string {
		return `${this.run.lines[line]!.name}:${event}`;
	}

	lineOf(at: string): { line: number; event: number } | null {
		const colon = at.lastIndexOf(":"), name = at.slice(0, colon), event = Number(at.slice(colon + 1));
		const line = this.run.lines.findIndex((l) => l.name === name);
		return line < 0 || !(event > 0) ? null : { line, event };
	}

	// Where an event stands, when that is known without asking.
	placeOf(at: string): Place | null {
		const known = this.places.get(at);
		if (known) {
			return known;
		}
		const found = this.lineOf(at), box = found && this.scene?.box(found.line, found.event);
		if (!found || !box) {
			return null;
		}
		const span: Span = [box[2], box[3]], other: Span = [NaN, NaN];
		const logical = this.scene!.view.axis === "logical";
		return { at, ...found, logical: logical ? span : other, physical: logical ? other : span };
	}

	remember(event: EventInfo): void {
		this.places.set(event.at, {
			at: event.at, line: event.line, event: event.event, physical: event.x.physical,
			logical: [event.x.logical[0] - AROUND, event.x.logical[1] + AROUND],
		});
	}

	// ---- changes of what is seen ----

	setRange(from: number, to: number): void {
		const [first, last] = this.span(), all = last - first;
		const least = this.choice.axis === "logical" ? 4 : 40;
		let wide = Math.min(Math.max(to - from, Math.min(least, all)), all * 1.06);
		let left = from + (to - from - wide) / 2;
		left = Math.max(first - wide * 0.5, Math.min(left, last - wide * 0.5));
		if (wide >= all * 1.03 && left <= first && left + wide >= last) {
			left = wide = 0;
		}
		this.choice.from = left;
		this.choice.to = left + wide;
		this.moved();
	}

	zoom(factor: number, x = this.width / 2): void {
		const [from, to] = this.range(), at = this.valueAt(x);
		this.setRange(at - (at - from) * factor, at + (to - at) * factor);
	}

	pan(pixels: number): void {
		const [from, to] = this.range(), by = (pixels / this.width) * (to - from);
		this.setRange(from + by, to + by);
	}

	scroll(pixels: number): void {
		this.choice.top = Math.round(Math.max(0, Math.min(this.choice.top + pixels, this.rows.height - (this.height - RULER - 8))));
		this.moved();
	}

	fit(): void {
		this.choice.from = this.choice.to = this.choice.top = this.choice.row = 0;
		this.laid();
	}

	moved(): void {
		this.loader.want();
		this.touch("picture", "overlay", "choice");
		this.keep();
	}

	// Lines were hidden, folded, ordered, or have another height.
	laid(): void {
		this.rows = layRows(this.run, this.choice, this.height - RULER - 8);
		this.choice.top = Math.max(0, Math.min(this.choice.top, this.rows.height - (this.height - RULER - 8)));
		this.touch("rows");
		this.moved();
	}

	setAxis(axis: Axis): void {
		if (axis === this.choice.axis) {
			return;
		}
		// The chosen event stays in the middle; without one everything is shown.
		const [from, to] = this.range(), share = (to - from) / (this.span()[1] - this.span()[0]);
		const place = this.choice.at ? this.places.get(this.choice.at) : undefined;
		this.choice.axis = axis;
		this.choice.from = this.choice.to = 0;
		if (share < 1 && place) {
			const [first, last] = this.span(), middle = place[axis][0], wide = share * (last - first);
			this.setRange(middle - wide / 2, middle + wide / 2);
		} else {
			this.moved();
		}
	}

	// ---- the address ----

	keep(): void {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => {
			const text = toAddress(this.choice);
			this.written = text ? "#" + text : "";
			history.replaceState(null, "", location.pathname + location.search + this.written);
		}, 150);
	}

	// Somebody changed the address: what it says counts. False: it was this page itself.
	reread(): boolean {
		if (location.hash === this.written) {
			return false;
		}
		this.written = location.hash;
		this.choice = { ...initial(), ...fromAddress(location.hash) };
		return true;
	}
}
