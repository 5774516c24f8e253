import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  addNode,
  changeNode,
  connect,
  duplicateNode,
  type Flow,
  graphOf,
  NODE_TYPES,
  type NodeType,
  type Position,
  removeNode,
  type Selection,
  same,
  slotNames,
  withGraph,
  without,
} from '../canvas/document.ts';
import { Drawing, Palette } from '../canvas/drawing.tsx';
import { emptyFlow, exampleFlow } from '../canvas/example.ts';
import { type Finding, type Findings, useFindings } from '../canvas/findings.ts';
import { FunnelPanel, funnelMarks, useFunnel } from '../canvas/funnel.tsx';
import { useHistory } from '../canvas/history.ts';
import { Inspector, type Known } from '../canvas/inspector.tsx';
import { BOX, freePlace, onGrid, placesOf, withoutPlaces, withPlaces } from '../canvas/layout.ts';
import type { EdgeMark, Marks, NodeMark } from '../canvas/marks.ts';
import { merged, type PathStep, pathMarks } from '../canvas/path-marks.ts';
import { placeOf } from '../canvas/places.ts';
import { SimulationPanel, useSimulation } from '../canvas/simulation.tsx';
import { SourceView } from '../canvas/source-view.tsx';
import { readUnsaved, removeUnsaved, storeUnsaved, type UnsavedCopy } from '../canvas/unsaved-copy.ts';
import { get, type Json, patch } from '../data/api.ts';
import { useLoad } from '../data/load.ts';
import { askBeforeLeaving, to } from '../data/route.ts';
import { t } from '../i18n/index.ts';
import { Choose } from '../kit/choose.tsx';
import { samplesOf } from '../kit/code.tsx';
import { Empty } from '../kit/empty.tsx';
import { ErrorNotice, LoadingState, Page } from '../kit/page.tsx';
import '../canvas/canvas.css';

const MOST = 100;

export interface FlowPageProps {
  readonly id: string;
  /** `call`, and the id of a call whose way is shown. */
  readonly rest: readonly string[];
}

interface Base {
  readonly version: number;
  readonly flow: Flow | null;
}

export function FlowPage({ id, rest: [part, callId] }: FlowPageProps) {
  const agent = useLoad(`/v1/agents/${id}?draft=true`);
  const tools = useLoad(`/v1/tools?limit=${MOST}`);
  const agents = useLoad(`/v1/agents?limit=${MOST}`);
  const [started, setStarted] = useState<Flow | null>(null);
  const [unsaved] = useState(() => readUnsaved(id));
  const { data } = agent;
  if (data === null)
    return (
      <Page title={t('Flow')}>
        <LoadingState error={agent.error} />
      </Page>
    );
  const first = started ?? unsaved?.flow ?? (data.flow as Flow | null);
  const known: Known = {
    tools: [
      ...(tools.data?.data ?? [])
        .filter((tool: Json) => data.tool_ids.includes(tool.id))
        .map(({ name }: Json) => name),
      ...data.builtin_tools,
    ],
    agents: (agents.data?.data ?? [])
      .filter((one: Json) => one.id !== id)
      .map(({ id: each, name }: Json) => [each, name] as const),
    lookups: data.lookups.map(({ name }: Json) => name),
  };
  return (
    <Page title={t('Flow of {name}', { name: data.name })}>
      <p>
        <a href={to('agents', id)}>{t('To the agent')}</a>
      </p>
      {first === null ? (
        <NoFlow id={id} start={setStarted} />
      ) : (
        <Editor
          id={id}
          base={{ version: data.version, flow: data.flow }}
          first={first}
          unsaved={unsaved}
          known={known}
          callId={part === 'call' ? (callId ?? null) : null}
        />
      )}
    </Page>
  );
}

function NoFlow({ id, start }: { readonly id: string; readonly start: (flow: Flow) => void }) {
  return (
    <div class="card">
      <Empty
        icon="dub"
        says={t(
          'A flow holds the steps of a call: the model speaks, and the engine decides what may come next. No step is skipped.',
        )}
        example={{ label: t('Load an example'), run: async () => start(exampleFlow()) }}
        samples={samplesOf('PATCH', `/v1/agents/${id}?draft=true`, { flow: exampleFlow() })}
      >
        <div class="row">
          <button type="button" onClick={() => start(emptyFlow())}>
            {t('Begin with one step')}
          </button>
        </div>
      </Empty>
    </div>
  );
}

type Panel = 'step' | 'findings' | 'simulate' | 'calls' | 'source';

