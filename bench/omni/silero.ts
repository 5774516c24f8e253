/** Silero runs as in other programs: its ONNX file under onnxruntime, one stream at a time, without the engine. */
import onnxruntime, { type InferenceSession, type TypedTensor } from 'onnxruntime-node';
import { LINE_RATE } from '../../src/apps/caller/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { WINDOW_MS } from './peer-rules.ts';

const WINDOW = (LINE_RATE * WINDOW_MS) / 1000;
const CONTEXT = WINDOW / 8;

interface Reported {
  readonly output: TypedTensor<'float32'>;
  readonly stateN: TypedTensor<'float32'>;
}

export class Silero {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(): Promise<Silero> {
    const path = new Models().wholeFiles()['silero-vad/silero_vad.onnx'];
    if (path === undefined) throw new Error('no Silero: npx trunkline models fetch');
    const options = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 } as const;
    return new Silero(await onnxruntime.InferenceSession.create(path, options));
  }

  /** Returns the speech probability of each whole window at 8 kHz; silence precedes the first. */
  async likelihoods(samples: Int16Array): Promise<number[]> {
    const found: number[] = [];
    const input = new Float32Array(CONTEXT + WINDOW);
    const sr = new onnxruntime.Tensor('int64', BigInt64Array.of(BigInt(LINE_RATE)), []);
    let state: TypedTensor<'float32'> = new onnxruntime.Tensor(
      'float32',
      new Float32Array(2 * 128),
      [2, 1, 128],
    );
    for (let at = 0; at + WINDOW <= samples.length; at += WINDOW) {
      input.copyWithin(0, WINDOW);
      for (let i = 0; i < WINDOW; i++) input[CONTEXT + i] = (samples[at + i] as number) / 32768;
      const heard = new onnxruntime.Tensor('float32', Float32Array.from(input), [1, input.length]);
      const reported = (await this.#session.run({ input: heard, state, sr })) as unknown as Reported;
      found.push(reported.output.data[0] as number);
      state = reported.stateN;
    }
    return found;
  }
}
