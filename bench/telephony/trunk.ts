import { BackgroundTasks } from '../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../src/foundation/platform/clock.ts';
import { Engine } from '../../src/media/engine/index.ts';
import { SipCarrier, sipSettings } from '../../src/telephony/carriers/index.ts';

export const NUMBER = '+14155550100';
export const OURS = 15560;
export const THEIRS = 15562;
export const LISTEN = `udp://127.0.0.1:${OURS}`;
export const RTP_PORTS = '40000-49999';
export const TRUNKS = JSON.stringify([
  { name: 'caller', host: '127.0.0.1', port: THEIRS, numbers: [NUMBER] },
]);

type Taker = Parameters<SipCarrier['incoming']>[0];

export async function withTrunk<T>(takerOf: (engine: Engine) => Taker, use: () => Promise<T>): Promise<T> {
  const engine = new Engine({ slots: 2048, capacity: 1_000_000 });
  await engine.prepared();
  const carrier = new SipCarrier({
    settings: sipSettings({
      sipListen: [LISTEN],
      sipRealm: null,
      sipRtpPorts: RTP_PORTS,
      sipTlsCert: null,
      sipTlsKey: null,
      sipTlsCa: null,
      sipTrunks: TRUNKS,
    }),
    engine,
    clock: systemClock,
    background: new BackgroundTasks({ clock: systemClock }),
    registered: () => undefined,
    onError: (error) => console.error(error),
  });
  carrier.incoming(takerOf(engine));
  await carrier.start();
  try {
    return await use();
  } finally {
    await carrier.stop();
    engine.destroy();
  }
}
