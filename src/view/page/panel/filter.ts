// What of the run is shown: functions, a tag, a communicator, processes; and how lines are grouped.
import type { App } from "../core/app";
import { called, named, names } from "../core/choice";
import { grouping } from "../core/rows";
import { count } from "../draw/ruler";
import { short } from "../draw/picture";
import { button, el, section } from "./dom";

export class Filter {
	private wanted = "";

	constructor(private app: App) {}

	private changed(): void {
		this.app.loader.want(true);
		this.app.laid();
		this.app.touch("tab");
	}

	private functions(): HTMLElement {
		const { app } = this, { choice } = app, only = new Set(choice.functions);
		const list = el("div", { class: "checks" });
		const fill = () => list.replaceChildren(...app.run.functions.filter((name) => name.toLowerCase().includes(this.wanted.toLowerCase()))
			.map((name) => el("label", {}, el("input", { type: "checkbox", checked: only.has(name), change: () => {
				choice.functions = only.has(name) ? choice.functions.filter((n) => n !== name) : [...choice.functions, name];
				this.changed();
			} }), short(name))));
		fill();
		return section("Functions", app.run.functions.length > 12 && el("input", { type: "text", placeholder: "narrow the list", "aria-label": "narrow the list of functions", value: this.wanted, input: (event) => {
			this.wanted = (event.target as HTMLInputElement).value;
			fill();
		} }), list, el("p", { class: "dim" }, only.size ? `only these ${only.size}` : "none is ticked, so all are shown"));
	}

	private pick(title: string, now: string, options: [value: string, text: string][], take: (value: string) => void): HTMLElement {
		const select = el("select", { "aria-label": title, change: () => {
			take(select.value);
			this.changed();
		} }, ...options.map(([value, text]) => el("option", { value, selected: value === now }, text)));
		return el("label", { class: "field" }, el("span", {}, title), select);
	}

	private processes(): HTMLElement {
		const { app } = this, { choice } = app, all = app.run.lines.length;
		const shown = app.run.processes.filter((_, i) => app.run.lines.some((l, line) => l.process === i && !choice.hidden.includes(line))).map(called);
		const told = el("output", { class: "dim" });
		const input = el("input", { type: "text", value: names(shown), "aria-label": "processes shown", spellcheck: "false", change: () => {
			const wanted = named(input.value, app.run.processes.map(called));
			if (wanted.unknown) {
				told.textContent = `there is no process ${wanted.unknown}; there are ${short(names(app.run.processes.map(called)))}`;
				return;
			}
			const hidden = [...app.run.lines.keys()].filter((line) => !wanted.names.has(called(app.run.processes[app.run.lines[line]!.process]!)));
			choice.hidden = hidden.length < all ? hidden : [];
			this.changed();
		} });
		return el("label", { class: "field" }, el("span", {}, "Processes"), input, told);
	}

	private groups(): HTMLElement {
		const { app } = this, { choice, run } = app, sizes = [2, 4, 8, 16, 32, 64, 128].filter((n) => n < run.processes.length);
		const by = grouping(run, choice), alike = by === "alike", names = () => [...new Set(app.rows.rows.map((r) => r.group).filter(Boolean))];
		const hosts = new Set(run.processes.map((p) => p.host ?? "")).size;
		return section("Groups",
			this.pick("Group by", grouping(run, choice), [["none", "nothing"], ["alike", `behaviour (${run.alike?.length ?? 0})`], ["host", `host (${hosts})`], ...sizes.map((n): [string, string] => [String(n), `${n} processes`])], (value) => {
				choice.by = value;
				choice.folded = [];
			}),
			el("div", { class: "buttons" },
				button("fold all", "show each group as one line", () => {
					choice.folded = alike ? [] : names();
					this.changed();
				}, { disabled: by === "none" }),
				button("unfold all", "", () => {
					choice.folded = alike ? names() : [];
					this.changed();
				}, { disabled: by === "none" }),
				button("original order", "show lines in the order of the recording", () => {
					choice.order = [];
					this.changed();
				}, { disabled: !choice.order.length })));
	}

	show(): HTMLElement[] {
		const { app } = this, { choice, run } = app;
		const tags: [string, string][] = run.tags.map(([tag, n]) => [String(tag), `${tag} (${count(n)})`]);
		const groups: [string, string][] = run.groups.map((g, i) => [String(i), `${g.name} (${g.size})`]);
		return [
			this.functions(),
			section("Messages and processes",
				tags.length > 0 && this.pick("Tag", choice.tag, [["", "all"], ...tags], (value) => (choice.tag = value)),
				this.pick(run.mpi ? "Communicator" : "Channel", choice.group, [["", "all"], ...groups], (value) => (choice.group = value)),
				this.processes(),
				el("div", { class: "buttons" }, button("show everything", "remove all filters", () => {
					Object.assign(choice, { functions: [], tag: "", group: "", hidden: [] });
					this.changed();
				}))),
			this.groups(),
		];
	}
}
