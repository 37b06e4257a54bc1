// Puts the page together.
import { Actions } from "./core/actions";
import { App } from "./core/app";
import { connect } from "./core/server";
import type { Run } from "./core/types";
import { Graph } from "./draw/graph";
import { Minimap } from "./draw/minimap";
import { setDark } from "./draw/paint";
import { Bar } from "./panel/bar";
import { byId, el } from "./panel/dom";
import { listen, showHelp, type Keys } from "./panel/help";
import { Labels } from "./panel/labels";
import { Panel } from "./panel/panel";
import { Search } from "./panel/search";
import { Stops } from "./panel/stop";

const app = new App(connect());
const say = (text: string) => {
	byId("live").textContent = text;
};
const complain = (text: string) => {
	const notice = el("p", { click: () => notice.remove() }, text), all = byId("notices");
	all.replaceChildren(...[...all.children].filter((c) => c.textContent !== text).slice(-2), notice);
	setTimeout(() => notice.remove(), 9000);
};
const actions = new Actions(app, say, complain);
const stops = new Stops(app, actions);
const search = new Search(app, actions);
const graph = new Graph(app, actions, byId("graph"));
const labels = new Labels(app, actions, stops, byId("labels"), say);
const minimap = new Minimap(app, byId<HTMLCanvasElement>("minimap"));
const panel = new Panel(app, actions, stops, search, byId("panel"));
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

function theme(): void {
	const dark = app.choice.theme ? app.choice.theme === "dark" : prefersDark.matches;
	document.documentElement.dataset.theme = dark ? "dark" : "light";
	setDark(dark);
	app.touch("theme", "picture", "overlay");
}

function turnTheme(): void {
	app.choice.theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
	app.keep();
	theme();
}

function turnAxis(): void {
	app.setAxis(app.choice.axis === "logical" ? "physical" : "logical");
	void minimap.load();
	say(`${app.choice.axis} time`);
}

function turnPanel(): void {
	app.choice.panel = !app.choice.panel;
	app.keep();
	panel.show();
	resized();
}

function resized(): void {
	if (graph.size() && app.run) {
		app.laid();
		minimap.paintBack();
	}
}

// Escape takes back one thing at a time.
function back(): void {
	if (app.choice.cone) {
		actions.toggleCone();
	} else if (app.choice.at) {
		void actions.choose("");
	} else if (app.choice.query) {
		search.input.value = "";
		void search.find();
	}
	graph.area.focus();
}

function hideChosen(): void {
	const place = app.choice.at ? app.lineOf(app.choice.at) : null;
	if (place) {
		labels.hide(place.line);
	}
}

function toEnd(which: 0 | 1): void {
	const [from, to] = app.range(), wide = to - from, room = wide * 0.02, end = app.span()[which];
	if (wide < app.span()[1] - app.span()[0]) {
		app.setRange(which ? end + room - wide : end - room, which ? end + room : end - room + wide);
	}
}

function taller(by: number): void {
	const now = app.choice.row || app.rows.rows.find((r) => r.kind === "line")?.h || 24;
	app.choice.row = Math.max(3, Math.min(120, Math.round(now * by + Math.sign(by - 1))));
	app.laid();
}

