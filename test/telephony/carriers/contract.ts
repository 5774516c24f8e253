import { afterEach, describe, expect, it } from 'vitest';
import {
  type Carrier,
  type CarrierCall,
  type IncomingCall,
  type LegListener,
  type LegState,
  type MediaLeg,
  silence,
  tone,
} from '../../../src/telephony/carriers/index.ts';
import { until } from '../../poll.ts';

/** Numbers that a network does not have are left out, and their tests with them. */
export interface CarrierWorld {
  readonly carrier: Carrier;
  readonly from: string;
  readonly dial: {
    readonly answers: string;
    readonly busy?: string;
    readonly declines?: string;
    readonly silent?: string;
    readonly presses?: string;
    readonly nobody?: string;
  };
  readonly transferTo?: string;
  /** The network releases a call before it knows whether the target answers. */
  readonly transfersToAnybody?: boolean;
  readonly keysHeard?: () => readonly string[];
  readonly callIn?: (to: string) => Promise<void> | void;
  close(): Promise<void>;
}

export class RecordingListener implements LegListener {
  readonly states: LegState[] = [];
  readonly keys: string[] = [];
  #wake: (() => void)[] = [];

  state(state: LegState): void {
    this.states.push(state);
    for (const wake of this.#wake.splice(0)) wake();
  }

  key(digit: string): void {
    this.keys.push(digit);
    for (const wake of this.#wake.splice(0)) wake();
  }

  async until<Kind extends LegState['kind']>(kind: Kind): Promise<LegState & { kind: Kind }> {
    for (;;) {
      const found = this.states.find((state) => state.kind === kind);
      if (found !== undefined) return found as LegState & { kind: Kind };
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }
}

/** Resolves once `ms` milliseconds of audio that is no silence have come. */
export function heard(media: MediaLeg, ms: number): Promise<number> {
  return new Promise((resolve) => {
    let loud = 0;
    media.bind({
      audio: (frames) => {
        const quiet =
          media.format.codec === 'ulaw'
            ? frames.every((byte) => (byte & 0x7f) > 0x70)
            : frames.every((byte) => byte === 0);
        if (!quiet) loud += media.format.codec === 'ulaw' ? frames.length / 8 : frames.length / 16;
        if (loud >= ms) resolve(loud);
      },
    });
  });
}

export function carrierContract(name: string, open: () => Promise<CarrierWorld>): void {
  describe(`a carrier: ${name}`, () => {
    let world: CarrierWorld | null = null;
    afterEach(async () => {
      await world?.close();
      world = null;
    });
    const ready = async () => {
      world = await open();
      return world;
    };
    const place = async (reported: RecordingListener, to: string, ringMs = 5_000): Promise<CarrierCall> =>
      await world!.carrier.place({ id: 'tcl_00000000000000000000', from: world!.from, to, ringMs }, reported);

    it('rings, is answered, hears and is heard, and hangs up: each state once, in order', async () => {
      const { dial } = await ready();
      const reported = new RecordingListener();
      const call = await place(reported, dial.answers);
      const { media } = await reported.until('answered');
      const marked = new Promise<string>((resolve) => {
        media.bind({ audio: () => undefined, marked: resolve });
      });
      media.send(tone([440], 100));
      media.mark('said');
      expect(await marked).toBe('said');
      expect(await heard(media, 100)).toBeGreaterThanOrEqual(100);
      await until(() => media.stats().received.frames > 4);
      await call.hangUp();
      expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'us' });
      const kinds = reported.states.map(({ kind }) => kind);
      expect(kinds).toEqual([...new Set(kinds)]);
      expect(kinds.at(-1)).toBe('ended');
      await call.hangUp();
      expect(reported.states).toHaveLength(kinds.length);
    });

    it('throws away at clear what was not played, and its marks come back', async () => {
      const { dial } = await ready();
      const reported = new RecordingListener();
      const call = await place(reported, dial.answers);
      const { media } = await reported.until('answered');
      const began = performance.now();
      const marked = new Promise<void>((resolve) => {
        media.bind({ audio: () => undefined, marked: () => resolve() });
      });
      media.send(silence(5_000));
      media.mark('end');
      media.clear();
      await marked;
      expect(performance.now() - began).toBeLessThan(4_000);
      await call.hangUp();
    });

    it.each([
      ['busy', 'busy'],
      ['declines', 'rejected'],
      ['silent', 'no_answer'],
    ] as const)('tells who is %s', async (who, reason) => {
      const { dial } = await ready();
      const number = dial[who];
      if (number === undefined) return;
      const reported = new RecordingListener();
      await place(reported, number, 1_500);
      expect((await reported.until('ended')).end.reason).toBe(reason);
      expect(reported.states.some(({ kind }) => kind === 'answered')).toBe(false);
    });

    it('lets go of a call that still rings', async () => {
      const { dial } = await ready();
      if (dial.silent === undefined) return;
      const reported = new RecordingListener();
      const call = await place(reported, dial.silent, 30_000);
      await reported.until('ringing');
      await call.hangUp();
      expect((await reported.until('ended')).end.reason).toBe('canceled');
    });

    it('tells the keys of the other side, each once, and presses its own', async () => {
      const { dial, keysHeard } = await ready();
      if (dial.presses !== undefined) {
        const reported = new RecordingListener();
        await place(reported, dial.presses);
        expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
        expect(reported.keys).toEqual(['5', '7']);
      }
      if (keysHeard === undefined) return;
      const reported = new RecordingListener();
      const call = await place(reported, dial.answers);
      await reported.until('answered');
      await call.sendKeys('1w#');
      while (keysHeard().length < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(keysHeard()).toEqual(['1', '#']);
      await call.hangUp();
    });

    it('transfers a call and lets go of it', async () => {
      const { dial, transferTo } = await ready();
      if (transferTo === undefined) return;
      const reported = new RecordingListener();
      const call = await place(reported, dial.answers);
      await reported.until('answered');
      await call.transfer(transferTo, 60_000);
      await Promise.race([reported.until('transferred'), reported.until('ended')]);
      await call.hangUp();
      expect((await reported.until('ended')).end.reason).toBe('completed');
    });

    it('refuses to transfer to who does not answer, and the call goes on', async () => {
      const { dial, transfersToAnybody } = await ready();
      if (dial.busy === undefined || transfersToAnybody === true) return;
      const reported = new RecordingListener();
      const call = await place(reported, dial.answers);
      await reported.until('answered');
      await expect(call.transfer(dial.busy, 60_000)).rejects.toMatchObject({
        name: 'CarrierError',
        kind: 'refused',
      });
      expect(call.state.kind).toBe('answered');
      await call.hangUp();
    });

    it('answers, or turns away, who calls in', async () => {
      const { carrier, callIn, from } = await ready();
      if (callIn === undefined) return;
      const calls: IncomingCall[] = [];
      const reported: RecordingListener[] = [];
      const rang = () =>
        new Promise<IncomingCall>((resolve) => {
          carrier.incoming((call) => {
            calls.push(call);
            reported.push(new RecordingListener());
            setImmediate(() => resolve(call));
            return reported.at(-1)!;
          });
        });
      const first = rang();
      await callIn(from);
      const call = await first;
      expect(call.to).toBe(from);
      expect(call.state.kind).toBe('ringing');
      await call.answer();
      await reported[0]!.until('answered');
      await call.hangUp();
      expect((await reported[0]!.until('ended')).end.reason).toBe('completed');
      const second = rang();
      await callIn(from);
      await (await second).reject('busy');
      expect((await reported[1]!.until('ended')).end.reason).toBe('busy');
    });

    it('refuses what nobody has', async () => {
      const { dial } = await ready();
      if (dial.nobody === undefined) return;
      await expect(place(new RecordingListener(), dial.nobody)).rejects.toMatchObject({
        name: 'CarrierError',
      });
    });

    it('finds, takes and gives back numbers', async () => {
      const { carrier } = await ready();
      const { numbers } = carrier;
      if (numbers === null) return;
      const query = {
        country: 'US',
        numberType: null,
        capabilities: ['voice' as const],
        pattern: null,
        limit: 3,
      };
      const offered = await numbers.search(query);
      if (offered.length === 0) return;
      expect(offered.length).toBeLessThanOrEqual(3);
      const number = await numbers.provision(offered[0]!.phoneNumber, 'num_1');
      expect(number).toMatchObject({ phoneNumber: offered[0]!.phoneNumber, country: 'US' });
      await numbers.route(number, true);
      await numbers.release(number);
      await expect(numbers.provision('+99900000000', 'num_2')).rejects.toMatchObject({
        kind: 'unavailable_number',
      });
    });
  });
}
