import { socketMessages } from '../../foundation/platform/url-gate/index.ts';
import { ProviderError, type ProviderSound, type SpeechProvider } from './contract.ts';
import { toProviderError } from './faults.ts';
import { messageOf, textOr } from './messages.ts';
import { describeProvider, type SpeechProviderOptions, voiceFor } from './provider-options.ts';
import { RawSound } from './raw-sound.ts';

/** Deepgram's `speak` socket takes one text per connection. Its voices are models. */
export function deepgramSpeech(options: SpeechProviderOptions): SpeechProvider {
  const provider = describeProvider(options);

  async function* speak(text: string, language: string, signal: AbortSignal): AsyncGenerator<ProviderSound> {
    const messages = socketMessages({
      gate: options.gate,
      url: endpointOf(options, language, provider.rate),
      headers: {
        ...(options.key === undefined ? {} : { authorization: `Token ${options.key}` }),
        ...options.headers,
      },
      first: [{ type: 'Speak', text }, { type: 'Flush' }],
      signal,
    });
    const raw = new RawSound();
    let isWhole = false;
    try {
      for await (const message of messages) {
        if (typeof message === 'string') {
          isWhole = isFlushed(message);
          if (isWhole) break;
          continue;
        }
        const pcm = raw.take(message);
        if (pcm.length > 0) yield { pcm };
      }
    } catch (error) {
      if (!signal.aborted) throw toProviderError(error);
    }
    if (!isWhole && !signal.aborted)
      throw new ProviderError('incomplete', 'the provider closed its socket before the end of the text');
  }
  return { ...provider, speak };
}

/** Throws ProviderError for an error; it ignores metadata and warnings. */
function isFlushed(message: string): boolean {
  const said = messageOf(message);
  if (said.type === 'Error')
    throw new ProviderError(
      'refused',
      `the provider returned an error: ${textOr(said.description, textOr(said.err_msg, 'Error'))}`,
    );
  return said.type === 'Flushed';
}

function endpointOf(options: SpeechProviderOptions, language: string, rate: number): string {
  const at = new URL(options.url);
  at.pathname = `${at.pathname.replace(/(\/v1(\/speak)?)?\/*$/, '')}/v1/speak`;
  at.searchParams.set('model', voiceFor(options, language) ?? '');
  at.searchParams.set('encoding', 'linear16');
  at.searchParams.set('sample_rate', String(rate));
  return at.href;
}
