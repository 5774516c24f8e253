import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import type { Log } from '../../foundation/platform/log.ts';

const FORCED_CODE = 1;
/** Ctrl-C reaches the server from the terminal and again from npm, which forwards it late on a busy machine. */
const ECHO_MS = 2000;
/** The npm wrapper listens to this event and does not force an exit during the drain. */
const DRAINING = 'trunkline:draining';

export class Signals {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #first: Promise<void>;
  #received: { readonly signal: string; readonly at: number } | null = null;

  constructor(log: Log, clock: Clock = systemClock) {
    this.#log = log;
    this.#clock = clock;
    this.#first = new Promise((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        if (!isIgnored(signal)) process.on(signal, () => this.#receive(signal, resolve));
      }
    });
  }

  first(): Promise<void> {
    return this.#first;
  }

  #receive(signal: string, resolve: () => void): void {
    const now = this.#clock.monotonic();
    const before = this.#received;
    // A terminal closes only once, so a repeated SIGHUP is a forwarded copy.
    if (before?.signal === signal && (signal === 'SIGHUP' || now - before.at < ECHO_MS)) return;
    this.#received = { signal, at: now };
    this.#log.info(
      { signal },
      before === null ? 'draining' : 'received a second signal: exiting without draining',
    );
    if (before !== null) process.exit(FORCED_CODE);
    process.emit(DRAINING as 'disconnect');
    resolve();
  }
}

/** Respects signals that the parent process ignores, as `nohup` does with SIGHUP. */
function isIgnored(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP'): boolean {
  try {
    const [, mask] = /^SigIgn:\s+([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
    return mask !== undefined && ((BigInt(`0x${mask}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
  } catch {
    return false; // the file does not exist outside Linux
  }
}
