import { expect, it } from 'vitest';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../src/foundation/platform/config/index.ts';
import { createLog } from '../../src/foundation/platform/log.ts';
import { openRecognitionProviders } from '../../src/main/recognition-providers.ts';
import {
  openVoiceProviders,
  voiceProviderEntries,
  voiceProviderParts,
} from '../../src/main/voice-providers.ts';
import { ProviderError } from '../../src/speech/providers/index.ts';

const configOf = (...entries: unknown[]) =>
  loadConfig({ TRUNKLINE_VOICE_PROVIDERS: JSON.stringify(entries) });
const ENTRY = {
  name: 'default',
  kind: 'openai',
  url: 'https://voices.example/v1',
  key: 'sk-secret',
  voice: 'alloy',
};

it.each([
  ['not JSON', 'it is not JSON'],
  ['{}', 'it is not a list'],
  [JSON.stringify([{ ...ENTRY, kind: 'nobody' }]), 'entry 1/kind'],
  [JSON.stringify([{ ...ENTRY, rate: 100 }]), 'entry 1/rate'],
  [JSON.stringify([{ ...ENTRY, voice: undefined }]), 'default has neither voice nor voices'],
  [JSON.stringify([{ ...ENTRY, name: 'local' }]), 'the name local is reserved'],
  [JSON.stringify([{ ...ENTRY, hedge_ms: 300 }]), 'hedge_ms of default needs a fallback of the same rate'],
  [
    JSON.stringify([
      { ...ENTRY, hedge_ms: 300, fallback: 'b' },
      { ...ENTRY, name: 'b', rate: 16_000 },
    ]),
    'hedge_ms of default needs a fallback of the same rate',
  ],
  [JSON.stringify([ENTRY, ENTRY]), 'default is listed twice'],
  [JSON.stringify([{ ...ENTRY, fallback: 'default' }]), 'the fallback of default must be another entry'],
  [JSON.stringify([{ ...ENTRY, headers: { 'a b': 'c' } }]), 'not have a valid header name'],
  [JSON.stringify([{ ...ENTRY, key: 'sk-secret\n' }]), 'a character that is not allowed'],
])('refuses the list %s, and shows no key', (list, problem) => {
  const read = () => voiceProviderEntries({ voiceProviders: list });
  expect(read).toThrow(`TRUNKLINE_VOICE_PROVIDERS: ${problem.startsWith('entry') ? problem : ''}`);
  expect(read).toThrow(problem);
  expect(read).not.toThrow(/sk-secret/);
});

it('tells what leaves this machine, and where nothing does', () => {
  expect(voiceProviderParts(loadConfig({}))).toMatchObject([
    { detail: 'none: speech is synthesized on this server' },
  ]);
  const [part] = voiceProviderParts(configOf(ENTRY));
  expect(part).toMatchObject({ name: 'external speech service default', required: false });
  expect(part!.detail).toContain('sent to voices.example:443');
  expect(part!.detail).not.toContain('sk-secret');
});

it('asks nobody for an agent that names `local`, or one that is no longer listed', async () => {
  const opened = openVoiceProviders(
    configOf(ENTRY, { ...ENTRY, name: 'other', fallback: 'default' }),
    systemClock,
    createLog({ level: 'silent' }),
  );
  const chain = (name: string | null) => opened.providers.chainOf(name).map((provider) => provider.name);
  expect(chain(null)).toEqual(['default']);
  expect(chain('other')).toEqual(['other', 'default']);
  expect(chain('local')).toEqual([]);
  expect(chain('of-before')).toEqual([]);
  await opened.close();
});

it("keeps what a customer's host said out of the log, and names the customer's key", async () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = createLog({ level: 'info', destination: { write } });
  const config = loadConfig({
    TRUNKLINE_VOICE_PROVIDERS: JSON.stringify([ENTRY]),
    TRUNKLINE_RECOGNITION_PROVIDERS: JSON.stringify([{ ...ENTRY, voice: undefined }]),
  });
  const voices = openVoiceProviders(config, systemClock, log);
  const recognition = openRecognitionProviders(config, systemClock, log);
  const said = new ProviderError('refused', `the caller is Ann Lee ${'x'.repeat(100_000)}`);
  const ownKey = { id: 'pvk_1', organization: 'org_1' };
  const [voice] = voices.providers.chainOf(null);
  const [recognizer] = recognition.providers.chainOf(null);
  voices.providers.onFailure(voice!, said, 'org_1');
  voices.providers.onFailure({ ...voice!, name: 'mine', credential: 'customer', ownKey }, said, 'org_1');
  recognition.providers.onFailure(
    { ...recognizer!, name: 'mine', credential: 'customer', ownKey },
    said,
    'org_1',
  );
  await voices.close();
  await recognition.close();
  expect(lines[0]).toMatchObject({ provider: 'default', fault: 'refused' });
  expect(String(lines[0]?.reason).length).toBeLessThanOrEqual(500);
  for (const line of lines.slice(1)) {
    expect(line).toMatchObject({ key: 'pvk_1', org: 'org_1', fault: 'refused' });
    expect(JSON.stringify(line)).not.toMatch(/Ann|mine/);
  }
  expect(lines).toHaveLength(3);
});
