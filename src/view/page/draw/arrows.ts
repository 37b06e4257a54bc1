// Messages: an arrow each, from where it was sent to where it had been received; and those to and from somebody who is not recorded.
import { Flag, type Arrow, type Stub } from "../core/types";
import { mixed, paint, SMALL } from "./paint";
import { boxPlace, type Frame } from "./picture";

const ROOMY = 14; // pixels
export const HEADS = 1200; // more arrows than this get no heads

export interface Ends { x0: number; y0: number; x1: number; y1: number; aligned: boolean }

// Both ends on the screen; null when nothing of it can be seen.
export function ends(f: Frame, arrow: Arrow): Ends | null {
	const { app, from, k } = f, s0 = app.rows.near[arrow[0]], s1 = app.rows.near[arrow[3]];
	let x0 = (arrow[2] - from) * k, x1 = (arrow[5] - from) * k, aligned = false;
	if (!s0 || !s1 || Math.max(x0, x1) < 0 || Math.min(x0, x1) > app.width) {
		return null;
	}
	if (arrow[8] & Flag.Synchronous) {
		// Both calls were open at once: the arrow stands upright in that time.
		const a = f.scene.box(arrow[0], arrow[1]), b = f.scene.box(arrow[3], arrow[4]);
		const open = a && b ? [Math.max(a[2], b[2]), Math.min(a[3], b[3])] as const : null;
		if (open && open[1] >= open[0]) {
			x0 = x1 = Math.round(((open[0] + open[1]) / 2 - from) * k);
			aligned = true;
		}
	}
	const p0 = boxPlace(app, s0), p1 = boxPlace(app, s1), down = s1.y >= s0.y;
	const edge = (slot: typeof s0, place: typeof p0, low: boolean) =>
		place ? place.y + (low ? place.h : 0) : app.y(slot.y + slot.h / 2);
	return { x0, y0: edge(s0, p0, down), x1, y1: s0 === s1 ? edge(s1, p1, false) : edge(s1, p1, !down), aligned };
}

export function head(ctx: CanvasRenderingContext2D, e: Ends, size: number): void {
	const dx = e.x1 - e.x0, dy = e.y1 - e.y0, long = Math.hypot(dx, dy);
	if (long < size) {
		return;
	}
	const ux = dx / long, uy = dy / long, bx = e.x1 - ux * size, by = e.y1 - uy * size, w = size * 0.42;
	ctx.moveTo(e.x1, e.y1);
	ctx.lineTo(bx - uy * w, by + ux * w);
	ctx.lineTo(bx + uy * w, by - ux * w);
	ctx.closePath();
}

interface Sorts { plain: Ends[]; thick: { e: Ends; n: number }[]; synchronous: Ends[]; lost: Ends[]; other: Ends[]; order: Ends[] }

function sorted(f: Frame): Sorts {
	const sorts: Sorts = { plain: [], thick: [], synchronous: [], lost: [], other: [], order: [] };
	let last = "";
	const low = (line: number) => f.scene.densities.has(line) && (f.app.rows.at[line]?.h ?? 0) < ROOMY;
	for (const arrow of f.scene.view.arrows) {
		// between low lines that are full there is no room for it
		const e = low(arrow[0]) && low(arrow[3]) ? null : ends(f, arrow), flags = arrow[8];
		if (!e) {
			continue;
		}
		if (flags & Flag.Alternative) {
			sorts.other.push(e);
		} else if (flags & Flag.Order) {
			sorts.order.push(e);
		} else if (flags & Flag.Unmatched) {
			sorts.lost.push(e);
		} else if (flags & Flag.Synchronous) {
			sorts.synchronous.push(e);
		} else if (arrow[7] > 1) {
			sorts.thick.push({ e, n: arrow[7] });
		} else {
			// those that would cover each other to the pixel are drawn once
			const key = ((e.x0 * 2) | 0) + "," + ((e.x1 * 2) | 0) + "," + arrow[0] + "," + arrow[3];
			if (key !== last) {
				sorts.plain.push(e);
			}
			last = key;
		}
	}
	return sorts;
}

