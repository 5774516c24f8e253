import { t } from '../i18n/index.ts';

/** The widget's file also contains the worklet that captures the microphone. */
const WORKLET = '/widget.js';

export class MicrophoneCapture {
  readonly #context: AudioContext;
  readonly #stream: MediaStream;

  private constructor(context: AudioContext, stream: MediaStream) {
    this.#context = context;
    this.#stream = stream;
  }

  static async open(rate: number, take: (pcm: ArrayBuffer) => void): Promise<MicrophoneCapture> {
    const stream = await microphoneStream();
    const context = new AudioContext();
    await context.audioWorklet.addModule(WORKLET);
    const node = new AudioWorkletNode(context, 'trunkline-line', {
      processorOptions: { rate },
      channelCount: 1,
      channelCountMode: 'explicit',
      outputChannelCount: [1],
    });
    node.port.onmessage = ({ data }) => take(data as ArrayBuffer);
    const lowPass = new BiquadFilterNode(context, {
      type: 'lowpass',
      frequency: rate * 0.42,
      channelCount: 1,
    });
    context.createMediaStreamSource(stream).connect(lowPass).connect(node).connect(context.destination);
    return new MicrophoneCapture(context, stream);
  }

  close(): void {
    for (const track of this.#stream.getTracks()) track.stop();
    void this.#context.close();
  }
}

/** Throws an error that says what to do, when the browser or the person denies the microphone. */
export async function microphoneStream(): Promise<MediaStream> {
  if (!navigator.mediaDevices)
    throw new Error(t('Browsers give no microphone to a page without TLS: open the console by https.'));
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { noiseSuppression: false } });
  } catch {
    throw new Error(t('The microphone is not allowed: allow it for this page.'));
  }
}
