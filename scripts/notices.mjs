#!/usr/bin/env node
/**
 * Writes NOTICES: every dependency and model with its licence, from package-lock.json, models/manifest.json and the
 * short list of components that are compiled or run beside them. `notices.mjs --check` fails when NOTICES is not
 * current, or when a licence is unknown or must not be shipped.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManifest } from './models/layout.mjs';
import { Failure, runMain } from './setup/failure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const FILE = join(root, 'NOTICES');

/** A file like NOTICES satisfies the terms of these licences. */
const LINKED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);
/** Components under these licences may run in a process of their own, and are never loaded into the server. */
const APART = new Set(['GPL-3.0-or-later']);

const NATIVE = [
  {
    name: 'ONNX Runtime (shared library inside onnxruntime-node)',
    licence: 'MIT',
    origin: 'https://github.com/microsoft/onnxruntime',
  },
  {
    name: 'uWebSockets and µSockets (inside uWebSockets.js)',
    licence: 'Apache-2.0',
    origin: 'https://github.com/uNetworking/uWebSockets',
  },
  { name: 'SQLite (inside better-sqlite3)', licence: 'blessing', origin: 'https://sqlite.org' },
  {
    name: 'libopus (linked with the engine; a copy in its npm package)',
    licence: 'BSD-3-Clause',
    origin: 'https://opus-codec.org',
  },
  {
    name: 'libsrtp (linked with the engine; a copy in its npm package)',
    licence: 'BSD-3-Clause',
    origin: 'https://github.com/cisco/libsrtp',
  },
  {
    name: 'NSS and NSPR (linked with libsrtp; copies in the npm package of the engine)',
    licence: 'MPL-2.0',
    origin: 'https://firefox-source-docs.mozilla.org/security/nss/',
  },
  {
    name: 'Sofia-SIP (linked with trunkline-sip; a copy in the npm package of the engine)',
    licence: 'LGPL-2.1-or-later',
    origin: 'https://github.com/freeswitch/sofia-sip',
  },
  {
    name: 'OpenSSL (linked with Sofia-SIP; a copy in the npm package of the engine)',
    licence: 'Apache-2.0',
    origin: 'https://www.openssl.org',
  },
  {
    name: 'LAME (inside wasm-media-encoders, as WebAssembly)',
    licence: 'LGPL-2.0-or-later',
    origin: 'https://lame.sourceforge.io',
  },
  {
    name: 'NumPy, ONNX, Protocol Buffers (Python packages that set-up converts weights with)',
    licence: 'BSD-3-Clause',
    origin: 'https://numpy.org, https://onnx.ai (Apache-2.0), https://protobuf.dev',
  },
  {
    name: 'typing_extensions (Python package that set-up converts weights with)',
    licence: 'Python-2.0',
    origin: 'https://github.com/python/typing_extensions',
  },
  {
    name: 'Faker (lists of first names, for finding personal data)',
    licence: 'MIT',
    origin: 'https://github.com/faker-js/faker',
  },
  {
    name: 'GoogleTest (tests only)',
    licence: 'BSD-3-Clause',
    origin: 'https://github.com/google/googletest',
  },
];
/** Some authors do not use the SPDX spelling. */
const SPELLINGS = { 'MPL 2.0': 'MPL-2.0' };
const SAID_ELSEWHERE = { duck: 'BSD-2-Clause', 'humanize-number': 'MIT', only: 'MIT' };
const NATIVE_LICENCES = new Set([...LINKED, 'blessing', 'LGPL-2.0-or-later', 'LGPL-2.1-or-later']);

function packages() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const found = new Map();
  for (const [path, entry] of Object.entries(lock)) {
    if (path === '' || entry.link) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const key = `${name} ${entry.version}`;
    const known = found.get(key);
    found.set(key, {
      key,
      licence: SAID_ELSEWHERE[name] ?? licenceOf(entry, path),
      dev: (known?.dev ?? true) && entry.dev === true,
    });
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function licenceOf(entry, path) {
  if (entry.license) return SPELLINGS[entry.license] ?? entry.license;
  try {
    const own = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return own.license?.type ?? own.license ?? own.licenses?.[0]?.type ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function allowed(expression, licences) {
  return expression
    .replace(/[()]/g, '')
    .split(/ OR /i)
    .some((choice) => choice.split(/ AND /i).every((part) => licences.has(part.trim())));
}

function problems(list, models) {
  const bad = [];
  for (const { key, licence } of list)
    if (!allowed(licence, LINKED)) bad.push(`${key}: licence '${licence}'`);
  for (const { name, licence } of NATIVE)
    if (!allowed(licence, NATIVE_LICENCES)) bad.push(`${name}: licence '${licence}'`);
  for (const { id, licence } of models) {
    if (!allowed(licence, LINKED) && !APART.has(licence)) bad.push(`model ${id}: licence '${licence}'`);
  }
  return bad;
}

function text(list, models) {
  const lines = (entries) => entries.map(({ key, licence }) => `  ${key}: ${licence}`);
  return [
    'Trunkline',
    'Copyright the Trunkline authors. Licensed under the Apache License, version 2.0 (see LICENSE).',
    '',
    'This file is written by scripts/notices.mjs. It names what Trunkline uses, with the licence of each.',
    '',
    'PACKAGES IT RUNS WITH',
    ...lines(list.filter(({ dev }) => !dev)),
    '',
    'PACKAGES IT IS BUILT AND TESTED WITH',
    ...lines(list.filter(({ dev }) => dev)),
    '',
    'INSIDE THOSE PACKAGES, OR COMPILED FOR TESTS',
    ...NATIVE.map(({ name, licence, origin }) => `  ${name}: ${licence}; ${origin}`),
    '',
    'MODELS AND PROGRAMS, FETCHED AT SET-UP, NOT PART OF THIS REPOSITORY',
    ...models.flatMap((model) => modelLines(model)),
    '',
  ].join('\n');
}

function modelLines(model) {
  const apart = APART.has(model.licence) ? ' (runs in a process of its own)' : '';
  return [
    `  ${model.title} ${model.version}: ${model.licence}${apart}; ${model.origin}`,
    `      ${model.purpose}`,
  ];
}

await runMain(() => {
  const list = packages();
  const { models } = readManifest();
  const bad = problems(list, models);
  if (bad.length > 0)
    throw new Failure(`licences that are unknown or may not be shipped:\n${bad.join('\n')}`);
  const wanted = text(list, models);
  if (!process.argv.includes('--check')) {
    writeFileSync(FILE, wanted);
    return 0;
  }
  let there = '';
  try {
    there = readFileSync(FILE, 'utf8');
  } catch {}
  if (there !== wanted)
    throw new Failure('NOTICES is not what the lockfile and the manifest say', 'node scripts/notices.mjs');
  return 0;
});