function lines(ctx: CanvasRenderingContext2D, list: Ends[]): void {
	ctx.beginPath();
	for (const e of list) {
		ctx.moveTo(e.x0, e.y0);
		ctx.lineTo(e.x1, e.y1);
	}
	ctx.stroke();
}

function heads(ctx: CanvasRenderingContext2D, list: Ends[], size: number): void {
	for (const e of list) {
		ctx.beginPath();
		head(ctx, e, size);
		ctx.fill();
	}
}

// Two lines side by side: neither side could go on without the other.
function drawSynchronous(f: Frame, list: Ends[], many: boolean): void {
	const { ctx } = f, colours = paint();
	ctx.strokeStyle = ctx.fillStyle = many ? mixed(colours.synchronous, colours.ground, Math.max(0.25, 0.7 * (300 / (list.length + 300)))) : colours.synchronous;
	if (many) {
		lines(ctx, list);
		return;
	}
	const shifted = (by: number) => list.map((e) => ({ ...e, x0: e.x0 + by, x1: e.x1 + by, y1: e.y1 - Math.sign(e.y1 - e.y0) * 5 }));
	lines(ctx, shifted(-1.5));
	lines(ctx, shifted(1.5));
	heads(ctx, list, 8);
}

function drawThick(f: Frame, list: Sorts["thick"]): void {
	const { ctx } = f, few = list.length < 50;
	for (const { e, n } of list) {
		ctx.lineWidth = list.length < 600 ? Math.min(4, 1 + Math.log2(n) * 0.4) : 1 / f.dpr;
		lines(ctx, [e]);
		if (few) {
			ctx.font = SMALL;
			ctx.fillText("×" + n, (e.x0 + e.x1) / 2 + 4, (e.y0 + e.y1) / 2);
		}
	}
}

// Order that no message makes, from windows: long dashes, so that nobody takes it for one.
function drawOrder(f: Frame, list: Ends[]): void {
	const { ctx } = f;
	ctx.strokeStyle = ctx.fillStyle = paint().order;
	ctx.lineWidth = list.length > HEADS ? 1 / f.dpr : 1.25;
	ctx.setLineDash([9, 3]);
	lines(ctx, list);
	ctx.setLineDash([]);
	if (list.length < HEADS) {
		heads(ctx, list, 7);
	}
}

export function drawArrows(f: Frame): void {
	const { ctx, dpr } = f, colours = paint(), { plain, thick, synchronous, lost, other, order } = sorted(f);
	const all = plain.length + thick.length + synchronous.length, many = all > HEADS, thin = 1 / dpr;
	ctx.lineWidth = thin;
	// Paler the closer they stand, so that many are a shade and not a wall. Mixed with the ground, not transparent: that is
	// twice as quick to draw.
	ctx.strokeStyle = ctx.fillStyle = mixed(colours.arrow, colours.ground, Math.max(0.2, Math.min(0.85, 0.85 * (f.app.width / 8 / (all + 1)) ** 0.55)));
	ctx.globalAlpha = 1;
	lines(ctx, plain);
	if (!many) {
		heads(ctx, plain, 7);
	}
	drawThick(f, thick);
	ctx.lineWidth = thin;
	drawSynchronous(f, synchronous, all > HEADS / 4);
	drawOrder(f, order);
	ctx.lineWidth = thin;
	ctx.strokeStyle = ctx.fillStyle = colours.race;
	ctx.globalAlpha = other.length > 60 ? 0.55 : 0.9;
	ctx.setLineDash([4, 3]);
	// so many would only be a grey veil: the bars above the boxes tell that they raced
	if (other.length < 300) {
		lines(ctx, other);
	}
	ctx.setLineDash([1.5, 2.5]);
	ctx.strokeStyle = ctx.fillStyle = colours.stop;
	ctx.globalAlpha = 1;
	lines(ctx, lost);
	ctx.setLineDash([]);
	if (other.length < 300) {
		ctx.fillStyle = colours.race;
		heads(ctx, other, 6);
	}
	if (lost.length < HEADS) {
		crosses(ctx, lost);
	}
}

