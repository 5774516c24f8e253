import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import {
  AreaControl,
  CheckControl,
  ChoiceControl,
  JsonControl,
  Labelled,
  ListControl,
  NumberControl,
  SeveralControl,
  TextControl,
  WordsControl,
} from './controls.tsx';
import {
  CONDITIONS,
  changed,
  changeNode,
  conditionOf,
  connect,
  type Edge,
  type Flow,
  type FlowNode,
  graphOf,
  ID_PATTERN,
  nodeOf,
  removeNode,
  renameNode,
  replaced,
  type Selection,
  slotNames,
  slotsOf,
  unusedName,
  type When,
  type Words,
  withGraph,
  without,
} from './document.ts';
import { type FieldOf, LIMIT_FIELDS, MODEL_FIELDS, OWN_FIELDS } from './fields.ts';
import { RuleEditor } from './rule-editor.tsx';
import { SlotEditor } from './slot-editor.tsx';
import { edgeText, KIND_TEXTS, whenText } from './words.ts';

/** A flow of this agent may name these. */
export interface Known {
  readonly tools: readonly string[];
  readonly agents: readonly (readonly [id: string, name: string])[];
  readonly lookups: readonly string[];
}

export interface InspectorProps {
  readonly flow: Flow;
  readonly graphName: string;
  readonly selection: Selection | null;
  readonly known: Known;
  readonly select: (selection: Selection | null) => void;
  readonly change: (next: Flow, field?: string) => void;
  readonly duplicate: (id: string) => void;
}

const plain = (values: readonly string[]) => values.map((one) => [one, one] as const);

export function Inspector(props: InspectorProps) {
  const { flow, graphName, selection } = props;
  const graph = graphOf(flow, graphName);
  if (selection?.kind === 'node') {
    const node = nodeOf(graph, selection.id);
    if (node !== undefined) return <NodeInspector key={node.id} {...props} node={node} />;
  }
  if (selection?.kind === 'edge') {
    const edge = graph.edges[selection.at];
    if (edge !== undefined)
      return <EdgeInspector key={selection.at} {...props} edge={edge} at={selection.at} />;
  }
  if (selection?.kind === 'global') {
    const edge = flow.globals?.[selection.at];
    if (edge !== undefined)
      return <GlobalInspector key={selection.at} {...props} edge={edge} at={selection.at} />;
  }
  return <FlowInspector {...props} />;
}

function NodeInspector(props: InspectorProps & { readonly node: FlowNode }) {
  const { flow, graphName, node, select, change, duplicate } = props;
  const graph = graphOf(flow, graphName);
  const { id, type } = node;
  const set = (name: string, value: unknown) =>
    change(
      withGraph(flow, graphName, changeNode(graph, id, { [name]: value })),
      `${graphName} ${id} ${name}`,
    );
  const field = (one: FieldOf) => (
    <NodeField key={one.name} {...props} field={one} set={(value) => set(one.name, value)} />
  );
  return (
    <>
      <h2>{node.label ?? id}</h2>
      <p class="quiet small">
        <code>{type}</code>: {KIND_TEXTS[type]}
      </p>
      <Name
        id={id}
        taken={graph.nodes.map((one) => one.id)}
        rename={(wanted) => {
          change(renameNode(flow, graphName, id, wanted));
          select({ kind: 'node', id: wanted });
        }}
      />
      <TextControl label={t('Title')} value={node.label} onChange={(value) => set('label', value)} />
      {OWN_FIELDS[type].map(field)}
      <details open={type === 'say' || node.instruction !== undefined}>
        <summary>{t('What the model does here')}</summary>
        {MODEL_FIELDS.map(field)}
      </details>
      <details>
        <summary>{t('Limits, order and voice')}</summary>
        {LIMIT_FIELDS.map(field)}
      </details>
      {type !== 'end' && type !== 'transfer' && <Exits {...props} id={id} />}
      <div class="row below">
        {graph.start !== id && (
          <button type="button" onClick={() => change(withGraph(flow, graphName, { ...graph, start: id }))}>
            {t('Begin the flow here')}
          </button>
        )}
        <button type="button" onClick={() => duplicate(id)}>
          {t('Duplicate')}
        </button>
        <button
          type="button"
          class="danger"
          onClick={() => {
            change(removeNode(flow, graphName, id));
            select(null);
          }}
        >
          {t('Remove the step')}
        </button>
      </div>
    </>
  );
}

interface NameProps {
  readonly id: string;
  readonly taken: readonly string[];
  readonly rename: (wanted: string) => void;
}

