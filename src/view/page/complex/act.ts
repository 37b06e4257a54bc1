// What is asked of the manager, asked twice where something ends; and notices.
import { byId, el } from "../panel/dom";
import { known, server } from "./ask";
import { plural, total } from "./look";

export function say(text: string): void {
	byId("live").textContent = text;
}

// Stays until it is clicked away.
export function complain(text: string): void {
	const all = byId("notices"), notice = el("p", {}, text, " ", el("button", { type: "button", "aria-label": "close", click: () => notice.remove() }, "✕"));
	all.replaceChildren(...[...all.children].filter((c) => c.firstChild?.textContent !== text).slice(-2), notice);
}

interface Question {
	title: string;
	text: string;
	yes: string;
	no?: string; // "": there is nothing to say no to
	field?: string; // what is to be written
	choices?: [string, string][]; // what is to be chosen: value and words
}

// What was written or chosen ("" where nothing was to be); null: no.
export function ask(q: Question): Promise<string | null> {
	const dialog = byId<HTMLDialogElement>("ask"), name = { "aria-label": q.field ?? "" };
	const input = q.choices ? el("select", name, ...q.choices.map(([value, words]) => el("option", { value }, words))) : q.field ? el("input", { ...name, type: "text", maxlength: 200 }) : null;
	const yes = el("button", { type: "submit", class: "main", value: "yes" }, q.yes), no = el("button", { type: "button", click: () => dialog.close() }, q.no ?? "cancel");
	const form = el("form", { method: "dialog", submit: () => (dialog.returnValue = "yes") }, el("h2", {}, q.title), el("p", {}, q.text), input,
		el("p", { class: "buttons" }, yes, q.no !== "" && no));
	dialog.returnValue = "";
	dialog.replaceChildren(form);
	dialog.showModal();
	(input ?? (q.no === "" ? yes : no)).focus();
	return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes" ? (input?.value ?? "") : null), { once: true }));
}

// As Linux numbers them on the processors that hbdb knows.
const SIGNALS: [string, string][] = [["15", "TERM: it may end in order"], ["2", "INT: as Ctrl-C"], ["1", "HUP"], ["10", "USR1"], ["12", "USR2"], ["3", "QUIT: it ends, with a core file"],
	["6", "ABRT: it ends, with a core file"], ["9", "KILL: it ends at once"]];

function question(what: string, program: string | undefined, process: string | undefined, force: boolean): Question | null {
	const running = known.complex?.programs.find((g) => g.name === program)?.states ?? null, p = known.processes.find((one) => String(one.process) === process);
	const n = total(running) - (running?.ended ?? 0) - (running?.failed ?? 0) - (running?.gone ?? 0);
	const whole = known.complex?.holds.find((h) => (process === undefined ? h.process === null && h.program_name === program : String(h.process) === process));
	const name = program ?? (p ? `process ${p.name}${p.program_name === null ? "" : " of " + p.program_name}` : "process #" + process);
	switch (what) {
	case "end":
		return { title: `End ${program}?`, text: `${plural(n, "process", "processes")} of it will be told to end.`, yes: "end it" };
	case "restart":
		return { title: `Restart ${program}?`, text: `${plural(n, "process", "processes")} of it will be told to end; then it is begun again.`, yes: "restart it" };
	case "hold":
		return { title: `Hold ${program ?? "this process"}?`, text: "Nobody else may move it until it is released. What are others told?", yes: "hold it", field: "why" };
	case "signal":
		return { title: `Send a signal to ${name}?`, text: "It may end, and what it has not written be lost.", yes: "send it", field: "signal", choices: SIGNALS };
	case "release":
		return force ? { title: `Release ${name} by force?`, text: `${whole ? `${whole.who} holds it${whole.why ? ": " + whole.why : ""}. He` : "Its holder"} is not asked; others may move it then.`, yes: "release it" } : null;
	default:
		return null;
	}
}

export async function pressed(button: HTMLButtonElement): Promise<void> {
	const { ask: what = "", program, process, force } = button.dataset, q = question(what, program, process, force !== undefined);
	const said = q ? await ask(q) : "";
	if (said === null) {
		return;
	}
	const more = what === "signal" ? { signal: Number(said) } : said ? { why: said } : {};
	const body = { ask: what, ...(program === undefined ? {} : { program }), ...(process === undefined ? {} : { process: Number(process) }), ...(force === undefined ? {} : { force: true }), ...more };
	try {
		await server.post("act", body);
		say(`${what} ${program ?? "process #" + process}: done`);
	} catch (error) {
		complain(`${what} ${program ?? "process #" + process}: ${(error as Error).message}`);
	}
}

export async function copied(button: HTMLElement): Promise<void> {
	const text = button.dataset.copy ?? "";
	try {
		await navigator.clipboard.writeText(text);
		say("copied: " + text);
		button.classList.add("done");
		setTimeout(() => button.classList.remove("done"), 1500);
	} catch {
		// a browser that does not let pages copy: the text is selected instead
		getSelection()?.selectAllChildren(button);
		complain("This browser does not let pages copy. The command is selected: copy it by hand.");
	}
}