interface EditorProps {
  readonly id: string;
  readonly base: Base;
  readonly first: Flow;
  readonly unsaved: UnsavedCopy | null;
  readonly known: Known;
  readonly callId: string | null;
}

function Editor({ id, base: loaded, first, unsaved, known, callId }: EditorProps) {
  const { flow, change, undo, redo } = useHistory(first);
  const [base, setBase] = useState(loaded);
  const [graphName, setGraphName] = useState('');
  const [selection, setSelection] = useState<Selection | null>(null);
  const [panel, setPanel] = useState<Panel>('step');
  const [isOpen, setOpen] = useState(false);
  const [arranged, setArranged] = useState(0);
  const isDirty = !same(flow, base.flow);
  const restored = base.version === loaded.version ? unsaved : null;
  const isOlder = restored !== null && restored.version !== base.version;
  const saving = useSaving({
    id,
    flow,
    base: isOlder ? { version: restored.version, flow: null } : base,
    setBase,
  });
  const findings = useFindings(id, flow);
  const simulating = useSimulation(id, flow, panel === 'simulate');
  const funnel = useFunnel(id, panel === 'calls');
  const versions = useLoad(panel === 'calls' ? `/v1/agents/${id}/versions` : null);
  const shownCall = useLoad(callId === null ? null : `/v1/omni/calls/${callId}`);
  const shownName = graphName === '' || flow.subflows?.[graphName] !== undefined ? graphName : '';
  const graph = graphOf(flow, shownName);
  const places = placesOf(graph);
  const isStored = useUnsavedCopy({ id, flow, isDirty, version: restored?.version ?? base.version });

  const select = (next: Selection | null) => {
    setSelection(next);
    if (next === null || panel === 'simulate' || panel === 'calls') return;
    setPanel('step');
    setOpen(true);
  };
  const edit = (next: Selection) => {
    setSelection(next);
    setPanel('step');
    setOpen(true);
  };
  const put = (next: ReturnType<typeof graphOf>, field?: string) =>
    change(withGraph(flow, shownName, next), field);
  const fixed = () => withPlaces(graph, places);
  const add = (type: NodeType, at?: Position) => {
    const below = selection?.kind === 'node' ? places.get(selection.id) : [...places.values()].at(-1);
    const wanted = at ?? { x: below?.x ?? 0, y: (below?.y ?? -BOX.height) + BOX.height + 76 };
    const made = addNode(fixed(), type, at ?? freePlace(wanted, places.values()), slotNames(flow));
    put(made.graph);
    edit({ kind: 'node', id: made.id });
  };
  const duplicate = (of: string) => {
    const made = duplicateNode(fixed(), of, places.get(of) ?? { x: 0, y: 0 });
    put(made.graph);
    edit({ kind: 'node', id: made.id });
  };
  const editing = {
    move: (of: string, position: Position) => put(changeNode(fixed(), of, { position }), `move ${of}`),
    connect: (from: string, target: string) => {
      put(connect(fixed(), from, target));
      edit({ kind: 'edge', at: graph.edges.length });
    },
    duplicate,
    remove: (of: Selection) => {
      if (of.kind === 'node') change(removeNode(flow, shownName, of.id));
      else if (of.kind === 'edge') put({ ...graph, edges: without(graph.edges, of.at) });
      setSelection(null);
    },
    drop: (type: NodeType, at: Position) =>
      add(type, onGrid({ x: at.x - BOX.width / 2, y: at.y - BOX.height / 2 })),
  };
  useKeys({ undo, redo, save: saving.save });
  const open = (name: Panel) => {
    setPanel(name);
    setOpen(true);
  };
  const path: readonly PathStep[] =
    (panel === 'simulate' ? simulating.result?.path : panel === 'calls' ? [] : shownCall.data?.path) ?? [];
  const overlay =
    panel === 'calls' ? funnelMarks(flow, shownName, funnel.loaded.data) : pathMarks(flow, shownName, path);
  const marks = merged(marksOf(flow, shownName, findings.list ?? []), overlay);
  return (
    <div class="flow-page">
      <div class="flow-bar">
        <SaveState isDirty={isDirty} isStored={isStored} base={base} isBusy={saving.isBusy} />
        <button
          type="button"
          class="main"
          disabled={saving.isBusy || !isDirty}
          onClick={() => void saving.save()}
        >
          {t('Save as a draft')}
        </button>
        <button type="button" disabled={undo === null} onClick={() => undo?.()}>
          {t('Undo')}
        </button>
        <button type="button" disabled={redo === null} onClick={() => redo?.()}>
          {t('Redo')}
        </button>
        <button
          type="button"
          onClick={() => {
            put(withoutPlaces(graph));
            setArranged((one) => one + 1);
          }}
        >
          {t('Arrange')}
        </button>
        <button type="button" aria-pressed={panel === 'step'} onClick={() => open('step')}>
          {t('Step')}
        </button>
        <button type="button" aria-pressed={panel === 'findings'} onClick={() => open('findings')}>
          {findings.list === null ? t('Findings') : t('Findings: {n}', { n: findings.list.length })}
        </button>
        <button type="button" aria-pressed={panel === 'simulate'} onClick={() => open('simulate')}>
          {t('Simulate')}
        </button>
        <button type="button" aria-pressed={panel === 'calls'} onClick={() => open('calls')}>
          {t('Calls')}
        </button>
        <button type="button" aria-pressed={panel === 'source'} onClick={() => open('source')}>
          {t('As text')}
        </button>
      </div>
      <div class="flow-palette-and-notes">
        <Notices
          saving={saving}
          unsaved={isDirty ? restored : null}
          base={base}
          discard={() => base.flow && change(base.flow)}
        />
        {callId !== null && (
          <p class="once" role="status">
            {shownCall.error?.message ?? t('The numbers are the steps of one call.')}{' '}
            <a href={to('calls', callId)}>{t('To its record')}</a>
          </p>
        )}
        <Palette types={NODE_TYPES} add={(type) => add(type)} />
        {flow.subflows !== undefined && (
          <div class="filters">
            <Choose
              label={t('Graph')}
              value={shownName}
              options={[
                ['', t('The flow')],
                ...Object.keys(flow.subflows).map((name) => [name, t('Subflow {name}', { name })] as const),
              ]}
              onChange={(name) => {
                setGraphName(name);
                setSelection(null);
              }}
            />
          </div>
        )}
      </div>
      <div>
        <Drawing
          graph={graph}
          label={t('Steps of the flow')}
          selection={selection}
          select={select}
          nodeMarks={marks.nodes}
          edgeMarks={marks.edges}
          editing={editing}
          fitKey={`${shownName} ${arranged}`}
        />
        <Keys />
      </div>
      <section class={`card flow-panel${isOpen ? ' open' : ''}`} aria-label={t('Details')}>
        <button type="button" class="close" onClick={() => setOpen(false)}>
          {t('Close')}
        </button>
        {panel === 'step' && (
          <Inspector
            flow={flow}
            graphName={shownName}
            selection={selection}
            known={known}
            select={select}
            change={change}
            duplicate={duplicate}
          />
        )}
        {panel === 'findings' && (
          <FindingList
            findings={findings}
            choose={({ node }) => {
              const place = placeOf(flow, node);
              if (place === null) return;
              setGraphName(place.graphName);
              edit(place.selection);
            }}
          />
        )}
        {panel === 'simulate' && <SimulationPanel simulating={simulating} flow={flow} />}
        {panel === 'calls' && <FunnelPanel funnel={funnel} versions={versions.data?.data ?? []} />}
        {panel === 'source' && <SourceView flow={flow} name={id} change={(next) => change(next)} />}
      </section>
    </div>
  );
}

