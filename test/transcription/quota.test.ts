import { expect, it } from 'vitest';
import { onBothDatabases } from '../storage/databases.ts';
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
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('plan allows') });
    expect(await blobs.used(owner)).toBe(wav.length);
    await ended(first.id);
    await remove(first.id);
    expect(await blobs.used(owner)).toBe(0);
    const fetched = await ended((await submitted(await post({ audio_url: await serve(wav) }))).id);
    expect(fetched.status).toBe('completed');
    expect(await blobs.used(owner)).toBe(wav.length);
  });
});
