import { overlayConference } from './conference-overlay.ts';

/** Stereo PCM16 of a part of a call. */
export interface RecordedAudio {
  readonly rate: number;
  readonly bytes: number;
  readonly pcm: () => AsyncGenerator<Buffer, void>;
}

export interface PlacedSegment {
  /** The transcript's clock counts it. */
  readonly startsAtMs: number;
  readonly audio: RecordedAudio;
}

export interface JoinedSegments extends RecordedAudio {
  /** Each segment begins and ends there in the whole. */
  readonly spans: readonly { readonly startMs: number; readonly endMs: number }[];
}

export const CHUNK_BYTES = 256 * 1024;
export const FRAME_BYTES = 4;

const bytesOf = (ms: number, rate: number): number =>
  Math.max(0, Math.round((ms * rate) / 1000)) * FRAME_BYTES;

export const msOf = (bytes: number, rate: number): number => (bytes / FRAME_BYTES / rate) * 1000;

/**
 * Places the segments of a recording by the transcript's clock, with silence where none has audio. A segment ends
 * where the next one begins: a node that died may have recorded on after the state from which the call was resumed.
 */
export function joinSegments(segments: readonly PlacedSegment[], startsAtMs: number): JoinedSegments | null {
  const rate = segments[0]?.audio.rate;
  if (rate === undefined) return null;
  const placed = segments.map(({ audio, startsAtMs: at }) => ({
    audio,
    from: bytesOf(at - startsAtMs, rate),
  }));
  const cut = placed.map(({ audio, from }, index) => {
    const until = placed[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    return { audio, from, to: Math.max(from, Math.min(from + audio.bytes, until)) };
  });
  return {
    rate,
    bytes: cut.at(-1)?.to ?? 0,
    spans: cut.map(({ from, to }) => ({ startMs: msOf(from, rate), endMs: msOf(to, rate) })),
    pcm: async function* () {
      let at = 0;
      for (const { audio, from, to } of cut) {
        yield* silence(from - at);
        yield* firstBytes(audio, to - from);
        at = to;
      }
    },
  };
}

export function appended(first: RecordedAudio, afterMs: number, second: RecordedAudio): RecordedAudio {
  const silent = bytesOf(afterMs, first.rate);
  return {
    rate: first.rate,
    bytes: first.bytes + silent + second.bytes,
    pcm: async function* () {
      yield* first.pcm();
      yield* silence(silent);
      yield* second.pcm();
    },
  };
}

export const conferenceAudio = (agents: RecordedAudio, bridged: RecordedAudio): RecordedAudio => ({
  ...agents,
  pcm: () => overlayConference(agents.pcm(), bridged.pcm()),
});

async function* silence(bytes: number): AsyncGenerator<Buffer, void> {
  for (let at = 0; at < bytes; at += CHUNK_BYTES) yield Buffer.alloc(Math.min(CHUNK_BYTES, bytes - at));
}

async function* firstBytes(audio: RecordedAudio, bytes: number): AsyncGenerator<Buffer, void> {
  let left = bytes;
  for await (const chunk of audio.pcm()) {
    if (left <= 0) return;
    yield chunk.subarray(0, left);
    left -= chunk.length;
  }
}
