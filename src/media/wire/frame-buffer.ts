export class FrameBuffer {
  #frames: Uint8Array[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(frames: Uint8Array): void {
    if (frames.length === 0) return;
    this.#frames.push(Uint8Array.from(frames));
    this.#bytes += frames.length;
  }

  take(length: number, missing: number): Uint8Array {
    const taken = new Uint8Array(length).fill(missing);
    for (let at = 0; at < length; ) {
      const first = this.#frames[0];
      if (first === undefined) break;
      const part = first.subarray(0, length - at);
      taken.set(part, at);
      at += part.length;
      this.#bytes -= part.length;
      if (part.length === first.length) this.#frames.shift();
      else this.#frames[0] = first.subarray(part.length);
    }
    return taken;
  }

  trimTo(most: number): void {
    while (this.#bytes > most) this.#bytes -= this.#frames.shift()?.length ?? 0;
  }
}
