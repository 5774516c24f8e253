import { useEffect, useState } from 'preact/hooks';
import type { Json } from './api.ts';

const AGAIN_MS = 10_000;

export interface Polled {
  readonly data: Json;
  readonly error: Error | null;
  readonly again: () => void;
}

/** Reads again every ten seconds, because the server changes without this page's doing. */
export function usePolled(name: string, read: () => Promise<Json>): Polled {
  const [data, setData] = useState<Json>(null);
  const [error, setError] = useState<Error | null>(null);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const ask = async () => {
      try {
        const answer = await read();
        if (!gone) setData(answer);
      } catch (thrown) {
        if (!gone) setError(thrown as Error);
      }
      if (!gone) timer = window.setTimeout(ask, AGAIN_MS);
    };
    void ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [name, turn]);
  return { data, error, again: () => setTurn((one) => one + 1) };
}
