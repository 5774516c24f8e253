/** G.711 μ-law to PCM16. */
export function ulawToPcm(bytes: Uint8Array): Uint8Array {
  const pcm = Buffer.alloc(bytes.length * 2);
  for (const [at, byte] of bytes.entries()) {
    const code = ~byte & 0xff;
    const level = (((code & 0x0f) << 3) + 0x84) << ((code >> 4) & 7);
    pcm.writeInt16LE(code & 0x80 ? 0x84 - level : level - 0x84, at * 2);
  }
  return pcm;
}
