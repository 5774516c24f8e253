// @requirement Compliance cases: A transfer in India waits until an owner or admin releases it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showAmount } from '../../../src/apps/cli/credits-handlers.ts';
import { loadConfig } from '../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../src/foundation/platform/log.ts';
import { type CoreServices, openCoreServices } from '../../../src/main/main.ts';
import { bearer } from '../../foundation/access/access-service.ts';
import { outputOf } from './output-of.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-cli-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

const environment = () => ({ TRUNKLINE_DATA: folder, TRUNKLINE_LOG_LEVEL: 'silent' });

async function trunkline(...args: string[]) {
  const { code, out, error } = await outputOf(args, environment());
  return { code, out: out.trim(), error: error.trim() };
}

async function withServices<T>(task: (services: CoreServices) => Promise<T>): Promise<T> {
  const config = loadConfig(environment());
  const services = await openCoreServices(config, createLog({ level: 'silent' }));
  try {
    return await task(services);
  } finally {
    await services.close();
  }
}

it('prints a live key with every scope and credit, and only the key, on standard output', async () => {
  const made = await trunkline('keys', 'create', '--live', '--scopes', '*', '--credit', '100');
  expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^svc_live_[0-9A-Za-z]{63}$/) });
  await withServices(async ({ access, billing }) => {
    const { principal } = await access.authorize(bearer(made.out), { kind: 'key', scope: 'speak:clone' });
    expect(principal).toMatchObject({ environment: 'live', plan: 'standard', scopes: ['*'] });
    const { orgId, keyId } = principal as NonNullable<typeof principal>;
    const standing = await billing.creditStatus({
      orgId,
      keyId,
      environment: 'live',
    });
    expect(standing.balanceMicros).toBe(100_000_000n);
    await (await access.admit(principal!, 'speak.speech', { realtime: true })).release();
  });
});

