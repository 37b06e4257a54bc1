// What the user can do with events, from keys, pointer and panels alike.
import { RULER, type App } from "./app";
import { grouping } from "./rows";
import { besides } from "./scene";
import type { Box, Cone, EventInfo, View } from "./types";

export class Actions {
	private asked = 0;

	constructor(private app: App, readonly say: (text: string) => void, readonly complain: (text: string) => void) {}

	// Chooses an event; shows it when it is outside the picture.
	async choose(at: string, show = true): Promise<void> {
		const { app } = this, turn = ++this.asked;
		app.choice.at = at;
		app.event = null;
		app.cone = app.cones.get(at) ?? null;
		app.keep();
		app.touch("chosen", "overlay");
		if (!at) {
			return;
		}
		try {
			const event = await app.server.get<EventInfo>("event", { at });
			app.remember(event);
			if (turn !== this.asked) {
				return;
			}
			app.event = event;
			this.say(event.text);
			if (show) {
				this.bringIn(at);
			}
			app.touch("chosen", "overlay");
			if (app.choice.cone || app.choice.stops.includes(at)) {
				await this.fetchCone(at);
			}
		} catch (error) {
			if (turn === this.asked) {
				this.complain((error as Error).message);
			}
		}
	}

	async fetchCone(at: string): Promise<Cone | null> {
		const { app } = this;
		let cone = app.cones.get(at) ?? null;
		if (!cone) {
			try {
				cone = besides(await app.server.get<Cone>("cone", { at }));
				app.cones.set(at, cone);
			} catch (error) {
				this.complain((error as Error).message);
			}
		}
		if (app.choice.at === at) {
			app.cone = cone;
			app.touch("chosen", "overlay");
		}
		return cone;
	}

	// Pans so that a known event is well inside the picture; comes nearer when it could not be seen.
	bringIn(at: string, nearer = false): void {
		const { app } = this, place = app.places.get(at);
		if (!place) {
			return;
		}
		if (app.choice.hidden.includes(place.line)) {
			app.choice.hidden = app.choice.hidden.filter((line) => line !== place.line);
			app.laid();
		}
		this.reveal(place.line);
		const [x0, x1] = place[app.choice.axis], left = app.x(x0), right = app.x(x1), [from, to] = app.range();
		if (nearer || (app.scene && !app.scene.fine && right - left < 1.5 && left > 0 && right < app.width && nearer)) {
			const wide = app.choice.axis === "logical" ? 60 : Math.max((x1 - x0) * 12, 2000);
			app.setRange((x0 + x1) / 2 - wide / 2, (x0 + x1) / 2 + wide / 2);
		} else if (left < 24 || right > app.width - 24) {
			const wide = to - from, middle = right - left > app.width * 0.8 ? x0 + wide * 0.4 : (x0 + x1) / 2;
			app.setRange(middle - wide / 2, middle + wide / 2);
		}
		const slot = app.rows.at[place.line];
		if (slot && (app.y(slot.y) < RULER || app.y(slot.y + slot.h) > app.height)) {
			app.scroll(app.y(slot.y) - app.height / 2);
		}
	}

	// A line that another one stands for gets its own row.
	private reveal(line: number): void {
		const { app } = this, row = app.rows.at[line] ? undefined : app.rows.rows.find((r) => r.kind === "fold" && r.lines.includes(line));
		if (row) {
			app.choice.folded = [...app.choice.folded, row.group];
			app.laid();
		}
	}

	// Lines that behave alike: one for all, or each its own.
	toggleAlike(): void {
		const { app } = this, alike = grouping(app.run, app.choice) === "alike";
		app.choice.by = alike ? "none" : "alike";
		app.choice.folded = [];
		app.laid();
		app.touch("tab");
		this.say(alike ? "no two processes behave alike, so each has its own line" : `processes that behave alike share a line: ${app.rows.rows.length} lines`);
	}

	next(): void {
		this.follow(this.app.event?.next, "this is the last event of the process");
	}

