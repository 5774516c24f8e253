// @requirement Fair use: Storage has quotas.
import { expect, it, vi } from 'vitest';
import { acrossTenants } from '../../../src/foundation/storage/index.ts';
import { openService } from '../../foundation/access/access-service.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { wavOf } from './signal-audio.ts';
import { stage } from './stage.ts';

onBothDatabases('the files of transcription jobs', ({ open, after }) => {
  it('keeps no more bytes than the plan allows, uploaded or fetched, until some are deleted', async () => {
    const wav = wavOf(1);
    const { upload, post, ended, submitted, remove, serve, blobs, access } = await stage({
      storage: await open(),
      after,
      quota: wav.length + 2_000,
    });
    const owner = access.principal();
    const first = await submitted(await upload(wav));
    expect(await blobs.used(owner)).toBe(wav.length);
    const refused = await upload(wav);
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({ error: { code: 'storage_quota_exceeded' } });
    const failed = await ended((await submitted(await post({ audio_url: await serve(wav) }))).id);
    expect(failed).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('storage quota of its plan'),
    });
    expect(await blobs.used(owner)).toBe(wav.length);
    await ended(first.id);
    await remove(first.id);
    expect(await blobs.used(owner)).toBe(0);
    const fetched = await ended((await submitted(await post({ audio_url: await serve(wav) }))).id);
    expect(fetched.status).toBe('completed');
    expect(await blobs.used(owner)).toBe(wav.length);
  });

  // @requirement Fair use: A job is admitted before its upload is stored.
  it('stores nothing of an upload that no credit pays for, and keeps nothing where its length is too dear', async () => {
    const storage = await open();
    const { access: accessService, billing, organization } = await openService(storage);
    const { upload, blobs, access } = await stage({ storage, after });
    after(() => accessService.close());
    Object.assign(access, {
      orgId: organization.orgId,
      environment: 'live',
      admit: accessService.admit.bind(accessService),
    });
    const put = vi.spyOn(blobs, 'put');
    const left = async () => [
      await blobs.used(access.principal()),
      await acrossTenants(storage.db).selectFrom('transcription_jobs').select('id').execute(),
      await storage.db.selectFrom('jobs').select('id').execute(),
      await acrossTenants(storage.db).selectFrom('usage_holds').selectAll().execute(),
    ];
    const refusal = async () => {
      const response = await upload(wavOf(5));
      const { error } = (await response.json()) as { error: { code: string } };
      return [response.status, error.code];
    };
    expect(await refusal()).toEqual([402, 'credit_exhausted']);
    expect(put).not.toHaveBeenCalled();
    expect(await left()).toEqual([0, [], [], []]);
    await billing.addCredit({ orgId: organization.orgId, amountMicros: 200 });
    expect(await refusal()).toEqual([402, 'credit_exhausted']);
    expect(put).toHaveBeenCalledOnce();
    expect(await left()).toEqual([0, [], [], []]);
  });
});
