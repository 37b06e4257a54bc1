// The axis above the lines: round numbers, and the lines of the grid under them.
import { RULER, type App } from "../core/app";
import { FONT, paint } from "./paint";

const APART = 110; // pixels between labels, about

export function step(span: number, width: number, whole: boolean): number {
	const wish = (span * APART) / Math.max(width, 1), ten = 10 ** Math.floor(Math.log10(wish));
	const found = [1, 2, 5, 10].find((m) => m * ten >= wish)! * ten;
	return whole ? Math.max(1, Math.round(found)) : found;
}

// A time in nanoseconds, to the digits that `by` (the distance of two labels) makes sense of.
export function time(ns: number, by = Math.abs(ns) / 100): string {
	const size = Math.max(Math.abs(ns), by);
	const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
	const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(by / unit) - 1e-9)));
	return `${(ns / unit).toFixed(digits)} ${name}`;
}

export function count(n: number): string {
	return Math.round(n).toLocaleString("en").replace(/,/g, "\u202f");
}

export function ticks(app: App): { x: number; text: string }[] {
	const [from, to] = app.range(), logical = app.choice.axis === "logical", by = step(to - from, app.width, logical);
	const found: { x: number; text: string }[] = [], [first, last] = app.span();
	for (let i = Math.ceil(Math.max(from, first) / by) + 0; i * by <= Math.min(to, last + by / 2); i++) {
		found.push({ x: app.x(i * by), text: logical ? count(i * by) : time(i * by, by) });
	}
	return found;
}

export function drawRuler(ctx: CanvasRenderingContext2D, app: App): void {
	const colours = paint();
	ctx.fillStyle = colours.ruler;
	ctx.fillRect(0, 0, app.width, RULER);
	ctx.fillStyle = colours.grid;
	ctx.fillRect(0, RULER - 1, app.width, 1);
	ctx.font = FONT;
	ctx.textBaseline = "middle";
	ctx.textAlign = "center";
	for (const { x, text } of ticks(app)) {
		ctx.fillStyle = colours.life;
		ctx.fillRect(Math.round(x), RULER - 5, 1, 5);
		const half = ctx.measureText(text).width / 2;
		if (x - half > 2 && x + half < app.width - 2) {
			ctx.fillStyle = colours.faint;
			ctx.fillText(text, Math.round(x), RULER / 2 - 1);
		}
	}
	ctx.textAlign = "left";
}
