// The upper layer: what is chosen, its past and future, breakpoints, bookmarks, hits, and where a replay stands.
import { RULER, type App } from "../core/app";
import { called } from "../core/choice";
import type { Slot } from "../core/rows";
import { BETWEEN } from "../core/scene";
import { Flag, type Cone, type ProcessState } from "../core/types";
import { ends, head } from "./arrows";
import { paint, SMALL } from "./paint";
import { boxPlace, type Frame } from "./picture";
import { barOf } from "./spans";

type Point = { x: number; slot: Slot };
type Crossing = { line: number; logical: number; physical: number };

// Where a front crosses the lines that are seen, from top to bottom.
function points(app: App, crossings: Crossing[]): Point[] {
	const by = new Map(crossings.map((c) => [c.line, c]));
	return app.rows.slots.flatMap((slot) => {
		const c = by.get(slot.line);
		return c ? [{ x: app.x(c[app.choice.axis]), slot }] : [];
	});
}

function shade(ctx: CanvasRenderingContext2D, app: App, at: Point[], past: boolean): void {
	const [first, last] = app.span(), left = Math.max(0, app.x(first)), right = Math.min(app.width, app.x(last));
	ctx.fillStyle = past ? paint().past : paint().future;
	for (const { x, slot } of at) {
		const a = past ? left : Math.max(0, x), b = past ? Math.min(x, app.width) : right;
		if (b > a) {
			ctx.fillRect(a, app.y(slot.y), b - a, slot.h);
		}
	}
}

// A line across the processes: upright on each, and from one to the next along the border between them.
function front(ctx: CanvasRenderingContext2D, app: App, at: Point[]): void {
	ctx.beginPath();
	at.forEach(({ x, slot }, i) => {
		const y = app.y(slot.y), clipped = Math.round(Math.max(-9, Math.min(app.width + 9, x)));
		if (i === 0) {
			ctx.moveTo(clipped, y);
		} else {
			ctx.lineTo(clipped, y);
		}
		ctx.lineTo(clipped, y + slot.h);
	});
	ctx.stroke();
}

export function drawCone(ctx: CanvasRenderingContext2D, app: App, cone: Cone, shaded: boolean, stop: boolean): void {
	const colours = paint(), past = points(app, cone.cut), future = points(app, cone.future);
	if (shaded) {
		shade(ctx, app, past, true);
		shade(ctx, app, future, false);
		ctx.strokeStyle = colours.front;
		ctx.lineWidth = 1.25;
		ctx.setLineDash([3, 3]);
		future.forEach((p) => front(ctx, app, [p]));
		ctx.setLineDash([]);
	}
	ctx.strokeStyle = stop ? colours.stop : colours.cut;
	ctx.lineWidth = 2;
	front(ctx, app, past);
}

function ring(f: Frame, at: string, colour: string, wide: number, out: number): void {
	const { ctx, app } = f, place = app.placeOf(at), slot = place && app.rows.at[place.line], box = slot && boxPlace(app, slot);
	if (!place || !box) {
		return;
	}
	const [x0, x1] = place[app.choice.axis];
	if (Number.isNaN(x0)) {
		return;
	}
	const left = app.x(x0), w = Math.max(3, app.x(x1) - left);
	ctx.strokeStyle = colour;
	ctx.lineWidth = wide;
	ctx.beginPath();
	ctx.roundRect(Math.round(left) - out, box.y - out, Math.round(w) + 2 * out, box.h + 2 * out, 3 + out);
	ctx.stroke();
}

// The bar of the span that an event begins or ends.
function drawSpan(f: Frame, line: number, event: number, colour: string): void {
	const { ctx, app } = f, track = app.rows.tracks.find((t) => t.line === line);
	const span = track && f.scene.spans.get(line)?.find((s) => s[1] === event || s[2] === event), bar = span && barOf(f, track, span);
	if (bar) {
		ctx.strokeStyle = colour;
		ctx.lineWidth = 2;
		ctx.strokeRect(bar.x, bar.y, bar.w, bar.h);
	}
}

// The messages of an event, over everything else.
function drawMessages(f: Frame, line: number, event: number, wide: number): void {
	const { ctx } = f, colours = paint();
	for (const arrow of f.scene.arrowsAt(line, event)) {
		const e = ends(f, arrow), other = (arrow[8] & Flag.Alternative) !== 0;
		if (e) {
			ctx.strokeStyle = ctx.fillStyle = other ? colours.race : arrow[8] & Flag.Order ? colours.order : colours.chosen;
			ctx.lineWidth = wide;
			ctx.setLineDash(other ? [5, 3] : []);
			ctx.beginPath();
			ctx.moveTo(e.x0, e.y0);
			ctx.lineTo(e.x1, e.y1);
			ctx.stroke();
			ctx.setLineDash([]);
			ctx.beginPath();
			head(ctx, e, 9);
			ctx.fill();
		}
	}
}

function drawHits(f: Frame): void {
	const { ctx, app } = f;
	ctx.fillStyle = paint().hit;
	for (const hit of app.hits) {
		const slot = app.rows.near[hit.line], place = boxPlace(app, slot), x = app.x(hit[app.choice.axis]);
		if (slot && place && x > -4 && x < app.width + 4) {
			const y = slot.squeezed ? place.y : place.y + place.h + 1;
			ctx.fillRect(Math.round(x), y, Math.max(3, Math.min(8, app.width * 0.004)), slot.squeezed ? place.h : 3);
		}
	}
}

