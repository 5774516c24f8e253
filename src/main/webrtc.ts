import { type Config, portRange } from '../platform/config/index.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { WebRtc } from '../webrtc/index.ts';

/** A page that is not connected by then has no way through. */
const CONNECT_WITHIN_MS = 15_000;
/** Connections that are not up yet: anybody with a key may begin one and leave it. */
const MOST_OPENING = 64;

/** Nothing runs until the first call. */
export function openWebRtc(config: Config, log: Log, metrics: Metrics): WebRtc {
  const [first, last] = portRange(config.webrtcPorts);
  const webrtc = new WebRtc({
    ports: { first, last },
    address: config.webrtcAddress,
    stun: config.webrtcStun,
    most: config.webrtcCalls,
    mostOpening: MOST_OPENING,
    connectWithinMs: CONNECT_WITHIN_MS,
    onFault: (fault) => log.error({ fault }, 'calls by WebRTC were cut'),
  });
  metrics.addSource('webrtc', () => ({ peers: webrtc.count }));
  return webrtc;
}
