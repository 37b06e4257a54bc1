// A stand-in for the server of hbdb view, with made-up runs: answers as src/view/API.md says.
// For what is hard to have on demand from a real one: dead processes, slow answers, any shape at a known place.
// usage: node mock.mjs FILES_FOLDER KIND SIZE N [PORT]
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { fileURLToPath } from "node:url";
import * as made from "./made.mjs";

const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";
const KINDS = { farm: made.farm, mixed: made.mixed, many: made.many };
const MOST = 10000, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const x = (e, axis) => (axis === "logical" ? e.l : e.p);
const at = (e) => (e && e.event ? `${e.line}:${e.event}` : null);

export class Mock {
	constructor(run, files) {
		this.run = run;
		this.files = files;
		this.posts = [];
		this.asked = [];
		this.state = { running: false, started: null, reached: null, seconds: 0, processes: [], change: 1 };
		this.waiting = [];
		this.by = new Map();
		for (const a of run.arrows) {
			for (const e of [a.from, a.to]) {
				const key = at(e);
				this.by.set(key, [...(this.by.get(key) ?? []), a]);
			}
		}
	}

	span(axis) {
		let to = 0;
		for (const line of this.run.lines) {
			to = Math.max(to, line.length ? x(line[line.length - 1], axis)[1] : 0);
		}
		return [0, to];
	}

	describe() {
		const { run } = this, events = run.lines.reduce((n, l) => n + l.length, 0);
		return {
			name: run.name, command: "mpirun -n " + run.size + " ./" + run.name.replace(".hbdb", ""), mpi: "Open MPI 4.1.4", level: "events", events,
			ready: true, progress: 1,
			processes: run.lines.map((_, i) => ({ rank: i, pid: 4000 + i, host: i < run.size / 2 ? "north" : "south", cut: false })),
			lines: run.lines.map((l, i) => ({ process: i, lane: 0, name: String(i), events: l.length, inside: false })),
			alike: run.alike ?? run.lines.map((_, i) => String(i)),
			span: { logical: this.span("logical"), physical: this.span("physical") }, functions: run.functions,
			groups: [{ name: "WORLD", size: run.size }, { name: "<img src=x onerror=alert(1)>", size: 2 }], tags: [[1, 10], [2, 10]],
			races: run.lines.flat().filter((e) => e.flags & 1).length, troubles: [], control: true,
		};
	}

	view(q) {
		const { run } = this, axis = q.get("axis"), from = Number(q.get("from")), to = Number(q.get("to")), columns = Number(q.get("columns"));
		const lines = q.get("lines") ? q.get("lines").split(",").flatMap((part) => { const [a, b] = part.split(":").map(Number); return Array.from({ length: (b ?? a) - a + 1 }, (_, i) => a + i); }) : run.lines.map((_, i) => i);
		const names = q.get("function") ? new Set(q.get("function").split(",").map((n) => run.functions.indexOf(n))) : null;
		const shown = new Set(lines), inside = (e) => x(e, axis)[1] >= from && x(e, axis)[0] <= to;
		const events = lines.map((l) => run.lines[l].filter((e) => inside(e) && (!names || names.has(e.fn)))), n = events.reduce((s, l) => s + l.length, 0);
		const answer = { axis, from, to, events: n, hidden: 0, messages: 0, hidden_messages: 0, boxes: [], arrows: [], collectives: [], densities: [] };
		const arrows = run.arrows.filter((a) => shown.has(a.from.line) && shown.has(a.to.line) && x(a.from, axis)[0] <= to && x(a.to, axis)[1] >= from
			&& (!names || names.has(a.from.fn) || names.has(a.to.fn)));
		answer.messages = arrows.length;
		if (n > MOST) {
			answer.hidden = n;
			answer.hidden_messages = arrows.length;
			answer.densities = lines.map((l, i) => this.density(l, events[i], axis, from, to, columns));
			return answer;
		}
		answer.boxes = events.flat().map((e) => [e.line, e.event, ...x(e, axis), axis === "logical" ? e.lw : e.pw, e.fn, e.kind, e.flags]);
		answer.arrows = arrows.slice(0, MOST).map((a, i) => [a.from.line, a.from.event, x(a.from, axis)[0], a.to.line, a.to.event, x(a.to, axis)[1], i, 1, a.flags]);
		answer.collectives = run.rings.map((r, i) => [r.fn, i, r.parts.filter((e) => shown.has(e.line) && inside(e)).map((e) => [e.line, e.event, ...x(e, axis)])])
			.filter((r) => r[2].length);
		return answer;
	}

