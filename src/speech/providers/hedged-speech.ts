import type { Clock } from '../../foundation/platform/clock.ts';
import { ProviderError, type ProviderSound, type SpeechProvider } from './contract.ts';
import { toProviderError } from './faults.ts';
import { trailingSilence } from './raw-sound.ts';

export interface HedgeOptions {
  readonly first: SpeechProvider;
  /** Returns one with the rate of the first; null where none may be asked now. Called when it is needed. */
  readonly other: () => SpeechProvider | null;
  /** The other is asked too where the first has sent no sound for this long. */
  readonly afterMs: number;
  readonly clock: Pick<Clock, 'after'>;
  readonly onOtherAsked: (other: SpeechProvider) => void;
  /** Called with the provider whose sound, or last failure, the text gets. */
  readonly onChosen: (provider: SpeechProvider) => void;
  /** Called for a failure that the other provider may make good. */
  readonly onFailed: (provider: SpeechProvider, error: ProviderError) => void;
}

type Beginning = { readonly sound: ProviderSound } | { readonly error: ProviderError };

interface Run {
  readonly provider: SpeechProvider;
  readonly sounds: AsyncIterator<ProviderSound>;
  readonly aborting: AbortController;
}

interface Begun {
  readonly run: Run;
  readonly beginning: Beginning;
}

const LATE = Symbol('late');

export type HedgedSpeech = Pick<
  SpeechProvider,
  'rate' | 'firstAudioMs' | 'betweenAudioMs' | 'knowsItsEnd' | 'speak'
>;

/** Asks a second provider where the first is slow or fails. Whoever sends sound first speaks the text. */
export function hedgedSpeech(options: HedgeOptions): HedgedSpeech {
  const { first, other, afterMs, clock, onOtherAsked, onChosen, onFailed } = options;

  async function* speak(text: string, language: string, signal: AbortSignal): AsyncGenerator<ProviderSound> {
    const pending = new Map<Run, Promise<Begun>>();
    const begin = (provider: SpeechProvider): void => {
      const aborting = new AbortController();
      const sounds = provider.speak(text, language, aborting.signal)[Symbol.asyncIterator]();
      const run = { provider, sounds, aborting };
      pending.set(
        run,
        beginningOf(sounds, provider.rate).then((beginning) => ({ run, beginning })),
      );
    };
    let chosen: Run | null = null;
    const stop = () => {
      for (const run of [...pending.keys(), ...(chosen === null ? [] : [chosen])]) end(run);
    };
    const late = delay(clock, afterMs);
    let isHedged = false;
    const hedge = () => {
      isHedged = true;
      late.stop();
      const second = other();
      if (second === null) return;
      onOtherAsked(second);
      begin(second);
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      begin(first);
      while (chosen === null) {
        const ended = await Promise.race([...pending.values(), ...(isHedged ? [] : [late.passed])]);
        if (signal.aborted) return;
        if (ended === LATE) {
          hedge();
          continue;
        }
        const { run, beginning } = ended;
        pending.delete(run);
        if ('sound' in beginning) {
          chosen = run;
          onChosen(run.provider);
          for (const loser of pending.keys()) end(loser);
          yield beginning.sound;
          continue;
        }
        if (!isHedged) hedge();
        if (pending.size === 0) {
          onChosen(run.provider);
          throw beginning.error;
        }
        onFailed(run.provider, beginning.error);
      }
      const { sounds } = chosen;
      for (let one = await sounds.next(); one.done !== true; one = await sounds.next()) yield one.value;
    } finally {
      late.stop();
      signal.removeEventListener('abort', stop);
      stop();
    }
  }
  const { rate, firstAudioMs, betweenAudioMs } = first;
  return { rate, firstAudioMs, betweenAudioMs, speak };
}

/** A generator that waits at its last sound closes its socket only when it is told to return. */
function end({ aborting, sounds }: Run): void {
  aborting.abort();
  void sounds.return?.().catch(() => undefined);
}

/** Never rejects. Silence is no beginning: some providers send it while they work. */
async function beginningOf(sounds: AsyncIterator<ProviderSound>, rate: number): Promise<Beginning> {
  try {
    for (;;) {
      const { done, value } = await sounds.next();
      if (done === true)
        return { error: new ProviderError('incomplete', 'the provider sent no sound for the text') };
      if (!trailingSilence(value.pcm, rate).isSilent) return { sound: value };
    }
  } catch (error) {
    return { error: toProviderError(error) };
  }
}

function delay(clock: Pick<Clock, 'after'>, ms: number) {
  let stop = (): void => undefined;
  const passed = new Promise<typeof LATE>((resolve) => {
    stop = clock.after(ms, () => resolve(LATE));
  });
  return { passed, stop: () => stop() };
}
