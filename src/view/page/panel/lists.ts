// Races and bookmarks: lists that lead to events.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import type { KeyGraph, Model, Races } from "../core/types";
import { drawKey } from "../draw/key";
import { count } from "../draw/ruler";
import { button, el, link, section } from "./dom";
import { Asked } from "./sums";

export class RaceList {
	private races: Races | null = null;
	private asked = false;

	constructor(private app: App, private actions: Actions) {}

	private async load(): Promise<void> {
		this.asked = true;
		try {
			this.races = await this.app.server.get<Races>("races", { limit: 500 });
		} catch (error) {
			this.actions.complain((error as Error).message);
		}
		this.app.touch("tab");
	}

	show(): HTMLElement[] {
		if (!this.asked && this.app.run.ready) {
			void this.load();
		}
		const { races } = this, go = (at: string) => void this.actions.choose(at);
		if (!races) {
			return [el("p", { class: "dim" }, this.app.server.alone ? "This page is a file: run hbdb view for the list of races." : "Looking …")];
		}
		if (!races.places.length) {
			return [el("p", {}, "Nothing raced: every receive could only get the message that it got.")];
		}
		return [
			section("By place", el("table", { class: "list" }, el("thead", {}, el("tr", {}, ...["place", "call", "raced"].map((t) => el("th", {}, t)))),
				el("tbody", {}, ...races.places.map((p) => el("tr", {}, el("td", {}, p.place), el("td", {}, p.function), el("td", {}, `${count(p.races)} of ${count(p.calls)}`)))))),
			section("Each", el("table", { class: "list" }, el("thead", {}, el("tr", {}, ...["event", "place", "got", "others"].map((t) => el("th", {}, t)))),
				el("tbody", {}, ...races.races.map((r) => el("tr", {}, el("td", {}, link(r.at, go)), el("td", {}, r.place ?? ""),
					el("td", {}, r.got ? link(r.got, go) : ""), el("td", {}, count(r.n)))))),
				races.more && el("p", { class: "dim" }, "There are more; hbdb races lists all of them.")),
		];
	}
}

export class MarkList {
	constructor(private app: App, private actions: Actions) {}

	show(): HTMLElement[] {
		const { choice } = this.app;
		return [
			section("Bookmarks", choice.marks.length ? el("ul", { class: "stops" }, ...choice.marks.map((at) => el("li", {},
				el("span", { class: "ribbon" }, "▮"), link(at, (to) => void this.actions.choose(to)),
				button("×", "remove", () => this.actions.toggleMark(at), { class: "link", "aria-label": `remove bookmark ${at}` }))))
				: el("p", { class: "dim" }, "None. Choose an event and press k. The address of this page contains the bookmarks, and everything else that is shown.")),
		];
	}
}

// What a model of a correct run says: its findings, where keys stopped, and the graph of one key.
export class ModelList {
	private key: string | null = null;
	private coalesced = false;
	private model: Asked<Model>;
	private graph: Asked<KeyGraph>;

	constructor(private app: App, private actions: Actions) {
		this.model = new Asked(app, actions);
		this.graph = new Asked(app, actions);
	}

	private draw(key: string | null, coalesced = this.coalesced): void {
		this.key = key;
		this.coalesced = coalesced;
		this.app.touch("tab");
	}

	private picture(): HTMLElement | null {
		const { key } = this, got = key === null ? null : this.graph.want("key", { key, coalesced: this.coalesced ? 1 : 0 });
		if (!got) {
			return null;
		}
		return section(got.title, el("div", { class: "buttons" }, button(this.coalesced ? "all events" : "a box for each process", "how the key is drawn", () => this.draw(key, !this.coalesced))),
			el("div", { class: "keygraph" }, drawKey(got, (at) => void this.actions.choose(at))));
	}

	show(): HTMLElement[] {
		const got = this.model.want("model", {});
		if (!got) {
			return [el("p", { class: "dim" }, "Checking \u2026")];
		}
		const { sum } = got, field = el("input", { type: "text", value: this.key ?? "", "aria-label": "a key to draw", placeholder: "a key, as in 49", change: () => this.draw(field.value) });
		const names = [...new Set(sum.rows.flatMap((r) => Object.keys(r.keys)))], picture = this.picture();
		return [
			el("p", { class: "dim" }, `model ${sum.model}: ${count(sum.complete)} of ${count(sum.keys)} keys complete, ${count(sum.stopped)} stopped, ${count(sum.wrong)} wrong`),
			...got.findings.map((f) => el("div", { class: "finding" }, el("b", {}, f.finding), f.at ? link(f.at, (at) => void this.actions.choose(at)) : null, el("p", {}, f.sentence))),
			...(sum.rows.length ? [el("table", { class: "list keys" }, el("thead", {}, el("tr", {}, ...[...names, "process", "in"].map((t) => el("th", {}, t)))),
				el("tbody", {}, ...sum.rows.slice(0, 500).map((r) => el("tr", {}, ...names.map((name, i) => el("td", {}, i === 0 ? button(String(r.keys[name] ?? ""), "draw this key", () => this.draw(r.of), { class: "link" }) : String(r.keys[name] ?? ""))),
					el("td", {}, r.process), el("td", {}, r.in)))))] : []),
			el("div", { class: "buttons" }, field),
			...(picture ? [picture] : []),
			...sum.doubts.map((text) => el("p", { class: "dim" }, text)),
		];
	}
}
