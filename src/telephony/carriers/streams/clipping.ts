/** A u-law byte without its sign; 0 is full scale. */
const MAGNITUDE = 0x7f;

/** The share of one direction's u-law samples at full scale, counted as in native/dsp/clipping.h. */
export class Clipping {
  #samples = 0;
  #clipped = 0;

  heard(frames: Uint8Array): void {
    this.#samples += frames.length;
    for (let i = 0; i < frames.length; i++) {
      if (((frames[i] as number) & MAGNITUDE) === 0) this.#clipped += 1;
    }
  }

  get share(): number | null {
    return this.#samples === 0 ? null : this.#clipped / this.#samples;
  }
}
