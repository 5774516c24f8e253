/**
 * Runs a program on untrusted bytes: without environment or writable files, with bounded memory and CPU time, and
 * without network where the kernel allows. The kernel enforces the limits, which a shell sets before it execs the
 * program.
 */
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { countsOwnProcesses, SET_PROCESSES, sandboxCommand } from './sandbox.ts';
import { type StartedProgram, startProgram } from './starter.ts';

export interface ProcessLimits {
  readonly cpuSeconds: number;
  readonly memoryKilobytes: number;
  readonly openFiles?: number;
  /** The limit of processes including threads. It applies where the kernel counts them for this program alone. */
  readonly processes?: number;
  readonly reads?: readonly string[];
  readonly descriptors?: readonly number[];
  readonly niceness?: number;
}

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface LimitedProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  stderrText(): string;
  kill(): void;
  /** Kills the program and drops its unread output, which would otherwise delay `ended`. */
  discard(): void;
  readonly ended: Promise<ProcessEnd>;
  readonly pid: number;
}

const LIMIT_AND_BECOME = `ulimit -t "$2" && ulimit -d "$3" && ulimit -s 1024 && ulimit -f 0 && ulimit -c 0 && ulimit -n "$4"
[ -z "$1" ] || ${SET_PROCESSES}
shift 4; exec "$@"`;
/** A sandbox reports the signal of its program as 128 plus the signal's number. */
const SIGNALLED = 128;
const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnd {
  const endedBy = code === null ? undefined : SIGNALS.get(code - SIGNALLED);
  return endedBy ? { code: null, signal: endedBy } : { code, signal };
}

const pathOf = (descriptor: number): string => `/proc/${process.pid}/fd/${descriptor}`;

const OPEN_FILES = 32;
const STDERR_BYTES = 16 * 1024;

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

/**
 * `input` is a file descriptor to read from its beginning, or 'pipe'. Rejects when the program could not be started.
 */
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
