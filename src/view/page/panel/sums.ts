// What the run adds up to: calls and times by place, function and process; who sent to whom. A click shows only that.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import { called } from "../core/choice";
import type { Matrix, Profile, ProfileRow } from "../core/types";
import { short } from "../draw/picture";
import { mixed, paint } from "../draw/paint";
import { count, time } from "../draw/ruler";
import { button, el, section } from "./dom";
import type { Search } from "./search";

const BY = ["place", "function", "process"] as const, LIMIT = 100;

// Only these processes have lines; none: all.
function only(app: App, processes: Set<number> | null): void {
	app.choice.hidden = processes ? [...app.run.lines.keys()].filter((line) => !processes.has(app.run.lines[line]!.process)) : [];
	app.laid();
	app.loader.want(true);
	app.touch("tab");
}

// An answer of the server, asked for again when what it depends on has changed.
export class Asked<T> {
	value: T | null = null;
	failed = ""; // why there is no answer
	private key = "";

	constructor(private app: App, private actions: Actions) {}

	want(path: string, parameters: Record<string, string | number>): T | null {
		const key = JSON.stringify([path, parameters]);
		if (key !== this.key && this.app.run.ready) {
			this.key = key;
			this.failed = "";
			this.app.server.get<T>(path, parameters).then((got) => {
				if (key === this.key) {
					this.value = got;
					this.app.touch("tab");
				}
			}, (error: Error) => {
				this.actions.complain(error.message);
				if (key === this.key) {
					this.failed = error.message;
					this.app.touch("tab");
				}
			});
		}
		return this.value;
	}
}

export class ProfileList {
	private by: (typeof BY)[number] = "place";
	private asked: Asked<Profile>;

	constructor(private app: App, actions: Actions, private search: Search) {
		this.asked = new Asked(app, actions);
	}

	private press(row: ProfileRow): void {
		const { app } = this;
		if (row.line !== undefined) {
			only(app, app.choice.hidden.length ? null : new Set([app.run.lines[row.line]!.process]));
			return;
		}
		const own = app.choice.functions.length === 1 && app.choice.functions[0] === row.function;
		app.choice.functions = own ? [] : [row.function!];
		if (row.place && /:\d+$/.test(row.place)) {
			this.search.input.value = own ? "" : `line:${row.place} function:${short(row.function)}`;
			void this.search.find();
		}
		app.loader.want(true);
		app.laid();
		app.touch("tab");
	}

	private row(row: ProfileRow, all: number): HTMLElement {
		const name = row.line !== undefined ? row.name! : short(row.function), share = all ? row.time / all : 0;
		const bar = el("div", { class: "bar", role: "img", "aria-label": `${Math.round(share * 100)} % of the time` }, el("i", {}));
		bar.style.width = `${Math.max(1, share * 100)}%`;
		(bar.firstElementChild as HTMLElement).style.width = `${row.time ? (100 * row.waited) / row.time : 0}%`;
		return el("tr", {}, el("td", {}, button(name, row.line !== undefined ? "show only this process, or all again" : "show only these calls, or all again", () => this.press(row), { class: "link" }),
			row.place && this.by === "place" ? el("div", { class: "dim" }, row.place) : null, bar),
		el("td", {}, count(row.calls)), el("td", {}, time(row.time)), el("td", {}, row.time ? `${Math.round((100 * row.waited) / row.time)} %` : ""));
	}

	show(): HTMLElement[] {
		if (this.app.server.alone) {
			return [el("p", { class: "dim" }, "This page is a file: run hbdb view for the profile.")];
		}
		const got = this.asked.want("profile", { by: this.by, limit: LIMIT });
		const pick = el("span", { class: "pair", role: "group", "aria-label": "profile by" }, ...BY.map((by) => button("by " + by, `calls and times by ${by}`, () => {
			this.by = by;
			this.app.touch("tab");
		}, { "aria-pressed": by === this.by ? "true" : "false" })));
		if (!got || got.by !== this.by) {
			return [pick, el("p", { class: "dim" }, "Adding up …")];
		}
		return [
			pick,
			el("p", { class: "dim" }, `In recorded calls: ${time(got.time)}, of which ${time(got.waited)} waiting for others, of all processes together.`),
			el("table", { class: "list profile" }, el("thead", {}, el("tr", {}, ...[this.by, "calls", "time", "waiting"].map((t) => el("th", {}, t)))),
				el("tbody", {}, ...got.rows.map((row) => this.row(row, got.time)))),
			...(got.found > got.rows.length ? [el("p", { class: "dim" }, `and ${count(got.found - got.rows.length)} more`)] : []),
		];
	}
}

const SIDE = 300; // pixels of the matrix

export class MatrixPanel {
	private asked: Asked<Matrix>;
	private bytes = false;

