import { Engine } from '../../../src/media/engine/index.ts';
import { type WebRtcOptions, WebRtcService } from '../../../src/telephony/webrtc/index.ts';
import { afterAll, afterEach } from '../../helper-hooks.ts';

let engine: Engine | null = null;
const opened: WebRtcService[] = [];
afterEach(async () => {
  for (const webrtc of opened.splice(0)) await webrtc.stop();
});
afterAll(() => {
  engine?.destroy();
  engine = null;
});

export function soundEngine(): Engine {
  engine ??= new Engine({ slots: 64, capacity: 100_000 });
  return engine;
}

export const LOCAL: Omit<WebRtcOptions, 'engine'> = {
  ports: { first: 31_000, last: 31_999 },
  address: '127.0.0.1',
  stun: [],
  mayReach: () => true,
  most: 20,
  mostOpening: 10,
  connectWithinMs: 15_000,
  restartWithinMs: 10_000,
};

export const makeNode = (options: Partial<WebRtcOptions> = {}): WebRtcService =>
  new WebRtcService({ ...LOCAL, engine: options.engine ?? soundEngine(), ...options });

export function node(options: Partial<WebRtcOptions> = {}): WebRtcService {
  const webrtc = makeNode(options);
  opened.push(webrtc);
  return webrtc;
}
