import type { Blobs } from '../../../foundation/storage/index.ts';
import type { DubJobRow } from '../../../foundation/storage/tables/dub.ts';
import { type AudioDecoder, decodingPriorityOfRow } from '../../../media/codec/index.ts';
import type { AudioSpool, SpooledAudio } from '../../../speech/transcription/index.ts';
import type { SourceMedia } from '../contract.ts';
import { DubFault, faultOf } from '../fault.ts';
import { sourceKey } from '../keys-and-queues.ts';

const LISTENED_RATE = 16_000;

export interface OpenedSource {
  readonly audio: SpooledAudio;
  readonly media: SourceMedia;
}

export async function openSource(
  row: DubJobRow,
  deps: { readonly blobs: Blobs; readonly decoder: AudioDecoder; readonly spool: AudioSpool },
  signal: AbortSignal,
): Promise<OpenedSource> {
  const body = await deps.blobs.get(sourceKey(row.id));
  if (!body) throw new DubFault('source_unavailable', 'The recording is no longer available.');
  const audio = deps.spool.create();
  try {
    const options = {
      sampleRate: LISTENED_RATE,
      channels: 'mix',
      sample: 's16',
      maxSeconds: row.max_seconds,
      signal,
      priority: decodingPriorityOfRow(row, 'jobs'),
    } as const;
    const decoding = await deps.decoder.decode({ stream: body.stream }, options);
    await audio.addChannel(decoding.pcm);
    const { container, video } = decoding;
    return { audio, media: { container, video, seconds: audio.seconds } };
  } catch (error) {
    await audio.remove();
    throw faultOf(error, 'invalid_audio');
  }
}