	constructor(private app: App, actions: Actions) {
		this.asked = new Asked(app, actions);
	}

	// The processes of a row or column.
	private members(m: Matrix, i: number): number[] {
		const end = Math.min((i + 1) * m.each, this.app.run.processes.length);
		return Array.from({ length: end - i * m.each }, (_, k) => i * m.each + k);
	}

	private name(m: Matrix, i: number): string {
		const all = this.members(m, i), rank = (p: number) => (this.app.run.processes[p] ? called(this.app.run.processes[p]!) : "?");
		return all.length > 1 ? `${rank(all[0]!)}-${rank(all[all.length - 1]!)}` : rank(all[0]!);
	}

	private press(m: Matrix, i: number, j: number): void {
		only(this.app, new Set([...this.members(m, i), ...this.members(m, j)]));
	}

	private picture(m: Matrix): HTMLElement {
		const canvas = el("canvas", { class: "matrix", width: SIDE, height: SIDE, role: "img", "aria-label": "which process sent to which; the table below lists the largest cells" });
		const ctx = canvas.getContext("2d")!, colours = paint(), size = SIDE / Math.max(1, m.size), value = this.bytes ? 3 : 2;
		const most = Math.max(1, ...m.cells.map((c) => c[value]!)), by = new Map(m.cells.map((c) => [c[0] * m.size + c[1], c]));
		ctx.fillStyle = colours.ruler;
		ctx.fillRect(0, 0, SIDE, SIDE);
		for (const c of m.cells) {
			ctx.fillStyle = mixed(colours.synchronous, colours.ground, 0.12 + 0.88 * Math.sqrt(c[value]! / most));
			ctx.fillRect(c[1] * size, c[0] * size, Math.max(1, size - (size > 5 ? 1 : 0)), Math.max(1, size - (size > 5 ? 1 : 0)));
		}
		const cell = (event: MouseEvent) => {
			const box = canvas.getBoundingClientRect(), at = (x: number, wide: number) => Math.max(0, Math.min(m.size - 1, Math.floor((x / wide) * m.size)));
			return [at(event.clientY - box.top, box.height), at(event.clientX - box.left, box.width)] as const;
		};
		canvas.addEventListener("pointermove", (event) => {
			const [i, j] = cell(event), c = by.get(i * m.size + j);
			canvas.title = `from ${this.name(m, i)} to ${this.name(m, j)}: ` + (c ? this.told(c) : "nothing");
		});
		canvas.addEventListener("click", (event) => this.press(m, ...cell(event)));
		return canvas;
	}

	private told(c: Matrix["cells"][number]): string {
		return `${count(c[2])} messages, ${count(c[3])} bytes` + (c[4] ? `, ${count(c[4])} that nobody received` : "");
	}

	show(): HTMLElement[] {
		const { app } = this, { tag, group } = app.choice;
		if (app.server.alone) {
			return [el("p", { class: "dim" }, "This page is a file: run hbdb view for the matrix of messages.")];
		}
		const m = this.asked.want("matrix", { tag, group });
		if (!m) {
			return [el("p", { class: "dim" }, "Adding up …")];
		}
		const value = this.bytes ? 3 : 2, largest = [...m.cells].sort((a, b) => b[value]! - a[value]! || a[0] - b[0] || a[1] - b[1]).slice(0, 20);
		return [
			el("span", { class: "pair", role: "group", "aria-label": "shown" }, ...[false, true].map((bytes) => button(bytes ? "bytes" : "messages", "what the colours show", () => {
				this.bytes = bytes;
				app.touch("tab");
			}, { "aria-pressed": bytes === this.bytes ? "true" : "false" }))),
			el("p", { class: "dim" }, `${count(m.messages)} messages, ${count(m.bytes)} bytes` + (m.unreceived ? `, ${count(m.unreceived)} that nobody received` : "") +
				(tag || group ? " (of the filter)" : "") + ". Rows are senders, columns are receivers. Click a cell to show only these two processes."),
			this.picture(m),
			...(app.choice.hidden.length ? [el("div", { class: "buttons" }, button("all processes", "show all again", () => only(app, null)))] : []),
			section(this.bytes ? "Most bytes" : "Most messages", el("table", { class: "list" }, el("thead", {}, el("tr", {}, ...["from", "to", "messages", "bytes"].map((t) => el("th", {}, t)))),
				el("tbody", {}, ...largest.map((c) => el("tr", {}, el("td", {}, button(this.name(m, c[0]), "show only these processes", () => this.press(m, c[0], c[1]), { class: "link" })),
					el("td", {}, this.name(m, c[1])), el("td", {}, count(c[2])), el("td", {}, count(c[3]))))))),
		];
	}
}
