// @requirement Messages: `send_message` is on by profile, and writes to the caller alone.
import { expect, it } from 'vitest';
import { CallMessages } from '../../../src/conversation/calls/call-messages.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';

const scope = tenantScopeOf(new OneKeyAccess().principal());

function texts(more: Partial<ConstructorParameters<typeof CallMessages>[0]> = {}) {
  const sent: string[] = [];
  const send = async (_scope: unknown, { to, body }: { to: string; body: string }) => {
    sent.push(`${to}: ${body}`);
    return 'queued' as const;
  };
  const person = '+15005550007';
  const options = { messaging: { send }, scope, trusted: true, agentId: 'agt_1', person };
  return { sent, call: new CallMessages({ ...options, ...more }) };
}

it('sends five messages a call at most', async () => {
  const { sent, call } = texts();
  const answers = [];
  for (let n = 0; n < 7; n += 1) answers.push('result' in (await call.send(`${n}`)));
  expect(answers).toEqual([true, true, true, true, true, false, false]);
  expect(sent).toHaveLength(5);
});

it('sends nothing to a number that a page named, or that is none', async () => {
  for (const more of [{ trusted: false }, { person: null }, { person: 'ann' }, { person: '5005550007' }]) {
    const { sent, call } = texts(more);
    expect(await call.send('Hello')).toEqual({ error: 'the number of the caller is unknown' });
    expect(sent).toEqual([]);
  }
});
