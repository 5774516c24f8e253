/**
 * A program that handles bytes nobody trusts: no environment, no files to write, bounded memory and CPU time, and no
 * network where the kernel allows. The limits are the kernel's, set by a shell that then becomes the program.
 */
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { countsOwnProcesses, SET_PROCESSES, sandboxCommand } from './sandbox.ts';
import { type StartedProgram, startProgram } from './starter.ts';

export interface ProcessLimits {
  readonly cpuSeconds: number;
  /** The limit covers the program's own writable memory, without its executable. */
  readonly memoryKilobytes: number;
  /** The limit of open files; a static program needs few. */
  readonly openFiles?: number;
  /** That it may be at a time, threads counted; held where the kernel counts them for this program alone. */
  readonly processes?: number;
  /** Folders that it reads besides the system's. */
  readonly reads?: readonly string[];
  /** Open files that it gets as its descriptors 3, 4… */
  readonly descriptors?: readonly number[];
  /** The niceness, as `nice` counts it; 0 by default. */
  readonly niceness?: number;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LimitedProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** The end of what it said on stderr, bounded. */
  stderrText(): string;
  kill(): void;
  /** Kills it, and drops what it wrote and nobody read: else its end would wait for a reader. */
  discard(): void;
  /** Its end, once its output was read: exit code, or the signal that ended it. */
  readonly ended: Promise<ProcessEnd>;
  readonly pid: number;
}

const LIMIT_AND_BECOME = `ulimit -t "$2" && ulimit -d "$3" && ulimit -s 1024 && ulimit -f 0 && ulimit -c 0 && ulimit -n "$4"
[ -z "$1" ] || ${SET_PROCESSES}
shift 4; exec "$@"`;
/** How a sandbox reports the signal that ended its program: 128 and the signal's number. */
const SIGNALLED = 128;
const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
  const endedBy = code === null ? undefined : SIGNALS.get(code - SIGNALLED);
  return endedBy ? { code: null, signal: endedBy } : { code, signal };
}

/** Another process opens a file of this one by this path. */
const pathOf = (descriptor: number): string => `/proc/${process.pid}/fd/${descriptor}`;

const OPEN_FILES = 32;
const STDERR_BYTES = 16 * 1024;

/** The command line that becomes the program behind its limits. */
export function limitedCommand(
  program: string,
  args: readonly string[],
  limits: ProcessLimits,
): readonly string[] {
  const { cpuSeconds, memoryKilobytes, openFiles = OPEN_FILES, niceness = 0 } = limits;
  const processes = limits.processes !== undefined && countsOwnProcesses() ? limits.processes : '';
  const numbers = [processes, Math.ceil(cpuSeconds), memoryKilobytes, openFiles].map(String);
  const yielding = niceness > 0 ? ['nice', '-n', String(niceness)] : [];
  const limited = ['/bin/sh', '-c', LIMIT_AND_BECOME, 'sh', ...numbers, program, ...args];
  return [...yielding, ...sandboxCommand(program, limits.reads), ...limited];
}

/** `input`: a file descriptor to read from its beginning, or 'pipe'. Rejects when the program could not be started. */
export async function startLimited(
  program: string,
  args: readonly string[],
  limits: ProcessLimits,
  input: number | 'pipe',
  onSaid?: (said: string) => void,
): Promise<LimitedProcess> {
  const [command, ...rest] = limitedCommand(program, args, limits);
  const child = await startProgram({
    command: command as string,
    args: rest,
    input: input === 'pipe' ? null : pathOf(input),
    ...(limits.descriptors ? { files: limits.descriptors.map(pathOf) } : {}),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    // The beginning says what the file is, the end says what went wrong.
    said =
      said.length + text.length <= STDERR_BYTES
        ? said + text
        : said.slice(0, STDERR_BYTES / 2) + text.slice(-STDERR_BYTES / 2);
    onSaid?.(said);
  });
  child.stdin?.resume().on('error', () => {}); // it may end before it has read everything; its exit tells
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderrText: () => said,
    kill: child.kill,
    discard: () => {
      child.kill();
      child.stdout.destroy();
    },
    ended: endOfAll(child),
    pid: child.pid,
  };
}

/** Its exit, and the end of all that it has written. */
async function endOfAll({ stdin, stdout, stderr, exited }: StartedProgram): Promise<ProcessEnd> {
  const outputs = [stdout, stderr].map(closed);
  const { code, signal } = await exited;
  stdin?.destroy();
  await Promise.all(outputs);
  return endOf(code, signal);
}

function closed(output: Socket): Promise<void> {
  return new Promise((resolve) => {
    output.on('error', () => {});
    output.on('end', () => output.destroy());
    output.on('close', () => resolve());
  });
}
