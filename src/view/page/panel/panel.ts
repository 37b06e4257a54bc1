// The panel at the right: one of its tabs at a time.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import { Details } from "./details";
import { el } from "./dom";
import { Filter } from "./filter";
import { CompareList, MarkList, ModelList, RaceList } from "./lists";
import type { Search } from "./search";
import type { Stops } from "./stop";
import { MatrixPanel, ProfileList } from "./sums";

interface Tab { id: string; title: string; show: () => HTMLElement[] }

export class Panel {
	private tabs: Tab[];
	private strip = el("div", { role: "tablist", class: "tabs", "aria-label": "panels" });
	private body = el("div", { role: "tabpanel", class: "body", id: "body", tabindex: "-1" });
	private shown = "";
	private pressed = false; // nothing is made anew under a pressed pointer: the click would be lost
	private late = false;
	private edited: EventTarget | null = null; // the field that the user types in and has not yet left or ended with Enter

	constructor(private app: App, actions: Actions, stops: Stops, search: Search, private area: HTMLElement) {
		const details = new Details(app, actions), races = new RaceList(app, actions), marks = new MarkList(app, actions), filter = new Filter(app);
		const profile = new ProfileList(app, actions, search), matrix = new MatrixPanel(app, actions), model = new ModelList(app, actions), compare = new CompareList(app, actions);
		this.tabs = [
			{ id: "event", title: "Event", show: () => details.show() },
			{ id: "stop", title: "Stop", show: () => stops.show() },
			{ id: "races", title: "Races", show: () => races.show() },
			{ id: "marks", title: "Marks", show: () => marks.show() },
			{ id: "profile", title: "Profile", show: () => profile.show() },
			{ id: "matrix", title: "Matrix", show: () => matrix.show() },
			{ id: "filter", title: "Filter", show: () => filter.show() },
		];
		// only what was given when hbdb view was started
		const given = (id: "model" | "compare", title: string, show: Tab["show"]) =>
			app.on("run", () => app.run?.[id] && !this.tabs.some((t) => t.id === id) && this.tabs.push({ id, title, show }));
		given("model", "Model", () => model.show());
		given("compare", "Compare", () => compare.show());
		area.append(this.strip, this.body);
		for (const topic of ["chosen", "tab", "run"] as const) {
			app.on(topic, () => this.show());
		}
		this.strip.addEventListener("keydown", (event) => this.key(event));
		area.addEventListener("input", (event) => (this.edited = event.target));
		area.addEventListener("change", () => (this.edited = null));
		area.addEventListener("pointerdown", (event) => (this.pressed = (event.target as HTMLElement).closest("button, label, input") !== null));
		for (const end of ["pointerup", "pointercancel"]) {
			window.addEventListener(end, () => setTimeout(() => this.released(), 0));
		}
	}

	open(id: string): void {
		this.app.choice.tab = id;
		this.app.choice.panel = true;
		this.app.keep();
		this.app.touch("tab");
	}

	private released(): void {
		this.pressed = false;
		if (this.late) {
			this.late = false;
			this.show();
		}
	}

	// The tab after the shown one.
	turn(by: number): void {
		const at = this.tabs.findIndex((t) => t.id === this.app.choice.tab);
		this.open(this.tabs[(at + by + this.tabs.length) % this.tabs.length]!.id);
	}

	private key(event: KeyboardEvent): void {
		const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
		if (by) {
			event.preventDefault();
			event.stopPropagation();
			this.turn(by);
			requestAnimationFrame(() => requestAnimationFrame(() => this.strip.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()));
		}
	}

	show(): void {
		if (this.pressed) {
			this.late = true;
			return;
		}
		const { choice } = this.app, tab = this.tabs.find((t) => t.id === choice.tab) ?? this.tabs[0]!;
		document.body.classList.toggle("wide", !choice.panel);
		const focus = document.activeElement, kept = focus instanceof HTMLElement && this.area.contains(focus) ? this.pathTo(focus) : null;
		const typed = focus instanceof HTMLInputElement && focus.type === "text" ? { text: focus.value, from: focus.selectionStart, to: focus.selectionEnd } : null;
		this.strip.replaceChildren(...this.tabs.map((t) => el("button", {
			type: "button", role: "tab", id: "tab-" + t.id, "aria-selected": t === tab ? "true" : "false", "aria-controls": "body",
			tabindex: t === tab ? "0" : "-1", click: () => this.open(t.id),
		}, t.title, this.badge(t.id))));
		const scrolled = this.shown === tab.id + choice.at ? this.body.scrollTop : 0;
		this.shown = tab.id + choice.at;
		this.body.setAttribute("aria-labelledby", "tab-" + tab.id);
		this.body.replaceChildren(...tab.show());
		this.body.scrollTop = scrolled;
		const here = kept && this.find(kept);
		if (here instanceof HTMLElement) {
			here.focus({ preventScroll: true });
			if (typed && here instanceof HTMLInputElement) {
				if (this.edited !== focus) {
					here.value = typed.text;
				} else if (here.value !== typed.text) {
					// As typed by the user, not set: otherwise Enter and leaving the field are no change to the browser, and what was typed is shown and never done.
					here.select();
					document.execCommand("insertText", false, typed.text);
				}
				here.setSelectionRange(typed.from, typed.to);
			}
		}
	}

	private badge(id: string): HTMLElement | null {
		const { choice, run } = this.app;
		const n = id === "stop" ? choice.stops.length : id === "marks" ? choice.marks.length : id === "races" ? run?.races ?? 0
			: id === "filter" ? choice.functions.length + (choice.tag ? 1 : 0) + (choice.group ? 1 : 0) + (choice.hidden.length ? 1 : 0) : 0;
		return n > 0 ? el("span", { class: "badge" }, n > 999 ? "999+" : String(n)) : null;
	}

	// The panel is made anew when something changes; what had the focus keeps it.
	private pathTo(element: Element): number[] {
		const path: number[] = [];
		for (let at: Element = element; at !== this.area && at.parentElement; at = at.parentElement) {
			path.unshift([...at.parentElement.children].indexOf(at));
		}
		return path;
	}

	private find(path: number[]): Element | undefined {
		let at: Element | undefined = this.area;
		for (const index of path) {
			at = at?.children[index];
		}
		return at;
	}
}
