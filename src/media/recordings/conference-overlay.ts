const FRAME_BYTES = 4;

/** An agent's recording in a talk of three, with what was taped of the two people beside it. The agent's own left side is all that it heard, mixed:
 * the tape puts the caller alone there, and the person on the right with the agent. Where the tape has ended, the recording stays as it is. */
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

/** How much of the tape there was for the chunk. */
function overlay(chunk: Buffer, tape: Buffer): number {
  const both = Math.min(chunk.length, tape.length);
  for (let at = 0; at + FRAME_BYTES <= both; at += FRAME_BYTES) {
    chunk.writeInt16LE(tape.readInt16LE(at), at);
    chunk.writeInt16LE(clipped(chunk.readInt16LE(at + 2) + tape.readInt16LE(at + 2)), at + 2);
  }
  return both;
}

const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, sample));
