import { addon } from './addon.ts';

/**
 * Bounds the kernel's receive buffer for each future connection on a port of this process. Returns the number of
 * bounded sockets.
 */
export const limitReceiveBuffer = (port: number, bytes: number): number => addon().boundReceive(port, bytes);

/**
 * Rejects clients that break RFC 6455, also where the loaded library would accept them; `most` limits a message.
 * Returns the number of guarded calls, 0 where this system has no way to do it.
 */
export const guardWebSocketFrames = (library: string, most: number): number =>
  addon().guardFrames(library, most);

/** Runs the handler of one upgrade. The guard treats only its connection as a WebSocket from then on. */
export function answerUpgrade(run: () => void): void {
  addon().answerUpgrade(true);
  try {
    run();
  } finally {
    addon().answerUpgrade(false);
  }
}