	density(line, events, axis, from, to, columns) {
		const count = new Array(columns).fill(0), waiting = new Array(columns).fill(0), races = new Array(columns).fill(0);
		const kinds = Array.from({ length: columns }, () => [0, 0, 0, 0, 0, 0]);
		for (const e of events) {
			const i = Math.max(0, Math.min(columns - 1, Math.floor(((x(e, axis)[0] - from) / (to - from)) * columns)));
			count[i]++;
			waiting[i] += axis === "logical" ? e.lw / (e.l[1] - e.l[0] + 1) : e.pw / (e.p[1] - e.p[0]);
			kinds[i][e.kind] += 1;
			races[i] += e.flags & 1;
		}
		const waits = waiting.map((w, i) => (count[i] ? Math.round((255 * w) / count[i]) : 0));
		const mix = kinds.map((all, i) => [...all.map((n) => Math.round((63 * n * (1 - waits[i] / 255)) / (count[i] || 1))), Math.min(63, races[i])].map((n) => DIGITS[n]).join("")).join("");
		return [line, events.length, count, waits, mix];
	}

	find(name) {
		const [, line, event] = /^(\d+):(\d+)$/.exec(name ?? "") ?? [], e = this.run.lines[line]?.[event - 1];
		if (!e) {
			throw new Error(`no event ${name}`);
		}
		return e;
	}

	text(e) {
		const name = this.run.functions[e.fn], a = (this.by.get(at(e)) ?? []).find((b) => !(b.flags & 32));
		const args = e.kind === made.SEND ? `count=1, datatype=MPI_INT, dest=${a?.to.line}, tag=${a?.tag}, comm=WORLD`
			: e.kind === made.RECEIVE ? "count=2, datatype=MPI_DOUBLE, source=ANY, tag=2, comm=WORLD" : "comm=WORLD";
		return `${at(e)}  ${name}(${args})` + (e.kind === made.RECEIVE && a ? ` -> source=${a.from.line} tag=${a.tag} bytes=16` : "") + "  farm.c:71";
	}

	// What the message carried, known where it arrived.
	data(arrow) {
		const piece = { rank: arrow?.to.line, lane: 0, event: arrow?.to.event };
		return !arrow ? {} : { data_at: at(arrow.to), more_data: 0, data: [
			{ ...piece, data: "status", kind: "status", bytes: 4, values: 4, first: [arrow.from.line, arrow.tag, 16, 0] },
			{ ...piece, data: "buf", kind: "buffer", datatype: "MPI_DOUBLE", elements: 4000, bytes: 32000, digest: "77", values: 4000, first: [0.5, 1.5] },
			{ ...piece, data: "word", kind: "buffer", datatype: "MPI_CHAR", elements: 8, bytes: 8, digest: "78", values: 8, first: ["<b>\u0000&\"x!"] },
		] };
	}

	event(q) {
		const e = this.find(q.get("at")), arrows = this.by.get(at(e)) ?? [], line = this.run.lines[e.line];
		const source = Array.from({ length: 9 }, (_, i) => ({ row: 67 + i, text: i === 4 ? "\t\tMPI_Recv(answer, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);" : `\t\t/* line ${67 + i} <b>&amp; */` }));
		const own = arrows.filter((a) => !(a.flags & 32)), other = arrows.filter((a) => a.flags & 32 && a.to === e);
		const ring = this.run.rings.find((r) => r.parts.includes(e));
		return {
			at: at(e), line: e.line, event: e.event, text: this.text(e), call: {}, x: { logical: e.l, physical: e.p }, file: "/home/me/farm.c", row: 71, source,
			messages: own.map((a) => ({ send: at(a.from), receive: at(a.to), source: a.from.line, dest: a.to.line, tag: a.tag, bytes: 16, synchronous: Boolean(a.flags & 8), ambiguous: false })),
			collective: ring ? { function: this.run.functions[ring.fn], parts: ring.parts.map(at) } : null,
			race: e.flags & 1 ? { alternatives: other.map((a) => ({ send: at(a.from), receive: null, rank: a.from.line, tag: a.tag, text: this.text(a.from) })) } : null,
			...this.data(own[0]),
			next: at(line[e.event]), previous: at(line[e.event - 2]), match: own.length ? at(own[0].from === e ? own[0].to : own[0].from) : null,
		};
	}