	previous(): void {
		this.follow(this.app.event?.previous, "this is the first event of the process");
	}

	match(): void {
		this.follow(this.app.event?.match, "none of the messages of this event has a match");
	}

	private follow(at: string | null | undefined, otherwise: string): void {
		if (at) {
			void this.choose(at);
		} else {
			this.say(this.app.event ? otherwise : "no event is chosen: click one first");
		}
	}

	// The event nearest to the chosen one (or the middle) on another line: one row up or down.
	async across(by: number): Promise<void> {
		const { app } = this, { axis } = app.choice, slots = app.rows.slots;
		const place = app.choice.at ? app.placeOf(app.choice.at) : null;
		const here = place ? slots.findIndex((s) => s.line === place.line) : by > 0 ? -1 : slots.length;
		const slot = slots[here + by];
		if (slot) {
			const value = place ? place[axis][0] : app.valueAt(app.width / 2);
			await this.chooseNear(slot.line, Number.isNaN(value) ? app.valueAt(app.width / 2) : value);
		}
	}

	// The event of the line at x, asked for with a narrow window when the picture has it merged.
	async chooseNear(line: number, value: number, reach = Infinity): Promise<boolean> {
		const { app } = this;
		let box = app.scene?.boxNear(line, value, reach);
		if (!box && (app.scene?.densities.has(line) || reach === Infinity)) {
			const [from, to] = app.range(), step = (to - from) / app.width;
			for (let wide = 3; !box && wide < 400; wide *= 5) {
				const view = await app.server.get<View>("view", {
					axis: app.choice.axis, from: value - wide * step, to: value + wide * step, columns: 16, lines: line,
				});
				box = nearest(view.boxes.filter((b) => b[0] === line), value);
			}
		}
		if (box) {
			void this.choose(app.nameOf(line, box[1]), false);
		}
		return box !== undefined;
	}

	toggleCone(): void {
		const { choice } = this.app;
		choice.cone = !choice.cone;
		this.app.keep();
		this.app.touch("overlay", "chosen");
		if (choice.cone && choice.at) {
			void this.fetchCone(choice.at);
		}
		this.say(choice.cone ? "past and future shown" : "past and future not shown");
	}

	// A breakpoint shows its cut.
	toggleStop(at = this.app.choice.at): void {
		const { app } = this, { choice } = app;
		if (!at) {
			this.say("choose an event first");
			return;
		}
		const there = choice.stops.includes(at);
		choice.stops = there ? choice.stops.filter((s) => s !== at) : [...choice.stops, at];
		if (!there) {
			choice.tab = "stop";
			void (choice.at === at ? this.fetchCone(at) : this.choose(at));
		}
		app.keep();
		app.touch("overlay", "chosen", "tab");
		this.say(there ? `no breakpoint at ${at} any more` : `breakpoint at ${at}`);
	}

	toggleMark(at = this.app.choice.at): void {
		const { app } = this, { choice } = app;
		if (!at) {
			this.say("choose an event first");
			return;
		}
		const there = choice.marks.includes(at);
		choice.marks = there ? choice.marks.filter((s) => s !== at) : [...choice.marks, at];
		app.keep();
		app.touch("overlay", "chosen", "tab");
		this.say(there ? `no bookmark at ${at} any more` : `bookmark at ${at}`);
	}

	// Places of breakpoints and bookmarks that the address names.
	async learnPlaces(): Promise<void> {
		const { app } = this;
		for (const at of new Set([...app.choice.stops, ...app.choice.marks])) {
			if (!app.places.has(at)) {
				try {
					app.remember(await app.server.get<EventInfo>("event", { at }));
				} catch {
					// an address of another recording: the mark stays in the list, without a place
				}
			}
		}
		app.touch("overlay");
	}
}

function nearest(boxes: Box[], value: number): Box | undefined {
	let best: Box | undefined, distance = Infinity;
	for (const box of boxes) {
		const away = Math.max(box[2] - value, value - box[3], 0);
		if (away < distance) {
			best = box;
			distance = away;
		}
	}
	return best;
}
