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
}

// What was written ("" where nothing was to be); null: no.
export function ask(q: Question): Promise<string | null> {
	const dialog = byId<HTMLDialogElement>("ask"), input = q.field ? el("input", { type: "text", "aria-label": q.field, maxlength: 200 }) : null;
	const yes = el("button", { type: "submit", class: "main", value: "yes" }, q.yes), no = el("button", { type: "button", click: () => dialog.close() }, q.no ?? "cancel");
	const form = el("form", { method: "dialog", submit: () => (dialog.returnValue = "yes") }, el("h2", {}, q.title), el("p", {}, q.text), input,
		el("p", { class: "buttons" }, yes, q.no !== "" && no));
	dialog.returnValue = "";
	dialog.replaceChildren(form);
	dialog.showModal();
	(input ?? (q.no === "" ? yes : no)).focus();
	return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes" ? (input?.value ?? "") : null), { once: true }));
}

function question(what: string, program: string | undefined): Question | null {
	const running = known.complex?.programs.find((g) => g.name === program)?.states ?? null;
	const n = total(running) - (running?.ended ?? 0) - (running?.failed ?? 0) - (running?.gone ?? 0);
	switch (what) {
	case "end":
		return { title: `End ${program}?`, text: `${plural(n, "process", "processes")} of it will be told to end.`, yes: "end it" };
	case "restart":
		return { title: `Restart ${program}?`, text: `${plural(n, "process", "processes")} of it will be told to end; then it is begun again.`, yes: "restart it" };
	case "hold":
		return { title: `Hold ${program ?? "this process"}?`, text: "Nobody else may move it until it is released. What are others told?", yes: "hold it", field: "why" };
	default:
		return null;
	}
}

export async function pressed(button: HTMLButtonElement): Promise<void> {
	const { ask: what = "", program, process } = button.dataset, q = question(what, program);
	const said = q ? await ask(q) : "";
	if (said === null) {
		return;
	}
	const body = { ask: what, ...(program === undefined ? {} : { program }), ...(process === undefined ? {} : { process: Number(process) }), ...(said ? { why: said } : {}) };
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
