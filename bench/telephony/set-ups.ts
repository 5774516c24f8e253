/** Calls set up and torn down over SIP, by SIPp, beside the carrier and an engine in this process. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackingForSip, SipCarrier, sipSettings } from '../../src/carriers/index.ts';
import { Engine } from '../../src/engine/index.ts';
import { systemClock } from '../../src/platform/clock.ts';

const NUMBER = '+14155550100';
const OURS = 15560;
const THEIRS = 15562;

/** Why this part cannot be measured here. */
export function lacking(): string | null {
  const { missing } = lackingForSip();
  if (missing !== null) return missing;
  return spawnSync('sh', ['-c', 'command -v sipp']).status === 0 ? null : 'apt-get install sip-tester';
}

export interface SetUps {
  readonly asked: number;
  readonly done: number;
  readonly aSecond: number;
}

/** `rate` calls a second are tried; each is answered at once and hung up by SIPp. */
export async function setUps(calls: number, rate: number): Promise<SetUps> {
  const engine = new Engine({ slots: 2048, capacity: 1_000_000 });
  await engine.prepared();
  const settings = sipSettings({
    sipListen: [`udp://127.0.0.1:${OURS}`],
    sipRealm: null,
    sipRtpPorts: '40000-49999',
    sipTlsCert: null,
    sipTlsKey: null,
    sipTlsCa: null,
    sipTrunks: JSON.stringify([{ name: 'sipp', host: '127.0.0.1', port: THEIRS, numbers: [NUMBER] }]),
  });
  let done = 0;
  const carrier = new SipCarrier({
    settings,
    engine,
    clock: systemClock,
    registered: () => undefined,
    onError: (error) => console.error(error),
  });
  carrier.incoming((call) => {
    queueMicrotask(() => void call.answer());
    return {
      state: ({ kind }) => {
        if (kind === 'answered') done++;
      },
      key: () => undefined,
    };
  });
  await carrier.start();
  const folder = mkdtempSync(join(tmpdir(), 'sipp-'));
  try {
    const began = performance.now();
    const numbers = ['-m', calls, '-r', rate, '-l', 2000, '-d', 0, '-p', THEIRS].map(String);
    const sipp = spawn(
      'sipp',
      [
        '-sn',
        'uac',
        `127.0.0.1:${OURS}`,
        '-i',
        '127.0.0.1',
        '-s',
        NUMBER,
        '-nostdin',
        '-timeout',
        '120s',
        ...numbers,
      ],
      { cwd: folder, stdio: 'ignore' },
    );
    await once(sipp, 'close');
    return { asked: calls, done, aSecond: done / ((performance.now() - began) / 1000) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await carrier.stop();
    engine.destroy();
  }
}
