// Where an array differs, as the server draws it. An image, so that nothing in it can be more than a picture; a click into it chooses a part.
import type { ArrayMap } from "../core/types";
import { el } from "../panel/dom";

const CELLS = 400; // along a side, at most

// What a click on an index leaves of a dimension: its tile; where that is more than there are cells, as many elements as have one each.
function narrowed(map: ArrayMap, d: number, index: number): [first: number, count: number] {
	const first = map.first[d]!, count = map.count[d]!, tile = map.tile[d]!;
	if (count > tile) {
		const begin = Math.floor(index / tile) * tile;
		return [begin, Math.min(tile, map.global[d]! - begin)];
	}
	const wide = map.tiles ? count : Math.min(count, CELLS);
	return [Math.max(first, Math.min(index - Math.floor(wide / 2), first + count - wide)), wide];
}

// The part that is behind a place of the picture, as the server wants it; null: there is no smaller one, or it is beside the cells.
function partAt(map: ArrayMap, x: number, y: number): string | null {
	const [left, top, width, height] = map.plot, shares: [number, number][] = [[map.across, (x - left) / width], [map.down, (y - top) / height]];
	if (shares.some(([, share]) => share < 0 || share >= 1)) {
		return null;
	}
	const part = map.first.map((first, d): [number, number] => [first, map.count[d]!]);
	for (const [d, share] of shares.slice(0, map.across === map.down ? 1 : 2)) {
		part[d] = narrowed(map, d, map.first[d]! + Math.floor(share * map.count[d]!));
	}
	return part.every(([, count], d) => count === map.count[d]) ? null : part.map(([first, count]) => `${first}:${count}`).join(",");
}

export const isWhole = (map: ArrayMap): boolean => map.count.every((n, d) => n === map.global[d]);

export function drawMap(map: ArrayMap, words: string, zoom: (part: string) => void): HTMLElement {
	const picture = el("img", { class: "map", alt: words, src: "data:image/svg+xml," + encodeURIComponent(map.svg), width: map.size[0], height: map.size[1] });
	const at = (event: MouseEvent) => {
		const box = picture.getBoundingClientRect(), scale = map.size[0] / box.width;
		return partAt(map, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
	};
	picture.addEventListener("pointermove", (event) => picture.classList.toggle("zooms", at(event) !== null));
	picture.addEventListener("click", (event) => {
		const part = at(event);
		if (part !== null) {
			zoom(part);
		}
	});
	return picture;
}
