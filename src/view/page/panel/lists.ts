// Lists that lead to events: races, bookmarks, what a model says, what differs from a reference.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import type { ArrayMap, Difference, Differences, KeyGraph, Model, Races } from "../core/types";
import { drawKey } from "../draw/key";
import { drawMap, isWhole } from "../draw/map";
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

// Where the run differs from a reference, and the map of the chosen array.
export class CompareList {
	private of = -1; // the chosen difference; -1: the first one that is of an array, else the first
	private part = "";
	private found: Asked<Differences>;
	private map: Asked<ArrayMap>;

	constructor(private app: App, private actions: Actions) {
		this.found = new Asked(app, actions);
		this.map = new Asked(app, actions);
	}

	private choose(of: number): void {
		this.of = of;
		this.part = "";
		this.map = new Asked(this.app, this.actions);
		this.app.touch("tab");
	}

	private zoom(part: string): void {
		this.part = part;
		this.app.touch("tab");
	}

	private picture(of: number, name: string): HTMLElement {
		const map = this.map.want("map", { of, part: this.part });
		if (!map) {
			return section(name, el("p", { class: "dim" }, this.map.failed || "Drawing …"));
		}
		return section(name, drawMap(map, `where ${name} differs, by ${map.tiles ? "tiles" : "elements"}`, (part) => this.zoom(part)),
			el("div", { class: "buttons" }, isWhole(map) ? null : button("whole array", "leave this part, and show all of the array", () => this.zoom("")),
				map.at ? link(map.at, (at) => void this.actions.choose(at), `the point in the graph: ${map.at}`) : null),
			el("p", { class: "dim" }, (map.tiles ? "By tiles, for not both runs have saved the elements there." : "By elements.") + " Click into the map to show only that part."));
	}

	show(): HTMLElement[] {
		const got = this.found.want("compare", {});
		if (!got) {
			return [el("p", { class: "dim" }, this.found.failed || "Comparing …")];
		}
		const all = got.differences, drawn = (d?: Difference) => Boolean(d?.differs && d.array && d.point), first = all.findIndex(drawn);
		const of = this.of >= 0 ? this.of : first >= 0 ? first : all.findIndex((d) => d.differs), chosen = all[of];
		const rows = all.flatMap((d, i) => (d.differs ? [{ d, i }] : [])), others = all.filter((d) => !d.differs);
		return [
			...(rows.length ? [section(`Against ${got.reference}`, el("table", { class: "list differences" }, el("thead", {}, el("tr", {}, ...["difference", "of", "point"].map((t) => el("th", {}, t)))),
				el("tbody", {}, ...rows.map(({ d, i }) => el("tr", { class: i === of ? "here" : null, title: d.sentence },
					el("td", {}, button(d.difference, drawn(d) ? "show where the array differs" : "show what differs", () => this.choose(i), { class: "link" })),
					el("td", {}, d.array?.name ?? d.variable ?? ""), el("td", {}, d.point ?? ""))))),
			got.more > 0 && el("p", { class: "dim" }, `and ${count(got.more)} more; hbdb compare report lists all of them`),
			chosen && el("p", { class: "sentence" }, chosen.sentence))] : []),
			...(chosen && drawn(chosen) ? [this.picture(of, `${chosen.array!.name} at ${chosen.point}`)] : []),
			...(others.length ? [section("What else was seen", el("ul", {}, ...others.map((d) => el("li", { class: "dim" }, d.sentence))))] : []),
			section("What was compared", el("p", { class: "said" }, got.said)),
		];
	}
}
