#!/usr/bin/env node
/**
 * Builds src/apps/console into dist-console/: a new folder replaces the old one as a whole, so that a killed build
 * changes nothing.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { runMain } from './setup/failure.mjs';
import { withLock } from './setup/lock.mjs';

const root = resolve(fileURLToPath(new URL('..', import.meta.url)));
const OUT = 'dist-console';
const STAMP = join(OUT, '.sources');

export function consoleIsCurrent(at = root) {
  const stamp = join(at, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(at);
}

export async function buildConsole(log, at = root) {
  const waiting = 'console: another process builds it; waiting for it';
  await withLock(join(at, 'node_modules/.console'), log, waiting, async () => {
    if (consoleIsCurrent(at)) return;
    const wanted = fingerprint(at);
    const arriving = join(at, `${OUT}.arriving`);
    const { build } = await import('vite');
    await build({
      root: join(at, 'src/apps/console'),
      base: '/console/',
      configFile: false,
      logLevel: 'error',
      publicDir: false,
      plugins: [preloadFirstPage],
      // Under NODE_ENV=test, as in a test, Vite would build for development and name each source's path.
      oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
      build: {
        outDir: arriving,
        emptyOutDir: true,
        target: 'es2022',
        modulePreload: { polyfill: false },
        assetsInlineLimit: 0,
      },
    });
    for (const file of files(arriving)) writeFileSync(`${file}.br`, compressed(readFileSync(file)));
    rmSync(join(at, OUT), { recursive: true, force: true });
    renameSync(arriving, join(at, OUT));
    writeFileSync(join(at, STAMP), wanted);
  });
}

/** The first page is imported after its language, so the browser would learn of it only then. */
const preloadFirstPage = {
  name: 'preload-first-page',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) =>
      Object.values(bundle)
        .filter(({ name }) => name === 'begin')
        .map(({ fileName }) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `/console/${fileName}` },
          injectTo: 'head',
        })),
  },
};

const compressed = (bytes) => brotliCompressSync(bytes);

function files(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

function fingerprint(at) {
  const hash = createHash('sha256');
  const sources = [
    join(at, 'package-lock.json'),
    join(at, 'scripts/console.mjs'),
    ...files(join(at, 'src/apps/console')),
  ];
  for (const path of sources) {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await runMain(() => buildConsole((line) => console.log(line)));
