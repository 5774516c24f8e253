import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon } from '../kit/icon.tsx';
import { notify } from '../kit/toast.tsx';
import { Labelled } from './controls.tsx';
import { type Flow, same } from './document.ts';

export type SourceForm = 'yaml' | 'json';

export interface SourceViewProps {
  readonly flow: Flow;
  readonly name: string;
  readonly change: (next: Flow) => void;
}

interface Syntax {
  readonly write: (flow: Flow) => string;
  readonly read: (text: string) => unknown;
}

const JSON_SYNTAX: Syntax = {
  write: (flow) => JSON.stringify(flow, null, 2),
  read: (text) => JSON.parse(text) as unknown,
};

/** The browser fetches the YAML library when somebody first opens this view. */
async function yamlSyntax(): Promise<Syntax> {
  const { parse, stringify } = await import('yaml');
  return { write: (flow) => stringify(flow), read: (text) => parse(text, { maxAliasCount: 0 }) as unknown };
}

const isGraph = (value: unknown): boolean => {
  const { nodes, edges, start } = (value ?? {}) as Partial<Flow>;
  return (
    typeof start === 'string' &&
    Array.isArray(nodes) &&
    Array.isArray(edges) &&
    nodes.every((node) => typeof node?.id === 'string' && typeof node.type === 'string') &&
    edges.every((edge) => typeof edge?.from === 'string' && typeof edge.to === 'string')
  );
};

/** The canvas can draw what has this shape; the server checks the rest. */
const isFlow = (value: unknown): value is Flow =>
  isGraph(value) && Object.values((value as Flow).subflows ?? {}).every(isGraph);

export function SourceView({ flow, name, change }: SourceViewProps) {
  const [form, setForm] = useState<SourceForm>('yaml');
  const [yaml, setYaml] = useState<Syntax | null>(null);
  const [edited, setEdited] = useState<{ readonly text: string; readonly of: Flow } | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    yamlSyntax().then(
      (syntax) => setYaml(() => syntax),
      () => setForm('json'),
    );
  }, []);
  const syntax = form === 'json' ? JSON_SYNTAX : yaml;
  const written = syntax?.write(flow) ?? '';
  const text = edited?.text ?? written;
  const isOutdated = edited !== null && !same(edited.of, flow);
  const apply = () => {
    try {
      const read = syntax?.read(text);
      if (!isFlow(read))
        throw new Error(t('A flow has start, nodes with id and type, and edges with from and to.'));
      setError(null);
      setEdited(null);
      change(read);
    } catch (thrown) {
      setError((thrown as Error).message);
    }
  };
  const type = form === 'json' ? 'application/json' : 'application/yaml';
  return (
    <>
      <h2>{t('The flow as text')}</h2>
      <div class="row">
        {(['yaml', 'json'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={form === each}
            disabled={edited !== null && form !== each}
            onClick={() => setForm(each)}
          >
            {each.toUpperCase()}
          </button>
        ))}
        {navigator.clipboard && (
          <button
            type="button"
            onClick={async () => {
              await navigator.clipboard.writeText(text);
              notify(t('Copied.'));
            }}
          >
            <Icon name="copy" /> {t('Copy')}
          </button>
        )}
        <a
          class="button"
          href={`data:${type};charset=utf-8,${encodeURIComponent(text)}`}
          download={`${name}.${form}`}
        >
          {t('Download')}
        </a>
      </div>
      {isOutdated && (
        <p class="alert" role="status">
          {t('The flow was changed in the canvas since. What you take over here replaces that.')}
        </p>
      )}
      <Labelled label={form.toUpperCase()} error={error}>
        {(ids) => (
          <textarea
            {...ids}
            class="mono flow-source"
            spellcheck={false}
            value={text}
            onInput={(event) => setEdited({ text: event.currentTarget.value, of: edited?.of ?? flow })}
          />
        )}
      </Labelled>
      <div class="row">
        <button type="button" class="main" disabled={edited === null} onClick={apply}>
          {t('Take it over')}
        </button>
        {edited !== null && (
          <button
            type="button"
            onClick={() => {
              setEdited(null);
              setError(null);
            }}
          >
            {t('Discard the text')}
          </button>
        )}
      </div>
    </>
  );
}
