// What the server answers (../../API.md).

export type Axis = "logical" | "physical";
export type Span = [from: number, to: number];

export interface Line {
	process: number;
	lane: number;
	name: string;
	events: number;
	inside: boolean;
	spans?: number; // so many spans of the program lie in each other
}

export interface Run {
	name: string;
	command: string | string[];
	mpi: string | null;
	level: string;
	events: number;
	ready: boolean;
	progress: number;
	processes: { rank: number; name?: string; world?: number; host: string | null; cut: boolean; missing?: boolean }[];
	lines: Line[];
	alike: string[]; // lists of lines that behave alike
	span: Record<Axis, Span>;
	functions: string[];
	groups: { name: string; size: number }[];
	tags: [tag: number, count: number][];
	races: number;
	outside?: { process: number; name: string; sent: number; received: number }[]; // whom processes talked to that are not recorded
	more_outside?: number;
	troubles: string[];
	model?: boolean; // one was given
	compare?: boolean; // a reference was given
	control: boolean;
	failed?: string | null; // the model cannot be built
}

export type Box = [line: number, event: number, x0: number, x1: number, waited: number, fn: number, kind: number, flags: number];
export type Arrow = [
	line0: number, event0: number, x0: number, line1: number, event1: number, x1: number,
	send: number, merged: number, flags: number,
];
export type Span8 = [line: number, begin: number, end: number, x0: number, x1: number, depth: number, fn: number, merged: number]; // end 0: it did not end
export type Stub = [line: number, event: number, x: number, received: number, peer: string, n: number, bytes: number]; // the other end is not recorded
export type Part = [line: number, event: number, x0: number, x1: number];
export type Ring = [fn: number, collective: number, parts: Part[]];
// mix: DIGITS for each column, or null while there is no model
export type Density = [line: number, events: number, count: number[], waiting: number[], mix: string | null];

export interface View {
	axis: Axis;
	from: number;
	to: number;
	events: number;
	hidden: number;
	messages: number;
	hidden_messages: number;
	boxes: Box[];
	arrows: Arrow[];
	collectives: Ring[];
	densities: Density[];
	spans?: Span8[];
	outside?: Stub[];
}

// Kinds and flags as in ../../layout/layout.h.
export const enum Kind { Local, Send, Receive, Complete, Probe, Collective }
export const KINDS = ["local", "send", "receive", "completion", "probe", "collective"];
export const enum Flag {
	Races = 1,
	Inside = 2,
	Failed = 4,
	Synchronous = 8,
	Unmatched = 16,
	Alternative = 32,
	Ambiguous = 64,
	Order = 128,
}

export interface SourceRow { row: number; text: string }

export interface Message {
	send: string;
	receive: string | null;
	source: number;
	dest: number;
	tag: number | null; // null: it has none
	bytes: number;
	synchronous: boolean;
	ambiguous: boolean;
}

export interface EventInfo {
	at: string;
	line: number;
	event: number;
	text: string;
	call: Record<string, unknown>;
	x: Record<Axis, Span>;
	file: string | null;
	row: number;
	source: SourceRow[];
	messages: Message[];
	collective: Record<string, unknown> | null;
	orders?: { kind: string; from: string; to: string }[];
	outside?: { name: string; received: boolean; n: number; bytes: number }[];
	// lane and event are those of the event itself; text: of a recording of version 1
	remarks?: { remark: string; fields?: Record<string, unknown>; text?: string }[];
	more_remarks?: number;
	data?: (Piece | null)[];
	more_data?: number;
	data_at?: string | null;
	race: { alternatives: { send: string; receive: string | null; rank: number; tag: number | null; text: string }[] } | null;
	next: string | null;
	previous: string | null;
	match: string | null;
}

export type Stop = "nothing" | "after" | "inside" | "end";

export interface Cone {
	cut: { line: number; event: number; stop: Stop; logical: number; physical: number }[];
	future: { line: number; event: number; logical: number; physical: number }[];
}

export interface Hit {
	at: string;
	line: number;
	event: number;
	logical: number;
	physical: number;
	text: string;
}

export interface Races {
	places: { place: string; function: string; calls: number; races: number }[];
	races: { at: string; place: string | null; got: string | null; n: number }[];
	more: boolean;
}

export interface ProfileRow { function?: string; place?: string | null; line?: number; name?: string; lines: number; calls: number; time: number; waited: number }
export interface Profile { by: string; time: number; waited: number; found: number; rows: ProfileRow[] }

export interface Matrix {
	size: number; // rows and columns, of so many processes each:
	each: number;
	messages: number;
	bytes: number;
	unreceived: number;
	cells: [from: number, to: number, messages: number, bytes: number, unreceived: number][];
}

// What came into a process with an event, of a run recorded at level data: a piece of it. `first`: the first of its values.
export interface Piece { data: string; kind: string; datatype?: string; named?: string; elements?: number; bytes: number; values: number; digest?: string; first: (number | string)[]; win?: number; of_rank?: number; offset?: number }
export interface Frame { level?: number; function: string; file: string; row: number; module?: string; ours?: boolean }

export interface ProcessState {
	rank: number; // by which the server knows it in a replay: of a process of MPI its rank
	name?: string;
	life: string;
	why: string | null;
	event: number;
	inside: boolean;
	call: string | null;
	blocked_on: number | null;
	signal: number | null;
	attached: boolean;
	arrival?: string;
	frame?: Frame | null;
	logical?: number | null;
	physical?: number | null;
}

export interface State {
	running: boolean;
	started: boolean;
	reached: number | null;
	seconds: number;
	processes: ProcessState[];
	change: number;
}

export interface Variable { name: string; type: string; value: string | null; argument: boolean }

// The data of a page in one file.
export interface Alone {
	run: Run;
	views: View[];
	events: Record<string, EventInfo>;
	cones?: Record<string, Cone>;
}

// What a model of a correct run says of this one.
export interface Model {
	findings: { finding: string; severity: string; sentence: string; at: string | null }[];
	sum: {
		model: string; keys: number; complete: number; stopped: number; wrong: number; undecided: number; doubts: string[];
		rows: { of: string; keys: Record<string, string | number>; rank: number; process: string; in: string }[];
	};
}

// The graph of one key: boxes in rows of processes and columns, a column behind all that they need.
export interface KeyGraph {
	title: string;
	columns: number;
	rows: string[];
	boxes: { row: number; column: number; words: string; more: string | null; at: string | null; before: number; expected: boolean; wrong: boolean }[];
	arrows: { from: number; to: number; words: string | null; expected: boolean }[];
}

// Where the run differs from a reference.
export interface Difference { difference: string; differs: boolean; sentence: string; point: string | null; array?: { name: string }; variable?: string }
export interface Differences { reference: string; said: string; more: number; differences: Difference[] }

// A picture of where an array differs; all by dimension, in global indices from 0.
export interface ArrayMap {
	svg: string;
	size: [number, number];
	plot: [x: number, y: number, width: number, height: number]; // the cells in the picture
	tiles: boolean; // not elements
	across: number;
	down: number;
	global: number[];
	tile: number[];
	first: number[]; // what is shown of it
	count: number[];
	at: string | null; // the event of the point
}
