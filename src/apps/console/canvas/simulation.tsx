import { useEffect, useRef, useState } from 'preact/hooks';
import { type Json, post } from '../data/api.ts';
import { t } from '../i18n/index.ts';
import { FactList } from '../kit/fact-list.tsx';
import { ErrorNotice } from '../kit/page.tsx';
import { Labelled } from './controls.tsx';
import type { Flow } from './document.ts';

export interface Simulating {
  readonly result: Json;
  readonly error: Error | null;
  readonly isOver: boolean;
  readonly add: (event: Json) => void;
  readonly back: (() => void) | null;
  readonly restart: () => void;
}

/** Every event is sent again with the flow as it is now, so that an edit shows at once what changes in the call. */
export function useSimulation(agentId: string, flow: Flow, isOn: boolean): Simulating {
  const [events, setEvents] = useState<readonly Json[]>([]);
  const [state, setState] = useState<{ readonly result: Json; readonly error: Error | null }>({
    result: null,
    error: null,
  });
  const asked = JSON.stringify({ flow, events });
  useEffect(() => {
    if (!isOn) return;
    let isGone = false;
    post(`/v1/agents/${agentId}/flow/simulate`, { flow, events }).then(
      (result) => !isGone && setState({ result, error: null }),
      (error: Error) => !isGone && setState(({ result }) => ({ result, error })),
    );
    return () => {
      isGone = true;
    };
  }, [agentId, asked, isOn]);
  return {
    ...state,
    isOver: state.result !== null && state.result.awaits === null,
    add: (event) => setEvents((before) => [...before, event]),
    back: events.length === 0 ? null : () => setEvents(events.slice(0, -1)),
    restart: () => setEvents([]),
  };
}

const eventText = (event: Json): string => {
  switch (event.kind) {
    case 'said':
      return event.text;
    case 'keys':
      return t('keys {keys}', { keys: event.keys });
    case 'silence':
      return t('(silence)');
    case 'time':
      return t('(timed out)');
    case 'answered':
      return t('(the model has spoken)');
    case 'exit':
      return t('(the model: the caller wants {intent})', { intent: event.intent });
    case 'result':
      return event.ok ? t('(it succeeded)') : t('(it failed)');
    case 'language':
      return t('(the caller speaks {language})', { language: event.language });
    case 'returned':
      return t('(the agent hands the call back)');
    default:
      return t('(the model chose {answer})', { answer: event.answer ?? '–' });
  }
};

export interface SimulationPanelProps {
  readonly simulating: Simulating;
  readonly flow: Flow;
  readonly title?: string;
  readonly says?: string;
}

export function SimulationPanel({ simulating, flow, title, says }: SimulationPanelProps) {
  const { result, error, add, back, restart, isOver } = simulating;
  return (
    <>
      <h2>{title ?? t('A call through the flow')}</h2>
      <p class="quiet small">
        {says ??
          t(
            'The engine runs the flow as it does in a call. You speak for the caller, the model and the tools.',
          )}
      </p>
      <ErrorNotice error={error} />
      {result !== null && (
        <>
          <ol class="flow-talk" aria-label={t('What was said')}>
            {result.turns.map((turn: Json, at: number) => (
              <li key={at}>
                {turn.event !== null && <p class="caller">{eventText(turn.event)}</p>}
                {turn.said.map((words: string, nth: number) => (
                  <p key={nth} class="agent">
                    {words}
                  </p>
                ))}
                <p class="quiet small">{turn.node}</p>
              </li>
            ))}
          </ol>
          {isOver ? (
            <p role="status">{t('The call is over.')}</p>
          ) : (
            <NextEvent key={result.turns.length} result={result} flow={flow} add={add} />
          )}
        </>
      )}
      <div class="row below">
        <button type="button" disabled={back === null} onClick={() => back?.()}>
          {t('One step back')}
        </button>
        <button type="button" disabled={back === null} onClick={restart}>
          {t('Begin again')}
        </button>
      </div>
      {result !== null && <Known result={result} />}
    </>
  );
}

interface NextEventProps {
  readonly result: Json;
  readonly flow: Flow;
  readonly add: (event: Json) => void;
}

function NextEvent({ result, flow, add }: NextEventProps) {
  const { awaits, request, exits } = result;
  if (awaits === 'choice')
    return (
      <Answers
        says={t('The model has to choose: {question}', { question: request.question })}
        answers={[
          ...request.answers.map((answer: string) => [answer, { kind: 'chosen', answer }]),
          [t('None of them'), { kind: 'chosen', answer: null }],
        ]}
        add={add}
      />
    );
  if (awaits === 'tool') return <ToolResult request={request} add={add} />;
  if (awaits === 'handoff' && request.has_call === true)
    return (
      <Answers
        says={t('The agent {id} has the call.', { id: request.agent_id })}
        answers={[[t('It hands the call back'), { kind: 'returned' }]]}
        add={add}
      />
    );
  if (awaits === 'message' || awaits === 'handoff')
    return (
      <Answers
        says={
          awaits === 'message'
            ? t('A message is sent: {body}', { body: request.body })
            : t('The agent {id} is to take the call.', { id: request.agent_id })
        }
        answers={[
          [t('It succeeds'), { kind: 'result', ok: true }],
          [t('It fails'), { kind: 'result', ok: false }],
        ]}
        add={add}
      />
    );
  const node = flow.nodes.find(({ id }) => id === result.path.at(-1)?.node);
  return (
    <>
      {awaits === 'model' && (
        <Answers
          says={t('The model speaks here. {instruction}', { instruction: String(node?.instruction ?? '') })}
          answers={[
            ...exits.map(({ name }: Json) => [
              t('The caller wants {intent}', { intent: name }),
              { kind: 'exit', intent: name },
            ]),
            [t('It only answers'), { kind: 'answered' }],
          ]}
          add={add}
        />
      )}
      <CallerTurn add={add} isFollowing={result.turns.length > 1} languages={languagesIn(flow)} />
    </>
  );
}

