// Collectives: one shape across the processes that took part.
import type { Ring } from "../core/types";
import { paint } from "./paint";
import { boxPlace, type Frame } from "./picture";

interface Edge { y0: number; y1: number; x0: number; x1: number }

function edges(f: Frame, ring: Ring): Edge[] {
	const { app, from, k } = f, found: Edge[] = [];
	for (const part of ring[2]) {
		const slot = app.rows.at[part[0]], place = boxPlace(app, slot);
		if (slot && place) {
			const x0 = (part[2] - from) * k;
			found.push({ y0: place.y, y1: place.y + place.h, x0, x1: Math.max(x0 + 1, (part[3] - from) * k) });
		}
	}
	return found.sort((a, b) => a.y0 - b.y0);
}

function outline(ctx: CanvasRenderingContext2D, at: Edge[]): void {
	ctx.moveTo(at[0]!.x0, at[0]!.y0);
	for (const e of at) {
		ctx.lineTo(e.x1, e.y0);
		ctx.lineTo(e.x1, e.y1);
	}
	for (const e of [...at].reverse()) {
		ctx.lineTo(e.x0, e.y1);
		ctx.lineTo(e.x0, e.y0);
	}
	ctx.closePath();
}

export function drawRings(f: Frame): void {
	const { ctx, app, scene } = f, colours = paint(), thin: Edge[][] = [];
	ctx.fillStyle = colours.ring;
	ctx.strokeStyle = colours.ringEdge;
	ctx.lineWidth = 1;
	for (const ring of scene.view.collectives) {
		const at = edges(f, ring);
		if (at.length < 2) {
			continue;
		}
		const left = Math.min(...at.map((e) => e.x0)), right = Math.max(...at.map((e) => e.x1));
		if (right < 0 || left > app.width) {
			continue;
		}
		if (right - left < 4) {
			thin.push(at);
			continue;
		}
		ctx.beginPath();
		outline(ctx, at);
		ctx.fill();
		ctx.stroke();
	}
	// Too thin for a shape: a line through its parts.
	ctx.lineWidth = 1 / f.dpr;
	ctx.globalAlpha = Math.max(0.25, Math.min(1, 300 / (thin.length + 1)));
	ctx.beginPath();
	let last = -1e9;
	for (const at of thin) {
		if (Math.abs(at[0]!.x0 - last) < 0.5) {
			continue;
		}
		last = at[0]!.x0;
		ctx.moveTo(at[0]!.x0, at[0]!.y0);
		at.forEach((e) => ctx.lineTo((e.x0 + e.x1) / 2, (e.y0 + e.y1) / 2));
	}
	ctx.stroke();
	ctx.globalAlpha = 1;
}
