// An element becomes another one with as little change as can be: what has the focus, is selected or scrolled stays so while numbers change.
const keyOf = (node: Node | null): string | undefined => (node instanceof Element ? (node.getAttribute("data-key") ?? undefined) : undefined);

function attributes(old: Element, fresh: Element): void {
	for (const { name } of [...old.attributes]) {
		if (!fresh.hasAttribute(name)) {
			old.removeAttribute(name);
		}
	}
	for (const { name, value } of [...fresh.attributes]) {
		if (old.getAttribute(name) !== value) {
			old.setAttribute(name, value);
		}
	}
}

function one(old: Node, fresh: Node): void {
	if (!(old instanceof Element) || !(fresh instanceof Element)) {
		if (old.nodeValue !== fresh.nodeValue) {
			old.nodeValue = fresh.nodeValue;
		}
		return;
	}
	attributes(old, fresh);
	children(old, [...fresh.childNodes]);
}

export function children(old: Element, fresh: Node[]): void {
	const wanted = new Set(fresh.map(keyOf)), keyed = new Map<string, Node>();
	for (const child of [...old.childNodes]) {
		const key = keyOf(child);
		if (key && !wanted.has(key)) {
			child.remove();
		} else if (key) {
			keyed.set(key, child);
		}
	}
	let at = old.firstChild;
	for (const child of fresh) {
		const key = keyOf(child), match = key ? keyed.get(key) : at && !keyOf(at) ? at : undefined;
		if (!match || match.nodeName !== child.nodeName) {
			old.insertBefore(child, at);
			continue;
		}
		if (match === at) {
			at = at.nextSibling;
		} else {
			old.insertBefore(match, at);
		}
		one(match, child);
	}
	while (at) {
		const next = at.nextSibling;
		at.remove();
		at = next;
	}
}
