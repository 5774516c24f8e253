import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/**
 * `namespaces` isolates a program from the network and from the shared memory of other processes; the program
 * replaces the process that set the sandbox up. `bubblewrap` keeps a parent process, for systems whose administrator
 * lets only bwrap create namespaces. `limits` is used where neither works.
 */
export type SandboxKind = 'namespaces' | 'bubblewrap' | 'limits';

const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin'];

function find(name: string): string | null {
  for (const path of FOLDERS.map((folder) => join(folder, name))) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return null;
}

/** The shell command limits the user's processes to the first argument; shells differ in the option's letter. */
export const SET_PROCESSES = '{ ulimit -u "$1" || ulimit -p "$1"; } 2>/dev/null';

const COMMANDS = {
  bubblewrap: (program: string, reads: readonly string[]) => [
    'bwrap',
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--dev', '/dev'],
    ...['--ro-bind', '/usr', '/usr', '--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ...['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...[program, ...reads].flatMap((path) => ['--ro-bind-try', path, path]),
    ...['--chdir', '/', '--'],
  ],
  namespaces: () => ['unshare', '--map-root-user', '--net', '--ipc', '--'],
} as const;

const PROBE = '/bin/true';

function sandboxWorks(sandbox: keyof typeof COMMANDS): boolean {
  const [name, ...rest] = COMMANDS[sandbox](PROBE, []);
  const command = find(name as string);
  return command !== null && spawnSync(command, [...rest, PROBE], { env: {}, timeout: 5_000 }).status === 0;
}

let known: SandboxKind | null = null;

export function sandboxKind(): SandboxKind {
  known ??= sandboxWorks('namespaces') ? 'namespaces' : sandboxWorks('bubblewrap') ? 'bubblewrap' : 'limits';
  return known;
}

export function sandboxCommand(program: string, reads: readonly string[] = []): readonly string[] {
  const kind = sandboxKind();
  if (kind === 'limits') return [];
  const [name, ...rest] = COMMANDS[kind](program, reads);
  return [find(name as string) ?? (name as string), ...rest];
}

const FEW = '4';
let alone: boolean | null = null;

/**
 * Kernels from 5.14 on count processes per user namespace, so a limit can hold. Older kernels count all processes of
 * the user, and this server has more than any program needs.
 */
export function countsOwnProcesses(): boolean {
  alone ??= sandboxKind() !== 'limits' && startsAnother(FEW);
  return alone;
}

function startsAnother(bound: string): boolean {
  const [command, ...rest] = [
    ...sandboxCommand('/bin/sh'),
    '/bin/sh',
    '-c',
    `${SET_PROCESSES} && (exit 0)`,
    'sh',
    bound,
  ];
  return spawnSync(command as string, rest, { env: {}, timeout: 5_000 }).status === 0;
}
