#!/usr/bin/env node
/**
 * Writes docs/requirements.md from the tests: which test holds each requirement, section of the specification, route
 * and error code. A test names a requirement by a comment `@requirement AREA: SENTENCE`, at the head of its file or
 * directly above the test. requirements.mjs writes the page, --check fails where it is not current or has a gap.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'docs/requirements.md';
const BEGIN = '<!-- requirements -->\n';
const END = '<!-- /requirements -->';
const TAG = /^\s*\/\/ @requirement ([A-Z][\w’' -]*): (\S.*\.)$/;
/** A route or code is listed with the first tests that use it, so that a further one leaves the page as it is. */
const SHOWN = 3;

/** The areas whose tests hold a section of the API specification. */
const SPECIFICATION = {
  Conventions: ['API conventions', 'API contract'],
  'API key': ['Authentication', 'Access'],
  Voice: ['Catalogue'],
  'Cloned and designed voices': ['Speak'],
  'Transcription result and job': ['Hear'],
  'Omni call record': ['Calls', 'Post-call processing'],
  'Messaging-app number': ['Messaging apps'],
  'Number compliance case': ['Compliance cases'],
  Message: ['Messages'],
  'Trace rule pack': ['Trace'],
  'Agent profile': ['Agents'],
  'Identity and other records': ['Account', 'API contract'],
  'States and transitions': ['States'],
  'Identity, catalog and account': ['Account', 'Catalogue'],
  Hear: ['Hear'],
  Speak: ['Speak'],
  Omni: ['Omni', 'Browser calls'],
  'Knowledge bases': ['Knowledge'],
  'Telephony, messaging and integrations': [
    'Telephony',
    'Messages',
    'Integrations',
    'Imported calls',
    'Hosting partners',
  ],
  'Other surfaces': ['Trace', 'Recap', 'AMD', 'Cast', 'Dub', 'Provenance'],
  Authentication: ['Authentication', 'Access', 'Browser calls'],
  Events: ['Events', 'Webhooks'],
  Errors: ['Errors'],
  Limits: ['Limits', 'Rate limits'],
  Versioning: ['Versioning'],
};

const isTest = (path) => /(?:\.test\.ts|_test\.cc)$/.test(path);

function testFiles(root) {
  return ['test', 'native/test']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|cc)$/.test(entry.name))
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')),
    )
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Areas, their requirements, and the paths of the tests of each. */
export function requirementsOf(files) {
  const areas = new Map();
  for (const { path, text } of files) {
    if (!text.includes('@requirement')) continue;
    text.split('\n').forEach((line, at) => {
      if (!line.includes('// @requirement')) return;
      const tag = TAG.exec(line);
      if (!tag) throw new Error(`${path}:${at + 1}: a tag reads "// @requirement AREA: SENTENCE."`);
      if (!isTest(path)) throw new Error(`${path}:${at + 1}: only a test can hold a requirement`);
      const [, area, sentence] = tag;
      const sentences = areas.get(area) ?? new Map();
      areas.set(area, sentences);
      sentences.set(sentence, (sentences.get(sentence) ?? new Set()).add(path));
    });
  }
  return areas;
}

/** Paths of routes in a text; `{}` stands for a parameter, in the text an interpolation or an id. */
function routesIn(text) {
  const found = new Set();
  for (const [path] of text.matchAll(
    /\/(?:v1|v2|auth|public|healthz|readyz|metrics)(?:[\w./-]|\$?\{[^{}]*\})*/g,
  ))
    found.add(path.replace(/\$?\{[^{}]*\}/g, '{}'));
  return found;
}

/** Sorts by path, then by method. */
const sortKey = ({ name }) => name.split(' ').reverse().join(' ');

const CASE = /^ {2}(?:'|\[`)((?:GET|HEAD|POST|PUT|PATCH|DELETE) [^'`]*)['`]\]?:/gm;
const CONSTANT = /^const (\w+) = '([^']*)';$/gm;

