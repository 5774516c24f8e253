import { useEffect, useState } from 'preact/hooks';
import { NotPlainWav, type Peaks, peaksOf, WavPeaks } from './peaks.ts';
import { downloadInRanges } from './range-download.ts';

export interface Recorded {
  readonly peaks: Peaks | null;
  readonly url: string | null;
  readonly error: Error | null;
}

/**
 * Telephone audio contains no higher frequencies: at this rate an hour takes some 230 MB while its peaks are
 * computed.
 */
const DECODED_HERTZ = 8_000;
const NOTHING: Recorded = { peaks: null, url: null, error: null };

/** The browser decodes FLAC and Opus. */
async function decoded(blob: Blob): Promise<Peaks> {
  const context = new OfflineAudioContext(2, 1, DECODED_HERTZ);
  const sound = await context.decodeAudioData(await blob.arrayBuffer());
  const agent = sound.getChannelData(sound.numberOfChannels - 1);
  return peaksOf([sound.getChannelData(0), agent], sound.duration);
}

async function read(path: string, notify: (peaks: Peaks) => void, signal: AbortSignal): Promise<Blob> {
  let wav: WavPeaks | null = new WavPeaks();
  const blob = await downloadInRanges(
    path,
    (bytes, total) => {
      try {
        if (wav !== null) notify(wav.push(bytes, total));
      } catch (thrown) {
        if (!(thrown instanceof NotPlainWav)) throw thrown;
        wav = null;
      }
    },
    signal,
  );
  if (wav === null) notify(await decoded(blob));
  return blob;
}

export function useRecording(path: string | null): Recorded {
  const [state, setState] = useState<Recorded>(NOTHING);
  useEffect(() => {
    setState(NOTHING);
    if (path === null) return;
    const stop = new AbortController();
    let url: string | null = null;
    const add = (more: Partial<Recorded>) => {
      if (!stop.signal.aborted) setState((known) => ({ ...known, ...more }));
    };
    read(path, (peaks) => add({ peaks }), stop.signal).then(
      (blob) => {
        if (stop.signal.aborted) return;
        url = URL.createObjectURL(blob);
        add({ url });
      },
      (error: Error) => add({ error }),
    );
    return () => {
      stop.abort();
      if (url !== null) URL.revokeObjectURL(url);
    };
  }, [path]);
  return state;
}
