// @requirement Compliance cases: The carrier adapter signs, retries with timeouts and is idempotent.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../../../src/foundation/platform/config/index.ts';
import type { SubmissionPacket } from '../../../src/telephony/compliance/carrier-submission/contract.ts';
import {
  type Evaluation,
  NetworkRefused,
} from '../../../src/telephony/compliance/carrier-submission/contract.ts';
import { httpNetwork } from '../../../src/telephony/compliance/carrier-submission/http/http-network.ts';
import { authority, bill, facts } from '../../edge/surfaces/compliance/sample-documents.ts';
import { type Json, openTestbed, type Testbed } from '../../edge/surfaces/compliance/server.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { pollDelay } from '../../poll.ts';
import { type CarrierSide, openCarrier, SECRET } from './carrier.ts';

const NEW_US = {
  kind: 'new_number',
  country: 'US',
  number_type: 'local',
  capabilities: ['voice'],
  use_case: 'Support line',
};
const QUICK = { jsonMs: 400, documentMs: 400 };

async function open(carrier: CarrierSide, timeouts?: typeof QUICK) {
  const clock = new ManualClock(Date.now());
  const network = httpNetwork({
    url: carrier.url,
    secret: SECRET,
    clock,
    ...(timeouts === undefined ? {} : { timeouts }),
  });
  const testbed = await openTestbed({ clock, network });
  const until = async (id: string, wanted: (one: Json) => boolean): Promise<Json> => {
    for (;;) {
      const found = await testbed.read(id);
      if (wanted(found)) return found;
      clock.advance(5_000);
      await pollDelay();
    }
  };
  return { testbed, until };
}

async function submitted(testbed: Testbed): Promise<string> {
  const made = await testbed.open(NEW_US);
  await testbed.attestAll(made);
  expect((await testbed.send('POST', `/${made.id}/submit`)).status).toBe(200);
  return made.id;
}

const hangUp = (response: ServerResponse): true => {
  response.destroy();
  return true;
};

