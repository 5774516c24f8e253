import { pipeline, Readable, Transform } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { ApiError } from '../../../../foundation/platform/errors.ts';
import {
  GateError,
  MAX_URL_CHARACTERS,
  type UrlGate,
} from '../../../../foundation/platform/url-gate/index.ts';
import { wavHeader } from '../../../../media/codec/index.ts';
import { containerOf, LIVE_ENCODINGS, type LiveEncoding, LiveSound } from './live-sound.ts';

const UrlBody = Type.Object({ url: Type.String({ maxLength: MAX_URL_CHARACTERS, format: 'uri' }) });
const FETCH_MS = 60_000;
const LEAST_BYTES_PER_SECOND = 16_000;

export async function bytesOf(
  gate: Pick<UrlGate, 'fetch'>,
  request: FastifyRequest,
  maxBytes: number,
): Promise<Readable> {
  const { body } = request;
  // A pipeline, because `pipe` leaves its reader waiting for the end when the upload is aborted.
  if (body instanceof Readable) return pipeline(body, bounded(maxBytes), () => undefined);
  const { url } = (body ?? {}) as Partial<Static<typeof UrlBody>>;
  if (typeof url !== 'string') {
    throw new ApiError('invalid_request', 'Send the recording as the body, or JSON with its url.', {
      param: 'url',
    });
  }
  try {
    const answer = await gate.fetch(url, {
      headers: { accept: 'audio/*, */*;q=0.1' },
      maxBytes,
      timeoutMs: FETCH_MS,
      leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
      maxRedirects: 5,
      signal: request.gone,
    });
    if (answer.status === 200) return answer.body;
    answer.body.destroy();
    throw new ApiError('invalid_request', `The URL responded with status ${answer.status}.`, {
      param: 'url',
    });
  } catch (error) {
    if (error instanceof GateError)
      throw new ApiError('invalid_request', error.message, { param: 'url', cause: error });
    throw error;
  }
}

function bounded(maxBytes: number): Transform {
  let count = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      if (count <= maxBytes) done(null, chunk);
      else done(new ApiError('payload_too_large', `The recording is larger than ${maxBytes} bytes.`));
    },
  });
}

export interface RawSound {
  readonly encoding: LiveEncoding;
  readonly rate: number;
  readonly channels: number;
}

const RATES = { least: 8000, most: 48_000 };

export function rawSoundOf(said: {
  encoding?: string;
  sample_rate?: string;
  channels?: string;
}): RawSound | null {
  const encoding = LIVE_ENCODINGS.find((one) => one === said.encoding);
  if (encoding === undefined) return null;
  const rate = Number(said.sample_rate ?? (encoding === 'linear16' ? 16_000 : 8000));
  if (!Number.isInteger(rate) || rate < RATES.least || rate > RATES.most) {
    const message = `sample_rate must be an integer from ${RATES.least} to ${RATES.most}.`;
    throw new ApiError('invalid_request', message, { param: 'sample_rate' });
  }
  const channels = Number(said.channels ?? 1);
  if (!Number.isInteger(channels) || channels < 1 || channels > 8)
    throw new ApiError('invalid_request', 'channels must be an integer from 1 to 8.', { param: 'channels' });
  return { encoding, rate, channels };
}

/** Adds a WAV header, so that raw audio is decoded as any recording. Bytes that have a header stay unchanged. */
export function withHeader(source: Readable, raw: RawSound, keepsChannels: boolean): Readable {
  const channels = keepsChannels ? raw.channels : 1;
  async function* wav(): AsyncGenerator<Uint8Array, void> {
    const sound = new LiveSound(raw.encoding, raw.channels / channels);
    let container: string | null | undefined;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if (container === undefined) {
        container = containerOf(chunk);
        if (container === null) yield wavHeader({ sampleRate: raw.rate, channels, sample: 's16' });
      }
      yield container === null ? sound.pcmOf(chunk) : chunk;
    }
  }
  return Readable.from(wav(), { objectMode: false });
}
