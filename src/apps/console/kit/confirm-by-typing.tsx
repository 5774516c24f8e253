import { t } from '../i18n/index.ts';
import { Form } from './form.tsx';

export interface ConfirmByTypingProps {
  readonly label: string;
  readonly word: string;
  readonly run: () => Promise<unknown>;
}

export function ConfirmByTyping({ label, word, run }: ConfirmByTypingProps) {
  const send = async ({ typed }: { typed?: string }) => {
    if (typed !== word) throw new Error(t('Type {word} to confirm.', { word }));
    await run();
  };
  return (
    <Form
      submit={label}
      onSubmit={send}
      fields={[{ name: 'typed', label: t('Type {word} to confirm.', { word }), needed: true }]}
    />
  );
}
