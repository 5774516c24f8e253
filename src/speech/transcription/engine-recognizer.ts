import {
  capacityShareOf,
  type Engine,
  HEAR_LANGUAGES,
  readVoiceWindows,
  speakersJob,
  transcribeRecording,
} from '../../media/engine/index.ts';
import { type Recognizer, SAMPLE_RATE, type SpeakerEmbedder } from './contract.ts';

const languageOf = (text: string | null) => HEAR_LANGUAGES.find((language) => language === text);

/** Transcription jobs hear through the engine, a window at a time and behind all live work. */
export const engineRecognizer = (engine: Engine): Recognizer => ({
  async *transcribe(pcm, { from, language, expected, vocabulary, translates, environment, signal }) {
    const pinned = languageOf(language);
    const likely = languageOf(expected ?? null);
    const steps = transcribeRecording(engine, pcm, {
      fromSample: Math.round(from * SAMPLE_RATE),
      vocabulary: vocabulary.map((term) => ({ term })),
      share: capacityShareOf(environment),
      signal,
      ...(pinned ? { language: pinned } : {}),
      ...(likely ? { expected: likely } : {}),
      ...(translates ? { task: 'translate' as const } : {}),
    });
    for await (const { segment, doneSamples } of steps)
      yield { stretch: segment, done: doneSamples / SAMPLE_RATE };
  },
});

export const engineVoices = (engine: Engine): SpeakerEmbedder => ({
  voices: async (pcm, environment, signal) =>
    readVoiceWindows(
      await engine.submit(speakersJob, undefined, pcm, signal, capacityShareOf(environment)).result(),
    ),
});
