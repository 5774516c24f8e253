import type { JobKind } from '../contract.ts';
import { type EngineVoice, synthesizeJob } from './synthesize.ts';

export interface FitVoiceOptions {
  readonly voice: EngineVoice;
  readonly measure?: boolean;
}

/** Fits a voice to the input recording (PCM16, 16 kHz); native/lanes/speak/fit_voice_job.h has the contract. */
export const fitVoiceJob: JobKind<FitVoiceOptions> = {
  name: 'fit_voice',
  flatten: ({ voice, measure }) => {
    const { styles, ...rest } = voice;
    const flat = synthesizeJob.flatten({
      voice: { ...rest, styles: styles.slice(0, 1) },
      rate: 24_000,
      format: 'pcm16',
    });
    return { ...flat, styles: styles.map(({ name }) => name), measure };
  },
};

export type SampleVerdict =
  | 'good'
  | 'no_speech'
  | 'too_short'
  | 'too_long'
  | 'too_noisy'
  | 'several_speakers';

export interface FittedVoice {
  readonly verdict: SampleVerdict;
  readonly speechSeconds: number;
  readonly snrDb: number;
  readonly pitchHz: number;
  readonly similarity: number;
  readonly spectrumDb: number;
  readonly pitch: number;
  readonly tilt: number;
  readonly styles: readonly { readonly name: string; readonly share: number }[];
}

export function readFittedVoice(result: Uint8Array): FittedVoice {
  const fields = new Map<string, string>();
  const styles: { name: string; share: number }[] = [];
  for (const line of Buffer.from(result).toString('utf8').split('\n')) {
    const [name = '', value = '', share] = line.split(' ');
    if (name === 'style') styles.push({ name: value, share: Number(share) });
    else fields.set(name, value);
  }
  const number = (name: string, otherwise = 0): number => Number(fields.get(name) ?? otherwise);
  return {
    verdict: fields.get('verdict') as SampleVerdict,
    speechSeconds: number('speech_seconds'),
    snrDb: number('snr_db'),
    pitchHz: number('pitch_hz'),
    similarity: number('similarity', -1),
    spectrumDb: number('spectrum_db'),
    pitch: number('pitch', 1),
    tilt: number('tilt'),
    styles,
  };
}
