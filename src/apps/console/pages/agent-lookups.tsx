import { useState } from 'preact/hooks';
import { type Json, patch } from '../data/api.ts';
import { number } from '../data/format.ts';
import { csvOf, rowsOf } from '../data/table-text.ts';
import { t } from '../i18n/index.ts';
import { ActionButton } from '../kit/action-button.tsx';
import { Choose } from '../kit/choose.tsx';
import { lazy } from '../kit/lazy.tsx';
import { ErrorNotice } from '../kit/page.tsx';
import { Table } from '../kit/table.tsx';
import { notify } from '../kit/toast.tsx';

const LookupTrial = lazy(async () => (await import('./lookup-trial.tsx')).LookupTrial);

export interface AgentLookupsProps {
  readonly agent: Json;
  readonly tools: readonly Json[];
  readonly changed: () => void;
}

/** The customer's own records, which values that callers say are read against. */
export function AgentLookups({ agent, tools, changed }: AgentLookupsProps) {
  const lookups: readonly Json[] = agent.lookups;
  const [edited, setEdited] = useState<Json | null>(null);
  const [tried, setTried] = useState<string | null>(null);
  const save = async (next: readonly Json[]) => {
    await patch(`/v1/agents/${agent.id}`, { lookups: next });
    setEdited(null);
    setTried(null);
    changed();
    notify(t('Saved: the next call is served by it.'));
  };
  return (
    <details class="card" open={lookups.length > 0}>
      <summary>{t('Your records')}</summary>
      <p class="quiet">
        {t(
          'Names, streets, codes and addresses that callers say are compared with these rows, by sound and by spelling. Rows that sound alike are offered.',
        )}
      </p>
      {lookups.length > 0 && (
        <Table
          caption={t('Your records')}
          rows={lookups}
          columns={[
            { label: t('Name'), of: (row) => row.name },
            {
              label: t('Rows'),
              of: (row) => (row.tool === undefined ? number(row.values.length) : <code>{row.tool}</code>),
            },
          ]}
          actions={(row) => (
            <>
              {row.tool === undefined && (
                <button type="button" onClick={() => setTried(row.name)}>
                  {t('Try it')}
                  <span class="hidden"> {row.name}</span>
                </button>
              )}
              <button type="button" onClick={() => setEdited(row)}>
                {t('Change')}
                <span class="hidden"> {row.name}</span>
              </button>
              <ActionButton
                label={t('Remove')}
                of={row.name}
                danger
                run={() => save(lookups.filter((one) => one !== row))}
              />
            </>
          )}
        />
      )}
      {tried !== null && <LookupTrial key={tried} agentId={agent.id} lookup={tried} />}
      {edited === null ? (
        <button type="button" onClick={() => setEdited({})}>
          {t('Add records')}
        </button>
      ) : (
        <LookupEditor
          key={edited.name ?? ''}
          lookup={edited}
          tools={tools.filter(({ id }) => agent.tool_ids.includes(id)).map(({ name }) => name)}
          cancel={() => setEdited(null)}
          save={(next) =>
            save(
              lookups.includes(edited)
                ? lookups.map((one) => (one === edited ? next : one))
                : [...lookups, next],
            )
          }
        />
      )}
    </details>
  );
}

const FIELDS = ['value', 'id', 'label', 'spoken'] as const;
type FieldName = (typeof FIELDS)[number];
type Columns = Readonly<Record<FieldName, number | null>>;
const SPOKEN_SEPARATOR = '|';
const SHOWN_ROWS = 5;

const fieldName = (field: FieldName): string =>
  ({
    value: t('Column of the value'),
    id: t('Column of your own ID'),
    label: t('Column of what the agent says instead'),
    spoken: t('Column of other ways to say it, with | between them'),
  })[field];

const textOf = ({ values = [] }: Json): string => {
  const rows = values.map((row: Json) => (typeof row === 'string' ? { value: row } : row));
  if (rows.every((row: Json) => Object.keys(row).length === 1))
    return csvOf(rows.map(({ value }: Json) => [value]));
  return csvOf([
    FIELDS,
    ...rows.map(({ value, id = '', label = '', spoken = [] }: Json) => [
      value,
      id,
      label,
      spoken.join(SPOKEN_SEPARATOR),
    ]),
  ]);
};

/** A table of several columns begins with their names; a list has none, unless it says "value". */
const hasHead = ([head = []]: readonly (readonly string[])[]): boolean =>
  head.length > 1 || head[0]?.toLowerCase() === 'value';

function columnsOf([head = []]: readonly (readonly string[])[], isNamed: boolean): Columns {
  const at = (field: FieldName) => {
    const found = head.findIndex((name) => name.toLowerCase() === field);
    return isNamed && found >= 0 ? found : null;
  };
  return { value: at('value') ?? 0, id: at('id'), label: at('label'), spoken: at('spoken') };
}

