// @requirement SIP: Early media, hold, codec changes and glare are handled.
// @requirement Transfers: A REFER without `Replaces` is declined.
// @requirement SIP: Two other SIP stacks call and are called.
import { afterEach, describe, expect, it } from 'vitest';
import type { LegState, MediaLeg } from '../../../../src/telephony/carriers/index.ts';
import { itLong } from '../../../long-tests.ts';
import {
  freePort,
  lacking,
  OWN_NUMBER,
  openWorld,
  sipp,
  sippServer,
  type World,
  type WorldOptions,
} from './peers.ts';
import { type Baresip, type BaresipOptions, baresip, correlation, melody, wavOf } from './phone.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(peerPort: number, options: WorldOptions = {}): Promise<World> {
  const made = await openWorld(peerPort, options);
  closing.push(() => made.close());
  return made;
}

async function phone(options: Partial<BaresipOptions> & Pick<BaresipOptions, 'wav'>): Promise<Baresip> {
  const made = await baresip({ codec: 'PCMU/8000/1', ...options });
  closing.push(() => made.stop());
  return made;
}

const lack = lacking('sipp', 'baresip');
const named = (name: string): string => (lack === null ? name : `${name} (skipped: ${lack})`);
const echoes: WorldOptions['media'] = (media) => media.bind({ audio: (frames) => media.send(frames) });

const calling = (port: number): string[] => ['-p', String(port), '-s', OWN_NUMBER, '-m', '1'];

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
async function moved(media: MediaLeg, which: 'received' | 'sent'): Promise<number> {
  await wait(1_200);
  const before = media.stats()[which].frames;
  await wait(2_000);
  return media.stats()[which].frames - before;
}

/** Takes the best of several stretches: on a busy machine either jitter buffer changes its delay often. */
function alike(said: Int16Array, heard: Int16Array, from = 0): number {
  const places = Array.from({ length: 8 }, (_, at) => from + at * 1_700);
  return Math.max(
    ...places.filter((at) => at + 1_600 < heard.length).map((at) => correlation(said, heard, at)),
  );
}

interface Dialed {
  readonly states: LegState[];
  until<Kind extends LegState['kind']>(kind: Kind): Promise<LegState & { kind: Kind }>;
  readonly call: Awaited<ReturnType<World['carrier']['place']>>;
}

async function dial(made: World, to: string): Promise<Dialed> {
  const states: LegState[] = [];
  let woken = () => {};
  const call = await made.carrier.place(
    { id: 'tcl_1', from: OWN_NUMBER, to, ringMs: 20_000 },
    {
      state: (state) => {
        states.push(state);
        woken();
      },
      key: () => undefined,
    },
  );
  return {
    states,
    call,
    until: async (kind) => {
      for (;;) {
        const state = states.find((one) => one.kind === kind);
        if (state !== undefined) return state as never;
        await new Promise<void>((resolve) => (woken = resolve));
      }
    },
  };
}

describe.skipIf(lack !== null)(named('hold'), () => {
  it.each([
    ['in the clear', undefined],
    ['enciphered by SDES', 'srtp-mand'],
  ] as const)('by the other side silences us, and the sound comes back: %s', async (_, mediaenc) => {
    let frames: Buffer[] = [];
    const listens = (media: MediaLeg) =>
      media.bind({
        audio: (bytes) => {
          frames.push(Buffer.from(bytes));
          media.send(bytes);
        },
      });
    const made = await world(5099, { media: listens, trunk: { allow: ['127.0.0.1'] } });
    const said = melody(20);
    const peer = await phone({
      wav: wavOf(said),
      dial: `sip:${OWN_NUMBER}@127.0.0.1:${made.port}`,
      ...(mediaenc === undefined ? {} : { mediaenc }),
    });
    const reported = await made.call();
    const { media } = await reported.until('answered');
    await peer.command('hold');
    await reported.untilHeld(true);
    expect(await moved(media, 'sent')).toBe(0);
    await peer.command('resume');
    await reported.untilHeld(false);
    frames = [];
    expect(await moved(media, 'sent')).toBeGreaterThan(50);
    expect(reported.call.state.kind).toBe('answered');
    expect(alike(said, decoded(Buffer.concat(frames))), peer.said()).toBeGreaterThan(0.98);
  });

  it('by us silences the other side, and it speaks again', async () => {
    const made = await world(5099, { trunk: { allow: ['127.0.0.1'] } });
    const said = melody(10);
    await phone({ wav: wavOf(said), dial: `sip:${OWN_NUMBER}@127.0.0.1:${made.port}` });
    const reported = await made.call();
    const { media } = await reported.until('answered');
    await reported.call.hold(true);
    expect(await moved(media, 'received')).toBe(0);
    await reported.call.hold(false);
    expect(await moved(media, 'received')).toBeGreaterThan(50);
    expect(reported.states.map(({ kind }) => kind)).toEqual(['answered']);
  });

  it.each([
    ['refuses', 'refuses-hold.xml', { name: 'CarrierError', kind: 'refused' }],
    ['made one itself, and takes it when it comes again', 'hold-again.xml', undefined],
  ])('is told of when the other side %s', async (_, scenario, fault) => {
    const port = freePort();
    const server = await sippServer(scenario, port, ['-m', '1']);
    closing.push(() => server.stop());
    const made = await world(port);
    const { call, until } = await dial(made, '+14155550199');
    await until('answered');
    if (fault === undefined) await call.hold(true);
    else await expect(call.hold(true)).rejects.toMatchObject(fault);
    expect(call.state.kind).toBe('answered');
    await call.hangUp();
    expect(await server.ended).toBe(0);
  });
});

