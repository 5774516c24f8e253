import type { Reach } from '../access/contract.ts';
import { ENTITIES, redactSegments } from '../pii/index.ts';
import type { SettingsStore } from './settings.ts';

interface Entry {
  readonly text: string;
}

/** The transcript of a call without personal data, as its record keeps it: numbers said over several turns go too. */
export function redactedTranscript(transcript: readonly unknown[]): readonly unknown[] {
  const entries = transcript as readonly Entry[];
  const segments = entries.map(({ text }) => ({ text, words: [] }));
  const { segments: clean } = redactSegments(segments, ENTITIES);
  return entries.map((entry, at) => ({ ...entry, text: clean[at]?.text ?? '' }));
}

/** The transcript of a call as its agent's configuration lets it be kept. */
export const keptBy =
  (settings: Pick<SettingsStore, 'of'>) =>
  async (reach: Reach, agentId: string | null, transcript: readonly unknown[]): Promise<readonly unknown[]> =>
    (await settings.of(reach, agentId)).redact_records ? redactedTranscript(transcript) : transcript;
