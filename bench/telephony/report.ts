import { median, percentile, type Report } from '../harness/index.ts';
import type { PartStore } from '../hear/parts.ts';
import type { Delays } from './delays.ts';
import type { HeldCall } from './media.ts';
import type { Talks } from './response-latency.ts';
import type { SetUps } from './set-ups.ts';
import type { WordsAtLoss } from './words.ts';

export const MOST_CONCEALED = 0.005;

export interface Relayed {
  readonly version: string;
  readonly runs: readonly HeldCall[];
}

const percent = (share: number): string => `${100 * share} %`;

export function writeReport(page: Report, store: PartStore): void {
  section<HeldCall[]>(page, store, 'media', 'Calls held with media alone', writeMedia);
  section<Relayed | string>(page, store, 'relay', 'Beside a media server', writeRelay);
  section<Delays>(page, store, 'delay', 'Mouth to ear', writeDelay);
  section<SetUps | string>(page, store, 'set-ups', 'Set-ups', writeSetUps);
  section<Talks>(
    page,
    store,
    'gap',
    'Greeting and gap at the ear of a caller over SIP',
    writeResponseLatencies,
  );
  section<WordsAtLoss[]>(page, store, 'words', 'Words understood', writeWords);
}

function section<Data>(
  page: Report,
  store: PartStore,
  name: string,
  title: string,
  write: (page: Report, data: Data) => void,
): void {
  const stored = store.read<Data>(name);
  if (stored === undefined) return;
  page.heading(title);
  page.text(`Measured ${stored.measured} when it had ended.`);
  write(page, stored.data);
}

const mostHeld = (runs: readonly HeldCall[]): HeldCall | undefined =>
  runs.filter(({ concealed }) => concealed <= MOST_CONCEALED).at(-1);

function writeMedia(page: Report, runs: readonly HeldCall[]): void {
  const good = mostHeld(runs);
  page.figure({
    name: 'calls held: G.711 in and out, jitter buffer, recording, no more than 0.5 % concealed',
    value: good?.calls ?? 0,
    unit: 'calls',
    goal: { atLeast: 500 },
  });
  if (good !== undefined) page.figure({ name: 'thousandths of a core, a call', value: good.cost, unit: 'm' });
  writeHeld(page, runs);
  page.text(
    'Both ends of every call are lanes of one engine in one process, over loopback sockets; each counts as a call. What each hears is written to a file. The steps end with the first at which too much is concealed.',
  );
}

function writeHeld(page: Report, runs: readonly HeldCall[]): void {
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
}

function writeRelay(page: Report, found: Relayed | string): void {
  if (typeof found === 'string') {
    page.text(`Not measured here: ${found}.`);
    return;
  }
  const good = mostHeld(found.runs);
  page.figure({ name: 'ends relayed by rtpengine', value: good?.calls ?? 0, unit: 'calls' });
  if (good !== undefined)
    page.figure({ name: 'thousandths of a core of rtpengine, an end', value: good.cost, unit: 'm' });
  writeHeld(page, found.runs);
  page.text(
    `The same calls, but each end sends to rtpengine ${found.version} (of Debian, without its kernel module) and hears the other end from there. It passes packets on: it has no jitter buffer, decodes nothing, mixes nothing and records nothing here. The processor's time is its own alone, while the ends take theirs on the same cores: how many it could relay without them is not seen here.`,
  );
}

function writeDelay(page: Report, { ms, unheard }: Delays): void {
  page.figure({ name: 'added over SIP at 0 loss, p50', value: median(ms), unit: 'ms', goal: { atMost: 60 } });
  page.figure({ name: 'added over SIP at 0 loss, p95', value: percentile(ms, 0.95), unit: 'ms' });
  page.figure({ name: 'clicks that did not come back', value: unheard, unit: 'clicks', goal: { atMost: 0 } });
  page.text(
    `A caller over SIP clicks ${ms.length + unheard} times, and the call sends back what it hears. From the packet of a click to the packet that brings it back: socket, jitter buffer, a lane that says what it hears, pacing, socket. No JavaScript is on the way, as none is between a call and an agent.`,
  );
}

function writeSetUps(page: Report, found: SetUps | string): void {
  if (typeof found === 'string') {
    page.text(`Not measured here: ${found}.`);
    return;
  }
  page.figure({ name: 'calls set up and torn down, a second', value: found.aSecond, unit: '1/s' });
  page.figure({ name: 'of those asked for, answered', value: (100 * found.done) / found.asked, unit: '%' });
  page.text(
    `SIPp makes ${found.asked} calls over UDP, as fast as 200 a second; each opens its ports and its lane, is answered at once and hung up.`,
  );
}

function writeResponseLatencies(page: Report, { greeted, gaps: found }: Talks): void {
  const heard = greeted.filter((ms) => ms !== null);
  if (heard.length > 0) {
    const goal = { atMost: 700 };
    page.figure({
      name: 'from the answer to the first sound of the agent, p50',
      value: median(heard),
      unit: 'ms',
      goal,
    });
    page.text(
      `${heard.length} of ${greeted.length} calls were greeted within ten seconds, the slowest after ${Math.max(...heard).toFixed(0)} ms. The server had been ready for ten seconds.`,
    );
  }
  for (const { share, ms } of found.filter((one) => one.ms.length > 0))
    page.figure({
      name: `gap with ${percent(share)} of the packets lost, p50`,
      value: median(ms),
      unit: 'ms',
    });
  page.table(
    ['lost', 'answers', 'p50, ms', 'p90, ms', 'before the end', 'none in 6 s'],
    found.map(({ share, ms, early, unanswered }) => [
      percent(share),
      ms.length,
      ms.length === 0 ? '' : median(ms).toFixed(0),
      ms.length === 0 ? '' : percentile(ms, 0.9).toFixed(0),
      early,
      unanswered,
    ]),
  );
  page.text(
    'From the last sound of a recorded question to the first packet of the answer, by the built-in responder. Packets go lost by chance, each way.',
  );
}

function writeWords(page: Report, found: readonly WordsAtLoss[]): void {
  for (const { share, concealed, plain } of found) {
    page.figure({ name: `words wrong with ${percent(share)} lost, concealed`, value: concealed, unit: '%' });
    page.figure({ name: `words wrong with ${percent(share)} lost, plain gaps`, value: plain, unit: '%' });
  }
  page.table(
    ['of the packets', 'lost indeed, %', 'words wrong, concealed, %', 'words wrong, plain gaps, %'],
    found.map(({ share, lost, concealed, plain }) => [
      percent(share),
      (100 * lost).toFixed(1),
      concealed.toFixed(1),
      plain.toFixed(1),
    ]),
  );
  page.text(
    `${found[0]?.clips ?? 0} recordings of real voices in English over G.711, in packets of 20 ms. The same packets go lost both times: once the engine plays them over its sockets and makes up what is missing, once there is silence. Hear reads both.`,
  );
}
