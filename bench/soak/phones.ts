import { Engine } from '../../src/media/engine/index.ts';
import { type DescribedPeer, type PeerListener, WebRtcService } from '../../src/telephony/webrtc/index.ts';
import { AGENT } from './surfaces.ts';
import { visiting } from './visit.ts';
import { answer, auth, RATE, type SoakTarget, type SoakVisit } from './visits.ts';

/** The peers run in a process of their own, so that the server sees only packets. */
export function openPhones(): { peers: WebRtcService; stop: () => Promise<void> } {
  const engine = new Engine({ slots: 8 });
  const peers = new WebRtcService({
    engine,
    ports: { first: 34_000, last: 34_999 },
    address: '127.0.0.1',
    stun: [],
    mayReach: () => true,
    most: 8,
    mostOpening: 8,
    connectWithinMs: 20_000,
    restartWithinMs: 5_000,
  });
  const stop = async () => {
    await peers.stop();
    engine.destroy();
  };
  return { peers, stop };
}

const LOUD = 1_000;
const STEP_MS = 20;
const DEADLINE_MS = 20_000;

export class Phone implements PeerListener {
  readonly #voice: Int16Array;
  #rate = 0;
  #loud = 0;
  #isOver = false;

  constructor({ speech }: SoakTarget) {
    this.#voice = new Int16Array(speech.buffer, speech.byteOffset, speech.length >> 1);
  }

  connected(rate: number): void {
    this.#rate = rate;
  }

  audio(pcm: Uint8Array): void {
    const view = new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength);
    for (let at = 0; at + 1 < pcm.length; at += 2)
      if (Math.abs(view.getInt16(at, true)) > LOUD) this.#loud += 1;
  }

  ended(): void {
    this.#isOver = true;
  }

  async talk({ peer }: Pick<DescribedPeer, 'peer'>, seconds: number): Promise<boolean> {
    await this.#wait(() => this.#rate > 0);
    await this.#wait(() => this.#loud > this.#rate / 10);
    const began = performance.now();
    for (let sent = 0; !this.#isOver && sent < seconds * 1000; ) {
      const due = Math.min(seconds * 1000, performance.now() - began);
      for (; sent <= due; sent += STEP_MS) peer.send(this.#frameAt(sent));
      await step();
    }
    return this.#loud > this.#rate / 10;
  }

  async #wait(done: () => boolean): Promise<void> {
    const deadline = performance.now() + DEADLINE_MS;
    while (!done() && !this.#isOver && performance.now() < deadline) await step();
  }

  #frameAt(ms: number): Uint8Array {
    const frame = new Int16Array((this.#rate * STEP_MS) / 1000);
    for (let at = 0; at < frame.length; at++) {
      const place = ((ms / 1000 + at / this.#rate) * RATE) % (this.#voice.length - 1);
      const [from, share] = [Math.floor(place), place % 1];
      frame[at] = this.#voice[from]! * (1 - share) + this.#voice[from + 1]! * share;
    }
    return new Uint8Array(frame.buffer);
  }
}

const step = () => new Promise((resolve) => setTimeout(resolve, STEP_MS));

export const hidden = (sdp: string): string => sdp.replaceAll(/a=candidate:.*\r?\n/g, '');

let agent: Promise<string> | null = null;

const call = (cut: boolean): SoakVisit =>
  visiting(async (visit, target) => {
    agent ??= visit.ask('POST', '/v1/agents', AGENT).then(({ id }) => String(id));
    const phone = new Phone(target);
    const offered = await target.peers.offer(phone);
    const headers = { ...auth(target), 'content-type': 'application/sdp', connection: 'close' };
    const url = `${target.url}/v1/omni/webrtc?agent_id=${await agent}`;
    const body = hidden(offered.sdp);
    const taken = await fetch(url, { method: 'POST', headers, body });
    const sdp = await taken.text();
    visit.notify(taken.status);
    try {
      if (taken.status !== 201) return;
      offered.peer.answered(sdp);
      const heard = await phone.talk(offered, cut ? 1 : 6);
      if (!heard) visit.fail('no voice was heard');
      if (!cut) await visit.ask('DELETE', taken.headers.get('location')!);
    } finally {
      offered.peer.close();
    }
  });

export const PHONES: Record<string, SoakVisit> = {
  'webrtc call': call(false),
  'webrtc call, cut': call(true),
  'an offer that is none': async (target) =>
    answer(
      await fetch(`${target.url}/v1/omni/webrtc`, {
        method: 'POST',
        headers: { ...auth(target), 'content-type': 'application/sdp', connection: 'close' },
        body: 'v=0\r\na=nonsense\r\n',
      }),
    ),
};
