// What the server answers: src/view/complex/API.md.
export type States = Record<string, number>;

export interface Node {
	node: number; name: string; platform: string; address: string; state: string; why: string; since: number; host: string | null; machine: string | null;
	version: string | null; load: number | null; memory: number | null; disk: number | null; states: States | null; errors: number | null;
}

export interface Program {
	program: number; name: string; node_name: string | null; command: unknown; cwd: string | null; recorded: number; recording: string | null; restart: string;
	wanted: number; state: string; since: number; runs: number; failures: number; status: number | null; signal: number | null; process: number | null;
	retry: number | null; ending: number | null; holder: string | null; held_why: string | null; states: States | null;
}

export interface Process {
	process: number; node_name: string; node_state: string; node_why: string; program_name: string | null; pid: number; name: string; file: string | null;
	rank: number | null; world: number | null; machine: string | null; recording: string | null; state: string; how: string; call: string | null;
	events: number | null; messages: number | null; event_rate: number | null; message_rate: number | null; threads: number | null; used: number | null; memory: number | null; status: number | null; signal: number | null; since: number;
	missing: number | null; holder: string | null; held_why: string | null; held_itself: number;
}

// What a thread does: docs/system/agent.md, *thread*.
export interface Thread {
	lane: number; thread?: number; events: number; does: string; call?: string; after?: string; place?: string; seconds?: number; joins?: number;
}

export interface Threads {
	now: number; process: number; threads: Thread[] | null; why: string | null; // why: they are not known
}

export interface Hold {
	process: number | null; who: string; why: string; since: number; program_name: string | null; process_name: string | null;
}

export interface Happened {
	event: number; time: number; kind: string; weight: string; text: string; node_name: string | null; program_name: string | null; process: number | null;
	process_name: string | null; rank: number | null; recording: string | null;
}

export interface Complex {
	change: number; manager: string | null; user: string; now: number; last: number; // user: of this page
	sums: { nodes: States; programs: States; processes: States; errors: number };
	nodes: Node[]; programs: Program[]; holds: Hold[];
}

export interface Processes {
	now: number; found: number; rows: Process[];
}
