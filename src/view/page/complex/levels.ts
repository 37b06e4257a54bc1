// The levels of detail: what stands at the left for what is chosen.
import { el } from "../panel/dom";
import { known, samplesOf } from "./ask";
import { ago, bytes, clock, countOf, ending, plural, quoted, total, words } from "./look";
import { act, chart, copy, facts, FEW, held, matches, partOf, release, squares, state, tally, type Item, type Shown } from "./parts";
import type { Complex, Node, Process, Program, Thread } from "./types";
import { choice, here, to } from "./where";

// ---- what is shown of one ----

const failures = (node: Node): number => (node.states?.failed ?? 0) + (node.errors ?? 0);

function nodeTitle(node: Node): string {
	const parts = [`${node.name}: ${node.state}`, node.why, plural(total(node.states) - (node.states?.ended ?? 0) - (node.states?.gone ?? 0) - (node.states?.failed ?? 0), "process", "processes")];
	if (node.errors) {
		parts.push(plural(node.errors, "error") + " in the last hour");
	}
	return parts.filter(Boolean).join(", ");
}

const nodeItem = (node: Node): Item => ({
	key: "node/" + node.name, href: to({ node: node.name }), state: node.state, bad: failures(node) > 0, name: node.name, title: nodeTitle(node),
});

const card = (node: Node): HTMLElement =>
	el("a", { class: "pick card " + node.state, href: to({ node: node.name }), "data-key": "node/" + node.name },
		el("b", {}, node.name), state(node.state),
		el("span", { class: "dim" }, node.state === "up" ? `load ${node.load?.toFixed(2) ?? "not known"}, ${bytes(node.memory)} free` : node.why),
		tally(node.states), node.errors ? el("span", { class: "state error" }, `✕ ${plural(node.errors, "error")} in the last hour`) : null);

const place = (p: Process): string => (p.rank === null ? p.name : `rank ${p.name}`);

function how(p: Process): HTMLElement {
	const more = p.state === "waiting" && p.call ? ` in ${p.call}` : p.state === "ended" ? ` ${ending(p.status, p.signal)}` : "";
	return el("span", {}, state(p.how, more), p.node_state !== "up" && el("span", { class: "dim" }, " as known last"));
}

const over = (p: Process): boolean => p.state === "ended" || p.state === "gone";

export function moves(p: Process): HTMLElement {
	const on = { process: p.process };
	return el("span", { class: "buttons" },
		!over(p) && (p.state === "stopped" ? act("go", on, "go", "let it run") : act("stop", on, "stop", "it and its threads stand until it is let go")),
		!over(p) && act("signal", on, "signal…", "one that you choose"),
		p.held_itself ? release(on, p.holder ?? "") : !over(p) && act("hold", on, "hold", "nobody else may move it"));
}

const processItem = (p: Process): Item => ({
	key: "process/" + p.process, href: to({ process: String(p.process) }), state: p.how, bad: false, name: place(p),
	title: `${place(p)} on ${p.node_name}: ${p.how}${p.call ? " in " + p.call : ""}`,
});

// ---- tables ----

const table = (head: string[], rows: HTMLElement[]): HTMLElement =>
	el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, ...head.map((h) => el("th", { scope: "col" }, h)))), el("tbody", {}, ...rows)));

const row = (key: string, ...cells: Shown[]): HTMLElement => el("tr", { "data-key": key }, ...cells.map((c) => el("td", {}, c)));

const link = (href: string, text: string): HTMLElement => el("a", { class: "pick", href }, text);

function processTable(list: Process[], byNode: boolean): HTMLElement {
	return table(["process", "state", byNode ? "program" : "node", "pid", "events", "processor", "memory", "threads", ""], list.map((p) => row("process/" + p.process,
		link(to({ process: String(p.process) }), place(p)), el("span", {}, how(p), " ", held(p.holder, p.held_why)),
		byNode ? (p.program_name === null ? "of none" : link(to({ program: p.program_name }), p.program_name)) : link(to({ node: p.node_name }), p.node_name),
		String(p.pid), p.events === null ? "" : p.events.toLocaleString("en"), p.used === null ? "" : `${p.used.toFixed(1)} s`, p.memory === null ? "" : bytes(p.memory),
		p.threads === null ? "" : String(p.threads), moves(p))));
}

// Few as a table, many as squares, or a part of many as a table.
function processList(all: Process[], byNode: boolean): Shown[] {
	const { show, part, ended } = choice.now, list = all.filter((p) => (!show || p.how === show) && matches(p.name));
	return [
		el("p", { class: "chips" }, tally(countOf(all), true),
			link(here({ ended: ended ? "" : "1", part: "" }), ended ? "only the last run" : "runs before, too"),
			part && link(here({ part: "" }), "show all")),
		known.more && el("p", {}, "There are more: only 5,000 are shown."),
		list.length > FEW && !part ? squares(list.map(processItem), "process") : list.length ? processTable(partOf(list), byNode) : el("p", { class: "dim" }, "There are none."),
	];
}

