// @requirement Billing: Speech that fails in the middle is not billed.
import { describe, expect, it } from 'vitest';
import { StockVoices, stockVoice } from '../../../../src/speech/voices/index.ts';
import { agentSaid, recordOf } from './fault-helpers.ts';
import { absent, Client, openOmni, VOICE } from './server.ts';

const BROKEN = 'vc_brokenbrokenbroken00';

describe.skipIf(Boolean(absent))('an agent whose voice fails', () => {
  it('ends its call with 1011, failed and free, whatever was served before', {
    timeout: 180_000,
  }, async () => {
    const stock = new StockVoices();
    const opened = await openOmni({
      voices: () => async (_scope, name) => {
        if (name !== BROKEN) return stockVoice(stock.resolve(name ?? stock.default.id));
        const styles = [{ name: 'nobody', share: 1 }];
        const engine = { model: 'kokoro', language: 'en', accent: 'en-us', styles } as const;
        return { ...stockVoice(stock.default), id: BROKEN, engine };
      },
    });
    const client = await new Client(opened.url).opened();
    const { call_id: id } = await client.configure({ voice_id: VOICE, greeting: 'Hello there.' });
    await client.silenceUntil(() => agentSaid(client) !== '');
    const heard = client.audioBytes;
    expect(heard).toBeGreaterThan(0);
    client.control({ type: 'configure', voice_id: BROKEN });
    await client.until(() => client.controls.some(({ voice_id }) => voice_id === BROKEN));
    client.control({ type: 'say', text: 'Nobody will hear these words.' });
    await client.silenceUntil(() => client.closeCode !== null);
    expect(await client.closed()).toBe(1011);
    expect(client.controls.at(-1)).toMatchObject({ event: 'ended', reason: 'engine_failed' });
    const record = await recordOf(opened, id);
    expect(record).toMatchObject({ status: 'failed', end_reason: 'engine_failed', billed: 0 });
    expect(record.transcript).toEqual(['agent: Hello there.']);
    expect(await opened.billed()).toEqual([]);
    await expect.poll(() => opened.access.released).toBe(opened.access.admitted);
  });
});
