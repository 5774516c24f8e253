import { type Config, portRange } from '../foundation/platform/config/index.ts';
import type { Log } from '../foundation/platform/log.ts';
import type { Metrics } from '../foundation/platform/metrics.ts';
import { mayReach } from '../foundation/platform/url-gate/index.ts';
import type { Engine } from '../media/engine/index.ts';
import { WebRtcService } from '../telephony/webrtc/index.ts';

/** A page that is not connected within this time has no network path. */
const CONNECT_WITHIN_MS = 15_000;
/** A page notices the loss of its network within ten seconds and has as long to find another. */
const RESTART_WITHIN_MS = 20_000;
/** The limit covers connections that are not established yet, which any client with a key can start and abandon. */
const MAX_CONNECTING = 64;

export function openWebRtc(config: Config, engine: Engine, log: Log, metrics: Metrics): WebRtcService {
  const [first, last] = portRange(config.webrtcPorts);
  const webrtc = new WebRtcService({
    engine,
    ports: { first, last },
    address: config.webrtcAddress,
    stun: config.webrtcStun,
    mayReach: (address, port) => mayReach(address, port, config.allowLoopbackUrls),
    most: config.webrtcCalls,
    mostOpening: MAX_CONNECTING,
    connectWithinMs: CONNECT_WITHIN_MS,
    restartWithinMs: RESTART_WITHIN_MS,
    onFault: (fault) => log.error({ fault }, 'the WebRTC process ended, and its calls with it'),
  });
  metrics.addSource('webrtc', () => ({ peers: webrtc.count, ...webrtc.totals }));
  return webrtc;
}
