// Breakpoints, their cut, and the replay: who stands where, stacks, variables, going on.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import { called, names } from "../core/choice";
import type { Cone, EventInfo, Frame, ProcessState, SourceRow, State, Variable } from "../core/types";
import { fileName, sourceView } from "./details";
import { button, el, link, section } from "./dom";
import { doing, glyph } from "./lives";

interface Looked { rank: number; frames: Frame[]; level: number; rows: SourceRow[]; variables: Variable[]; asked: string; value: string; busy: boolean; all: boolean }

const STOPS: Record<string, string> = { nothing: "not run", after: "after", inside: "inside", end: "runs to its end" };

export class Stops {
	private picked = new Set<number>(); // by their ranks
	private looked: Looked | null = null;
	private reached: number | null = null;
	private seen = "";

	constructor(private app: App, private actions: Actions) {
		app.on("run", () => void (app.run.control && this.watch()));
	}

	// Asks for changes of the replay for as long as the page is open.
	private async watch(): Promise<void> {
		const { app } = this;
		let since = -1;
		for (;;) {
			try {
				const state: State = await app.server.get<State>("state", since < 0 ? {} : { since });
				if (state.change !== since) {
					since = state.change;
					this.took(state);
				}
				await new Promise((done) => setTimeout(done, 120));
			} catch (error) {
				this.actions.complain((error as Error).message === "Failed to fetch" ? "hbdb view has ended" : (error as Error).message);
				await new Promise((done) => setTimeout(done, 3000));
			}
		}
	}

	private took(state: State): void {
		const { app } = this, before = app.state, seen = JSON.stringify({ ...state, seconds: 0, change: 0 });
		app.state = state;
		if (state.running && state.reached !== null && state.reached >= 0 && this.reached === null) {
			this.reached = state.reached;
			this.actions.say(`all stand after ${state.reached.toFixed(2)} s`);
		}
		if (before?.running && !state.running) {
			this.looked = null;
			this.actions.say("the replay has ended");
		}
		// Only the clock goes on: nothing is made anew for that.
		if (seen === this.seen) {
			const told = document.getElementById("told");
			told?.replaceChildren(this.told(state));
			return;
		}
		this.seen = seen;
		app.touch("state", "overlay", "tab");
	}

	private async order(path: string, body: unknown, said: string): Promise<void> {
		try {
			await this.app.server.post(path, body);
			this.actions.say(said);
		} catch (error) {
			this.actions.complain((error as Error).message);
		}
	}

	runTo(at = this.app.choice.at): void {
		if (!at) {
			this.actions.say("choose an event first");
			return;
		}
		this.reached = null;
		this.looked = null;
		this.app.choice.tab = "stop";
		if (this.app.choice.at === at && !this.app.cone) {
			void this.actions.fetchCone(at);
		}
		this.app.touch("tab");
		void this.order("run-to", { at }, `running to ${at}`);
	}

	// To the next or previous event of the process: by replaying to it.
	async runBeside(way: "next" | "previous"): Promise<void> {
		const { app } = this, at = app.choice.at;
		if (!at) {
			this.actions.say("choose an event first");
			return;
		}
		const info = app.event ?? (await app.server.get<EventInfo>("event", { at }));
		if (info[way]) {
			await this.actions.choose(info[way]!);
			await this.actions.fetchCone(info[way]!);
			this.runTo(info[way]!);
		} else {
			this.actions.say(way === "next" ? "this is the last event of the process" : "this is the first event of the process");
		}
	}

	go(some = false): void {
		const ranks = this.set(some);
		this.looked = null; // it stands there no longer
		void this.order("go", { ranks }, `going on: ${ranks}`);
	}

	halt(some = false): void {
		const ranks = this.set(some);
		void this.order("halt", { ranks }, `stopping ${ranks}`);
	}

	end(): void {
		void this.order("end", {}, "ending the replay");
	}

	// Processes as the server reads them: 0:3,5,worker#2.
	private set(some: boolean): string {
		const all = this.app.state?.processes ?? this.app.run.processes;
		const chosen = some && this.picked.size ? all.filter((p) => this.picked.has(p.rank)) : all;
		return names(chosen.map(called), ":");
	}

	// ---- one process ----

