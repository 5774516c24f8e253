import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';

export interface ActionButtonProps {
  readonly label: string;
  /** Screen readers announce the button alone, so this gives them its context. */
  readonly of?: string;
  readonly run: () => Promise<unknown>;
  readonly danger?: boolean;
  readonly main?: boolean;
  readonly then?: () => void;
  readonly children?: ComponentChildren;
}

/** The button is busy during the action and shows its error. An action that cannot be undone asks for confirmation. */
export function ActionButton({ label, of, run, danger, main, then }: ActionButtonProps) {
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const press = async () => {
    if (danger && !sure) {
      setSure(true);
      return;
    }
    setBusy(true);
    setError(null);
    try {
      await run();
      then?.();
    } catch (thrown) {
      setError(thrown as Error);
    }
    setBusy(false);
    setSure(false);
  };
  const shown = sure ? t('Confirm: {what}', { what: label }) : label;
  return (
    <>
      <button
        type="button"
        class={danger ? 'danger' : main ? 'main' : ''}
        disabled={busy}
        onClick={press}
        onBlur={() => setSure(false)}
      >
        {shown}
        {of && <span class="hidden"> {of}</span>}
      </button>
      {error && (
        <span class="alert" role="alert">
          {error.message}
        </span>
      )}
    </>
  );
}
