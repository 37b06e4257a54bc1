// Colours. The kinds differ in lightness as well as in hue, so that they can be told apart without seeing red and green.
export interface Paint {
	dark: boolean;
	ground: string;
	stripe: string;
	ruler: string;
	grid: string;
	life: string;
	text: string;
	faint: string;
	ink: string; // text on boxes
	kinds: string[]; // by Kind
	waits: string[]; // the same, pale
	spans: string[]; // of the program's own spans, by name
	spanEdge: string;
	arrow: string;
	order: string; // of arrows that are no message
	synchronous: string;
	race: string;
	ring: string;
	ringEdge: string;
	chosen: string;
	past: string;
	future: string;
	cut: string;
	front: string;
	stop: string;
	mark: string;
	hit: string;
	replay: string;
	veil: string;
	dense: [r: number, g: number, b: number];
	denseWaits: [r: number, g: number, b: number];
	denseHatch: [r: number, g: number, b: number];
}

const light: Paint = {
	dark: false,
	ground: "#ffffff", stripe: "#f6f8fa", ruler: "#fbfcfd", grid: "#edf0f4", life: "#d5dce4", text: "#1c2733", faint: "#667382", ink: "#0d1a26",
	kinds: ["#c3cbd5", "#6aabe3", "#f0ae47", "#d99bc1", "#a9d8f3", "#57bd9e"],
	waits: ["#eef1f4", "#d9eaf8", "#fdf0da", "#f7e6f0", "#e6f4fc", "#d9f1ea"],
	spans: ["#dfe3f7", "#f6e3d3", "#dcefd9", "#f3dcec", "#e9e6cf", "#d5edf0"], spanEdge: "#8d97a8", order: "#7a4fb5",
	arrow: "#4d5f72", synchronous: "#1f5f99", race: "#cc4a00", ring: "rgba(60,170,140,.16)", ringEdge: "rgba(30,130,104,.55)",
	chosen: "#0b57c9", past: "rgba(42,112,200,.10)", future: "rgba(222,148,30,.13)", cut: "#2456b0", front: "#a8690a",
	stop: "#c81e3a", mark: "#7a3fb0", hit: "#8a6d00", replay: "#0d7a5f", veil: "rgba(244,246,248,.62)",
	dense: [122, 152, 184], denseWaits: [232, 237, 243], denseHatch: [176, 194, 213],
};

const dark: Paint = {
	dark: true,
	ground: "#14181d", stripe: "#181d23", ruler: "#171b21", grid: "#232a32", life: "#36404b", text: "#dfe6ee", faint: "#94a2b2", ink: "#081018",
	kinds: ["#848f9c", "#5b9edb", "#dd9b38", "#c687ae", "#8fc3e3", "#45aa8c"],
	waits: ["#2b323a", "#22384d", "#453620", "#42303c", "#2a3f4d", "#1e4239"],
	spans: ["#2e3358", "#4a3527", "#28432a", "#472c40", "#3f3c20", "#1f4347"], spanEdge: "#8994a5", order: "#b794e8",
	arrow: "#93a5b8", synchronous: "#7fbaf0", race: "#ff8a4c", ring: "rgba(70,180,148,.15)", ringEdge: "rgba(90,200,168,.5)",
	chosen: "#7db4ff", past: "rgba(90,150,235,.15)", future: "rgba(235,170,60,.12)", cut: "#82acf5", front: "#e0a94a",
	stop: "#ff6b81", mark: "#c79bf2", hit: "#ffd84d", replay: "#4fd0a8", veil: "rgba(15,18,22,.55)",
	dense: [86, 116, 150], denseWaits: [36, 46, 58], denseHatch: [70, 92, 118],
};

let now = light;

export function paint(): Paint {
	return now;
}

export function setDark(on: boolean): void {
	now = on ? dark : light;
	patterns.clear();
}

const patterns = new Map<string, CanvasPattern>();

// Slanted lines of the kind's colour on its pale one: waiting.
export function hatch(ctx: CanvasRenderingContext2D, kind: number): CanvasPattern | string {
	const key = String(kind), known = patterns.get(key);
	if (known) {
		return known;
	}
	const tile = document.createElement("canvas");
	tile.width = tile.height = 6;
	const t = tile.getContext("2d")!;
	t.fillStyle = now.waits[kind]!;
	t.fillRect(0, 0, 6, 6);
	t.strokeStyle = now.kinds[kind]!;
	t.globalAlpha = 0.75;
	t.lineWidth = 1;
	t.beginPath();
	for (const x of [-6, 0, 6]) {
		t.moveTo(x, 6);
		t.lineTo(x + 6, 0);
	}
	t.stroke();
	const made = ctx.createPattern(tile, "repeat");
	if (!made) {
		return now.waits[kind]!;
	}
	patterns.set(key, made);
	return made;
}

export const FONT = '11px "Inter", "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif';
export const SMALL = '10px "Inter", "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif';

// #rrggbb as three numbers.
export function channels(colour: string): [r: number, g: number, b: number] {
	const part = (i: number) => parseInt(colour.slice(i, i + 2), 16);
	return [part(1), part(3), part(5)];
}

// So much of one colour (#rrggbb) on another.
export function mixed(colour: string, ground: string, share: number): string {
	const a = channels(colour), b = channels(ground);
	return "#" + a.map((c, i) => Math.round(c * share + b[i]! * (1 - share)).toString(16).padStart(2, "0")).join("");
}