describe('a carrier over HTTP', () => {
  it('is sent the documents and what was read in them, signed, and its review is followed', async () => {
    const carrier = await openCarrier();
    const said = ['pending_review', 'in_review', 'approved'];
    carrier.review = () => ({ status: said.length > 1 ? said.shift() : said[0], reason: null, more: 1 });
    const { testbed, until } = await open(carrier);
    const { id } = await testbed.open();
    const known = facts();
    const papers = { letter_of_authority: authority(known), telephone_bill: bill(known) };
    for (const [name, bytes] of Object.entries(papers)) await testbed.upload(id, name, bytes);
    await testbed.attestAll(await until(id, ({ state }) => state === 'needs_review'));
    await testbed.send('POST', `/${id}/submit`);
    const approved = await until(id, ({ network_status }) => network_status === 'approved');

    expect(carrier.problems).toEqual([]);
    expect(approved).toMatchObject({ state: 'submitted', terminal_reason: 'network_review_submitted' });
    expect(carrier.submissions).toHaveLength(1);
    const [{ key, json }] = carrier.submissions as [CarrierSide['submissions'][0]];
    expect(json).toMatchObject({ case_id: id, idempotency_key: key, kind: 'port_in', country: 'US' });
    expect(json.attestations).toEqual(['accurate', 'authority', 'rules_confirmed']);
    for (const [at, [name, bytes]] of Object.entries(papers).entries()) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      expect(carrier.documents.get(sha256)).toEqual({ type: 'application/pdf', bytes });
      expect(json.documents[at]).toMatchObject({ document_type: name, sha256, size_bytes: bytes.length });
      expect(json.documents[at].fields.account_holder).toBe(known.account_holder![1]);
    }
    const reported = approved.timeline.filter(({ type }: Json) => type === 'network.reviewed');
    expect(reported.map(({ detail }: Json) => detail.network_status)).toEqual(['in_review', 'approved']);
    expect(approved.network_reference).toBe(`R-${key.slice(-8)}`);
  });

  it('that asks back or rejects is told in its words, without what is personal in them', async () => {
    const carrier = await openCarrier();
    carrier.evaluation = () => ({ status: 'asks_back', reasons: ['Ring +1 212 555 0142 about the use.'] });
    const { testbed, until } = await open(carrier);
    const asked = await until(await submitted(testbed), ({ missing }) =>
      missing.some(({ code }: Json) => code === 'network_asked_back'),
    );
    expect(asked).toMatchObject({ state: 'needs_review', network_status: 'draft' });
    expect(asked.missing[0].message).toBe('Ring [REDACTED_PHONE] about the use.');
    carrier.evaluation = () => ({ status: 'accepted', reference: 'R-2' });
    carrier.review = () => ({ status: 'rejected', reason: 'Not for this use.' });
    const rejected = await until(
      await submitted(testbed),
      ({ network_status }) => network_status === 'rejected',
    );
    expect(rejected).toMatchObject({ state: 'submitted', network_reason: 'Not for this use.' });
  });

  it('takes a submission once, although it is sent again after an answer that was lost', async () => {
    const carrier = await openCarrier();
    let lost = 0;
    carrier.instead = ({ method }, response) => method === 'POST' && lost++ < 2 && hangUp(response);
    const { testbed, until } = await open(carrier);
    const approved = await until(
      await submitted(testbed),
      ({ network_status }) => network_status === 'approved',
    );
    expect(carrier.asked.filter((line) => line.startsWith('POST'))).toHaveLength(3);
    expect(carrier.submissions).toHaveLength(1);
    expect(approved.timeline.filter(({ type }: Json) => type === 'network.accepted')).toHaveLength(1);
  });

  it('that stays away gives the case back with its reason, and takes it later', async () => {
    const carrier = await openCarrier();
    carrier.instead = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    const { testbed, until } = await open(carrier);
    const id = await submitted(testbed);
    const back = await until(id, ({ network_status }) => network_status === 'draft');
    expect(back).toMatchObject({ state: 'ready_for_submission', continuation_reason: 'ready_to_submit' });
    expect(back.network_reason).toBe('The network did not respond. Submit the case again.');
    expect(back.timeline.at(-1).type).toBe('network.unreachable');
    expect(carrier.asked).toHaveLength(5);
    carrier.instead = () => false;
    await testbed.send('POST', `/${id}/submit`);
    await until(id, ({ network_status }) => network_status === 'approved');
  });

  it('that refuses is not asked again, and the case says what it answered', async () => {
    const carrier = await openCarrier();
    carrier.instead = (_request, response) => {
      response.writeHead(401).end('{"error": {"code": "bad_signature", "message": "Jane Walker"}}');
      return true;
    };
    const { testbed, until } = await open(carrier);
    const back = await until(await submitted(testbed), ({ network_status }) => network_status === 'draft');
    expect(back.network_reason).toBe(
      'The carrier responded with status 401 (bad_signature). Contact the operator.',
    );
    expect(back.timeline.at(-1)).toMatchObject({ type: 'network.refused', actor: { kind: 'system' } });
    expect(carrier.asked).toHaveLength(1);
  });

  it('that is away during its review is asked for as long as it takes', async () => {
    const carrier = await openCarrier();
    let away = 12;
    carrier.instead = ({ method }, response) => method === 'GET' && away-- > 0 && hangUp(response);
    const { testbed, until } = await open(carrier);
    await until(await submitted(testbed), ({ network_status }) => network_status === 'approved');
    expect(carrier.asked.filter((line) => line.startsWith('GET')).length).toBeGreaterThan(12);
  });
});

