/** Frequencies above half the sample rate would alias to noise, so a margin below it is filtered. */
const PASSED_SHARE = 0.425;
/** The widget's file also contains the worklet that captures and plays audio. */
const WORKLET = '/widget.js';

export class SupervisorAudio {
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  readonly #into: BiquadFilterNode;
  #microphone: MediaStream | null = null;
  #speaks = false;

  private constructor(
    context: AudioContext,
    node: AudioWorkletNode,
    rate: number,
    send: (pcm: ArrayBuffer) => void,
  ) {
    this.#context = context;
    this.#node = node;
    this.#into = lowPass(context, rate);
    this.#into.connect(node).connect(lowPass(context, rate)).connect(context.destination);
    node.port.onmessage = ({ data }) => {
      if (this.#speaks) send(data as ArrayBuffer);
    };
  }

  /** `rate`: samples per second of the call. */
  static async open(rate: number, send: (pcm: ArrayBuffer) => void): Promise<SupervisorAudio> {
    const context = new AudioContext();
    void context.resume();
    await context.audioWorklet.addModule(WORKLET);
    const processorOptions = { rate };
    const node = new AudioWorkletNode(context, 'trunkline-line', {
      processorOptions,
      channelCount: 1,
      channelCountMode: 'explicit',
      outputChannelCount: [1],
    });
    return new SupervisorAudio(context, node, rate, send);
  }

  play(pcm: ArrayBuffer): void {
    this.#node.port.postMessage(pcm, [pcm]);
  }

  /** Requests the microphone on the first call; throws when the person or the browser denies it. */
  async speak(on: boolean): Promise<void> {
    if (on) await this.#listen();
    this.#speaks = on;
  }

  async #listen(): Promise<void> {
    if (this.#microphone !== null) return;
    this.#microphone = await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    this.#context.createMediaStreamSource(this.#microphone).connect(this.#into);
  }

  close(): void {
    this.#speaks = false;
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    void this.#context.close();
  }
}

const lowPass = (context: AudioContext, rate: number): BiquadFilterNode =>
  new BiquadFilterNode(context, { type: 'lowpass', frequency: PASSED_SHARE * rate, channelCount: 1 });