describe.skipIf(lack !== null)(named('early media'), () => {
  it('is heard before the answer, and goes on as the sound of the call', async () => {
    const said = melody(10);
    const port = freePort();
    const server = await sippServer('early.xml', port, ['-m', '1'], { 'early.raw': encoded(said) });
    closing.push(() => server.stop());
    const made = await world(port);
    const { call, until, states } = await dial(made, '+14155550199');
    const ringing = await until('ringing');
    while (states.every((state) => state.kind !== 'ringing' || state.early === null)) await wait(50);
    const early = states.flatMap((state) =>
      state.kind === 'ringing' && state.early ? [state.early] : [],
    )[0];
    expect(ringing.kind).toBe('ringing');
    const frames: Buffer[] = [];
    early?.bind({ audio: (bytes) => void frames.push(Buffer.from(bytes)) });
    await wait(2_000);
    expect(states.some(({ kind }) => kind === 'answered')).toBe(false);
    const heard = decoded(Buffer.concat(frames));
    expect(alike(said, heard)).toBeGreaterThan(0.98);
    const { media } = await until('answered');
    expect(media).toBe(early);
    await call.hangUp();
    expect(await server.ended).toBe(0);
  });
});

function encoded(pcm: Int16Array): Buffer {
  const levels = decoded(Buffer.from(Array.from({ length: 256 }, (_, code) => code)));
  const order = [...levels.keys()].sort((a, b) => levels[a]! - levels[b]!);
  return Buffer.from(
    Array.from(pcm, (sample) => {
      let low = 0;
      let high = 255;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (levels[order[middle]!]! < sample) low = middle + 1;
        else high = middle;
      }
      return order[low]!;
    }),
  );
}

function decoded(bytes: Buffer): Int16Array {
  return Int16Array.from(bytes, (byte) => {
    const code = ~byte & 0xff;
    const level = ((((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4)) - 0x84;
    return code & 0x80 ? -level : level;
  });
}

// @requirement Transfers: A REFER moves the audio, and a refusal leaves the call.
describe.skipIf(lack !== null)(named('a transfer'), () => {
  it('moves the sound: who called us and who they are sent to hear each other', async () => {
    const made = await world(5099, { trunk: { allow: ['127.0.0.1'] } });
    const [one, other] = [melody(10, 1), melody(10, 7)];
    const taker = await phone({ wav: wavOf(other) });
    const caller = await phone({ wav: wavOf(one), dial: `sip:${OWN_NUMBER}@127.0.0.1:${made.port}` });
    const reported = await made.call();
    await reported.until('answered');
    await reported.call.transfer(`sip:tester@127.0.0.1:${taker.port}`, 60_000);
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    await wait(3_000);
    await caller.stop();
    await taker.stop();
    expect(alike(one, taker.heard(), 4_000), taker.said()).toBeGreaterThan(0.98);
    expect(alike(other, caller.heard(), 4_000), caller.said()).toBeGreaterThan(0.98);
  });

  itLong('to who is busy is refused, and the call goes on', async () => {
    const made = await world(5099, { media: echoes, trunk: { allow: ['127.0.0.1'] } });
    const busy = freePort();
    const server = await sippServer('busy.xml', busy, ['-m', '1']);
    closing.push(() => server.stop());
    await phone({ wav: wavOf(melody(10)), dial: `sip:${OWN_NUMBER}@127.0.0.1:${made.port}` });
    const reported = await made.call();
    const { media } = await reported.until('answered');
    await expect(reported.call.transfer(`sip:nobody@127.0.0.1:${busy}`, 60_000)).rejects.toMatchObject({
      name: 'CarrierError',
      kind: 'refused',
      message: expect.stringContaining('486'),
    });
    expect(reported.call.state.kind).toBe('answered');
    expect(await moved(media, 'received')).toBeGreaterThan(50);
  });

  it('that the other side asks us for is declined, and the call goes on', async () => {
    const port = freePort();
    const made = await world(port);
    const { code, said } = await sipp('asks-transfer.xml', made.port, calling(port));
    expect(code, said).toBe(0);
    expect((await (await made.call()).until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
  });
});

// @requirement SIP: Session timers refresh a call and end an abandoned one.
describe.skipIf(lack !== null)(named('session timers'), () => {
  const session = { seconds: 4, least: 2 };

  it.each([
    ['the other side refreshes by UPDATE', 'refreshes.xml'],
    ['we refresh by UPDATE', 'is-refreshed.xml'],
    ['who keeps no timers is asked for nothing', 'keeps-none.xml'],
    ['UPDATE holds a call as INVITE does', 'update-holds.xml'],
  ])('%s, and the call lives', async (_, scenario) => {
    const port = freePort();
    const made = await world(port, { session });
    const { code, said } = await sipp(scenario, made.port, calling(port));
    expect(code, said).toBe(0);
    const reported = await made.call();
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    expect(reported.holds).toEqual(scenario === 'update-holds.xml' ? [true, false] : []);
  });

  itLong('end a call whose other side has vanished, and say so', async () => {
    const port = freePort();
    const made = await world(port, { session });
    const { code, said } = await sipp('vanishes.xml', made.port, calling(port));
    expect(code, said).toBe(0);
    expect((await (await made.call()).until('ended')).end).toEqual({
      reason: 'failed',
      detail: 'the session was not refreshed in time',
    });
  });

  it('refuse a session that is shorter than 90 s', async () => {
    const port = freePort();
    const made = await world(port);
    const { code, said } = await sipp('too-short.xml', made.port, calling(port));
    expect(code, said).toBe(0);
    expect(made.calls).toHaveLength(0);
  });
});
