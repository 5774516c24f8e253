// @requirement SIP: SIP runs over UDP, TCP and TLS with SDES.
import { execFileSync } from 'node:child_process';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LegState } from '../../../../src/telephony/carriers/index.ts';
import { until } from '../../../poll.ts';
import { type Certificates, certificates } from './certificates.ts';
import { ENOUGH_FRAMES, lacking, OWN_NUMBER, openWorld, type World } from './peers.ts';
import { baresip, correlation, melody, wavOf } from './phone.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const lack = lacking('baresip');

describe.skipIf(lack !== null)(`calls over TLS${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  let own: Certificates;
  let strange: Certificates;
  beforeAll(() => {
    own = certificates();
    strange = certificates();
  });
  afterAll(() => {
    own?.remove();
    strange?.remove();
  });

  async function world(peerPort: number, ca = own.ca): Promise<World> {
    const made = await openWorld(peerPort, {
      trunk: { transport: 'tls', allow: ['127.0.0.1'] },
      listen: (port) => [`tls://127.0.0.1:${port}`],
      tls: { cert: own.cert, key: own.key, ca },
      media: (media) => media.bind({ audio: (frames) => media.send(frames) }),
    });
    closing.push(() => made.close());
    return made;
  }

  it('come in, enciphered by SDES, and are hung up by us', async () => {
    const made = await world(5061);
    const said = melody(20);
    const phone = await baresip({
      wav: wavOf(said),
      codec: 'PCMU/8000/1',
      mediaenc: 'srtp-mand',
      certificate: own.both,
      dial: `sip:${OWN_NUMBER}@127.0.0.1:${made.port};transport=tls`,
    });
    closing.push(() => phone.stop());
    const reported = await made.call();
    const { media } = await reported.until('answered');
    await until(() => media.stats().received.frames > ENOUGH_FRAMES);
    expect(phone.said()).not.toContain('terminated');
    await reported.call.hangUp();
    await until(() => phone.said().includes('terminated'));
    await phone.stop();
    const best = Math.max(...[4_000, 8_000, 12_000].map((from) => correlation(said, phone.heard(), from)));
    expect(best, phone.said()).toBeGreaterThan(0.98);
  });

  async function dialed(made: World, port: number): Promise<LegState[]> {
    const states: LegState[] = [];
    let over = () => {};
    const ended = new Promise<void>((resolve) => (over = resolve));
    const call = await made.carrier.place(
      { id: 'tcl_1', from: OWN_NUMBER, to: `sip:tester@127.0.0.1:${port};transport=tls`, ringMs: 6_000 },
      {
        state: (state) => {
          states.push(state);
          if (state.kind === 'answered') void call?.hangUp();
          if (state.kind === 'ended') over();
        },
        key: () => undefined,
      },
    );
    if (call.state.kind === 'answered') await call.hangUp();
    await ended;
    return states;
  }

  const phoneThatAnswers = async () => {
    const wav = wavOf(melody(3));
    const phone = await baresip({ wav, codec: 'PCMU/8000/1', mediaenc: 'srtp-mand', certificate: own.both });
    closing.push(() => phone.stop());
    return phone;
  };

  it('go out to who is vouched for', async () => {
    const phone = await phoneThatAnswers();
    const made = await world(phone.port + 1);
    const states = await dialed(made, phone.port + 1);
    expect(states.at(-1), phone.said()).toEqual({ kind: 'ended', end: { reason: 'completed', by: 'us' } });
    expect(phone.said()).toContain('SRTP is Enabled');
  });

  it('do not go out to who is not, and say what would help', async () => {
    const phone = await phoneThatAnswers();
    const made = await world(phone.port + 1, strange.ca);
    const states = await dialed(made, phone.port + 1);
    expect(states.some(({ kind }) => kind === 'answered')).toBe(false);
    expect(states.at(-1)).toMatchObject({
      end: { reason: 'failed', detail: expect.stringContaining('TRUNKLINE_SIP_TLS_CA') },
    });
    expect(phone.said()).not.toContain('incoming');
  });

  it('show their certificate, and take TLS 1.2 and newer alone', async () => {
    const made = await world(5061);
    const protocol = await new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: made.port, rejectUnauthorized: false }, () => {
        resolve(socket.getProtocol());
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(protocol).toMatch(/^TLSv1\.[23]$/);
    const client = (...more: string[]) =>
      execFileSync(
        'openssl',
        ['s_client', '-connect', `127.0.0.1:${made.port}`, '-CAfile', own.ca, ...more],
        {
          input: '',
          stdio: ['pipe', 'pipe', 'pipe'],
        },
      ).toString();
    expect(client()).toContain('Verify return code: 0 (ok)');
    expect(() => client('-tls1_1', '-cipher', 'ALL:@SECLEVEL=0')).toThrow();
  });
});
