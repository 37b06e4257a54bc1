// What a process of the replay is doing, in words and as a sign.
import { called } from "../core/choice";
import { short } from "../draw/picture";
import type { ProcessState } from "../core/types";

export function glyph(p: ProcessState): string {
	switch (p.life) {
	case "held":
		return "❚❚";
	case "broken":
		return "◆";
	case "running":
		return p.inside ? "…" : "▶";
	case "dead":
		return "✖";
	case "exited":
		return "■";
	default:
		return "·";
	}
}

function why(p: ProcessState): string {
	switch (p.why) {
	case "start":
		return "held at its start";
	case "after":
		return `held after ${p.event}`;
	case "end":
		return "held: its recording ends";
	case "differs":
		return "held: differs from its recording";
	case "signal":
		return "held" + signal(p);
	default:
		return p.life;
	}
}

const SIGNALS: Record<number, string> = { 1: "HUP", 2: "INT", 3: "QUIT", 4: "ILL", 5: "TRAP", 6: "ABRT", 7: "BUS", 8: "FPE", 9: "KILL", 11: "SEGV", 13: "PIPE", 15: "TERM", 31: "SYS" };

function signal(p: ProcessState): string {
	return p.signal ? `: SIG${SIGNALS[p.signal] ?? p.signal}` : "";
}

export function blocked(p: ProcessState): boolean {
	return p.life === "running" && p.inside && p.arrival !== "underway";
}

// "Recv from 3": the call may say so itself, else the recording knows whom it waited for.
function waits(p: ProcessState, from: string): string {
	const call = short(p.call ?? "a call");
	return call.includes(" ") || p.blocked_on === null ? call.replace(" from ", from) : call + from + p.blocked_on;
}

// A process that is not there yet, by its name: a rank of MPI, or a program.
export function absent(name: string): string {
	return /^[0-9]/.test(name) ? "has not called MPI_Init yet" : "has not come to its first event yet";
}

export function doing(p: ProcessState): string {
	switch (p.life) {
	case "absent":
		return absent(called(p));
	case "held":
		return why(p);
	case "broken":
		return "stopped by gdb" + signal(p);
	case "dead":
		return "dead" + signal(p);
	case "exited":
		return "exited";
	default:
		if (blocked(p)) {
			return "blocked in " + waits(p, " from ");
		}
		return p.inside && p.call ? `in ${short(p.call)}` : "running";
	}
}

// The same where there is little room.
export function briefly(p: ProcessState): string {
	if (blocked(p)) {
		return waits(p, " ← ");
	}
	return p.life === "held" && p.why === "after" ? `after ${p.event}` : p.life === "held" ? p.why ?? p.life : p.life === "dead" ? "dead" + signal(p) : doing(p);
}