/** The languages that some edge of the flow waits for. */
const languagesIn = ({ edges, globals = [] }: Flow): readonly string[] => [
  ...new Set([...edges, ...globals].flatMap(({ when }) => (when?.language as string | undefined) ?? [])),
];

interface AnswersProps {
  readonly says: string;
  readonly answers: readonly (readonly [label: string, event: Json])[];
  readonly add: (event: Json) => void;
}

function Answers({ says, answers, add }: AnswersProps) {
  return (
    <section class="flow-awaits" aria-label={says}>
      <p>{says}</p>
      <div class="row">
        {answers.map(([label, event]) => (
          <button key={label} type="button" onClick={() => add(event)}>
            {label}
          </button>
        ))}
      </div>
    </section>
  );
}

function ToolResult({ request, add }: Pick<NextEventProps, 'add'> & { readonly request: Json }) {
  const [text, setText] = useState('{}');
  const [error, setError] = useState<string | null>(null);
  const succeed = () => {
    try {
      add({ kind: 'result', ok: true, value: JSON.parse(text) });
    } catch (thrown) {
      setError((thrown as Error).message);
    }
  };
  return (
    <div class="flow-awaits">
      <p>
        {t('The tool {tool} is called with', { tool: request.tool })}{' '}
        <code>{JSON.stringify(request.arguments)}</code>
      </p>
      <Labelled label={t('Its result (JSON)')} error={error}>
        {(ids) => (
          <textarea
            {...ids}
            class="mono"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Labelled>
      <div class="row">
        <button type="button" class="main" onClick={succeed}>
          {t('It succeeds')}
        </button>
        <button type="button" onClick={() => add({ kind: 'result', ok: false })}>
          {t('It fails')}
        </button>
      </div>
    </div>
  );
}

interface CallerTurnProps extends Pick<NextEventProps, 'add'> {
  readonly isFollowing: boolean;
  readonly languages: readonly string[];
}

/** The field of each later turn takes the focus, so that a call is typed without a pointer. */
function CallerTurn({ add, isFollowing, languages }: CallerTurnProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFollowing) field.current?.focus({ preventScroll: true });
  }, []);
  const isKeys = /^[0-9A-D*#]{1,32}$/.test(text.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') add({ kind: 'said', text: text.trim() });
      }}
    >
      <Labelled label={t('What the caller says')}>
        {(ids) => (
          <input
            {...ids}
            ref={field}
            type="text"
            autocomplete="off"
            maxLength={1000}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Labelled>
      <div class="row">
        <button type="submit" class="main" disabled={text.trim() === ''}>
          {t('Say it')}
        </button>
        <button type="button" disabled={!isKeys} onClick={() => add({ kind: 'keys', keys: text.trim() })}>
          {t('Press it as keys')}
        </button>
        <button type="button" onClick={() => add({ kind: 'silence' })}>
          {t('Say nothing')}
        </button>
        <button type="button" onClick={() => add({ kind: 'time' })}>
          {t('Let the time run out')}
        </button>
        {languages.map((language) => (
          <button key={language} type="button" onClick={() => add({ kind: 'language', language })}>
            {t('Speak {language}', { language })}
          </button>
        ))}
      </div>
    </form>
  );
}

function Known({ result }: { readonly result: Json }) {
  const values = Object.entries(result.values as Record<string, unknown>);
  return (
    <section aria-label={t('Values and variables')}>
      <h3>{t('Values and variables')}</h3>
      {values.length === 0 ? (
        <p class="quiet">{t('None is known yet.')}</p>
      ) : (
        <FactList
          of={values.map(([name, value]) => [
            name,
            typeof value === 'string' ? value : <code key={name}>{JSON.stringify(value)}</code>,
          ])}
        />
      )}
      <h3>{t('The path')}</h3>
      <ol class="small">
        {result.path.map(({ node, left_by, reason }: Json, at: number) => (
          <li key={at}>
            {node}
            {left_by !== null && <span class="quiet"> ({reason ?? left_by})</span>}
          </li>
        ))}
      </ol>
      {result.refused.length > 0 && (
        <>
          <h3>{t('Refused by the engine')}</h3>
          <ul class="small">
            {result.refused.map(({ node, wanted, reason }: Json, at: number) => (
              <li key={at}>
                {node} → {wanted}: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
