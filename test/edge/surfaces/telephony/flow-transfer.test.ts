import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollDelay } from '../../../poll.ts';
import { absent, openPhones, type Phones } from './server.ts';

const PERSON = '+15005550020';
const DECLINES = '+15005550031';
const LEAVES = '+15005550032';
const NETWORK = `
numbers:
  '+15005550021': { ring_ms: 100, steps: [ { tone: { hertz: [500], ms: 120000 } } ] }
  '+15005550022': { ring_ms: 100, steps: [ { pause_ms: 20000 }, { hang_up: true } ]}
  '${PERSON}':
    ring_ms: 100
    steps: [ { pause_ms: 200 }, { press: '1' }, { tone: { hertz: [900], ms: 1500 } }, { hang_up: true } ]
  '${DECLINES}': { ring_ms: 100, steps: [ { pause_ms: 200 }, { press: '2' }, { pause_ms: 5000 } ] }
  '${LEAVES}': { ring_ms: 100, steps: [ { pause_ms: 200 }, { press: '1' }, { pause_ms: 3000 }, { hang_up: true } ] }
`;

describe.skipIf(absent)('a transfer of a flow', () => {
  let phones: Phones;
  beforeAll(async () => {
    phones = await openPhones(NETWORK);
  }, 240_000);
  afterAll(() => phones?.stop());

  async function handedOn(transfer: object, caller = '+15005550021'): Promise<string> {
    const agent = await phones.agent({
      flow: {
        start: 'person',
        nodes: [{ id: 'person', type: 'transfer', summary: 'Alice wants to book.', ...transfer }],
        edges: [],
      },
    });
    const number = await phones.number(agent);
    const placed = await phones.send('POST', '/v1/telephony/calls', {
      from: number.phone_number,
      to: caller,
      agent_id: agent,
    });
    await phones.event('telephony.call.answered', placed.body.id);
    return placed.body.id;
  }

  async function called(id: string): Promise<string[]> {
    const { status, body } = await phones.send('GET', `/v1/calls/${id}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.legs.slice(1).map(({ to }: { to: string }) => to);
  }

  const callOf = async (id: string) => (await phones.send('GET', `/v1/telephony/calls/${id}`)).body;

  it('has the carrier connect the two at once where it is cold', async () => {
    const id = await handedOn({ to: PERSON, kind: 'cold' });
    expect(await phones.event('telephony.call.ended', id)).toMatchObject({
      end_detail: `transferred to ${PERSON}`,
    });
  }, 60_000);

  it('calls the next number of a queue where one declines', async () => {
    const id = await handedOn({ to: DECLINES, kind: 'queue', also: [PERSON] });
    expect(await phones.event('telephony.call.ended', id)).toMatchObject({
      end_detail: `transferred to ${PERSON}`,
    });
    expect(await called(id)).toEqual([DECLINES, PERSON]);
  }, 60_000);

  it('leaves an agent who listens in silence, and who speaks again when the person has left', async () => {
    const id = await handedOn({ to: LEAVES, agent: 'listens' });
    const first = (await callOf(id)).omni_call_id;
    const talks: string[] = [];
    while (talks.length < 3) {
      const { omni_call_id: talk } = await callOf(id);
      if (talk !== null && !talks.includes(talk)) talks.push(talk);
      await pollDelay();
    }
    expect(talks[0]).toBe(first ?? talks[0]);
    await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    await phones.event('telephony.call.ended', id);
    const said = async (talk: string) => {
      const { body } = await phones.send('GET', `/v1/omni/calls/${talk}`);
      return body.transcript.entries.filter(({ role }: { role: string }) => role === 'agent').length;
    };
    expect(await said(talks[1]!)).toBe(0);
  }, 60_000);

  it('is refused by the API where an agent who leaves is to listen', async () => {
    const id = await handedOn({ to: DECLINES, kind: 'queue' }, '+15005550022');
    const refused = await phones.send('POST', `/v1/telephony/calls/${id}/transfer`, {
      to: PERSON,
      kind: 'warm',
      agent_listens: true,
    });
    expect([refused.status, refused.body.error.param]).toEqual([400, 'agent_listens']);
    await phones.send('POST', `/v1/telephony/calls/${id}/hangup`);
    await phones.event('telephony.call.ended', id);
  }, 60_000);
});
