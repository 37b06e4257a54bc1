// Events as they come, and what limits them.
import { byId, el } from "../panel/dom";
import { filter, known, older } from "./ask";
import { clock, quoted, sign } from "./look";
import { children } from "./made";
import { copy } from "./parts";
import type { Happened } from "./types";
import { choice, here, to, type Choice } from "./where";

const KINDS = ["death", "exit", "gone", "start", "stop", "go", "finding", "hang", "sensor", "reaction", "node", "program", "hold", "release", "refused", "note"];
const DEBUGGED = new Set(["death", "finding", "hang"]);

function field(name: "weight" | "kind" | "at" | "of", label: string, options: [string, string][]): HTMLElement {
	const change = (event: Event) => location.replace(here({ [name]: (event.target as HTMLSelectElement).value } as Partial<Choice>));
	return el("label", {}, label, el("select", { id: "by-" + name, change }, ...options.map(([value, text]) => el("option", { value }, text))));
}

export function makeFilter(follow: () => void): void {
	byId("filter").append(
		field("weight", "weight", [["", "all"], ["warning", "warnings and errors"], ["error", "errors"]]),
		field("kind", "kind", [["", "all"], ...KINDS.map((k): [string, string] => [k, k])]),
		field("at", "node", [["", "all"]]), field("of", "program", [["", "all"]]),
		el("button", { type: "button", id: "follow", click: follow }, "follow"),
		el("button", { type: "button", id: "older", hidden: true, click: () => void older().then(drawEvents) }, "older ones, too"));
}

// Only those that there are; where the level says it already there is nothing to choose.
function offer(name: "at" | "of", fixed: string, names: string[], off: boolean): void {
	const select = byId<HTMLSelectElement>("by-" + name), value = fixed || choice.now[name];
	const wanted = ["", ...new Set([...names, value].filter(Boolean))];
	if (wanted.length !== select.options.length || wanted.some((w, i) => w !== select.options[i]!.value)) {
		select.replaceChildren(...wanted.map((w) => el("option", { value: w }, w || "all")));
	}
	select.value = off ? "" : value;
	select.disabled = off || Boolean(fixed);
}

function drawFilter(): void {
	const { node, program, process, weight, kind } = filter();
	const c = known.complex, follow = byId("follow");
	byId<HTMLSelectElement>("by-weight").value = weight;
	byId<HTMLSelectElement>("by-kind").value = kind;
	offer("at", choice.now.node && node, c?.nodes.map((n) => n.name) ?? [], Boolean(process));
	offer("of", choice.now.program && program, c?.programs.map((g) => g.name) ?? [], Boolean(process));
	follow.setAttribute("aria-pressed", String(known.follow));
	follow.textContent = known.waiting ? `follow (${known.waiting} new)` : "follow";
}

function placeOf(e: Happened): HTMLElement | null {
	if (e.process !== null) {
		const name = e.rank === null ? e.process_name ?? "#" + e.process : "rank " + e.process_name;
		return el("a", { href: to({ process: String(e.process) }), title: "show this process" }, e.program_name === null || e.program_name === name ? name : `${name} of ${e.program_name}`);
	}
	return e.program_name !== null ? el("a", { href: to({ program: e.program_name }) }, e.program_name) : e.node_name !== null ? el("a", { href: to({ node: e.node_name }) }, e.node_name) : null;
}

function row(e: Happened): HTMLElement {
	return el("li", { class: "event " + e.weight, "data-key": "event/" + e.event },
		el("div", { class: "when" }, el("time", { title: "event " + e.event }, clock(e.time)), el("span", { class: "state " + e.weight }, `${sign(e.weight)} ${e.weight}`), el("b", {}, e.kind), placeOf(e)),
		el("div", {}, e.text),
		DEBUGGED.has(e.kind) && el("div", { class: "buttons" }, copy("hbdb debug --event " + e.event, "copy the command that starts the debugger there"),
			e.recording !== null && copy("hbdb view " + quoted(e.recording), `copy the command that shows the recording${e.node_name === null ? "" : ", on node " + e.node_name}`)));
}

export function drawEvents(): void {
	drawFilter();
	children(byId("events"), known.events.length ? known.events.map(row) : [el("li", { class: "dim" }, "Nothing happened that fits.")]);
	byId("older").hidden = !known.older;
}
