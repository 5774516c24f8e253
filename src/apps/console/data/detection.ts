import { decodeSound, mulaw, openSocket } from './sound.ts';

const HERTZ = 8_000;
/** Carriers send frames of this size. */
const FRAME = 160;
/** The recording is sent faster than real time, followed by silence, as on a line that stays open. */
const FASTER = 4;
const FRAMES_A_TURN = 10;
const SILENCE_S = 4;

export interface Verdict {
  readonly call_id: string;
  readonly answered_by: string;
  readonly reason: string;
  readonly confidence: number;
  readonly at_ms: number;
}

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

export async function detect(blob: Blob, notify: (sentMs: number) => void): Promise<Verdict> {
  const { samples } = await decodeSound(blob, HERTZ);
  const line = new Float32Array(samples.length + SILENCE_S * HERTZ);
  line.set(samples);
  const bytes = mulaw(line);
  const socket = await openSocket('/v1/amd/stream?mode=message_end');
  return await new Promise((resolve, reject) => {
    let at = 0;
    let timer = 0;
    let verdict: Verdict | null = null;
    const send = (message: object) => socket.send(JSON.stringify(message));
    const step = () => {
      for (let nth = 0; nth < FRAMES_A_TURN && at < bytes.length; nth += 1, at += FRAME)
        send({
          event: 'media',
          streamSid: 'console',
          media: { track: 'inbound', payload: base64(bytes.subarray(at, at + FRAME)) },
        });
      notify((Math.min(at, samples.length) / HERTZ) * 1000);
      if (at < bytes.length) return;
      clearInterval(timer);
      send({ event: 'stop', streamSid: 'console' });
    };
    socket.onopen = () => {
      const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: HERTZ, channels: 1 };
      send({ event: 'start', streamSid: 'console', start: { streamSid: 'console', mediaFormat } });
      timer = window.setInterval(step, (FRAMES_A_TURN * FRAME * 1000) / HERTZ / FASTER);
    };
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data));
      if (message.event === 'amd') verdict = message;
      if (message.event === 'error') reject(new Error(message.error.message));
    };
    socket.onclose = ({ reason }) => {
      clearInterval(timer);
      if (verdict === null) reject(new Error(reason));
      else resolve(verdict);
    };
  });
}
