// Fetches pictures: a little more than is seen, not while everything moves, never two at once.
import type { App } from "./app";
import { ranges } from "./choice";
import { Scene } from "./scene";
import type { Parameters } from "./server";
import type { Span, View } from "./types";

const CALM = 60; // milliseconds without a change before a picture is asked for
const MARGIN = 0.3; // of the window, on both sides
const LONGEST = 4000; // characters of a list in an address

export class Loader {
	private timer = 0;
	private running: AbortController | null = null;
	failed = "";
	requests = 0;

	constructor(private app: App) {}

	// The lines that have a row, unless all have. A list that is too long for an address is left out: what has no row is not drawn.
	lines(): string {
		const { rows, run } = this.app, list = rows.slots.map((slot) => slot.line).sort((a, b) => a - b);
		const text = list.length < run.lines.length ? ranges(list).replace(/-/g, ":") : "";
		return text.length < LONGEST ? text : "";
	}

	private filter(): Parameters {
		const { choice } = this.app;
		return {
			axis: choice.axis,
			lines: this.lines(),
			function: choice.functions.join(","),
			tag: choice.tag,
			group: choice.group,
		};
	}

	private goodEnough(key: string): boolean {
		const { scene, width } = this.app, [from, to] = this.app.range(), [first, last] = this.app.span();
		if (!scene || scene.key !== key) {
			return false;
		}
		const view = scene.view;
		if (view.from > Math.max(from, first) || view.to < Math.min(to, last)) {
			return false;
		}
		// Merged detail is asked for again when it was merged for another magnification.
		const then = width * (1 + 2 * MARGIN) / (view.to - view.from), now = width / (to - from);
		const ratio = now / Math.min(then, width / Math.max(1e-9, Math.min(view.to - view.from, last - first)));
		return (scene.fine && ratio > 0.2) || (ratio > 0.5 && ratio < (1 + 2 * MARGIN) * 1.2);
	}

	want(force = false): void {
		clearTimeout(this.timer);
		if (this.app.server.alone && this.app.run) {
			this.timer = setTimeout(() => void this.load(force), 0);
			return;
		}
		this.timer = setTimeout(() => void this.load(force), this.app.scene ? CALM : 0);
	}

	private window(): Span {
		const [from, to] = this.app.range(), [first, last] = this.app.span(), more = (to - from) * MARGIN;
		const room = (last - first) * 0.001;
		return [Math.max(from - more, first - room), Math.min(to + more, last + room)];
	}

	private async load(force: boolean): Promise<void> {
		const { app } = this, filter = this.filter(), key = JSON.stringify([filter, app.run.ready]);
		if (!force && this.goodEnough(key)) {
			return;
		}
		this.running?.abort();
		const control = (this.running = new AbortController()), [from, to] = this.window(), [a, b] = app.range();
		if (!(to > from)) {
			return;
		}
		const columns = Math.max(16, Math.round((app.width * (to - from)) / (b - a)));
		try {
			this.requests++;
			const view = await app.server.get<View>("view", { ...filter, from, to, columns }, control.signal);
			app.scene = new Scene(view, key);
			this.failed = "";
		} catch (error) {
			if (control.signal.aborted) {
				return;
			}
			this.failed = (error as Error).message;
		}
		if (this.running === control) {
			this.running = null;
		}
		app.touch("picture", "overlay", "choice");
	}

	// For tests: no picture is under way, nothing is waited for.
	get quiet(): boolean {
		return this.running === null;
	}
}
