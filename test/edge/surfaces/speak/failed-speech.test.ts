// @requirement Billing: Speech that fails in the middle is not billed.
import { describe, expect, it } from 'vitest';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { nextJob } from '../../server/fixtures/slow-uploads.ts';
import { absent, speakWorld } from './server.ts';

describe.skipIf(absent)('speech that fails', () => {
  const world = speakWorld();
  const text = 'Thank you for calling.';
  const long = 'This is one of many sentences that nobody will ever hear. '.repeat(60);

  it.each([{}, { stream_format: 'sse' }])(
    'bills nothing of a stream that fails half-way: %o',
    {
      timeout: 120_000,
    },
    async (how) => {
      const { speak } = await world().serve();
      const before = world().events.length;
      const recorded = world().nextEvent();
      const begun = nextJob('synthesize');
      const response = await speak({ input: long, response_format: 'pcm', ...how });
      expect(response.status).toBe(200);
      const reader = response.body!.getReader();
      expect((await reader.read()).value!.length).toBeGreaterThan(0);
      (await begun).cancel();
      const rest = async () => {
        while (!(await reader.read()).done);
      };
      await expect(rest()).rejects.toThrow();
      await recorded;
      const [event, ...others] = world().events.slice(before);
      expect(others).toEqual([]);
      expect(event!.milliseconds).toBe(0);
      const row = await acrossTenants(world().storage.db)
        .selectFrom('speak_requests')
        .select(['complete', 'milliseconds'])
        .where('id', '=', event!.resource)
        .executeTakeFirst();
      expect(row).toEqual({ complete: 0, milliseconds: 0 });
    },
  );

  it('bills nothing of a whole that fails half-way, and the next one alone', {
    timeout: 120_000,
  }, async () => {
    const { speak } = await world().serve();
    const before = world().events.length;
    const begun = nextJob('synthesize');
    const asked = speak({ input: long, response_format: 'pcm', stream: false });
    (await begun).cancel();
    expect((await asked).status).toBeGreaterThanOrEqual(500);
    expect(world().events.slice(before)).toEqual([]);
    const body = { input: text, voice: 'joe_en_us', response_format: 'g711_ulaw', stream: false };
    const bytes = (await (await speak(body)).arrayBuffer()).byteLength;
    const [event, ...others] = world().events.slice(before);
    expect(others).toEqual([]);
    expect(event!.milliseconds).toBe(Math.round(bytes / 8));
  });
});
