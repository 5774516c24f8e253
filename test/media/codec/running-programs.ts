import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProgram {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly nice: number;
}

export function descendants(name: string): RunningProgram[] {
  const all = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const read = new Map<number, RunningProgram>();
  for (const pid of all.map(Number)) {
    try {
      const [, command = '', rest = ''] =
        /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      const fields = rest.split(' ');
      read.set(pid, { pid, name: command, parent: Number(fields[1]), nice: Number(fields[16]) });
    } catch {} // it has ended
  }
  const ours = (pid: number | undefined): boolean =>
    pid === process.pid || (pid !== undefined && pid > 1 && ours(read.get(pid)?.parent));
  return [...read.values()].filter((one) => one.name === name && ours(one.pid));
}
