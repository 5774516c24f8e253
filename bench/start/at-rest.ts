/** Measures the memory and the processor that a server takes which nobody uses, with every surface and every model. */
import { readdirSync, readFileSync } from 'node:fs';
import { runBench } from '../harness/index.ts';
import { withStartedServer } from './started-server.ts';

/** Node frees what its start has left within a minute. */
const SETTLE_MS = 75_000;
const MEASURED_MS = 60_000;
/** The kernel reports processor time in hundredths of a second. */
const TICK_MS = 10;
const MEMORY_GOAL_MB = 700;
const PROCESSOR_GOAL_PERCENT = 0.5;

interface Usage {
  readonly mb: number;
  readonly processorMs: number;
}

/** Sums over all processes of a group: the server and the programs that it keeps. */
function usageOf(group: number): Usage {
  let mb = 0;
  let processorMs = 0;
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(`/proc/${id}/stat`);
    const [, , ofGroup, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(ofGroup) !== group) continue;
    processorMs += (Number(fields[8]) + Number(fields[9])) * TICK_MS;
    mb += Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${id}/status`))?.[1] ?? 0) / 1024;
  }
  return { mb, processorMs };
}

/** A process may end between the listing and the reading. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

await runBench('at-rest', 'A server at rest', async (page, { quick }) => {
  const command = [process.execPath, 'scripts/trunkline.mjs', 'serve'] as const;
  const [before, after] = await withStartedServer(command, async (_url, child) => {
    await pass(quick ? 0 : SETTLE_MS);
    const first = usageOf(child.pid!);
    await pass(MEASURED_MS);
    return [first, usageOf(child.pid!)] as const;
  });
  page.figure({
    name: 'resident memory of all processes',
    value: after.mb,
    unit: 'MB',
    goal: { atMost: MEMORY_GOAL_MB },
  });
  page.figure({
    name: 'processor, of one core',
    value: (100 * (after.processorMs - before.processorMs)) / MEASURED_MS,
    unit: '%',
    goal: { atMost: PROCESSOR_GOAL_PERCENT },
  });
  page.text(
    `From ${SETTLE_MS / 1000} s after \`ready\`, over ${MEASURED_MS / 1000} s, with an empty data folder.`,
  );
});
