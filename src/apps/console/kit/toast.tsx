import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';

const SHOWN_MS = 5_000;
/** There is time to read it, and to reach its button by keys. */
const UNDO_SHOWN_MS = 15_000;

type Undo = () => Promise<unknown>;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: Undo | null;
}

let count = 0;
let listener: (toast: Toast) => void = () => {};

/** The message appears on whichever page the person has open by then. */
export function notify(text: string, undo: Undo | null = null): void {
  count += 1;
  listener({ id: count, text, undo });
}

/** The page mounts it once, because screen readers read a live region only if it existed before its text. */
export function Toasts() {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  const hide = (gone: number) => setShown((known) => known.filter(({ id }) => id !== gone));
  const undoing = async (toast: number, undo: Undo) => {
    hide(toast);
    try {
      await undo();
      notify(t('Undone.'));
    } catch (thrown) {
      notify((thrown as Error).message);
    }
  };
  useEffect(() => {
    listener = (toast) => {
      setShown((known) => [...known, toast]);
      setTimeout(() => hide(toast.id), toast.undo === null ? SHOWN_MS : UNDO_SHOWN_MS);
    };
    return () => {
      listener = () => {};
    };
  }, []);
  return (
    <div class="toasts" aria-live="polite">
      {shown.map(({ id, text, undo }) => (
        <p key={id}>
          {text}
          {undo !== null && (
            <button type="button" onClick={() => undoing(id, undo)}>
              {t('Undo')}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}
