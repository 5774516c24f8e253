// @requirement SIP: SIPp sets up and tears down 1,000 calls.
// @requirement SIP: SIP runs over UDP, TCP and TLS with SDES.
// @requirement SIP: Two other SIP stacks call and are called.
import { afterEach, describe, expect, it } from 'vitest';
import { itLong } from '../../../long-tests.ts';
import { until } from '../../../poll.ts';
import { openCaller } from './caller.ts';
import {
  answersTo,
  ENOUGH_FRAMES,
  freePort,
  hasOpus,
  lacking,
  OWN_NUMBER,
  openWorld,
  sipp,
  sippServer,
  throwAt,
  type World,
  type WorldOptions,
} from './peers.ts';
import { baresip, correlation, melody, wavOf } from './phone.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(peerPort: number, options: WorldOptions = {}): Promise<World> {
  const made = await openWorld(peerPort, options);
  closing.push(() => made.close());
  return made;
}

/** `TRUNKLINE_TEST_SIP=long` sets up all thousand calls. */
const CALLS = process.env.TRUNKLINE_TEST_SIP === 'long' ? 1_000 : 50;
const noSipp = lacking('sipp');
const noBaresip = lacking('baresip');
const named = (name: string, why: string | null): string =>
  why === null ? name : `${name} (skipped: ${why})`;

describe.skipIf(noSipp !== null)(named('calls of SIPp', noSipp), () => {
  it(`answers and ends ${CALLS} calls over UDP, and none is left`, async () => {
    const port = freePort();
    const { port: ours, calls, carrier } = await world(port);
    const { code, said } = await sipp('uac', ours, [
      '-p',
      String(port),
      '-s',
      OWN_NUMBER,
      '-m',
      String(CALLS),
      '-r',
      '50',
      '-l',
      '50',
      '-d',
      '200',
    ]);
    expect(code, said).toBe(0);
    expect(calls).toHaveLength(CALLS);
    for (const reported of calls)
      expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    expect(calls.map((reported) => reported.states.map(({ kind }) => kind))).toEqual(
      calls.map(() => ['answered', 'ended']),
    );
    expect(carrier.registrations.size).toBe(0);
  }, 120_000);

  itLong('answers over TCP', async () => {
    const port = freePort();
    const { port: ours, calls } = await world(port);
    const { code, said } = await sipp('uac', ours, [
      '-t',
      't1',
      '-p',
      String(port),
      '-s',
      OWN_NUMBER,
      '-m',
      '5',
      '-r',
      '20',
      '-d',
      '100',
    ]);
    expect(code, said).toBe(0);
    expect(calls).toHaveLength(5);
  });

  it('dials out, and is hung up on', async () => {
    const port = freePort();
    const server = await sippServer('uas', port, ['-m', '1']);
    closing.push(() => server.stop());
    const { carrier } = await world(port);
    const states: string[] = [];
    let answered = () => {};
    const up = new Promise<void>((resolve) => (answered = resolve));
    const call = await carrier.place(
      { id: 'tcl_1', from: OWN_NUMBER, to: '+14155550199', ringMs: 10_000 },
      {
        state: ({ kind }) => {
          states.push(kind);
          if (kind === 'answered') answered();
        },
        key: () => undefined,
      },
    );
    await up;
    await call.hangUp();
    expect(states).toEqual(['ringing', 'answered', 'ended']);
    expect(await server.ended).toBe(0);
  });
});

