// What was asked of the server, and is shown.
import { Live } from "../core/server";
import type { Complex, Happened, Process, Processes } from "./types";
import { choice, level } from "./where";

export const server = new Live();
export const known = {
	complex: null as Complex | null,
	processes: [] as Process[],
	more: false, // there are more processes than are told
	events: [] as Happened[],
	older: false, // there may be events before those
	waiting: 0, // events that came while they are not followed
	follow: true,
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

async function events(): Promise<void> {
	const asked = filter(), key = JSON.stringify(asked);
	const last = known.events[0]?.event ?? 0, anew = key !== listed || !last;
	const { rows } = await server.get<{ rows: Happened[] }>("events", anew ? { ...asked, most: EVENTS } : { ...asked, since: last });
	if (anew) {
		listed = key;
		known.events = rows;
		known.older = rows.length === EVENTS;
		known.waiting = 0;
	} else if (known.follow) {
		known.events = [...rows.reverse(), ...known.events].slice(0, Math.max(EVENTS, known.events.length));
		known.older ||= known.events.length >= EVENTS;
		known.waiting = 0;
	} else {
		known.waiting = rows.length;
	}
}

async function processes(): Promise<void> {
	const { node, program, process, threads, ended } = choice.now;
	if (level(choice.now) === "complex") {
		known.processes = [];
		return;
	}
	const got = await server.get<Processes>("processes", { node, program, one: process || threads, ended });
	known.more = got.found > 5000;
	known.processes = got.rows;
	got.rows.forEach((p) => sample(p, got.now));
}

async function complex(): Promise<void> {
	const all = level(choice.now) === "complex";
	known.complex = await server.get<Complex>("complex", { node: all ? "" : choice.now.node || "-" });
	known.manager = known.complex.manager;
}

// Asks for what the level shows.
export async function refresh(): Promise<void> {
	await Promise.all([complex(), processes(), events()]);
}
