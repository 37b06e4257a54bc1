// The keys, and the dialog that shows them.
import { byId, button, el } from "./dom";

export interface Key {
	keys: string[]; // as KeyboardEvent.key
	shown?: string;
	text: string;
	press: (event: KeyboardEvent) => void;
}
export interface Keys { title: string; keys: Key[] }

function nameOf(key: string): string {
	return ({ ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "Space" } as Record<string, string>)[key] ?? key;
}

export function showHelp(groups: Keys[]): void {
	const dialog = byId<HTMLDialogElement>("help");
	dialog.replaceChildren(
		el("div", { class: "heads" }, el("h2", {}, "Keys"), button("Close", "Escape", () => dialog.close())),
		el("div", { class: "columns" }, ...groups.map((group) => el("section", {}, el("h3", {}, group.title), el("dl", {},
			...group.keys.flatMap((key) => [
				el("dt", {}, ...(key.shown ? [key.shown] : key.keys).map((k) => el("kbd", {}, nameOf(k)))), el("dd", {}, key.text),
			]))))),
	);
	dialog.showModal();
}

const typed = (target: EventTarget | null) => target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) &&
	(target as HTMLInputElement).type !== "checkbox";

export function listen(groups: Keys[]): void {
	const by = new Map(groups.flatMap((g) => g.keys.flatMap((k) => k.keys.map((name) => [name, k] as const))));
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || typed(event.target) || byId<HTMLDialogElement>("help").open) {
			return;
		}
		const onButton = event.target instanceof HTMLButtonElement && (event.key === "Enter" || event.key === " ");
		const key = onButton ? undefined : by.get(event.key);
		if (key) {
			event.preventDefault();
			key.press(event);
		}
	});
}
