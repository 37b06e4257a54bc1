// Made-up runs for the stand-in server: what hbdb view would answer, without a recording.
// Kinds and flags as in src/view/layout/layout.h.
export const LOCAL = 0, SEND = 1, RECEIVE = 2, COMPLETE = 3, COLLECTIVE = 5;
export const RACES = 1, INSIDE = 2, SYNCHRONOUS = 8, UNMATCHED = 16, ALTERNATIVE = 32;

// A run under construction: events get their times from clocks per process, logical and physical.
class Run {
	constructor(name, size) {
		this.name = name;
		this.size = size;
		this.functions = [];
		this.lines = Array.from({ length: size }, () => []);
		this.arrows = [];
		this.rings = [];
		this.logical = new Array(size).fill(0);
		this.physical = new Array(size).fill(0);
		this.seed = 12345;
	}

	random() {
		this.seed = (this.seed * 1103515245 + 12345) % 2147483648;
		return this.seed / 2147483648;
	}

	fn(name) {
		const at = this.functions.indexOf(name);
		return at >= 0 ? at : this.functions.push(name) - 1;
	}

	// An event of a process; after: points [logical, physical] that its end comes after.
	event(line, name, kind, work, after = [], flags = 0) {
		const l0 = ++this.logical[line], p0 = (this.physical[line] += 200 + Math.floor(this.random() * 300));
		const until = after.reduce((t, a) => Math.max(t, a[1] + 300), 0), l1 = Math.max(l0, ...after.map((a) => a[0] + 1));
		const p1 = Math.max(p0 + work, until);
		this.logical[line] = l1;
		this.physical[line] = p1;
		const event = { line, event: this.lines[line].length + 1, fn: this.fn(name), kind, flags, l: [l0, l1], p: [p0, p1],
			lw: l1 - l0, pw: until > p0 + work ? until - p0 - work : 0 };
		this.lines[line].push(event);
		return event;
	}

	message(from, to, tag, flags = 0) {
		this.arrows.push({ from, to, tag, flags });
	}

	collective(name, lines, work) {
		const after = lines.map((line) => [this.logical[line] + 1, this.physical[line] + 400]);
		const parts = lines.map((line) => this.event(line, name, COLLECTIVE, work, after));
		this.rings.push({ fn: this.fn(name), parts });
		return parts;
	}

	compute(line, ns) {
		this.physical[line] += ns;
	}
}

export function farm(size, tasks) {
	const run = new Run("farm.hbdb", size), results = [];
	run.alike = size > 3 ? ["0", `1:${size - 2}`, String(size - 1)] : undefined;
	for (let p = 0; p < size; p++) {
		run.event(p, "MPI_Init", COLLECTIVE, 900);
		run.event(p, "MPI_Comm_rank", LOCAL, 100);
	}
	const give = (worker) => {
		const sent = run.event(0, "MPI_Send", SEND, 600), got = run.event(worker, "MPI_Recv", RECEIVE, 400, [[sent.l[0], sent.p[0]]]);
		run.message(sent, got, 1);
		run.compute(worker, 3000 + Math.floor(run.random() * 9000));
		const back = run.event(worker, "MPI_Send", SEND, 500);
		results.push({ worker, back });
	};
	for (let p = 1; p < size; p++) {
		give(p);
	}
	for (let done = size - 1; results.length;) {
		results.sort((a, b) => a.back.p[0] - b.back.p[0]);
		const { worker, back } = results.shift(), raced = results.length > 0;
		const got = run.event(0, "MPI_Recv", RECEIVE, 300, [[back.l[0], back.p[0]]], raced ? RACES : 0);
		run.message(back, got, 2);
		if (raced) {
			run.message(results[0].back, got, 2, ALTERNATIVE);
		}
		if (done < tasks) {
			give(worker);
			done++;
		}
	}
	run.collective("MPI_Finalize", [...Array(size).keys()], 1000);
	return run;
}

export function mixed(size, steps) {
	const run = new Run("mixed.hbdb", size), all = [...Array(size).keys()];
	run.collective("MPI_Init", all, 1000);
	for (let step = 0; step < steps; step++) {
		for (const p of all) {
			run.compute(p, 2000 + Math.floor(run.random() * 12000));
		}
		const sent = all.map((p) => run.event(p, "MPI_Isend", SEND, 300));
		for (const p of all) {
			const from = sent[(p + size - 1) % size], got = run.event(p, "MPI_Wait", 3, 300, [[from.l[0], from.p[0]]]);
			run.message(from, got, 4);
		}
		if (step % 3 === 1) {
			run.collective("MPI_Bcast", all.filter((p) => p % 2 === 0), 700);
		}
		for (let p = 0; step % 4 === 2 && p + 1 < size; p += 2) {
			const open = [[run.logical[p] + 1, run.physical[p] + 500], [run.logical[p + 1] + 1, run.physical[p + 1] + 500]];
			run.message(run.event(p, "MPI_Ssend", SEND, 300, open), run.event(p + 1, "MPI_Recv", RECEIVE, 300, open), 9, SYNCHRONOUS);
		}
		run.collective(step % 2 ? "MPI_Allreduce" : "MPI_Barrier", all, 900);
	}
	const lost = run.event(0, "MPI_Send", SEND, 400);
	run.arrows.push({ from: lost, to: { line: size - 1, event: 0, l: [lost.l[1] + 1, lost.l[1] + 1], p: [lost.p[1], lost.p[1] + 900] }, tag: 5, flags: UNMATCHED });
	run.event(size - 1, "MPI_Recv", RECEIVE, 100, [], INSIDE);
	return run;
}

export function many(size, events) {
	const run = new Run("many.hbdb", size), all = [...Array(size).keys()];
	for (let made = 0; made < events;) {
		for (const p of all) {
			run.compute(p, Math.floor(run.random() * 900 * (1 + Math.sin(made / events * 12 + p / 6))));
		}
		const sent = all.map((p) => run.event(p, "MPI_Isend", SEND, 200));
		for (const p of all) {
			const from = sent[(p + size - 1) % size];
			run.message(from, run.event(p, "MPI_Recv", RECEIVE, 200, [[from.l[0], from.p[0]]]), made % 7);
		}
		made += 2 * size;
		if (made % (size * 40) === 0) {
			run.collective("MPI_Allreduce", all, 500);
			made += size;
		}
	}
	return run;
}
