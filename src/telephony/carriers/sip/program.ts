import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { missingLibraries, sipProgram } from '../../../media/engine/index.ts';

/** The fields of each order are in native/programs/sip/agent.cc. */
export interface SipOrder {
  readonly do:
    | 'listen'
    | 'allow'
    | 'register'
    | 'invite'
    | 'respond'
    | 'hangup'
    | 'change'
    | 'refer'
    | 'notify'
    | 'stop';
  readonly id?: string;
  readonly [field: string]: string | number | undefined;
}

/** One event of the program. Its texts come from strangers. */
export interface SipEvent {
  readonly event: string;
  readonly id?: string;
  readonly sdp?: string;
  readonly status?: number;
  readonly phrase?: string;
  readonly [field: string]: string | number | undefined;
}

export interface SipProgramListener {
  event(event: SipEvent): void;
  lost(how: string): void;
}

export const SIP_MISSING =
  'the signalling program is not built, because this system has no libsofia-sip-ua: apt-get install libsofia-sip-ua-dev, then node scripts/setup.mjs';

export function lackingForSip(): { readonly missing: string | null; readonly without: readonly string[] } {
  const without = missingLibraries().map(({ name }) => name);
  return { missing: existsSync(sipProgram) ? null : SIP_MISSING, without };
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/**
 * The limits bound memory and open files and forbid core dumps and writes. The network stays open: it is the
 * program's purpose.
 */
const LIMIT_AND_BECOME = 'ulimit -d 1048576 && ulimit -f 0 && ulimit -c 0 && ulimit -n 4096; exec "$1"';
const MOST_LINE = 1 << 20;

/** The SIP signalling runs in a process of its own, because it parses input from strangers. */
export class SipProgram {
  readonly #path: string;
  readonly #listener: SipProgramListener;
  #child: Child | null = null;
  #rest = '';

  constructor(path: string, listener: SipProgramListener) {
    this.#path = path;
    this.#listener = listener;
  }

  get running(): boolean {
    return this.#child !== null;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    if (!existsSync(this.#path)) throw new Error(SIP_MISSING);
    const child = spawn('/bin/sh', ['-c', LIMIT_AND_BECOME, 'sh', this.#path], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
    });
    // Rejects where the machine can't start a process. Such a child may lack pipes, and its unhandled error would end
    // the server.
    await once(child, 'spawn');
    this.#child = child;
    child.on('error', () => undefined); // a signal that can't be sent; `close` tells the end
    child.stdin.on('error', () => undefined); // it has ended, and `close` tells
    child.stdout.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    const closed = new Promise<string>((resolve) =>
      child.once('close', (code, signal) => resolve(signal ?? `code ${code}`)),
    );
    void closed.then((how) => this.#ended(child, how));
    const first = await Promise.race([once(child.stdout, 'data').then(() => null), closed]);
    if (first !== null) throw new Error(`the signalling program has ended at its start: ${first}`);
  }

  send(order: SipOrder): void {
    this.#child?.stdin.write(`${JSON.stringify(order)}\n`);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = once(child, 'close');
    child.stdin.write('{"do":"stop"}\n');
    const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(late);
  }

  #read(text: string): void {
    this.#rest += text;
    for (let end = this.#rest.indexOf('\n'); end >= 0; end = this.#rest.indexOf('\n')) {
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      this.#listener.event(JSON.parse(line) as SipEvent);
    }
    if (this.#rest.length > MOST_LINE) this.#child?.kill('SIGKILL');
  }

  #ended(child: Child, how: string): void {
    this.#rest = '';
    if (this.#child !== child) return;
    this.#child = null;
    this.#listener.lost(how);
  }
}
