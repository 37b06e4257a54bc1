// The lower layer: the run. Shapes of one style are drawn together.
import { RULER, type App } from "../core/app";
import type { Slot } from "../core/rows";
import type { Scene } from "../core/scene";
import { Flag, Kind, type Box } from "../core/types";
import { drawArrows, drawOutside, HEADS } from "./arrows";
import { drawDensities } from "./dense";
import { FONT, hatch, paint } from "./paint";
import { drawRings } from "./rings";
import { drawRuler, ticks } from "./ruler";
import { drawSpans } from "./spans";

export interface Frame {
	ctx: CanvasRenderingContext2D;
	app: App;
	scene: Scene;
	from: number; // x = (value - from) * k
	k: number;
	dpr: number;
}

// Top and height of a line's box on the screen; null when it is not seen.
export function boxPlace(app: App, slot: Slot | undefined): { y: number; h: number } | null {
	if (!slot) {
		return null;
	}
	const top = app.y(slot.y);
	if (top + slot.h < RULER || top > app.height) {
		return null;
	}
	if (slot.squeezed) {
		return { y: top, h: Math.max(1, slot.h - (slot.h > 3 ? 1 : 0)) };
	}
	const h = slot.h >= 20 ? Math.min(30, Math.round(slot.h * 0.56)) : Math.max(3, slot.h - (slot.h < 12 ? 2 : 4));
	return { y: Math.round(top + (slot.h - h) / 2), h };
}

function drawRows(ctx: CanvasRenderingContext2D, app: App): void {
	const colours = paint();
	app.rows.rows.forEach((row, i) => {
		const y = app.y(row.y);
		if (y + row.h < RULER || y > app.height) {
			return;
		}
		if (row.kind === "head") {
			ctx.fillStyle = colours.ruler;
			ctx.fillRect(0, y, app.width, row.h);
			ctx.fillStyle = colours.grid;
			ctx.fillRect(0, Math.round(y + row.h) - 1, app.width, 1);
		} else if (i % 2 === 1) {
			ctx.fillStyle = colours.stripe;
			ctx.fillRect(0, y, app.width, row.h);
		}
	});
	ctx.fillStyle = colours.grid;
	for (const tick of ticks(app)) {
		ctx.fillRect(Math.round(tick.x), RULER, 1, app.height - RULER);
	}
	ctx.fillStyle = colours.life;
	const [first, last] = app.span(), from = Math.max(0, app.x(first)), to = Math.min(app.width, app.x(last));
	for (const slot of app.rows.slots) {
		const y = app.y(slot.y);
		if (!slot.squeezed && y + slot.h > RULER && y < app.height) {
			ctx.fillRect(from, Math.round(y + slot.h / 2), to - from, 1);
		}
	}
}

const ROUND = 700; // more boxes than this get no round corners

// Boxes of one kind: solid where it worked, pale and hatched where it waited. Boxes thinner than a pixel share one.
function drawKind(f: Frame, kind: number, boxes: Box[]): void {
	const { ctx, app, from, k } = f, colours = paint(), waits: number[] = [], wide: number[] = [], round = boxes.length < ROUND;
	let line = -1, place: { y: number; h: number } | null = null, last = -1;
	const fills: number[] = [];
	for (const box of boxes) {
		if (box[0] !== line) {
			line = box[0];
			place = boxPlace(app, app.rows.at[line]);
			last = -1e9;
		}
		const x0 = (box[2] - from) * k, x1 = (Math.max(box[3], box[2]) - from) * k;
		if (!place || x1 < -1 || x0 > app.width + 1 || (x1 - last < 0.7 && !(box[7] & Flag.Inside))) {
			continue;
		}
		const left = Math.round(x0), right = Math.max(left + 1, Math.round(x1)), waited = Math.min(right, Math.round(x0 + box[4] * k));
		last = Math.max(x1, left + 1);
		if (waited > left) {
			(waited - left > 5 ? wide : waits).push(left, place.y, waited - left, place.h);
		}
		if (right > waited || waited <= left) {
			fills.push(Math.max(left, waited), place.y, Math.max(1, right - Math.max(left, waited)), place.h);
		}
	}
	rectangles(ctx, colours.kinds[kind]!, fills, round && !wide.length);
	rectangles(ctx, colours.waits[kind]!, waits, false);
	if (wide.length) {
		rectangles(ctx, hatch(ctx, kind), wide, false);
	}
}

function rectangles(ctx: CanvasRenderingContext2D, style: string | CanvasPattern, at: number[], round: boolean): void {
	ctx.fillStyle = style;
	for (let i = 0; i < at.length; i += 4) {
		const w = at[i + 2]!, h = at[i + 3]!;
		if (round && w > 7 && h > 7) {
			ctx.beginPath();
			ctx.roundRect(at[i]!, at[i + 1]!, w, h, 2.5);
			ctx.fill();
		} else {
			ctx.fillRect(at[i]!, at[i + 1]!, w, h);
		}
	}
}

