const FRAME_BYTES = 4;

/**
 * Overlays an agent's recording of a conference with the separate recording of the two people. The agent's left
 * channel is the mix of what it heard: the overlay puts the caller alone there, and the other person on the right
 * with the agent. After the end of the overlay the recording stays unchanged.
 */
export async function* overlayConference(
  agents: AsyncIterable<Buffer>,
  bridged: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  let tape: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of agents) {
      while (tape.length < chunk.length) {
        const next = await bridged.next();
        if (next.done === true) break;
        tape = Buffer.concat([tape, next.value]);
      }
      tape = tape.subarray(overlay(chunk, tape));
      yield chunk;
    }
  } finally {
    await bridged.return();
  }
}

function overlay(chunk: Buffer, tape: Buffer): number {
  const both = Math.min(chunk.length, tape.length);
  for (let at = 0; at + FRAME_BYTES <= both; at += FRAME_BYTES) {
    chunk.writeInt16LE(tape.readInt16LE(at), at);
    chunk.writeInt16LE(clipped(chunk.readInt16LE(at + 2) + tape.readInt16LE(at + 2)), at + 2);
  }
  return both;
}

const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, sample));
