// @requirement Fair use: Sandbox keys have caps of live sessions by organization and network.
import { expect, it } from 'vitest';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { onBothDatabases } from '../storage/databases.ts';
import { bearer, openService } from './access-service.ts';

const REALTIME = { realtime: true };

onBothDatabases('live sessions of sandbox keys', (databases) => {
  it('are capped by organization and by network, and live keys are not among them', async () => {
    const { access, makeKey } = await openService(await databases.open());
    databases.after(() => access.close());
    const from = async (remoteAddress: string, environment: 'sandbox' | 'live' = 'sandbox') => {
      const { text } = await makeKey({ environment });
      const { principal } = await access.authorize(bearer(text, { remoteAddress }), { kind: 'key' });
      return principal as Principal;
    };
    const outcome = (principal: Principal) =>
      access.admit(principal, 'knowledge.document', REALTIME).then(
        () => 'admitted',
        (error) => error.code,
      );
    const [one, two, three] = [
      await from('198.51.100.1'),
      await from('198.51.100.2'),
      await from('198.51.100.3'),
    ];
    const outcomes: string[] = [];
    for (const each of [one, one, two, two, three]) outcomes.push(await outcome(each));
    expect(outcomes).toEqual([...Array(4).fill('admitted'), 'concurrency_limit_exceeded']);
    const others = ['org_a', 'org_b', 'org_c'].map((orgId) => ({ ...three, orgId, keyId: orgId }));
    const more: string[] = [];
    for (const each of [...others, ...others]) more.push(await outcome(each));
    expect(more.filter((each) => each === 'admitted')).toHaveLength(4);
    expect(await outcome(await from('198.51.100.4', 'live'))).toBe('admitted');
    const [here, hereToo] = [await from('127.0.0.1'), await from('127.0.0.1')];
    expect(await outcome({ ...here, orgId: 'org_d' })).toBe('admitted');
    expect(await outcome({ ...hereToo, orgId: 'org_e' })).toBe('admitted');
  });
});
