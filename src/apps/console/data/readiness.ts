import { useEffect, useState } from 'preact/hooks';
import type { Json } from './api.ts';

const AGAIN_MS = 10_000;

/** A server that is not ready answers 503 with the same body. */
async function readiness(): Promise<Json> {
  return await (await fetch('/readyz')).json();
}

export function useReadiness(): { readonly data: Json; readonly error: Error | null } {
  const [data, setData] = useState<Json>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    let timer = 0;
    let gone = false;
    const ask = async () => {
      await readiness().then(setData, setError);
      if (!gone) timer = window.setTimeout(ask, AGAIN_MS);
    };
    void ask();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, []);
  return { data, error };
}
