// Spans of the program itself: bars from begin to end below the line's events, those inside of others below them.
import { RULER } from "../core/app";
import type { Track } from "../core/rows";
import type { Span8 } from "../core/types";
import { FONT, paint } from "./paint";
import { short, type Frame } from "./picture";

const NAMED = 11; // pixels that a name needs

// A name has the same colour everywhere.
export function shadeOf(fn: number, shades: string[]): string {
	return shades[fn % shades.length]!;
}

export interface Bar { x: number; y: number; w: number; h: number }

// Null when nothing of it can be seen.
export function barOf(f: Frame, track: Track, span: Span8): Bar | null {
	const { app, from, k } = f, depth = span[5], y = app.y(track.y + depth * track.each) + 1, h = track.each - (track.each > 5 ? 2 : 1);
	const x0 = Math.round((span[3] - from) * k), x1 = Math.max(x0 + 1, Math.round((span[4] - from) * k));
	return depth >= track.depth || y + h < RULER || y > app.height || x1 < 0 || x0 > app.width ? null : { x: x0, y: Math.round(y), w: x1 - x0, h };
}

function nameIn(ctx: CanvasRenderingContext2D, text: string, bar: Bar, width: number): void {
	const left = Math.max(bar.x, 0) + 4, room = Math.min(bar.x + bar.w, width) - left - 3;
	if (room > 8 && ctx.measureText(text).width <= room) {
		ctx.fillText(text, left, bar.y + bar.h / 2 + 0.5);
	}
}

export function drawSpans(f: Frame): void {
	const { ctx, app, scene } = f, colours = paint();
	ctx.font = FONT;
	ctx.textBaseline = "middle";
	for (const track of app.rows.tracks) {
		for (const span of scene.spans.get(track.line) ?? []) {
			const bar = barOf(f, track, span);
			if (!bar) {
				continue;
			}
			ctx.fillStyle = shadeOf(span[6], colours.spans);
			ctx.fillRect(bar.x, bar.y, bar.w, bar.h);
			if (bar.w > 4 && bar.h > 4) {
				// upright edges, so that two of the same name beside each other are two; open where it did not end
				ctx.fillStyle = colours.spanEdge;
				ctx.fillRect(bar.x, bar.y, 1, bar.h);
				if (span[2]) {
					ctx.fillRect(bar.x + bar.w - 1, bar.y, 1, bar.h);
				}
			}
			if (bar.h >= NAMED && bar.w > 14) {
				ctx.fillStyle = colours.text;
				nameIn(ctx, short(app.run.functions[span[6]]) + (span[7] > 1 ? ` ×${span[7]}` : ""), bar, app.width);
			}
		}
	}
}
