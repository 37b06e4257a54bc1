// Lines with too many events to draw one by one: a column of pixels for each slice, and how many are hidden.
import { RULER } from "../core/app";
import { paint, SMALL } from "./paint";
import { boxPlace, type Frame } from "./picture";
import { count } from "./ruler";

let sheet: HTMLCanvasElement | null = null;
let pixels: ImageData | null = null;

function room(width: number, height: number): ImageData {
	sheet ??= document.createElement("canvas");
	if (!pixels || sheet.width !== width || sheet.height !== height) {
		sheet.width = width;
		sheet.height = height;
		pixels = sheet.getContext("2d")!.createImageData(width, height);
	}
	return pixels!;
}

const word = ([r, g, b]: [number, number, number]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export function drawDensities(f: Frame): void {
	const { ctx, app, scene, from, k, dpr } = f;
	if (scene.densities.size === 0) {
		return;
	}
	const width = Math.round(app.width * dpr), height = Math.round(app.height * dpr), data = room(width, height);
	const words = new Uint32Array(data.data.buffer), colours = paint(), solid = word(colours.dense), pale = word(colours.denseWaits);
	words.fill(0);
	const { view } = scene, scale = Math.sqrt(scene.most);
	for (const [line, [, , counts, waiting]] of scene.densities) {
		const place = boxPlace(app, app.rows.at[line]);
		if (!place || counts.length === 0) {
			continue;
		}
		const bottom = Math.min(height, Math.round((place.y + place.h) * dpr)), high = place.h * dpr;
		const slice = ((view.to - view.from) / counts.length) * k * dpr, start = (view.from - from) * k * dpr;
		for (let x = Math.max(0, Math.floor(start)); x < width; x++) {
			const i = Math.floor((x + 0.5 - start) / slice);
			if (i >= counts.length) {
				break;
			}
			const n = i < 0 ? 0 : counts[i]!;
			if (n > 0) {
				const tall = Math.max(2, Math.min(high, Math.round((high * Math.sqrt(n)) / scale))), idle = Math.round((tall * (waiting[i] ?? 0)) / 255);
				for (let y = 0, at = (bottom - 1) * width + x; y < tall && at >= 0; y++, at -= width) {
					words[at] = y < tall - idle ? solid : pale;
				}
			}
		}
	}
	sheet!.getContext("2d")!.putImageData(data, 0, 0);
	ctx.drawImage(sheet!, 0, 0, app.width, app.height);
}

const ROOMY = 18; // lines lower than this have the number alone, and the words once above all

// "n hidden here", at the right end of each line that has merged detail.
export function drawHidden(f: Frame): void {
	const { ctx, app, scene } = f, colours = paint();
	let low = false;
	ctx.font = SMALL;
	ctx.textBaseline = "middle";
	for (const line of scene.densities.keys()) {
		const slot = app.rows.at[line], n = hiddenHere(f, line);
		if (!slot || slot.squeezed || n === 0 || slot.h < 11 || app.y(slot.y) < RULER - 2) {
			continue;
		}
		const text = slot.h < ROOMY ? count(n) : count(n) + " hidden here", wide = ctx.measureText(text).width, y = Math.round(app.y(slot.y) + slot.h / 2);
		const high = Math.min(slot.h - 1, 15), x = app.width - wide - 12;
		ctx.fillStyle = colours.pill;
		ctx.beginPath();
		ctx.roundRect(x - 5, y - high / 2, wide + 10, high, high / 2);
		ctx.fill();
		ctx.fillStyle = colours.faint;
		ctx.fillText(text, x, y + 0.5);
		low ||= slot.h < ROOMY;
	}
	f.app.hiddenTold = low;
}

// Events of the line that are merged in what is seen now (the picture is wider than the window).
export function hiddenHere(f: Pick<Frame, "app" | "scene">, line: number): number {
	const density = f.scene.densities.get(line);
	if (!density) {
		return 0;
	}
	const [from, to] = f.app.range(), { view } = f.scene, [, all, counts] = density, n = counts.length;
	if (from <= view.from && to >= view.to) {
		return all;
	}
	const first = Math.max(0, Math.floor(((from - view.from) / (view.to - view.from)) * n));
	const last = Math.min(n, Math.ceil(((to - view.from) / (view.to - view.from)) * n));
	let sum = 0;
	for (let i = first; i < last; i++) {
		sum += counts[i]!;
	}
	return sum;
}