// What never returned is open to the right, up to the end of the run; what failed has a red edge.
function drawSpecial(f: Frame): void {
	const { ctx, app, from, k } = f, colours = paint(), end = app.x(app.span()[1]);
	for (const boxes of f.scene.byKind) {
		for (const box of boxes) {
			if (!(box[7] & (Flag.Inside | Flag.Failed))) {
				continue;
			}
			const place = boxPlace(app, app.rows.at[box[0]]), x0 = Math.round((box[2] - from) * k), x1 = (box[3] - from) * k;
			if (!place || x0 > app.width) {
				continue;
			}
			const inside = (box[7] & Flag.Inside) !== 0, w = Math.max(3, (inside ? Math.max(end, x1 + 24) : x1) - x0);
			if (inside) {
				ctx.fillStyle = hatch(ctx, box[6]);
				ctx.fillRect(x0, place.y, w, place.h);
			}
			ctx.strokeStyle = colours.stop;
			ctx.lineWidth = 1.25;
			ctx.setLineDash(inside ? [4, 3] : []);
			ctx.strokeRect(x0 + 0.5, place.y + 0.5, w - 1, place.h - 1);
			ctx.setLineDash([]);
		}
	}
}

// A bar and a diamond above what could have gone otherwise, where the answer came.
function drawRaces(f: Frame): void {
	const { ctx, app, from, k } = f;
	ctx.fillStyle = paint().race;
	let line = -1, last = -1e9;
	ctx.beginPath();
	for (const box of f.scene.racing) {
		const place = boxPlace(app, app.rows.at[box[0]]), x0 = (box[2] + box[4] - from) * k, x1 = (box[3] - from) * k;
		if (box[0] !== line) {
			line = box[0];
			last = -1e9;
		}
		if (!place || place.h < 3 || x1 < 0 || x0 > app.width || x1 - last < 0.7) {
			continue;
		}
		last = Math.max(x1, x0 + 1);
		const left = Math.round(x0), wide = Math.max(1, Math.round(x1) - left), bar = place.h > 8 ? 2 : 1;
		ctx.fillRect(left, place.y - bar, wide, bar);
		if (wide > 9 && place.h > 10) {
			ctx.moveTo(left, place.y - 1);
			ctx.lineTo(left + 4, place.y - 5);
			ctx.lineTo(left + 8, place.y - 1);
			ctx.lineTo(left + 4, place.y + 3);
			ctx.closePath();
		}
	}
	ctx.fill();
}

const widths = new Map<string, number>();

export function short(name: string | undefined): string {
	return (name ?? "?").replace(/^MPI_/, "");
}

function drawNames(f: Frame): void {
	const { ctx, app, scene, from, k } = f, named = new Set<number>();
	ctx.font = FONT;
	ctx.textBaseline = "middle";
	ctx.fillStyle = paint().ink;
	// A collective is one shape and has one name, on its uppermost part.
	for (const ring of scene.view.collectives) {
		const top = ring[2].filter((p) => app.rows.at[p[0]]).sort((a, b) => app.rows.at[a[0]]!.y - app.rows.at[b[0]]!.y)[0];
		if (ring[2].length > 1 && top) {
			ring[2].forEach((p) => p !== top && named.add(p[0] * 2 ** 32 + p[1]));
		}
	}
	let rest = 900;
	for (const boxes of scene.byKind) {
		for (const box of boxes) {
			const w = (box[3] - box[2]) * k, x = (box[2] - from) * k;
			if (w < 18 || x + w < 0 || x > app.width || rest <= 0) {
				continue;
			}
			const place = boxPlace(app, app.rows.at[box[0]]), text = short(app.run.functions[box[5]]);
			if (!place || place.h < 12 || (box[6] === Kind.Collective && named.has(box[0] * 2 ** 32 + box[1]))) {
				continue;
			}
			let wide = widths.get(text);
			if (wide === undefined) {
				widths.set(text, (wide = ctx.measureText(text).width));
			}
			// where it waited, unless the name has more room where it worked
			const waited = Math.min(w, box[4] * k), behind = waited > 5 && wide + 12 > waited && wide + 12 < w - waited;
			const left = Math.max(x + (behind ? waited : 0), 0) + 6, room = Math.min(x + w, app.width) - left - 4;
			if (wide <= room) {
				const onHatch = waited > 5 && left < x + waited;
				name(ctx, text, left, wide, place, onHatch ? box[6] : -1);
				rest--;
			}
		}
	}
}

function name(ctx: CanvasRenderingContext2D, text: string, x: number, wide: number, place: { y: number; h: number }, pale: number): void {
	const colours = paint(), y = Math.round(place.y + place.h / 2) + 0.5;
	if (pale >= 0) {
		ctx.fillStyle = colours.waits[pale]!;
		ctx.fillRect(x - 3, y - 7, wide + 6, 13);
		ctx.fillStyle = colours.text;
	}
	ctx.fillText(text, x, y);
	ctx.fillStyle = colours.ink;
}

export function drawPicture(ctx: CanvasRenderingContext2D, app: App, dpr: number): void {
	ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
	ctx.fillStyle = paint().ground;
	ctx.fillRect(0, 0, app.width, app.height);
	drawRows(ctx, app);
	const { scene } = app;
	if (scene && scene.view.axis === app.choice.axis) {
		const [from, to] = app.range(), f: Frame = { ctx, app, scene, from, k: app.width / (to - from), dpr };
		// so many arrows are only a shade, behind everything
		if (scene.view.arrows.length > HEADS) {
			drawArrows(f);
			drawRings(f);
		} else {
			drawRings(f);
			drawArrows(f);
		}
		drawDensities(f);
		scene.byKind.forEach((boxes, kind) => boxes.length && drawKind(f, kind, boxes));
		drawSpecial(f);
		drawSpans(f);
		drawOutside(f);
		drawRaces(f);
		drawNames(f);
	}
	drawRuler(ctx, app);
}
