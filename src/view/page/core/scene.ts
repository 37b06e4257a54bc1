// An answered picture with what drawing and pointing need: who is where.
import { Flag, type Arrow, type Box, type Cone, type Density, type Span8, type View } from "./types";

const EVENTS = 2 ** 32;

// In logical time most events take none: each is drawn as wide as most of one step, around it. What passes between two events passes half a step off.
export const AROUND = 0.4, BETWEEN = 0.5;

// The logical x of a cut is behind its events, that of a future before them.
export function besides(cone: Cone): Cone {
	const shift = { nothing: -BETWEEN, after: BETWEEN, inside: 0, end: BETWEEN };
	return {
		cut: cone.cut.map((c) => ({ ...c, logical: c.logical + shift[c.stop] })),
		future: cone.future.map((c) => ({ ...c, logical: c.logical - BETWEEN })),
	};
}

// A high column, but not the highest: one crowded place must not make the rest flat.
function usual(densities: Density[]): number {
	const seen: number[] = [], all = densities.reduce((n, d) => n + d[2].length, 0), every = Math.max(1, Math.floor(all / 8000));
	for (const density of densities) {
		for (let i = 0; i < density[2].length; i += every) {
			if (density[2][i]) {
				seen.push(density[2][i]!);
			}
		}
	}
	seen.sort((a, b) => a - b);
	return seen[Math.floor(seen.length * 0.97)] ?? 1;
}

export class Scene {
	byKind: Box[][] = [[], [], [], [], [], []];
	lines = new Map<number, Box[]>(); // in the order of x
	densities = new Map<number, Density>();
	spans = new Map<number, Span8[]>(); // by depth, as they began
	private boxes = new Map<number, Box>();
	private ends: Map<number, Arrow[]> | null = null;
	most: number; // events in a column of a density that is drawn as high as can be
	racing: Box[] = [];
	fine: boolean; // nothing is merged: coming nearer shows nothing new

	constructor(readonly view: View, readonly key: string) {
		let merged = view.hidden > 0 || view.hidden_messages > 0;
		const around = view.axis === "logical" ? AROUND : 0;
		for (const ring of view.collectives) {
			ring[2] = ring[2].map((p) => [p[0], p[1], p[2] - around, p[3] + around]);
		}
		for (const box of view.boxes) {
			box[2] -= around;
			box[3] += around;
			(this.byKind[box[6]] ?? this.byKind[0]!).push(box);
			const list = this.lines.get(box[0]);
			if (list) {
				list.push(box);
			} else {
				this.lines.set(box[0], [box]);
			}
			this.boxes.set(box[0] * EVENTS + box[1], box);
			if (box[7] & Flag.Races) {
				this.racing.push(box);
			}
		}
		for (const list of [...this.byKind, this.racing]) {
			list.sort((a, b) => a[0] - b[0] || a[2] - b[2]);
		}
		for (const list of this.lines.values()) {
			list.sort((a, b) => a[2] - b[2] || a[1] - b[1]);
		}
		for (const span of view.spans ?? []) {
			span[3] -= around;
			span[4] += around;
			const list = this.spans.get(span[0]);
			if (list) {
				list.push(span);
			} else {
				this.spans.set(span[0], [span]);
			}
			merged ||= span[7] > 1;
		}
		for (const density of view.densities) {
			this.densities.set(density[0], density);
			merged = true;
		}
		this.most = usual(view.densities);
		this.fine = !merged && !view.arrows.some((a) => a[7] > 1);
	}

	box(line: number, event: number): Box | undefined {
		return this.boxes.get(line * EVENTS + event);
	}

	// The span of a line and depth that x is in, or is less than `reach` from.
	spanAt(line: number, depth: number, x: number, reach: number): Span8 | undefined {
		return this.spans.get(line)?.find((s) => s[5] === depth && x >= s[3] - reach && x <= s[4] + reach);
	}

	// The arrows that begin or end at an event.
	arrowsAt(line: number, event: number): Arrow[] {
		if (!this.ends) {
			this.ends = new Map();
			for (const arrow of this.view.arrows) {
				this.end(arrow[0] * EVENTS + arrow[1], arrow);
				if (arrow[4]) {
					this.end(arrow[3] * EVENTS + arrow[4], arrow);
				}
			}
		}
		return this.ends.get(line * EVENTS + event) ?? [];
	}

	private end(key: number, arrow: Arrow): void {
		const list = this.ends!.get(key);
		if (list) {
			list.push(arrow);
		} else {
			this.ends!.set(key, [arrow]);
		}
	}

	// The box of the line that x is in, or the nearest within `reach` of it.
	boxNear(line: number, x: number, reach: number): Box | undefined {
		const list = this.lines.get(line);
		if (!list) {
			return undefined;
		}
		let low = 0, high = list.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (list[middle]![2] <= x) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		let best: Box | undefined, distance = reach;
		for (const box of [list[low - 1], list[low]]) {
			if (box) {
				const away = Math.max(0, box[2] - x, x - Math.max(box[3], box[2]));
				if (away < distance || (away === 0 && !best)) {
					best = box;
					distance = away;
				}
			}
		}
		return best;
	}
}
