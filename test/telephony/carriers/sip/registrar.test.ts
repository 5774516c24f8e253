// @requirement SIP: Telephones register by digest, and a replayed, late or forged request registers nothing.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SipEvent, SipOrder } from '../../../../src/telephony/carriers/sip/program.ts';
import { SipRegistrar, type Telephones } from '../../../../src/telephony/carriers/sip/registrar.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

const REALM = 'phones.example.com';
const CONTACT = 'sip:desk@192.0.2.7:5062';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const SECRET = md5(`desk:${REALM}:right`);

function open() {
  const clock = new ManualClock();
  const sent: SipOrder[] = [];
  let requests = 0;
  const telephones: Telephones = {
    realm: REALM,
    accountOf: async (username) => (username === 'desk' ? { id: 'reg_1', secret: SECRET } : null),
    isAddress: () => false,
    idOf: async () => null,
  };
  const registrar = new SipRegistrar({
    clock,
    telephones,
    send: (order) => void sent.push(order),
    onError: (error) => expect.fail(String(error)),
  });
  const send = (more: Partial<SipEvent> = {}): void => {
    const id = `ask-${++requests}`;
    const from = { source: '192.0.2.7', port: 5062, transport: 'udp', to: `sip:desk@${REALM}` };
    registrar.take({ event: 'register', id, ...from, contact: CONTACT, expires: '600', ...more });
  };
  const answered = async (count: number): Promise<SipOrder[]> => {
    await new Promise(setImmediate);
    expect(sent).toHaveLength(count);
    return sent.splice(0);
  };
  const ask = async (more: Partial<SipEvent> = {}): Promise<SipOrder> => {
    send(more);
    return (await answered(1))[0] as SipOrder;
  };
  const nonce = async (): Promise<string> =>
    /nonce="([^"]+)"/.exec(String((await ask()).challenge))?.[1] as string;
  return { clock, registrar, send, answered, ask, nonce };
}

function digest(nonce: string, nc = '00000001', secret = SECRET): Partial<SipEvent> {
  const response = md5(`${secret}:${nonce}:${nc}:c:auth:${md5(`REGISTER:sip:${REALM}`)}`);
  const fields = `username="desk", realm="${REALM}", nonce="${nonce}", uri="sip:${REALM}", response="${response}"`;
  return { authorization: `Digest ${fields}, qop=auth, nc=${nc}, cnonce="c"` };
}

describe('the registrar', () => {
  it('has a telephone until its registration expires, for a minute to an hour', async () => {
    const { clock, registrar, ask, nonce } = open();
    for (const [expires, seconds] of [
      ['600', 600],
      ['1', 60],
      ['86400', 3600],
    ] as const) {
      const answer = await ask({ ...digest(await nonce()), expires });
      expect(answer).toMatchObject({ status: 200, contact: `<${CONTACT}>;expires=${seconds}` });
      expect(registrar.binding('reg_1')).toMatchObject({ contact: CONTACT, source: '192.0.2.7', port: 5062 });
      clock.advance(seconds * 1000 - 1);
      expect(registrar.binding('reg_1')).not.toBeNull();
      clock.advance(1);
      expect(registrar.binding('reg_1')).toBeNull();
    }
  });

  it('takes each count of a nonce once, also of two requests at the same time', async () => {
    const { send, answered, ask, nonce } = open();
    const first = await nonce();
    send(digest(first));
    send(digest(first));
    expect((await answered(2)).map(({ status }) => status)).toEqual([200, 401]);
    expect(await ask(digest(first, '00000003'))).toMatchObject({ status: 200 });
    const earlier = await ask(digest(first, '00000002'));
    expect([earlier.status, String(earlier.challenge).includes('stale=true')]).toEqual([401, true]);
  });

  it('lets nobody without the password use a nonce up', async () => {
    const { ask, nonce } = open();
    const first = await nonce();
    expect(await ask(digest(first, 'ffffffff', md5('wrong')))).toMatchObject({ status: 403 });
    expect(await ask(digest(first))).toMatchObject({ status: 200 });
  });

  it('takes only nonces of its own, for five minutes', async () => {
    const { clock, registrar, ask, nonce } = open();
    const own = await nonce();
    const [time, salt, signature] = own.split('.');
    for (const forged of [
      '',
      'abc',
      `${time}.${salt}`,
      `zzzzzzzzz.${salt}.${signature}`,
      await open().nonce(),
    ])
      expect(await ask(digest(forged))).toMatchObject({ status: 401 });
    clock.advance(300_001);
    const late = await ask(digest(own));
    expect([late.status, String(late.challenge).includes('stale=true')]).toEqual([401, true]);
    expect(registrar.binding('reg_1')).toBeNull();
  });

  it('takes digests with qop=auth, MD5 and a count alone', async () => {
    const { ask, nonce } = open();
    const own = await nonce();
    const right = String(digest(own).authorization);
    for (const authorization of [
      right.replace('qop=auth', 'qop=auth-int'),
      right.replace(', qop=auth', ''),
      right.replace('nc=00000001', 'nc=1'),
      `${right}, algorithm=SHA-256`,
      right.replace('Digest', 'Basic'),
    ])
      expect(await ask({ authorization }), authorization).toMatchObject({ status: 401 });
    expect(await ask({ ...digest(own), to: `sip:other@${REALM}` })).toMatchObject({ status: 403 });
    expect(await ask(digest(own))).toMatchObject({ status: 200 });
  });

  it('limits the requests of an address, or of a /64 of IPv6', async () => {
    const { clock, ask } = open();
    const status = async (source: string) => (await ask({ source })).status;
    for (let at = 0; at < 40; at++) expect(await status(`2001:db8::${at.toString(16)}`)).toBe(401);
    expect(await status('2001:db8::ffff:1')).toBe(503);
    expect(await status('2001:db8:0:1::1')).toBe(401);
    for (let at = 0; at < 40; at++) expect(await status('192.0.2.7')).toBe(401);
    expect([await status('192.0.2.7'), await status('192.0.2.8')]).toEqual([503, 401]);
    clock.advance(500);
    expect([await status('192.0.2.7'), await status('192.0.2.7')]).toEqual([401, 503]);
  });
});
