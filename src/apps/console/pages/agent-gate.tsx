import { type Json, put } from '../data/api.ts';
import { time } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Code } from '../kit/code.tsx';
import { Form } from '../kit/form.tsx';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

export interface PublishGateProps {
  readonly agent: Json;
  readonly changed: () => void;
  readonly isOpen?: boolean;
}

/** The suite that a version must pass before it is published, and what came of those that were played. */
export function PublishGate({ agent, changed, isOpen }: PublishGateProps) {
  const path = `/v1/agents/${agent.id}`;
  const runs = useLoad(`${path}/test-runs?limit=20`);
  const suite = agent.required_suite;
  return (
    <details class="card" open={isOpen || suite !== null}>
      <summary>{t('Suite that a version must pass')}</summary>
      <Form
        key={suite ?? ''}
        fields={[
          {
            name: 'suite',
            label: t('Name of the suite'),
            value: suite,
            hint: t('A version must pass it to be published. Leave it empty to require none.'),
          },
        ]}
        submit={t('Save')}
        onSubmit={async (values) => {
          await put(`${path}/required-suite`, { suite: values.suite ?? null });
          changed();
        }}
      />
      <Table
        caption={t('Suites that were played')}
        rows={runs.data?.data ?? []}
        empty={t('No suite was played yet.')}
        columns={[
          { label: t('Suite'), of: (row) => row.suite, sort: (row) => row.suite },
          { label: t('Version'), of: (row) => row.version, sort: (row) => row.version, numeric: true },
          { label: t('Result'), of: (row) => <StateBadge of={row.passed ? 'passed' : 'failed'} /> },
          {
            label: t('Scenarios'),
            of: (row) => `${row.scenarios - row.failed} / ${row.scenarios}`,
            numeric: true,
          },
          { label: t('When'), of: (row) => time(row.created_at), sort: (row) => row.created_at },
        ]}
      />
      {!isOpen && (
        <>
          <p>
            <a href={to('tests', agent.id)}>{t('Write and run suites')}</a>
          </p>
          <Code
            samples={[
              [
                t('Play a suite, and publish what passes'),
                `npx trunkline test suite.yaml --url ${location.origin} --key $TRUNKLINE_API_KEY --agent ${agent.id} --publish`,
              ],
            ]}
          />
        </>
      )}
    </details>
  );
}
