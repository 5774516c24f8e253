// @requirement Transfers: The other side makes attended transfers by `Replaces`.
import { afterEach, describe, expect, it } from 'vitest';
import type { MediaLeg } from '../../../../src/telephony/carriers/index.ts';
import { until } from '../../../poll.ts';
import { Party } from './party.ts';
import { freePort, lacking, OWN_NUMBER, openWorld, type World } from './peers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function world(): Promise<World> {
  const speaks = (media: MediaLeg) => {
    const timer = setInterval(() => media.send(new Uint8Array(160).fill(0x10)), 20);
    closing.push(async () => clearInterval(timer));
  };
  const made = await openWorld(freePort(), { media: speaks });
  closing.push(() => made.close());
  return made;
}

async function party({ port }: World): Promise<Party> {
  const made = await Party.open(port, OWN_NUMBER, freePort());
  closing.push(async () => made.close());
  return made;
}

const replaces = (one: Party, more = ''): string =>
  `Replaces: ${one.callId};to-tag=${one.theirTag};from-tag=a${more}`;
const notified = (one: Party, status: number): Promise<string> =>
  one.until((text) => text.startsWith('NOTIFY ') && text.includes(`\r\n\r\nSIP/2.0 ${status}`));
const hears = async (one: Party): Promise<void> => {
  const before = one.packets;
  await until(() => one.packets > before + 10);
};

const lack = lacking();
describe.skipIf(lack !== null)(`an attended transfer${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  it('by an INVITE that takes the place of a call: the sound moves, and the first telephone is hung up', async () => {
    const made = await world();
    const [receptionist, caller] = [await party(made), await party(made)];
    expect(await receptionist.call()).toBe('SIP/2.0 200 OK');
    await hears(receptionist);
    expect(await caller.call([replaces(receptionist)])).toBe('SIP/2.0 200 OK');
    await receptionist.untilRequest('BYE');
    await hears(caller);
    const reported = await made.call();
    expect(made.calls).toHaveLength(1);
    expect(reported.states.map(({ kind }) => kind)).toEqual(['answered']);
    caller.request('BYE');
    expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
  });

  it('by a REFER to who the other side talks with already: they are called in the place of that call', async () => {
    const made = await world();
    const [receptionist, colleague] = [await party(made), await party(made)];
    await receptionist.call();
    const other = encodeURIComponent(`77@elsewhere;to-tag=x;from-tag=y`);
    receptionist.request('REFER', [
      `Refer-To: <sip:colleague@127.0.0.1:${colleague.port}?Replaces=${other}>`,
    ]);
    const invite = await colleague.untilRequest('INVITE');
    expect(invite).toMatch(/^Replaces: *77@elsewhere;to-tag=x;from-tag=y\r$/m);
    expect(invite).toMatch(/^Require: *replaces\r$/im);
    await notified(receptionist, 200);
    await receptionist.untilRequest('BYE');
    await hears(colleague);
    const reported = await made.call();
    expect(reported.states.map(({ kind }) => kind)).toEqual(['answered']);
    await reported.call.hangUp();
    await colleague.untilRequest('BYE');
  });

  it.each([
    ['a call that there is not', () => 'Replaces: nobody@party;to-tag=x;from-tag=a', '481'],
    ['a call that may only be taken before its answer', (one: Party) => replaces(one, ';early-only'), '486'],
  ])('is refused for %s, and the call goes on', async (_, header, status) => {
    const made = await world();
    const [receptionist, caller] = [await party(made), await party(made)];
    await receptionist.call();
    expect(await caller.call([header(receptionist)])).toContain(`SIP/2.0 ${status}`);
    await hears(receptionist);
    expect(made.calls).toHaveLength(1);
  });

  it('to anywhere else than the trunk is refused: nobody is called at somebody else’s cost', async () => {
    const made = await world();
    const receptionist = await party(made);
    await receptionist.call();
    const other = encodeURIComponent('77@elsewhere;to-tag=x;from-tag=y');
    receptionist.request('REFER', [`Refer-To: <sip:+19005550100@192.0.2.77?Replaces=${other}>`]);
    await notified(receptionist, 403);
    await hears(receptionist);
  });
});
