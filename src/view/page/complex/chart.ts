// A line over time.
import { el } from "../panel/dom";

const WIDE = 420, HIGH = 56, SVG = "http://www.w3.org/2000/svg";

export interface Point {
	x: number;
	y: number | null;
}

function line(points: { x: number; y: number }[], most: number): SVGElement {
	const from = points[0]!.x, wide = Math.max(points[points.length - 1]!.x - from, 1e-9), svg = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "polyline");
	svg.setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
	svg.setAttribute("aria-hidden", "true");
	path.setAttribute("points", points.map((p) => `${(((p.x - from) / wide) * WIDE).toFixed(1)},${(HIGH - 2 - (p.y / most) * (HIGH - 6)).toFixed(1)}`).join(" "));
	svg.append(path);
	return svg;
}

// From 0 to the most that was seen; what is seen now in words.
export function chart(name: string, all: Point[], said: (y: number) => string): HTMLElement {
	const points = all.filter((p): p is { x: number; y: number } => p.y !== null), last = points[points.length - 1];
	if (!last || points.length < 2) {
		return el("p", { class: "dim" }, `${name}: comes with the next seconds`);
	}
	const most = Math.max(...points.map((p) => p.y));
	return el("figure", {}, el("figcaption", {}, `${name}: ${said(last.y)} now, at most ${said(most)} in ${Math.round(last.x - points[0]!.x)} s`), line(points, most || 1));
}