// A message that nobody received ends at a cross.
function crosses(ctx: CanvasRenderingContext2D, list: Ends[]): void {
	ctx.lineWidth = 1.5;
	ctx.beginPath();
	for (const { x1, y1 } of list) {
		ctx.moveTo(x1 - 3.5, y1 - 3.5);
		ctx.lineTo(x1 + 3.5, y1 + 3.5);
		ctx.moveTo(x1 + 3.5, y1 - 3.5);
		ctx.lineTo(x1 - 3.5, y1 + 3.5);
	}
	ctx.stroke();
}

// What went to somebody who is not recorded, or came from there: short arrows to and from a point at the edge, with the address beside it.
const HIGH = 14, ACROSS = 9, POINT = 2.5, LABEL = 46; // pixels; rows lower than LABEL have no room for addresses
const MANY = 600; // more of them than this get neither heads nor addresses

export function outsideText(stub: Stub): string {
	const bytes = `${stub[6]} ${stub[6] === 1 ? "byte" : "bytes"}`;
	return `${stub[3] ? "from" : "to"} ${stub[4]}, not recorded: ${stub[5] > 1 ? `${stub[5]} datagrams, ` : ""}${bytes}`;
}

// From the point to the box, or the other way.
export function stubEnds(f: Frame, stub: Stub): Ends | null {
	const { app } = f, slot = app.rows.at[stub[0]], place = boxPlace(app, slot), x = (stub[2] - f.from) * f.k;
	if (!slot || !place || place.h < 6 || x < -ACROSS || x > app.width + ACROSS) {
		return null;
	}
	const y = place.y, out = y - Math.max(5, Math.min(HIGH, place.y - app.y(slot.y) + 2));
	return stub[3] ? { x0: x - ACROSS, y0: out, x1: x, y1: y, aligned: false } : { x0: x, y0: y, x1: x + ACROSS, y1: out, aligned: false };
}

export function drawOutside(f: Frame): void {
	const { ctx, app } = f, colours = paint(), stubs = f.scene.view.outside ?? [], many = stubs.length > MANY, until = new Map<number, number>();
	ctx.strokeStyle = colours.arrow;
	ctx.lineWidth = many ? 1 / f.dpr : 1.2;
	ctx.font = SMALL;
	ctx.textBaseline = "middle";
	for (const stub of stubs) {
		const e = stubEnds(f, stub);
		if (!e) {
			continue;
		}
		const px = stub[3] ? e.x0 : e.x1, py = stub[3] ? e.y0 : e.y1;
		ctx.beginPath();
		ctx.moveTo(e.x0, e.y0);
		ctx.lineTo(e.x1, e.y1);
		ctx.stroke();
		ctx.beginPath();
		ctx.arc(px, py, POINT, 0, 7);
		ctx.fillStyle = colours.ground;
		ctx.fill();
		ctx.stroke();
		if (many) {
			continue;
		}
		ctx.fillStyle = colours.arrow;
		ctx.beginPath();
		head(ctx, e, 6);
		ctx.fill();
		if (app.rows.at[stub[0]]!.h < LABEL || px < (until.get(stub[0]) ?? -Infinity)) {
			continue;
		}
		const wide = ctx.measureText(stub[4]).width, left = px + POINT + 3;
		ctx.fillStyle = colours.ground;
		ctx.fillRect(left - 1, py - 5, wide + 2, 10);
		ctx.fillStyle = colours.faint;
		ctx.fillText(stub[4], left, py + 0.5);
		until.set(stub[0], left + wide + 6);
	}
}
