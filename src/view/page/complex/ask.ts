// What was asked of the server, and is shown.
import { Live } from "../core/server";
import type { Complex, Happened, Process, Processes, Threads } from "./types";
import { choice, level, type Choice } from "./where";

export const server = new Live();
export const known = {
	complex: null as Complex | null,
	processes: [] as Process[],
	threads: null as Threads | null, // of the process that is chosen
	more: false, // there are more processes than are told
	events: [] as Happened[],
	older: false, // there may be events before those
	waiting: 0, // events that came while they are not followed
	follow: true,
	level: "", // the one that all this was asked for
	gone: "", // why this page's server does not answer
	manager: null as string | null,
};

export interface Sample {
	time: number; // seconds
	used: number | null;
	memory: number | null;
}
const SAMPLES = 900, PROCESSES = 6000, EVENTS = 200;
const samples = new Map<number, Sample[]>();

// Since the page is open, of the processes that it has shown.
export const samplesOf = (process: number): Sample[] => samples.get(process) ?? [];

function sample(p: Process, now: number): void {
	const list = samples.get(p.process) ?? [], time = now / 1e6;
	if (!list.length || time - list[list.length - 1]!.time > 0.5) {
		list.push({ time, used: p.used, memory: p.memory });
		list.splice(0, list.length - SAMPLES);
	}
	samples.delete(p.process);
	samples.set(p.process, list);
	if (samples.size > PROCESSES) {
		samples.delete(samples.keys().next().value!);
	}
}

export interface Scope {
	node: string;
	program: string;
	process: string;
}

// Whose events are listed: what is chosen, else what the filter says.
export function scope(): Scope {
	const c = choice.now, one = c.process || c.threads;
	return { node: one ? "" : c.node || c.at, program: one ? "" : c.program || c.of, process: one };
}

export const filter = () => ({ weight: choice.now.weight, kind: choice.now.kind, ...scope() });

// Those before the ones that are listed.
export async function older(): Promise<void> {
	const last = known.events[known.events.length - 1];
	if (last) {
		const { rows } = await server.get<{ rows: Happened[] }>("events", { ...filter(), before: last.event, most: EVENTS });
		known.events = [...known.events, ...rows];
		known.older = rows.length === EVENTS;
	}
}

let listed = ""; // what the list of events was asked for with

// What an answer does to what is shown.
type Taken = () => void;

async function events(): Promise<Taken> {
	const asked = filter(), key = JSON.stringify(asked), last = known.events[0]?.event ?? 0, anew = key !== listed || !last;
	const { rows } = await server.get<{ rows: Happened[] }>("events", anew ? { ...asked, most: EVENTS } : { ...asked, since: last });
	return () => {
		if (anew) {
			listed = key;
			known.events = rows;
			known.older = rows.length === EVENTS;
		} else if (known.follow) {
			known.events = [...rows.reverse(), ...known.events].slice(0, Math.max(EVENTS, known.events.length));
			known.older ||= known.events.length >= EVENTS;
		}
		known.waiting = anew || known.follow ? 0 : rows.length;
	};
}

async function processes(): Promise<Taken> {
	const { node, program, process, threads, ended } = choice.now, none = { now: 0, found: 0, rows: [] };
	const got: Processes = level(choice.now) === "complex" ? none : await server.get<Processes>("processes", { node, program, one: process || threads, ended });
	return () => {
		known.more = got.found > 5000;
		known.processes = got.rows;
		got.rows.forEach((p) => sample(p, got.now));
	};
}

// Of one process: its agent is asked, and looks at it now.
async function threads(): Promise<Taken> {
	const { threads: process } = choice.now, got = process ? await server.get<Threads>("threads", { process }) : null;
	return () => {
		known.threads = got;
	};
}

async function complex(): Promise<Taken> {
	const all = level(choice.now) === "complex", got = await server.get<Complex>("complex", { node: all ? "" : choice.now.node || "-" });
	return () => {
		known.complex = got;
		known.manager = got.manager;
	};
}

// The level that was asked for; an answer to another one is not drawn.
export const levelOf = ({ node, program, process, threads }: Choice): string => [node, program, process, threads].join(" ");

let asks = 0;

// Asks for what the level shows. False: it was asked again meanwhile, and this is not what is to be shown.
export async function refresh(): Promise<boolean> {
	const mine = ++asks, of = levelOf(choice.now), taken = await Promise.all([complex(), processes(), threads(), events()]);
	if (mine !== asks) {
		return false;
	}
	taken.forEach((take) => take());
	known.level = of;
	return true;
}
