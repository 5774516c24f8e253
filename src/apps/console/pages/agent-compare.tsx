import { useId, useState } from 'preact/hooks';
import { analyticsPath, DAY_MS, midnight, shareOf } from '../data/analytics.ts';
import type { Json } from '../data/api.ts';
import { number, percent } from '../data/format.ts';
import { useLoad } from '../data/load.ts';
import { t } from '../i18n/index.ts';
import { Table } from '../kit/table.tsx';
import { diffLines } from './text-diff.ts';

/** These say nothing about what callers hear. */
const OF_THE_ROW = new Set(['object', 'version', 'published', 'percent', 'created_at']);
const DAYS = 30;

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2);

const changedFields = (before: Json, after: Json): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !OF_THE_ROW.has(name) && shown(before[name]) !== shown(after[name]),
  );

const share = (part: number, whole: number): string => {
  const of = shareOf(part, whole);
  return of === null ? '–' : percent(of);
};

const MARKS = { same: ' ', removed: '−', added: '+' } as const;

function Change({
  name,
  before,
  after,
}: {
  readonly name: string;
  readonly before: Json;
  readonly after: Json;
}) {
  return (
    <section aria-label={name}>
      <h3>
        <code>{name}</code>
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <pre tabIndex={0} class="diff">
        {diffLines(shown(before[name]), shown(after[name])).map(({ kind, text }, at) => (
          <span key={at} class={kind}>{`${MARKS[kind]} ${text}\n`}</span>
        ))}
      </pre>
    </section>
  );
}

/** Two versions of an agent: what differs, and how their calls went. */
export function CompareVersions({ id, rows }: { readonly id: string; readonly rows: readonly Json[] }) {
  const [chosen, setChosen] = useState<readonly [number, number] | null>(null);
  const ids = [useId(), useId()] as const;
  const quality = useLoad(
    analyticsPath({ from: midnight(DAYS), to: midnight() + DAY_MS, group_by: 'version', agent_id: id }),
  );
  if (rows.length < 2) return null;
  const [before, after] = chosen ?? [rows[1].version, rows[0].version];
  const versionOf = (version: number): Json => rows.find((row) => row.version === version) ?? {};
  const fields = changedFields(versionOf(before), versionOf(after));
  const choose = (side: 0 | 1, version: number) =>
    setChosen(side === 0 ? [version, after] : [before, version]);
  return (
    <section class="card" aria-label={t('Compare versions')}>
      <h2>{t('Compare versions')}</h2>
      <div class="row">
        {([before, after] as const).map((version, side) => (
          <div class="field" key={ids[side]}>
            <label for={ids[side]}>{side === 0 ? t('Before') : t('After')}</label>
            <select
              id={ids[side]}
              value={version}
              onChange={(event) => choose(side as 0 | 1, Number(event.currentTarget.value))}
            >
              {rows.map((row) => (
                <option key={row.version} value={row.version}>
                  {t('Version {version}', { version: row.version })}
                </option>
              ))}
            </select>
          </div>
        ))}
      </div>
      {fields.length === 0 ? (
        <p class="quiet">{t('The two versions are the same.')}</p>
      ) : (
        fields.map((name) => (
          <Change key={name} name={name} before={versionOf(before)} after={versionOf(after)} />
        ))
      )}
      <h3>{t('How their calls went in thirty days')}</h3>
      <Quality groups={quality.data?.groups ?? []} id={id} versions={[before, after]} />
    </section>
  );
}

function Quality({
  groups,
  id,
  versions,
}: {
  readonly groups: readonly Json[];
  readonly id: string;
  readonly versions: readonly [number, number];
}) {
  const rows = versions.flatMap((version) => {
    const group = groups.find(({ name }) => name === `${id}@${version}`);
    return group === undefined ? [] : [{ ...group, id: version, version }];
  });
  return (
    <Table
      caption={t('How their calls went in thirty days')}
      rows={rows}
      empty={t('Neither version has had a call.')}
      columns={[
        { label: t('Version'), of: (row) => row.version, numeric: true },
        { label: t('Calls'), of: (row) => number(row.calls), numeric: true },
        { label: t('Completed'), of: (row) => share(row.completed, row.calls), numeric: true },
        {
          label: t('Interrupted answers'),
          of: (row) => share(row.interruptions, row.turns),
          numeric: true,
        },
        { label: t('Response latency, p50 (ms)'), of: (row) => number(row.latency_ms.p50), numeric: true },
        {
          label: t('Response latency, p95 (ms)'),
          of: (row) => number(row.latency_ms.p95),
          numeric: true,
        },
      ]}
    />
  );
}
