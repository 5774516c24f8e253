import { addTone } from '../engine/index.ts';

export interface RedactionSpan {
  /** Channel 0 is the caller's side, channel 1 the agent's. */
  readonly channel: 0 | 1;
  readonly startMs: number;
  readonly endMs: number;
}

export interface TranscriptEntry {
  readonly role: 'user' | 'agent';
  readonly text: string;
  readonly start_ms: number;
  readonly end_ms: number;
}

const REDACTED = /\[REDACTED_[A-Z_]+\]/;
/** The margin around word times, in which the words may still be audible. */
const AROUND_MS = 250;

/**
 * Lists the spans of redacted utterances in a stored transcript. A redacted utterance is muted as a whole, because
 * the times of its remaining words are unknown.
 */
export const redactionSpansOf = (
  transcript: readonly TranscriptEntry[],
  startsAtMs: number,
): RedactionSpan[] =>
  transcript
    .filter(({ text }) => REDACTED.test(text))
    .map(({ role, start_ms, end_ms }) => ({
      channel: role === 'user' ? (0 as const) : (1 as const),
      startMs: start_ms - startsAtMs - AROUND_MS,
      endMs: end_ms - startsAtMs + AROUND_MS,
    }));

/**
 * Lists what each side may have said at the end of these spans of the recording after its last words in the
 * transcript. A call that was cut off lacks the words of that moment, so personal data could not be found there.
 */
export const unheardSpansOf = (
  transcript: readonly TranscriptEntry[],
  startsAtMs: number,
  spans: readonly { readonly startMs: number; readonly endMs: number }[],
): RedactionSpan[] =>
  spans.flatMap(({ startMs, endMs }) =>
    (['user', 'agent'] as const).map((speaker, side) => {
      const heard = transcript
        .filter((entry) => entry.role === speaker && entry.start_ms - startsAtMs < endMs)
        .map(({ end_ms }) => end_ms - startsAtMs);
      return { channel: side as 0 | 1, startMs: Math.max(startMs, ...heard), endMs };
    }),
  );

export const onBothChannels = (spans: readonly RedactionSpan[]): RedactionSpan[] =>
  spans.flatMap((span) => ([0, 1] as const).map((channel) => ({ ...span, channel })));

const TONE = { hertz: 1000, level: 0.061 };
const FRAME_BYTES = 4;

export async function* withTone(
  pcm: AsyncIterable<Buffer>,
  rate: number,
  spans: readonly RedactionSpan[],
): AsyncGenerator<Buffer, void> {
  const places = spans.map(({ channel, startMs, endMs }) => ({
    channel,
    from: Math.floor((startMs * rate) / 1000),
    to: Math.ceil((endMs * rate) / 1000),
  }));
  let at = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of pcm) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames = Math.floor(bytes.length / FRAME_BYTES);
    rest = Buffer.from(bytes.subarray(frames * FRAME_BYTES));
    for (const { channel, from, to } of places) {
      const began = Math.max(from, at);
      const pcm = bytes.subarray(
        (began - at) * FRAME_BYTES,
        Math.max(began, Math.min(to, at + frames) - at) * FRAME_BYTES,
      );
      addTone({ pcm, channels: 2, channel }, { ...TONE, rate, began }, { keep: 0 });
    }
    at += frames;
    yield bytes.subarray(0, frames * FRAME_BYTES);
  }
}