	// From its name beside the graph.
	open(rank: number, name: string): void {
		const { app } = this;
		Object.assign(app.choice, { tab: "stop", panel: true });
		app.keep();
		app.touch("tab");
		if (app.state?.running) {
			void this.look(rank);
		} else {
			this.actions.complain(app.run.control ? `the stack of ${name} is there while the run is replayed: choose an event, then press Run to here (r)` : this.told(null));
		}
	}

	private nameOf(rank: number): string {
		const p = this.app.state?.processes.find((one) => one.rank === rank);
		return p ? called(p) : String(rank);
	}

	async look(rank: number): Promise<void> {
		const looked: Looked = (this.looked = { rank, frames: [], level: 0, rows: [], variables: [], asked: "", value: "", busy: true, all: false });
		this.app.touch("tab");
		try {
			const { frames } = await this.app.server.get<{ frames: Frame[] }>("stack", { rank });
			looked.frames = frames;
			const first = frames.findIndex((f) => !f.ours && f.file);
			await this.frame(looked, Math.max(0, first));
		} catch (error) {
			this.actions.complain((error as Error).message);
		}
		looked.busy = false;
		this.app.touch("tab");
	}

	private async frame(looked: Looked, index: number): Promise<void> {
		const frame = looked.frames[index];
		looked.level = index;
		looked.rows = [];
		looked.variables = [];
		looked.value = "";
		if (!frame) {
			return;
		}
		const { server } = this.app;
		if (frame.file) {
			const got = server.get<{ rows: SourceRow[] }>("source", { file: frame.file, row: frame.row, around: 6 });
			looked.rows = await got.then((s) => s.rows, () => []);
		}
		const got = await server.get<{ variables: Variable[] }>("variables", { rank: looked.rank, level: frame.level ?? index });
		looked.variables = got.variables;
		this.app.touch("tab");
	}

	private async evaluate(looked: Looked, expression: string): Promise<void> {
		const level = looked.frames[looked.level]?.level ?? looked.level;
		looked.asked = expression;
		try {
			looked.value = (await this.app.server.post<{ value: string }>("evaluate", { rank: looked.rank, level, expression })).value;
		} catch (error) {
			looked.value = (error as Error).message;
		}
		this.app.touch("tab");
	}

	private showLooked(looked: Looked): HTMLElement {
		// What happens inside MPI, the C library and hbdb is rarely wanted.
		const first = looked.frames.findIndex((f) => !f.ours), inner = first > 0 && !looked.all ? first : 0;
		const shownFrames = el("ol", { class: "frames" }, inner > 0 && el("li", {}, button(`${inner} frames inside MPI, the C library and hbdb`, "show them", () => {
			looked.all = true;
			this.app.touch("tab");
		}, { class: "link" })), ...looked.frames.map((f, i) => i < inner ? null : el("li", {},
			button(`${f.function || "?"}`, f.file ? `${f.file}:${f.row}` : f.module ?? "", () => void this.frame(looked, i),
				{ class: "frame" + (f.ours ? " ours" : ""), "aria-current": i === looked.level ? "true" : "false" },),
			el("span", { class: "dim" }, f.file ? `${fileName(f.file)}:${f.row}` : fileName(f.module)))));
		const frame = looked.frames[looked.level], input = el("input", { type: "text", placeholder: "expression", "aria-label": "expression", value: looked.asked });
		const ask = el("form", { class: "ask", submit: (event) => {
			event.preventDefault();
			void this.evaluate(looked, input.value);
		} }, input, el("button", { type: "submit" }, "print"));
		return section(`Stack of ${this.nameOf(looked.rank)}`,
			looked.busy && looked.frames.length === 0 && el("p", { class: "dim" }, "asking gdb …"),
			shownFrames,
			looked.rows.length > 0 && frame && sourceView(looked.rows, frame.row),
			looked.variables.length > 0 && el("table", { class: "list variables" }, el("tbody", {}, ...looked.variables.map((v) =>
				el("tr", {}, el("td", { title: v.type }, v.name), el("td", { class: "code" }, v.value ?? "(not available)"))))),
			frame && ask,
			looked.value !== "" && el("p", { class: "code" }, `${looked.asked} = ${looked.value}`));
	}

	// ---- the list of processes ----

	private processes(state: State): HTMLElement {
		const rows = state.processes.map((p) => this.process(p));
		return section("Processes", el("table", { class: "list states" }, el("tbody", {}, ...rows)));
	}

