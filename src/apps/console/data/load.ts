import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { get, type Json, sessionKey } from './api.ts';

export interface Loaded<T = Json> {
  readonly data: T | null;
  readonly error: Error | null;
  readonly reload: () => void;
}

/** Polls the path every two seconds while `againWhile` returns true. */
export function useLoad<T = Json>(path: string | null, againWhile?: (data: T) => boolean): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; error: Error | null }>({ data: null, error: null });
  const [turn, setTurn] = useState(0);
  const again = useRef(againWhile);
  again.current = againWhile;
  useEffect(() => {
    if (path === null) return;
    let gone = false;
    let timer = 0;
    get(path).then(
      (data: T) => {
        if (gone) return;
        setState({ data, error: null });
        if (again.current?.(data)) timer = window.setTimeout(() => setTurn((one) => one + 1), 2_000);
      },
      (error: Error) => {
        if (!gone) setState(({ data }) => ({ data, error }));
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
