// The bar above: name, search, axis, fit, theme, help; and the lines of signs and numbers below.
import type { App } from "../core/app";
import { Flag, KINDS } from "../core/types";
import { count, time } from "../draw/ruler";
import { button, byId, el } from "./dom";
import type { Search } from "./search";

export const MERGED = "Where there is not enough room for each call, a column of pixels stands for a slice of time: the height of each colour is the share of the slice that calls of that " +
	"kind took, the hatched part above is the share spent waiting, and the empty rest was spent outside of recorded calls. A red bar: something in the slice raced.";

export interface BarActions { axis: () => void; theme: () => void; help: () => void; panel: () => void }

export class Bar {
	private name = el("span", { class: "name" });
	private axes: HTMLButtonElement[];

	constructor(private app: App, search: Search, actions: BarActions) {
		this.axes = (["logical", "physical"] as const).map((axis) => button(axis === "logical" ? "Logical" : "Physical",
			axis === "logical" ? "logical time: an effect is always to the right of its cause (a)" : "physical time, by the clocks (a)",
			() => app.choice.axis !== axis && actions.axis(), { "data-axis": axis }));
		byId("bar").append(
			el("strong", {}, "hbdb"), this.name, search.element, el("span", { class: "gap" }),
			el("span", { class: "pair", role: "group", "aria-label": "axis" }, ...this.axes),
			el("span", { class: "pair", role: "group", "aria-label": "zoom" },
				button("−", "zoom out (-)", () => app.zoom(1.6), { "aria-label": "zoom out" }),
				button("Fit", "the whole run (0 or f)", () => app.fit()),
				button("+", "zoom in (+)", () => app.zoom(0.625), { "aria-label": "nearer" })),
			button("◐", "light or dark (d)", actions.theme, { "aria-label": "light or dark" }),
			button("▤", "panel (s)", actions.panel, { "aria-label": "show or hide the panel" }),
			button("?", "keys (?)", actions.help, { "aria-label": "keys" }));
		app.on("choice", () => this.show());
		app.on("run", () => this.show());
		app.on("theme", () => this.legend());
		this.legend();
	}

	private show(): void {
		const { app } = this, { run, choice, scene } = app;
		this.name.textContent = run.name;
		document.title = `${run.name} - hbdb`;
		this.axes.forEach((b) => b.setAttribute("aria-pressed", b.dataset.axis === choice.axis ? "true" : "false"));
		this.legend();
		const [from, to] = app.range(), status = byId("status");
		const seen = choice.axis === "logical" ? `${count(Math.max(0, from))} to ${count(to)}` : `${time(Math.max(0, from), (to - from) / 100)}, ${time(to - from)} wide`;
		const view = scene?.view;
		status.replaceChildren(
			el("span", {}, run.ready ? "" : `reading the recording: ${Math.round(run.progress * 100)} %`),
			el("span", {}, seen),
			el("span", {}, view ? `${count(view.events)} events, ${count(view.messages)} messages` : ""),
			el("span", {}, view && view.hidden ? `${count(view.hidden)} merged` : ""));
	}

	private legend(): void {
		const spans = this.app.run?.lines.some((l) => l.spans), order = this.app.scene?.view.arrows.some((a) => a[8] & Flag.Order);
		const merged = (this.app.scene?.densities.size ?? 0) > 0;
		byId("legend").replaceChildren(
			...KINDS.map((name, i) => el("span", {}, el("i", { class: `kind k${i}` }), name)),
			spans ? el("span", { title: "from begin to end, as the program said; below the line's events, those inside of others below them" }, el("i", { class: "kind span" }), "span of the program") : "",
			order ? el("span", { title: "no message: post, start, complete and wait of a window; processes that make others, or the end of a stream" }, el("i", { class: "line order" }), "order without a message") : "",
			el("span", {}, el("i", { class: "kind waits" }), "waiting"),
			el("span", {}, el("i", { class: "kind raced" }), "raced"),
			merged
				? el("span", { title: MERGED }, el("i", { class: "kind merged" }), "many calls: shares of the time")
				: el("span", {}, el("i", { class: "line race" }), "could have been received instead"),
			merged ? "" : el("span", {}, el("i", { class: "line sync" }), "synchronous"));
	}
}
