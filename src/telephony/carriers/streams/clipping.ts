/** A u-law byte without its sign; 0 is full scale. */
const MAGNITUDE = 0x7f;

/** How much of one way's u-law lies at the end of its scale, as native/dsp/clipping.h counts it of samples. */
export class Clipping {
  #samples = 0;
  #clipped = 0;

  heard(frames: Uint8Array): void {
    this.#samples += frames.length;
    for (let i = 0; i < frames.length; i++) {
      if (((frames[i] as number) & MAGNITUDE) === 0) this.#clipped += 1;
    }
  }

  /** 0 to 1; null: nothing came. */
  get share(): number | null {
    return this.#samples === 0 ? null : this.#clipped / this.#samples;
  }
}
