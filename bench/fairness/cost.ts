/** npm run bench -- fairness/cost: measures the CPU time of each kind of attack by itself, by the server's threads. */
import { once } from 'node:events';
import { type Service, startService } from '../hear/service.ts';
import { ATTACKS } from './attacks.ts';
import { sandboxKeys, startHostile } from './hostile-tenant.ts';
import { processorTime, since } from './processor-time.ts';

const SECONDS = Number(process.env.SECONDS ?? 15);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function costOf(service: Service, keys: readonly string[], kinds: string): Promise<void> {
  const hostile = await startHostile(service, keys, 10_000, kinds);
  const began = performance.now();
  const [before, theirs] = [processorTime(service.pid), processorTime(hostile.pid!)];
  await pause(1000 * SECONDS);
  const ms = performance.now() - began;
  const spent = since(before, processorTime(service.pid));
  const share = (each: number) => `${((100 * each) / ms).toFixed(1)} %`;
  hostile.send('tell');
  const [reported] = (await once(hostile, 'message')) as [Record<string, number>];
  console.log(`${kinds}: ${share(spent.reduce((sum, [, each]) => sum + each, 0))} of a core`);
  for (const [name, each] of spent) console.log(`    ${name} ${share(each)}`);
  console.log(
    `    (hostile itself ${since(theirs, processorTime(hostile.pid!)).map(([n, m]) => `${n} ${share(m)}`)})`,
  );
  console.log(`    ${JSON.stringify(reported)}`);
  hostile.kill('SIGKILL');
  await once(hostile, 'exit');
  await pause(3000);
}

const kinds = process.argv.slice(2);
const service = await startService({ TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' });
const keys = await sandboxKeys(service);
for (const kind of ['none', ...(kinds.length > 0 ? kinds : ATTACKS)]) await costOf(service, keys, kind);
service.stop();