	// By logical time alone: not causality, but it has the shape of a cut.
	cone(q) {
		const e = this.find(q.get("at")), cut = [], future = [];
		this.run.lines.forEach((line, l) => {
			const slack = l === e.line ? 0 : 2 + Math.abs(l - e.line), last = line.filter((o) => o.l[1] <= e.l[1] - slack).pop();
			const here = l === e.line ? e : last, next = l === e.line ? e : line.find((o) => o.l[0] >= e.l[1] + slack);
			const stop = !here ? "nothing" : here.event === line.length ? "end" : l % 5 === 4 ? "inside" : "after";
			cut.push({ line: l, event: here?.event ?? 0, stop, logical: !here ? 1 : stop === "inside" ? (here.l[0] + here.l[1]) / 2 : here.l[1], physical: here ? here.p[1] : 0 });
			if (next) {
				future.push({ line: l, event: next.event, logical: next.l[0], physical: next.p[0] });
			}
		});
		return { cut, future };
	}

	search(q) {
		const words = q.get("q").toLowerCase().split(/\s+/), limit = Number(q.get("limit") ?? 1000);
		const holds = (e) => words.every((w) => {
			const [key, value] = w.includes(":") ? w.split(":") : ["function", w];
			return w === "racing" ? e.flags & 1 : key === "rank" ? e.line === Number(value) : key === "tag" ? (this.by.get(at(e)) ?? []).some((a) => a.tag === Number(value))
				: this.run.functions[e.fn].toLowerCase().includes(value);
		});
		const hits = [];
		for (const line of this.run.lines) {
			for (const e of line) {
				if (hits.length <= limit && holds(e)) {
					hits.push({ at: at(e), line: e.line, event: e.event, logical: e.l[0], physical: e.p[0], text: this.text(e) });
				}
			}
		}
		return { hits: hits.slice(0, limit), more: hits.length > limit };
	}

	races() {
		const raced = this.run.lines.flat().filter((e) => e.flags & 1);
		return { places: [{ place: "farm.c:71", function: "MPI_Recv", calls: raced.length, races: raced.length }],
			races: raced.slice(0, 100).map((e) => ({ at: at(e), place: "farm.c:71", got: at(this.by.get(at(e))[0].from), n: 1, alternatives: [] })) };
	}

	profile(by) {
		const { run } = this, rows = new Map();
		for (const e of run.lines.flat()) {
			const key = by === "process" ? e.line : e.fn, row = rows.get(key) ?? { ...(by === "process" ? { line: e.line, name: String(e.line) } : { function: run.functions[e.fn], place: by === "place" ? "<b>farm.c:71" : null }), lines: 1, calls: 0, time: 0, waited: 0 };
			row.calls++;
			row.time += e.p[1] - e.p[0];
			row.waited += e.pw;
			rows.set(key, row);
		}
		const list = [...rows.values()].sort((a, b) => b.time - a.time), sum = (what) => list.reduce((n, r) => n + r[what], 0);
		return { by, found: list.length, time: sum("time"), waited: sum("waited"), rows: list };
	}

	matrix() {
		const { run } = this, cells = new Map(), own = run.arrows.filter((a) => !(a.flags & 32));
		for (const a of own) {
			const key = a.from.line * run.size + a.to.line, cell = cells.get(key) ?? [a.from.line, a.to.line, 0, 0, 0];
			cell[2]++;
			cell[3] += 16;
			cells.set(key, cell);
		}
		return { size: run.size, each: 1, messages: own.length, bytes: 16 * own.length, unreceived: 0, cells: [...cells.values()] };
	}

	changed(state) {
		this.state = { ...this.state, ...state, change: this.state.change + 1 };
		this.waiting.splice(0).forEach((go) => go());
	}

