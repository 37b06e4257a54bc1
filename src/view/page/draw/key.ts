// The graph of a key of a model, as SVG: a row for each process, what should come next dashed.
import type { KeyGraph } from "../core/types";

const ROW = 58, BOX = 32, GAP = 26, LETTER = 6.3, EDGE = 8, SVG = "http://www.w3.org/2000/svg";

type Attributes = Record<string, string | number>;

function svg(tag: string, attributes: Attributes, text?: string): SVGElement {
	const made = document.createElementNS(SVG, tag);
	for (const [name, value] of Object.entries(attributes)) {
		made.setAttribute(name, String(value));
	}
	made.textContent = text ?? null;
	return made;
}

const wide = (text: string | null) => (text ? text.length * LETTER : 0);

// Where boxes stand: those of one row and column below each other.
function places(graph: KeyGraph): { x: number; y: number; w: number }[] {
	const { boxes } = graph, width = boxes.map((b) => Math.max(wide(b.words), wide(b.more)) + 12);
	const columns = new Array<number>(graph.columns + 1).fill(0), rows = new Array<number>(graph.rows.length + 1).fill(ROW);
	const cells = new Map<string, number>(), nth = boxes.map((b, i) => {
		const cell = `${b.row}:${b.column}`, n = cells.get(cell) ?? 0;
		cells.set(cell, n + 1);
		columns[b.column] = Math.max(columns[b.column]!, width[i]! + GAP);
		rows[b.row] = Math.max(rows[b.row]!, ROW + n * (BOX + 6));
		return n;
	});
	const start = (sizes: number[], from: number) => sizes.reduce((at, size) => [...at, at[at.length - 1]! + size], [from]);
	const x = start(columns, Math.max(...graph.rows.map(wide)) + 3 * EDGE), y = start(rows, 0);
	return boxes.map((b, i) => ({ x: x[b.column]!, y: y[b.row]! + ROW / 2 + nth[i]! * (BOX + 6), w: width[i]! }));
}

export function drawKey(graph: KeyGraph, choose: (at: string) => void): SVGElement {
	const at = places(graph), right = Math.max(0, ...at.map((p) => p.x + p.w)) + GAP, bottom = Math.max(0, ...at.map((p) => p.y)) + ROW / 2;
	const picture = svg("svg", { class: "key", width: right, height: bottom, role: "img", "aria-label": graph.title });
	const seen = new Set<number>();
	graph.boxes.forEach((b, i) => {
		if (!seen.has(b.row)) {
			seen.add(b.row);
			picture.append(svg("line", { class: "lane", x1: 0, x2: right, y1: at[i]!.y, y2: at[i]!.y }), svg("text", { x: EDGE, y: at[i]!.y - 4 }, graph.rows[b.row]));
		}
	});
	const arrow = (from: number, to: number, name: string, words: string | null) => {
		const a = at[from]!, b = at[to]!, back = b.x <= a.x + a.w, up = b.y < a.y ? -1 : 1;
		const x1 = back ? a.x + a.w / 2 : a.x + a.w, y1 = back ? a.y + (up * BOX) / 2 : a.y, x2 = back ? b.x + b.w / 2 : b.x, y2 = back ? b.y - (up * BOX) / 2 : b.y;
		const long = Math.hypot(x2 - x1, y2 - y1) || 1, u = ((x2 - x1) / long) * 7, v = ((y2 - y1) / long) * 7;
		picture.append(svg("line", { class: name, x1, y1, x2, y2 }),
			svg("path", { class: name + " head", d: `M${x2} ${y2}L${x2 - u + v / 2} ${y2 - v - u / 2}L${x2 - u - v / 2} ${y2 - v + u / 2}Z` }));
		if (words) {
			picture.append(svg("text", { class: "more", x: x1 + 0.35 * (x2 - x1), y: y1 + 0.35 * (y2 - y1) - 4 }, words));
		}
	};
	graph.boxes.forEach((b, i) => b.before >= 0 && arrow(b.before, i, b.expected ? "order expected" : "order", null));
	graph.arrows.forEach((a) => arrow(a.from, a.to, a.expected ? "message expected" : "message", a.words));
	graph.boxes.forEach((b, i) => {
		const { x, y, w } = at[i]!, group = svg("g", { class: b.wrong ? "box wrong" : b.expected ? "box expected" : "box" });
		group.append(svg("rect", { x, y: y - BOX / 2, width: w, height: BOX, rx: 4 }), svg("text", { x: x + w / 2, y: y - 2 }, b.words), svg("text", { class: "more", x: x + w / 2, y: y + 11 }, b.more ?? ""));
		if (b.at) {
			group.setAttribute("data-at", b.at);
			group.addEventListener("click", () => choose(b.at!));
		}
		picture.append(group);
	});
	return picture;
}