function recordsOf(rows: readonly (readonly string[])[], columns: Columns): readonly Json[] {
  return rows.flatMap((row) => {
    const cell = (field: FieldName) => (columns[field] === null ? '' : (row[columns[field]] ?? ''));
    const value = cell('value');
    if (value === '') return [];
    const spoken = cell('spoken')
      .split(SPOKEN_SEPARATOR)
      .map((one) => one.trim())
      .filter(Boolean);
    const [id, label] = [cell('id'), cell('label')];
    return {
      value,
      ...(id === '' ? {} : { id }),
      ...(label === '' ? {} : { label }),
      ...(spoken.length === 0 ? {} : { spoken }),
    };
  });
}

interface LookupEditorProps {
  readonly lookup: Json;
  readonly tools: readonly string[];
  readonly save: (next: Json) => Promise<void>;
  readonly cancel: () => void;
}

function LookupEditor({ lookup, tools, save, cancel }: LookupEditorProps) {
  const [name, setName] = useState<string>(lookup.name ?? '');
  const [tool, setTool] = useState<string>(lookup.tool ?? '');
  const [text, setText] = useState(() => textOf(lookup));
  const [isNamed, setNamed] = useState(() => hasHead(rowsOf(textOf(lookup))));
  const [columns, setColumns] = useState<Columns>(() => columnsOf(rowsOf(textOf(lookup)), isNamed));
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const table = rowsOf(text);
  const [head = []] = table;
  const records = recordsOf(isNamed ? table.slice(1) : table, columns);
  const take = (next: string) => {
    const rows = rowsOf(next);
    setText(next);
    setNamed(hasHead(rows));
    setColumns(columnsOf(rows, hasHead(rows)));
  };
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await save(tool === '' ? { name, values: records } : { name, tool });
    } catch (thrown) {
      setError(thrown as Error);
      setBusy(false);
    }
  };
  const choices = head.map(
    (cell, at) => [String(at), isNamed ? cell : t('Column {n}', { n: at + 1 })] as const,
  );
  return (
    <form onSubmit={send} aria-label={t('Add records')}>
      <div class="field">
        <label for="lookup-name">{t('Name')}</label>
        <input
          id="lookup-name"
          required
          pattern="[A-Za-z][A-Za-z0-9_\-]{0,63}"
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          aria-describedby="lookup-name-hint"
        />
        <div class="hint" id="lookup-name-hint">
          {t('Letters, digits, - and _. The model and flows call the records so.')}
        </div>
      </div>
      {tools.length > 0 && (
        <div class="field">
          <Choose
            label={t('Where the rows come from')}
            value={tool}
            options={[
              ['', t('The table below')],
              ...tools.map((one) => [one, t('The tool {tool}', { tool: one })] as const),
            ]}
            onChange={setTool}
          />
        </div>
      )}
      {tool === '' && (
        <>
          <div class="field">
            <label for="lookup-file">{t('A table (CSV)')}</label>
            <input
              id="lookup-file"
              type="file"
              accept=".csv,.tsv,.txt,text/csv,text/plain"
              onChange={async ({ currentTarget: { files } }) => {
                const [file] = files ?? [];
                if (file !== undefined) take(await file.text());
              }}
            />
          </div>
          <div class="field">
            <label for="lookup-text">{t('Or rows, one a line')}</label>
            <textarea
              id="lookup-text"
              class="mono"
              rows={6}
              value={text}
              onInput={(event) => take(event.currentTarget.value)}
            />
          </div>
          {records.length > 0 && (
            <>
              <label>
                <input
                  type="checkbox"
                  checked={isNamed}
                  onChange={({ currentTarget: { checked } }) => setNamed(checked)}
                />
                {t('The first line names the columns')}
              </label>
              {head.length > 1 && (
                <div class="filters">
                  {FIELDS.map((field) => (
                    <Choose
                      key={field}
                      label={fieldName(field)}
                      value={String(columns[field] ?? '')}
                      options={field === 'value' ? choices : [['', '–'], ...choices]}
                      onChange={(at) => setColumns({ ...columns, [field]: at === '' ? null : Number(at) })}
                    />
                  ))}
                </div>
              )}
              <p class="quiet small" role="status">
                {t('{n} rows are read.', { n: number(records.length) })}
              </p>
              <Table
                caption={t('The first rows')}
                rows={records.slice(0, SHOWN_ROWS)}
                columns={[
                  { label: t('Value'), of: (row) => row.value },
                  { label: t('Your own ID'), of: (row) => row.id ?? '' },
                  { label: t('The agent says'), of: (row) => row.label ?? row.value },
                  { label: t('Callers may also say'), of: (row) => (row.spoken ?? []).join(', ') },
                ]}
              />
            </>
          )}
        </>
      )}
      <ErrorNotice error={error} />
      <div class="row">
        <button type="submit" class="main" disabled={isBusy || (tool === '' && records.length === 0)}>
          {t('Save the records')}
        </button>
        <button type="button" onClick={cancel}>
          {t('Cancel')}
        </button>
      </div>
    </form>
  );
}
