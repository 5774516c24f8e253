import { useEffect, useState } from 'preact/hooks';

const SHOWN_MS = 5_000;

interface Toast {
  readonly id: number;
  readonly text: string;
}

let count = 0;
let listener: (toast: Toast) => void = () => {};

/** The message appears on whichever page the person has open by then. */
export function notify(text: string): void {
  count += 1;
  listener({ id: count, text });
}

/** The page mounts it once, because screen readers read a live region only if it existed before its text. */
export function Toasts() {
  const [shown, setShown] = useState<readonly Toast[]>([]);
  useEffect(() => {
    listener = (toast) => {
      setShown((known) => [...known, toast]);
      setTimeout(() => setShown((known) => known.filter(({ id }) => id !== toast.id)), SHOWN_MS);
    };
    return () => {
      listener = () => {};
    };
  }, []);
  return (
    <div class="toasts" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
