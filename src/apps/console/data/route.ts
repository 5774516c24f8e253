import { useEffect, useState } from 'preact/hooks';

/** `#/agents/agt_1` selects the page `agents`, with `agt_1` as the rest. */
export function readRoute(): readonly string[] {
  const parts = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
  return parts.length === 0 ? ['home'] : parts;
}

const questions = new Set<string>();

export function useRoute(): readonly string[] {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const changed = ({ oldURL }: HashChangeEvent) => {
      if ([...questions].every((question) => confirm(question))) setRoute(readRoute());
      else history.replaceState(history.state, '', oldURL);
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}

/** Asks before another page of the console is shown; whoever declines stays, and the address is set back. */
export function askBeforeLeaving(question: string): () => void {
  questions.add(question);
  return () => void questions.delete(question);
}

export const to = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;
export const go = (...parts: readonly string[]): void => {
  location.hash = to(...parts);
};

export const addressOf = (...parts: readonly string[]): string => new URL(to(...parts), location.href).href;

export const replaceRoute = (...parts: readonly string[]): void =>
  history.replaceState(history.state, '', to(...parts));
