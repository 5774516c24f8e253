import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, type Json, ServerUnreachable, sessionKey } from './api.ts';

export interface Loaded<T = Json> {
  readonly data: T | null;
  readonly error: Error | null;
  readonly reload: () => void;
}

const AGAIN_MS = 2_000;

/** Polls the path every two seconds while `againWhile` returns true or the server cannot be reached. */
export function useLoad<T = Json>(path: string | null, againWhile?: (data: T) => boolean): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; error: Error | null }>({ data: null, error: null });
  const [turn, setTurn] = useState(0);
  const again = useRef(againWhile);
  again.current = againWhile;
  useEffect(() => {
    if (path === null) return;
    let gone = false;
    let timer = 0;
    const readAgain = () => setTurn((one) => one + 1);
    get(path).then(
      (data: T) => {
        if (gone) return;
        setState({ data, error: null });
        if (again.current?.(data)) timer = window.setTimeout(readAgain, AGAIN_MS);
      },
      (error: Error) => {
        if (gone) return;
        setState(({ data }) => ({ data, error }));
        if (error instanceof ServerUnreachable) timer = window.setTimeout(readAgain, AGAIN_MS);
      },
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [path, turn]);
  const reload = useCallback(() => setTurn((one) => one + 1), []);
  return { ...state, reload };
}

export function useScope(scope: string): boolean | null {
  const [has, setHas] = useState<boolean | null>(null);
  useEffect(() => {
    sessionKey().then(
      ({ scopes }) => setHas(scopes.includes(scope)),
      () => setHas(false),
    );
  }, [scope]);
  return has;
}