// A disc for a breakpoint, a ribbon for a bookmark: above the left end of the box.
function drawSigns(f: Frame): void {
	const { ctx, app } = f, colours = paint();
	const sign = (at: string, draw: (x: number, y: number) => void) => {
		const place = app.placeOf(at), box = place && boxPlace(app, app.rows.at[place.line]);
		if (place && box) {
			const x = app.x(place[app.choice.axis][0]);
			if (x > -9 && x < app.width + 9) {
				draw(Math.round(x), box.y);
			}
		}
	};
	for (const at of app.choice.marks) {
		sign(at, (x, y) => {
			ctx.fillStyle = colours.mark;
			ctx.beginPath();
			ctx.moveTo(x, y - 9);
			ctx.lineTo(x + 7, y - 9);
			ctx.lineTo(x + 7, y + 3);
			ctx.lineTo(x + 3.5, y);
			ctx.lineTo(x, y + 3);
			ctx.fill();
		});
	}
	for (const at of app.choice.stops) {
		sign(at, (x, y) => {
			ctx.fillStyle = colours.stop;
			ctx.strokeStyle = colours.ground;
			ctx.lineWidth = 1.5;
			ctx.beginPath();
			ctx.arc(x, y, 5.5, 0, 7);
			ctx.fill();
			ctx.stroke();
		});
	}
}

// Where a process of the replay stands: its place on the axis, when that is known.
export function standsAt(app: App, p: ProcessState): { line: number; x: number } | null {
	const line = app.run.lines.findIndex((l) => l.lane === 0 && called(app.run.processes[l.process]!) === called(p));
	if (line < 0) {
		return null;
	}
	const told = p[app.choice.axis];
	if (typeof told === "number") {
		return { line, x: app.choice.axis === "logical" && !p.inside ? told + BETWEEN : told };
	}
	const cut = app.cone?.cut.find((c) => c.line === line && c.event === p.event), event = p.event + (p.inside ? 1 : 0);
	const place = app.placeOf(app.nameOf(line, event));
	return cut ? { line, x: cut[app.choice.axis] } : place ? { line, x: place[app.choice.axis][p.inside ? 0 : 1] } : null;
}

// What the replay has not reached yet is veiled; a flag marks where each process stands.
function drawReplay(f: Frame): void {
	const { ctx, app } = f, colours = paint();
	for (const p of app.state?.running ? app.state.processes : []) {
		const stands = standsAt(app, p), slot = stands && app.rows.at[stands.line];
		if (!stands || !slot || Number.isNaN(stands.x)) {
			continue;
		}
		const x = Math.round(app.x(stands.x)), y = app.y(slot.y), dead = p.life === "dead";
		if (y + slot.h < RULER || y > app.height) {
			continue;
		}
		if (x < app.width) {
			ctx.fillStyle = colours.veil;
			ctx.fillRect(Math.max(0, x), y, app.width - Math.max(0, x), slot.h);
		}
		ctx.fillStyle = dead ? colours.stop : colours.replay;
		ctx.fillRect(x - 1, y + 1, 2, slot.h - 2);
		if (slot.h >= 11 && !slot.squeezed) {
			ctx.beginPath();
			ctx.moveTo(x, y + 1);
			ctx.lineTo(x + 7, y + 4.5);
			ctx.lineTo(x, y + 8);
			ctx.fill();
		}
	}
}

export interface Rubber { x0: number; x1: number; y0: number; y1: number }

function drawRubber(ctx: CanvasRenderingContext2D, r: Rubber): void {
	const colours = paint();
	ctx.fillStyle = colours.past;
	ctx.strokeStyle = colours.chosen;
	ctx.lineWidth = 1;
	ctx.fillRect(Math.min(r.x0, r.x1), RULER, Math.abs(r.x1 - r.x0), 1e4);
	ctx.strokeRect(Math.min(r.x0, r.x1) + 0.5, RULER + 0.5, Math.abs(r.x1 - r.x0), 1e4);
}

function drawEmpty(ctx: CanvasRenderingContext2D, app: App): void {
	const text = app.loader.failed || (app.scene && app.scene.view.events === 0 && app.scene.view.boxes.length === 0
		? "no event in this part of the run (press 0 to show the whole run)" : "");
	if (text) {
		ctx.font = SMALL.replace("10px", "13px");
		ctx.fillStyle = paint().faint;
		ctx.textAlign = "center";
		ctx.fillText(text, app.width / 2, app.height / 2);
		ctx.textAlign = "left";
	}
}

export function drawOverlay(ctx: CanvasRenderingContext2D, app: App, dpr: number, rubber: Rubber | null): void {
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.clearRect(0, 0, app.width, app.height);
	drawEmpty(ctx, app);
	const { choice, scene } = app, colours = paint();
	if (!scene || scene.view.axis !== choice.axis) {
		return;
	}
	ctx.save();
	ctx.beginPath();
	ctx.rect(0, RULER, app.width, app.height - RULER);
	ctx.clip();
	const [from, to] = app.range(), f: Frame = { ctx, app, scene, from, k: app.width / (to - from), dpr };
	drawReplay(f);
	const stop = choice.stops.includes(choice.at);
	if (app.cone && (choice.cone || stop)) {
		drawCone(ctx, app, app.cone, choice.cone, stop);
	}
	drawHits(f);
	if (app.hover) {
		drawMessages(f, app.hover.line, app.hover.event, 1.5);
		ring(f, app.nameOf(app.hover.line, app.hover.event), colours.faint, 1.25, 1);
	}
	const chosen = choice.at ? app.lineOf(choice.at) : null;
	if (chosen) {
		drawMessages(f, chosen.line, chosen.event, 2);
		drawSpan(f, chosen.line, chosen.event, colours.chosen);
		ring(f, choice.at, colours.ground, 4.5, 2.5);
		ring(f, choice.at, colours.chosen, 2.25, 2.5);
	}
	drawSigns(f);
	if (rubber) {
		drawRubber(ctx, rubber);
	}
	ctx.restore();
}
