// The chosen event: its text, source, messages, collective, what else could have come.
import type { App } from "../core/app";
import type { Actions } from "../core/actions";
import { KINDS, type EventInfo, type Message, type Piece, type SourceRow } from "../core/types";
import { count, time } from "../draw/ruler";
import { button, el, link, section } from "./dom";

const ORDERS: Record<string, string> = {
	completed: "the access epoch that was completed, for which the target waited", fetched: "the window that was exposed, from which data was fetched",
	made: "the process that was made", began: "the process made had to begin",
	met: "the other side of the connection, for which this one waited",
	forked: "the call that made the process", execed: "the program that it was before", ended: "the process ended, which was waited for",
	killed: "the process ended inside of the call, and was waited for", closed: "the end of the stream, as its other side was told",
	left: "the process with the other end was over, and the stream with it", listened: "the socket listened, so that one could connect to it",
};

// "late#2" of "late#2:7"
const processOf = (at: string): string => at.slice(0, at.lastIndexOf(":"));

export function sourceView(rows: SourceRow[], row: number): HTMLElement {
	return el("pre", { class: "source", tabindex: "0", "aria-label": "source" },
		...rows.map((r) => el("div", { class: r.row === row ? "here" : "", ...(r.row === row ? { "aria-current": "true" } : {}) },
			el("span", { class: "no" }, String(r.row)), r.text || " ")));
}

