/**
 * Starts programs from a small process of its own, because forking a server of gigabytes blocks its event loop for a
 * tenth of a second or more (decision 055).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiledProgram } from '../../foundation/platform/project-root.ts';
import { connectionsOf, type FromStarter, type StartRequest } from './starter-protocol.ts';

const PROGRAM = compiledProgram(import.meta.url, 'media/codec', 'starter-process.js');
const HEAP_MEGABYTES = 32;

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface StartedProgram {
  readonly pid: number;
  readonly stdin: Socket | null;
  readonly stdout: Socket;
  readonly stderr: Socket;
  readonly exited: Promise<ProgramEnd>;
  kill(): void;
}

export type Program = Omit<StartRequest, 'kind' | 'id'>;

interface Waiting {
  started(pid: number): void;
  failed(error: Error): void;
  ended(end: ProgramEnd): void;
}

/** The end looks like a system shutdown, so that no customer's file is blamed. */
const STARTER_GONE: ProgramEnd = { code: null, signal: 'SIGTERM' };

const GONE = 'the process that starts programs has ended';

function firstMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(GONE)));
  });
}

class StarterProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'trunkline-programs-'));
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #ready: Promise<unknown>;
  #gone = false;
  #lastId = 0;

  constructor() {
    this.#child = fork(PROGRAM, [this.#path], {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#ready = firstMessage(this.#child);
    this.#ready.catch(() => undefined);
    this.#child.on('message', (message: FromStarter) => this.#hear(message));
    this.#child.on('error', () => this.#end());
    this.#child.on('exit', () => this.#end());
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get gone(): boolean {
    return this.#gone;
  }

  get #path(): string {
    return join(this.#folder, 'ends');
  }

  /** Starts are serialized, because the order of the connections identifies them. */
  async start(program: Program): Promise<StartedProgram> {
    const sockets: Socket[] = [];
    this.#child.channel?.ref();
    try {
      await this.#ready;
      while (sockets.length < connectionsOf(program.input)) sockets.push(await connected(this.#path));
      return await this.#ask(program, sockets);
    } catch (error) {
      for (const socket of sockets) socket.destroy();
      throw error;
    } finally {
      if (this.#waiting.size === 0) this.#child.channel?.unref();
    }
  }

  #ask(program: Program, sockets: Socket[]): Promise<StartedProgram> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const exited = new Promise<ProgramEnd>((ended) => {
        const started = (pid: number) => resolve(this.#program(id, pid, sockets, exited));
        this.#waiting.set(id, { started, failed: reject, ended });
      });
      if (this.#gone) this.#end();
      else this.#child.send({ kind: 'start', id, ...program });
    });
  }

  #program(id: number, pid: number, sockets: Socket[], exited: Promise<ProgramEnd>): StartedProgram {
    const [stderr, stdout, stdin] = sockets.toReversed() as [Socket, Socket, Socket | undefined];
    const kill = () => void (this.#waiting.has(id) && this.#child.send({ kind: 'kill', id }));
    return { pid, stdin: stdin ?? null, stdout, stderr, exited, kill };
  }

  #hear(message: FromStarter): void {
    if (message.kind === 'ready') return;
    const waiting = this.#waiting.get(message.id);
    if (message.kind === 'started') waiting?.started(message.pid);
    else {
      this.#waiting.delete(message.id);
      if (message.kind === 'failed') waiting?.failed(new Error(message.message));
      else waiting?.ended({ code: message.code, signal: message.signal });
      if (this.#waiting.size === 0) this.#child.channel?.unref();
    }
  }

  #end(): void {
    this.#gone = true;
    rmSync(this.#folder, { recursive: true, force: true });
    for (const waiting of this.#waiting.values()) {
      waiting.failed(new Error(GONE));
      waiting.ended(STARTER_GONE);
    }
    this.#waiting.clear();
  }
}

async function connected(path: string): Promise<Socket> {
  const socket = connect({ path, allowHalfOpen: true });
  await once(socket, 'connect');
  // No other listener exists before the program's reader; the program's end reports the failure.
  socket.on('error', () => undefined);
  return socket;
}

let starter: StarterProcess | null = null;
let turn: Promise<unknown> = Promise.resolve();

/** Starting it early is best, while this process is small. */
export function prepareStarter(): void {
  if (starter === null || starter.gone) starter = new StarterProcess();
}

export function startProgram(program: Program): Promise<StartedProgram> {
  const started = turn.then(() => {
    prepareStarter();
    return starter!.start(program);
  });
  turn = started.catch(() => undefined);
  return started;
}
