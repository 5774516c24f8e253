// @requirement Hear: Hindi is written in Devanagari.
/** No recording of Hindi is available: the speech is the product's own, which proves nothing about accents. */
import { afterAll, expect, it } from 'vitest';
import { World } from '../../../contract/world.ts';
import { absent } from './server.ts';

const world = absent ? null : await World.open();
afterAll(() => world?.stop());

const SENTENCES = [
  'नमस्ते, आप कैसे हैं?',
  'कल सुबह दस बजे दुकान खुलती है।',
  'मेरा नाम राम है और मैं दिल्ली में रहता हूँ।',
  'आपका ऑर्डर रास्ते में है।',
  'धन्यवाद, आपका दिन शुभ हो।',
  'मुझे पानी चाहिए।',
  'आज मौसम बहुत अच्छा है।',
  'हम शाम को घर जाएंगे।',
  'यह किताब मेरी है।',
];
const letters = (text: string): string[] => [...text.replace(/[^\p{L}\p{M}]/gu, '')];

function letterError(said: string, heard: string): number {
  const [a, b] = [letters(said), letters(heard)];
  let row = b.map((_, at) => at + 1);
  for (const [i, one] of a.entries()) {
    let corner = i;
    let left = i + 1;
    row = row.map((above, j) => {
      const least = Math.min(above + 1, left + 1, corner + Number(one !== b[j]));
      corner = above;
      left = least;
      return least;
    });
  }
  return (row.at(-1) ?? a.length) / a.length;
}

it.skipIf(absent || world?.ready === false)(
  'is written in its own script, as it was said',
  async () => {
    const authorization = `Bearer ${world!.ours.key}`;
    const errors: number[] = [];
    for (const input of SENTENCES) {
      const spoken = await fetch(`${world!.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ input, voice: 'hi1', response_format: 'wav' }),
      });
      expect(spoken.status).toBe(200);
      const form = new FormData();
      form.set('file', await spoken.blob(), 'speech.wav');
      form.set('language', 'hi');
      const asked = { method: 'POST', headers: { authorization }, body: form };
      const answer = await fetch(`${world!.url}/v1/audio/transcriptions`, asked);
      expect(answer.headers.get('x-svc-experimental-language')).toBe('hi');
      const { text } = (await answer.json()) as { text: string };
      expect(text).not.toMatch(/[a-z]/i);
      errors.push(letterError(input, text));
    }
    // The model with 74 million parameters is weak in Hindi: it loses a sentence now and then.
    const median = errors.toSorted((a, b) => a - b)[4];
    expect(median, `${errors}`).toBeLessThan(0.5);
  },
  120_000,
);
