import { SAMPLE_BYTES, SILENCE_BYTE, type WireFormat } from '../../media/engine/index.ts';

/** The audio that participants of a conference say and hear. */
export interface MixerFormat {
  readonly wire: WireFormat;
  /** Samples per second. */
  readonly rate: number;
  readonly bytesPerMs: number;
  readonly silence: number;
}

const formatOf = (wire: WireFormat, rate: number): MixerFormat => ({
  wire,
  rate,
  bytesPerMs: (SAMPLE_BYTES[wire] * rate) / 1000,
  silence: SILENCE_BYTE[wire],
});

export const ULAW = formatOf('pcmu', 8000);
export const pcm16At = (rate: number): MixerFormat => formatOf('pcm16', rate);
