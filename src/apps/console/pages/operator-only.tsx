import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiRefusal, type Json } from '../data/api.ts';
import { askAsOperator, hasOperatorToken, setOperatorToken } from '../data/operator.ts';
import { t } from '../i18n/index.ts';
import { Form } from '../kit/form.tsx';
import { Page } from '../kit/page.tsx';

/** Shows the page once the server has accepted the operator's token. */
export function OperatorOnly({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const [isOpen, setOpen] = useState(hasOperatorToken());
  const enter = async ({ token }: Json) => {
    setOperatorToken(token);
    try {
      await askAsOperator('GET', '/v1/plans');
      setOpen(true);
    } catch (thrown) {
      setOperatorToken(null);
      const isRefused = thrown instanceof ApiRefusal && [401, 403].includes(thrown.status);
      throw isRefused ? new Error(t('This is not the operator’s token.')) : thrown;
    }
  };
  return (
    <Page title={title}>
      {isOpen ? (
        children
      ) : (
        <>
          <p>{t('This page is the operator’s. It asks for the token of TRUNKLINE_OPERATOR_TOKEN.')}</p>
          <Form
            fields={[
              {
                name: 'token',
                label: t('Operator’s token'),
                kind: 'password',
                needed: true,
                hint: t(
                  'A server that was started without one has none: set TRUNKLINE_OPERATOR_TOKEN to a long secret of your own, and start it again.',
                ),
              },
            ]}
            submit={t('Open')}
            onSubmit={enter}
          />
        </>
      )}
    </Page>
  );
}
