/**
 * Endpoints without u-law need 24 kHz. The measurements concern levels and times, so linear interpolation suffices.
 */
const TIMES = 3;

/** The interpolation continues from the last sample of the frame before. */
export class Upsampler {
  #last = 0;

  frame(samples: Int16Array): Buffer {
    const raised = new Int16Array(samples.length * TIMES);
    samples.forEach((sample, at) => {
      const step = (sample - this.#last) / TIMES;
      for (let part = 0; part < TIMES; part++)
        raised[at * TIMES + part] = Math.round(this.#last + step * (part + 1));
      this.#last = sample;
    });
    return Buffer.from(raised.buffer);
  }
}

/** Averages three samples; an incomplete group waits for the next bytes. */
export class Downsampler {
  #rest = Buffer.alloc(0);

  samples(bytes: Buffer): Int16Array {
    const all = Buffer.concat([this.#rest, bytes]);
    const width = 2 * TIMES;
    const whole = Math.floor(all.length / width);
    this.#rest = all.subarray(whole * width);
    return Int16Array.from({ length: whole }, (_, at) => {
      let sum = 0;
      for (let part = 0; part < TIMES; part++) sum += all.readInt16LE(at * width + 2 * part);
      return Math.round(sum / TIMES);
    });
  }
}