const keys: Keys[] = [
	{ title: "See", keys: [
		{ keys: ["+", "="], shown: "+", text: "nearer", press: () => app.zoom(0.625) },
		{ keys: ["-"], text: "zoom out", press: () => app.zoom(1.6) },
		{ keys: ["0", "f"], text: "the whole run", press: () => app.fit() },
		{ keys: ["z"], text: "zoom in on the chosen event", press: () => actions.bringIn(app.choice.at, true) },
		{ keys: ["ArrowLeft"], text: "move to the left", press: () => app.pan(-app.width * 0.15) },
		{ keys: ["ArrowRight"], text: "move to the right", press: () => app.pan(app.width * 0.15) },
		{ keys: ["PageUp"], text: "scroll up", press: () => app.scroll(-app.height * 0.7) },
		{ keys: ["PageDown"], text: "scroll down", press: () => app.scroll(app.height * 0.7) },
		{ keys: ["Home"], text: "go to the start", press: () => toEnd(0) },
		{ keys: ["End"], text: "go to the end", press: () => toEnd(1) },
		{ keys: ["]"], text: "taller lines", press: () => taller(1.25) },
		{ keys: ["["], text: "shorter lines", press: () => taller(0.8) },
		{ keys: ["a"], text: "logical or physical time", press: turnAxis },
		{ keys: ["d"], text: "light or dark", press: turnTheme },
		{ keys: ["s"], text: "show or hide the panel", press: turnPanel },
		{ keys: ["t"], text: "next tab of the panel", press: () => panel.turn(1) },
		{ keys: ["h"], text: "filter and groups", press: () => panel.open("filter") },
		{ keys: ["l"], text: "fold or unfold lines that behave alike", press: () => actions.toggleAlike() },
		{ keys: ["o"], text: "open or fold the lines of the chosen event", press: () => labels.foldAt(app.choice.at) },
		{ keys: ["x"], text: "hide the process of the chosen event", press: hideChosen },
	] },
	{ title: "Events", keys: [
		{ keys: ["n"], text: "next event of the process", press: () => actions.next() },
		{ keys: ["p"], text: "previous event of the process", press: () => actions.previous() },
		{ keys: ["ArrowUp"], text: "event of the process above", press: () => void actions.across(-1) },
		{ keys: ["ArrowDown"], text: "event of the process below", press: () => void actions.across(1) },
		{ keys: ["m"], text: "go to the other end of its message", press: () => actions.match() },
		{ keys: ["c"], text: "show its past and future", press: () => actions.toggleCone() },
		{ keys: ["k"], text: "bookmark", press: () => actions.toggleMark() },
		{ keys: ["/"], text: "search", press: () => search.input.select() },
		{ keys: ["Enter"], text: "next hit", press: () => void search.step("next") },
		{ keys: ["N"], text: "previous hit", press: () => void search.step("previous") },
		{ keys: ["Escape"], text: "close the cone, the event, the search", press: back },
	] },
	{ title: "Stop", keys: [
		{ keys: ["b"], text: "set a breakpoint, and show its cut", press: () => actions.toggleStop() },
		{ keys: ["r"], text: "run to the chosen event", press: () => stops.runTo() },
		{ keys: ["."], text: "run to the next event", press: () => void stops.runBeside("next") },
		{ keys: [","], text: "run to the previous event", press: () => void stops.runBeside("previous") },
		{ keys: ["g"], text: "let all processes go on", press: () => stops.go() },
		{ keys: ["?"], text: "these keys", press: () => showHelp(keys) },
	] },
];

// What is not known before the recording is read.
const EMPTY = { events: 0, functions: [], groups: [], tags: [], alike: [], races: 0, troubles: [], failed: null };

// Until the recording has been read there are only densities over the clock's time; then what the address wants.
async function start(): Promise<void> {
	const { axis, from, to } = app.choice;
	for (;;) {
		app.run = { ...EMPTY, ...(await app.server.get<Run>("run")) };
		const { ready, failed } = app.run;
		Object.assign(app.choice, ready ? { axis, from, to } : { axis: "physical", from: 0, to: 0 });
		app.touch("run");
		app.laid();
		if (failed) {
			complain(failed);
		}
		if (ready || failed) {
			return;
		}
		await new Promise((done) => setTimeout(done, 250));
	}
}

async function restore(): Promise<void> {
	theme();
	search.input.value = app.choice.query;
	if (app.choice.query) {
		void search.find();
	}
	void actions.learnPlaces();
	await actions.choose(app.choice.at, false);
	app.laid();
	// as hbdb view --at wants it: once, then the address holds what is seen
	if (app.choice.near) {
		app.choice.near = false;
		actions.bringIn(app.choice.at, true);
	}
}

new Bar(app, search, { axis: turnAxis, theme: turnTheme, help: () => showHelp(keys), panel: turnPanel });
listen(keys);
// the names of several processes get room
app.on("rows", () => document.body.classList.toggle("folds", app.rows.rows.some((row) => row.kind !== "line")));
// the names get room for what each process is doing
app.on("state", () => document.body.classList.toggle("live", Boolean(app.state?.running)));
prefersDark.addEventListener("change", theme);
new ResizeObserver(resized).observe(graph.area);
window.addEventListener("hashchange", () => app.reread() && void restore());
theme();
graph.size();
// for tests and curious people: nothing on the page uses it
Object.assign(window, { hbdb: { app, actions, graph, stops } });
start().then(restore).catch((error: Error) => complain(error.message));
