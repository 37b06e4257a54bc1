// The names of the processes, left of the graph: fold, drag, hide, the stack by a click, and what each is doing in the replay.
import type { Actions } from "../core/actions";
import { RULER, type App } from "../core/app";
import { called } from "../core/choice";
import { grouping, ordered, type Row } from "../core/rows";
import { el } from "./dom";
import { absent, briefly, doing, glyph } from "./lives";
import type { Stops } from "./stop";

const READABLE = 10; // pixels that a name needs

export class Labels {
	private rows: { row: Row; element: HTMLElement }[] = [];
	private inner = el("div", { class: "inner" });
	private drag: { line: number; y: number; to: number } | null = null;
	private mark = el("div", { class: "dropmark", hidden: true });

	constructor(private app: App, private actions: Actions, private stops: Stops, private area: HTMLElement, private say: (text: string) => void) {
		area.append(el("div", { class: "corner" }), el("div", { class: "clip" }, this.inner, this.mark));
		app.on("rows", () => this.build());
		app.on("state", () => this.build());
		app.on("picture", () => this.place());
		app.on("chosen", () => this.place());
		area.addEventListener("wheel", (event) => {
			event.preventDefault();
			app.scroll(event.deltaY * (event.deltaMode === 1 ? 16 : 1));
		}, { passive: false });
		area.addEventListener("pointermove", (event) => this.moved(event));
		area.addEventListener("pointerup", () => this.dropped());
	}

	// Only rows that are seen have elements: there may be thousands.
	private seen(row: Row): boolean {
		const y = this.app.y(row.y);
		return y + row.h > RULER - 40 && y < this.app.height + 40;
	}

	private build(): void {
		this.corner();
		this.inner.replaceChildren();
		this.rows = [];
		this.place();
	}

	private corner(): void {
		const { app } = this, hidden = app.choice.hidden.length, corner = this.area.firstElementChild!;
		corner.replaceChildren(
			hidden
				? el("button", { type: "button", class: "link", title: "show them again", click: () => this.showAll() }, `${hidden} hidden: show`)
				: el("span", {}, `${app.run.processes.length} processes`),
			(app.run.alike?.length ?? 0) > 0 && app.run.alike.length < app.run.lines.length
				? el("button", { type: "button", class: "link alike", title: "one line for all processes that behave alike (l)", click: () => this.actions.toggleAlike() },
					grouping(app.run, app.choice) === "alike" ? "unfold" : "fold alike") : "",
		);
	}

	private showAll(): void {
		this.app.choice.hidden = [];
		this.app.laid();
	}

	place(): void {
		const { app } = this, wanted = app.rows.rows.filter((row) => this.seen(row));
		if (wanted.length !== this.rows.length || wanted.some((row, i) => row !== this.rows[i]!.row)) {
			this.rows = wanted.map((row) => ({ row, element: this.make(row) }));
			this.inner.replaceChildren(...this.rows.map((r) => r.element));
		}
		this.inner.style.transform = `translateY(${-app.choice.top}px)`;
		const chosen = app.choice.at ? app.lineOf(app.choice.at)?.line : undefined;
		for (const { row, element } of this.rows) {
			element.classList.toggle("chosen", chosen !== undefined && row.lines.includes(chosen));
		}
	}

	private make(row: Row): HTMLElement {
		const element = el("div", { class: `row ${row.kind}` + (row.h < 15 ? " low" : "") + (row.group ? " in" : ""), role: "listitem" });
		element.style.top = row.y + "px";
		element.style.height = row.h + "px";
		if (row.kind === "line") {
			this.fillLine(element, row.lines[0]!, row);
		} else {
			const folded = row.kind === "fold", alike = grouping(this.app.run, this.app.choice) === "alike";
			element.title = alike ? `processes ${row.name}: ${row.lines.length} that called the same functions at the same places` + (folded ? `; shown is ${this.app.run.lines[row.lines[0]!]!.name}\nclick to open them` : "") : row.name;
			if (alike) {
				element.classList.add("alike");
				element.addEventListener("click", (event) => (event.target as HTMLElement).closest("button") || this.fold(row.group));
			}
			element.append(
				el("button", { type: "button", class: "fold", "aria-expanded": !folded ? "true" : "false", click: () => this.fold(row.group) }, folded ? "▸" : "▾"),
				el("span", { class: "name" }, row.name),
				el("span", { class: "dim" }, alike ? `×${row.lines.length}` : `${row.lines.length}`),
				alike && folded && this.app.state?.running ? el("span", { class: "doing" }, this.summary(row.lines)) : "",
			);
		}
		return element;
	}

	// What lines that share a row are doing in the replay: all the same, or how many do what.
	private summary(lines: number[]): string {
		const { app } = this, many = new Map<string, number>(), by = new Map(app.state!.processes.map((p) => [called(p), p]));
		for (const line of lines) {
			const name = called(app.run.processes[app.run.lines[line]!.process]!), state = by.get(name), text = state ? state.life : absent(name);
			many.set(text, (many.get(text) ?? 0) + 1);
		}
		return [...many].map(([text, n]) => (many.size > 1 ? `${n} ${text}` : text)).join(", ");
	}

