import type { LaneKind } from '../contract.ts';

export interface DenoiseOptions {
  readonly rate: 8000 | 16_000 | 24_000;
  readonly codec: 'pcm16' | 'ulaw';
}

/** Takes the noise out of what a person listens to; native/lanes/denoise/lane.h has the contract. */
export const denoiseLane: LaneKind<DenoiseOptions, never> = {
  name: 'denoise',
  flatten: ({ rate, codec }) => ({ rate, codec }),
  decode(type) {
    throw new RangeError(`expected audio alone of a denoise lane, received type ${type}`);
  },
};
