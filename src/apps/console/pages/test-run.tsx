import type { Json } from '../data/api.ts';
import { number, orNothing } from '../data/format.ts';
import { to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { StateBadge } from '../kit/state-badge.tsx';
import { Table } from '../kit/table.tsx';

const resultOf = ({ status, passed }: Json): string =>
  status === 'over' ? (passed ? 'passed' : 'failed') : status;

/** Shows each scenario as soon as it has ended. */
export function TestRun({ run, version }: { readonly run: Json; readonly version: number }) {
  return (
    <>
      <p role="status">
        {t('{suite}, version {version}:', { suite: run.suite, version })} <StateBadge of={resultOf(run)} />
      </p>
      {run.error && <p role="alert">{run.error}</p>}
      {run.scenarios.map((scenario: Json) => (
        <Scenario key={scenario.name} scenario={scenario} />
      ))}
    </>
  );
}

function Scenario({ scenario: { name, passed, faults, steps, calls } }: { readonly scenario: Json }) {
  return (
    <section aria-label={name}>
      <h3>
        {name} <StateBadge of={passed ? 'passed' : 'failed'} />
      </h3>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault: string) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      <Table
        caption={t('Steps of {name}', { name })}
        rows={steps}
        columns={[
          { label: t('Caller'), of: (row) => row.caller },
          { label: t('Agent'), of: (row) => orNothing(row.agent) },
          { label: t('Response latency (ms)'), of: (row) => number(row.gap_ms), numeric: true },
          {
            label: t('Tools'),
            of: (row) => orNothing(row.tools.map((tool: Json) => tool.name).join(', ')),
          },
        ]}
      />
      <p class="row">
        {calls.map((call: string, nth: number) => (
          <a key={call} href={to('calls', call)}>
            {calls.length === 1 ? t('Its call, second by second') : t('Call {n}', { n: nth + 1 })}
          </a>
        ))}
      </p>
    </section>
  );
}
