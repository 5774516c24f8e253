/**
 * Simulates a new user's first minutes in a folder of its own: `npm install trunkline` from a registry on loopback,
 * then `npx trunkline serve`, with only a bare system's programs on the path. There is no compiler, CMake or Python.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { run, tail } from '../setup/run.mjs';
import { onPath } from './nodes.mjs';

const PROGRAMS = ['npm', 'npx', 'sh', 'tar', 'gzip', 'flock', 'env'];

export class Trial {
  /** `node` is the program of the Node that the new user has. */
  constructor(folder, { registry, node = process.execPath, settings = {} }) {
    this.app = join(folder, 'app');
    const bin = join(folder, 'bin');
    for (const path of [this.app, bin, join(folder, 'home')]) mkdirSync(path, { recursive: true });
    symlinkSync(node, join(bin, 'node'));
    for (const name of PROGRAMS) symlinkSync(realpathSync(onPath(name)), join(bin, name));
    writeFileSync(join(this.app, '.npmrc'), `registry=${registry}\naudit=false\nfund=false\n`);
    this.env = { PATH: bin, HOME: join(folder, 'home'), TRUNKLINE_PORT: '0', ...settings };
    this.programs = bin;
  }

  async install(...packages) {
    const result = await this.#npm(['install', ...packages]);
    if (result.code !== 0) throw new Error(`npm install failed:\n${tail(result.stderr, 30)}`);
  }

  command(...args) {
    return this.#run(join(this.programs, 'npx'), ['trunkline', ...args]);
  }

  serve(onLine = () => {}) {
    this.server = spawn(join(this.programs, 'npx'), ['trunkline', 'serve'], {
      cwd: this.app,
      env: this.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = new Promise((resolve) => this.server.on('close', resolve));
    const said = [];
    this.server.stderr.setEncoding('utf8').on('data', (text) => said.push(text));
    return new Promise((resolve, reject) => {
      createInterface({ input: this.server.stdout }).on('line', (line) => {
        said.push(line);
        onLine(line);
        const [, url] = /^ready (http:\S+)/.exec(line) ?? [];
        if (url) resolve(url);
      });
      this.server.on('close', () => reject(new Error(`the server ended:\n${tail(said.join('\n'), 30)}`)));
    });
  }

  async stop() {
    if (!this.server) return;
    const { exitCode, signalCode, pid } = this.server;
    // A server that a signal ended has no exit code.
    if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM');
    await this.ended;
  }

  #npm(args) {
    return this.#run(join(this.programs, 'npm'), args);
  }

  /** `run` adds to the environment of this process, so `env -i` clears it. */
  #run(program, args) {
    const settings = Object.entries(this.env).map(([name, value]) => `${name}=${value}`);
    return run('env', ['-i', ...settings, program, ...args], { cwd: this.app });
  }
}
