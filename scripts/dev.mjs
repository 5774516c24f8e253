#!/usr/bin/env node
/**
 * npm run dev: runs the server and restarts it whenever a source changes. Types are only stripped for the start; the
 * type check reports later. A change below native/ builds the engine first. A source that cannot be parsed as
 * TypeScript, or does not compile as C++, leaves the running server in place.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { buildNative } from './build-native.mjs';
import { Failure, runMain } from './setup/failure.mjs';
import { endWithNpm } from './setup/signals.mjs';
import { compileTypeScript, typescriptIsCurrent } from './setup/typescript.mjs';
import { root, setUp } from './setup.mjs';

/** An editor writes a file in several steps, so a change is handled after this quiet time. */
const SETTLE_MS = 60;
const log = (line) => console.log(line);
const quiet = () => {};

/** `stop` sends SIGTERM twice, as Ctrl-C pressed twice does, so that open calls do not delay the restart. */
class Running {
  #child = null;

  async begin(began) {
    const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child = child;
    let ready = false;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      if (ready || !/^ready /m.test(text)) return;
      ready = true;
      log(`dev: ready ${((performance.now() - began) / 1000).toFixed(1)} s after the change`);
      reportTypes();
    });
    child.on('exit', (code) => {
      if (this.#child !== child) return;
      this.#child = null;
      log(`dev: the server ended with ${code}; it begins again at the next change`);
    });
  }

  async stop() {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const again = setTimeout(() => child.kill('SIGTERM'), 300);
    await ended;
    clearTimeout(again);
  }
}

let types = null;

function reportTypes() {
  types?.kill();
  const record = join(root, 'node_modules/.typescript/dev.tsbuildinfo');
  const args = ['-p', 'tsconfig.json', '--noEmit', '--incremental', '--tsBuildInfoFile', record, '--pretty'];
  const child = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  types = child;
  child.on('exit', (code) => {
    if (types === child && code === 0) log('dev: the types hold');
  });
}

async function build({ native }) {
  if (native) await buildNative({ log });
  if (!typescriptIsCurrent(root)) await compileTypeScript(root, quiet);
}

async function carryOn(running, change) {
  const began = performance.now();
  types?.kill();
  try {
    await build(change);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log(`dev: ${error.message}`);
    return;
  }
  await running.stop();
  await running.begin(began);
}

function changes() {
  let reported = quiet;
  let change = { native: false, any: false };
  let settled;
  const note = (native) => {
    change = { native: change.native || native, any: true };
    clearTimeout(settled);
    settled = setTimeout(() => reported(), SETTLE_MS);
  };
  watch(join(root, 'src'), { recursive: true }, () => note(false));
  watch(join(root, 'native'), { recursive: true }, (_, name) => {
    if (/\.(cc|h|cmake|txt)$/.test(name ?? '') && !name.startsWith('test')) note(true);
  });
  return async () => {
    if (!change.any) await new Promise((resolve) => (reported = resolve));
    const seen = change;
    change = { native: false, any: false };
    reported = quiet;
    return seen;
  };
}

async function main() {
  await setUp();
  const running = new Running();
  const next = changes();
  await running.begin(performance.now());
  const end = async () => {
    types?.kill();
    await running.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end());
  for (;;) await carryOn(running, await next());
}

endWithNpm();
await runMain(main);
