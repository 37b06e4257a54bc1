// Races and bookmarks: lists that lead to events.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import type { Races } from "../core/types";
import { count } from "../draw/ruler";
import { button, el, link, section } from "./dom";

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
