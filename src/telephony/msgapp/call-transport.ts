import type { CallTransport } from '../../conversation/calls/index.ts';
import type { Peer } from '../webrtc/index.ts';

/**
 * Carries audio and keys to the person; the other events of a session have no receiver in such a call. Once the agent
 * runs, its lane is joined with the person's inside the engine, which drops interrupted audio by itself.
 */
export const callTransportOf = (peer: Peer, over: () => void, begun: () => void): CallTransport => ({
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
