import { ApiError } from '../../../foundation/platform/errors.ts';
import { type Engine, type Lane, loopbackLane } from '../../../media/engine/index.ts';
import type { Socket, SocketHandler, Surface } from '../../server/surface.ts';

const MAX_FRAME_BYTES = 16 * 1024;
const TRY_LATER = 1013;
const NORMAL = 1000;
const FAULT = 1011;

/**
 * Echoes frames through a lane of the engine, for measuring their whole path. It is off unless the configuration
 * enables it.
 */
export const createLoopbackSurface = ({ engine }: { readonly engine: Engine }): Surface => ({
  name: 'loopback',
  sockets: [
    {
      path: '/internal/loopback',
      access: { kind: 'key' },
      maxFrameBytes: MAX_FRAME_BYTES,
      messages: {
        summary:
          'Echo: binary frames are returned through a lane of the engine. Disabled unless the operator enables it.',
        client: [{ name: 'audio', summary: 'Any bytes' }],
        server: [{ name: 'audio', summary: 'The same bytes, after at most two ticks of the engine' }],
      },
      accept: () => ({ open: (socket) => openLoopback(engine, socket) }),
    },
  ],
});

function openLoopback(engine: Engine, socket: Socket): SocketHandler {
  let lane: Lane;
  try {
    lane = engine.open(loopbackLane, undefined, {
      audio: (bytes) => {
        socket.send(bytes);
      },
      closed: (status) => socket.close(status === 'ok' ? NORMAL : FAULT, `the lane ended: ${status}`),
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    socket.close(TRY_LATER, error.code);
    return { onMessage: () => {}, onClosed: () => {} };
  }
  return {
    onMessage: (data) => {
      const result = lane.push(data);
      // The frame is lost here, so the socket closes with an error.
      if (result === 'full') socket.close(TRY_LATER, 'frames come faster than the lane takes them');
    },
    onClosed: () => lane.drop(),
  };
}
