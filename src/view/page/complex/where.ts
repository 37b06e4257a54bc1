// What is chosen: the address holds exactly that.
export interface Choice {
	node: string; // one of these four, or none: the whole complex
	program: string;
	process: string;
	threads: string; // of the process of this number
	part: string; // of many nodes or processes: the field that is open
	show: string; // only nodes, or processes, in this state
	find: string; // only those whose name has this in it
	ended: string; // 1: runs before the last one, too
	weight: string; // of the events that are listed
	kind: string;
	at: string; // events of this node
	of: string; // events of this program
}

const NONE: Choice = { node: "", program: "", process: "", threads: "", part: "", show: "", find: "", ended: "", weight: "", kind: "", at: "", of: "" };
const KEPT = ["weight", "kind", "at", "of"] as const; // from one level to the next

export function read(hash: string): Choice {
	const choice = { ...NONE }, given = new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B"));
	for (const name of Object.keys(NONE) as (keyof Choice)[]) {
		choice[name] = given.get(name) ?? "";
	}
	return choice;
}

export function write(choice: Choice): string {
	const parts = Object.entries(choice).filter(([, value]) => value);
	return "#" + parts.map(([name, value]) => name + "=" + encodeURIComponent(value)).join("&");
}

export const choice: { now: Choice } = { now: read(location.hash) };

// The address of another level, with the same events.
export function to(level: Partial<Choice>): string {
	const kept = Object.fromEntries(KEPT.map((name) => [name, choice.now[name]]));
	return write({ ...NONE, ...kept, ...level });
}

// The address of this level with something else chosen.
export const here = (more: Partial<Choice>): string => write({ ...choice.now, ...more });

export const level = ({ node, program, process, threads }: Choice): "complex" | "node" | "program" | "process" | "threads" =>
	threads ? "threads" : process ? "process" : program ? "program" : node ? "node" : "complex";