function programMoves(g: Program): HTMLElement {
	const on = { program: g.name }, runs = ["begins", "running", "stopped", "hangs"].includes(g.state) || g.retry !== null;
	return el("span", { class: "buttons" },
		!runs && act("begin", on), runs && act("end", on, "end…", "tell it to end"), runs && act("restart", on, "restart…", "tell it to end, and begin it again"),
		g.holder === null ? act("hold", on, "hold", "nobody else may move it") : release(on, g.holder));
}

const programTable = (list: Program[]): HTMLElement =>
	table(["program", "state", "node", "processes of its last run", "runs", "restart", ""], list.map((g) => row("program/" + g.name,
		link(to({ program: g.name }), g.name), el("span", {}, state(g.state), " ", held(g.holder, g.held_why)),
		g.node_name === null ? "" : link(to({ node: g.node_name }), g.node_name), tally(g.states), String(g.runs), g.restart, programMoves(g))));

// ---- the levels ----

export function complexLevel(c: Complex): Shown[] {
	const { show, part } = choice.now, list = c.nodes.filter((n) => (!show || n.state === show) && matches(n.name)), some = partOf(list);
	const trouble = list.filter((n) => n.state !== "up" || failures(n)).slice(0, 12);
	return [
		el("h1", {}, "The complex"),
		el("p", { class: "chips" }, el("b", {}, plural(total(c.sums.nodes), "node")), tally(c.sums.nodes, true), part && link(here({ part: "" }), "show all")),
		el("p", { class: "chips" }, el("b", {}, plural(total(c.sums.processes), "process", "processes")), tally(c.sums.processes),
			c.sums.errors > 0 && el("a", { class: "chip state error", href: here({ weight: "error" }) }, `✕ ${plural(c.sums.errors, "error")} in the last hour`)),
		list.length > FEW && !part
			? el("div", {}, squares(list.map(nodeItem), "node"), trouble.length > 0 && el("h2", {}, "Nodes with trouble"), el("div", { class: "cards" }, ...trouble.map(card)))
			: el("div", { class: "cards" }, ...some.map(card)),
		!c.nodes.length && el("p", {}, "There are no nodes yet: ", copy("hbdb nodes add NAME"), " adds one."),
		el("h2", {}, "Programs"),
		c.programs.length ? programTable(c.programs) : el("p", {}, "There are none yet: ", copy("hbdb program add NAME --node NODE -- COMMAND"), " adds one."),
		c.holds.length > 0 && el("h2", {}, "Held"),
		c.holds.length > 0 && table(["what", "by", "why", "for"], c.holds.map((h, i) => row("hold/" + i,
			h.process === null ? h.program_name ?? "" : link(to({ process: String(h.process) }), `${h.process_name} of ${h.program_name ?? "no program"}`), h.who, h.why, ago(h.since, c.now)))),
	];
}

export function nodeLevel(c: Complex): Shown[] {
	const node = c.nodes.find((n) => n.name === choice.now.node);
	if (!node) {
		return [el("h1", {}, choice.now.node), el("p", {}, "There is no node of this name (any more).")];
	}
	const names = new Set(known.processes.map((p) => p.program_name)), programs = c.programs.filter((g) => g.node_name === node.name || names.has(g.name));
	return [
		el("h1", {}, "Node " + node.name),
		node.state !== "up" && el("p", { class: "banner", role: "alert" }, `This node is ${node.state} for ${ago(node.since, c.now)}${node.why ? ": " + node.why : ""}. What stands below was known last; the manager goes on trying to reach it.`),
		facts(["state", el("span", {}, state(node.state), ` for ${ago(node.since, c.now)}`)], ["load", node.load?.toFixed(2) ?? "not known"],
			["memory free", bytes(node.memory)], ["disk free", bytes(node.disk)], ["machine", node.machine], ["host", node.host],
			["reached by", `${node.platform} ${node.address}`], ["hbdb there", node.version]),
		el("h2", {}, "Programs"), programs.length ? programTable(programs) : el("p", { class: "dim" }, "There are none."),
		el("h2", {}, "Processes"), ...processList(known.processes, true),
	];
}

export function programLevel(c: Complex): Shown[] {
	const g = c.programs.find((p) => p.name === choice.now.program);
	if (!g) {
		return [el("h1", {}, choice.now.program), el("p", {}, "There is no program of this name (any more).")];
	}
	const last = g.state === "failed" || g.state === "ended" ? ending(g.status, g.signal) : "";
	return [
		el("h1", {}, "Program " + g.name), programMoves(g),
		facts(["state", el("span", {}, state(g.state), `${last ? " " + last : ""} for ${ago(g.since, c.now)}`)], ["held", held(g.holder, g.held_why)],
			["command", el("code", {}, words(g.command))], ["in", g.cwd], ["begun on", g.node_name && link(to({ node: g.node_name }), g.node_name)],
			["runs", `${g.runs}${g.failures ? `, the last ${g.failures} failed` : ""}`], ["begun again", g.retry === null ? g.restart : `${g.restart}; next at ${clock(g.retry)}`],
			["recording", g.recording === null ? (g.recorded ? "each run; none yet" : "not recorded") : copy("hbdb view " + quoted(g.recording), "copy the command that shows it")]),
		el("h2", {}, "Processes"), ...processList(known.processes, false),
	];
}

