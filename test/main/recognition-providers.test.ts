import { expect, it } from 'vitest';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import {
  openRecognitionProviders,
  recognitionProviderEntries,
  recognitionProviderParts,
} from '../../src/main/recognition-providers.ts';

const ENTRY = { name: 'default', kind: 'openai', url: 'https://hear.example/v1', key: 'sk-secret' };
const configOf = (...entries: unknown[]) =>
  loadConfig({ TRUNKLINE_RECOGNITION_PROVIDERS: JSON.stringify(entries) });

it.each([
  ['not JSON', 'it is not JSON'],
  ['{}', 'it is not a list'],
  [JSON.stringify([{ ...ENTRY, kind: 'assemblyai' }]), 'entry 1/kind'],
  [JSON.stringify([{ ...ENTRY, final_ms: 500 }]), 'entry 1/final_ms'],
  [JSON.stringify([{ ...ENTRY, languages: ['xx'] }]), 'entry 1/languages'],
  [JSON.stringify([{ ...ENTRY, voice: 'alloy' }]), 'entry 1'],
  [JSON.stringify([ENTRY, ENTRY]), 'default is listed twice'],
  [JSON.stringify([{ ...ENTRY, fallback: 'default' }]), 'the fallback of default must be another entry'],
  [JSON.stringify([{ ...ENTRY, headers: { 'a b': 'c' } }]), 'not have a valid header name'],
  [JSON.stringify([{ ...ENTRY, key: 'sk-secret\n' }]), 'a character that is not allowed'],
])('refuses the list %s, and shows no key', (list, problem) => {
  const read = () => recognitionProviderEntries({ recognitionProviders: list });
  expect(read).toThrow(problem);
  expect(read).not.toThrow(/sk-secret/);
});

it('tells what leaves this machine, and where nothing does', () => {
  expect(recognitionProviderParts(loadConfig({}))).toMatchObject([
    { detail: 'none: speech is recognized on this server' },
  ]);
  const [part] = recognitionProviderParts(configOf(ENTRY));
  expect(part).toMatchObject({ name: 'external recognizer default', required: false });
  expect(part!.detail).toContain('sent to hear.example:443');
  expect(part!.detail).not.toContain('sk-secret');
});

it('asks nobody for an agent that names a recognizer of this server', async () => {
  const entries = [ENTRY, { ...ENTRY, name: 'other', fallback: 'default' }];
  const opened = openRecognitionProviders(configOf(...entries), systemClock, createLog({ level: 'silent' }));
  const chain = (name: string | null) => opened.providers.chainOf(name).map((provider) => provider.name);
  expect(chain(null)).toEqual(['default']);
  expect(chain('other')).toEqual(['other', 'default']);
  expect(chain('whisper-base')).toEqual([]);
  await opened.close();
});
