/** Calls over SIP: how many are held with their media, how many are set up a second, and how late their sound is. */
import { median, percentile, type Report, runBench } from '../harness/index.ts';
import { delays, type Held, hold } from './media.ts';
import { lacking, setUps } from './set-ups.ts';

/** Beyond this share a listener notices that sound is made up. */
const MOST_CONCEALED = 0.005;

async function media(page: Report, quick: boolean): Promise<void> {
  const steps = quick ? [40] : [100, 200, 300, 400, 500, 600, 800, 1000];
  const runs: Held[] = [];
  for (const calls of steps) {
    const held = await hold(calls, quick ? 3 : 20);
    runs.push(held);
    if (held.concealed > MOST_CONCEALED) break;
  }
  const good = runs.filter(({ concealed }) => concealed <= MOST_CONCEALED).at(-1);
  page.heading('Calls held with media alone');
  page.figure({
    name: 'calls held: G.711 in and out, jitter buffer, no more than 0.5 % concealed',
    value: good?.calls ?? 0,
    unit: 'calls',
    ...(quick ? {} : { goal: { atLeast: 500 } }),
  });
  if (good !== undefined) page.figure({ name: 'thousandths of a core, a call', value: good.cost, unit: 'm' });
  page.table(
    ['calls', 'concealed, %', 'thousandths of a core, a call', 'ticks missed', 'wait of the buffer, ms'],
    runs.map((one) => [
      one.calls,
      (100 * one.concealed).toFixed(3),
      one.cost.toFixed(2),
      one.missedTicks,
      one.waitMs.toFixed(0),
    ]),
  );
  page.text(
    'Both ends of every call are lanes of one engine in one process, over loopback sockets; each counts as a call.',
  );
}

async function lateness(page: Report, quick: boolean): Promise<void> {
  const found = await delays(quick ? 12 : 200);
  page.heading('Mouth to ear');
  page.figure({ name: 'frame in to sound out, p50', value: median(found), unit: 'ms', goal: { below: 60 } });
  page.figure({ name: 'frame in to sound out, p95', value: percentile(found, 0.95), unit: 'ms' });
  page.text(
    'From a frame of 20 ms into one lane to the first sample of it out of the other: packet, socket, jitter buffer, ticks of 10 ms.',
  );
}

async function calls(page: Report, quick: boolean): Promise<void> {
  const why = lacking();
  page.heading('Set-ups');
  if (why !== null) {
    page.text(`Not measured here: ${why}.`);
    return;
  }
  const { asked, done, aSecond } = quick ? await setUps(50, 100) : await setUps(5000, 400);
  page.figure({ name: 'calls set up and torn down, a second', value: aSecond, unit: '1/s' });
  page.figure({ name: 'of those asked for, answered', value: (100 * done) / asked, unit: '%' });
  page.text(
    'SIPp calls over UDP as fast as 400 a second; each call opens its ports and lane, is answered at once and hung up.',
  );
}

await runBench('telephony', 'Calls over SIP', async (page, { quick, parts }) => {
  const wanted = (part: string) => parts.length === 0 || parts.includes(part);
  if (wanted('media')) await media(page, quick);
  if (wanted('delay')) await lateness(page, quick);
  if (wanted('set-ups')) await calls(page, quick);
});
