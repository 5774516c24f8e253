import { type FunctionComponent, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { LoadingState } from './page.tsx';

const RELOADED = 'trunkline.reloaded';
const AGAIN_AFTER_MS = 60_000;

/** Reloads the page, because an updated server no longer has this page's files; the time limit prevents a loop. */
function reloadOnce(): boolean {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < AGAIN_AFTER_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
  return true;
}

/** The browser fetches the component's file when it is first shown. */
export function lazy<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  return (props: Props) => {
    const [, setLoaded] = useState(loaded !== null);
    const [error, setError] = useState<Error | null>(null);
    useEffect(() => {
      if (loaded !== null) return;
      load().then(
        (page) => {
          loaded = page;
          setLoaded(true);
        },
        (thrown: Error) => {
          if (!reloadOnce()) setError(thrown);
        },
      );
    }, []);
    return loaded === null ? <LoadingState error={error} /> : h(loaded, props);
  };
}
