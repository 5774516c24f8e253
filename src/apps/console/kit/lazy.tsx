import { type FunctionComponent, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isServerReachable, ServerUnreachable } from '../data/api.ts';
import { LoadingState } from './page.tsx';

const RELOADED = 'trunkline.reloaded';
const AGAIN_AFTER_MS = 60_000;
const RETRY_MS = 2_000;

/** Reloads the page, because an updated server no longer has this page's files; the time limit prevents a loop. */
function reloadOnce(): boolean {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < AGAIN_AFTER_MS) return false;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  location.reload();
  return true;
}

/** The browser fetches a file whose import failed only once more after a reload. */
function reloadWhenReachable(isWanted: () => boolean): void {
  setTimeout(async () => {
    const isReachable = await isServerReachable();
    if (!isWanted()) return;
    if (isReachable) location.reload();
    else reloadWhenReachable(isWanted);
  }, RETRY_MS);
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
      let gone = false;
      load().then(
        (page) => {
          loaded = page;
          setLoaded(true);
        },
        async (thrown: Error) => {
          if (await isServerReachable()) {
            if (!reloadOnce()) setError(thrown);
            return;
          }
          setError(new ServerUnreachable());
          reloadWhenReachable(() => !gone);
        },
      );
      return () => {
        gone = true;
      };
    }, []);
    return loaded === null ? <LoadingState error={error} /> : h(loaded, props);
  };
}