function marksOf(flow: Flow, graphName: string, findings: readonly Finding[]): Marks {
  const nodes = new Map<string, NodeMark>();
  const edges = new Map<number, EdgeMark>();
  for (const { node, detail } of findings) {
    const place = placeOf(flow, node);
    if (place?.graphName !== graphName) continue;
    const { selection } = place;
    if (selection.kind === 'node') {
      const before = nodes.get(selection.id)?.problem;
      nodes.set(selection.id, { problem: before === undefined ? detail : `${before}; ${detail}` });
    } else if (selection.kind === 'edge') edges.set(selection.at, { isProblem: true });
  }
  return { nodes, edges };
}

interface Saving {
  readonly save: () => Promise<void>;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Somebody else has saved this version since the page was opened. */
  readonly newer: number | null;
}

function useSaving({
  id,
  flow,
  base,
  setBase,
}: {
  readonly id: string;
  readonly flow: Flow;
  readonly base: Base;
  readonly setBase: (base: Base) => void;
}): Saving {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [newer, setNewer] = useState<number | null>(null);
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      const newest = await get(`/v1/agents/${id}?draft=true`);
      const isKnown = newest.version === base.version || newest.version === newer;
      if (!isKnown && !same(newest.flow, base.flow)) setNewer(newest.version);
      else {
        const saved = await patch(`/v1/agents/${id}?draft=true`, { flow });
        setNewer(null);
        setBase({ version: saved.version, flow });
      }
    } catch (thrown) {
      setError(thrown as Error);
    }
    setBusy(false);
  };
  return { save, isBusy, error, newer };
}

