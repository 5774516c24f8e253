import { addon } from './addon.ts';

/** Bounds what the kernel holds for each connection to come on a port of this process; the number of sockets bounded. */
export const limitReceiveBuffer = (port: number, bytes: number): number => addon().boundReceive(port, bytes);

/** Tells clients that break RFC 6455 so, also where the loaded library would not; `most`: no message is longer. The number of
 * calls that are guarded, 0 where this system has no way to do it. */
export const guardWebSocketFrames = (library: string, most: number): number =>
  addon().guardFrames(library, most);

/** Runs what answers one upgrade: the guard takes its connection, and no other, for a WebSocket from then on. */
export function answerUpgrade(run: () => void): void {
  addon().answerUpgrade(true);
  try {
    run();
  } finally {
    addon().answerUpgrade(false);
  }
}
