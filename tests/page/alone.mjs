// The page as one file, without a server.
import fs from "node:fs";
import path from "node:path";
import { check, clean, FILES, notice, open, PLACE, same, settled } from "./lib.mjs";
import { makeMock } from "./mock.mjs";

export function inFile(data) {
	const head = fs.readFileSync(path.join(FILES, "alone.head")), tail = fs.readFileSync(path.join(FILES, "alone.tail"));
	return Buffer.concat([head, Buffer.from(JSON.stringify(data).replace(/</g, "\\u003c")), tail]);
}

export default async function alone() {
	const mock = makeMock(FILES, "farm", 4, 60), views = ["logical", "physical"].map((axis) => mock.view(new URLSearchParams({ axis, from: 0, to: mock.span(axis)[1], columns: 800 })));
	const events = {}, cones = {};
	for (const [line, event] of views[0].boxes) {
		const q = new URLSearchParams({ at: `${line}:${event}` });
		events[`${line}:${event}`] = mock.event(q);
		cones[`${line}:${event}`] = mock.cone(q);
	}
	events["0:3"].text += " </script><script>document.title='broken'</script>";
	const file = path.join(PLACE, "alone.html");
	fs.writeFileSync(file, inFile({ run: mock.describe(), views, events, cones }));
	const at = await open("file://" + file), { page } = at;
	same("a file shows its events", await page.evaluate(() => window.hbdb.app.scene.view.boxes.length), views[0].boxes.length);
	await page.evaluate(() => window.hbdb.actions.choose("0:3"));
	await page.waitForFunction(() => window.hbdb.app.event);
	await settled(page);
	check("with details", (await page.locator("#body").textContent()).includes("</script><script>document.title") && (await page.title()) === "farm.hbdb - hbdb");
	await page.locator("#graph").focus();
	await page.keyboard.press("c");
	await page.waitForFunction(() => window.hbdb.app.cone);
	await page.keyboard.press("/");
	await page.keyboard.type("recv rank");
	await settled(page);
	await page.locator("#search").fill("mpi_recv");
	await page.waitForFunction(() => window.hbdb.app.hits.length > 20);
	await page.keyboard.press("Escape");
	await page.keyboard.press("a");
	await settled(page);
	same("and the other axis", await page.evaluate(() => window.hbdb.app.scene.view.axis), "physical");
	await page.keyboard.press("r");
	check("a replay is refused with what to do", /hbdb view/.test(await notice(page)));
	await clean("alone", at);
	await at.close();
}