interface UnsavedOrder {
  readonly id: string;
  readonly flow: Flow;
  readonly isDirty: boolean;
  readonly version: number;
}

/** Returns false where the browser has no room for the copy: leaving the page would lose the changes. */
function useUnsavedCopy({ id, flow, isDirty, version }: UnsavedOrder): boolean {
  const [isStored, setStored] = useState(true);
  useEffect(() => {
    if (isDirty) setStored(storeUnsaved(id, { version, flow }));
    else {
      removeUnsaved(id);
      setStored(true);
    }
  }, [id, flow, isDirty, version]);
  useEffect(() => {
    if (isStored) return;
    return askBeforeLeaving(t('Your changes are not saved and will be lost. Leave?'));
  }, [isStored]);
  useEffect(() => {
    if (!isDirty) return;
    const title = document.title;
    document.title = `• ${title}`;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', stay);
    return () => {
      document.title = title;
      removeEventListener('beforeunload', stay);
    };
  }, [isDirty]);
  return isStored;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select');

function useKeys({
  undo,
  redo,
  save,
}: {
  readonly undo: (() => void) | null;
  readonly redo: (() => void) | null;
  readonly save: () => Promise<void>;
}): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      const key = event.key.toLowerCase();
      if (key === 's') void save();
      else if (isTyping(event.target)) return;
      else if (key === 'y' || (key === 'z' && event.shiftKey)) redo?.();
      else if (key === 'z') undo?.();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
}

function SaveState({
  isDirty,
  isStored,
  base,
  isBusy,
}: {
  readonly isDirty: boolean;
  readonly isStored: boolean;
  readonly base: Base;
  readonly isBusy: boolean;
}) {
  return (
    <span role="status" class={`state ${isDirty ? 'warn' : 'good'}`}>
      {isBusy
        ? t('Saving…')
        : isDirty
          ? isStored
            ? t('Not saved: kept in this browser')
            : t('Not saved: the storage of this browser is full')
          : t('Saved as version {version}', { version: base.version })}
    </span>
  );
}

interface NoticesProps {
  readonly saving: Saving;
  readonly unsaved: UnsavedCopy | null;
  readonly base: Base;
  readonly discard: () => void;
}

function Notices({ saving, unsaved, base, discard }: NoticesProps) {
  const { error, newer } = saving;
  return (
    <>
      <ErrorNotice error={error} />
      {newer !== null && (
        <p class="alert" role="alert">
          {t('Version {version} was saved elsewhere with another flow. Save once more to replace it.', {
            version: newer,
          })}
        </p>
      )}
      {unsaved !== null && (
        <p class="once" role="status">
          {t('These are your unsaved changes to version {version}. The newest version is {newest}.', {
            version: unsaved.version,
            newest: base.version,
          })}{' '}
          {base.flow !== null && (
            <button type="button" class="plain" onClick={discard}>
              {t('Back to the saved flow')}
            </button>
          )}
        </p>
      )}
    </>
  );
}

interface FindingListProps {
  readonly findings: Findings;
  readonly choose: (finding: Finding) => void;
}

function FindingList({ findings: { list, error }, choose }: FindingListProps) {
  return (
    <>
      <h2>{t('What the check finds')}</h2>
      <ErrorNotice error={error} />
      {list?.length === 0 && <p class="quiet">{t('Nothing: the flow can be saved.')}</p>}
      <ul class="list" aria-label={t('Findings')}>
        {list?.map((finding, at) => (
          <li key={at}>
            <button type="button" class="plain flow-exit" onClick={() => choose(finding)}>
              <span>
                <strong>{finding.node === '' ? t('The flow') : finding.node}</strong>: {finding.detail} (
                {finding.code})
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Keys() {
  const rows = [
    [t('Arrows'), t('go to the step in that direction')],
    ['Enter', t('choose the step')],
    ['C', t('connect it: go to another step, then Enter')],
    ['D', t('duplicate it')],
    ['Delete', t('remove it')],
    [t('Shift and arrows'), t('move it')],
    ['+ − 0', t('zoom in, out, fit')],
    ['Ctrl Z, Ctrl Shift Z', t('undo, redo')],
    ['Ctrl S', t('save as a draft')],
  ] as const;
  return (
    <details class="small below">
      <summary class="quiet">{t('Keys, with a step in focus')}</summary>
      <dl>
        {rows.map(([key, does]) => (
          <Fragment key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}