const packet = (bytes: string, sha256: string): SubmissionPacket => ({
  ...NEW_US,
  kind: 'new_number',
  country: 'US',
  case_id: 'ncc_1',
  idempotency_key: 'ncc_1.1',
  registry_version: '1',
  attestations: ['accurate'],
  documents: [
    {
      document_type: 'telephone_bill',
      file_name: 'bill.pdf',
      mime_type: 'application/pdf',
      size_bytes: bytes.length,
      sha256,
      fields: {},
      bytes: async () =>
        (async function* () {
          yield Buffer.from(bytes);
        })(),
    },
  ],
});
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('one submission', () => {
  const never = new AbortController().signal;
  const evaluate = async (
    carrier: CarrierSide,
    sha256 = digest('a bill'),
    url = carrier.url,
  ): Promise<Evaluation> =>
    await httpNetwork({ url, secret: SECRET, clock: new ManualClock(1e12), timeouts: QUICK }).evaluate(
      packet('a bill', sha256),
      never,
    );

  it.each([
    ['says nothing', () => true, /did not respond within 400 ms/],
    [
      'stops in the middle',
      (response: ServerResponse) => response.writeHead(200, { 'content-length': '99' }).write('{"status"'),
      /did not respond within 400 ms/,
    ],
    [
      'says too much',
      (response: ServerResponse) => response.end('x'.repeat(100_000)),
      /could not be reached/,
    ],
    ['answers no JSON', (response: ServerResponse) => response.end('<html>'), /is not JSON/],
    [
      'answers in a form of its own',
      (response: ServerResponse) => response.end('{"ok": true}'),
      /expected form/,
    ],
    [
      'names it by a path',
      (response: ServerResponse) => response.end('{"status": "accepted", "reference": "../x"}'),
      /expected form/,
    ],
    [
      'sends elsewhere',
      (response: ServerResponse) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      /status 307/,
    ],
  ])('fails where the carrier %s', async (_what, act, message) => {
    const carrier = await openCarrier();
    carrier.instead = ({ method }, response) => {
      if (method !== 'POST') return false;
      act(response);
      return true;
    };
    await expect(evaluate(carrier)).rejects.toThrow(message);
  });

  it('never tells bytes whose digest is another', async () => {
    const carrier = await openCarrier();
    await expect(evaluate(carrier, digest('another'))).rejects.toThrow(NetworkRefused);
    expect([...carrier.documents.keys()]).toEqual([]);
    expect(carrier.submissions).toEqual([]);
  });

  it('names the user of the address, and signs all the same', async () => {
    const carrier = await openCarrier();
    const url = carrier.url.replace('//', '//us%40er:pa%3Ass@');
    expect(await evaluate(carrier, digest('a bill'), url)).toMatchObject({ kind: 'accepted' });
    const basic = `Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`;
    expect(carrier.headers.map(({ authorization }) => authorization)).toEqual([basic, basic]);
    expect(carrier.problems).toEqual([]);
  });

  it('is given up at once when it is stopped', async () => {
    const carrier = await openCarrier();
    carrier.instead = () => true;
    const stop = new AbortController();
    const asked = httpNetwork({ url: carrier.url, secret: SECRET, clock: new ManualClock(1e12) }).review(
      'R-1',
      stop.signal,
    );
    stop.abort(new Error('stopped'));
    await expect(asked).rejects.toThrow('stopped');
  });
});

it.each([
  ['without an address', {}, /needs TRUNKLINE_COMPLIANCE_NETWORK_URL/],
  ['without a secret', { URL: 'https://carrier.example.com' }, /and TRUNKLINE_COMPLIANCE_NETWORK_SECRET/],
  ['that anybody can read', { URL: 'http://carrier.example.com', SECRET }, /must use https/],
  ['with a query', { URL: 'https://carrier.example.com/?a=1', SECRET }, /must not have a query/],
  ['with a short secret', { URL: 'https://carrier.example.com', SECRET: 'short' }, /at least 32/],
])('does not start with a carrier %s', (_what, given, message) => {
  const set = Object.entries(given).map(([name, value]) => [`TRUNKLINE_COMPLIANCE_NETWORK_${name}`, value]);
  const environment = { TRUNKLINE_COMPLIANCE_NETWORK: 'http', ...Object.fromEntries(set) };
  expect(() => loadConfig(environment)).toThrow(ConfigError);
  expect(() => loadConfig(environment)).toThrow(message);
});
