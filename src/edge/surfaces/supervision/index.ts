import type { Surface } from '../../server/surface.ts';
import { type SuperviseDeps, superviseRoute } from './supervise-socket.ts';

export type { CallsToSupervise, FoundCall, SuperviseDeps } from './supervise-socket.ts';
export { omniSupervision } from './supervised-omni-call.ts';

export interface SupervisionDeps {
  readonly omni: SuperviseDeps;
  /** It is null where the server has no carrier. */
  readonly telephony: SuperviseDeps | null;
}

/** A frame of two seconds, at the highest rate of each kind of call. */
const OMNI_FRAME_BYTES = 192_000;
const TELEPHONY_FRAME_BYTES = 32_768;

export const createSupervisionSurface = ({ omni, telephony }: SupervisionDeps): Surface => ({
  name: 'supervision',
  sockets: [
    superviseRoute(omni, {
      path: '/v1/omni/supervise',
      scope: 'omni:supervise',
      title: 'Supervise a live call without a telephone',
      prefix: 'The ID of a live call from a browser, an app or a socket.',
      sound:
        'Binary frames carry audio in both directions: signed 16-bit little-endian, mono, at the `rate` of the event `supervising`.',
      ends: 'The agent stays silent meanwhile; if `agent` is `listens`, it hears both parties and its transcript includes them.',
      maxFrameBytes: OMNI_FRAME_BYTES,
    }),
    ...(telephony === null
      ? []
      : [
          superviseRoute(telephony, {
            path: '/v1/telephony/supervise',
            scope: 'telephony:supervise',
            title: 'Supervise a live call',
            prefix: 'The ID of a call that is answered.',
            sound:
              'Binary frames carry audio in both directions: signed 16-bit little-endian at 8 kHz, mono.',
            ends: 'The agent leaves a call that is taken over, or listens silently if `agent` is `listens`, and then knows what it heard.',
            maxFrameBytes: TELEPHONY_FRAME_BYTES,
          }),
        ]),
  ],
});
