import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const MIB = 1024 ** 2;

export function residentMiB(pid: number): number {
  const match = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(match?.[1]) * 1024) / MIB;
}

export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export const openHandles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

export async function peakResidentMiB(pid: number, work: () => Promise<void>): Promise<number> {
  let peak = residentMiB(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, residentMiB(pid));
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, residentMiB(pid));
}