/** The name is changed when the field is left, so that edges never follow half a word. */
function Name({ id, taken, rename }: NameProps) {
  const [typed, setTyped] = useState(id);
  const error =
    typed === id
      ? null
      : !ID_PATTERN.test(typed)
        ? t('A name begins with a letter and has letters, digits, - and _.')
        : taken.includes(typed)
          ? t('Another step has this name.')
          : null;
  return (
    <Labelled label={t('Name in edges and records')} error={error}>
      {(ids) => (
        <input
          {...ids}
          type="text"
          autocomplete="off"
          value={typed}
          aria-invalid={error !== null}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={() => error === null && typed !== id && rename(typed)}
        />
      )}
    </Labelled>
  );
}

interface NodeFieldProps extends InspectorProps {
  readonly node: FlowNode;
  readonly field: FieldOf;
  readonly set: (value: unknown) => void;
}

function NodeField({ flow, graphName, node, known, field, set }: NodeFieldProps) {
  const { name, label, kind } = field;
  const value = node[name];
  const shared = { label, onChange: set };
  const graph = graphOf(flow, graphName);
  switch (kind) {
    case 'text':
      return (
        <TextControl
          {...shared}
          value={value as string | undefined}
          onChange={(text) => set(needed(name, text))}
        />
      );
    case 'area':
      return (
        <AreaControl
          {...shared}
          value={value as string | undefined}
          onChange={(text) => set(needed(name, text))}
        />
      );
    case 'words':
      return <WordsControl {...shared} value={value as Words | undefined} />;
    case 'number':
      return (
        <NumberControl
          {...shared}
          value={value as number | undefined}
          least={field.least}
          most={field.most}
          step={field.step}
        />
      );
    case 'check':
      return <CheckControl {...shared} value={value as boolean | undefined} />;
    case 'choice':
      return (
        <ChoiceControl
          {...shared}
          value={value as string | undefined}
          none="–"
          options={plain(field.options ?? [])}
        />
      );
    case 'list':
      return <ListControl {...shared} value={value as readonly string[] | undefined} />;
    case 'json':
      return <JsonControl {...shared} value={value} />;
    case 'slots':
      return <SlotEditor {...shared} value={slotsOf(node)} taken={slotNames(flow)} lookups={known.lookups} />;
    case 'tool':
      return (
        <ChoiceControl
          {...shared}
          value={value as string | undefined}
          none="–"
          options={plain(known.tools)}
          onChange={(tool) => set(tool ?? '')}
        />
      );
    case 'tools':
      return <SeveralControl {...shared} value={value as string[] | undefined} options={known.tools} />;
    case 'agent':
      return (
        <ChoiceControl
          {...shared}
          value={value as string | undefined}
          none="–"
          options={known.agents}
          onChange={(agent) => set(agent ?? '')}
        />
      );
    case 'nodes':
      return (
        <SeveralControl
          {...shared}
          keepsEmpty
          value={value as string[] | undefined}
          options={graph.nodes.map(({ id }) => id).filter((id) => id !== node.id)}
        />
      );
    case 'slot-names':
      return (
        <SeveralControl
          {...shared}
          value={value as string[] | undefined}
          options={[...new Set(slotNames(flow))]}
        />
      );
    case 'subflow':
      return (
        <ChoiceControl
          {...shared}
          value={value as string | undefined}
          none="–"
          options={plain(Object.keys(flow.subflows ?? {}))}
          onChange={(subflow) => set(subflow ?? '')}
        />
      );
  }
}

/** These fields stay, empty, where they are cleared: the kind does not go without them. */
const NEEDED = new Set(['to', 'body']);
const needed = (name: string, text: string | undefined): string | undefined =>
  text ?? (NEEDED.has(name) ? '' : undefined);

function Exits({ flow, graphName, select, change, id }: InspectorProps & { readonly id: string }) {
  const graph = graphOf(flow, graphName);
  const out = graph.edges.flatMap((edge, at) => (edge.from === id ? [{ edge, at }] : []));
  const [to, setTo] = useState('');
  return (
    <section aria-label={t('Edges from here')}>
      <h3>{t('Edges from here')}</h3>
      {out.length === 0 && <p class="quiet">{t('No edge leaves this step.')}</p>}
      <ul class="list">
        {out.map(({ edge, at }) => (
          <li key={at}>
            <button type="button" class="plain grow flow-exit" onClick={() => select({ kind: 'edge', at })}>
              {whenText(edge.when)} → {edge.to}
            </button>
          </li>
        ))}
      </ul>
      <div class="row">
        <div class="grow">
          <ChoiceControl
            label={t('Connect to')}
            value={to}
            none="–"
            options={plain(graph.nodes.map((node) => node.id))}
            onChange={(next = '') => setTo(next)}
          />
        </div>
        <button
          type="button"
          disabled={to === ''}
          onClick={() => {
            change(withGraph(flow, graphName, connect(graph, id, to)));
            setTo('');
          }}
        >
          {t('Connect')}
        </button>
      </div>
    </section>
  );
}