	private fillLine(element: HTMLElement, line: number, row: Row): void {
		const { app } = this, known = app.run.lines[line]!, process = app.run.processes[known.process]!;
		const state = app.state?.running ? app.state.processes.find((p) => called(p) === called(process)) : undefined;
		element.setAttribute("tabindex", "0");
		element.title = `process ${called(process)}` + (process.host ? ` on ${process.host}` : "") + (process.world ? `, of world ${process.world}` : "") +
			`: ${known.events} events` + (process.missing ? ", its log is missing" : process.cut ? ", its log is cut off" : "") + "\nclick (or press Enter) to see its stack during a replay; drag it (or press Alt+Up and Alt+Down) to move it";
		// of low lines every second, third, ... has its name
		const named = (this.app.rows.rows.indexOf(row) % Math.ceil(READABLE / row.h)) === 0;
		element.append(el("span", { class: "name" }, named ? known.name : ""));
		if (state && known.lane === 0) {
			element.append(el("span", { class: "life " + state.life, title: doing(state) }, glyph(state)), el("span", { class: "doing" }, this.area.clientWidth < 160 ? briefly(state) : doing(state)));
		} else if (row.h >= 15 && (process.cut || process.missing)) {
			element.append(el("span", { class: "doing" }, process.missing ? "no log" : "cut off"));
		}
		if (row.h >= 13) {
			element.append(el("button", { type: "button", class: "hide", title: "hide this line", "aria-label": `hide ${known.name}`, click: () => this.hide(line) }, "×"));
		}
		element.addEventListener("pointerdown", (event) => {
			if (event.button === 0 && !(event.target as HTMLElement).closest("button")) {
				this.drag = { line, y: event.clientY, to: -1 };
			}
		});
		element.addEventListener("keydown", (event) => this.key(event, line));
	}

	private key(event: KeyboardEvent, line: number): void {
		const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
		if (event.altKey && by) {
			event.preventDefault();
			event.stopPropagation();
			const order = ordered(this.app.run, { ...this.app.choice, hidden: [] }), at = order.indexOf(line);
			this.moveTo(line, Math.max(0, Math.min(order.length, at + (by > 0 ? 2 : -1))));
			requestAnimationFrame(() => requestAnimationFrame(() => this.rows.find((r) => r.row.lines[0] === line)?.element.focus()));
		} else if (event.key === "Delete") {
			this.hide(line);
		} else if (event.key === "Enter" && event.target === event.currentTarget) {
			event.preventDefault();
			event.stopPropagation();
			this.stackOf(line);
		}
	}

	private stackOf(line: number): void {
		const process = this.app.run.processes[this.app.run.lines[line]!.process]!;
		this.stops.open(this.app.state?.processes.find((p) => called(p) === called(process))?.rank ?? process.rank, called(process));
	}

	hide(line: number): void {
		if (this.app.rows.slots.length > 1) {
			this.app.choice.hidden = [...this.app.choice.hidden, line].sort((a, b) => a - b);
			this.app.laid();
			this.say(`${this.app.run.lines[line]!.name} hidden`);
		}
	}

	fold(group: string): void {
		const { choice } = this.app, there = choice.folded.includes(group);
		choice.folded = there ? choice.folded.filter((g) => g !== group) : [...choice.folded, group];
		this.app.laid();
	}

	// The group that an event's line is in; without an event the first one.
	foldAt(at: string): void {
		const line = at ? this.app.lineOf(at)?.line : undefined, groups = this.app.rows.rows.filter((r) => r.kind !== "line");
		const row = line === undefined ? groups[0] : groups.find((r) => r.lines.includes(line));
		if (row) {
			this.fold(row.group);
			this.say(`${row.name} ${row.kind === "fold" ? "opened" : "folded"}`);
		}
	}

	// ---- dragging ----

	private moved(event: PointerEvent): void {
		const { app, drag } = this;
		if (!drag || (drag.to < 0 && Math.abs(event.clientY - drag.y) < 5)) {
			return;
		}
		const box = this.area.getBoundingClientRect(), y = event.clientY - box.top - RULER + app.choice.top, { slots } = app.rows;
		const before = slots.findIndex((s) => y < s.y + s.h / 2);
		drag.to = before < 0 ? slots.length : before;
		const slot = slots[drag.to], last = slots[slots.length - 1]!;
		this.mark.hidden = false;
		this.mark.style.top = `${(slot ? slot.y : last.y + last.h) - app.choice.top - 1}px`;
		this.area.classList.add("dragging");
	}

	private dropped(): void {
		const { drag, app } = this;
		this.drag = null;
		this.mark.hidden = true;
		this.area.classList.remove("dragging");
		if (drag && drag.to >= 0) {
			const before = app.rows.slots[drag.to]?.line, order = ordered(app.run, { ...app.choice, hidden: [] });
			this.moveTo(drag.line, before === undefined ? order.length : order.indexOf(before));
		} else if (drag) {
			this.stackOf(drag.line);
		}
	}

	private moveTo(line: number, to: number): void {
		const { app } = this, order = ordered(app.run, { ...app.choice, hidden: [] }), from = order.indexOf(line);
		order.splice(from, 1);
		order.splice(to > from ? to - 1 : to, 0, line);
		app.choice.order = order.every((l, i) => l === i) ? [] : order;
		app.laid();
		this.say(`${app.run.lines[line]!.name} moved`);
	}
}
