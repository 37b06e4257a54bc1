// Search: hits on the graph, one after the other.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import { count } from "../draw/ruler";
import type { Hit } from "../core/types";
import { button, el } from "./dom";

const LIMIT = 2000;
interface Hits { hits: Hit[]; more: boolean }

export class Search {
	readonly input = el("input", {
		type: "search", id: "search", placeholder: "Search: Recv  tag:7  rank:0  racing", autocomplete: "off", spellcheck: "false",
		title: "search for function:Recv, tag:7, comm:WORLD, peer:3, line:farm.c:42, rank:0, rank:worker#2 or racing; all words must apply (/)", "aria-label": "search events",
		input: () => this.soon(), keydown: (event) => this.key(event as KeyboardEvent),
	});
	private told = el("output", { class: "dim hits" });
	private timer = 0;
	private asked = 0;
	private running: AbortController | null = null;
	readonly element = el("div", { class: "search" }, this.input, button("‹", "previous hit (Shift+Enter, N)", () => void this.step("previous"), { "aria-label": "previous hit" }),
		button("›", "next hit (Enter)", () => void this.step("next"), { "aria-label": "next hit" }), this.told);

	constructor(private app: App, private actions: Actions) {
		this.input.value = app.choice.query;
	}

	private soon(): void {
		clearTimeout(this.timer);
		this.timer = setTimeout(() => void this.find(), 180);
	}

	private key(event: KeyboardEvent): void {
		if (event.key === "Enter") {
			event.preventDefault();
			void this.step(event.shiftKey ? "previous" : "next");
		} else if (event.key === "Escape") {
			this.actions.say("");
			document.getElementById("graph")!.focus();
		}
	}

	async find(): Promise<void> {
		const { app } = this, q = this.input.value.trim(), turn = ++this.asked;
		clearTimeout(this.timer);
		app.choice.query = q;
		app.keep();
		this.running?.abort();
		this.running = new AbortController();
		let got: Hits = { hits: [], more: false }, trouble = "";
		if (q) {
			try {
				got = await app.server.get<Hits>("search", { q, limit: LIMIT }, this.running.signal);
			} catch (error) {
				trouble = (error as Error).message;
			}
		}
		if (turn === this.asked) {
			app.hits = got.hits;
			app.more = got.more;
			this.tell(trouble);
			app.touch("hits", "overlay");
		}
	}

	private tell(trouble = ""): void {
		const { app } = this, n = app.hits.length, index = app.hits.findIndex((h) => h.at === app.choice.at);
		const all = count(n) + (app.more ? "+" : "");
		this.told.textContent = trouble || (!app.choice.query ? "" : n === 0 ? "none" : index >= 0 ? `${count(index + 1)} of ${all}` : `${all} hits`);
	}

	// The next hit in the order of the axis, from the chosen event on.
	async step(way: "next" | "previous"): Promise<void> {
		const { app } = this;
		if (this.input.value.trim() !== app.choice.query || (app.choice.query && !app.hits.length)) {
			await this.find();
		}
		if (!app.hits.length) {
			return;
		}
		const axis = app.choice.axis, list = [...app.hits].sort((a, b) => a[axis] - b[axis] || a.line - b.line);
		const index = list.findIndex((h) => h.at === app.choice.at);
		let hit: Hit | undefined;
		if (app.more && app.choice.at) {
			hit = (await app.server.get<Hits>("search", { q: app.choice.query, from: app.choice.at, way, limit: 2 })).hits.find((h) => h.at !== app.choice.at);
		} else if (index >= 0) {
			hit = list[(index + (way === "next" ? 1 : -1) + list.length) % list.length];
		} else {
			const here = app.placeOf(app.choice.at)?.[axis][0] ?? (way === "next" ? app.range()[0] : app.range()[1]);
			hit = way === "next" ? list.find((h) => h[axis] >= here) ?? list[0] : [...list].reverse().find((h) => h[axis] <= here) ?? list[list.length - 1];
		}
		if (hit) {
			await this.actions.choose(hit.at);
			this.tell();
		}
	}
}
