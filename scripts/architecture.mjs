#!/usr/bin/env node
/**
 * Draws docs/architecture.svg from the imports of src/, and docs/architecture-native.svg from the includes of native/:
 * architecture.mjs writes both, --check fails where one is not current.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NATIVE } from './boundaries/native-rules.mjs';
import { importsOf } from './boundaries/typescript.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** From the top: who composes, who serves, the product's nouns, who answers, what is known, what touches samples, the ground. */
const BANDS = [
  ['composition', ['cli', 'main']],
  ['routes', ['server', 'surfaces', 'web']],
  ['nouns', ['calls', 'transcription', 'amd', 'dub', 'agents', 'knowledge', 'carriers', 'events']],
  ['talk', ['session', 'voices']],
  ['answers', ['responder', 'brain', 'capture', 'retrieval', 'pii']],
  ['words and samples', ['language', 'engine', 'media', 'codec']],
  ['work', ['webhooks', 'jobs']],
  ['ground', ['audit', 'access', 'privacy', 'billing', 'mail', 'storage']],
  ['platform', ['platform']],
];
/** The native rooms: what Node sees, what a call or a job is made of, the slots and lanes, what hears and speaks, the ground. */
const NATIVE_BANDS = [
  ['door', ['binding']],
  ['kinds', ['omni', 'amd', 'hear', 'speak', 'dub', 'embed']],
  ['lanes', ['engine']],
  ['models', ['asr', 'tts', 'vad', 'speaker']],
  ['words', ['text/tokens', 'text/reading', 'text/phonemes']],
  ['samples', ['dsp', 'onnx', 'text/unicode']],
  ['ground', ['base', 'guard']],
];
const ROW = 92;
const BOX = { width: 104, height: 34 };
const LEFT = 128;
const GAP = 16;

/** A folder within that has a package of its own is no room. */
function* sources(folder, endings = /\.ts$/) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!existsSync(join(path, 'package.json'))) yield* sources(path, endings);
    } else if (endings.test(entry.name)) yield path;
  }
}

const roomOf = (path) => path.split('/')[0].replace(/\.ts$/, '');

/** Which room names which, in code that runs or in types. */
export function arrowsOf(root) {
  const folder = join(root, 'src');
  const arrows = new Map();
  for (const file of sources(folder)) {
    const from = relative(folder, file).replaceAll('\\', '/');
    const mine = arrows.get(roomOf(from)) ?? new Set();
    arrows.set(roomOf(from), mine);
    for (const { specifier } of importsOf(readFileSync(file, 'utf8'), file)) {
      const target = posix.normalize(posix.join(posix.dirname(from), specifier));
      if (!specifier.startsWith('.') || target.startsWith('..') || roomOf(target) === roomOf(from)) continue;
      mine.add(roomOf(target));
    }
  }
  return arrows;
}

const INCLUDE = /^#include "([^"]+)"/gm;

/** Which native room includes a header of which. */
export function nativeArrowsOf(root) {
  const folder = join(root, 'native');
  const rooms = Object.keys(NATIVE);
  const roomOfHeader = (path) => rooms.find((room) => path.startsWith(`${room}/`));
  const arrows = new Map();
  for (const file of sources(folder, /\.(cc|h)$/)) {
    const mine = roomOfHeader(relative(folder, file).replaceAll('\\', '/'));
    if (mine === undefined) continue;
    const named = arrows.get(mine) ?? new Set();
    arrows.set(mine, named);
    for (const [, header] of readFileSync(file, 'utf8').matchAll(INCLUDE)) {
      const room = roomOfHeader(header);
      if (room !== undefined && room !== mine) named.add(room);
    }
  }
  return arrows;
}

