import { addAudio } from '../engine/index.ts';

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
  const pcm = chunk.subarray(0, both - (both % FRAME_BYTES));
  addAudio({ pcm, channels: 2 }, { pcm: tape, channels: 2 }, { keep: 0 });
  addAudio({ pcm, channels: 2, channel: 1 }, { pcm: tape, channels: 2, channel: 1 });
  return both;
}
