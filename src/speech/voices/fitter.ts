import { ApiError } from '../../foundation/platform/errors.ts';
import type { CapacityShare, Engine, EngineVoice, FittedVoice } from '../../media/engine/index.ts';
import { fitVoiceJob, readFittedVoice } from '../../media/engine/index.ts';
import { speakersInRecording } from '../transcription/index.ts';
import { stockVoice } from './catalogue.ts';
import type { StockVoices } from './stock.ts';

export interface Fitted {
  readonly voice: EngineVoice;
  readonly measured: Readonly<Record<string, number>>;
}

export interface VoiceFitter {
  /** `pcm` is PCM16 at 16 kHz with one channel. Throws ApiError `invalid_voice_sample` with the reason. */
  fit(pcm: Buffer, signal: AbortSignal, share?: CapacityShare): Promise<Fitted>;
}

export class StyleFitter implements VoiceFitter {
  readonly #engine: Engine;
  readonly #choice: EngineVoice;

  constructor(engine: Engine, stock: StockVoices) {
    this.#engine = engine;
    const styles = stock.list
      .filter(({ language, region }) => language === 'en' && (region === 'us' || region === 'uk'))
      // The tables of a Kokoro of other weights are of another space.
      .filter(({ synthesis }) => synthesis.added === undefined)
      .flatMap((voice) => stockVoice(voice).engine.styles);
    this.#choice = { model: 'kokoro', language: 'en', accent: 'en-us', styles };
  }

  async fit(pcm: Buffer, signal: AbortSignal, share?: CapacityShare): Promise<Fitted> {
    // A recording of several people would give a blend of their voices.
    if ((await speakersInRecording(this.#engine, pcm, signal, share)) > 1) throw severalSpeakers();
    const job = this.#engine.submit(fitVoiceJob, { voice: this.#choice }, pcm, signal, share);
    const fitted = readFittedVoice(await job.result());
    if (fitted.verdict !== 'good') throw refusal(fitted);
    const { styles, pitch, tilt, similarity, spectrumDb, pitchHz, snrDb, speechSeconds } = fitted;
    return {
      voice: { model: 'kokoro', language: 'en', accent: 'en-us', styles, manner: { pitch, tilt } },
      measured: {
        similarity: Math.round(similarity * 1000) / 1000,
        spectrum_db: Math.round(spectrumDb * 10) / 10,
        pitch_hz: Math.round(pitchHz),
        snr_db: Math.round(snrDb),
        speech_seconds: Math.round(speechSeconds * 10) / 10,
      },
    };
  }
}

const severalSpeakers = (): ApiError =>
  new ApiError('invalid_voice_sample', 'The recording has several speakers; send a recording of only one.', {
    param: 'file',
  });

function refusal({ verdict, speechSeconds, snrDb }: FittedVoice): ApiError {
  const seconds = speechSeconds.toFixed(1);
  const messages: Record<string, string> = {
    no_speech: 'No speech was found in the recording; send at least 3 s of speech of one person.',
    too_short: `The recording is too short: it has ${seconds} s of speech; the minimum is 3 s.`,
    too_long: `The recording is too long: it has ${seconds} s of speech; the maximum is 120 s.`,
    too_noisy: `The recording is too noisy: its signal-to-noise ratio is ${snrDb.toFixed(0)} dB; the minimum is 15 dB.`,
    several_speakers: 'The recording has several speakers; send a recording of only one.',
  };
  return new ApiError(
    'invalid_voice_sample',
    messages[verdict] ?? 'The recording cannot be used for a clone.',
    {
      param: 'file',
    },
  );
}
