// @requirement SIP: Telephones of customers register, and are called and transferred to by their project alone.
/** Telephones register: one of PJSIP (PyPI pjsua2-python), and requests that are written from RFC 3261. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { OPERATOR_TOKEN, World } from '../../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../../conversation/brains/endpoint/scripted-endpoint.ts';
import { workFolder } from '../../../media/codec/recordings.ts';
import { pythonWith } from '../../../python-package.ts';
import { Party } from '../../../telephony/carriers/sip/party.ts';
import { freePort, lacking } from '../../../telephony/carriers/sip/peers.ts';
import { pcmOf } from '../../../telephony/carriers/sip/phone.ts';

const REALM = 'phones.example.com';
const [LINE, PHONE] = ['+14155550100', '+14155550101'];
const lack = lacking();
const port = freePort();
const model = lack === null ? await ScriptedEndpoint.start(ORDERS) : null;
afterAll(() => model?.close());
const world =
  lack === null
    ? await World.open({
        settings: {
          TRUNKLINE_CARRIER: 'sip',
          TRUNKLINE_SIP_LISTEN: `udp://127.0.0.1:${port},tcp://127.0.0.1:${port}`,
          TRUNKLINE_SIP_REALM: REALM,
          TRUNKLINE_SIP_REGISTRAR: 'true',
          TRUNKLINE_SIP_TRUNKS: JSON.stringify([
            { name: 'peer', host: '127.0.0.1', port: freePort(), numbers: [LINE, PHONE], refer: true },
          ]),
          TRUNKLINE_BRAIN_URL: model!.url,
          TRUNKLINE_BRAIN_MODEL: 'scripted',
        },
      })
    : null;
afterAll(() => world?.stop());
beforeAll(async () => {
  for (const { orgId } of world === null ? [] : [world.ours, world.theirs])
    await ask('PUT', `/v1/organizations/${orgId}/entitlements/telephony`, {}, OPERATOR_TOKEN);
});
const folder = workFolder();
afterAll(folder.remove);

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
type Json = any;

const ask = async (method: string, path: string, body?: object, key = world!.ours.key) => {
  const { status, json } = await world!.send(path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status, json: json as Json };
};
const PATH = '/v1/telephony/registrations';
const register = async (username: string, number?: string): Promise<Json> => {
  const made = await ask('POST', PATH, { username, ...(number === undefined ? {} : { number }) });
  expect(made.status, JSON.stringify(made.json)).toBe(201);
  return made.json;
};

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

interface Attempt {
  readonly username: string;
  readonly password: string;
  readonly address?: string;
  readonly expires?: number;
  readonly contact?: string;
  readonly nonce?: string;
  readonly nc?: string;
  readonly method?: string;
}

class Telephone {
  readonly #socket = createSocket('udp4');
  #sequence = 0;

  static async open(address = '127.0.0.1'): Promise<Telephone> {
    const telephone = new Telephone();
    telephone.#socket.bind(0, address);
    await once(telephone.#socket, 'listening');
    onTestFinished(() => void telephone.#socket.close());
    return telephone;
  }

  async send(attempt: Attempt, authorization?: string): Promise<{ status: number; text: string }> {
    const { username, address = username, expires = 300, contact, method = 'REGISTER' } = attempt;
    const { address: from, port: own } = this.#socket.address();
    const at = contact ?? `<sip:${username}@${from}:${own}>`;
    const lines = [
      `${method} sip:${REALM} SIP/2.0`,
      `Via: SIP/2.0/UDP ${from}:${own};branch=z9hG4bK${Math.random().toString(36).slice(2)};rport`,
      'Max-Forwards: 70',
      `From: <sip:${address}@${REALM}>;tag=one`,
      `To: <sip:${address}@${REALM}>`,
      `Call-ID: ${username}-${own}`,
      `CSeq: ${++this.#sequence} ${method}`,
      ...(at === '' ? [] : [`Contact: ${at}`]),
      `Expires: ${expires}`,
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
      'Content-Length: 0',
    ];
    this.#socket.send(`${lines.join('\r\n')}\r\n\r\n`, port, '127.0.0.1');
    for (;;) {
      const [bytes] = (await once(this.#socket, 'message')) as [Buffer];
      const text = bytes.toString();
      const status = Number(/^SIP\/2\.0 ([0-9]{3})/.exec(text)?.[1]);
      if (status >= 200 && text.includes(`CSeq: ${this.#sequence} `)) return { status, text };
    }
  }

  async register(attempt: Attempt): Promise<{ status: number; text: string; nonce: string }> {
    const first = await this.send(attempt);
    expect(first.status).toBe(401);
    const challenge = /^WWW-Authenticate: (.*)$/im.exec(first.text)?.[1] ?? '';
    expect(challenge).toContain(`realm="${REALM}"`);
    const nonce = attempt.nonce ?? /nonce="([^"]+)"/.exec(challenge)?.[1] ?? '';
    return { ...(await this.send(attempt, digestOf(attempt, nonce))), nonce };
  }
}

function digestOf({ username, password, nc = '00000001' }: Attempt, nonce: string): string {
  const uri = `sip:${REALM}`;
  const secret = md5(`${username}:${REALM}:${password}`);
  const response = md5(`${secret}:${nonce}:${nc}:abc:auth:${md5(`REGISTER:${uri}`)}`);
  return (
    `Digest username="${username}", realm="${REALM}", nonce="${nonce}", uri="${uri}", ` +
    `response="${response}", algorithm=MD5, qop=auth, nc=${nc}, cnonce="abc"`
  );
}

describe.skipIf(lack !== null)(`telephones${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it('are let in by their project, which is told each password once', async () => {
    const made = await register('desk-one');
    expect(made).toMatchObject({
      object: 'telephony.registration',
      username: 'desk-one',
      number: null,
      address: `sip:desk-one@${REALM}`,
      realm: REALM,
      password: expect.stringMatching(/^[0-9A-Za-z]{24}$/),
    });
    const listed = await ask('GET', PATH);
    expect(listed.json.data.map(({ id }: Json) => id)).toContain(made.id);
    expect(JSON.stringify(listed.json)).not.toContain('password');
    expect((await ask('GET', PATH, undefined, world!.theirs.key)).json.data).toEqual([]);
    const one = `${PATH}/${made.id}`;
    expect((await ask('DELETE', one, undefined, world!.theirs.key)).status).toBe(404);
    for (const [body, param] of [
      [{ username: 'desk-one' }, 'username'],
      [{ username: 'a b' }, 'username'],
      [{ username: 'x'.repeat(40) }, 'username'],
      [{ username: 'desk-two', number: '+14155550199' }, 'number'],
      [{ username: 'desk-two', number: '12' }, 'number'],
    ] as const) {
      const { status, json } = await ask('POST', PATH, body);
      expect([status, json.error.param]).toEqual([400, param]);
    }
    expect((await ask('POST', PATH, { username: 'desk-one' }, world!.theirs.key)).status).toBe(400);
    expect((await ask('DELETE', one)).json).toMatchObject({ deleted: true });
    const telephone = await Telephone.open();
    expect((await telephone.register({ username: 'desk-one', password: made.password })).status).toBe(403);
  });

  it('register with the digest of their own password alone', async () => {
    const { password } = await register('desk-three');
    await register('desk-four');
    const telephone = await Telephone.open('127.0.0.4');
    const username = 'desk-three';
    const right = await telephone.register({ username, password });
    expect(right.status, right.text).toBe(200);
    expect(right.text).toMatch(/^Contact: <sip:desk-three@127\.0\.0\.4:[0-9]+>;expires=(300|299)/im);
    const again = await telephone.send({ username, password }, digestOf({ username, password }, right.nonce));
    expect(again.status).toBe(401);
    expect(again.text).toContain('stale=true');
    const strange = { username, password: 'another', nc: 'ffffffff' };
    expect((await telephone.send(strange, digestOf(strange, right.nonce))).status).toBe(403);
    const counted = { username, password, nc: '00000002' };
    expect((await telephone.send(counted, digestOf(counted, right.nonce))).status).toBe(200);
    expect((await telephone.register({ username, password: 'another' })).status).toBe(403);
    expect((await telephone.register({ username: 'nobody', password })).status).toBe(403);
    expect((await telephone.register({ username, password, address: 'desk-four' })).status).toBe(403);
    expect((await telephone.register({ username, password, nonce: 'mine.alone.x' })).status).toBe(401);
    for (const contact of ['<tel:+1>', '<sip:a@127.0.0.1?Replaces=b>', '*'])
      expect((await telephone.register({ username, password, contact })).status).toBe(400);
    expect((await telephone.send({ username, password }, 'Basic abc')).status).toBe(401);
    const asked = await telephone.register({ username, password, contact: '' });
    expect(asked.text).toMatch(/^Contact: <sip:desk-three@/im);
    const other = '<sip:desk-three@127.0.0.1:9>';
    const unchanged = await telephone.register({ username, password, contact: other, expires: 0 });
    expect([unchanged.status, /^Contact: .*:9>/im.test(unchanged.text)]).toEqual([200, false]);
    expect(unchanged.text).toMatch(/^Contact: <sip:desk-three@/im);
    expect((await telephone.register({ username, password, expires: 0 })).status).toBe(200);
    const moved = `<sip:desk-three@127.0.0.1:8>;expires=0, ${other}`;
    expect((await telephone.register({ username, password, contact: moved })).text).toMatch(
      /^Contact: <sip:desk-three@127\.0\.0\.1:9>/im,
    );
    expect((await telephone.register({ username, password, contact: '*', expires: 0 })).status).toBe(200);
    const empty = await telephone.register({ username, password, contact: '' });
    expect([empty.status, /^Contact:/im.test(empty.text)]).toEqual([200, false]);
  });

  it('call nobody without being a trunk', async () => {
    const peer = await Telephone.open('127.0.0.3');
    const { status } = await peer.send({ username: 'desk-five', password: '', method: 'INVITE' });
    expect(status).toBe(403);
  });

  it('are not asked more often than they may', async () => {
    const telephone = await Telephone.open('127.0.0.2');
    const statuses: number[] = [];
    while (statuses.length < 200 && statuses.at(-1) !== 503)
      statuses.push((await telephone.send({ username: 'desk-three', password: '' })).status);
    expect(statuses.slice(0, 40)).toEqual(Array(40).fill(401));
    expect(statuses.at(-1)).toBe(503);
    const other = await Telephone.open();
    expect((await other.send({ username: 'desk-three', password: '' })).status).toBe(401);
  });
});

const python = pythonWith('pjsua2-python', '2.15.1.post1');
const without = lack ?? (python.missing || null);

/** The program telephone.py: it registers, answers one call, and says what happens. */
function pjsip(transport: string, { username, password }: Json, records: string) {
  const child = spawn(
    join(python.folder, 'bin/python'),
    [
      join(import.meta.dirname, 'telephone.py'),
      ...[`sip:127.0.0.1:${port};transport=${transport}`, username, REALM, password],
      ...[String(freePort()), records],
    ],
    { env: { ...process.env, PYTHONPATH: join(import.meta.dirname, '../../../telephony/carriers/sip') } },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => said.push(line));
  const closed = once(lines, 'close');
  return async (word: string): Promise<string> => {
    for (;;) {
      const found = said.find((line) => line.startsWith(word));
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`the telephone has ended: ${said.join('; ')}`);
      await Promise.race([once(lines, 'line'), closed]);
    }
  };
}

