import { ENTITIES, redactSegments } from '../pii/index.ts';

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