/** Cases whose names share a beginning take it from a constant: `GET ${BASE}/{id}`. */
function caseNames(text) {
  const constants = new Map([...text.matchAll(CONSTANT)].map(([, name, value]) => [name, value]));
  return [...text.matchAll(CASE)].map(([, key]) =>
    key.replace(/\$\{(\w+)\}/g, (found, name) => constants.get(name) ?? found),
  );
}

export function routesOf(files) {
  const cases = files.filter(({ path }) => path.startsWith('test/contract/cases/'));
  const uses = files
    .filter(({ path }) => isTest(path) && !path.startsWith('test/contract/'))
    .map(({ path, text }) => ({ path, routes: routesIn(text) }));
  return cases
    .flatMap(({ path, text }) =>
      caseNames(text).map((name) => {
        const plain = name.split(' ')[1].replace(/\{[^{}]*\}/g, '{}');
        return {
          name,
          tests: [path, ...uses.filter(({ routes }) => routes.has(plain)).map((use) => use.path)],
        };
      }),
    )
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** A test uses a code where a string literal has it as a word. */
export function codesOf(files, codes) {
  const literals = files
    .filter(({ path }) => path.startsWith('test/') && isTest(path))
    .map(({ path, text }) => ({
      path,
      words: new Set(
        [...text.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)].flatMap(([, , inner]) => inner.split(/\W+/)),
      ),
    }));
  return codes.map((code) => ({
    code,
    tests: literals.filter(({ words }) => words.has(code)).map(({ path }) => path),
  }));
}

const errorCodes = (root) =>
  [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^\| \d+ \| \[`(\w+)`\]/gm)].map(
    ([, code]) => code,
  );

export function gapsOf({ areas, codes }) {
  const untested = codes
    .filter(({ tests }) => tests.length === 0)
    .map(({ code }) => `no test names the error code ${code}`);
  const sections = Object.entries(SPECIFICATION).flatMap(([section, named]) =>
    named
      .filter((area) => !areas.has(area))
      .map((area) => `${section}: no test has a requirement of ${area}`),
  );
  return [...untested, ...sections];
}

const link = (path) => `[${path.replace(/^test\//, '')}](../${path})`;
const some = (tests) => tests.slice(0, SHOWN).map(link).join(', ');
const anchor = (area) =>
  `[${area}](#${area
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')})`;
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function render({ areas, routes, codes }) {
  const sections = Object.entries(SPECIFICATION).map(([section, named]) => [
    section,
    named.map(anchor).join(', '),
  ]);
  const ordered = [...areas].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '## Sections of the specification',
    table(['Section', 'Requirements'], sections),
    ...ordered.flatMap(([area, sentences]) => [
      `## ${area}`,
      table(
        ['Requirement', 'Tests'],
        [...sentences]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([sentence, tests]) => [sentence, [...tests].map(link).join(', ')]),
      ),
    ]),
    '## Routes',
    'The first file has the contract case, which every check of `test/contract` walks.',
    table(
      ['Route', 'Tests'],
      routes.map(({ name, tests }) => [`\`${name}\``, some(tests)]),
    ),
    '## Error codes',
    table(
      ['Code', 'Tests'],
      codes.map(({ code, tests }) => [`[\`${code}\`](errors.md#${code})`, some(tests)]),
    ),
    '',
  ].join('\n\n');
}

export function matricesOf(root) {
  const files = testFiles(root);
  return { areas: requirementsOf(files), routes: routesOf(files), codes: codesOf(files, errorCodes(root)) };
}

function main() {
  const matrices = matricesOf(ROOT);
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const wanted =
    page.slice(0, page.indexOf(BEGIN) + BEGIN.length) + render(matrices) + page.slice(page.indexOf(END));
  const gaps = gapsOf(matrices);
  for (const gap of gaps) console.error(gap);
  if (gaps.length > 0) process.exitCode = 1;
  if (!process.argv.includes('--check')) writeFileSync(join(ROOT, PAGE), wanted);
  else if (page !== wanted) {
    console.error(`${PAGE} is not what the tests say; run node scripts/requirements.mjs`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
