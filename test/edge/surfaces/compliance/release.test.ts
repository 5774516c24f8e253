// @requirement Compliance cases: A transfer in India waits until an owner or admin releases it.
/** A signed-in owner or admin releases a case whose rules require a review; a key cannot. */

import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { factsOf } from '../../../../bench/compliance/papers.ts';
import { pdfOf } from '../../../../bench/compliance/pdf.ts';
import { Random } from '../../../../bench/compliance/random.ts';
import { createComplianceSurface } from '../../../../src/edge/surfaces/compliance/index.ts';
import { Sealer, tenantScopeOfRow } from '../../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { openBlobs } from '../../../../src/foundation/storage/index.ts';
import { ComplianceService, loopbackNetwork, viewOf } from '../../../../src/telephony/compliance/index.ts';
import { onBothDatabases } from '../../../foundation/storage/databases.ts';
import { outboxOn } from '../../../foundation/webhooks/checked.ts';
import { pollDelay } from '../../../poll.ts';
import { type App, openApp } from '../account/app.ts';
import { CLEAN } from './server.ts';

const PASSWORD = 'long enough for all';
const KEYED = { kind: 'key', id: 'key_a', from: null, requestId: null } as const;
const facts = factsOf(new Random(5), 'IN', Date.now());
const said = (field: string): string => facts[field]![0];
const form = (...lines: (readonly [string, string])[]): Buffer =>
  pdfOf([
    lines.map(([label, text], at) => ({ text: `${label}: ${text}`, x: 60, y: 90 + 26 * at, size: 11 })),
  ]);

onBothDatabases('a case that a person must review', (databases) => {
  async function open() {
    const storage = await databases.open();
    const folder = mkdtempSync(join(tmpdir(), 'compliance-release-'));
    const blobs = await openBlobs({ folder });
    const clock = systemClock;
    const service = new ComplianceService({
      storage,
      blobs,
      clock,
      background: new BackgroundTasks({ clock }),
      queue: new JobQueue(storage, clock),
      webhooks: outboxOn(storage, clock),
      sealer: new Sealer(Buffer.from('a secret of this test'), 'compliance'),
      scanner: CLEAN,
      pictures: null,
      network: loopbackNetwork,
      documentDays: async () => null,
    });
    const app = await openApp(storage, { surfaces: [createComplianceSurface({ compliance: service })] });
    service.start();
    databases.after(async () => {
      await service.stop(0);
      await app.close();
      await blobs.close();
      await rm(folder, { recursive: true, force: true });
    });
    return { app, service };
  }

  async function sessionOf(app: App, email: string): Promise<string> {
    const { body } = await app.ask('POST', '/auth/login', { body: { email, password: PASSWORD } });
    return body.token;
  }

  async function joined(app: App, owner: string, role: string, projects: string[]): Promise<string> {
    const email = `${role}@example.com`;
    const invited = await app.ask('POST', '/v1/members/invitations', {
      key: owner,
      body: { email, role, project_ids: projects },
    });
    await app.ask('POST', new URL(invited.body.url).pathname, { body: { password: PASSWORD, name: role } });
    return await sessionOf(app, email);
  }

  it('is released by an owner or admin alone, once all else is there, and by nobody for evidence that came later', async () => {
    const { app, service } = await open();
    const account = { email: 'owner@example.com', password: PASSWORD, org_name: 'Shop' };
    await app.ask('POST', '/auth/signup', { body: account });
    const owner = await sessionOf(app, account.email);
    const key = (
      await app.ask('POST', '/v1/keys', { key: owner, body: { environment: 'live', scopes: ['*'] } })
    ).body;
    const row = await app.storage.db
      .selectFrom('api_keys')
      .select(['org_id', 'project_id'])
      .where('id', '=', key.id)
      .executeTakeFirstOrThrow();
    const scope = tenantScopeOfRow({ ...row, environment: 'live' });
    const subject = {
      kind: 'port_in',
      country: 'IN',
      number_type: 'local',
      capabilities: ['voice'],
      use_case: 'Support line',
      external_id: null,
    } as const;
    const { dossier } = await service.cases.create(scope, subject, KEYED, async () => {});
    const { id } = dossier.row;
    const attest = (by: string, asked: string, query = '?environment=live') =>
      app.ask('POST', `/v1/telephony/compliance-cases/${id}/attestations${query}`, {
        key: by,
        body: { attestation_request_id: asked, accepted: true },
      });
    const upload = async (document: string, bytes: Buffer) => {
      const file = await service.uploads.store(scope, id, 'paper.pdf', Readable.from([bytes]));
      await service.uploads.add(scope, id, null, document, file, KEYED);
      for (;;) {
        const found = viewOf(await service.caseService.look(scope, id));
        if (found.state !== 'extracting') return found;
        await pollDelay();
      }
    };
    const letter = form(
      ['Business name', said('business_name')],
      ['Telephone number', said('phone_number')],
      ['Authorised signatory', said('signatory_name')],
      ['Date signed', said('signed_date')],
    );

    const early = await attest(owner, 'manual_review');
    expect([early.status, early.body.error.code]).toEqual([409, 'case_not_ready']);
    await upload('letter_of_authority', letter);
    await upload('gst_certificate', form(['Business name', said('business_name')], ['GSTIN', said('gstin')]));
    for (const asked of ['accurate', 'authority', 'rules_confirmed'])
      expect((await attest(key.api_key, asked, '')).status).toBe(200);

    const consoleKey = (
      await app.ask('POST', '/auth/session/key', { key: owner, body: { environment: 'live' } })
    ).body;
    const developer = await joined(app, owner, 'developer', [key.project_id]);
    for (const refused of [key.api_key, consoleKey.api_key, developer]) {
      const { status, body } = await attest(refused, 'manual_review', refused === developer ? undefined : '');
      expect([status, body.error.code], JSON.stringify(body)).toEqual([403, 'forbidden']);
    }
    const waiting = viewOf(await service.caseService.look(scope, id));
    expect(waiting.missing).toMatchObject([
      { code: 'manual_review_required', message: expect.stringContaining('API keys cannot') },
    ]);

    const admin = await joined(app, owner, 'admin', []);
    const { user } = (await app.ask('GET', '/auth/session', { key: admin })).body;
    const released = await attest(admin, 'manual_review');
    expect([released.status, released.body.state]).toEqual([200, 'ready_for_submission']);
    expect(
      released.body.timeline.find(({ type }: { type: string }) => type === 'review.released').actor,
    ).toEqual({
      kind: 'user',
      id: user.id,
    });

    // The review does not cover what arrives after it.
    const other = form(
      ['Business name', said('business_name')],
      ['Telephone number', said('phone_number')],
      ['Authorised signatory', 'Somebody Else'],
      ['Date signed', said('signed_date')],
    );
    const later = await upload('letter_of_authority', other);
    expect(later.missing.map(({ code }) => code)).toEqual(['manual_review_required']);
    expect((await attest(owner, 'manual_review')).body.state).toBe('ready_for_submission');
  });
});
