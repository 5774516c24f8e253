import {
  type CapacityShare,
  type ChooseRecognizer,
  capacityShareOf,
  chosenRecognizer,
  type EncoderSource,
  type Engine,
  HEAR_LANGUAGES,
  isModelFailure,
  readSpeakerSegments,
  SPEAKERS_SECONDS,
  type SpeakerSegment,
  speakersJob,
  transcribeRecording,
} from '../../media/engine/index.ts';
import { BYTES_PER_SECOND, type Recognizer, SAMPLE_RATE, type SpeakerEmbedder } from './contract.ts';
import { countSpeakers } from './run/speakers.ts';

const languageOf = (text: string | null) => HEAR_LANGUAGES.find((language) => language === text);

/** Transcribes window by window, at a lower priority than all live work. */
export const engineRecognizer = (engine: Engine, choose?: ChooseRecognizer): Recognizer => ({
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
      // The stock recognizer was trained to translate, and not every size of Whisper was.
      ...(translates ? { task: 'translate' as const } : chosenRecognizer(choose, { language: pinned })),
    });
    for await (const { segment, doneSamples } of steps)
      yield { span: segment, done: doneSamples / SAMPLE_RATE };
  },
});

/** The bundled encoder replaces an added one that cannot be used. */
export const engineVoices = (engine: Engine, encoders?: EncoderSource): SpeakerEmbedder => ({
  async voices(pcm, environment, signal) {
    const share = capacityShareOf(environment);
    const encoder = encoders?.choose() ?? null;
    const segments = async (folder?: string) =>
      readSpeakerSegments(await engine.submit(speakersJob, { encoder: folder }, pcm, signal, share).result());
    if (encoder === null) return await segments();
    try {
      const { id, bounds, folder } = encoder;
      return (await segments(folder)).map((segment) => ({ ...segment, encoder: { id, bounds } }));
    } catch (error) {
      if (!isModelFailure(error)) throw error;
      encoders?.failed(encoder, error);
      return await segments();
    }
  },
});

export async function speakersInRecording(
  engine: Engine,
  pcm: Buffer,
  signal: AbortSignal,
  share?: CapacityShare,
): Promise<number> {
  const block = SPEAKERS_SECONDS * BYTES_PER_SECOND;
  const voices: SpeakerSegment[] = [];
  for (let from = 0; from < pcm.length; from += block) {
    const part = pcm.subarray(from, from + block);
    voices.push(
      ...readSpeakerSegments(await engine.submit(speakersJob, undefined, part, signal, share).result()),
    );
  }
  return await countSpeakers(voices);
}
