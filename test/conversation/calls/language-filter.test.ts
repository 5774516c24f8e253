import { expect, it } from 'vitest';
import type { LanguageDecision } from '../../../src/conversation/calls/caller-language.ts';
import { LanguageFilter } from '../../../src/conversation/calls/language-filter.ts';
import type { LaneEvent } from '../../../src/conversation/session/index.ts';

const final = (utterance: number, text: string): LaneEvent => ({
  kind: 'final',
  utterance,
  text,
  startMs: 0,
  endMs: 900,
  atMs: 1_400,
  asrMs: 20,
});

function stage() {
  const published: string[] = [];
  let settle = { resolve: () => {}, reject: (_: Error) => {} };
  const filter = new LanguageFilter(
    (utterance): LanguageDecision | null =>
      utterance.text.startsWith('Quiero') ? { to: 'es', reason: 'detected' } : null,
    ({ to }) => {
      published.push(`change ${to}`);
      return new Promise<void>((resolve, reject) => {
        settle = { resolve, reject };
      });
    },
    (event) => published.push('text' in event ? `${event.kind} ${event.text}` : event.kind),
  );
  return { published, filter, resolve: () => settle.resolve(), reject: () => settle.reject(new Error('no')) };
}

it('hands on what changes nothing at once', () => {
  const { published, filter } = stage();
  filter.take({ kind: 'speech_start', atMs: 0 });
  filter.take(final(1, 'Hello'));
  expect(published).toEqual(['speech_start', 'final Hello']);
});

it('holds an utterance until the language is changed, and what the caller says behind it', async () => {
  const { published, filter, resolve } = stage();
  filter.take(final(1, 'Quiero cambiar mi cita'));
  filter.take({ kind: 'speech_start', atMs: 2_000 });
  filter.take({ kind: 'audio', pcm: new Uint8Array(2) });
  filter.take(final(2, 'Para mañana'));
  expect(published).toEqual(['continued', 'change es', 'audio']);
  resolve();
  await Promise.resolve();
  await Promise.resolve();
  expect(published.slice(3)).toEqual(['final Quiero cambiar mi cita', 'speech_start', 'final Para mañana']);
});

it('loses nothing where the language cannot be changed', async () => {
  const { published, filter, reject } = stage();
  filter.take(final(1, 'Quiero cambiar mi cita'));
  reject();
  await Promise.resolve();
  await Promise.resolve();
  expect(published).toEqual(['continued', 'change es', 'final Quiero cambiar mi cita']);
});
