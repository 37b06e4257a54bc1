// What a process of the replay is doing, in words and as a sign.
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
		return "held: its record ends";
	case "differs":
		return "held: differs from its record";
	case "signal":
		return `held: signal ${p.signal ?? ""}`;
	default:
		return p.life;
	}
}

export function blocked(p: ProcessState): boolean {
	return p.life === "running" && p.inside && p.blocked_on !== null && p.blocked_on !== undefined && p.blocked_on !== "";
}

export function doing(p: ProcessState): string {
	switch (p.life) {
	case "absent":
		return "not here yet";
	case "held":
		return why(p);
	case "broken":
		return "stopped by gdb" + (p.signal ? `, signal ${p.signal}` : "");
	case "dead":
		return "dead" + (p.signal ? `: ${typeof p.signal === "number" ? "signal " : ""}${p.signal}` : "");
	case "exited":
		return "exited";
	default:
		if (blocked(p)) {
			const on = String(p.blocked_on);
			return `blocked in ${short(p.call ?? "a call")}` + (/^\d+$/.test(on) ? ` from ${on}` : `, ${on}`);
		}
		return p.inside && p.call ? `in ${short(p.call)}` : "running";
	}
}

// The same where there is little room.
export function briefly(p: ProcessState): string {
	if (blocked(p)) {
		return `${short(p.call ?? "")} ← ${String(p.blocked_on)}`;
	}
	return p.life === "held" && p.why === "after" ? `after ${p.event}` : p.life === "held" ? p.why ?? p.life : p.life === "dead" ? `${p.signal ?? "dead"}` : doing(p);
}
