import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ProviderError, type ProviderSound, type SpeechProvider } from './contract.ts';
import { statusError, toProviderError } from './faults.ts';
import { describeProvider, type SpeechProviderOptions, voiceFor } from './provider-options.ts';
import { RawSound } from './raw-sound.ts';

/** No text of a turn takes longer to speak. */
const WHOLE_MS = 120_000;
const MAX_BYTES = 32 * 1024 * 1024;

export function openAiSpeech(options: SpeechProviderOptions): SpeechProvider {
  const provider = describeProvider(options);
  const endpoint = speechEndpointOf(options.url);

  async function* speak(text: string, language: string, signal: AbortSignal): AsyncGenerator<ProviderSound> {
    try {
      const response = await options.gate.fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'audio/pcm, */*',
          ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
          ...options.headers,
        },
        body: JSON.stringify({
          ...(options.model === undefined ? {} : { model: options.model }),
          voice: voiceFor(options, language),
          input: text,
          response_format: 'pcm',
        }),
        maxBytes: MAX_BYTES,
        timeoutMs: WHOLE_MS,
        signal,
      });
      if (response.status !== 200) throw statusError(response.status, await beginningOf(response.body));
      checkType(response.headers['content-type'], provider.rate);
      const raw = new RawSound();
      for await (const bytes of response.body) {
        const pcm = raw.take(bytes as Buffer);
        if (pcm.length > 0) yield { pcm };
      }
    } catch (error) {
      if (!signal.aborted) throw toProviderError(error);
    }
  }
  return { ...provider, speak };
}

/** Azure needs the query after the path. */
function speechEndpointOf(url: string): string {
  const at = new URL(url);
  at.pathname = `${at.pathname.replace(/(\/audio\/speech)?\/*$/, '')}/audio/speech`;
  return at.href;
}

/**
 * Some servers name the rate (`audio/pcm;rate=16000`, `audio/L16; rate=8000`). Speech at another rate would play too
 * fast or too slow.
 */
function checkType(said: string | string[] | undefined, rate: number): void {
  const type = String(said ?? '').toLowerCase();
  const named = /\brate=(\d+)/.exec(type)?.[1];
  if (named !== undefined && Number(named) !== rate)
    throw new ProviderError('garbage', `the provider sent ${named} Hz, but ${rate} Hz was expected`);
  if (/^(text\/|application\/json|audio\/(mpeg|mp3|wav|x-wav|ogg|opus|flac|aac))/.test(type))
    throw new ProviderError('garbage', `the provider sent ${type}, but raw PCM16 was requested`);
}

async function beginningOf(body: Readable): Promise<string> {
  body.once('error', () => undefined);
  const first = await Promise.race([
    once(body, 'data').catch(() => ['']),
    once(body, 'close').catch(() => ['']),
  ]);
  body.destroy();
  return String(first[0] ?? '');
}