/** Without the arrows that others imply: a reader follows those. */
export function spare(arrows) {
  const reaches = (from, to, without) => {
    const seen = new Set([from]);
    const open = [from];
    while (open.length > 0) {
      const room = open.pop();
      for (const next of arrows.get(room) ?? []) {
        if (room === without[0] && next === without[1]) continue;
        // Two rooms that name each other imply nothing.
        if (next === without[0] || seen.has(next)) continue;
        if (next === to) return true;
        seen.add(next);
        open.push(next);
      }
    }
    return false;
  };
  const kept = [];
  for (const [from, tos] of arrows)
    for (const to of tos) if (!reaches(from, to, [from, to])) kept.push([from, to]);
  return kept.sort((a, b) => a.join().localeCompare(b.join()));
}

function placesOf(rooms, table) {
  // A new room is a noun of the product until it is given another place above.
  const unplaced = [...rooms].filter((room) => !table.some(([, members]) => members.includes(room))).sort();
  const bands = table
    .map(([name, members]) => [
      name,
      [...members, ...(name === 'nouns' || name === 'kinds' ? unplaced : [])].filter((room) =>
        rooms.has(room),
      ),
    ])
    .filter(([, members]) => members.length > 0);
  const widest = Math.max(...bands.map(([, members]) => members.length));
  const width = LEFT + widest * (BOX.width + GAP);
  const places = new Map();
  bands.forEach(([, members], row) => {
    const used = members.length * (BOX.width + GAP) - GAP;
    const begin = LEFT + (width - LEFT - GAP - used) / 2;
    for (const [at, room] of members.entries())
      places.set(room, { x: begin + at * (BOX.width + GAP), y: 14 + row * ROW, row });
  });
  return { bands, places, width, height: bands.length * ROW };
}

function line(from, to) {
  const middle = BOX.width / 2;
  if (from.row === to.row) {
    const [x1, x2] = [from.x + middle, to.x + middle];
    const y = from.y + BOX.height;
    return `M${x1} ${y}C${x1} ${y + 22} ${x2} ${y + 22} ${x2} ${y}`;
  }
  const down = from.row < to.row;
  const y1 = down ? from.y + BOX.height : from.y;
  const y2 = down ? to.y : to.y + BOX.height;
  const [x1, x2] = [from.x + middle, to.x + middle];
  const bend = (y2 - y1) / 2;
  return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

export function draw(arrows, table = BANDS) {
  const rooms = new Set([...arrows.keys(), ...[...arrows.values()].flatMap((tos) => [...tos])]);
  const { bands, places, width, height } = placesOf(rooms, table);
  const round = (text) => text.replace(/\d+\.\d+/g, (number) => String(Math.round(Number(number))));
  const lines = spare(arrows).map(
    ([from, to]) => `<path d="${round(line(places.get(from), places.get(to)))}"/>`,
  );
  const boxes = [...places].map(
    ([room, { x, y }]) =>
      `<g><rect x="${Math.round(x)}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/>` +
      `<text x="${Math.round(x + BOX.width / 2)}" y="${y + 22}">${room}</text></g>`,
  );
  const names = bands.map(
    ([name], row) => `<text x="8" y="${14 + row * ROW + 22}" class="band">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.round(width)} ${height}" font-family="sans-serif" font-size="13">
<style>rect{fill:#f4f6fa;stroke:#52627a}text{text-anchor:middle;fill:#1d2733}.band{text-anchor:start;fill:#7a8796;font-size:11px}path{fill:none;stroke:#9fb0c6;marker-end:url(#end)}</style>
<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>
<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><polygon points="0 0 8 4 0 8" fill="#9fb0c6"/></marker>
${[...names, ...lines, ...boxes].join('\n')}
</svg>
`;
}

/** file below docs/ → what it shows now. */
export const pictures = (root) => ({
  'architecture.svg': draw(arrowsOf(root)),
  'architecture-native.svg': draw(nativeArrowsOf(root), NATIVE_BANDS),
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, picture] of Object.entries(pictures(ROOT))) {
    const path = join(ROOT, 'docs', name);
    if (!process.argv.includes('--check')) {
      writeFileSync(path, picture);
    } else if (!existsSync(path) || readFileSync(path, 'utf8') !== picture) {
      console.error(`docs/${name} is not of these imports: node scripts/architecture.mjs draws it anew`);
      process.exitCode = 1;
    }
  }
}