const endedCall = async (id: string, more: object): Promise<void> => {
  await vi.waitFor(async () => {
    const { json } = await ask('GET', `/v1/telephony/calls/${id}`);
    expect(json).toMatchObject({ state: 'ended', end_reason: 'completed', ...more });
  });
};

describe.skipIf(without !== null || world?.ready === false)('a telephone of PJSIP', () => {
  let agentId = '';
  beforeAll(async () => {
    const gate = { require_consent: false, quiet_hours: null, attempts: null };
    expect((await ask('PUT', '/v1/trace/config', { gate })).status).toBe(200);
    const agent = await ask('POST', '/v1/agents', {
      name: 'Desk',
      greeting: 'Good morning. This is the agent of the shop.',
      voice_id: 'heart_en_us',
    });
    agentId = agent.json.id;
    for (const number of [{ phone_number: LINE, agent_id: agentId }, { phone_number: PHONE }])
      expect((await ask('POST', '/v1/telephony/numbers', number)).status).toBe(201);
  });

  it('registers, and is called by an agent at its number', async () => {
    const account = await register('reception', PHONE);
    const second = await ask('POST', PATH, { username: 'reception-two', number: PHONE });
    expect([second.status, second.json.error.param]).toEqual([400, 'number']);
    const records = join(folder.path, 'heard.wav');
    const until = pjsip('udp', account, records);
    expect(await until('registered')).toMatch(/^registered 200/);
    const order = { from: LINE, to: PHONE, agent_id: agentId, max_duration_s: 30 };
    const call = await ask('POST', '/v1/telephony/calls', order);
    expect(call.status, JSON.stringify(call.json)).toBe(201);
    expect(await until('rings')).toContain(LINE);
    await until('done');
    const loud = pcmOf(readFileSync(records)).filter((sample) => Math.abs(sample) > 1000);
    expect(loud.length).toBeGreaterThan(2000);
    await endedCall(call.json.id, { to: PHONE });
  }, 60_000);

  it('gets a call that is transferred to its address, by the connection of its own', async () => {
    const account = await register('warehouse');
    const { address } = account;
    const until = pjsip('tcp', account, join(folder.path, 'transferred.wav'));
    expect(await until('registered')).toMatch(/^registered 200/);
    const party = await Party.open(port, LINE, freePort());
    onTestFinished(() => party.close());
    expect(await party.call()).toBe('SIP/2.0 200 OK');
    const { id } = (await ask('GET', '/v1/telephony/calls')).json.data[0];
    const transfer = async (to: string) =>
      await ask('POST', `/v1/telephony/calls/${id}/transfer`, { to, kind: 'cold' });
    for (const to of [
      `sip:nobody@${REALM}`,
      'sip:warehouse@127.0.0.1',
      `sip:warehouse@${REALM}.example.com`,
    ]) {
      const refused = await transfer(to);
      expect([refused.status, refused.json.error.param]).toEqual([400, 'to']);
    }
    const handed = await transfer(address);
    expect(handed.status, JSON.stringify(handed.json)).toBe(200);
    expect(await until('rings')).toContain(LINE);
    await until('done');
    await party.untilRequest('BYE');
    expect(party.came.some((text) => text.startsWith('REFER '))).toBe(false);
    await endedCall(id, { end_detail: `transferred to ${address}` });
  }, 60_000);
});
