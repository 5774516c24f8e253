// @requirement AMD: Detection runs in Omni and telephone calls by the settings of their project.
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { AmdSettingsStore } from '../../../../src/products/amd/index.ts';
import {
  type AmdSettings,
  type AnswerVerdict,
  detectInCall,
  type FollowedAnswer,
} from '../../../../src/speech/amd/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, openAmd } from './server.ts';
import { joined, recording, silence, tone } from './sounds.ts';

/** Debian's package asterisk-moh-opsound-wav has this recording. */
const MUSIC = '/usr/share/asterisk/moh/reno_project-system.wav';
const GOODBYE = 'asterisk_en/vm-goodbye.wav';

interface Reported {
  answers: AnswerVerdict[];
  holds: string[];
  ends: { atMs: number; by: FollowedAnswer }[];
}

async function heard(
  audio: Uint8Array,
  settings: Partial<AmdSettings> = {},
): Promise<{ reported: Reported; bundled: number[]; tunables: object }> {
  const server = await openAmd();
  const principal = new OneKeyAccess().principal();
  await new AmdSettingsStore(server.storage, systemClock).change(tenantScopeOf(principal), settings);
  const reported: Reported = { answers: [], holds: [], ends: [] };
  let over: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    over = resolve;
  });
  const call = await detectInCall(
    server.detection,
    {
      principal,
      codec: 'ulaw',
      called: '+15005550004',
      externalId: null,
      partOf: null,
      callSid: 'CA1',
      wait: true,
    },
    {
      answered: (verdict) => reported.answers.push(verdict),
      holdBegan: (_, reason) => reported.holds.push(reason),
      holdEnd: (atMs, by) => reported.ends.push({ atMs, by }),
      over: () => over(),
    },
  );
  for (let at = 0; at < audio.length; at += 160) {
    while (!call.push(audio.subarray(at, at + 160))) await new Promise((resolve) => setImmediate(resolve));
  }
  call.end();
  await closed;
  const events = await server.storage.db.selectFrom('usage_events').select('bundled').execute();
  const { tunables } = (await server.detection.calls.find(tenantScopeOf(principal), call.id))!;
  return { reported, bundled: events.map((event) => Number(event.bundled)), tunables: JSON.parse(tunables) };
}

describe.skipIf(absent || !existsSync(MUSIC))('detection inside a call', () => {
  // @requirement AMD: A detection is billed once, and is free within Omni and telephony.
  it('tells who answered, when the music began and that a person came after it, free of charge', async () => {
    const music = recording(MUSIC).subarray(0, 12 * 8000);
    const before = joined(silence(0.6), recording(GOODBYE), silence(3));
    const after = joined(silence(0.4), recording(GOODBYE), silence(4));
    const { reported, bundled } = await heard(joined(before, music, after));
    expect(reported.answers).toHaveLength(1);
    expect(reported.holds).toEqual(['hold_music']);
    expect(reported.ends).toHaveLength(1);
    expect(reported.ends[0]!.by).toBe('human');
    expect(reported.ends[0]!.atMs).toBeGreaterThan((before.length + music.length) / 8);
    expect(bundled).toEqual([1]);
  }, 60_000);

  it('hears no hold in a call without one', async () => {
    const { reported } = await heard(joined(silence(0.6), recording(GOODBYE), silence(4)));
    expect(reported).toMatchObject({ holds: [], ends: [] });
  }, 60_000);
});

it.skipIf(absent)(
  'judges a call under way as the project has set, but for the mode',
  async () => {
    const settings = { aggressiveness: 0.8, timeout_ms: 20_000, mode: 'detect' as const };
    const { reported, tunables } = await heard(joined(silence(0.5), tone(2.6, 2100), silence(0.3)), settings);
    expect(reported.answers).toMatchObject([{ answeredBy: 'fax' }]);
    expect(tunables).toMatchObject({ aggressiveness: 0.8, timeoutMs: 20_000, mode: 'follow' });
  },
  60_000,
);