function EdgeInspector(props: InspectorProps & { readonly edge: Edge; readonly at: number }) {
  const { flow, graphName, edge, at, select, change } = props;
  const graph = graphOf(flow, graphName);
  const set = (next: Readonly<Record<string, unknown>>, field: string) =>
    change(
      withGraph(flow, graphName, { ...graph, edges: replaced(graph.edges, at, changed(edge, next)) }),
      `${graphName} edge ${at} ${field}`,
    );
  return (
    <>
      <h2>{edgeText(edge)}</h2>
      <p>
        <button type="button" class="plain" onClick={() => select({ kind: 'node', id: edge.from })}>
          {t('To the step {node}', { node: edge.from })}
        </button>
      </p>
      <ChoiceControl
        label={t('Leads to')}
        value={edge.to}
        options={[...plain(graph.nodes.map(({ id }) => id)), ['$back', '$back']]}
        onChange={(to) => to !== undefined && set({ to }, 'to')}
      />
      <WhenEditor {...props} when={edge.when} set={(when, field) => set({ when }, field)} />
      <NumberControl
        label={t('Priority: lower is asked first')}
        value={edge.priority}
        least={0}
        most={1000}
        onChange={(priority) => set({ priority }, 'priority')}
      />
      <button
        type="button"
        class="danger"
        onClick={() => {
          change(withGraph(flow, graphName, { ...graph, edges: without(graph.edges, at) }));
          select({ kind: 'node', id: edge.from });
        }}
      >
        {t('Remove the edge')}
      </button>
    </>
  );
}

function GlobalInspector(
  props: InspectorProps & { readonly edge: NonNullable<Flow['globals']>[number]; readonly at: number },
) {
  const { flow, edge, at, select, change } = props;
  const globals = flow.globals ?? [];
  const set = (next: Readonly<Record<string, unknown>>, field: string) =>
    change({ ...flow, globals: replaced(globals, at, changed(edge, next)) }, `global ${at} ${field}`);
  return (
    <>
      <h2>{t('From everywhere')}</h2>
      <p class="quiet small">{t('This edge is taken from every step in which the caller is heard.')}</p>
      <ChoiceControl
        label={t('Leads to')}
        value={edge.to}
        options={[...plain(flow.nodes.map(({ id }) => id)), ['$repeat', '$repeat']]}
        onChange={(to) => to !== undefined && set({ to }, 'to')}
      />
      <WhenEditor {...props} when={edge.when} isGlobal set={(when, field) => set({ when }, field)} />
      <NumberControl
        label={t('Priority: lower is asked first')}
        value={edge.priority}
        least={0}
        most={1000}
        onChange={(priority) => set({ priority }, 'priority')}
      />
      <button
        type="button"
        class="danger"
        onClick={() => {
          change({ ...flow, globals: without(globals, at) });
          select(null);
        }}
      >
        {t('Remove the edge')}
      </button>
    </>
  );
}

const FIRST_VALUES: Readonly<Record<string, unknown>> = {
  rule: { value: '', is: '' },
  intent: 'wants_person',
  result: 'ok',
  silence: 2,
  key: '1',
  attempts: true,
  language: 'en',
};

const GLOBAL_CONDITIONS = ['intent', 'key', 'silence', 'rule', 'language'];

interface WhenEditorProps extends InspectorProps {
  readonly when: When | undefined;
  readonly isGlobal?: boolean;
  readonly set: (when: When | undefined, field: string) => void;
}