	private process(p: ProcessState): HTMLElement {
		const box = el("input", { type: "checkbox", "aria-label": `choose ${called(p)}`, checked: this.picked.has(p.rank), change: () => {
			if (!this.picked.delete(p.rank)) {
				this.picked.add(p.rank);
			}
			this.app.touch("tab");
		} });
		const where = p.frame?.function ? `${p.frame.function} ${fileName(p.frame.file)}:${p.frame.row}` : "";
		const event = p.event > 0 ? link(`${called(p)}:${p.event}`, (at) => void this.actions.choose(at)) : "";
		return el("tr", { class: this.looked?.rank === p.rank ? "here" : "" }, el("td", {}, box), el("td", { class: "life " + p.life }, glyph(p)),
			el("td", {}, button(called(p), `stack of ${called(p)}`, () => void this.look(p.rank), { class: "link" })),
			el("td", {}, doing(p), where ? el("div", { class: "dim" }, where) : null), el("td", {}, event));
	}

	// ---- the cut ----

	private cutTable(at: string, cone: Cone): HTMLElement {
		const { app } = this, by = new Map(cone.cut.map((c) => [c.line, c]));
		const rows = app.rows.rows.filter((row) => row.kind !== "head").flatMap((row) => row.lines).flatMap((line) => {
			const c = by.get(line);
			if (!c) {
				return [];
			}
			const name = app.nameOf(line, c.event);
			return [el("tr", { class: "stop-" + c.stop }, el("td", {}, app.run.lines[line]!.name), el("td", {}, STOPS[c.stop] ?? c.stop),
				el("td", {}, c.stop === "after" || c.stop === "inside" ? link(name, (to) => void this.actions.choose(to)) : ""))];
		});
		return section(`Cut of ${at}`, el("table", { class: "list cut" },
			el("thead", {}, el("tr", {}, ...["process", "stops", "event"].map((t) => el("th", {}, t)))), el("tbody", {}, ...rows)));
	}

	private buttons(state: State | null): HTMLElement {
		const { app } = this, { at } = app.choice, here = !app.run.control || !at, on = Boolean(state?.running), some = this.picked.size > 0;
		return el("div", { class: "buttons" },
			button("▶ Run to here", "replay the run to the cut of the chosen event (r)", () => this.runTo(), { class: "main", disabled: here }),
			button("◀| prev event", "replay the run to the previous event of the process (,)", () => void this.runBeside("previous"), { disabled: here }),
			button("next event |▶", "go on to the next event of the process (.)", () => void this.runBeside("next"), { disabled: here }),
			button(some ? `go ${this.set(true)}` : "go all", "let processes go on (g)", () => this.go(some), { disabled: !on }),
			button(some ? `halt ${this.set(true)}` : "halt all", "stop processes", () => this.halt(some), { disabled: !on }),
			button("end", "end the replay", () => this.end(), { disabled: !on, class: "stop" }));
	}

	private told(state: State | null): string {
		if (!this.app.run.control) {
			return "This recording cannot be replayed from this page.";
		}
		if (!state?.running) {
			return "No replay is running.";
		}
		return state.reached !== null && state.reached >= 0
			? `All arrived, which took ${state.reached.toFixed(2)} s.`
			: `Replaying for ${state.seconds.toFixed(1)} s …`;
	}

	show(): HTMLElement[] {
		const { app } = this, { choice, state, cone } = app;
		const list = choice.stops.map((at) => el("li", {}, el("span", { class: "disc" }, "●"), link(at, (to) => void this.actions.choose(to)),
			el("span", { class: "code dim" }, choice.at === at ? (app.event?.text ?? "").replace(/^\S+\s+/, " ") : ""),
			button("×", "remove", () => this.actions.toggleStop(at), { class: "link", "aria-label": `remove breakpoint ${at}` })));
		return [
			this.buttons(state),
			el("p", { class: "dim", id: "told" }, this.told(state)),
			section("Breakpoints", list.length ? el("ul", { class: "stops" }, ...list) : el("p", { class: "dim" }, "None. Double-click an event, or choose one and press b.")),
			...(state?.running ? [this.processes(state)] : []),
			...(this.looked ? [this.showLooked(this.looked)] : []),
			...(cone && choice.at && (choice.cone || choice.stops.includes(choice.at)) ? [this.cutTable(choice.at, cone)] : []),
		];
	}
}
