import { PermanentError } from '../../../foundation/jobs/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { GateError, type UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { type Blobs, BlobTooLargeError } from '../../../foundation/storage/index.ts';
import type { TranscriptionJobRow } from '../../../foundation/storage/tables/jobs.ts';
import {
  type AudioDecoder,
  type DecodeOptions,
  type Decoding,
  decodingPriorityOfRow,
} from '../../../media/codec/index.ts';
import { SAMPLE_RATE } from '../contract.ts';
import { BLOB_AREA } from '../transcription-jobs.ts';
import type { AudioSpool, SpooledAudio } from './spool.ts';

const FETCH_MS = 30 * 60 * 1000;
/** The rate of speech compressed for a telephone line; a slower download is aborted. */
const LEAST_BYTES_PER_SECOND = 16_000;
const MAX_REDIRECTS = 5;
const TRANSIENT = new Set([408, 425, 429, 500, 502, 503, 504]);
const HOPELESS = new Set<GateError['reason']>([
  'malformed',
  'scheme',
  'credentials',
  'port',
  'host',
  'address',
  'redirect',
  'too_large',
  'encoding',
]);

/** The two sides of a call are the most channels that are transcribed separately. */
export const MAX_CHANNELS = 2;

export const audioKey = (id: string) => ({ area: BLOB_AREA, owner: id, name: 'audio' });

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1_000_000)} MB`;

export const isElsewhere = async (row: TranscriptionJobRow, blobs: Blobs): Promise<boolean> =>
  row.audio_url !== null && (await blobs.stat(audioKey(row.id))) === null;

export type FetchedRow = Pick<
  TranscriptionJobRow,
  'id' | 'org_id' | 'environment' | 'audio_url' | 'max_bytes'
>;

export async function fetchAudio(
  row: FetchedRow,
  deps: { readonly blobs: Blobs; readonly gate: UrlGate },
  signal: AbortSignal,
  key = audioKey(row.id),
): Promise<void> {
  const { blobs, gate } = deps;
  if (row.audio_url === null || (await blobs.stat(key)) !== null) return;
  try {
    const answer = await gate.fetch(row.audio_url, {
      headers: { accept: 'audio/*, video/*, application/octet-stream;q=0.9, */*;q=0.1' },
      maxBytes: row.max_bytes,
      timeoutMs: FETCH_MS,
      leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
      maxRedirects: MAX_REDIRECTS,
      signal,
    });
    if (answer.status !== 200) {
      answer.body.destroy();
      const message = `The audio URL responded with status ${answer.status}.`;
      throw TRANSIENT.has(answer.status) ? new Error(message) : new PermanentError(message);
    }
    const declared = Number(answer.headers['content-length']);
    const payer = {
      orgId: row.org_id,
      environment: row.environment,
      ...(declared > 0 ? { bytes: declared } : {}),
    };
    await blobs.put(key, answer.body, { signal, payer, maxBytes: row.max_bytes });
  } catch (error) {
    throw explained(error, row);
  }
}

function explained(error: unknown, row: FetchedRow): unknown {
  const tooLarge = error instanceof GateError && error.reason === 'too_large';
  if (tooLarge || error instanceof BlobTooLargeError) {
    return new PermanentError(
      `The audio is larger than ${megabytes(row.max_bytes)}, the limit of your plan.`,
    );
  }
  if (error instanceof ApiError) return new PermanentError(error.message, { cause: error });
  if (!(error instanceof GateError)) return error;
  const message = `The audio URL could not be fetched: ${error.message}`;
  return HOPELESS.has(error.reason)
    ? new PermanentError(message, { cause: error })
    : new Error(message, { cause: error });
}

export async function spoolAudio(
  row: TranscriptionJobRow,
  separately: boolean,
  deps: { readonly blobs: Blobs; readonly decoder: AudioDecoder; readonly spool: AudioSpool },
  signal: AbortSignal,
): Promise<SpooledAudio> {
  const decode = async (channels: DecodeOptions['channels']) => {
    const body = await deps.blobs.get(audioKey(row.id));
    if (!body) throw new PermanentError('The audio is no longer available.');
    const options = {
      sampleRate: SAMPLE_RATE,
      channels,
      sample: 's16',
      maxSeconds: row.max_seconds,
      ...(separately ? { maxChannels: MAX_CHANNELS } : {}),
      signal,
      priority: decodingPriorityOfRow(row, 'jobs'),
    } as const;
    return await deps.decoder.decode({ stream: body.stream }, options);
  };
  const audio = deps.spool.create();
  try {
    for (const channel of separately ? await channelsOf(decode) : (['mix'] as const)) {
      await audio.addChannel((await decode(channel)).pcm);
    }
    return audio;
  } catch (error) {
    await audio.remove();
    // The decoder's messages about a file are safe to show to the customer.
    if (error instanceof ApiError && error.status < 500)
      throw new PermanentError(error.message, { cause: error });
    throw error;
  }
}

type Decode = (channels: 'keep') => Promise<Decoding>;

async function channelsOf(decode: Decode): Promise<readonly (0 | 1)[]> {
  const { format, pcm } = await decode('keep');
  await pcm.return();
  return format.channels > 1 ? [0, 1] : [0];
}
