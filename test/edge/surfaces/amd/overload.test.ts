// @requirement AMD: Under load detection uses fewer words before it refuses a stream.
/** With more calls than recognition can serve, each still gets a verdict in time from the sound alone. */
import { describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { withinTenant } from '../../../../src/foundation/storage/index.ts';
import {
  type AnswerVerdict,
  DEFAULTS,
  type Evidence,
  LiveDetection,
} from '../../../../src/speech/amd/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, openAmd } from './server.ts';
import { joined, recording, silence, tone } from './sounds.ts';

const CALLS = 60;
const GREETING = 'asterisk_en/vm-nobodyavail.wav';

interface Judged {
  verdict: AnswerVerdict;
  words: number;
}

describe.skipIf(absent)('too many calls at once', () => {
  it('all get a verdict; words give way, and sounds do not', async () => {
    const server = await openAmd();
    const audio = joined(silence(0.4), recording(GREETING), silence(0.4), tone(0.4, 1000), silence(3));
    const judged = await Promise.all(Array.from({ length: CALLS }, () => judgedCall(server, audio)));
    expect(judged).toHaveLength(CALLS);
    for (const { verdict } of judged) expect(verdict.answeredBy).toBe('voicemail');
    // Sixty simultaneous greetings would each be recognized three times, which no machine of this size does in time.
    const read = judged.reduce((sum, { words }) => sum + words, 0);
    expect(read).toBeLessThan(3 * CALLS);
  }, 60_000);
});

async function judgedCall(server: Awaited<ReturnType<typeof openAmd>>, audio: Uint8Array): Promise<Judged> {
  let verdict: AnswerVerdict | undefined;
  let over: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    over = resolve;
  });
  const call = await LiveDetection.begin(
    server.detection,
    {
      principal: new OneKeyAccess().principal(),
      tunables: DEFAULTS,
      codec: 'ulaw',
      called: null,
      externalId: null,
      streamSid: null,
      callSid: null,
      partOf: null,
      admission: null,
      webhookUrl: null,
    },
    {
      verdict: (said) => {
        verdict = said;
      },
      messageEnd: () => undefined,
      update: () => undefined,
      over: () => over(),
    },
  );
  for (let at = 0; at < audio.length; at += 160) {
    while (call.push(audio.subarray(at, at + 160)) === 'full')
      await new Promise((resolve) => setImmediate(resolve));
  }
  call.hangUp();
  await closed;
  const row = await withinTenant(server.storage.db, tenantScopeOf(new OneKeyAccess().principal()))
    .selectFrom('amd_calls')
    .select('evidence')
    .where('id', '=', call.id)
    .executeTakeFirst();
  const evidence = JSON.parse(row?.evidence ?? '[]') as Evidence[];
  return { verdict: verdict!, words: evidence.filter(({ kind }) => kind === 'words').length };
}
