#!/usr/bin/env node
/**
 * Draws docs/architecture/*.svg from the imports of src/ and the includes of native/: the groups, the modules of each
 * group, and the native modules. architecture.mjs writes them, --check fails where one is not current.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleOf } from './boundaries/native-rules.mjs';
import { TYPESCRIPT } from './boundaries/rules.mjs';
import { importsOf, placeOf } from './boundaries/typescript.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROW = 92;
const BOX = { width: 116, height: 34 };
const MARGIN = 16;
/** A layer with more boxes takes several rows, so that a picture fits the width of a page. */
const ACROSS = 7;

/** A nested folder with its own package.json is not a module. */
function* sources(folder, endings) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!existsSync(join(path, 'package.json'))) yield* sources(path, endings);
    } else if (endings.test(entry.name)) yield path;
  }
}

function connect(arrows, from, to) {
  const named = arrows.get(from) ?? new Set();
  arrows.set(from, named);
  if (to !== undefined && to !== from) {
    named.add(to);
    if (!arrows.has(to)) arrows.set(to, new Set());
  }
}

export function arrowsOf(root) {
  const folder = join(root, 'src');
  const arrows = new Map();
  for (const file of sources(folder, /\.ts$/)) {
    const from = relative(folder, file).replaceAll('\\', '/');
    connect(arrows, placeOf(from).module);
    for (const { specifier } of importsOf(readFileSync(file, 'utf8'), file)) {
      const target = posix.normalize(posix.join(posix.dirname(from), specifier));
      if (specifier.startsWith('.') && !target.startsWith('..'))
        connect(arrows, placeOf(from).module, placeOf(target).module);
    }
  }
  return arrows;
}

const INCLUDE = /^#include "([^"]+)"/gm;

export function nativeArrowsOf(root) {
  const folder = join(root, 'native');
  const arrows = new Map();
  for (const file of sources(folder, /\.(cc|h)$/)) {
    const mine = moduleOf(posix.dirname(relative(folder, file).replaceAll('\\', '/')));
    if (mine === undefined) continue;
    connect(arrows, mine);
    for (const [, header] of readFileSync(file, 'utf8').matchAll(INCLUDE))
      connect(arrows, mine, moduleOf(posix.dirname(header)));
  }
  return arrows;
}

const groupOf = (module) => module.split('/')[0];

function groupArrows(arrows) {
  const between = new Map();
  for (const [from, tos] of arrows) {
    connect(between, groupOf(from));
    for (const to of tos) connect(between, groupOf(from), groupOf(to));
  }
  return between;
}

function within(group, arrows) {
  const inside = new Map();
  const short = (module) => module.slice(group.length + 1);
  for (const module of Object.keys(TYPESCRIPT)) {
    if (groupOf(module) !== group || module === group) continue;
    connect(inside, short(module));
    for (const to of arrows.get(module) ?? [])
      if (groupOf(to) === group) connect(inside, short(module), short(to));
  }
  return inside;
}

/** Removes the arrows that others imply (transitive reduction). */
export function spare(arrows) {
  const reaches = (from, to, without) => {
    const seen = new Set([from]);
    const open = [from];
    while (open.length > 0) {
      const module = open.pop();
      for (const next of arrows.get(module) ?? []) {
        if (module === without[0] && next === without[1]) continue;
        // Two modules that import each other imply nothing, so the search skips them.
        if (next === without[0] || seen.has(next)) continue;
        if (next === to) return true;
        seen.add(next);
        open.push(next);
      }
    }
    return false;
  };
  const shown = [];
  for (const [from, tos] of arrows)
    for (const to of tos) if (!reaches(from, to, [from, to])) shown.push([from, to]);
  return shown.sort((a, b) => a.join().localeCompare(b.join()));
}

/** Each box stands above everything that it imports. */
function rowsOf(arrows) {
  const heights = new Map();
  const heightOf = (module, above) => {
    if (heights.has(module)) return heights.get(module);
    const below = [...(arrows.get(module) ?? [])].filter((next) => !above.has(next));
    const height = Math.max(-1, ...below.map((next) => heightOf(next, new Set([...above, module])))) + 1;
    if (above.size === 0) heights.set(module, height);
    return height;
  };
  for (const module of arrows.keys()) heightOf(module, new Set());
  const top = Math.max(...heights.values());
  const layers = Array.from({ length: top + 1 }, (_, row) =>
    [...heights].filter(([, height]) => height === top - row).map(([module]) => module),
  );
  return layers.flatMap((layer) => {
    const rows = Math.ceil(layer.length / ACROSS);
    const each = Math.ceil(layer.length / rows);
    return Array.from({ length: rows }, (_, at) => layer.sort().slice(at * each, (at + 1) * each));
  });
}

function line(from, to) {
  const middle = BOX.width / 2;
  const [x1, x2] = [from.x + middle, to.x + middle];
  if (from.row === to.row) {
    const y = from.y + BOX.height;
    return `M${x1} ${y}C${x1} ${y + 22} ${x2} ${y + 22} ${x2} ${y}`;
  }
  const down = from.row < to.row;
  const y1 = down ? from.y + BOX.height : from.y;
  const y2 = down ? to.y : to.y + BOX.height;
  const bend = (y2 - y1) / 2;
  return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

export function draw(arrows) {
  const rows = rowsOf(arrows);
  const width = Math.max(...rows.map((row) => row.length)) * (BOX.width + MARGIN) + MARGIN;
  const places = new Map();
  for (const [row, modules] of rows.entries()) {
    const begin = (width - modules.length * (BOX.width + MARGIN) + MARGIN) / 2;
    for (const [at, module] of modules.entries())
      places.set(module, { x: Math.round(begin + at * (BOX.width + MARGIN)), y: 14 + row * ROW, row });
  }
  const lines = spare(arrows).map(([from, to]) => `<path d="${line(places.get(from), places.get(to))}"/>`);
  const boxes = [...places].map(
    ([module, { x, y }]) =>
      `<g><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/>` +
      `<text x="${x + BOX.width / 2}" y="${y + 22}">${module}</text></g>`,
  );
  const height = rows.length * ROW - ROW + BOX.height + 42;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="sans-serif" font-size="13">
<style>g rect{fill:#f4f6fa;stroke:#52627a}text{text-anchor:middle;fill:#1d2733}path{fill:none;stroke:#9fb0c6;marker-end:url(#end)}</style>
<rect width="100%" height="100%" fill="#fff"/>
<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><polygon points="0 0 8 4 0 8" fill="#9fb0c6"/></marker>
${[...lines, ...boxes].join('\n')}
</svg>
`;
}

export function pictures(root) {
  const arrows = arrowsOf(root);
  const groups = [...new Set(Object.keys(TYPESCRIPT).map(groupOf))].filter((group) => group !== 'main');
  return {
    'groups.svg': draw(groupArrows(arrows)),
    ...Object.fromEntries(groups.map((group) => [`${group}.svg`, draw(within(group, arrows))])),
    'native.svg': draw(nativeArrowsOf(root)),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(ROOT, 'docs/architecture'), { recursive: true });
  for (const [name, picture] of Object.entries(pictures(ROOT))) {
    const path = join(ROOT, 'docs/architecture', name);
    if (!process.argv.includes('--check')) {
      writeFileSync(path, picture);
    } else if (!existsSync(path) || readFileSync(path, 'utf8') !== picture) {
      console.error(`docs/architecture/${name} is out of date: node scripts/architecture.mjs draws it again`);
      process.exitCode = 1;
    }
  }
}