export function fileName(path: string | null | undefined): string {
	return (path ?? "").replace(/^.*\//, "");
}

function flat(value: unknown): string {
	return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

// "1,000 MPI_DOUBLE", "15 bytes"
function amount(p: Piece): string {
	const bytes = `${count(p.bytes)} ${p.bytes === 1 ? "byte" : "bytes"}`;
	const of = p.kind === "window" ? `of process ${p.of_rank}, at ${count(p.offset ?? 0)}, ` : "";
	return p.datatype === undefined || p.elements === undefined ? of + bytes : `${count(p.elements)} ${p.named ?? p.datatype}, ${bytes}`;
}

// The first values; of bytes of which no more is known, these in hexadecimal.
function values(p: Piece): string {
	if (p.kind === "status") {
		return ["source", "tag", "bytes"].map((name, i) => `${name}=${p.first[i]}`).join(" ") + (p.first[3] ? " cancelled" : "");
	}
	const texts = p.datatype === "MPI_CHAR" || p.datatype === "MPI_CHARACTER" || p.kind === "text";
	const shown = p.first.map((v) => typeof v === "string" && texts ? JSON.stringify(v) : String(v)).join(", ");
	const taken = p.first.reduce<number>((n, v) => n + (typeof v === "string" && texts ? v.length : 1), 0);
	return taken < p.values ? shown + ", ..." : shown;
}

export class Details {
	constructor(private app: App, private actions: Actions) {}

	private go = (at: string) => void this.actions.choose(at);

	private heading(at: string, info: EventInfo | null): HTMLElement {
		const { app, actions } = this, { choice } = app, press = (on: boolean) => ({ "aria-pressed": on ? "true" : "false" });
		const stopped = choice.stops.includes(at), marked = choice.marks.includes(at);
		return el("div", { class: "heading" },
			el("h2", {}, at, el("span", { class: "dim" }, info ? `process ${at.split(/[.:]/)[0]}, event ${info.event}` : "")),
			el("div", { class: "buttons" },
				button("◀ prev", "previous event of the process (p)", () => actions.previous(), { disabled: !info?.previous }),
				button("next ▶", "next event of the process (n)", () => actions.next(), { disabled: !info?.next }),
				button("⇄ match", "other end of its message (m)", () => actions.match(), { disabled: !info?.match }),
				button("◌ cone", "past and future of it (c)", () => actions.toggleCone(), press(choice.cone)),
				button("● break", "breakpoint here (b, double click)", () => actions.toggleStop(), { ...press(stopped), class: stopped ? "stop" : "" }),
				button("▮ mark", "bookmark (k)", () => actions.toggleMark(), press(marked)),
				button("⊕ zoom", "zoom in on it (z)", () => actions.bringIn(at, true)),
			));
	}

	private times(info: EventInfo): HTMLElement {
		const [l0, l1] = info.x.logical, [p0, p1] = info.x.physical;
		return el("dl", { class: "pairs" },
			el("dt", {}, "logical"), el("dd", {}, l0 === l1 ? count(l0) : `${count(l0)} to ${count(l1)}`),
			el("dt", {}, "began"), el("dd", {}, time(p0, 1000)),
			el("dt", {}, "took"), el("dd", {}, time(p1 - p0)));
	}

	private message(at: string, m: Message): HTMLElement {
		const sent = m.send === at, other = sent ? m.receive : m.send;
		return el("tr", {},
			el("td", {}, sent ? `to ${m.receive ? processOf(m.receive) : m.dest}` : `from ${processOf(m.send)}`),
			el("td", {}, m.tag === null ? "" : String(m.tag)), el("td", {}, count(m.bytes)),
			el("td", {}, other ? link(other, this.go) : el("span", { class: "bad" }, "nobody")),
			el("td", { class: "dim" }, [m.synchronous && "synchronous", m.ambiguous && "ambiguous"].filter(Boolean).join(", ")));
	}

	private messages(info: EventInfo): HTMLElement | null {
		if (!info.messages.length) {
			return null;
		}
		const most = 200, head = el("tr", {}, ...["", "tag", "bytes", "event", ""].map((t) => el("th", {}, t)));
		return section(info.messages.length > 1 ? `${info.messages.length} messages` : "Message",
			el("table", { class: "list" }, el("thead", {}, head),
				el("tbody", {}, ...info.messages.slice(0, most).map((m) => this.message(info.at, m)))),
			info.messages.length > most && el("p", { class: "dim" }, `and ${info.messages.length - most} more`));
	}

	private race(info: EventInfo): HTMLElement | null {
		const list = info.race?.alternatives ?? [];
		return info.race && section("Raced: it could have got", el("ul", { class: "race" },
			...list.map((a) => el("li", {}, link(a.send, this.go), ` from ${processOf(a.send)}${a.tag === null ? "" : `, tag ${a.tag}`}`,
				a.receive ? el("span", { class: "dim" }, " which ", link(a.receive, this.go), " received") : el("span", { class: "dim" }, ", which nobody received"),
				el("div", { class: "code dim" }, a.text)))));
	}

	private collective(info: EventInfo): HTMLElement | null {
		const known = info.collective;
		if (!known) {
			return null;
		}
		const parts = Array.isArray(known.parts) ? known.parts as unknown[] : [];
		const names = parts.map((p) => (typeof p === "string" ? p : String((p as { at?: string } | null)?.at ?? ""))).filter(Boolean);
		const rest = Object.entries(known).filter(([key]) => key !== "parts");
		return section("Collective",
			el("dl", { class: "pairs" }, ...rest.flatMap(([key, value]) => [el("dt", {}, key), el("dd", {}, flat(value))])),
			names.length > 0 && el("p", { class: "links" }, ...names.slice(0, 128).flatMap((at) => [link(at, this.go), " "])));
	}

	// What orders it without a message: one-sided synchronisation, processes that make others.
	private orders(info: EventInfo): HTMLElement | null {
		const list = info.orders ?? [];
		return list.length === 0 ? null : section("Order without a message", el("ul", { class: "race" }, ...list.map((o) => {
			const before = o.to === info.at;
			return el("li", {}, before ? "after " : "before ", link(before ? o.from : o.to, this.go), el("span", { class: "dim" }, ", " + (ORDERS[o.kind] ?? o.kind)));
		})));
	}

	// Whom it talked to that is not recorded.
	private outside(info: EventInfo): HTMLElement | null {
		const list = info.outside ?? [];
		return list.length === 0 ? null : section("Not recorded", el("ul", { class: "outside" }, ...list.map((o) =>
			el("li", {}, `${o.received ? "from" : "to"} ${o.name}`, el("span", { class: "dim" }, `, ${o.n > 1 ? `${count(o.n)} datagrams, ` : ""}${count(o.bytes)} ${o.bytes === 1 ? "byte" : "bytes"}`)))));
	}

	// What came with the event, or what the message carried that it sent: known where it arrived, of a run recorded at level data.
	private data(info: EventInfo): HTMLElement | null {
		const list = (info.data ?? []).filter((p): p is Piece => p !== null), more = info.more_data ?? 0;
		const elsewhere = info.data_at != null && info.data_at !== info.at;
		return list.length === 0 ? null : section(elsewhere ? "What it carried" : "What came in",
			elsewhere && el("p", { class: "dim" }, "as it arrived at ", link(info.data_at!, this.go)),
			el("ul", { class: "race" }, ...list.map((p) => el("li", {}, el("span", { class: "code" }, p.data),
				el("span", { class: "dim" }, p.digest === undefined ? "" : `, ${amount(p)}`),
				el("div", { class: "code dim" }, values(p))))),
			more > 0 && el("p", { class: "dim" }, `and ${count(more)} more: hbdb dump --data prints all`));
	}

	// What the recorder itself saw at this event, of a run recorded for hbdb check.
	private remarks(info: EventInfo): HTMLElement | null {
		const list = info.remarks ?? [], more = info.more_remarks ?? 0;
		const said = (r: typeof list[number]) => r.text ?? Object.entries(r.fields ?? {}).map(([name, value]) => `${name}=${flat(value)}`).join(", ");
		return list.length === 0 ? null : section(list.length + more > 1 ? `${count(list.length + more)} remarks of the recorder` : "Remark of the recorder",
			el("ul", { class: "race" }, ...list.map((r) => el("li", {}, el("span", { class: "code" }, r.remark), el("div", { class: "code dim" }, said(r))))),
			more > 0 && el("p", { class: "dim" }, `and ${count(more)} more: hbdb dump --remarks prints all`));
	}

	// The span that this event begins or ends, where the picture has it.
	private span(info: EventInfo): HTMLElement | null {
		const { app } = this, span = app.scene?.spans.get(info.line)?.find((s) => s[7] === 1 && (s[1] === info.event || s[2] === info.event));
		if (!span) {
			return null;
		}
		const name = (event: number) => app.nameOf(info.line, event);
		return section(`Span ${app.run.functions[span[6]]}`, el("dl", { class: "pairs" },
			el("dt", {}, "from"), el("dd", {}, link(name(span[1]), this.go)),
			el("dt", {}, "to"), el("dd", {}, span[2] ? link(name(span[2]), this.go) : "it did not end"),
			...(app.choice.axis === "physical" && span[2] ? [el("dt", {}, "took"), el("dd", {}, time(span[4] - span[3]))] : []),
			...(span[5] ? [el("dt", {}, "inside"), el("dd", {}, span[5] === 1 ? "one other" : `${span[5]} others`)] : [])));
	}

	private source(info: EventInfo): HTMLElement | null {
		if (!info.file) {
			return null;
		}
		return section(`${fileName(info.file)}:${info.row}`,
			info.source?.length ? sourceView(info.source, info.row) : el("p", { class: "dim" }, `${info.file} is not to be found here`));
	}

	private intro(): HTMLElement[] {
		const { run } = this.app, command = Array.isArray(run.command) ? run.command.join(" ") : run.command;
		return [
			el("h2", {}, run.name),
			el("dl", { class: "pairs" },
				el("dt", {}, "command"), el("dd", { class: "code" }, command ?? ""),
				run.mpi && el("dt", {}, "MPI"), run.mpi && el("dd", {}, run.mpi),
				el("dt", {}, "level"), el("dd", {}, run.level ?? ""),
				el("dt", {}, "processes"), el("dd", {}, count(run.processes.length)),
				el("dt", {}, "events"), el("dd", {}, count(run.events)),
				el("dt", {}, "raced"), el("dd", {}, count(run.races ?? 0))),
			...(run.outside?.length ? [section("Not recorded", el("ul", { class: "outside" }, ...run.outside.map((o) => el("li", {}, `${o.name} `,
				el("span", { class: "dim" }, `${run.processes[o.process]?.name ?? o.process} sent it ${count(o.sent)}, and received ${count(o.received)}`)))),
				run.more_outside ? el("p", { class: "dim" }, `and ${count(run.more_outside)} more`) : null)] : []),
			...(run.troubles?.length ? [section("Troubles", el("ul", {}, ...run.troubles.map((t) => el("li", { class: "bad" }, t))))] : []),
			el("p", { class: "dim" }, "Click an event to choose it. Drag to move, turn the wheel to zoom, or hold Shift and drag a box to zoom into it. Press ? for all keys."),
		];
	}

	show(): HTMLElement[] {
		const { app } = this, { at } = app.choice, info = app.event;
		if (!at) {
			return this.intro();
		}
		if (!info) {
			return [this.heading(at, null)];
		}
		const kind = app.scene?.box(info.line, info.event)?.[6];
		return [
			this.heading(at, info),
			el("p", { class: "code text" }, info.text),
			this.source(info), this.messages(info), this.outside(info), this.data(info), this.race(info), this.orders(info), this.collective(info), this.span(info), this.remarks(info),
			section("Time", this.times(info)),
			kind !== undefined && el("p", { class: "dim" }, KINDS[kind]!),
		].filter((e): e is HTMLElement => Boolean(e));
	}
}
