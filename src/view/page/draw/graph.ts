// The two canvases, and the pointer on them.
import { RULER, type App } from "../core/app";
import type { Actions } from "../core/actions";
import { slotAt, trackAt, type Slot } from "../core/rows";
import { KINDS, type Span8 } from "../core/types";
import { outsideText } from "./arrows";
import { cellText, hiddenHere } from "./dense";
import { drawOverlay, type Rubber } from "./overlay";
import { drawPicture, short } from "./picture";
import { count, time } from "./ruler";

const STILL = 4; // pixels that a click may move

interface Press { x: number; y: number; moved: boolean; box: boolean }

export class Graph {
	private picture: HTMLCanvasElement;
	private overlay: HTMLCanvasElement;
	private tip: HTMLElement;
	private press: Press | null = null;
	private rubber: Rubber | null = null;
	took = 0; // milliseconds of the last picture

	constructor(private app: App, private actions: Actions, readonly area: HTMLElement) {
		this.picture = area.querySelector<HTMLCanvasElement>("#picture")!;
		this.overlay = area.querySelector<HTMLCanvasElement>("#overlay")!;
		this.tip = area.querySelector<HTMLElement>("#tip")!;
		app.on("picture", () => this.draw());
		app.on("overlay", () => this.drawOver());
		area.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		area.addEventListener("pointerdown", (event) => this.down(event));
		area.addEventListener("pointermove", (event) => this.move(event));
		area.addEventListener("pointerup", (event) => this.up(event));
		area.addEventListener("pointercancel", () => this.leave());
		area.addEventListener("pointerleave", () => this.leave());
		area.addEventListener("dblclick", (event) => this.twice(event));
	}

	// The canvases take the size of their place. True when that changed.
	size(): boolean {
		const dpr = window.devicePixelRatio || 1, w = this.area.clientWidth, h = this.area.clientHeight;
		let changed = false;
		for (const c of [this.picture, this.overlay]) {
			if (c.width !== Math.round(w * dpr) || c.height !== Math.round(h * dpr)) {
				c.width = Math.round(w * dpr);
				c.height = Math.round(h * dpr);
				changed = true;
			}
		}
		this.app.width = Math.max(1, w);
		this.app.height = Math.max(RULER + 1, h);
		return changed;
	}

	draw(): void {
		const before = performance.now();
		drawPicture(this.picture.getContext("2d", { alpha: false })!, this.app, window.devicePixelRatio || 1);
		this.took = performance.now() - before;
	}

	drawOver(): void {
		drawOverlay(this.overlay.getContext("2d")!, this.app, window.devicePixelRatio || 1, this.rubber);
	}

	private at(event: MouseEvent): { x: number; y: number } {
		const box = this.area.getBoundingClientRect();
		return { x: event.clientX - box.left, y: event.clientY - box.top };
	}

	private slot(y: number): Slot | undefined {
		const { app } = this, inRows = y - RULER + app.choice.top;
		return y > RULER && inRows < app.rows.height ? slotAt(app.rows, inRows) : undefined;
	}

