import type { CallLine } from '../../conversation/calls/index.ts';
import type { Peer } from '../webrtc/index.ts';

/** Sound and keys go to the person; there is nobody to tell the rest. Once the agent is there, its lane is the person's inside the
 * engine, which forgets by itself what was cut. */
export const lineOf = (peer: Peer, over: () => void, begun: () => void): CallLine => ({
  audio: (pcm) => peer.send(pcm),
  bargeIn: () => undefined,
  sendKeys: (digits) => peer.press(digits),
  ended: over,
  failed: over,
  transcript: () => undefined,
  turn: () => undefined,
  speech: () => undefined,
  acknowledge: begun,
  sendError: () => undefined,
  toolCall: () => undefined,
  captured: () => undefined,
  captureFailed: () => undefined,
  transfer: () => undefined,
});