function WhenEditor({ flow, when, isGlobal, set, ...props }: WhenEditorProps) {
  const condition = conditionOf(when);
  const names = [...new Set(slotNames(flow))];
  const answers = answersOf({ flow, ...props });
  const choose = (next = 'otherwise') => {
    if (next === 'otherwise') set(undefined, 'condition');
    else if (next === 'slot') set({ slot: names[0] ?? '' }, 'condition');
    else if (next === 'answer') set({ answer: answers[0] ?? '' }, 'condition');
    else set({ [next]: FIRST_VALUES[next] }, 'condition');
  };
  const put = (name: string, value: unknown) => set(changed(when ?? {}, { [name]: value }), name);
  const value = when?.[condition];
  return (
    <>
      <ChoiceControl
        label={t('Taken when')}
        value={condition}
        options={
          isGlobal
            ? plain(GLOBAL_CONDITIONS)
            : [['otherwise', t('no other edge is open')], ...plain(CONDITIONS)]
        }
        onChange={choose}
      />
      {condition === 'slot' && (
        <SeveralControl
          label={t('These values are filled')}
          options={names}
          value={[value ?? []].flat() as string[]}
          onChange={(list = []) => put('slot', list.length === 1 ? list[0] : list)}
        />
      )}
      {condition === 'rule' && (
        <RuleEditor label={t('Rule')} value={value} onChange={(rule) => put('rule', rule ?? {})} />
      )}
      {condition === 'intent' && (
        <>
          <TextControl
            label={t('What the caller wants')}
            value={String(value)}
            onChange={(intent) => put('intent', intent ?? '')}
          />
          <ListControl
            label={t('Phrases that say it, one a line')}
            value={when?.phrases}
            onChange={(phrases) => put('phrases', phrases)}
          />
          <AreaControl
            label={t('Description for the model')}
            value={when?.description}
            onChange={(description) => put('description', description)}
          />
        </>
      )}
      {condition === 'result' && (
        <ChoiceControl
          label={t('Result')}
          value={String(value)}
          options={plain(['ok', 'failed'])}
          onChange={(result) => put('result', result)}
        />
      )}
      {condition === 'silence' && (
        <NumberControl
          label={t('Times the caller said nothing')}
          value={Number(value)}
          least={1}
          most={10}
          onChange={(silence) => put('silence', silence ?? 1)}
        />
      )}
      {condition === 'key' && (
        <TextControl label={t('Keys')} value={String(value)} onChange={(key) => put('key', key ?? '')} />
      )}
      {condition === 'answer' && (
        <ChoiceControl
          label={t('Answer')}
          value={String(value)}
          options={plain(answers)}
          onChange={(answer) => put('answer', answer ?? '')}
        />
      )}
      {condition === 'language' && (
        <TextControl
          label={t('Language')}
          value={String(value)}
          onChange={(language) => put('language', language ?? '')}
        />
      )}
    </>
  );
}

function answersOf({
  flow,
  graphName,
  selection,
}: Pick<InspectorProps, 'flow' | 'graphName' | 'selection'>): readonly string[] {
  const graph = graphOf(flow, graphName);
  const edge = selection?.kind === 'edge' ? graph.edges[selection.at] : undefined;
  return edge === undefined ? [] : (nodeOf(graph, edge.from)?.answers ?? []);
}

/** With nothing selected, the panel shows what belongs to the flow as a whole. */
function FlowInspector({ flow, graphName, select, change }: InspectorProps) {
  const globals = flow.globals ?? [];
  const [name, setName] = useState('');
  if (graphName !== '')
    return (
      <>
        <h2>{t('Subflow {name}', { name: graphName })}</h2>
        <p class="quiet">{t('Choose a step to change it.')}</p>
        <button
          type="button"
          class="danger"
          onClick={() => {
            const { [graphName]: _gone, ...subflows } = flow.subflows ?? {};
            change(changed(flow, { subflows: Object.keys(subflows).length === 0 ? undefined : subflows }));
          }}
        >
          {t('Remove the subflow')}
        </button>
      </>
    );
  return (
    <>
      <h2>{t('The flow')}</h2>
      <p class="quiet">{t('Choose a step to change it.')}</p>
      <AreaControl
        label={t('Who speaks, in place of the agent’s own words')}
        value={flow.persona}
        onChange={(persona) => change(changed(flow, { persona }), 'persona')}
      />
      <section aria-label={t('From everywhere')}>
        <h3>{t('From everywhere')}</h3>
        {globals.length === 0 && <p class="quiet">{t('No edge leads from everywhere.')}</p>}
        <ul class="list">
          {globals.map((edge, at) => (
            <li key={at}>
              <button
                type="button"
                class="plain grow flow-exit"
                onClick={() => select({ kind: 'global', at })}
              >
                {whenText(edge.when)} → {edge.to}
              </button>
            </li>
          ))}
        </ul>
        <button
          type="button"
          onClick={() => {
            change({ ...flow, globals: [...globals, { to: flow.start, when: { intent: 'wants_person' } }] });
            select({ kind: 'global', at: globals.length });
          }}
        >
          {t('Add an edge from everywhere')}
        </button>
      </section>
      <section aria-label={t('Subflows')}>
        <h3>{t('Subflows')}</h3>
        <div class="row">
          <div class="grow">
            <TextControl
              label={t('Name of a subflow')}
              value={name}
              onChange={(next = '') => setName(next)}
            />
          </div>
          <button
            type="button"
            disabled={!ID_PATTERN.test(name)}
            onClick={() => {
              const key = unusedName(name, Object.keys(flow.subflows ?? {}));
              const first = { start: 'end', nodes: [{ id: 'end', type: 'end' as const }], edges: [] };
              change({ ...flow, subflows: { ...flow.subflows, [key]: first } });
              setName('');
            }}
          >
            {t('Add a subflow')}
          </button>
        </div>
      </section>
    </>
  );
}
