import { socketMessages } from '../../foundation/platform/url-gate/index.ts';
import { ProviderError, type ProviderSound, type SpeechProvider } from './contract.ts';
import { toProviderError } from './faults.ts';
import { messageOf, textOr } from './messages.ts';
import { describeProvider, type SpeechProviderOptions, voiceFor } from './provider-options.ts';
import { RawSound } from './raw-sound.ts';

/**
 * ElevenLabs' `stream-input` socket takes one text per connection and reports the characters of each piece of audio.
 */
export function elevenLabsSpeech(options: SpeechProviderOptions): SpeechProvider {
  const provider = describeProvider(options);

  async function* speak(text: string, language: string, signal: AbortSignal): AsyncGenerator<ProviderSound> {
    const messages = socketMessages({
      gate: options.gate,
      url: endpointOf(options, language, provider.rate),
      headers: { ...(options.key === undefined ? {} : { 'xi-api-key': options.key }), ...options.headers },
      // ElevenLabs' protocol: the first message opens the stream, a text ends in a space, and an empty text ends the
      // input.
      first: [{ text: ' ' }, { text: `${text} `, flush: true }, { text: '' }],
      signal,
    });
    const raw = new RawSound();
    let characters = 0;
    let isWhole = false;
    try {
      for await (const message of messages) {
        const said = messageOf(message.toString());
        if (said.error !== undefined)
          throw new ProviderError(
            'refused',
            `the provider returned the error ${textOr(said.error, 'Error')}: ${textOr(said.message, '')}`,
          );
        characters += spokenIn(said.alignment);
        const pcm = typeof said.audio === 'string' ? raw.take(Buffer.from(said.audio, 'base64')) : null;
        if (pcm !== null && pcm.length > 0)
          yield characters > 0 ? { pcm, characters: Math.min(characters, text.length) } : { pcm };
        isWhole = said.isFinal === true;
        if (isWhole) break;
      }
    } catch (error) {
      if (!signal.aborted) throw toProviderError(error);
    }
    if (!isWhole && !signal.aborted)
      throw new ProviderError('incomplete', 'the provider closed its socket before the end of the text');
  }
  return { ...provider, speak };
}

function spokenIn(alignment: unknown): number {
  const { chars } = (alignment ?? {}) as { readonly chars?: unknown };
  return Array.isArray(chars) ? chars.length : 0;
}

function endpointOf(options: SpeechProviderOptions, language: string, rate: number): string {
  const at = new URL(options.url);
  const voice = encodeURIComponent(voiceFor(options, language) ?? '');
  at.pathname = `${at.pathname.replace(/(\/v1)?\/*$/, '')}/v1/text-to-speech/${voice}/stream-input`;
  if (options.model !== undefined) at.searchParams.set('model_id', options.model);
  at.searchParams.set('output_format', `pcm_${rate}`);
  return at.href;
}