describe.skipIf(noSipp !== null)(named('what peers of SIPp do', noSipp), () => {
  it('makes the offer where an INVITE brings none', async () => {
    const port = freePort();
    const { port: ours, calls } = await world(port);
    const { code, said } = await sipp('no-offer.xml', ours, [
      '-p',
      String(port),
      '-s',
      OWN_NUMBER,
      '-m',
      '3',
    ]);
    expect(code, said).toBe(0);
    expect(calls).toHaveLength(3);
    for (const reported of calls) {
      await reported.until('ended');
      expect(reported.states.map(({ kind }) => kind)).toEqual(['answered', 'ended']);
    }
  });

  // @requirement SIP: Retransmissions and an INVITE without an offer are handled.
  itLong('takes an INVITE that comes again for the same call, and answers it again', async () => {
    const port = freePort();
    const { port: ours, calls } = await world(port);
    const caller = await openCaller(ours, OWN_NUMBER, port);
    closing.push(async () => caller.close());
    caller.invite();
    await caller.until(1);
    caller.invite();
    await caller.until(2);
    caller.acknowledge();
    const [reported] = calls;
    await reported?.until('answered');
    expect(calls).toHaveLength(1);
    await reported?.call.hangUp();
    await caller.hungUp;
  });

  // @requirement SIP: A failed registration says what was sent and expected.
  it('registers with a digest', async () => {
    const port = freePort();
    const server = await sippServer('registrar.xml', port, ['-m', '1']);
    closing.push(() => server.stop());
    const made = await world(port, { trunk: { register: true, username: 'alice', password: 'secret' } });
    expect(await made.registration()).toEqual({ state: 'registered' });
  });

  it('says of a failed registration what was sent and what was expected, and never the password', async () => {
    const port = freePort();
    const server = await sippServer('registrar.xml', port, ['-m', '1']);
    closing.push(() => server.stop());
    const made = await world(port, { trunk: { register: true, username: 'alice', password: 'wr0ng' } });
    const { state, detail } = (await made.registration()) as { state: string; detail: string };
    expect(state).toBe('failed');
    expect(detail).toContain('the registrar responded with 401');
    expect(detail).toContain('username="alice", realm="registrar.test"');
    expect(detail).toContain('algorithm=MD5');
    expect(detail).not.toContain('wr0ng');
  });

  it('answers 404 where nobody here has the number', async () => {
    const port = freePort();
    const { port: ours } = await world(port, { unknown: true });
    const { code, said } = await sipp('uac', ours, ['-p', String(port), '-s', '12345678', '-m', '1']);
    expect(code).not.toBe(0);
    expect(said).toContain('404');
  });

  it.each([
    ['unknown', '404'],
    ['rejected', '603'],
    ['busy', '486'],
  ] as const)('tells why a call is turned away that rings already: %s is %s', async (turnsAway, status) => {
    const port = freePort();
    const { port: ours } = await world(port, { turnsAway });
    const { code, said } = await sipp('uac', ours, ['-p', String(port), '-s', '12345678', '-m', '1']);
    expect(code).not.toBe(0);
    expect(said).toContain(status);
  });

  it('says nothing to who is no trunk', async () => {
    const foreignTrunk = await world(freePort(), { trunk: { host: '127.0.0.9' } });
    const known = await world(freePort());
    expect(await answersTo(known.port)).toBeGreaterThan(0);
    expect(await answersTo(foreignTrunk.port)).toBe(0);
    expect(foreignTrunk.calls).toHaveLength(0);
  });

  it('survives what is no SIP, and goes on', async () => {
    const port = freePort();
    const { port: ours, calls } = await world(port);
    await throwAt(ours);
    const { code, said } = await sipp('uac', ours, [
      '-p',
      String(port),
      '-s',
      OWN_NUMBER,
      '-m',
      '1',
      '-d',
      '50',
    ]);
    expect(code, said).toBe(0);
    expect(calls.length).toBeGreaterThan(0);
  });
});

describe.skipIf(noBaresip !== null)(named('calls of baresip', noBaresip), () => {
  const echoes: WorldOptions['media'] = (media) => media.bind({ audio: (frames) => media.send(frames) });

  it.each([
    ['PCMU', 'PCMU/8000/1', undefined],
    ['PCMA', 'PCMA/8000/1', undefined],
    ['PCMU enciphered by SDES', 'PCMU/8000/1', 'srtp-mand'],
    ...(hasOpus() ? [['Opus', 'opus/48000/2', undefined] as const] : []),
  ] as const)('carries its sound both ways with %s', async (_, codec, mediaenc) => {
    const made = await world(5099, { media: echoes, trunk: { allow: ['127.0.0.1'] } });
    const said = melody(4);
    const phone = await baresip({
      // baresip takes a file only with as many channels as its codec has.
      wav: wavOf(said, codec.startsWith('opus') ? 2 : 1),
      codec,
      dial: `sip:${OWN_NUMBER}@127.0.0.1:${made.port}`,
      ...(mediaenc === undefined ? {} : { mediaenc }),
    });
    closing.push(() => phone.stop());
    const reported = await made.call();
    const { media } = await reported.until('answered');
    await until(() => media.stats().received.frames > ENOUGH_FRAMES);
    await reported.call.hangUp();
    await phone.stop();
    const heard = phone.heard();
    expect(heard.length).toBeGreaterThan(16_000);
    // On a busy machine, either jitter buffer changes its delay often; 200 ms came as they were said.
    const places = Array.from({ length: 12 }, (_, at) => 6_000 + at * 1_200);
    const best = Math.max(...places.map((from) => correlation(said, heard, from)));
    expect(best).toBeGreaterThan(codec.startsWith('opus') ? 0.85 : 0.99);
  });
});