	private wheel(event: WheelEvent): void {
		event.preventDefault();
		const { app } = this, unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
		const dx = event.deltaX * unit, dy = event.deltaY * unit;
		if (event.altKey) {
			app.scroll(dy);
		} else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
			app.pan(event.shiftKey ? dy + dx : dx);
		} else {
			app.zoom(Math.exp(Math.max(-300, Math.min(300, dy)) * 0.0022), this.at(event).x);
		}
	}

	private down(event: PointerEvent): void {
		if (event.button !== 0) {
			return;
		}
		const { x, y } = this.at(event);
		this.area.focus({ preventScroll: true });
		this.area.setPointerCapture(event.pointerId);
		this.press = { x, y, moved: false, box: event.shiftKey };
		this.tip.hidden = true;
	}

	private move(event: PointerEvent): void {
		const { x, y } = this.at(event), press = this.press;
		if (!press) {
			this.point(x, y);
			return;
		}
		if (!press.moved && Math.hypot(x - press.x, y - press.y) < STILL) {
			return;
		}
		press.moved = true;
		if (press.box) {
			this.rubber = { x0: press.x, y0: press.y, x1: x, y1: y };
			this.app.touch("overlay");
			return;
		}
		this.app.pan(press.x - x);
		this.app.scroll(press.y - y);
		press.x = x;
		press.y = y;
	}

	private up(event: PointerEvent): void {
		const press = this.press, { x, y } = this.at(event), { app } = this;
		this.press = null;
		if (this.rubber) {
			const { x0, x1 } = this.rubber;
			this.rubber = null;
			if (Math.abs(x1 - x0) > 3) {
				app.setRange(app.valueAt(Math.min(x0, x1)), app.valueAt(Math.max(x0, x1)));
			}
			app.touch("overlay");
		} else if (press && !press.moved) {
			void this.click(x, y);
		}
	}

	private leave(): void {
		this.tip.hidden = true;
		if (this.app.hover) {
			this.app.hover = null;
			this.app.touch("overlay");
		}
	}

	private reach(): number {
		const [from, to] = this.app.range();
		return (6 * (to - from)) / this.app.width;
	}

	// The span at a point; null where the rows of spans are and none is there, undefined elsewhere.
	private spanAt(x: number, y: number): Span8 | null | undefined {
		const { app } = this, at = y > RULER ? trackAt(app.rows, y - RULER + app.choice.top) : undefined;
		return at && (app.scene?.spanAt(at.track.line, at.depth, app.valueAt(x), this.reach() / 3) ?? null);
	}

	private async click(x: number, y: number): Promise<void> {
		const slot = this.slot(y), { app } = this, span = this.spanAt(x, y);
		if (span) {
			void this.actions.choose(app.nameOf(span[0], span[1]), false);
			return;
		}
		const found = slot && span === undefined && await this.actions.chooseNear(slot.line, app.valueAt(x), this.reach());
		if (!found && app.choice.at) {
			void this.actions.choose("");
		}
	}

	private twice(event: MouseEvent): void {
		const { x, y } = this.at(event), slot = this.spanAt(x, y) === undefined ? this.slot(y) : undefined, box = slot && this.app.scene?.boxNear(slot.line, this.app.valueAt(x), this.reach());
		if (slot && box) {
			this.actions.toggleStop(this.app.nameOf(slot.line, box[1]));
		} else {
			this.app.zoom(0.4, x);
		}
	}

	private point(x: number, y: number): void {
		const { app } = this, slot = this.slot(y), value = app.valueAt(x);
		const span = this.spanAt(x, y), box = slot && span === undefined ? app.scene?.boxNear(slot.line, value, this.reach()) : undefined, over = box ? { line: box[0], event: box[1] } : null;
		if (over?.line !== app.hover?.line || over?.event !== app.hover?.event) {
			app.hover = over;
			app.touch("overlay");
		}
		this.area.classList.toggle("over", over !== null || Boolean(span));
		let text = "";
		if (span) {
			const long = app.choice.axis === "logical" ? "" : `, ${time(span[4] - span[3])}`, name = short(app.run.functions[span[6]]);
			text = span[7] > 1 ? `${count(span[7])} spans merged here, the first is ${name}\nzoom in to see each`
				: `span ${name}${long}\nfrom ${app.nameOf(span[0], span[1])} ${span[2] ? "to " + app.nameOf(span[0], span[2]) : "on: it did not end"}`;
		} else if (box) {
			const logical = app.choice.axis === "logical", kind = KINDS[box[6]];
			const long = logical ? "" : `, ${time(box[3] - box[2])}` + (box[4] > 0 ? ` (${time(box[4])} waiting)` : "");
			const outside = (app.scene?.view.outside ?? []).filter((s) => s[0] === box[0] && s[1] === box[1]).slice(0, 5);
			text = `${app.nameOf(box[0], box[1])}  ${short(app.run.functions[box[5]])}${long}\n${kind}${box[7] & 1 ? ", raced" : ""}${box[7] & 2 ? ", never returned" : ""}${outside.map((s) => "\n" + outsideText(s)).join("")}`;
		} else if (slot && span === undefined && app.scene?.densities.has(slot.line)) {
			const here = app.scene, n = hiddenHere({ app, scene: here }, slot.line);
			text = [`${app.run.lines[slot.line]!.name}: ${count(n)} events merged here`, ...cellText({ app, scene: here }, slot.line, value), "zoom in to see each event"].join("\n");
		}
		this.tip.hidden = text === "";
		if (text) {
			this.tip.textContent = text;
			const wide = this.tip.offsetWidth, high = this.tip.offsetHeight;
			this.tip.style.transform = `translate(${Math.round(Math.max(4, Math.min(x + 14, app.width - wide - 6)))}px,${Math.round(y + 20 + high > app.height ? y - high - 10 : y + 18)}px)`;
		}
	}
}
