// Questions to the server, or, in a page that is one file, to the data in it.
import { numbers } from "./choice";
import type { Alone, Axis, Box, Cone, EventInfo, Ring, Run, View } from "./types";

export type Parameters = Record<string, string | number | null | undefined>;

export class Refused extends Error {}

function query(parameters: Parameters): string {
	const search = new URLSearchParams();
	for (const [name, value] of Object.entries(parameters)) {
		if (value !== null && value !== undefined && value !== "") {
			search.set(name, String(value));
		}
	}
	const text = search.toString();
	return text ? "?" + text : "";
}

async function answer<T>(response: Response): Promise<T> {
	const body: unknown = await response.json().catch(() => null);
	if (!response.ok || body === null) {
		const told = (body as { error?: string } | null)?.error;
		throw new Refused(told ?? `the server answered ${response.status}`);
	}
	return body as T;
}

export interface Server {
	alone: boolean;
	get<T>(path: string, parameters?: Parameters, signal?: AbortSignal): Promise<T>;
	post<T>(path: string, body?: unknown): Promise<T>;
}

export class Live implements Server {
	alone = false;

	async get<T>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
		return answer<T>(await fetch(path + query(parameters), signal ? { signal } : {}));
	}

	async post<T>(path: string, body: unknown = {}): Promise<T> {
		const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
		return answer<T>(await fetch(path, init));
	}
}

// The picture of the file, without what the filter leaves out.
function filtered(run: Run, view: View, parameters: Parameters): View {
	const lines = parameters.lines ? new Set(numbers(String(parameters.lines))) : null;
	const wanted = parameters.function ? new Set(String(parameters.function).split(",")) : null;
	const functions = wanted ? new Set(run.functions.flatMap((name, i) => (wanted.has(name) ? [i] : []))) : null;
	const shown = (line: number) => !lines || lines.has(line);
	const boxes = view.boxes.filter((b) => shown(b[0]) && (!functions || functions.has(b[5]))).map((b): Box => [...b]);
	const kept = new Set(boxes.map((b) => b[0] + ":" + b[1]));
	const known = new Set(view.boxes.map((b) => b[0] + ":" + b[1]));
	const there = (line: number, event: number) =>
		shown(line) && (!functions || !known.has(line + ":" + event) || kept.has(line + ":" + event));
	return {
		...view,
		boxes,
		arrows: view.arrows.filter((a) => there(a[0], a[1]) && there(a[3], a[4])),
		collectives: view.collectives.filter((c) => !functions || functions.has(c[0])).map((c): Ring => [...c]),
		densities: view.densities.filter((d) => shown(d[0])),
	};
}

function found(data: Alone, parameters: Parameters): unknown {
	const words = String(parameters.q ?? "").toLowerCase().split(/\s+/).filter(Boolean).map((w) => w.replace(/^(function|line):/, ""));
	const hits = Object.values(data.events)
		.filter((e) => words.every((w) => (e.text + (w === "racing" && e.race ? " racing" : "")).toLowerCase().includes(w)))
		.sort((a, b) => a.line - b.line || a.event - b.event)
		.map((e) => ({ at: e.at, line: e.line, event: e.event, logical: e.x.logical[0], physical: e.x.physical[0], text: e.text }));
	return { hits, more: false };
}

class InFile implements Server {
	alone = true;

	constructor(private data: Alone) {}

	async get<T>(path: string, parameters: Parameters = {}): Promise<T> {
		return this.look(path, parameters) as T;
	}

	private look(path: string, parameters: Parameters): unknown {
		const { run, views, events, cones } = this.data;
		switch (path) {
		case "run":
			return { ...run, ready: true, control: false, span: Object.fromEntries(views.map((v) => [v.axis, [v.from, v.to]])) };
		case "view": {
			const view = views.find((v) => v.axis === (parameters.axis as Axis)) ?? views[0];
			return view && filtered(run, view, parameters);
		}
		case "event":
			return this.or(events[String(parameters.at)] as EventInfo | undefined);
		case "cone":
			return this.or(cones?.[String(parameters.at)] as Cone | undefined);
		case "search":
			return found(this.data, parameters);
		default:
			throw new Refused("this page is a file: for that, run `hbdb view`");
		}
	}

	private or<T>(there: T | undefined): T {
		if (!there) {
			throw new Refused("this file does not contain that");
		}
		return there;
	}

	async post<T>(): Promise<T> {
		throw new Refused("this page is a file: for that, run `hbdb view`");
	}
}

export function connect(): Server {
	const data = document.getElementById("data");
	return data ? new InFile(JSON.parse(data.textContent ?? "null") as Alone) : new Live();
}