it('lists, rotates and revokes keys, sets plans and entitlements, and adds credit once for a reference', async () => {
  const made = await trunkline(
    'keys',
    'create',
    '--live',
    '--plan',
    'scale',
    '--days',
    '3',
    '--budget',
    '0.5',
  );
  const [, keyId, orgId] = /^(key_\w+) of (org_\w+)/.exec(made.error) as unknown as [string, string, string];
  const rotated = await trunkline('keys', 'rotate', keyId);
  expect(rotated.out).not.toBe(made.out);
  const list = await trunkline('keys', 'list', '--org', orgId);
  expect(list.out).toMatch(new RegExp(`^${keyId}\tlive\tactive\tsvc_live_`));
  expect(list.out).not.toContain(rotated.out);
  expect((await trunkline('keys', 'organization', orgId, '--trace', 'on')).code).toBe(0);
  const stored = () => withServices(({ access }) => access.retention.of(orgId));
  expect(await stored()).toEqual({
    jobAudio: 7,
    transcript: 365,
    transcriptOffload: 30,
    recording: 90,
    compliance: null,
  });
  await trunkline('keys', 'organization', orgId, '--job-audio-days', '1');
  await trunkline('keys', 'organization', orgId, '--transcript-days', '30');
  expect(await stored()).toEqual({
    jobAudio: 1,
    transcript: 30,
    transcriptOffload: 30,
    recording: 90,
    compliance: null,
  });
  await trunkline('keys', 'organization', orgId, '--job-audio-days', 'default');
  expect(await stored()).toEqual({
    jobAudio: 7,
    transcript: 30,
    transcriptOffload: 30,
    recording: 90,
    compliance: null,
  });
  const { principal } = await withServices(({ access }) =>
    access.authorize(bearer(rotated.out), { kind: 'key' }),
  );
  expect(principal).toMatchObject({ plan: 'scale', entitlements: ['trace'] });
  const add = () => trunkline('credits', 'add', '--org', orgId, '--amount', '2.5', '--reference', 'p1');
  expect((await add()).out).toMatch(/balance 2\.500000$/);
  expect((await add()).out).toMatch(/balance 2\.500000$/);
  expect((await trunkline('keys', 'revoke', keyId)).code).toBe(0);
  await withServices(async ({ access }) => {
    await expect(access.authorize(bearer(rotated.out), { kind: 'key' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});

it('signs a referral that a signup is attributed by', async () => {
  const { out } = await trunkline('keys', 'referral', 'partner', '--days', '1');
  await withServices(async ({ access, storage }) => {
    const signup = { email: 'ana@example.com', password: 'long enough', referralToken: out };
    const { organization } = await access.accounts.signUp(signup, '203.0.113.7');
    const { referral } = await storage.db
      .selectFrom('organizations')
      .select('referral')
      .where('id', '=', organization.id)
      .executeTakeFirstOrThrow();
    expect(JSON.parse(referral as string)).toMatchObject({ source: 'partner' });
  });
});

it('refuses what it cannot do, in words', async () => {
  const refusals: [string[], RegExp][] = [
    [['keys', 'create', '--live', '--sandbox'], /cannot be used together/],
    [['keys', 'create', '--scopes', 'hear:all'], /hear:all is not a scope/],
    [['keys', 'create', '--org', 'org_nobody'], /no organization org_nobody/],
    [['keys', 'create', '--plan', 'gold'], /no plan gold; valid plans are sandbox, scale, standard/],
    [['keys', 'create', '--credit', '1e3'], /--credit must be an amount/],
    [['keys', 'create', '--days', '0'], /--days must be a whole number/],
    [['keys', 'organization', 'org_nobody', '--transcript-days', '3'], /no such organization/],
    [['keys', 'organization', 'org_nobody', '--job-audio-days', '0'], /--job-audio-days must be a whole/],
    [['keys', 'revoke', 'key_nobody'], /no such key/],
    [['credits', 'add', '--org', 'org_nobody', '--amount', '1'], /no such organization/],
  ];
  for (const [args, said] of refusals) {
    const { code, error, out } = await trunkline(...args);
    expect([args, code, out]).toEqual([args, 1, '']);
    expect(error).toMatch(said);
  }
});

it('shows amounts exactly', () => {
  expect([0n, 1n, -1n, 1_500_000n, -12_000_001n].map(showAmount)).toEqual([
    '0.000000',
    '0.000001',
    '-0.000001',
    '1.500000',
    '-12.000001',
  ]);
});

it('makes no key when the origins of its page cannot be allowed: nobody would ever have seen it', async () => {
  const made = await trunkline('keys', 'create', '--origins', 'https://shop.example, ftp://shop.example');
  expect(made).toMatchObject({
    code: 1,
    out: '',
    error: expect.stringMatching(/--origins must be https origins.*not ftp:\/\/shop\.example/),
  });
  await withServices(async ({ storage }) => {
    for (const table of ['api_keys', 'organizations'] as const) {
      expect(await storage.db.selectFrom(table).select('id').execute()).toEqual([]);
    }
  });
  const good = await trunkline('keys', 'create', '--origins', 'https://shop.example, https://b.example');
  expect(good.code).toBe(0);
  await withServices(async ({ access }) => {
    expect(await access.allowsOrigin('https://b.example')).toBe(true);
  });
});

it('gives an organization that was made with a key its first person, and refuses what cannot be one', async () => {
  const made = await trunkline('keys', 'create', '--live', '--scopes', '*');
  const org = /of (org_\w+)/.exec(made.error)?.[1] ?? '';
  const invited = await trunkline('people', 'invite', 'ann@example.com', '--org', org);
  expect(invited).toMatchObject({ code: 0, error: expect.stringContaining('ann@example.com joins') });
  const token = /^http:\/\/127\.0\.0\.1:8080\/auth\/invitations\/(\w{43})$/.exec(invited.out)?.[1] ?? '';
  await withServices(async ({ access }) => {
    const from = { kind: 'user', id: '', from: '127.0.0.1', requestId: null } as const;
    const id = await access.invitations.accept(token, { name: 'Ann', password: 'long enough for all' }, from);
    expect(await access.members.list(org)).toMatchObject([{ id, email: 'ann@example.com', role: 'owner' }]);
    await expect(access.invitations.describe(token)).rejects.toMatchObject({ code: 'not_found' });
  });
  for (const [args, said] of [
    [['nobody', '--org', org], 'not a valid e-mail address'],
    [['ben@example.com', '--org', 'org_nobody'], 'no organization org_nobody'],
    [['ben@example.com', '--org', org, '--role', 'king'], '--role must be one of owner, admin'],
    [['ann@example.com', '--org', org], 'already has an account with this e-mail address'],
  ] as const) {
    const refused = await trunkline('people', 'invite', ...args);
    expect(refused).toMatchObject({ code: 1, out: '', error: expect.stringContaining(said) });
  }
});
