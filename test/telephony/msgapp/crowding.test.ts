/** Other organizations that register the same number never block its owner. */
import { expect, it } from 'vitest';
import { Sealer } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { MsgappNumbers, ProviderFault } from '../../../src/telephony/msgapp/index.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const ID = '106540352242922';
const provider = {
  settings: async ({ accessToken }: { accessToken: string }) => {
    if (accessToken !== 'the owner’s') throw new ProviderFault(401, 190, 'Invalid OAuth access token');
    return {};
  },
};

onBothDatabases('a messaging number that many register', (databases) => {
  it('is its owner’s, who comes later and proves it, and no more strangers get in', async () => {
    const storage = await databases.open();
    const clock = new ManualClock();
    const sealer = new Sealer(Buffer.from('a secret of the test, long enough'), 'numbers');
    const numbers = new MsgappNumbers(storage, clock, sealer, provider);
    const register = (org: string, accessToken: string) =>
      numbers.register(
        scopeFor(org),
        {
          keyId: 'key_a',
          wabaId: '7',
          appId: '8',
          phoneNumberId: ID,
          phoneNumber: '+15551001000',
          accessToken,
          appSecret: `secret of ${org}`,
          verifyToken: `verify ${org}`,
        },
        SYSTEM_ACTOR,
      );
    const early = await register('org_early', 'the owner’s');
    for (let attempt = 1; attempt < 20; attempt++) await register(`org_${attempt}`, 'made up');
    await expect(register('org_20', 'made up')).rejects.toMatchObject({ param: 'access_token' });
    clock.advance(1_000);
    const owner = await register('org_owner', 'the owner’s');
    const secrets = async () =>
      (await numbers.ofProvider([ID])).map((row) => numbers.secretsOf(row).appSecret);
    expect((await secrets())[0]).toBe('secret of org_owner');
    expect(await secrets()).toHaveLength(21);
    expect(await numbers.verifies('verify org_owner')).toBe(true);
    // The provider's first answer proves a registration, which then no longer counts against the limit.
    await numbers.proven(scopeFor('org_early'), early.id);
    expect((await secrets()).slice(0, 2).sort()).toEqual(['secret of org_early', 'secret of org_owner']);
    await register('org_20', 'made up');
    await expect(register('org_owner', 'the owner’s')).rejects.toThrow(owner.id);
  });
});
