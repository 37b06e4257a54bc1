// Elements, made without a string of HTML: what recordings say is only ever text.
type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
	const made = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) {
		if (typeof value === "function") {
			made.addEventListener(name, value);
		} else if (value !== null && value !== undefined && value !== false) {
			made.setAttribute(name, value === true ? "" : String(value));
		}
	}
	made.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
	return made;
}

export function button(text: string, title: string, press: () => void, more: Attributes = {}): HTMLButtonElement {
	return el("button", { type: "button", title, click: () => press(), ...more }, text);
}

// A button that goes to an event.
export function link(at: string, go: (at: string) => void, text = at): HTMLButtonElement {
	return button(text, `go to ${at}`, () => go(at), { class: "link" });
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
	return document.getElementById(id) as T;
}

export function section(title: string, ...children: Child[]): HTMLElement {
	return el("section", {}, el("h3", {}, title), ...children);
}
