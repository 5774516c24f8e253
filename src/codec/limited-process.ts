/**
 * A program that handles bytes nobody trusts: no environment, no files to write, bounded memory and CPU time, and no
 * network where the kernel allows. The limits are the kernel's, set by a shell that then becomes the program.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { wallFor } from './walls.ts';

export interface Limits {
  readonly cpuSeconds: number;
  /** Of its own writable memory; the program's file is not counted. */
  readonly memoryKilobytes: number;
  /** At a time; a program that is one file needs few. */
  readonly openFiles?: number;
  /** Folders that it reads besides the system's. */
  readonly reads?: readonly string[];
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LimitedProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** The end of what it said on stderr, bounded. */
  said(): string;
  kill(): void;
  /** Kills it, and drops what it wrote and nobody read: else its end would wait for a reader. */
  discard(): void;
  /** Its end: exit code, or the signal that ended it. Rejects only when it could not be started. */
  readonly ended: Promise<ProcessEnd>;
  readonly pid: number | undefined;
}

const LIMIT_AND_BECOME =
  'ulimit -t "$1" && ulimit -d "$2" && ulimit -s 1024 && ulimit -f 0 && ulimit -c 0 && ulimit -n "$3"; shift 3; exec "$@"';
/** How a wall that holds the program says by which signal it ended: 128 and the signal's number. */
const SIGNALLED = 128;
const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
  const told = code === null ? undefined : SIGNALS.get(code - SIGNALLED);
  return told ? { code: null, signal: told } : { code, signal };
}

const OPEN_FILES = 32;
const SAID_BYTES = 16 * 1024;

/** `input`: a file descriptor to read from, or 'pipe'. */
export function startLimited(
  program: string,
  args: readonly string[],
  limits: Limits,
  input: number | 'pipe',
  onSaid?: (said: string) => void,
): LimitedProcess {
  const { cpuSeconds, memoryKilobytes, openFiles = OPEN_FILES } = limits;
  const numbers = [Math.ceil(cpuSeconds), memoryKilobytes, openFiles].map(String);
  const limited = ['/bin/sh', '-c', LIMIT_AND_BECOME, 'sh', ...numbers, program, ...args];
  const [command, ...rest] = [...wallFor(program, limits.reads), ...limited];
  const child: ChildProcess = spawn(command as string, rest, {
    stdio: [input, 'pipe', 'pipe'],
    env: {},
    cwd: '/',
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // The beginning says what the file is, the end says what went wrong.
    said =
      said.length + text.length <= SAID_BYTES
        ? said + text
        : said.slice(0, SAID_BYTES / 2) + text.slice(-SAID_BYTES / 2);
    onSaid?.(said);
  });
  child.stdin?.on('error', () => {}); // it may end before it has read everything; its exit tells
  return {
    stdin: child.stdin,
    stdout: child.stdout as Readable,
    said: () => said,
    kill: () => child.kill('SIGKILL'),
    discard: () => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
    },
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(endOf(code, signal)));
    }),
    pid: child.pid,
  };
}