	runTo(name) {
		const { cut } = this.cone(new URLSearchParams({ at: name }));
		this.changed({ running: true, started: 0, reached: 0.42, seconds: 0.42, processes: cut.map((c, rank) => ({
			rank, life: rank === 2 ? "dead" : c.stop === "inside" || c.stop === "end" ? "running" : "held", why: c.stop === "nothing" ? "start" : "after", event: c.stop === "inside" ? c.event - 1 : c.event,
			inside: c.stop === "inside", call: "MPI_Recv", blocked_on: c.stop === "inside" ? 0 : null, signal: rank === 2 ? 11 : null, arrival: c.stop === "inside" ? "blocked" : "arrived", attached: false,
			frame: { function: "master", file: "/home/me/farm.c", row: 71 }, logical: c.logical, physical: c.physical })) });
	}

	async answer(name, q, body) {
		switch (name) {
		case "run": return this.describe();
		case "view": return this.view(q);
		case "event": return this.event(q);
		case "cone": return this.cone(q);
		case "search": return this.search(q);
		case "races": return this.races();
		case "profile": return this.profile(q.get("by"));
		case "matrix": return this.matrix();
		case "state":
			if (q.get("since") === String(this.state.change)) {
				await new Promise((go) => { this.waiting.push(go); setTimeout(go, 5000).unref(); });
			}
			return this.state;
		case "run-to": this.runTo(body.at); return {};
		case "go": case "halt": return {};
		case "end": this.changed({ running: false, processes: [] }); return {};
		case "stack": return { frames: [{ level: 0, function: "hb__wait", file: "", row: 0, module: "libhbdb.so", ours: true }, { level: 1, function: "MPI_Recv", file: "", row: 0, module: "/lib/libmpi.so", ours: false },
			{ level: 2, function: "master", file: "/home/me/farm.c", row: 71, module: "farm", ours: false }, { level: 3, function: "main", file: "/home/me/farm.c", row: 99, module: "farm", ours: false }] };
		case "variables": return { variables: [{ name: "size", type: "int", value: "4", argument: true }, { name: "mean", type: "double", value: "2222.5274", argument: false }, { name: "<img src=x onerror=alert(1)>", type: "char *", value: "0x5555 \"</script><b>\"", argument: false }] };
		case "evaluate": return { value: "(" + body.expression + ")" };
		case "source": return { file: q.get("file"), rows: Array.from({ length: 13 }, (_, i) => ({ row: Number(q.get("row")) - 6 + i, text: "\tline of source " + i })) };
		default: return null;
		}
	}

	listen(port = 0) {
		this.http = http.createServer(async (request, response) => {
			const url = new URL(request.url, "http://x"), name = url.pathname.replace(/^\/token\//, "") || "page.html";
			const headers = { "Content-Security-Policy": CSP, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
			this.asked.push(url.pathname + url.search);
			const kind = { "page.html": "text/html; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8" }[name];
			if (kind) {
				response.writeHead(200, { ...headers, "Content-Type": kind }).end(fs.readFileSync(path.join(this.files, name)));
				return;
			}
			let text = "";
			for await (const chunk of request) {
				text += chunk;
			}
			const body = text ? JSON.parse(text) : null;
			if (request.method === "POST") {
				this.posts.push([name, body]);
			}
			const got = await this.answer(name, url.searchParams, body).catch((e) => e);
			const status = got === null || got instanceof Error ? 404 : 200;
			response.writeHead(status, { ...headers, "Content-Type": "application/json" });
			response.end(JSON.stringify(status === 200 ? got : { error: got?.message ?? "there is nothing of that name" }));
		});
		return new Promise((done) => this.http.listen(port, "127.0.0.1", () => done(`http://127.0.0.1:${this.http.address().port}/token/`)));
	}

	close() {
		this.http.closeAllConnections();
		this.http.close();
	}
}

export function makeMock(files, kind, size, n) {
	return new Mock(KINDS[kind](size, n), files);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const [files, kind, size, n, port] = process.argv.slice(2);
	console.log(await makeMock(files, kind, Number(size), Number(n)).listen(Number(port ?? 0)));
}