function rates(p: Process): Shown[] {
	const list = samplesOf(p.process), cpu = list.slice(1).map((s, i) => ({ x: s.time, y: s.used === null || list[i]!.used === null ? null : Math.max(0, (s.used - list[i]!.used!) / (s.time - list[i]!.time)) }));
	return [
		el("h2", {}, "Since this page is open"),
		chart("processors in use", cpu, (y) => y.toFixed(2)), chart("memory", list.map((s) => ({ x: s.time, y: s.memory })), bytes),
	];
}

function missing(number: string): Shown[] {
	return [el("h1", {}, "Process #" + number), el("p", {}, "There is no process of this number (any more): those that ended are forgotten after a time.")];
}

export function processLevel(c: Complex): Shown[] {
	const p = known.processes[0];
	if (!p) {
		return missing(choice.now.process);
	}
	return [
		el("h1", {}, `${p.rank === null ? "Process" : "Rank"} ${p.name}${p.program_name === null ? "" : " of " + p.program_name}`), moves(p),
		p.node_state !== "up" && el("p", { class: "banner", role: "alert" }, `Node ${p.node_name} is ${p.node_state}${p.node_why ? ": " + p.node_why : ""}. What stands below was known last.`),
		facts(["state", el("span", {}, how(p), ` for ${ago(p.since, c.now)}`)], ["held", held(p.holder, p.held_why)], ["call", p.call], ["events", p.events?.toLocaleString("en") ?? "not recorded"],
			["messages sent", p.messages?.toLocaleString("en") ?? null],
			["per second", p.event_rate === null || over(p) ? null : `${p.event_rate.toLocaleString("en")} events, ${(p.message_rate ?? 0).toLocaleString("en")} messages`],
			["threads", p.threads === null ? null : link(to({ threads: String(p.process) }), String(p.threads))],
			["processor time", p.used === null ? "not known" : `${p.used.toFixed(2)} s`], ["memory", bytes(p.memory)],
			["node", link(to({ node: p.node_name }), p.node_name)], ["program", p.program_name && link(to({ program: p.program_name }), p.program_name)],
			["pid", String(p.pid)], ["file", p.file], ["machine", p.machine], ["number", "#" + p.process],
			["recording", p.recording && copy("hbdb view " + quoted(p.recording), "copy the command that shows it")]),
		...(over(p) ? [] : rates(p)),
	];
}

const SIGNS_OF: Record<string, string> = { inside: "waiting", asks: "waiting", computes: "running", asleep: "held", ended: "ended" };

// What it does, in words.
function doing(t: Thread): HTMLElement {
	const more = t.joins === undefined ? "" : ` until the thread of lane ${t.joins} ends`;
	return el("span", { class: "state " + (SIGNS_OF[t.does] ?? "") }, `${t.does}${t.call ? " " + t.call : ""}${t.after ? " after " + t.after : ""}${more}`);
}

function threadTable(list: Thread[]): HTMLElement {
	return table(["thread", "does", "where", "for", "events"], list.map((t) => row("thread/" + t.lane,
		t.thread === undefined ? "lane " + t.lane : String(t.thread), doing(t), t.place ?? "", t.seconds === undefined ? "" : `${t.seconds.toFixed(1)} s`, t.events.toLocaleString("en"))));
}

export function threadsLevel(): Shown[] {
	const p = known.processes[0], told = known.threads, list = told?.threads ?? [];
	return !p ? missing(choice.now.threads) : [
		el("h1", {}, `Threads of ${place(p)}${p.program_name === null ? "" : " of " + p.program_name}`), moves(p),
		el("p", {}, p.threads === null ? "How many threads it has is not known." : over(p) ? "It has ended." : `It has ${plural(p.threads, "thread")}; what those do that called something that is recorded:`),
		over(p) ? null : told?.why ? el("p", { class: "banner" }, told.why) : list.length ? threadTable(list) : el("p", { class: "dim" }, "None of them has called anything yet."),
		el("p", {}, p.recording ? "Its recording tells what each called: " : "The debugger shows them: ", copy(p.recording ? "hbdb dump " + quoted(p.recording) : `gdb -p ${p.pid}`), ` on node ${p.node_name}.`),
		el("p", {}, link(to({ process: String(p.process) }), "back to the process")),
	];
}
