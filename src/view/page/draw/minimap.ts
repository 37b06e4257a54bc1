// The whole run, small: where the window is, hits, breakpoints and bookmarks.
import { slotAt } from "../core/rows";
import { Scene } from "../core/scene";
import type { App } from "../core/app";
import type { View } from "../core/types";
import { blend } from "./dense";
import { paint } from "./paint";

const HEIGHT = 56, COLUMNS = 800;

export class Minimap {
	private scene: Scene | null = null;
	private back = document.createElement("canvas");
	private asked = "";
	private grip = 0;

	constructor(private app: App, private canvas: HTMLCanvasElement) {
		app.on("picture", () => this.draw());
		app.on("overlay", () => this.draw());
		app.on("rows", () => void this.load());
		app.on("theme", () => this.paintBack());
		canvas.addEventListener("pointerdown", (event) => this.down(event));
		canvas.addEventListener("pointermove", (event) => event.buttons & 1 && this.drag(event));
	}

	async load(): Promise<void> {
		const { app } = this, { choice } = app, [from, to] = app.span();
		const filter = { axis: choice.axis, lines: app.loader.lines(), function: choice.functions.join(","), tag: choice.tag, group: choice.group };
		const key = JSON.stringify([filter, from, to, app.run.ready]);
		if (key === this.asked) {
			this.paintBack();
			return;
		}
		this.asked = key;
		try {
			const view = await app.server.get<View>("view", { ...filter, from, to, columns: COLUMNS });
			if (this.asked === key) {
				this.scene = new Scene(view, key);
				this.paintBack();
			}
		} catch {
			this.asked = "";
		}
	}

	private size(): { w: number; h: number; dpr: number } {
		const dpr = window.devicePixelRatio || 1, w = this.canvas.clientWidth, h = this.canvas.clientHeight || HEIGHT;
		for (const c of [this.canvas, this.back]) {
			if (c.width !== Math.round(w * dpr) || c.height !== Math.round(h * dpr)) {
				c.width = Math.round(w * dpr);
				c.height = Math.round(h * dpr);
			}
		}
		return { w, h, dpr };
	}

	paintBack(): void {
		const { app, scene } = this, { w, h, dpr } = this.size(), ctx = this.back.getContext("2d")!, colours = paint();
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		ctx.fillStyle = colours.ground;
		ctx.fillRect(0, 0, w, h);
		if (scene && scene.view.axis === app.choice.axis && app.rows.height > 0) {
			const [from, to] = app.span(), k = w / (to - from), high = h / app.rows.height;
			const y = (line: number) => {
				const slot = app.rows.at[line];
				return slot ? [slot.y * high, Math.max(0.5, slot.h * high - (slot.h * high > 4 ? 1.5 : 0))] as const : null;
			};
			scene.byKind.forEach((boxes, kind) => {
				ctx.fillStyle = colours.kinds[kind]!;
				let last = -1, on = -1;
				for (const box of boxes) {
					const at = y(box[0]), x = (box[2] - from) * k, x1 = (box[3] - from) * k;
					if (at && (box[0] !== on || x1 - last > 0.5)) {
						const waited = box[4] * k;
						if (waited > 1) {
							ctx.fillStyle = colours.waits[kind]!;
							ctx.fillRect(x, at[0], waited, at[1]);
							ctx.fillStyle = colours.kinds[kind]!;
						}
						ctx.fillRect(x + waited, at[0], Math.max(0.75, x1 - x - waited), at[1]);
						last = x1;
						on = box[0];
					}
				}
			});
			this.paintDensities(ctx, y, w);
		}
		this.draw();
	}

	private paintDensities(ctx: CanvasRenderingContext2D, y: (line: number) => readonly [number, number] | null, w: number): void {
		const scene = this.scene!;
		for (const [line, density] of scene.densities) {
			const at = y(line), [, , counts] = density, slice = w / counts.length;
			for (let i = 0; at && i < counts.length; i++) {
				if (counts[i]) {
					const strength = density[4] ? 1 : 0.25 + 0.75 * Math.sqrt(Math.min(1, counts[i]! / scene.most)), [r, g, b] = blend(density, i);
					ctx.fillStyle = `rgba(${r | 0},${g | 0},${b | 0},${strength.toFixed(2)})`;
					ctx.fillRect(i * slice, at[0], Math.max(1, slice), at[1]);
				}
			}
		}
	}

	private window(w: number): [number, number] {
		const [from, to] = this.app.range(), [first, last] = this.app.span(), k = w / (last - first);
		return [Math.max(0, (from - first) * k), Math.min(w, (to - first) * k)];
	}

	draw(): void {
		const { app, canvas } = this, { w, h, dpr } = this.size(), ctx = canvas.getContext("2d")!, colours = paint();
		ctx.setTransform(1, 0, 0, 1, 0, 0);
		ctx.drawImage(this.back, 0, 0);
		ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
		const [first, last] = app.span(), k = w / (last - first), [a, b] = this.window(w);
		const tick = (x: number, colour: string) => {
			ctx.fillStyle = colour;
			ctx.fillRect(Math.round(x) - 1, 0, 2, h);
		};
		app.hits.forEach((hit) => {
			ctx.fillStyle = colours.hit;
			ctx.fillRect((hit[app.choice.axis] - first) * k, h - 5, 1.5, 5);
		});
		for (const [list, colour] of [[app.choice.marks, colours.mark], [app.choice.stops, colours.stop]] as const) {
			for (const at of list) {
				const place = app.placeOf(at);
				if (place) {
					tick((place[app.choice.axis][0] - first) * k, colour);
				}
			}
		}
		ctx.fillStyle = colours.veil;
		ctx.fillRect(0, 0, a, h);
		ctx.fillRect(b, 0, w - b, h);
		const seen = app.height - 26, top = (app.choice.top / Math.max(1, app.rows.height)) * h;
		const high = Math.min(h, (seen / Math.max(1, app.rows.height)) * h);
		ctx.strokeStyle = colours.chosen;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		ctx.roundRect(a + 0.75, top + 0.75, Math.max(3, b - a - 1.5), Math.max(3, high - 1.5), 3);
		ctx.stroke();
	}

	private at(event: PointerEvent): { value: number; y: number } {
		const box = this.canvas.getBoundingClientRect(), [first, last] = this.app.span();
		return {
			value: first + ((event.clientX - box.left) / box.width) * (last - first),
			y: ((event.clientY - box.top) / box.height) * this.app.rows.height,
		};
	}

	private down(event: PointerEvent): void {
		const { value, y } = this.at(event), [from, to] = this.app.range();
		this.canvas.setPointerCapture(event.pointerId);
		this.grip = value >= from && value <= to ? value - from : (to - from) / 2;
		const slot = slotAt(this.app.rows, y);
		if (slot && this.app.rows.height > this.app.height) {
			this.app.scroll(this.app.y(slot.y) - this.app.height / 2);
		}
		this.drag(event);
	}

	private drag(event: PointerEvent): void {
		const [from, to] = this.app.range(), left = this.at(event).value - this.grip;
		if (this.app.choice.to > this.app.choice.from) {
			this.app.setRange(left, left + to - from);
		}
	}
}
