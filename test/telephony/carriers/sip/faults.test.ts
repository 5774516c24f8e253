// @requirement SIP: A call is refused when all RTP ports are taken.
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../poll.ts';
import { Party } from './party.ts';
import { freePort, lacking, OWN_NUMBER, openWorld } from './peers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const lack = lacking();
describe.skipIf(lack !== null)(`ports for sound${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it('that are all taken: the next call is told 503, and one after a call has ended is answered', async () => {
    const first = 33_000 + (process.pid % 200) * 4;
    const made = await openWorld(freePort(), { ports: `${first}-${first + 3}` });
    closing.push(() => made.close());
    const call = async () => {
      const party = await Party.open(made.port, OWN_NUMBER, freePort());
      closing.push(async () => party.close());
      return { party, status: await party.call() };
    };
    const one = await call();
    expect([one.status, (await call()).status]).toEqual(['SIP/2.0 200 OK', 'SIP/2.0 200 OK']);
    expect((await call()).status).toContain('SIP/2.0 503');
    expect((await made.calls[2]?.until('ended'))?.end).toMatchObject({ reason: 'failed' });
    one.party.request('BYE');
    await made.calls[0]?.until('ended');
    // The engine releases the ports a moment after the call.
    await until(async () => (await call()).status === 'SIP/2.0 200 OK');
  });
});
