// Lines with too many events to draw one by one: a column of pixels for each slice. From below the share of the slice that calls of each
// kind took, above it the share that was waited, hatched; free is what was spent outside of MPI. A bar above tells that something raced.
import { KINDS, type Density } from "../core/types";
import { channels, paint } from "./paint";
import { boxPlace, type Frame } from "./picture";

const PER_COLUMN = 7; // characters of a mix: the kinds, and races
const SHARES = KINDS.length + 2; // numbers kept of a column: the kinds, waiting, races; shares of 63
const CODES = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((c, i) => (CODES[c.charCodeAt(0)] = i));

const read = new WeakMap<Density, Uint8Array>();

// What a mix says, as numbers: read once.
function shares(density: Density): Uint8Array {
	const known = read.get(density);
	if (known) {
		return known;
	}
	const [, , counts, waiting, mix] = density, made = new Uint8Array(counts.length * SHARES), n = KINDS.length;
	for (let i = 0; mix && i < counts.length; i++) {
		for (let k = 0; k < n; k++) {
			made[i * SHARES + k] = CODES[mix.charCodeAt(i * PER_COLUMN + k)]!;
		}
		made[i * SHARES + n] = Math.round((waiting[i]! * 63) / 255);
		made[i * SHARES + n + 1] = CODES[mix.charCodeAt(i * PER_COLUMN + n)]!;
	}
	read.set(density, made);
	return made;
}

// One column of a density.
export interface Cell { events: number; kinds: number[]; waiting: number; races: number } // kinds, waiting: shares, 0 to 1

export function cellAt(density: Density, i: number): Cell {
	const all = shares(density), at = i * SHARES, n = KINDS.length;
	return { events: density[2][i] ?? 0, kinds: KINDS.map((_, k) => all[at + k]! / 63), waiting: (density[3][i] ?? 0) / 255, races: all[at + n + 1]! };
}

// What the column is one colour, where there is no room for shares: each kind as often as it is there, and waiting.
export function blend(density: Density, i: number): [r: number, g: number, b: number] {
	const colours = paint(), cell = cellAt(density, i), sum: [number, number, number] = [0, 0, 0];
	let all = 0;
	const add = (colour: readonly number[], share: number) => {
		all += share;
		sum.forEach((_, c) => (sum[c]! += colour[c]! * share));
	};
	colours.kinds.forEach((colour, k) => add(channels(colour), cell.kinds[k]!));
	add(colours.denseWaits, cell.waiting);
	return all ? [sum[0] / all, sum[1] / all, sum[2] / all] : colours.dense;
}

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

const word = ([r, g, b]: readonly number[]) => ((255 << 24) | (b! << 16) | (g! << 8) | r!) >>> 0;

interface Strip { words: Uint32Array; width: number; bottom: number; high: number } // pixels of the sheet

const LEAST = 2; // pixels that a column with an event has

// The shares become whole pixels; what is left over counts in the next column, so that a share of half a pixel is every second one.
class Stack {
	private left = new Float64Array(KINDS.length + 1);
	private colours = Uint32Array.from(paint().kinds, (c) => word(channels(c)));
	private hatch = [word(paint().denseHatch), word(paint().denseWaits)] as const;
	private race = word(channels(paint().race));

	begin(): void {
		this.left.fill(0);
	}

	put(strip: Strip, x: number, all: Uint8Array, at: number, events: number): void {
		const { words, width, bottom, high } = strip, { left, colours } = this, n = KINDS.length;
		let sum = 0, y = 0, place = (bottom - 1) * width + x;
		for (let k = 0; k <= n; k++) {
			sum += all[at + k]!;
		}
		if (sum === 0) {
			return;
		}
		// rounded shares may add up to more than all
		const scale = sum > 63 ? high / sum : events > 0 && sum * high < LEAST * 63 ? LEAST / sum : high / 63;
		for (let k = 0; k <= n; k++) {
			const share = all[at + k]!;
			if (share === 0) {
				continue;
			}
			const wish = share * scale + left[k]!, end = Math.min(high, y + Math.round(wish));
			left[k] = Math.max(-1, Math.min(1, wish - (end - y)));
			for (; y < end; y++, place -= width) {
				words[place] = k < n ? colours[k]! : this.hatch[(x + y) % 5 ? 1 : 0];
			}
		}
		if (all[at + n + 1]) {
			words[(bottom - high) * width + x] = this.race;
			if (high > 9) {
				words[(bottom - high + 1) * width + x] = this.race;
			}
		}
	}
}

// Before there is a model: how many events, and which share of the time was waited.
function plain(strip: Strip, x: number, events: number, waiting: number, most: number): void {
	const { words, width, bottom, high } = strip, solid = word(paint().dense), pale = word(paint().denseWaits);
	const tall = Math.max(LEAST, Math.min(high, Math.round(high * Math.sqrt(events / most)))), idle = Math.round((tall * waiting) / 255);
	for (let y = 0, at = (bottom - 1) * width + x; events > 0 && y < tall && at >= 0; y++, at -= width) {
		words[at] = y < tall - idle ? solid : pale;
	}
}

export function drawDensities(f: Frame): void {
	const { ctx, app, scene, from, k, dpr } = f;
	if (scene.densities.size === 0) {
		return;
	}
	const width = Math.round(app.width * dpr), height = Math.round(app.height * dpr), data = room(width, height);
	const words = new Uint32Array(data.data.buffer), stack = new Stack(), { view } = scene;
	words.fill(0);
	for (const [line, density] of scene.densities) {
		const [, , counts, waiting, mix] = density, all = shares(density);
		const place = boxPlace(app, app.rows.at[line]);
		if (!place || counts.length === 0) {
			continue;
		}
		const bottom = Math.min(height, Math.round((place.y + place.h) * dpr)), high = Math.max(1, Math.round(place.h * dpr));
		const slice = ((view.to - view.from) / counts.length) * k * dpr, start = (view.from - from) * k * dpr;
		const strip = { words, width, bottom, high };
		stack.begin();
		for (let x = Math.max(0, Math.floor(start)); x < width; x++) {
			const i = Math.floor((x + 0.5 - start) / slice);
			if (i >= counts.length) {
				break;
			}
			if (i >= 0 && mix) {
				stack.put(strip, x, all, i * SHARES, counts[i]!);
			} else if (i >= 0) {
				plain(strip, x, counts[i]!, waiting[i] ?? 0, scene.most);
			}
		}
	}
	sheet!.getContext("2d")!.putImageData(data, 0, 0);
	ctx.drawImage(sheet!, 0, 0, app.width, app.height);
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

// What a column says, in words.
export function cellText(f: Pick<Frame, "app" | "scene">, line: number, value: number): string[] {
	const density = f.scene.densities.get(line)!, { view } = f.scene, n = density[2].length;
	const i = Math.floor(((value - view.from) / (view.to - view.from)) * n);
	if (i < 0 || i >= n) {
		return [];
	}
	const cell = cellAt(density, i), parts = KINDS.map((name, k) => [name, cell.kinds[k]!] as const).filter(([, share]) => share > 0);
	const percent = (share: number) => (share < 0.02 ? "less than 2 %" : `${Math.round(share * 100)} %`);
	const told = [...parts.sort((a, b) => b[1] - a[1]), ["waiting", cell.waiting] as const].filter(([, share]) => share > 0).map(([name, share]) => `${name} ${percent(share)}`);
	return [
		...(told.length ? [`this column: ${told.join(", ")}`] : []),
		...(cell.races ? [`${cell.races < 63 ? cell.races : "63 or more"} raced in it`] : []),
	];
}
